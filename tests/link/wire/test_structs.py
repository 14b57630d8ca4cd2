"""The values of any game arrive unchanged as Structs, also those of built-in games."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.games import GAMES
from arena.games.series import SeriesObservation
from arena.link.wire.codec import BadMessage
from arena.link.wire.convert import OtherWire
from arena.table.clock import SECOND, TimeControl
from arena.table.deal import board_key
from arena.table.table import Table, TableRules
from arena.v1 import bot_pb2
from tests.examples import examples
from tests.games.random_play import random_setup


@pytest.mark.parametrize("game", GAMES)
@given(number=st.integers(0, 2**32))
@examples(4, 40)
def test_what_a_seat_is_told_arrives_as_it_was_sent(game, number):
    rng = random.Random(number)
    setup = random_setup(GAMES[game], rng)
    wire = OtherWire(game)
    assert wire.options.to_value(wire.options.to_message(setup.options)) == setup.options
    rules = TableRules(
        GAMES[game], setup.options, setup.seats, TimeControl(SECOND, 0, SECOND), 3, setup.starter
    )
    table = Table(rules, board_key(bytes(32), game, str(number)))
    for _ in range(20):
        for ask in table.asks():
            seen = (
                ask.view.observation.current
                if isinstance(ask.view.observation, SeriesObservation)
                else ask.view.observation
            )
            view = bot_pb2.OtherView.FromString(wire.view(ask.view.events, seen, ask.view.actions))
            assert view.game == game
            assert wire.observation.to_value(view.observation) == seen
            assert tuple(map(wire.event.to_value, view.events)) == tuple(ask.view.events)
            assert [*map(wire.action.to_value, view.legal_actions)] == [*ask.view.actions]
            table.answer(ask.seat, ask.turn, rng.randrange(len(ask.view.actions)), 0)


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"kind": "fly"}, "no values of the kind 'fly'"),
        ({"kind": "place", "base": 99, "guard": None}, "99.0 is no Card"),
        ({"kind": "place", "base": "x", "guard": None, "more": 1}, "is no Place"),
    ],
)
def test_a_struct_without_meaning_is_refused(fields, problem):
    message = bot_pb2.OtherView(legal_actions=[fields]).legal_actions[0]
    with pytest.raises(BadMessage, match=problem):
        OtherWire("nyuri").action.to_value(message)


def test_options_that_the_game_does_not_have_are_refused():
    with pytest.raises(BadMessage, match="unknown: fast"):
        OtherWire("nyuri").options.to_value(bot_pb2.OtherOptions(game="nyuri", options={"fast": True}))
