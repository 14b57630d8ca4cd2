"""The luck of a game by the native engine against the rules in Python."""

from __future__ import annotations

import random
from collections.abc import Iterable
from statistics import fmean, pvariance
from typing import Any

import pytest

from arena.bot import simulate
from arena.comparison.baseline import SAMPLES
from arena.comparison.coefficient import paying
from arena.comparison.luck import Choice, choices_from, choices_of, futures_of, luck_of
from arena.games import BUILT_IN
from arena.table.deal import board_key
from arena.table.record import BrokenRecord, Record, first_position
from tests.bots.playing import THOUGHTFUL, load
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
        futures = futures_of(record, SAMPLES["greedy"])
        assert by_engine == told(choices_from(first_position(record), record, futures))
        found += len(by_engine)
    assert found > tried(20) * 2


@pytest.mark.parametrize("baseline", SAMPLES)
@pytest.mark.parametrize("game", BUILT_IN)
def test_an_action_that_is_not_legal_is_named_by_the_rules_in_python(game, baseline):
    record = some_game(game, 0)
    with pytest.raises(BrokenRecord, match="action 1 is choice 1000000"):
        told(choices_of(record._replace(actions=(1_000_000, *record.actions[1:])), baseline))


@pytest.mark.parametrize("game", BUILT_IN)
def test_who_plays_like_the_bot_thoughtful_has_no_luck_by_that_baseline(game):
    for seats in BUILT_IN[game].seats(BUILT_IN[game].Options())[:3]:
        record = simulate(game, [THOUGHTFUL] * seats, f"thoughtful at {seats}")
        assert told(choices_of(record, "thoughtful")) == []


def test_every_effect_by_the_baseline_thoughtful_is_that_of_the_bot():
    """In Forty-one, where the bot needs no memory."""
    kind: Any = load("thoughtful-python", "thoughtful.forty_one", "FortyOnePlayer")
    player = kind(None)

    def usual(state: Any, seat: int) -> Any:
        return player.choose(state.observation(seat), state.legal_actions(seat))

    found = 0
    for number in range(tried(6)):
        key = board_key(bytes(32), "forty-one", f"thoughtful {number}")
        seats = 2 + number % 3
        record = played(
            "forty-one", start("forty-one", key, None, seats), key, clever(number, 3), None, seats
        )
        futures = futures_of(record, SAMPLES["thoughtful"])
        by_engine = told(choices_of(record, "thoughtful"))
        assert by_engine == told(choices_from(first_position(record), record, futures, usual))
        found += len(by_engine)
    assert found > tried(6)


@pytest.mark.parametrize("game", sorted(paying()))
@pytest.mark.parametrize("bounded", [False, True])
def test_luck_by_the_baseline_thoughtful_has_no_mean_with_any_player(game, bounded):
    lucks = []
    for number in range(tried(40)):
        key = board_key(bytes(32), game, f"mean {number}")
        record = played(game, start(game, key), key, clever(number))
        lucks.append(luck_of(record, "thoughtful", bounded=bounded)[0])
    assert any(lucks)
    assert abs(fmean(lucks)) < 3.5 * (pvariance(lucks) / len(lucks)) ** 0.5


@pytest.mark.parametrize(
    ("game", "luck"),
    [("forty-one", 0.109375), ("kleftis", -0.2734375), ("nur-mut", 0.03125)],
)
def test_luck_by_the_baseline_thoughtful_stays_what_it_was(game, luck):
    """Leagues keep it, and are verified by it: what plays otherwise is another baseline."""
    assert "thoughtful" in paying()[game]
    key = board_key(bytes(32), game, "stays")
    record = played(game, start(game, key), key, clever(1, 4))
    assert luck_of(record, "thoughtful", bounded=True)[0] == luck
