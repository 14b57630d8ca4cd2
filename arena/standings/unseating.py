"""What would unseat the winner: the fewest boards without which another entrant has a higher score.

A **board** here is one of a match: all its games, one from every seat, as the host annuls them. Without a
board, its match counts as far as it is played otherwise, as an unfinished match does. So an entrant's score
is the mean over its boards that are left, and over what counts without play (walkovers, byes). All boards
have the same weight. The pairings stay as they were, also those of a Swiss, which depend on results.

*Why no fewer boards do it.* Say that x boards go that only the winner played, y that only the rival played,
and z that both did. Then it is settled how many boards each of the two has left. So the difference of their
scores is linear in the scores of the boards that go. It is greatest if the x are the winner's best, the y the
rival's worst, and the z the first ones in the order by (winner's score / its boards left - rival's score /
its boards left). That order depends only on the ratio of the two numbers of boards. It changes where two
kinds of boards are level in it. So there are few orders, and a single one at two-seat tables, where one takes
what the other loses. For an order and z, the winner's mean falls with each further board as long as that is
above it, and then not any more; the rival's mean rises likewise. So two pointers find the least x + y. All
orders, all z and all rivals are tried.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import accumulate, combinations, pairwise
from typing import NamedTuple

from arena.results import GameKey

MOST = 100
"""So many boards are tried: whether more of them would do is of little interest, and takes long."""

Points = Mapping[int, int]
"""The points of each entrant on a board, in a unit that all boards share."""


class Whole(NamedTuple):
    """All that counts for an entrant, also without play: its points, and for how many boards."""

    points: int
    boards: int


class Unseating(NamedTuple):
    """The fewest boards without which another entrant has a higher score than the winner.

    Attributes:
        winner: the entrant with the first place.
        rival: the other one; None if no `MOST` boards or fewer do that.
        boards: these boards, each as its first game; none if the two have the same score.
        of: how many boards there are.
    """

    winner: int
    rival: int | None
    boards: tuple[GameKey, ...]
    of: int


def contenders(whole: Mapping[int, Whole], ranked: Sequence[int], full: int) -> list[int]:
    """The winner, and the rivals that `MOST` boards might bring ahead; only their boards matter.

    The others stay behind even if the winner had all points of so many boards, and the rival none.

    Args:
        whole: for each entrant all that counts.
        ranked: the entrants with a score, by rank; the first one is the winner.
        full: the points of a board on which everything is won.
    """
    winner, *rivals = ranked
    mine = whole[winner]
    least = mine.points - MOST * full, mine.boards - MOST

    def may_be_ahead(rival: int) -> bool:
        its = whole[rival]
        few = min(mine.boards, its.boards) <= MOST
        return few or _is_ahead((its.points, its.boards - MOST), least)

    return [winner, *filter(may_be_ahead, rivals)]


def unseating(
    boards: Mapping[GameKey, Points], whole: Mapping[int, Whole], ranked: Sequence[int], of: int
) -> Unseating:
    """What would unseat the winner (see the module). Of rivals with equally few boards the better one counts.

    Args:
        boards: the points on each board of the `ranked`.
        whole: for each entrant all that counts.
        ranked: the winner, and the other entrants with a score by rank; the `contenders` are enough.
        of: how many boards there are.
    """
    of_each: dict[int, dict[GameKey, int]] = {entrant: {} for entrant in ranked}
    for board, points in boards.items():
        for entrant in of_each.keys() & points.keys():
            of_each[entrant][board] = points[entrant]
    winner, *rivals = ranked
    fewest: tuple[GameKey, ...] = ()
    unseats: int | None = None
    for rival in rivals:
        duel = _Duel(of_each[winner], of_each[rival], (whole[winner], whole[rival]))
        if duel.level:
            return Unseating(winner, rival, (), of)
        found = duel.fewest(MOST if unseats is None else len(fewest) - 1)
        if found is not None:
            fewest, unseats = found, rival
    return Unseating(winner, unseats, fewest, of)


class _Side(NamedTuple):
    """An entrant with some boards left: its points, how many boards, and its own ones as they would go.

    Attributes:
        points, boards: its points and boards without those of both that go.
        own: the points of the boards that only it played, in the order in which they go.
        gone: the points of the first 0, 1, 2 ... of these.
    """

    points: int
    boards: int
    own: Sequence[int]
    gone: Sequence[int]

    def less(self, points: int, boards: int) -> _Side:
        """The same without boards of both."""
        return self._replace(points=self.points - points, boards=self.boards - boards)

    def without(self, number: int) -> tuple[int, int]:
        """The points and the boards that are left when so many of its own go."""
        return self.points - self.gone[number], self.boards - number

    def useful(self, most: int, sign: int) -> int:
        """How many of its own boards, at most, move its mean: up with sign 1, down with -1."""
        for number, points in enumerate(self.own[:most]):
            left, boards = self.without(number)
            if sign * (left - points * boards) <= 0:
                return number
        return min(most, len(self.own))


def _side(points: Mapping[GameKey, int], own: Sequence[GameKey], whole: Whole) -> _Side:
    """A side with all its boards; `own`: those that only it played, in order."""
    ordered = [points[board] for board in own]
    return _Side(whole.points, whole.boards, ordered, [*accumulate(ordered, initial=0)])


class _Duel:
    """The boards of the winner and a rival.

    Args:
        mine: the points of the winner on each of its boards.
        its: those of the rival.
        wholes: all that counts for the winner, and for the rival.
    """

    def __init__(
        self, mine: Mapping[GameKey, int], its: Mapping[GameKey, int], wholes: tuple[Whole, Whole]
    ) -> None:
        self._both = {board: (points, its[board]) for board, points in mine.items() if board in its}
        self._mine = sorted((board for board in mine if board not in its), key=lambda board: -mine[board])
        self._its = sorted((board for board in its if board not in mine), key=its.__getitem__)
        self._winner = _side(mine, self._mine, wholes[0])
        self._rival = _side(its, self._its, wholes[1])

    @property
    def level(self) -> bool:
        """Whether the two have the same score."""
        winner, rival = self._winner.without(0), self._rival.without(0)
        return not _is_ahead(winner, rival) and not _is_ahead(rival, winner)

    def fewest(self, most: int) -> tuple[GameKey, ...] | None:
        """The fewest boards without which the rival is ahead; None if that takes more than `most`."""
        ratio = Fraction(self._winner.boards, self._rival.boards)
        found = self._search([self._order(ratio)], most)
        if found is not None:
            most = len(found) - 1
        return self._search(self._orders(most), most) or found

    def _search(self, orders: Sequence[Sequence[GameKey]], most: int) -> tuple[GameKey, ...] | None:
        """The same, if the boards of both go in one of these orders."""
        best: tuple[GameKey, ...] | None = None
        sums = [
            [*accumulate((self._both[each] for each in order[:most]), _plus, initial=(0, 0))]
            for order in orders
        ]
        for shared in range(min(most, len(self._both), self._winner.boards - 1, self._rival.boards - 1) + 1):
            choices = {gone[shared]: order for gone, order in zip(sums, orders, strict=True)}
            # Boards with the most points of the one and the fewest of the other need not be there.
            easiest = max(mine for mine, _ in choices), min(its for _, its in choices)
            if len(choices) > 1 and self._fewest_with(easiest, shared, most) is None:
                continue
            for gone, order in choices.items():
                found = self._fewest_with(gone, shared, most)
                if found is not None:
                    mine, its = found
                    best = (*order[:shared], *self._mine[:mine], *self._its[:its])
                    most = len(best) - 1
        return None if best is None else tuple(sorted(best))

    def _fewest_with(self, gone: tuple[int, int], shared: int, most: int) -> tuple[int, int] | None:
        """The fewest own boards of each that go if so many of both do, with these points of the two."""
        if shared > most:
            return None
        return _fewest_own(
            self._winner.less(gone[0], shared), self._rival.less(gone[1], shared), most - shared
        )

    def _orders(self, most: int) -> list[list[GameKey]]:
        """The orders in which boards of both go, for all numbers of boards that may be left to the two."""
        winner, rival = self._winner.boards, self._rival.boards
        low, high = Fraction(max(winner - most, 1), rival), Fraction(winner, max(rival - most, 1))
        level = {
            Fraction(mine - other, its - another)
            for (mine, its), (other, another) in combinations({*self._both.values()}, 2)
            if its != another
        }
        ends = [low, *sorted(ratio for ratio in level if low < ratio < high), high]
        return [self._order((one + other) / 2) for one, other in pairwise(ends)]

    def _order(self, ratio: Fraction) -> list[GameKey]:
        """The order in which boards of both go if the boards that are left to the two have this ratio."""
        worth = {
            board: mine * ratio.denominator - its * ratio.numerator
            for board, (mine, its) in self._both.items()
        }
        return sorted(worth, key=worth.__getitem__, reverse=True)


def _plus(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    return one[0] + other[0], one[1] + other[1]


def _fewest_own(winner: _Side, rival: _Side, most: int) -> tuple[int, int] | None:
    """How many own boards of the winner and of the rival go, as few as possible; None above `most`."""
    best: tuple[int, int] | None = None
    of_rival = rival.useful(most, 1)
    for of_winner in range(winner.useful(most, -1) + 1):
        left = winner.without(of_winner)
        if not _is_ahead(rival.without(of_rival), left):
            continue
        while of_rival and _is_ahead(rival.without(of_rival - 1), left):
            of_rival -= 1
        if of_winner + of_rival <= most:
            best, most = (of_winner, of_rival), of_winner + of_rival - 1
    return best


def _is_ahead(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether the mean of some points and boards is higher than that of others."""
    return one[0] * other[1] > other[0] * one[1]
