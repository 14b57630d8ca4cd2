"""Seatings: every board once from every seat, and everybody after everybody equally often."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from fractions import Fraction
from functools import cache
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.formats.knockout import Knockout
from arena.formats.seating import CyclicSeatings, Seatings, balanced_orders
from arena.results import MatchKey, cyclic_seating
from tests.examples import examples
from tests.formats.playing import games, neighbours, round_robin, shares

PAGE = Path(__file__).parents[2] / "docs" / "fairness.md"
FIRST = MatchKey(0, 0, 0)
EVEN = (Fraction(1), Fraction(1))


def followers(orders) -> Counter[tuple[int, int]]:
    """How often each entrant follows each other one."""
    return Counter(pair for order in orders for pair in zip(order, (*order[1:], order[0]), strict=True))


@pytest.mark.parametrize(("seats", "each"), [(2, 1), (3, 1), (4, 2), (5, 1), (6, 2), (7, 1)])
def test_in_the_balanced_orders_everybody_follows_everybody_equally_often(seats, each):
    orders = balanced_orders(seats)
    assert all(sorted(order) == [*range(seats)] for order in orders)
    assert len(set(orders)) == len(orders)
    assert followers(orders) == dict.fromkeys(permutations(range(seats), 2), each)
    if seats > 2:
        for there, back in zip(orders[::2], orders[1::2], strict=True):
            assert followers([there]) == Counter((two, one) for one, two in followers([back]))


@pytest.mark.parametrize("seats", [3, 4, 5, 6, 7])
def test_the_first_balanced_orders_are_balanced_too(seats):
    """They are as balanced as two orders of a table can be, each one with its reverse."""
    for count in range(1, len(balanced_orders(seats))):
        found = followers(balanced_orders(seats)[:count])
        assert max(found.values()) <= (2 if seats in (4, 6) else 1)


def test_only_tables_of_two_to_seven_are_seated():
    for seats in (0, 1, 8):
        with pytest.raises(LookupError, match=f"no tables of {seats} seats"):
            balanced_orders(seats)


@examples(20)
@given(st.integers(2, 7), st.integers(2, 20), st.integers(1, 6), st.integers(1, 3), st.booleans())
def test_every_board_is_played_once_from_every_seat(seats, entrants, boards, cycles, balanced):
    stage = round_robin(0, range(max(seats, entrants)), seats, cycles)
    sat: dict[tuple[MatchKey, int], list[tuple[int, ...]]] = defaultdict(list)
    at_seat: Counter[tuple[int, int]] = Counter()
    played: Counter[int] = Counter()
    for match, key, players in games(stage, boards, "balanced" if balanced else "cyclic"):
        assert sorted(players) == sorted(match.entrants)
        sat[match.key, key.board].append(players)
        at_seat.update(zip(players, range(seats), strict=True))
        played.update(players)
    for rows in sat.values():
        assert len(rows) == seats
        assert all(len(set(column)) == seats for column in zip(*rows, strict=True))  # a Latin square
        assert len({frozenset(followers([row])) for row in rows}) == 1  # of one circular order
    for entrant in stage.entrants:
        assert {at_seat[entrant, seat] for seat in range(seats)} == {played[entrant] // seats}


@examples(12)
@given(st.integers(3, 7), st.integers(1, 17), st.integers(2, 6), st.integers(1, 3))
def test_everybody_sits_after_everybody(seats, more, boards, cycles):
    """From two boards on, wherever there are more entrants than seats."""
    count = neighbours(round_robin(0, range(min(20, seats + more)), seats, cycles), boards)
    even = Fraction(count.total(), len(count))
    assert min(count.values()) >= 1
    assert min(count.values()) >= even / 4
    assert max(count.values()) <= 2 * even


@pytest.mark.parametrize("cycles", [1, 2, 3])
@pytest.mark.parametrize(
    ("seats", "entrants"), [(3, 3), (4, 5), (3, 7), (5, 5), (5, 6), (7, 8), (3, 9), (4, 8)]
)
def test_four_boards_are_wholly_balanced(seats, entrants, cycles):
    assert shares(round_robin(0, range(entrants), seats, cycles), 4) == EVEN


@pytest.mark.parametrize(
    ("seats", "entrants", "cycles"),
    [
        *[(3, 3, 2), (3, 3, 4), (4, 4, 6), (5, 5, 4), (6, 6, 10), (7, 7, 6)],
        *[(4, 5, 1), (3, 7, 1), (3, 4, 1), (3, 9, 1), (5, 6, 1), (6, 7, 1)],
    ],
)
def test_one_board_is_balanced_over_rounds_and_cycles(seats, entrants, cycles):
    assert shares(round_robin(0, range(entrants), seats, cycles), 1) == EVEN


@pytest.mark.parametrize("boards", [1, 6, 100, 100_000])
def test_many_boards_are_as_balanced_and_as_quick(boards):
    stage = round_robin(0, range(9), 4)
    seated = stage.seatings(boards, "balanced")
    last = seated.order(MatchKey(0, 8, 1), 4, boards - 1)
    assert sorted(last) == [0, 1, 2, 3]
    if boards == 100:
        least, most = shares(stage, boards)
        assert Fraction(9, 10) < least <= most < Fraction(11, 10)


def test_cyclic_seatings_are_those_of_earlier_versions():
    for seats in range(2, 8):
        for rotation in range(seats):
            # Entrant i at seat i + rotation.
            seating = CyclicSeatings().seating(FIRST, seats, 3, rotation)
            assert seating == cyclic_seating(seats, rotation)
            assert [seating[(i + rotation) % seats] for i in range(seats)] == [*range(seats)]


@pytest.mark.parametrize("rule", ["balanced", "cyclic"])
def test_two_seats_are_seated_as_ever(rule):
    for stage in (round_robin(0, range(5), 2, 2), Knockout(0, range(5))):
        seated = stage.seatings(3, rule)
        for board in range(8):
            for rotation in (0, 1):
                assert seated.seating(FIRST, 2, board, rotation) == cyclic_seating(2, rotation)


def test_a_knockout_goes_through_the_orders_on_and_on():
    """From board to board, extra boards included, and from round to round, at tables of any size."""
    seated = Knockout(0, range(9), 4).seatings(2, "balanced")
    for seats in (3, 4):
        orders = balanced_orders(seats)
        assert [seated.order(FIRST, seats, board) for board in range(4)] == [
            orders[board % len(orders)] for board in range(4)
        ]
        assert seated.order(MatchKey(0, 1, 0), seats, 0) == orders[2 % len(orders)]


def test_the_order_in_which_boards_are_asked_for_does_not_matter():
    stage = round_robin(0, range(10), 4, 3)
    late = stage.seatings(3, "balanced").order(MatchKey(0, 29, 1), 4, 2)
    seated = stage.seatings(3, "balanced")
    each = [seated.order(MatchKey(0, number, 1), 4, 2) for number in range(30)]
    assert each[29] == late
    assert (
        round_robin(4, range(90, 100), 4, 3).seatings(3, "balanced").order(MatchKey(4, 29, 1), 4, 2) == late
    )


@cache
def nine_at_tables_of_four() -> Seatings:
    return round_robin(0, range(9), 4).seatings(2, "balanced")


@pytest.mark.parametrize(
    ("match", "seats", "board", "rotation"),
    [
        (MatchKey(0, 9, 0), 4, 0, 0),
        (MatchKey(0, -1, 0), 4, 0, 0),
        (MatchKey(0, 0, 2), 4, 0, 0),
        (FIRST, 3, 0, 0),
        (FIRST, 4, 2, 0),
        (FIRST, 4, 0, 4),
        (FIRST, 4, 0, -1),
    ],
)
def test_what_is_not_in_the_schedule_has_no_seating(match, seats, board, rotation):
    seated = nine_at_tables_of_four()
    assert sorted(seated.seating(FIRST, 4, 1, 3)) == [0, 1, 2, 3]
    with pytest.raises(LookupError):
        seated.seating(match, seats, board, rotation)


PINNED = {
    (3, 5, 1): "4237c5581f6bd651",
    (4, 7, 4): "134e89636b8288c0",
    (5, 12, 2): "15ed14a4ebc478b4",
    (4, 6, 31): "220ce991a8d68daa",
    (7, 52, 1): "6ed16ea2e94e9a2e",
}
"""The beginnings of the SHA-256 of all orders in two cycles, by seats, entrants and boards."""


@pytest.mark.parametrize(("seats", "entrants", "boards"), PINNED)
def test_seatings_never_change(seats, entrants, boards):
    """Otherwise unfinished tournaments, and those of the past, would contradict their schedules."""
    stage = round_robin(0, range(entrants), seats, 2)
    seated = stage.seatings(boards, "balanced")
    orders = [
        seated.order(MatchKey(0, number, table), seats, board)
        for number in range(stage.round_count)
        for table in range(entrants // seats)
        for board in range(boards)
    ]
    assert hashlib.sha256(repr(orders).encode()).hexdigest()[:16] == PINNED[seats, entrants, boards]


def page_rows() -> list[tuple[int, int, list[str]]]:
    """The table on the page: seats, entrants, and the shares with 1, 2 and 4 boards."""
    rows = re.findall(r"^\| (\d) \| (\d+) \|((?: [\d. -]+ \|){3})$", PAGE.read_text("utf-8"), re.MULTILINE)
    return [(int(seats), int(entrants), cells.split(" |")[:3]) for seats, entrants, cells in rows]


def test_the_page_has_rows():
    assert len(page_rows()) > 15


@pytest.mark.parametrize(("seats", "entrants", "cells"), page_rows())
def test_the_page_says_what_comes_out(seats, entrants, cells):
    stage = round_robin(0, range(entrants), seats)
    for boards, cell in zip((1, 2, 4), cells, strict=True):
        least, most = shares(stage, boards)
        assert cell.strip() == ("1" if least == most else f"{float(least):.2f} - {float(most):.2f}")
