"""Which games begin when: a bot that is on its way keeps its own games waiting, and nobody else's."""

from __future__ import annotations

from arena.games import GAMES
from arena.runner.rooms.room import Seating
from arena.runner.sitting.dispatcher import Dispatcher
from arena.table.clock import SECOND, TimeControl
from arena.table.table import TableRules

GAME = GAMES["hyrule"]
RULES = TableRules(GAME, GAME.Options(), 2, TimeControl(SECOND, 0, SECOND), 3)


def dispatcher(*pairs: tuple[int, int]) -> tuple[Dispatcher, list[tuple[int, ...]]]:
    """A dispatcher of games between these, and the list of those that have begun."""
    due = [Seating(number, RULES, bytes(32), players) for number, players in enumerate(pairs)]
    begun: list[tuple[int, ...]] = []
    made = Dispatcher(
        lambda: due.pop(0) if due else None,
        lambda seating: begun.append(seating.players),
        limit=lambda player: 0,
    )
    made.concurrency = 10
    return made, begun


def test_games_of_a_bot_that_is_on_its_way_begin_when_it_has_come():
    games, begun = dispatcher((0, 2), (0, 1), (2, 1))
    games.await_bot(2)
    games.begin()
    assert begun == [(0, 1)]
    games.bot_settled(2)
    assert begun == [(0, 1), (0, 2), (2, 1)]


def test_a_game_of_two_that_are_on_their_way_waits_for_both():
    games, begun = dispatcher((2, 3), (0, 1), (3, 0))
    games.await_bot(2)
    games.await_bot(3)
    games.begin()
    games.bot_settled(2)
    assert begun == [(0, 1)]
    games.bot_settled(3)
    assert begun == [(0, 1), (2, 3), (3, 0)]


def test_many_games_that_wait_for_one_bot_keep_no_other_waiting():
    games, begun = dispatcher(*[(2, 0)] * 500, (0, 1))
    games.await_bot(2)
    games.begin()
    assert begun == [(0, 1)]
    assert [seating.players for seating in games.forget_waiting()] == [(2, 0)] * 500
    games.bot_settled(2)
    assert begun == [(0, 1)], "they are to come due again"
