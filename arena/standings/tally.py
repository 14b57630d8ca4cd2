"""Counts the results of games, in any order and in one pass, for all standings.

Games are folded into duplicate groups (the games of one board, one from every rotation), groups into matches,
and matches into totals. A group or a match counts when it is complete, and then its parts are dropped: the
tally keeps data per pair of entrants, per finished match (its entrants and scores) and per kind of group, but
nothing per game. Extra boards count for the match result, the ratings, and the numbers of faults and times;
scores and encounters are of the regular boards. Standings also count unfinished matches, as far as they are
played.
"""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import lcm
from operator import add
from types import MappingProxyType
from typing import NamedTuple

from arena.results import BoardResult, Conduct, GameKey, MatchKey, MatchResult, halves
from arena.standings.totals import BOARD_POINTS, MAX_SEATS, NO_FAULTS, Totals, taken_by_each
from arena.standings.values import Unfinished

Halves = tuple[int, ...]
"""For each pair of a match's entrants, in the order of `itertools.combinations`,
the halves (see `totals`) that the first took from the second."""

_MatchKey = tuple[int, int, int]
"""The beginning of a game's key: like a MatchKey, but faster to make."""


_NOBODY: Mapping[int, Collection[int]] = MappingProxyType({})
_NOTHING: Mapping[int, Sequence[tuple[int, int]]] = MappingProxyType({})


class DuplicateGroup(NamedTuple):
    """The results of a duplicate group. Many groups are alike, so they are counted by kind.

    Attributes:
        entrants: the entrants; the group has as many games, one from every rotation.
        halves: for each pair of them, in the order of `itertools.combinations`, the halves that the first
            took from the second: two for each game in which it was ahead, one for each tie.
    """

    entrants: tuple[int, ...]
    halves: Halves


class _Board(NamedTuple):
    """A board so far: its counted rotations (a bit each), and the sum of their halves."""

    rotations: int
    halves: Halves


_one_of_its_kind = functools.lru_cache(1 << 12)(_Board)
"""Makes such a board: most boards are alike, and a match may have a hundred thousand of them."""


class _OpenMatch:
    """The boards of a match by game and board number; `complete` of them have all rotations."""

    __slots__ = ("boards", "complete", "entrants")

    def __init__(self, entrants: tuple[int, ...]) -> None:
        self.entrants = entrants
        self.boards: dict[tuple[str, int], _Board] = {}
        self.complete = 0


class Tally:
    """The results of a tournament so far.

    Args:
        games: the ids of the tournament's games.
        boards: how many boards a match has for each game; boards with higher numbers are extra boards.
        left_out: for a stage, the entrants that its scores leave out; their games count for the ratings, and
            for the numbers of faults and times.
        added: for a stage, pairs of a round and a number of boards that its matches have in addition from
            that round on.
        timed: whether the results of matches have the times of their entrants.

    Attributes:
        groups: for each game, the number of complete duplicate groups of each kind.
        played: how many games were counted.
        unplayed: the rounds without a match that count (stage, round and entrant), and whether each is won.
        walkovers: the matches won without play, with the number of games of each that were played.
        broken_ties: the winners of tied matches whose next extra board was won without play.
        rounds_begun: the number of the last round of which a game was counted, plus 1.
        live_results: the results of all finished matches, which grow with the tally.

    Raises:
        ValueError: there are no games or no boards.
    """

    def __init__(
        self,
        games: Sequence[str],
        boards: int,
        left_out: Mapping[int, Collection[int]] = _NOBODY,
        added: Mapping[int, Sequence[tuple[int, int]]] = _NOTHING,
        *,
        timed: bool = False,
    ) -> None:
        if not games or boards < 1:
            raise ValueError("a match is of at least one game on at least one board")
        self.games = tuple(games)
        self.boards = boards
        self.groups: dict[str, Counter[DuplicateGroup]] = {game: Counter() for game in games}
        self.timed = timed
        self.played = 0
        self._left_out = left_out
        self._added = added
        firsts = [(stage, first) for stage, more in added.items() for first, _ in more]
        # Matches of different lengths add up in units that divide all of them.
        self._parts = lcm(boards, *(self.boards_of((stage, first, 0)) for stage, first in firsts))
        self._stages: dict[int, Totals] = {}
        self._open: dict[_MatchKey, _OpenMatch] = {}
        self._extra: dict[_MatchKey, _OpenMatch] = {}
        self._finished: dict[_MatchKey, tuple[tuple[int, ...], Halves]] = {}
        self.walkovers: dict[MatchKey, int] = {}
        self.broken_ties: dict[MatchKey, int] = {}
        self.unplayed: dict[tuple[int, int, int], bool] = {}
        self._finished_of = Counter[int]()  # how many matches of each stage
        self._finished_in: dict[int, list[_MatchKey]] = {}  # the matches by round, of any stage
        self._times: dict[_MatchKey, dict[int, int]] = {}
        self.rounds_begun = 0
        self.live_results = _LiveResults(self)

    def boards_of(self, key: _MatchKey) -> int:
        """How many regular boards a match has for each game."""
        added = self._added.get(key[0])
        if added is None:
            return self.boards
        return self.boards + sum(more for first, more in added if key[1] >= first)

    def add_board(self, result: BoardResult) -> None:
        """Counts games of a board: all or some of its rotations.

        Raises:
            ValueError: a game was counted before, is not one of the
                tournament's, or does not fit the other games of its match.
        """
        stage, round_, match_number, game, board_number, entrants, places = result
        key = stage, round_, match_number
        boards = self.boards_of(key)
        self.rounds_begun = max(self.rounds_begun, round_ + 1)
        matches = self._open if board_number < boards else self._extra
        match = matches.get(key)
        if match is None:
            match = matches[key] = self._start(result)
        if match.entrants != entrants or game not in self.groups:
            raise ValueError(
                f"game {_game_key(result)} of {entrants} does not fit a match of {self.games} "
                f"of {match.entrants}"
            )
        rotations, halves = _board(places)
        before = match.boards.get((game, board_number))
        if before is not None:
            if twice := before.rotations & rotations:
                raise ValueError(f"game {_game_key(result, twice)} is in the results twice")
            rotations |= before.rotations
            halves = tuple(map(add, before.halves, halves))
        match.boards[game, board_number] = _one_of_its_kind(rotations, halves)
        self.played += len(places)
        if rotations == (1 << len(entrants)) - 1:
            self.groups[game][DuplicateGroup(entrants, halves)] += 1
            match.complete += 1
            if match.complete == len(self.games) * boards and matches is self._open:
                self._finish(key)

    def points_on(self, result: BoardResult) -> dict[int, int]:
        """The points of each entrant on a board; empty of a board that does not count for scores.

        Those of an entrant that wins everything are `BOARD_POINTS`. Boards that are not complete, extra
        boards, and boards of matches that are won without play have none.
        """
        key = result[:3]
        if result.board >= self.boards_of(key) or key not in self._finished or key in self.walkovers:
            return {}
        rotations, taken = _board(result.places)
        seats = len(result.entrants)
        there, (halves,) = self._kept(key, result.entrants, [taken])
        if rotations != (1 << seats) - 1 or len(there) < 2:
            return {}
        weight = BOARD_POINTS // (2 * seats * (len(there) - 1))
        return {
            entrant: each * weight
            for entrant, each in zip(there, taken_by_each(halves, len(there), seats), strict=True)
        }

    def add_conduct(self, conduct: Conduct) -> None:
        """Counts the decisions, times and faults of an entrant in some games.

        The results of matches have its times if the games are of one match.
        """
        if self.timed and conduct.match is not None:
            so_far = self._times.setdefault(conduct.match, {})
            so_far[conduct.entrant] = so_far.get(conduct.entrant, 0) + conduct.time
        totals = self._stage(conduct.stage).of(conduct.entrant)
        totals.games += conduct.games
        totals.decisions += conduct.decisions
        totals.time += conduct.time
        if conduct.forfeits or conduct.faults != NO_FAULTS:
            totals.forfeits += conduct.forfeits
            totals.faults = tuple(map(add, totals.faults, conduct.faults))

    def add_walkover(self, key: MatchKey, entrants: tuple[int, int], winner: int) -> None:
        """Counts a two-seat match as won without play, even if some of its games were played.

        Args:
            key: the match.
            entrants: its entrants.
            winner: the entrant that gets all points.
        """
        begun = self._open.pop(key, None)
        boards = begun.boards.values() if begun is not None else ()
        self.walkovers[key] = sum(board.rotations.bit_count() for board in boards)
        taken = 4 * self.boards_of(key) * (winner == entrants[0])
        self._count(key, entrants, [(taken,)] * len(self.games), walkover=True)
        self._set_finished(key, entrants, (taken * len(self.games),))

    def break_tie(self, key: MatchKey, winner: int) -> None:
        """Counts the next extra board of a finished two-seat match as won without play."""
        self.broken_ties[key] = winner

    def add_unplayed(self, stage: int, round_: int, entrant: int, *, won: bool) -> None:
        """Counts a round in which an entrant has no match, once: as a match won in full or lost."""
        if (stage, round_, entrant) not in self.unplayed:
            self.unplayed[stage, round_, entrant] = won
            self._stage(stage).add_unplayed(entrant, won=won)

    def has(self, key: GameKey) -> bool:
        """Whether a game was counted, or its match ended without it."""
        match_key = key[:3]
        regular = key.board < self.boards_of(match_key)
        if regular and match_key in self._finished:
            return True
        match = (self._open if regular else self._extra).get(match_key)
        board = None if match is None else match.boards.get((key.game, key.board))
        return board is not None and bool(board.rotations >> key.rotation & 1)

    def has_begun(self, key: MatchKey) -> bool:
        """Whether any game of a match was counted."""
        return any(key in matches for matches in (self._open, self._finished, self._extra))

    def begun(self, first: int = 0) -> Iterator[tuple[MatchKey, tuple[int, ...]]]:
        """The matches of which games were counted, from a round on, and their entrants."""
        for round_, keys in self._finished_in.items():
            if round_ >= first:
                yield from ((MatchKey(*key), self._finished[key][0]) for key in keys)
        for key, match in self._open.items():
            if key[1] >= first:
                yield MatchKey(*key), match.entrants

    def has_extra(self, key: MatchKey) -> bool:
        """Whether any game of a match on an extra board was counted."""
        return key in self._extra

    def extra_played(self, stage: int) -> int:
        """How many games of a stage on extra boards were counted."""
        return sum(self.extra_games(MatchKey(*key)) for key in self._extra if key[0] == stage)

    def extra_games(self, key: MatchKey) -> int:
        """How many games of a match on extra boards were counted."""
        match = self._extra.get(key)
        return sum(board.rotations.bit_count() for board in match.boards.values()) if match else 0

    def result(self, key: MatchKey) -> MatchResult | None:
        """The result of a match, with its finished extra boards; None if its regular games are not over."""
        finished = self._finished.get(key)
        if finished is None:
            return None
        entrants, halves = finished
        return MatchResult(
            entrants,
            self._scores(entrants, halves, len(self.games) * self.boards_of(key)),
            tuple(self._extra_scores(key)) if key in self._extra or key in self.broken_ties else (),
            key in self.walkovers or key in self.broken_ties,
            tuple([self._times[key].get(entrant, 0) for entrant in entrants]) if key in self._times else (),
        )

    def totals(self, stage: int | None = None, *, unfinished: bool = False) -> Totals:
        """The totals of a stage, or of the whole tournament; they may grow with the tally.

        `unfinished`: whether unfinished matches count too, as far as they are played.
        """
        wanted = [totals for number, totals in self._stages.items() if stage in (None, number)]
        begun = [key for key in self._open if stage in (None, key[0])] if unfinished else []
        if len(wanted) == 1 and not begun:
            return wanted[0]
        whole = Totals(len(self.games), self._parts)
        for totals in wanted:
            whole.add(totals)
        for key in begun:
            self._count_part(whole, key)
        return whole

    def unfinished(self, stage: int) -> dict[MatchKey, Unfinished]:
        """How far the matches of a stage are that have begun and are not finished."""
        return {
            MatchKey(*key): Unfinished(
                sum(board.rotations.bit_count() for board in match.boards.values()),
                self.boards_of(key) * len(self.games) * len(match.entrants),
            )
            for key, match in self._open.items()
            if key[0] == stage
        }

    def results(self, stage: int | None = None, before: int | None = None) -> dict[MatchKey, MatchResult]:
        """The results of the finished matches of a stage, or of the whole tournament.

        A result includes an extra board when all games of it are over.

        Args:
            stage: the number of the stage; None for all.
            before: only matches of rounds before this one are included; None for all.
        """
        return {
            MatchKey(*key): result
            for key in self._finished
            if (stage is None or stage == key[0])
            and (before is None or key[1] < before)
            and (result := self.result(MatchKey(*key))) is not None
        }

    def played_matches(self, stage: int) -> list[MatchKey]:
        """The finished matches of a stage, without walkovers."""
        keys = [MatchKey(*key) for key in self._finished if key[0] == stage]
        return [key for key in keys if key not in self.walkovers]

    def matches_finished(self, stage: int) -> int:
        """The number of finished matches of a stage: the length of its `results`, but faster."""
        return self._finished_of[stage]

    def matches_played(self, stage: int, entrant: int) -> int:
        """The number of finished matches of a stage that an entrant has played, without walkovers."""
        return sum(
            key[0] == stage and entrant in entrants and key not in self.walkovers
            for key, (entrants, _) in self._finished.items()
        )

    def by_steps(self, stage: int, steps: Sequence[Collection[int]]) -> Iterator[Tally]:
        """The matches of a stage as one tally that grows from step to step; a step is some rounds.

        It counts all games of a match as one game, so it has the same match scores and tie-breaks, but no
        scores of single games. It has no decisions and no faults.
        """
        kinds = len(self.games)
        added = {stage: [(first, kinds * more) for first, more in self._added.get(stage, ())]}
        grown = Tally(("all",), kinds * self.boards, self._left_out, added)
        finished: dict[int, list[_MatchKey]] = {}
        for key in self._finished:
            if key[0] == stage:
                finished.setdefault(key[1], []).append(key)
        begun: dict[int, list[_MatchKey]] = {}
        for key in self._open:
            if key[0] == stage:
                begun.setdefault(key[1], []).append(key)
        unplayed: dict[int, list[tuple[int, bool]]] = {}
        for (number, round_, entrant), won in self.unplayed.items():
            if number == stage:
                unplayed.setdefault(round_, []).append((entrant, won))
        for rounds in steps:
            for round_ in rounds:
                for key in finished.get(round_, ()):
                    entrants, halves = self._finished[key]
                    walkover = MatchKey(*key) in self.walkovers
                    if walkover:
                        grown.walkovers[MatchKey(*key)] = 0
                    grown._count(key, entrants, [halves], walkover)
                    grown._set_finished(key, entrants, halves)
                for key in begun.get(round_, ()):
                    grown._open[key] = self._as_one_game(key)
                for entrant, won in unplayed.get(round_, ()):
                    grown.add_unplayed(stage, round_, entrant, won=won)
            yield grown

    def _as_one_game(self, key: _MatchKey) -> _OpenMatch:
        """An unfinished match with the boards of all its games as boards of one game."""
        match, boards = self._open[key], self.boards_of(key)
        one = _OpenMatch(match.entrants)
        for (game, number), board in match.boards.items():
            one.boards["all", boards * self.games.index(game) + number] = board
        return one

    def all_groups(self) -> Counter[DuplicateGroup]:
        """The number of complete duplicate groups of each kind in all games together."""
        return sum(self.groups.values(), Counter())

    def _start(self, result: BoardResult) -> _OpenMatch:
        """Begins a match with its first board, or its first extra board."""
        entrants = result.entrants
        if result.board < self.boards_of(result[:3]) and result[:3] in self._finished:
            raise ValueError(f"game {_game_key(result)} is in the results twice")
        if not 2 <= len(entrants) <= MAX_SEATS or len(set(entrants)) < len(entrants):
            raise ValueError(
                f"game {_game_key(result)} is of {entrants}: 2 to {MAX_SEATS} different entrants play a game"
            )
        return _OpenMatch(entrants)

    def _stage(self, number: int) -> Totals:
        totals = self._stages.get(number)
        if totals is None:
            totals = self._stages[number] = Totals(len(self.games), self._parts)
        return totals

    def _finish(self, key: _MatchKey) -> None:
        match = self._open.pop(key)
        boards = range(self.boards_of(key))
        by_game = tuple([_sum([match.boards[game, board].halves for board in boards]) for game in self.games])
        self._count(key, match.entrants, by_game)
        self._set_finished(key, match.entrants, _sum(by_game))

    def _set_finished(self, key: _MatchKey, entrants: tuple[int, ...], halves: Halves) -> None:
        self._finished[key] = entrants, halves
        self._finished_in.setdefault(key[1], []).append(key)
        self._finished_of[key[0]] += 1

    def _count(
        self, key: _MatchKey, entrants: tuple[int, ...], by_game: Sequence[Halves], walkover: bool = False
    ) -> None:
        """Adds a match to the totals of its stage, without the entrants that are left out."""
        there, counted = self._kept(key, entrants, by_game)
        if len(there) > 1:
            self._stage(key[0]).add_match(there, self.boards_of(key), len(entrants), counted, walkover)

    def _count_part(self, totals: Totals, key: _MatchKey) -> None:
        """Adds an unfinished match to some totals, without the entrants that are left out."""
        match = self._open[key]
        none = (0,) * len(list(combinations(match.entrants, 2)))
        by_game, played = [], []
        for game in self.games:
            boards = [board for (kind, _), board in match.boards.items() if kind == game]
            by_game.append(_sum([none, *(board.halves for board in boards)]))
            played.append(sum(board.rotations.bit_count() for board in boards))
        there, counted = self._kept(key, match.entrants, by_game)
        if len(there) > 1:
            totals.add_part(there, self.boards_of(key), len(match.entrants), counted, tuple(played))

    def _kept(
        self, key: _MatchKey, entrants: tuple[int, ...], by_game: Sequence[Halves]
    ) -> tuple[tuple[int, ...], tuple[Halves, ...]]:
        """The entrants of a match that are not left out, and the halves of their pairs in each game."""
        left_out = self._left_out.get(key[0])
        if not left_out:
            return entrants, tuple(by_game)
        pairs = enumerate(combinations(entrants, 2))
        kept = [at for at, pair in pairs if not any(entrant in left_out for entrant in pair)]
        there = tuple([entrant for entrant in entrants if entrant not in left_out])
        return there, tuple([tuple([halves[at] for at in kept]) for halves in by_game])

    def _extra_scores(self, key: _MatchKey) -> Iterator[tuple[Fraction, ...]]:
        """The scores on each finished extra board, and on one that was won without play."""
        entrants = self._finished[key][0]
        match = self._extra.get(key)
        complete = (1 << len(entrants)) - 1
        for number in itertools.count(self.boards_of(key)):
            if match is None:
                break
            boards = [match.boards.get((game, number)) for game in self.games]
            over = [board.halves for board in boards if board is not None and board.rotations == complete]
            if len(over) < len(boards):
                break
            yield self._scores(entrants, _sum(over), len(boards))
        winner = self.broken_ties.get(MatchKey(*key))
        if winner is not None:
            yield tuple([Fraction(entrant == winner) for entrant in entrants])

    @staticmethod
    def _scores(entrants: tuple[int, ...], halves: Halves, groups: int) -> tuple[Fraction, ...]:
        """The mean score of each entrant over some duplicate groups."""
        seats = len(entrants)
        most = 2 * (seats - 1) * groups * seats
        return tuple(Fraction(taken, most) for taken in taken_by_each(halves, seats, groups * seats))


class _LiveResults(Mapping[MatchKey, MatchResult]):
    """The results of the finished matches of a tally: each is made when it is asked for."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally

    def __getitem__(self, key: MatchKey) -> MatchResult:
        result = self._tally.result(key)
        if result is None:
            raise KeyError(key)
        return result

    def __iter__(self) -> Iterator[MatchKey]:
        return iter(self._tally.results())

    def __len__(self) -> int:
        return len(self._tally.results())


def _sum(rows: Iterable[Halves]) -> Halves:
    return tuple(map(sum, zip(*rows, strict=True)))


@functools.lru_cache(1 << 16)
def _board(places: tuple[tuple[int, tuple[int, ...]], ...]) -> _Board:
    """A board, from the places in its games."""
    rotations = sum(1 << rotation for rotation, _ in places)
    return _Board(rotations, _sum([_halves(each) for _, each in places]))


def _halves(places: tuple[int, ...]) -> Halves:
    """The halves of one game, from the places of the match's entrants."""
    return tuple(halves(one, (other,)) for one, other in combinations(places, 2))


def _game_key(result: BoardResult, rotations: int = 0) -> GameKey:
    """The first game of a board, or the first of some rotations (a bit each)."""
    first = (rotations & -rotations).bit_length() - 1 if rotations else result.places[0][0]
    return GameKey(*result[:5], first)
