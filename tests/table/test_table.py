"""The table as a state machine: asks, answers, faults, forfeits, and a record that replays."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.games import GAMES
from arena.table.clock import SECOND, TimeControl
from arena.table.deal import board_key
from arena.table.position import View
from arena.table.record import BrokenRecord, asked_until, first_position, replay
from arena.table.table import Answered, Table, TableRules, with_forfeits

CONTROL = TimeControl(bank=100 * SECOND, increment=0, move=10 * SECOND)


def make_table(game="forty-one", seats=2, seed=0, max_faults=3, **options) -> Table[View]:
    rules = TableRules(GAMES[game], GAMES[game].parse_options(options), seats, CONTROL, max_faults)
    return Table(rules, board_key(seed.to_bytes(32, "big"), game, "test"))


def play_out(table: Table[View], rng: random.Random, asks=None):
    waiting = list(asks or [])
    while not table.over:
        waiting += table.asks()
        ask = waiting.pop(rng.randrange(len(waiting)))
        assert table.answer(ask.seat, ask.turn, rng.randrange(len(ask.view.actions)), 1000) is Answered.TAKEN


@given(st.sampled_from(sorted(GAMES)), st.integers(2, 4), st.integers(0, 10**9))
def test_a_game_played_through_a_table_replays_from_its_record(game, seats, seed):
    table = make_table(game, seats, seed)
    play_out(table, random.Random(seed))
    record = table.record()
    state = first_position(record)
    steps = list(replay(record, state))
    assert len(steps) == len(record.actions) == len(table.times())
    assert state.outcome == record.outcome
    assert record.faults == ()
    assert record.forfeits == ()


def test_forced_turns_are_not_asked_but_recorded():
    table = make_table("hyrule", 2)
    asked = 0
    while not table.over:
        for ask in table.asks():
            assert len(ask.view.actions) > 1
            asked += 1
            table.answer(ask.seat, ask.turn, 0, 0)
    assert asked < len(table.record().actions)


def test_simultaneous_choices_do_not_depend_on_the_order_of_answers():
    records = []
    for order in (1, -1):
        table = make_table("hyrule", 3, mode="chance")
        while not table.over:
            for ask in table.asks()[::order]:
                table.answer(ask.seat, ask.turn, ask.seat % len(ask.view.actions), 0)
        records.append(table.record())
    assert records[0] == records[1]


def test_nothing_is_shown_before_all_have_chosen():
    table = make_table("hyrule", 2, mode="chance")
    first, second = table.asks()
    table.answer(first.seat, first.turn, 0, 0)
    assert table.asks() == []
    assert "trick=()" in repr(second.view.observation)


def test_an_index_out_of_range_is_a_fault_and_the_default_action_is_played():
    table = make_table()
    (ask,) = table.asks()
    assert table.answer(ask.seat, ask.turn, len(ask.view.actions), 0) is Answered.FAULT
    (fault,) = table.faults_of(ask.seat)
    assert (fault.reason, fault.turn) == ("illegal_action", ask.turn)
    play_out(table, random.Random(1))
    assert [(seat, fault.reason) for seat, _, fault in table.record().faults] == [
        (ask.seat, "illegal_action")
    ]


def test_a_late_answer_is_a_timeout_and_the_next_one_to_the_same_turn_is_ignored():
    table = make_table()
    (ask,) = table.asks()
    assert table.answer(ask.seat, ask.turn, 0, 10 * SECOND + 1) is Answered.FAULT
    assert table.answer(ask.seat, ask.turn, 0, 0) is Answered.LATE
    assert [fault.reason for fault in table.faults_of(ask.seat)] == ["timeout"]


def test_an_answer_nobody_asked_for_is_a_fault_and_leaves_the_turn_waiting():
    table = make_table()
    (ask,) = table.asks()
    assert table.answer(ask.seat, ask.turn + 7, 0, 0) is Answered.FAULT
    assert [fault.reason for fault in table.faults_of(ask.seat)] == ["unknown_turn"]
    assert table.waits_for(ask.seat, ask.turn)
    assert table.answer(ask.seat, ask.turn, 0, 0) is Answered.TAKEN


def test_at_max_faults_a_seat_forfeits_is_asked_no_more_and_comes_last():
    table = make_table("kleftis", 3, max_faults=2)
    rng = random.Random(5)
    while not table.over:
        for ask in table.asks():
            if ask.seat == 1:
                assert len(table.faults_of(1)) < 2
                table.fault(1, "crash", "gone", 0)
            else:
                table.answer(ask.seat, ask.turn, rng.randrange(len(ask.view.actions)), 0)
    record = table.record()
    assert record.forfeits == (1,)
    assert record.outcome.places[1] == 3
    assert sorted(record.outcome.places[seat] for seat in (0, 2)) in ([1, 2], [1, 1])
    assert table.answer(1, 1, 0, 0) is Answered.LATE


def test_a_stray_answer_may_forfeit_while_a_turn_waits():
    table = make_table(max_faults=1)
    (ask,) = table.asks()
    table.stray(ask.seat, "there is no table 9")
    assert not table.waits_for(ask.seat, ask.turn)
    play_out(table, random.Random(2))
    assert table.record().forfeits == (ask.seat,)


def test_events_reach_a_seat_once_and_all_again_after_a_retelling():
    table = make_table()
    (ask,) = table.asks()
    assert ask.view.events
    table.retell(ask.seat)
    table.answer(ask.seat, ask.turn, 0, 0)
    while True:
        for again in table.asks():
            if again.seat == ask.seat:
                assert again.view.events[: len(ask.view.events)] == ask.view.events
                return
            table.answer(again.seat, again.turn, 0, 0)


@pytest.mark.parametrize(
    ("places", "forfeits", "expected"),
    [
        ((1, 2, 3), (), (1, 2, 3)),
        ((1, 2, 3), (0,), (3, 1, 2)),
        ((1, 1, 3), (0,), (3, 1, 2)),
        ((2, 1, 2), (0, 1), (2, 2, 1)),
        ((1, 2), (0, 1), (1, 1)),
    ],
)
def test_forfeits_come_last_together(places, forfeits, expected):
    assert with_forfeits(places, forfeits) == expected


def test_a_broken_record_is_found():
    table = make_table()
    play_out(table, random.Random(3))
    record = table.record()
    for broken in (
        record._replace(actions=(*record.actions, 0)),
        record._replace(actions=(99, *record.actions[1:])),
        record._replace(seats=99),
    ):
        with pytest.raises(BrokenRecord):
            list(replay(broken, first_position(broken)))


def test_a_seat_may_have_a_clock_of_its_own():
    game = GAMES["forty-one"]
    patient = TimeControl(bank=1000 * SECOND, increment=SECOND, move=300 * SECOND)
    rules = TableRules(game, game.Options(), 2, CONTROL, 3, own_clocks={1: patient})
    table = Table(rules, board_key(bytes(32), "forty-one", "test"))
    left: dict[int, int] = {}
    while len(left) < 2:
        for ask in table.asks():
            left.setdefault(ask.seat, ask.time_left)
            table.answer(ask.seat, ask.turn, 0, 0)
    assert left == {0: CONTROL.move, 1: patient.move}


@given(
    st.sampled_from(sorted(GAMES)), st.integers(2, 4), st.integers(0, 10**9), st.integers(0, 40), st.data()
)
def test_nobody_is_asked_once_all_seats_but_one_have_forfeited(game, seats, seed, turns, data):
    """Whenever they forfeit, and whatever turns are open then."""
    table, rng = make_table(game, seats, seed), random.Random(seed)
    waiting, chosen = [], [0] * seats
    for _ in range(turns):
        waiting += table.asks()
        if table.over:
            return
        ask = waiting.pop(rng.randrange(len(waiting)))
        table.answer(ask.seat, ask.turn, rng.randrange(len(ask.view.actions)), 1000)
        chosen[ask.seat] += 1
    if table.over:
        return
    last = data.draw(st.integers(0, seats - 1))
    for seat in set(range(seats)) - {last}:
        if table.over:  # by the rules: what was left to play for the seats that forfeited
            return
        table.forfeit(seat, "disconnect", "is gone")
    assert table.over
    assert table.asks() == []
    record = table.record()
    assert record.outcome.places[last] == 1
    assert len(record.forfeits) == seats - 1
    steps = list(replay(record, first_position(record)))
    for seat in range(seats):
        until = asked_until(record, seat)
        own = [(step, time) for step, time in zip(steps, table.times(), strict=True) if step.seat == seat]
        choices = [time for step, time in own if step.choices > 1]
        before = sum(step.seat == seat and step.choices > 1 for step in steps[:until])
        assert before <= chosen[seat], "no turn that was not answered"
        assert chosen[seat] - before <= 1, "but for one that is chosen together with others"
        assert set(choices[chosen[seat] :]) <= {0}


def test_a_game_that_is_forfeited_before_it_begins_counts_no_turn():
    table = make_table("hyrule", 2)
    table.forfeit(0, "disconnect", "has not come")
    assert (table.asks(), table.over) == ([], True)
    assert [table.turns_of(seat) for seat in range(2)] == [0, 0]
    assert [fault.turn for fault in table.faults_of(0)] == [0, 0, 0]
    assert [asked_until(table.record(), seat) for seat in range(2)] == [0, 0]
