"""A room with scripted bots and simulated time: no network, no waiting."""

from __future__ import annotations

import pytest

from arena.games import GAMES
from arena.referee.rooms.room import HOLD, MACHINE_FAULT, MARGIN, RECOVERY
from arena.referee.rooms.room_state import HANDING_LIMIT, SEAT_THOUGHTS
from arena.table.clock import SECOND
from arena.table.deal import board_key
from arena.table.table import TableRules
from arena.tournament.seating import Seating
from arena.v1 import bot_pb2
from tests.referee.rooms.room_world import MOVE, Line, World

BROKEN = ("disconnect", "the connection was lost")
CRASH = ("crash", "it fell over")


def test_a_game_between_two_bots_is_played_to_its_end():
    world = World()
    world.connect()
    world.open()
    start = world.lines[0].sent[0].starts[0]
    assert (start.seat, start.seats, list(start.names)) == (0, 2, [])
    world.play_on()
    (played,) = world.played
    assert played.record.faults == ()
    assert sum(played.decisions) > 0
    assert world.room.abandon() == []


def test_the_end_is_told_to_both():
    world = World()
    world.connect()
    world.open("hyrule")
    ends = []
    while not world.played:
        for player, line in enumerate(world.lines):
            for turn in line.turns():
                world.answer(player, turn)
    for line in world.lines:
        ends += [end for request in line.sent for end in request.ends]
    (played,) = world.played
    assert [list(end.outcome.places) for end in ends] == [list(played.record.outcome.places)] * 2
    assert all(end.hyrule.events for end in ends)


def test_turns_that_come_up_together_travel_together():
    world = World()
    world.connect()
    for board in "123":
        rules = TableRules(GAMES["forty-one"], GAMES["forty-one"].Options(), 2, world.control, 3)
        world.room.open(
            Seating(board, rules, board_key(bytes(32), "forty-one", board), (0, 1)), next(world.tables)
        )
    world.room.flush()
    (request,) = world.lines[0].sent
    assert len(request.starts) == 3


def test_what_comes_up_while_a_bot_has_turns_to_answer_waits_for_its_answer_but_not_long():
    world = World()
    world.connect()
    world.open(board="1")
    (first,) = world.lines[0].turns()
    world.open(board="2")
    assert world.lines[0].turns() == []
    world.answer(0, first)
    (second,) = world.lines[0].turns()
    assert second.table != first.table
    world.open(board="3")
    assert world.room.flush()
    assert world.lines[0].turns() == []
    world.now += HOLD
    assert not world.room.flush()
    (third,) = world.lines[0].turns()
    assert third.table not in (first.table, second.table)


def test_silence_is_a_timeout_that_forfeits_at_the_third():
    world = World()
    world.connect()
    world.open()
    for _ in range(200):
        world.play_on(1)
        world.pass_time(MOVE + MARGIN + 1)
        if world.played:
            break
    assert world.faults() == [(0, "timeout")] * 3
    assert world.played[0].record.forfeits == (0,)


def test_lag_of_the_referee_is_not_charged():
    world = World()
    world.connect()
    world.open()
    (turn,) = world.lines[0].turns() or world.lines[1].turns()
    player = 0
    world.lag = SECOND // 2
    world.pass_time(MOVE + MARGIN + SECOND // 4)
    world.answer(player, turn)
    world.play_on()
    assert world.faults() == []


def test_a_long_lag_makes_a_timed_out_game_void():
    world = World()
    world.connect()
    world.open()
    world.lag = MACHINE_FAULT + 1
    world.pass_time(MOVE + MARGIN + world.lag + 1)
    assert [seating.key for seating in world.void] == ["1"]
    assert world.played == []
    ends = [end for line in world.lines for request in line.sent for end in request.ends]
    assert len(ends) == 2
    assert not any(end.HasField("outcome") for end in ends)


def test_an_answer_read_before_the_next_tick_is_judged_with_the_lag_until_then():
    world = World()
    world.connect()
    world.open()
    (turn,) = world.lines[0].turns()
    world.lag = 20 * SECOND
    world.now += world.lag + MOVE // 2  # the referee stood still, and no tick has come since
    world.answer(0, turn)
    world.pass_time(0)
    world.play_on()
    assert world.faults() == []
    assert world.played[0].seat_times[0] == MOVE // 2


def test_a_turn_handed_over_after_a_standstill_gets_nothing_for_it():
    world = World()
    world.lines[0].takes = False
    world.connect()
    world.open()
    (turn,) = world.lines[0].turns()
    world.lag = world.now = SECOND // 2
    world.lines[0].batches[0].sent = world.moment()
    world.now += MOVE + 1
    world.answer(0, turn)
    world.play_on()
    assert world.faults() == [(0, "timeout")]


def test_a_late_answer_after_a_long_lag_makes_the_game_void():
    world = World()
    world.connect()
    world.open()
    (turn,) = world.lines[0].turns()
    world.lag = MACHINE_FAULT + 1
    world.now = world.lag + MOVE + 1
    world.answer(0, turn)
    assert [seating.key for seating in world.void] == ["1"]
    world.pass_time(100 * SECOND)
    assert world.played == []


def test_a_batch_that_the_referee_has_not_queued_yet_is_on_nobodys_clock():
    world = World()
    world.lines[0].queues = False
    world.connect()
    world.open()
    (turn,) = world.lines[0].turns()
    world.pass_time(100 * SECOND)  # a worker stood still before the referee heard of the turn
    world.lines[0].batches[0].queued = world.lines[0].batches[0].sent = world.moment()
    world.answer(0, turn)
    world.lines[0].queues = True
    world.play_on()
    assert world.faults() == []


def test_a_connection_that_breaks_from_a_standstill_makes_its_games_void():
    world = World()
    world.connect()
    world.open(board="1")
    (turn,) = world.lines[0].turns()
    world.lag = 20 * SECOND
    world.pass_time(world.lag)
    world.answer(0, turn)
    world.play_on(1)  # the next turn of bot 0 is due after the standstill
    world.room.lost(0, *BROKEN)
    assert [seating.key for seating in world.void] == ["1"]
    world.open(board="2")
    world.pass_time(MOVE + MARGIN + 1)  # nor does its absence count
    assert [seating.key for seating in world.void] == ["1", "2"]
    world.pass_time(RECOVERY)
    world.open(board="3")
    world.play_on(1)
    world.pass_time(MOVE + MARGIN + 1)
    world.connect(0)
    world.play_on(1)
    world.room.lost(0, *CRASH)
    world.room.flush()
    world.connect(0)
    world.room.flush()
    world.play_on()
    assert world.faults() == [(0, "timeout"), (0, "crash")]


@pytest.mark.parametrize("max_faults", [1, 2, 3])
def test_wrong_tables_that_forfeit_while_a_turn_waits_end_that_turn(max_faults):
    world = World(max_faults=max_faults)
    world.connect()
    world.open()
    (turn,) = world.lines[0].turns()
    for _ in range(max_faults + 2):
        world.room.stray(0, 77, at=1)
    world.room.lost(0, *CRASH)
    world.room.flush()
    world.connect(0)
    world.answer(0, turn)
    world.play_on()
    assert world.faults() == [(0, "unknown_turn")] * max_faults
    assert world.played[0].record.forfeits == (0,)


def test_a_lost_bot_is_charged_for_its_turn_and_told_everything_when_it_is_back():
    world = World()
    world.connect()
    world.open()
    first = (world.lines[0].turns() or [None])[0]
    assert first is not None
    world.room.lost(0, *CRASH)
    world.room.flush()
    world.play_on(1)
    world.lines[0] = Line(world)
    world.connect(0)
    world.room.flush()
    assert [start.table for request in world.lines[0].sent for start in request.starts] == [first.table]
    (turn,) = world.lines[0].turns()
    assert turn.forty_one.events[: len(first.forty_one.events)] == first.forty_one.events
    world.answer(0, turn)
    world.play_on()
    assert world.faults() == [(0, "crash")]


def test_the_clock_of_a_bot_that_is_away_runs():
    world = World()
    world.connect()
    world.open()
    world.room.lost(0, *CRASH)
    world.room.flush()
    world.play_on(1)
    world.pass_time(MOVE + MARGIN + 1)
    world.lines[0] = Line(world)
    world.connect(0)
    world.room.flush()
    world.play_on()
    assert world.faults() == [(0, "crash"), (0, "timeout")]


def test_a_bot_that_is_given_up_loses_at_once_and_slows_nobody():
    world = World()
    world.connect(1)
    world.room.give_up(0, *CRASH)
    world.open()
    world.room.flush()
    assert world.lines[1].turns() == [], "nobody is asked in a game that is decided"
    assert world.faults() == [(0, "crash")] * 3
    assert world.played[0].decisions == (0, 0)
    assert world.played[0].seat_times == (0, 0)
    assert world.now == 0


@pytest.mark.parametrize("how", ["give_up", "cut"])
def test_a_bot_that_is_given_up_while_it_plays_forfeits_at_once(how):
    world = World()
    world.connect()
    world.open()
    getattr(world.room, how)(0, *CRASH)
    assert world.faults() == [(0, "crash")] * 3
    assert world.now == 0


def test_a_bot_that_is_cut_off_loses_its_tables_at_once_and_may_play_at_others():
    world = World()
    world.connect()
    world.open()
    world.room.cut(0, "protocol", "floods its connection")
    world.room.flush()
    world.play_on(1)
    assert world.faults() == [(0, "protocol")] * 3
    assert world.now == 0
    world.played.clear()
    world.open(board="2")
    world.play_on(1)
    assert world.played == []  # this one waits
    world.lines[0] = Line(world)
    world.connect(0)
    world.room.flush()
    world.play_on()
    assert world.faults() == []


def test_a_bot_that_does_not_read_is_on_the_clock():
    world = World()
    world.lines[0].takes = False
    world.connect()
    world.open()
    world.pass_time(HANDING_LIMIT + MOVE + MARGIN + 1)
    world.play_on(1)
    world.lines[0].takes = True
    world.play_on()
    world.pass_time(0)
    world.play_on()
    assert world.faults()[0] == (0, "timeout")


def test_stray_answers_are_faults_and_late_ones_are_not():
    world = World()
    world.connect()
    world.open()
    for _ in range(2):
        world.room.stray(0, 77, at=1)
    world.room.decided(0, [(77, 1, 0, b"")], world.moment())
    world.play_on()
    assert world.faults() == [(0, "unknown_turn")] * 2
    world.room.decided(0, [(1, 1, 0, b"")], world.moment())  # the table is over
    assert len(world.played) == 1


def test_babble_forfeits_only_the_babbler():
    world = World(max_faults=2)
    world.connect()
    world.open()
    world.room.decided(1, [(1, 900 + number, 0, b"") for number in range(50)], world.moment())
    world.room.flush()
    world.play_on()
    assert world.faults() == [(1, "unknown_turn")] * 2
    assert world.played[0].record.outcome.places == (1, 2)


def test_nothing_is_sent_for_what_is_over():
    world = World()
    world.connect()
    world.open()
    assert [seating.key for seating in world.room.abandon()] == ["1"]
    world.room.flush()
    world.lines[0].sent.clear()
    world.pass_time(100 * SECOND)
    assert world.lines[0].sent == []


def test_of_a_seat_that_says_too_much_the_estimates_are_kept():
    world = World()
    world.connect()
    world.open()
    long = bot_pb2.Thought(estimate=0.5, text="a" * (SEAT_THOUGHTS // 3)).SerializeToString()
    while not world.played:
        for player in (0, 1):
            for turn in world.lines[player].turns():
                world.answer(player, turn, thought=long if player == 0 else b"")
    [game] = world.played
    assert {seat for seat, _, _ in game.thoughts} == {0}
    assert len(game.thoughts) == game.decisions[0] > 3
    assert [thought == long for _, _, thought in game.thoughts] == [True] * 2 + [False] * (
        game.decisions[0] - 2
    )
    assert game.thoughts[-1][2] == bot_pb2.Thought(estimate=0.5).SerializeToString()


def test_what_was_thought_of_an_illegal_action_is_not_kept():
    world = World()
    world.connect()
    world.open()
    thought = bot_pb2.Thought(estimate=0.5).SerializeToString()
    while not world.played:
        for player in (0, 1):
            for turn in world.lines[player].turns():
                wrong = player == 0 and turn.turn == 2
                world.answer(player, turn, action=999 if wrong else 0, thought=thought)
    [game] = world.played
    assert [fault.turn for _, _, fault in game.record.faults] == [2]
    assert [turn for seat, turn, _ in game.thoughts if seat == 0][:2] == [1, 3]
    assert [turn for seat, turn, _ in game.thoughts if seat == 1][:2] == [1, 2]
