"""The luck of a game by the native engine against the rules in Python."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest

from arena.comparison.luck import Choice, choices_from, choices_of, futures_of
from arena.games import BUILT_IN
from arena.table.deal import board_key
from arena.table.record import BrokenRecord, Record, first_position
from tests.comparison.lucky_games import clever, played, start
from tests.examples import tried
from tests.games.random_play import random_options
from tests.native import native as native
from tests.native import native_folder as native_folder

pytestmark = pytest.mark.usefixtures("native")


def told(choices: Iterable[Choice]) -> list[tuple[int, tuple[float, ...], list[tuple[float, ...]]]]:
    return [(choice.seat, choice.here, list(choice.there)) for choice in choices]


def some_game(game: str, number: int) -> Record:
    """A game with random options and seats, in which most choices are greedy."""
    rng = random.Random(f"{game} {number}")
    options = random_options(BUILT_IN[game], rng)
    seats = rng.choice(BUILT_IN[game].seats(options))
    key = board_key(rng.randbytes(32), game, str(number))
    return played(game, start(game, key, options, seats), key, clever(number, 8), options, seats)


@pytest.mark.parametrize("game", BUILT_IN)
def test_every_effect_is_that_of_the_rules_in_python(game):
    found = 0
    for number in range(tried(20)):
        record = some_game(game, number)
        by_engine = told(choices_of(record))
        assert by_engine == told(choices_from(first_position(record), record, futures_of(record)))
        found += len(by_engine)
    assert found > tried(20) * 2


@pytest.mark.parametrize("game", BUILT_IN)
def test_an_action_that_is_not_legal_is_named_by_the_rules_in_python(game):
    record = some_game(game, 0)
    with pytest.raises(BrokenRecord, match="action 1 is choice 1000000"):
        told(choices_of(record._replace(actions=(1_000_000, *record.actions[1:]))))
