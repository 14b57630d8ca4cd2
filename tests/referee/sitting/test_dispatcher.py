"""The dispatcher decides when games begin: games that wait for a bot leave free tables to the others."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from arena.games import GAMES
from arena.referee.presence import State
from arena.referee.sitting.sitting import Dispatcher
from arena.table.clock import SECOND, TimeControl
from arena.table.table import TableRules
from arena.tournament.course import Due
from arena.tournament.courses import new_course
from arena.tournament.effects import Effects
from arena.tournament.seating import Seating
from tests.examples import examples
from tests.tournament.night import STAGES, plan_of, played

GAME = GAMES["hyrule"]
RULES = TableRules(GAME, GAME.Options(), 2, TimeControl(SECOND, 0, SECOND), 3)


def seating(due: Due) -> Seating:
    return Seating(due.key, RULES, bytes(32), due.players)


def dispatcher(
    *pairs: tuple[int, int], now: Callable[[], float] = time.monotonic
) -> tuple[Dispatcher, list[tuple[int, ...]]]:
    """A dispatcher of games between these, and the list of those that have begun."""
    begun: list[tuple[int, ...]] = []
    made = Dispatcher(lambda seating: begun.append(seating.players), limit=lambda player: 0, now=now)
    made.add(Seating(number, RULES, bytes(32), players) for number, players in enumerate(pairs))
    made.concurrency = 10
    return made, begun


def test_games_of_a_bot_that_is_on_its_way_begin_when_it_has_come():
    games, begun = dispatcher((0, 2), (0, 1), (2, 1))
    games.bot_is(2, State.COMING)
    games.begin()
    assert begun == [(0, 1)]
    games.bot_is(2, State.HERE)
    assert begun == [(0, 1), (0, 2), (2, 1)]


def test_a_game_of_two_that_are_on_their_way_waits_for_both():
    games, begun = dispatcher((2, 3), (0, 1), (3, 0))
    games.bot_is(2, State.COMING)
    games.bot_is(3, State.COMING)
    games.begin()
    games.bot_is(2, State.HERE)
    assert begun == [(0, 1)]
    games.bot_is(3, State.HERE)
    assert begun == [(0, 1), (2, 3), (3, 0)]


def test_many_games_that_wait_for_one_bot_keep_no_other_waiting():
    games, begun = dispatcher(*[(2, 0)] * 500, (0, 1))
    games.bot_is(2, State.COMING)
    games.begin()
    assert begun == [(0, 1)]
    assert [seating.players for seating in games.forget_added()] == [(2, 0)] * 500
    games.bot_is(2, State.HERE)
    assert begun == [(0, 1)], "they are to come due again"


def test_games_of_a_bot_that_was_lost_take_no_tables_from_the_others():
    games, begun = dispatcher(*[(2, 0)] * 500, *[(0, 1)] * 15)
    games.bot_is(2, State.LOST)
    games.begin()
    assert begun == [(0, 1)] * 10
    first, *others = [Seating(number, RULES, bytes(32), (0, 1)) for number in range(500, 515)]
    for each in others:
        games.ended(each)
    assert begun == [(0, 1)] * 15, "a table is free, and the last game of the others runs"
    games.ended(first)
    assert begun == [(0, 1)] * 15 + [(2, 0)] * 10, "nothing else is left"
    games.bot_is(2, State.HERE)
    for number in range(4):
        games.ended(Seating(number, RULES, bytes(32), (2, 0)))
    assert begun[15:] == [(2, 0)] * 14


def test_games_of_a_bot_that_was_lost_begin_when_it_is_back():
    games, begun = dispatcher((2, 0), (0, 1))
    games.bot_is(2, State.LOST)
    games.begin()
    assert begun == [(0, 1)]
    games.bot_is(2, State.HERE)
    assert begun == [(0, 1), (2, 0)]


def test_games_that_an_absent_bot_forfeits_begin_when_nothing_else_is_left():
    seconds = [0.0]
    games, begun = dispatcher((2, 0), (2, 1), (3, 0), (0, 1), (0, 1), now=lambda: seconds[0])
    games.bot_is(3, State.LOST)
    games.bot_is(2, State.ABSENT)
    assert begun == [(0, 1)] * 2
    games.ended(Seating(3, RULES, bytes(32), (0, 1)))
    assert begun == [(0, 1)] * 2, "the last game of those who are here runs"
    games.ended(Seating(4, RULES, bytes(32), (0, 1)))
    assert begun[2:] == [(3, 0), (2, 0)], "the forfeits last"
    games.ended(Seating(0, RULES, bytes(32), (2, 0)))
    assert len(begun) == 4, "the bot may still come"
    seconds[0] += 1
    games.begin()
    assert begun[4:] == [(2, 1)]


def test_an_absent_bot_that_comes_loses_nothing_that_could_wait():
    games, begun = dispatcher((2, 0), (0, 1))
    games.bot_is(2, State.ABSENT)
    assert begun == [(0, 1)]
    games.bot_is(2, State.HERE)
    assert begun == [(0, 1), (2, 0)]


class Hall:
    """A dispatcher of a whole tournament, whose tables only this test ends."""

    def __init__(self, stages: str, entrants: int, boards: int, limits: dict[int, int], tables: int) -> None:
        plan = plan_of(stages, entrants, boards)
        self.course = new_course(plan, Effects(entrants))
        self.limits = limits
        self.running: list[Due] = []
        self.dispatcher = Dispatcher(self._open, lambda player: limits.get(player, 0), self._next)
        self.dispatcher.concurrency = tables
        everything = new_course(plan, Effects(entrants))
        self.left = set(iter(everything.take, None))  # of the games that are known from the beginning

    def _next(self, busy: object) -> Seating | None:
        due = self.course.take(busy)  # type: ignore[arg-type]  # a collection of players
        return None if due is None else seating(due)

    def _open(self, opened: Seating) -> None:
        due = Due(opened.key, opened.players)
        self.left.remove(due)
        self.running.append(due)

    @property
    def busy(self) -> set[int]:
        at = Counter(player for due in self.running for player in due.players)
        return {player for player, tables in at.items() if 0 < self.limits.get(player, 0) <= tables}

    def check(self) -> None:
        """No more tables than a bot can play, and no table is free while the bots of a due game are."""
        at = Counter(player for due in self.running for player in due.players)
        assert all(at[player] <= limit for player, limit in self.limits.items() if limit)
        assert len(self.running) <= self.dispatcher.concurrency
        if len(self.running) < self.dispatcher.concurrency:
            assert [due for due in self.left if self.busy.isdisjoint(due.players)] == []

    def end(self, due: Due) -> None:
        self.running.remove(due)
        self.course.add(played(due))
        self.dispatcher.ended(seating(due))
        self.dispatcher.dealt_with([seating(due)])


@examples(80)
@given(
    st.sampled_from([each for each in STAGES if "knockout" not in each and "elim" not in each]),
    st.integers(4, 9),
    st.integers(1, 3),
    st.dictionaries(st.integers(0, 8), st.integers(0, 3)),
    st.integers(1, 6),
    st.data(),
)
def test_no_table_is_free_while_the_bots_of_a_due_game_are(stages, entrants, boards, limits, tables, data):
    """Whichever bots are slow, and however many tables each can play."""
    if "swiss" in stages:
        return  # whose rounds come due one after another
    hall = Hall(stages, entrants, boards, limits, tables)
    slow = data.draw(st.sets(st.integers(0, entrants - 1), max_size=2))
    hall.dispatcher.begin()
    while hall.running:
        hall.check()
        quick = [due for due in hall.running if slow.isdisjoint(due.players)]
        hall.end(data.draw(st.sampled_from(quick or hall.running)))
    assert hall.course.over
    assert hall.left == set()


def test_a_seat_that_never_moves_holds_up_one_game_alone():
    hall = Hall(STAGES[0], 9, 5, {4: 1}, 16)
    hall.dispatcher.begin()
    while quick := [due for due in hall.running if 4 not in due.players]:
        hall.end(quick[0])
    assert len(hall.running) == 1
    assert {4 in due.players for due in hall.left} == {True}
    assert hall.course.tally.played == 9 * 8 // 2 * 20 - 8 * 20


def test_nothing_is_looked_at_beyond_what_is_needed():
    """A thousand bots that play one table each: a round is enough for all tables."""
    plan = plan_of('[[stage]]\nformat = "round-robin"\ncycles = 1000\n', 1000)
    course = new_course(plan, Effects(1000))
    begun: list[Due] = []
    games = Dispatcher(
        lambda opened: begun.append(Due(opened.key, opened.players)),
        lambda player: 1,
        lambda busy: None if (due := course.take(busy)) is None else seating(due),
    )
    games.concurrency = 400
    games.begin()
    assert len(begun) == 400
    assert {due.key.round for due in begun} == {0}
    for due in begun[:300]:
        course.add(played(due))
        games.ended(seating(due))
        games.dealt_with([seating(due)])
    assert max(due.key.round for due in begun) <= 1


def test_what_only_waits_has_not_begun():
    plan = plan_of('[[stage]]\nformat = "round-robin"\ncycles = 20\n', 40)
    course = new_course(plan, Effects(40))
    first = course.take()
    assert first is not None
    assert course.take(range(40)) is None
    assert course.progress(course.stages[0]).begun == 1, "what waits has not begun"
    assert course.take() is not None
