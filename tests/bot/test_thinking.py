"""A bot that thinks for `Turn.think_for` never runs out of time, however long the game."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arena.bot import TableInfo
from arena.bot.player import Bank
from arena.games import GAMES
from arena.table.clock import SECOND, Clock, TimeControl

CLOCKS = [(60.0, 0.1, 5.0), (20.0, 0.1, 2.0), (300.0, 0.0, 300.0), (1.0, 1.0, 1.0)]


def info(game: str, clock: tuple[float, float, float], **options: int) -> TableInfo:
    return TableInfo(game, GAMES[game].parse_options(options), 2, 0, 0, *clock, (), bytes(16))


def shares(game: str, clock: tuple[float, float, float], lag: float) -> Iterator[tuple[float, float]]:
    """The time left at each of many decisions and the share of it that is thought, the way taking so long."""
    bank = Bank(info(game, clock))
    referee = Clock(TimeControl(*(int(seconds * SECOND) for seconds in clock)))
    for _ in range(10 * GAMES[game].usual_decisions):
        time_left = referee.time_left / SECOND
        share = bank.share(time_left)
        yield time_left, share
        bank.spent(share)
        referee.charge(int((share + lag) * SECOND))


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("clock", CLOCKS)
@pytest.mark.parametrize("lag", [0.0, 0.01])
def test_the_bank_lasts(game: str, clock: tuple[float, float, float], lag: float) -> None:
    for number, (time_left, share) in enumerate(shares(game, clock, lag)):
        if lag < clock[1] or number < 2 * GAMES[game].usual_decisions:
            assert share > 0
            assert share + lag < time_left


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("clock", [(60.0, 0.1, 5.0), (20.0, 0.1, 2.0)])
@pytest.mark.parametrize("lag", [0.03, 0.09])
def test_a_bot_far_away_keeps_a_reserve(game: str, clock: tuple[float, float, float], lag: float) -> None:
    """The bot does not see what the way takes, and an increment that is thought away cannot pay for it."""
    for time_left, share in shares(game, clock, lag):
        assert time_left - share - lag > 0.2


def test_what_is_left_is_used() -> None:
    bank = Bank(info("kleftis", (60.0, 0.1, 5.0)))
    spent = 0.0
    for _ in range(GAMES["kleftis"].usual_decisions):
        share = bank.share(5.0)
        spent += share
        bank.spent(share)
    assert 50 < spent < 64


def test_a_series_has_more_decisions_and_a_move_limit_holds() -> None:
    one, three = (Bank(info("hyrule", (60.0, 0.0, 60.0), series=deals)).share(60.0) for deals in (1, 3))
    assert one == pytest.approx(3 * three)
    assert Bank(info("hyrule", (600.0, 0.0, 2.0))).share(2.0) < 2


def test_a_bank_that_is_lower_than_was_thought_is_told_by_the_time_left() -> None:
    bank = Bank(info("hyrule", (60.0, 0.0, 5.0)))
    bank.share(5.0)
    assert bank.share(1.0) <= 0.1 + 1e-9
