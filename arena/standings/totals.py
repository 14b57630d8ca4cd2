"""The totals of a stage or of a whole tournament, from which all standings are computed.

All counting is in integers. A **half** is half an encounter won: in a game an entrant takes two halves from
each opponent that it beat, and one from each that it tied with. So a seat's score in a game of n seats is its
halves over 2(n-1), and its match score is its halves over 2n(n-1)Gb, when each of G games is played on b
boards. To add up matches at tables of any size and on any number of boards that divides B, halves are first
weighted by SHARE·B/n(n-1)b; such **points** over 2·G·B·SHARE are match scores. (If some entrants at the table
are left out of the scores, n-1 is the number of the other opponents.)

An unfinished match counts as far as it is played: with the points of its games so far, over the same part of
a match. So its games have the same weight before and after it is over.
"""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from math import lcm
from operator import add
from typing import NamedTuple

from arena.results import FAULT_REASONS

MAX_SEATS = 7
_TABLES = lcm(*range(2, MAX_SEATS + 1))
SHARE = lcm(*(n * others for n in range(2, MAX_SEATS + 1) for others in range(1, n)))
BOARD_POINTS = 2 * SHARE
"""The points of a board on which everything is won, in a unit that all boards share."""
NO_FAULTS = (0,) * len(FAULT_REASONS)


@dataclasses.dataclass(slots=True)
class EntrantTotals:
    """The totals of one entrant.

    Attributes:
        matches: the number of complete matches.
        part: for each of the games, how much of it is played in unfinished matches; a whole match has
            `Totals.whole`.
        part_games: for each of the games, how many were played in unfinished matches.
        part_of: how many games the unfinished matches have in all.
        games_each: how many games of each kind these had.
        points: its points in complete and unfinished matches (see the module).
        game_points: its points in each of the tournament's games, in their order.
        wins, draws, losses: two-seat matches won, drawn and lost.
        tops: matches at tables of any size in which no other scored as much.
        games: games played; this and the following count all games, not only complete matches.
        decisions: turns asked.
        time: the time for them, in microseconds.
        forfeits: games forfeited.
        faults: faults of each kind, by `results.FAULT_REASONS`' order.
    """

    game_points: list[int]
    part: list[int]
    part_games: list[int]
    part_of: int = 0
    matches: int = 0
    games_each: int = 0
    points: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    tops: int = 0
    games: int = 0
    decisions: int = 0
    time: int = 0
    forfeits: int = 0
    faults: tuple[int, ...] = NO_FAULTS

    def add(self, other: EntrantTotals) -> None:
        """Adds another's totals to these."""
        for name in self.__slots__:
            mine, its = getattr(self, name), getattr(other, name)
            if isinstance(mine, int):
                setattr(self, name, mine + its)
        self.game_points = list(map(add, self.game_points, other.game_points))
        self.part = list(map(add, self.part, other.part))
        self.part_games = list(map(add, self.part_games, other.part_games))
        self.faults = tuple(map(add, self.faults, other.faults))


class Pair(NamedTuple):
    """Two entrants, the lower number first, at tables at which a half has the same weight in points."""

    one: int
    other: int
    weight: int


class Against(NamedTuple):
    """The results of an entrant against another in complete matches.

    Attributes:
        games: the games in which both sat at the table.
        halves: the halves that the entrant took.
        points: the halves as points (see the module).
    """

    games: int
    halves: int
    points: int


class Totals:
    """The totals of some matches.

    Args:
        games: how many games (kinds) a match consists of.
        boards: a common multiple of the numbers of boards of all matches.

    Attributes:
        games: see above.
        unit: how many points make a match score of 1.
        whole: the parts of one game (kind) in a match, of which an unfinished match has some.
        entrants: the totals of each entrant.
        pairs: for each pair, the games in which both sat at the table and the
            halves that `one` took in them.
    """

    def __init__(self, games: int, boards: int) -> None:
        self.games = games
        self.unit = 2 * SHARE * games * boards
        self.whole = _TABLES * boards
        self.entrants: dict[int, EntrantTotals] = {}
        self.pairs: dict[Pair, tuple[int, int]] = {}
        self._against: dict[int, dict[int, Against]] | None = None  # until results are added

    def of(self, entrant: int) -> EntrantTotals:
        """The totals of an entrant, which are zero at first."""
        totals = self.entrants.get(entrant)
        if totals is None:
            none = [0] * self.games
            totals = self.entrants[entrant] = EntrantTotals(none, none.copy(), none.copy())
        return totals

    def add(self, other: Totals) -> None:
        """Adds the totals of other matches of the same tournament."""
        self._against = None
        for entrant, totals in other.entrants.items():
            self.of(entrant).add(totals)
        for pair, (games, halves) in other.pairs.items():
            mine, taken = self.pairs.get(pair, (0, 0))
            self.pairs[pair] = (mine + games, taken + halves)

    def add_match(
        self,
        entrants: tuple[int, ...],
        boards: int,
        table: int,
        by_game: tuple[tuple[int, ...], ...],
        walkover: bool = False,
    ) -> None:
        """Counts a complete match.

        Args:
            entrants: the entrants, without those that are left out.
            boards: how many boards it had for each game, each played from all seats.
            table: how many seats the table has.
            by_game: for each game the halves that the first of each pair of
                entrants (`itertools.combinations`) took from the second.
            walkover: whether it was won without play.
        """
        self._against = None
        seats, games = len(entrants), boards * table
        scored = _scored(by_game, seats, games, self.unit // 2 // self.games)
        totals = [self.of(entrant) for entrant in entrants]
        for mine, by_kind, points, is_top in zip(totals, *scored[:3], strict=True):
            mine.matches += 1
            mine.games_each += 0 if walkover else games
            mine.points += points
            mine.tops += is_top
            mine.game_points = list(map(add, mine.game_points, by_kind))
        if table == 2:
            self._count_win(totals[0], totals[1], scored.points[0] - scored.points[1])
        games *= len(by_game)
        for (one, other), taken in zip(combinations(entrants, 2), scored.halves, strict=True):
            self._meet(one, other, scored.weight, games, taken)

    def add_part(
        self,
        entrants: tuple[int, ...],
        boards: int,
        table: int,
        by_game: tuple[tuple[int, ...], ...],
        played: tuple[int, ...],
    ) -> None:
        """Counts an unfinished match, as far as it is played.

        Args:
            entrants, boards, table: see `add_match`.
            by_game: the same, of the games played so far.
            played: for each game (kind) how many of its games are played.
        """
        self._against = None
        seats, games = len(entrants), boards * table
        weight = self.unit // 2 // self.games // (games * (seats - 1))
        taken = [taken_by_each(halves, seats, count) for halves, count in zip(by_game, played, strict=True)]
        for at, entrant in enumerate(entrants):
            mine = self.of(entrant)
            mine.part_of += games * self.games
            for kind, count in enumerate(played):
                points = taken[kind][at] * weight
                mine.points += points
                mine.game_points[kind] += points
                mine.part[kind] += self.whole * count // games
                mine.part_games[kind] += count
        met = sum(played)
        for (one, other), halves in zip(
            combinations(entrants, 2), map(sum, zip(*by_game, strict=True)), strict=True
        ):
            self._meet(one, other, weight, met, halves)

    def _meet(self, one: int, other: int, weight: int, games: int, halves: int) -> None:
        """Counts the games of two entrants against each other, and the halves that `one` took."""
        if one > other:
            one, other, halves = other, one, 2 * games - halves
        pair = Pair(one, other, weight)
        met, before = self.pairs.get(pair, (0, 0))
        self.pairs[pair] = (met + games, before + halves)

    def score(self, entrant: int, game: int | None = None) -> Fraction | None:
        """The mean match score of an entrant, in all games or in one of them; None without a game."""
        mine, weight = self.of(entrant), self.weight(entrant, game)
        if not weight:
            return None
        points = mine.points if game is None else mine.game_points[game] * self.games
        return Fraction(points, self.unit) / weight

    def weight(self, entrant: int, game: int | None = None) -> Fraction:
        """How many matches of an entrant count, finished ones and parts of others, in all games or in one."""
        mine = self.of(entrant)
        kinds = range(self.games) if game is None else (game,)
        return mine.matches + Fraction(sum(mine.part[kind] for kind in kinds), self.whole * len(kinds))

    def add_unplayed(self, entrant: int, *, won: bool) -> None:
        """Counts a match without an opponent: won in full, or lost."""
        self._against = None
        mine = self.of(entrant)
        mine.matches += 1
        if won:
            mine.points += self.unit
            mine.game_points = [points + self.unit // self.games for points in mine.game_points]
            mine.wins += 1
            mine.tops += 1
        else:
            mine.losses += 1

    @staticmethod
    def _count_win(one: EntrantTotals, other: EntrantTotals, lead: int) -> None:
        if lead == 0:
            one.draws += 1
            other.draws += 1
            return
        winner, loser = (one, other) if lead > 0 else (other, one)
        winner.wins += 1
        loser.losses += 1

    def against(self) -> dict[int, dict[int, Against]]:
        """The results of every entrant against every opponent; not to be changed."""
        if self._against is None:
            self._against = self._find_against()
        return self._against

    def _find_against(self) -> dict[int, dict[int, Against]]:
        table: dict[int, dict[int, Against]] = {entrant: {} for entrant in self.entrants}
        for pair, (games, halves) in self.pairs.items():
            for me, other, taken in (
                (pair.one, pair.other, halves),
                (pair.other, pair.one, 2 * games - halves),
            ):
                before = table[me].get(other, Against(0, 0, 0))
                table[me][other] = Against(
                    before.games + games, before.halves + taken, before.points + taken * pair.weight
                )
        return table


class _Scored(NamedTuple):
    """A counted match: by entrant the points in each game, all points, and whether it alone has most.

    Attributes:
        halves: the halves that the first of each pair took from the second.
        weight: the points of a half.
    """

    by_game: tuple[tuple[int, ...], ...]
    points: tuple[int, ...]
    tops: tuple[bool, ...]
    halves: tuple[int, ...]
    weight: int


@lru_cache(1 << 14)  # many matches have the same result
def _scored(by_game: tuple[tuple[int, ...], ...], seats: int, games: int, share: int) -> _Scored:
    """See `Totals.add_match`; `share` is half of the points of one kind of game."""
    weight = share // (games * (seats - 1))
    each = [[taken * weight for taken in taken_by_each(halves, seats, games)] for halves in by_game]
    by_entrant = tuple(zip(*each, strict=True))
    points = tuple(map(sum, by_entrant))
    best = max(points)
    alone = points.count(best) == 1
    return _Scored(
        by_entrant,
        points,
        tuple(alone and scored == best for scored in points),
        tuple(map(sum, zip(*by_game, strict=True))),
        weight,
    )


def taken_by_each(halves: tuple[int, ...], seats: int, games: int) -> list[int]:
    """The halves that each entrant took from all others together.

    Args:
        halves: the halves that the first of each pair (`itertools.combinations`) took from the second.
        seats: how many entrants there are.
        games: the number of games.
    """
    if seats == 2:
        return [halves[0], 2 * games - halves[0]]
    taken = [0] * seats
    for (one, other), half in zip(combinations(range(seats), 2), halves, strict=True):
        taken[one] += half
        taken[other] += 2 * games - half
    return taken
