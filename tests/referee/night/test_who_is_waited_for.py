"""The run tells who is connected and who is waited for, to the host who asks."""

from __future__ import annotations

import pytest

from arena.referee.night.control import night_of
from arena.referee.night.night_now import NightNow as Now
from tests.referee.night_here import LONG, Night
from tests.referee.nights import wait_for

NAMES = ["one", "two", "three", "four", "slow"]
OTHERS = 6 * 2 * 2  # the games of four bots, on one board, in two games


@pytest.mark.parametrize("workers", [0, 1])
def test_one_that_thinks_is_told_of_while_the_others_play_on(tmp_path, workers):
    text = f'games = ["hyrule", "kleftis"]\nboards = 1\n{LONG}'
    with Night(tmp_path, NAMES, text, max_tables={"slow": 1}, workers=workers, concurrency=4) as night:
        night.play(without=["slow"])
        night.wait_for(OTHERS)  # all of them: none waits for the slow one
        wait_for(lambda: [turn.entrant for turn in night_of(night.league).awaited] == [4])
        wait_for(lambda: night_of(night.league).tables == 1)
        now = night_of(night.league)
        assert now.plays
        assert [(bot.name, bot.state, bot.tables) for bot in now.bots[2:]] == [
            ("three", "here", now.bots[2].tables),
            ("four", "here", now.bots[3].tables),
            ("slow", "here", 1),
        ]
        (turn,) = now.awaited
        assert (turn.entrant, now.tables) == (4, 1)
        assert turn.seconds > 0
        assert turn.left > 0
        assert night_of(night.league).awaited[0].seconds > turn.seconds
        night.play()
        night.end()
    assert night_of(night.league) == Now()
