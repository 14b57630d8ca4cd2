"""Double elimination: an entrant that has lost two matches is out.

Entrants without a loss play in the winners' bracket, which is the bracket of a knockout. The losers of its
matches drop into the losers' bracket, and are out with their second loss. The winners of both brackets meet
in the grand final. If the winner of the losers' bracket wins it, both have lost once, and they meet again.

The losers' bracket has pairs of rounds. In the first round of a pair, neighbours meet. In the second, the
losers of the next winners' round drop in, crosswise: the loser of match i (from 0, top to bottom) meets the
entrant at the place whose number is i with some binary digits flipped, the same digits for the whole round.
Two entrants at the same place meet at once. If their places differ in a binary number of n digits (the XOR of
both), they meet n rounds of neighbours later. The digits of each drop are chosen so that entrants meet again
as late as possible: first those that met in the last round, then those of the round before, and so on; among
equal choices the largest number is taken. So the first drop is in reverse order, as is usual.

If the number of entrants is no power of two, some places of the first winners' round are empty: the best
seeds have byes there. In the losers' bracket an entrant without an opponent goes on.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Self

from arena.formats.bracket import DrawnRound, From, Layout, RoundLayout, Source, TableAt, TablePlan
from arena.formats.elimination import MAX_EXTRA_BOARDS, Came, Elimination
from arena.formats.format import NOBODY, Added, Format, Gone, Results, Stage, with_late
from arena.formats.knockout import plan
from arena.strict_toml import Section

MIN_ENTRANTS = 3

_Pair = tuple[Source | None, Source | None]
"""The sources of two entrants that meet; None for a place that stays empty."""


@dataclasses.dataclass(frozen=True, slots=True)
class DoubleEliminationFormat(Format):
    """A double elimination.

    Attributes:
        extra_boards: the most extra boards that may break a tie; then the seed does.
    """

    id = "double-elimination"
    title = "double elimination"
    keys = ("extra_boards",)
    draws_bracket = True

    extra_boards: int

    @classmethod
    def read(cls, table: Section, entrants: int, seats: int) -> Self:
        if seats != 2:
            table.fail(
                f"a double elimination needs tables of 2 seats, not {seats}: at larger tables nobody can say "
                "which entrant has lost; take a knockout"
            )
        if entrants < MIN_ENTRANTS:
            table.fail(
                f"a double elimination needs at least {MIN_ENTRANTS} entrants, but {entrants} enter: "
                "add entrants or take a knockout"
            )
        return cls(entrants, seats, extra_boards=table.number("extra_boards", 3, 0, MAX_EXTRA_BOARDS))

    def stage(self, number: int, entrants: Sequence[int], gone: Gone = NOBODY, changes: Added = ()) -> Stage:
        return DoubleElimination(number, with_late(entrants, changes), self.extra_boards)


class DoubleElimination(Elimination):
    """A seeded double elimination at two-seat tables.

    The last round, the second match of the grand final, is played only if the first leaves both with one
    loss.

    Args:
        number, entrants: see `Stage`; at least 3.
        extra_boards: how many extra boards may break a tie in a match.
    """

    may_need_more = True

    def __init__(self, number: int, entrants: Sequence[int], extra_boards: int = 0) -> None:
        remedy = "let more entrants advance to the double elimination"
        super().__init__(
            number,
            entrants,
            MIN_ENTRANTS,
            remedy,
            lambda count: _LayoutMaker(count).layout(),
            2,
            extra_boards,
        )
        self._grand_final = TableAt(self.round_count - 2, 0)

    @property
    def match_count(self) -> int:
        """The matches that are always played: all but the winner lose two, and the winner may lose none."""
        return super().match_count - 1

    @property
    def seat_count(self) -> int:
        """How many seats these matches have together."""
        return 2 * self.match_count

    def further_matches(self, results: Results) -> int:
        """1 if the grand final needs a second match, else 0."""
        return self.rounds_needed(self.came(results)) - self._grand_final.round - 1

    def rounds_needed(self, came: Came) -> int:
        unbeaten, _ = self.plan(self._grand_final).sources
        winner = came.get(From(*self._grand_final, 0))
        return self.round_count - (winner is None or winner == came[unbeaten])


def crossings(winners_rounds: int) -> tuple[int, ...]:
    """For each winners' round from the second on, the binary digits to flip in the places of its losers.

    Args:
        winners_rounds: how many rounds the winners' bracket has, at least 2.
    """
    chosen: list[int] = []
    for to_come in range(winners_rounds - 2, -1, -1):
        # The places of the entrants beaten before, relative to the place of their round: last round first.
        beaten = [digits >> age for age, digits in enumerate(reversed(chosen), start=1)] + [0]
        chosen.append(_farthest(1 << to_come, beaten))
    return tuple(chosen)


def _farthest(places: int, beaten: Sequence[int]) -> int:
    return max(range(places), key=lambda digits: ([(digits ^ each).bit_length() for each in beaten], digits))


class _LayoutMaker:
    """Makes a layout, round by round.

    A winners' round is played at the same time as the losers' round after which its losers drop in.
    """

    def __init__(self, entrants: int) -> None:
        self._entrants = entrants
        self._rounds: list[RoundLayout] = []
        self._winners: list[DrawnRound] = []
        self._losers: list[DrawnRound] = []

    def layout(self) -> Layout:
        """The whole layout."""
        size = (self._entrants - 1).bit_length()
        seeds = plan(1 << size, 2, 1)[0].tables  # as if no place were empty
        first = [(one, other if other < self._entrants else None) for one, other in seeds]
        up, left = self._play(0, first, self._winners, "winners' round 1")
        for number, digits in enumerate(crossings(size), start=1):
            final = number == size - 1
            name = "winners' final" if final else f"winners' round {number + 1}"
            up, down = self._play(2 * number - 1, _neighbours(up), self._winners, name)
            left = self._lose(2 * number - 1, _neighbours(left))
            drops = [(down[place ^ digits], each) for place, each in enumerate(left)]
            left = self._lose(2 * number, drops, final=final)
        finals: list[DrawnRound] = []
        (winner,), (loser,) = self._play(2 * size - 1, [(up[0], left[0])], finals, "grand final", prize=1)
        self._play(2 * size, [(winner, loser)], finals, "grand final, second match", prize=1)
        return Layout(tuple(self._rounds), (*self._winners, *self._losers, *finals))

    def _lose(self, number: int, pairs: Sequence[_Pair], *, final: bool = False) -> list[Source | None]:
        """Adds a losers' round; returns who is left. A first round without any match is left out."""
        if not any(None not in pair for pair in pairs):
            return [one if other is None else other for one, other in pairs]
        name = "losers' final" if final else f"losers' round {len(self._losers) + 1}"
        return self._play(number, pairs, self._losers, name)[0]

    def _play(
        self,
        number: int,
        pairs: Sequence[_Pair],
        drawn: list[DrawnRound],
        name: str,
        prize: int | None = None,
    ) -> tuple[list[Source | None], list[Source | None]]:
        """Adds a round of one bracket to a round of the stage; returns its winners and losers, by place."""
        matches = sum(None not in pair for pair in pairs)
        before = self._rounds.pop() if number < len(self._rounds) else RoundLayout("", ())
        tables, byes = list(before.tables), list(before.byes)
        items: list[TableAt | Source] = []
        winners: list[Source | None] = []
        losers: list[Source | None] = []
        for one, other in pairs:
            if one is None or other is None:
                lucky = one if other is None else other
                winners.append(lucky)
                losers.append(None)
                if lucky is not None:
                    byes.append(lucky)
                    items.append(lucky)
                continue
            at = TableAt(number, len(tables))
            label = name if matches == 1 else f"{name}, match {len(tables) - len(before.tables) + 1}"
            tables.append(TablePlan(label, (one, other), prize=prize))
            items.append(at)
            winners.append(From(*at, 0))
            losers.append(From(*at, 1))
        label = f"{before.label}, {name}" if before.label else name
        self._rounds.append(RoundLayout(label, tuple(tables), tuple(byes)))
        drawn.append(DrawnRound(name, tuple(items)))
        return winners, losers


def _neighbours(places: Sequence[Source | None]) -> list[_Pair]:
    return list(zip(places[::2], places[1::2], strict=True))
