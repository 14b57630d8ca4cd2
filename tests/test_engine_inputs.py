"""The engine refuses what makes no sense with an exception: it neither panics nor ends the process."""

from __future__ import annotations

import dataclasses
import random
from contextlib import suppress
from types import ModuleType
from typing import Any

import pytest

from arena.games import BUILT_IN, GAMES
from arena.games.game import Happening, Outcome, refuse
from arena.games.series import SeriesObservation
from arena.link.wire.convert import WIRES, GameWire
from arena.sampling import SAMPLERS
from arena.v1 import bot_pb2
from tests.games.random_play import Setup
from tests.native import native as native
from tests.native import native_folder as native_folder
from tests.sampling.watching import Moment, own_turns

every_game = pytest.mark.parametrize("game", BUILT_IN)
KEY = bytes(32)
MEANT = (ValueError, OverflowError, TypeError, IndexError)
"""What the engine may raise."""

ODD = (
    0,
    1,
    2,
    7,
    8,
    11,
    12,
    54,
    55,
    63,
    64,
    255,
    256,
    1 << 31,
    (1 << 32) - 1,
    1 << 45,
    1 << 63,
    (1 << 64) - 1,
    -1,
)


def options_of(game: str, **changed: Any) -> bytes:
    """The encoded options of a game, some of them changed, whether or not the game has such."""
    message = WIRES[game].options.to_message(GAMES[game].Options())
    for name, value in changed.items():
        setattr(message, name, value)
    encoded: bytes = message.SerializeToString()
    return encoded


class Value(tuple[Any, ...]):
    """The value of a message."""


def nested(depth: int) -> Any:
    schema: Any = (Value, [], [])
    for _ in range(depth):
        schema = (Value, [(1, schema, False, False)], [])
    return schema


@pytest.mark.parametrize("size", [1 << 45, 1 << 62, 1 << 63, (1 << 64) - 1, 1 << 70])
def test_absurd_sizes_are_refused(native: ModuleType, size: int) -> None:
    nyuri = options_of("nyuri")
    for ask in (
        lambda: native.SeatGames("nyuri", nyuri, ["greedy"], 1, size),
        lambda: native.SeatGames("nyuri", nyuri, ["greedy"], size, 5000),
        lambda: native.choices("nyuri", nyuri, 2, 0, KEY, [], size, "greedy"),
        lambda: native.Values((Value, [(1, {size: 1}, False, False)], []), False),
        lambda: native.Position("nyuri", nyuri, size, 0, KEY),
        lambda: native.Position("nyuri", nyuri, 2, size, KEY),
        lambda: native.Position("nyuri", nyuri, 2, 0, KEY).play(0, size),
        lambda: native.Position("nyuri", nyuri, 2, 0, KEY).view(size),
        lambda: native.Position("nyuri", nyuri, 2, 0, KEY).retell(size),
    ):
        with pytest.raises(MEANT[:2]):
            ask()


def test_a_schema_that_is_nested_without_end_is_refused(native: ModuleType) -> None:
    native.Values(nested(20), False)
    with pytest.raises(ValueError, match="nested too deeply"):
        native.Values(nested(100_000), False)


def test_a_seat_or_an_action_that_a_game_does_not_have_is_refused(native: ModuleType) -> None:
    with pytest.raises(ValueError, match="more than 10 actions"):
        native.SeatGames("nyuri", options_of("nyuri"), ["greedy"], 1, 10)
    games = native.SeatGames("nyuri", options_of("nyuri"), ["greedy"], 1, 5000)
    arrays = memoryview(bytearray(4)).cast("f"), memoryview(bytearray(1)).cast("b")
    for seat, starter in ((2, 0), (0, 2)):
        with pytest.raises(ValueError, match="no such seat or starter"):
            games.begin(0, KEY, seat, starter, *arrays)


@every_game
def test_options_that_the_parser_refuses_are_refused(native: ModuleType, game: str) -> None:
    native.Position(game, options_of(game), 2, 0, KEY)
    for field in dataclasses.fields(GAMES[game].Options):
        if type(field.default) is not int:
            continue
        high = field.metadata["high"]
        for value in (*({field.metadata["low"] - 1} - {-1}), high + 1, 50_000_000, (1 << 32) - 1):
            changed = options_of(game, **{field.name: value})
            with pytest.raises(ValueError, match="cannot set up"):
                native.Position(game, changed, 2, 0, KEY)
            with pytest.raises(ValueError, match="cannot set up"):
                native.SeatGames(game, changed, ["greedy"], 1, 5000)


def changed(value: Any, rng: random.Random) -> Any:
    """A value of which one part is another one of the same type, as far as that is possible."""
    if isinstance(value, bool) or value is None:
        return rng.choice([True, False, None])
    if isinstance(value, int):
        return rng.choice([*ODD, value + 1, value - 1])
    if isinstance(value, float):
        return rng.choice([0.0, -1.0, float("nan"), float("inf"), 1e308])
    if isinstance(value, bytes):
        at = rng.randrange(len(value) + 1)
        return rng.choice([value[:at], value[:at] + rng.randbytes(1) + value[at + 1 :], value + value])
    if not isinstance(value, list | tuple) or not value:
        return value
    parts, at = list(value), rng.randrange(len(value))
    match rng.randrange(6):
        case 0:
            del parts[at]
        case 1:
            parts.insert(at, parts[at])
        case _:
            parts[at] = changed(parts[at], rng)
    return type(value)(parts) if type(value) in (list, tuple) else parts


@pytest.mark.campaign
@every_game
@pytest.mark.parametrize("number", range(4))
def test_a_search_of_what_cannot_be_ends_in_an_exception(native: ModuleType, game: str, number: int) -> None:
    make = native.draws_of_decks if game == "nur-mut" else native.draws_of_hands
    drawn = 0
    for setup, moment, rng in own_turns(game, number):
        arguments = arguments_of(native, game, setup, moment)
        if arguments is None:
            continue
        for _ in range(30):
            wrong = list(arguments)
            for at in rng.sample(range(1, len(wrong)), rng.randrange(1, 3)):
                wrong[at] = changed(wrong[at], rng)
            with suppress(*MEANT):
                if (found := make(*wrong)) is None:
                    continue
                drawn += 1
                sample = found.draw(rng.choice([0, (1 << 64) - 1]))
                sample.cards()
                sample.observation(rng.choice([None, *ODD]))
                found.try_actions([rng.choice(ODD)], "greedy", 0, 1, None)
                sample.chosen(rng.choice([0, *ODD]), "thoughtful", 1)
                sample.playout("random", 1)
                sample.legal_actions(rng.choice(ODD))
    assert drawn


def arguments_of(native: ModuleType, game: str, setup: Setup, moment: Moment) -> list[Any] | None:
    """What the engine is given to draw positions of a moment; None if nothing is drawn there."""
    wire = WIRES[game]
    assert isinstance(wire, GameWire)
    start = bot_pb2.TableStart(seats=setup.seats, seat=0, starter=setup.starter)
    getattr(start, wire.field).CopyFrom(wire.options.to_message(setup.options))
    sampler = SAMPLERS[game](setup.options, setup.seats, 0, setup.starter)
    for event in moment.told:
        sampler.tell(event)
    if (hidden := sampler.hidden(moment.seen)) is None:
        return None
    values = native.GameValues(
        native.Values(wire.action.schema(), True),
        native.Values(wire.event.schema(), False),
        native.Values(wire.observation.schema(), False),
        Happening, SeriesObservation, Outcome, list, refuse,
    )  # fmt: skip
    return [values, start.SerializeToString(), wire.observation.encode(moment.seen), None, *hidden]
