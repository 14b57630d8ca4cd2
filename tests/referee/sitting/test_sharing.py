"""The tables are shared so that slow bots do not hold up the others; in simulated time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.games import GAMES
from arena.league.tournament_file import parse_plan
from arena.referee.sitting.sharing import LEAST, SLOW
from arena.referee.sitting.sitting import Dispatcher
from arena.table.clock import SECOND, TimeControl
from arena.table.table import TableRules
from arena.tournament.instances import instance_number
from arena.tournament.seating import Seating
from tests.examples import examples
from tests.referee.sitting.simulated_hall import SimulatedHall

QUICK, SLOW_TURN = 0.05, 5.0  # seconds for a turn
MINUTE, END = 60.0, 180.0
FORMATS = {
    "round-robin": "",
    "groups": "groups = 2\n",
    "gauntlet": "",
    "swiss": "rounds = 2\n",
    "knockout": "",
    "double-elimination": "",
    "comparison": "stops = false\ncap = 100000\n",
}
LADDER = {"ladder": ""}
ONE_AFTER_ANOTHER = {"swiss", "knockout", "double-elimination"}  # where a round waits for the slowest


def hall(
    kind: str, thinking: Sequence[float], tables: int, limits: Mapping[int, int] = {}, head: str = ""
) -> SimulatedHall:
    boards = "" if kind in ("comparison", "ladder") else "boards = 2000\n"
    stage = f'[[stage]]\nformat = "{kind}"\n{(FORMATS | LADDER)[kind]}'
    entrants = "[[entrant]]\n" * len(thinking)
    plan = parse_plan(f'name = "x"\ngames = ["hyrule"]\n{boards}{head}{stage}{entrants}', Path("x.toml"))
    return SimulatedHall(plan, thinking, tables, limits)


def games_of_others(thinking: Sequence[float], made: SimulatedHall) -> int:
    """How many games without a slow bot are over after the first minute."""
    return sum(
        over.at > MINUTE and all(thinking[player] == QUICK for player in over.players)
        for over in made.play(END)
    )


def others_play_on(
    kind: str, slow: int, tables: int, first: int, limit: int, head: str = "", quick_bots: int = 7
) -> None:
    """Compares what quick bots play with and without slow bots, which stand behind the first ones."""
    quick = [QUICK] * quick_bots
    thinking = [*quick[:first], *[SLOW_TURN] * slow, *quick[first:]]
    limits = {number: limit for number, each in enumerate(thinking) if each == QUICK and limit}
    beside = games_of_others(thinking, hall(kind, thinking, tables, limits, head))
    alone = games_of_others(quick, hall(kind, quick, tables, dict.fromkeys(range(quick_bots), limit), head))
    assert alone > 100
    assert beside >= 0.9 * alone


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("tables", [1, 4])
def test_others_play_on_beside_one_slow_bot(kind, tables):
    others_play_on(kind, 1, tables, 3, 0)


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, marks=pytest.mark.campaign) if kind == "groups" else kind
        for kind in sorted(FORMATS.keys() - ONE_AFTER_ANOTHER)
    ],
)
def test_others_play_on_beside_fifty_slow_bots(kind):
    others_play_on(kind, 50, 4, 3, 0)


@pytest.mark.parametrize("kind", ["comparison", "gauntlet"])
@pytest.mark.parametrize("tables", [1, 4])
@pytest.mark.parametrize("limit", [1, 2])
def test_others_that_play_few_tables_play_on_beside_fifty_slow_bots(kind, tables, limit):
    others_play_on(kind, 50, tables, 7, limit)


@pytest.mark.parametrize("tables", [2, 4])
def test_others_play_on_beside_one_slow_bot_on_a_ladder(tables):
    others_play_on("ladder", 1, tables, 3, 0, quick_bots=20)


def test_a_late_quick_bot_plays_beside_quick_bots_with_few_tables_that_have_given_their_time_to_a_slow_one():
    thinking = [*[QUICK] * 6, SLOW_TURN, QUICK]
    made = hall("round-robin", thinking, 4, dict.fromkeys([0, 1, 2, 3, 4, 5, 7], 1))
    over = made.play(MINUTE)
    assert sum(7 in each.players and 6 not in each.players for each in over) > 40


@examples(20)
@given(
    st.sampled_from(["round-robin", "groups"]),
    st.sampled_from([1, 2, 9]),
    st.integers(1, 6),
    st.integers(1, 7),
    st.integers(0, 3),
    st.sampled_from(["", 'shared_cards = "none"\n']),
)
@pytest.mark.campaign
def test_others_play_on_wherever_slow_bots_stand_and_however_few_tables_others_play(
    kind, slow, tables, first, limit, head
):
    others_play_on(kind, slow, tables, first, limit, head)


@examples(20)
@given(st.integers(1, 12), st.integers(3, 9), st.integers(0, 8))
def test_no_slow_bot_sits_at_more_than_its_share_while_others_play(tables, bots, slow):
    thinking = [QUICK] * bots
    thinking[slow % bots] = SLOW_TURN
    plan = 'name = "x"\ngames = ["hyrule"]\nboards = 3\n[[stage]]\nformat = "round-robin"\ncycles = 1000\n'
    made = SimulatedHall(parse_plan(plan + "[[entrant]]\n" * bots, Path("x.toml")), thinking, tables, {})
    most = 0
    for second in range(65, 180, 5):  # when the games that began before it was known as slow are over
        made.play(second)
        most = max(most, made.tables_of(slow % bots))
    assert most <= max(1, 2 * tables // bots)


def test_slow_bots_have_all_tables_when_nobody_else_plays():
    thinking = [SLOW_TURN, SLOW_TURN, QUICK]
    made = hall("round-robin", thinking, 4)
    made.play(END)
    assert made.running == 4


def test_bots_that_are_all_slow_are_not_slow():
    made = hall("round-robin", [SLOW_TURN] * 8, 4)
    made.play(END)
    assert made.running == 4


GAME = GAMES["hyrule"]
RULES = TableRules(GAME, GAME.Options(), 2, TimeControl(SECOND, 0, SECOND), 3)


def dispatcher(limits: Mapping[int, int], instances: Mapping[int, int]) -> tuple[Dispatcher, list[Seating]]:
    begun: list[Seating] = []
    made = Dispatcher(
        begun.append,
        lambda player: limits.get(player, 0),
        instances=lambda player: instances.get(player, 1),
        bots=lambda: 4,
    )
    made.concurrency = 10
    return made, begun


def seating(number: int, players: tuple[int, int], instances: tuple[int, int]) -> Seating:
    return Seating(number, RULES, bytes(32), players, (), instances)


def test_the_limit_of_a_bot_holds_for_each_of_its_instances():
    games, begun = dispatcher({0: 1, 1: 1}, {0: 2})
    rotations = [seating(number, (0, 2 + number), (number % 2, 0)) for number in range(4)]
    games.add(rotations)
    games.begin()
    assert begun == rotations[:2], "one table for each process"
    games.ended(rotations[1])
    assert begun == [*rotations[:2], rotations[3]], "of the instance that is free"
    assert games.tables_of(0) == 2


def test_a_bot_with_one_process_plays_all_rotations_with_it():
    games, begun = dispatcher({1: 1}, {0: 2})
    rotations = [seating(number, (0, 1), (number, 0)) for number in range(2)]
    games.add(rotations)
    games.begin()
    assert begun == rotations[:1]


def test_a_course_goes_on_with_the_instances_that_are_free():
    made = hall("round-robin", [QUICK, QUICK], 10, {0: 1, 1: 1})
    assert made.course.plan.instances == 2
    made.play(0.1)
    assert made.running == 2
    assert {due.key.rotation for due in made.games} == {0, 1}


def test_a_turn_that_takes_as_long_as_a_game_of_others_makes_a_bot_slow_at_once():
    games, begun = dispatcher({}, {})
    games.concurrency = 1
    games.add([seating(0, (0, 1), (0, 0)), seating(1, (2, 3), (0, 0)), seating(2, (0, 2), (0, 0))])
    games.begin()
    assert len(begun) == 1
    games.bot_thinks(0, LEAST)
    assert len(begun) == 1, "what takes no longer is not slow"
    games.bot_thinks(0, 2 * LEAST)
    assert [each.players for each in begun] == [(0, 1), (2, 3)], "and not yet another one of the slow bot"


def test_a_bot_that_was_slow_once_is_quick_again():
    games, _ = dispatcher({}, {})
    sharing = games.sharing
    for player in range(3):
        sharing.thought(player, 0.1)
    sharing.thinks(0, 2.0)
    assert sharing.is_slow(0)
    for _ in range(5):
        sharing.thought(0, 0.1)
    assert not sharing.is_slow(0)
    sharing.thought(0, 3 * SLOW)
    assert sharing.is_slow(0)


def test_numbers_of_instances_tell_bots_apart():
    assert instance_number(3, 0) == 3
    assert len({instance_number(player, instance) for player in range(9) for instance in range(7)}) == 63
