"""Boards follow from the tournament key as documented: recomputed here from the document alone."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.cards import DECK
from arena.table.deal import KeyedBoard, board_key, commitment, key_of_seed, seat_seed


def documented_numbers(key: bytes, event: str):
    block = 0
    while True:
        data = hmac.new(key, f"arena chance 1\n{event}\n{block}".encode(), hashlib.sha256).digest()
        for position in range(0, 32, 4):
            yield int.from_bytes(data[position : position + 4], "big")
        block += 1


def documented_below(numbers, n):
    while True:
        number = next(numbers)
        if number < 2**32 - 2**32 % n:
            return number % n


def documented_shuffle(numbers, items):
    items = list(items)
    for i in reversed(range(1, len(items))):
        j = documented_below(numbers, i + 1)
        items[i], items[j] = items[j], items[i]
    return items


@given(st.binary(min_size=32, max_size=32), st.text(), st.integers(0, 9))
def test_decks_follow_the_document(tournament_key, name, deal):
    key = hmac.new(tournament_key, f"arena board 1\nnyuri\n{name}".encode(), hashlib.sha256).digest()
    assert board_key(tournament_key, "nyuri", name) == key
    expected = documented_shuffle(documented_numbers(key, f"{deal}\ndeck\n0\n0"), list(DECK))
    assert KeyedBoard(key, DECK).deal(deal).deck == expected


@given(
    st.binary(min_size=32, max_size=32),
    st.lists(st.integers(1, 2**32), min_size=1, max_size=40),
    st.sampled_from(["penalty", "reshuffle"]),
    st.integers(0, 6),
    st.integers(0, 99),
)
def test_chance_follows_the_document(key, bounds, purpose, seat, count):
    numbers = documented_numbers(key, f"0\n{purpose}\n{seat}\n{count}")
    chance = KeyedBoard(key, ()).deal(0).chance(purpose, seat, count)
    assert [chance.below(n) for n in bounds] == [documented_below(numbers, n) for n in bounds]


BOUNDS = st.one_of(st.integers(1, 99), st.integers(1, 2**32))  # of the large ones many a number is dropped


@given(st.lists(st.one_of(BOUNDS, st.lists(BOUNDS, max_size=20), st.binary(max_size=30)), max_size=9))
def test_one_event_draws_one_row_of_numbers_however_it_is_asked(asked):
    numbers = documented_numbers(bytes(32), "0\na\n1\n2")
    chance = KeyedBoard(bytes(32), ()).deal(0).chance("a", 1, 2)
    for each in asked:
        if isinstance(each, int):
            assert chance.below(each) == documented_below(numbers, each)
        elif isinstance(each, list):
            assert chance.each_below(each) == [documented_below(numbers, n) for n in each]
        else:
            assert chance.shuffle(each) == documented_shuffle(numbers, each)


def test_a_known_board_never_changes():
    key = board_key(bytes(32), "forty-one", "stage 1 round 1 board 1")
    assert key.hex() == "dd2e67dd0c21f1105bb5a211557bde97c436d171bc1bc61796b773c3839548fa"
    assert " ".join(map(str, KeyedBoard(key, DECK).deal(0).deck[:8])) == "2♦ A♣ 10♦ J♦ 4♦ 2♥ 10♥ J♠"
    assert seat_seed(key, 0).hex() == "8d42e63358b9b958acf407d19038303a"
    assert key_of_seed("league").hex() == "92a058891b7a8f2c75c5279d134d3c3ddfd55de9c98417572f11dd5f0ed46f5b"
    assert commitment(bytes(32)) == hashlib.sha256(bytes(32)).hexdigest()


def test_different_events_draw_differently():
    board = KeyedBoard(bytes(32), DECK)
    draws = {
        (deal, purpose, seat, count): board.deal(deal).chance(purpose, seat, count).below(2**32)
        for deal in range(2)
        for purpose in ("a", "b")
        for seat in range(3)
        for count in range(3)
    }
    assert len(set(draws.values())) == len(draws)


@pytest.mark.parametrize("n", [2, 3, 7, 52])
def test_below_is_uniform(n):
    chance = KeyedBoard(bytes(32), ()).deal(0).chance("test", 0, 0)
    draws = 20_000
    counts = Counter(chance.below(n) for _ in range(draws))
    chi_square = sum((counts[value] - draws / n) ** 2 / (draws / n) for value in range(n))
    assert chi_square < n + 6 * (2 * n) ** 0.5  # six standard deviations; the draws are fixed
