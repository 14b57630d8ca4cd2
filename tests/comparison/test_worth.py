"""How many single games a duplicate game replaces: by hand, and against games that are dealt singly."""

from __future__ import annotations

import random
from statistics import pvariance

import pytest

from arena.comparison.independence import games_replaced


def test_by_hand():
    # Seat 0 scores 1, 1, 0, 0 on four boards, seat 1 what makes the sum 1, 2, 0, 1: variances 1/3 each,
    # and 2/3 of the sum.
    boards = [[(1.0, 0.0)], [(1.0, 1.0)], [(0.0, 0.0)], [(0.0, 1.0)]]
    assert games_replaced(boards) == pytest.approx(1)
    # What one seat wins the other mostly loses: the sums are 1, 1, 1, 2, of a variance of 1/4.
    boards = [[(1.0, 0.0)], [(0.0, 1.0)], [(1.0, 0.0)], [(1.0, 1.0)]]
    assert games_replaced(boards) == pytest.approx((1 / 4 + 1 / 3) / (1 / 4))


def test_of_two_matches_the_difference_counts():
    boards = [[(1.0, 0.0, 0.5), (1.0, 0.0, 0.5)], [(0.5, 0.5, 0.0), (0.5, 0.0, 0.0)]]
    boards += [[(0.0, 0.0, 1.0), (0.0, 0.5, 1.0)]]
    apart = sum(pvariance([board[match][seat] for board in boards]) for match in (0, 1) for seat in range(3))
    together = pvariance([sum(one) - sum(other) for one, other in boards])
    assert games_replaced(boards) == pytest.approx(apart / together)


def test_nothing_is_known_of_one_board_or_where_all_came_to_the_same():
    assert games_replaced([]) is None
    assert games_replaced([[(1.0, 0.0)]]) is None
    assert games_replaced([[(1.0, 0.0)], [(0.0, 1.0)]]) is None


@pytest.mark.parametrize("seats", [2, 3])
@pytest.mark.parametrize("luck", [0.0, 0.5, 0.9])
def test_so_many_single_games_are_as_sure_as_those_of_boards(seats, luck):
    """Each board favours a seat so often: as many games dealt singly, by that, have the same variance."""
    rng = random.Random(7)

    def board() -> tuple[float, ...]:
        favoured = rng.randrange(seats)
        return tuple(
            float(seat == favoured if rng.random() < luck else rng.random() < 1 / seats)
            for seat in range(seats)
        )

    boards = [board() for _ in range(4_000)]
    replaced = games_replaced([[each] for each in boards])
    assert replaced is not None
    of_boards = pvariance([sum(each) / seats for each in boards])
    singly = pvariance(
        [sum(board()[seat] for seat in range(seats)) / seats for _ in range(4_000)]
    )  # every game on a board of its own
    assert singly / of_boards == pytest.approx(replaced, rel=0.1)
    # By the formula: the favour moves a win from one seat to another, so the sums do not vary with it.
    if luck == 0:
        assert replaced == pytest.approx(1, rel=0.1)
    else:
        assert replaced > 1 + luck / 4
