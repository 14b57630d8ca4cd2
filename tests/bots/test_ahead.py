"""The thoughtful bot that looks ahead: it plays every game, and searches as long as it has time."""

from __future__ import annotations

import itertools

import pytest

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
