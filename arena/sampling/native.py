"""Draws positions by the native engine, from what the samplers have worked out.

The engine draws from the same description of what is hidden (`Sampler.hidden`) as the samplers in Python do,
so the positions have the same distribution. They have the same methods as every `State`, and the engine's
policies play them on without a step in Python.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

from arena.cards import card
from arena.engine import engine
from arena.games import BUILT_IN
from arena.games.game import Action, Happening, Outcome, Seat, State, refuse
from arena.games.nur_mut_values import Card as TwoFaced
from arena.games.nur_mut_values import Face
from arena.games.series import SeriesObservation
from arena.link.wire.convert import SERIES, WIRES, GameWire
from arena.sampling.hidden import Assigned, Unseen
from arena.v1 import bot_pb2


class Deal(NamedTuple):
    """A seat in a deal of a game.

    Attributes:
        game: the game's id.
        options: its options.
        seats: the number of seats.
        seat: the seat.
        starter: the seat that started the deal.
    """

    game: str
    options: Any
    seats: int
    seat: Seat
    starter: Seat


class EngineDraw:
    """A function that draws positions by the engine.

    Attributes:
        draws: the engine's `Draws`, which can also try actions.
    """

    __slots__ = ("draws",)

    def __init__(self, draws: Any) -> None:
        self.draws = draws

    def __call__(self, rng: random.Random) -> State:
        state: State = self.draws.draw(rng.getrandbits(64))
        return state


def plays(game: str) -> bool:
    """Whether the engine plays a game."""
    return game in BUILT_IN and engine().module is not None


def draws(deal: Deal, seen: Any, hidden: Unseen | Assigned) -> EngineDraw | None:
    """What draws positions of a deal; None if the engine cannot, as with a deck of other cards.

    Args:
        deal: the deal, in which the seat is to act.
        seen: the seat's observation, of a deal or a series.
        hidden: what is hidden from it, by `Sampler.hidden`.
    """
    values, wire = _values(deal.game), _wire(deal.game)
    module = engine().module
    make = module.draws_of_decks if deal.game == "nur-mut" else module.draws_of_hands
    series = None
    if isinstance(seen, SeriesObservation):
        series, seen = SERIES.encode(seen), seen.current
    found = make(values, _start(deal), wire.observation.encode(seen), series, *hidden)
    return None if found is None else EngineDraw(found)


def _wire(game: str) -> GameWire:
    wire = WIRES[game]
    assert isinstance(wire, GameWire), "the engine plays the built-in games"
    return wire


@lru_cache(maxsize=256)
def _start(deal: Deal) -> bytes:
    """The encoded start of a table that plays the deal."""
    wire = _wire(deal.game)
    start = bot_pb2.TableStart(seats=deal.seats, seat=deal.seat, starter=deal.starter)
    getattr(start, wire.field).CopyFrom(wire.options.to_message(deal.options))
    return start.SerializeToString()


@cache
def _values(game: str) -> Any:
    """What the engine needs to make the values of a game."""
    module, wire = engine().module, _wire(game)
    State.register(module.Sample)
    return module.GameValues(
        module.Values(wire.action.schema(), True),
        module.Values(wire.event.schema(), False),
        module.Values(wire.observation.schema(), False),
        Happening,
        SeriesObservation,
        Outcome,
        _two_faced if game == "nur-mut" else _cards,
        refuse,
    )


def _cards(numbers: Sequence[int]) -> list[Any]:
    return list(map(card, numbers))


def _two_faced(numbers: Sequence[int]) -> list[Any]:
    return [TwoFaced(Face(number >> 4), Face(number & 15)) for number in numbers]


def places(listed: Sequence[Action], actions: Sequence[Action], state: State, seat: Seat) -> list[int]:
    """The place of each action among the legal ones of a position. Raises IllegalAction."""
    found = []
    for action in actions:
        if action not in listed:
            refuse(state, seat, action)
        found.append(listed.index(action))
    return found
