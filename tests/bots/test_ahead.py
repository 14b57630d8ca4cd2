"""The thoughtful bot that looks ahead: it plays every game, and searches as long as it has time."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import pytest

from arena.bot import Choice
from arena.bot.simulation import simulate
from arena.games import FIRST_GAMES
from tests.bots.playing import GREEDY, THOUGHTFUL, load

STRONG = load("thoughtful-python", "thoughtful.ahead", "Strong")


def strong(seconds):
    """The bot that thinks so long, by a clock that goes on by a second at every look."""
    ticks = itertools.count()
    return type("Counted", (STRONG,), {"longest": seconds, "clock": staticmethod(lambda: float(next(ticks)))})


def game(first, game="kleftis", seats=2, options=None):
    """The record of a game that a bot plays against greedy ones."""
    bots = [first, *[GREEDY] * (seats - 1)]
    return simulate(game, bots, "ahead", options=options, clock=(1e9, 0.0, 1e9))


@pytest.mark.parametrize(
    ("name", "seats", "options"),
    [
        *((name, 2, None) for name in FIRST_GAMES if name != "nyuri"),
        pytest.param(
            "nyuri", 2, None, marks=pytest.mark.campaign
        ),  # which takes five times as long as the others
        ("kleftis", 3, None),
        ("hyrule", 2, {"series": 2}),
    ],
)
def test_it_plays_every_game_without_a_fault(name, seats, options):
    record = game(strong(8.0), name, seats, options)
    assert record.faults == ()
    assert record.forfeits == ()


def test_without_time_it_plays_as_the_thoughtful_bot_and_with_time_otherwise():
    assert game(strong(0.0)).actions == game(THOUGHTFUL).actions
    assert game(strong(30.0)).actions != game(THOUGHTFUL).actions


def test_it_tells_what_it_expects_and_what_actions_are_worth_if_it_had_time():
    told = []

    def choose(self, turn):
        chosen = STRONG.choose(self, turn)
        assert isinstance(chosen, Choice)
        assert isinstance(chosen.values, Mapping)
        assert chosen.estimate is not None
        told.append((turn.actions, chosen.action, chosen.estimate, chosen.values))
        return chosen

    game(type("Telling", (strong(8.0),), {"choose": choose}))
    assert len(told) > 5
    for actions, chosen, expected, values in told:
        assert chosen in values.keys() <= set(actions)
        assert 0 <= expected <= 1
        assert values[chosen] >= 0  # the usual action has 0
