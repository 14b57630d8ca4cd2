"""What comes from workers is looked at where it arrives: right games count, and nothing else does."""

from __future__ import annotations

import math
import pickle
import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from arena.cluster import worker
from arena.cluster.arrivals import answer_in, facts_in
from arena.cluster.bundle import Bundle
from arena.cluster.desk import Facts
from arena.cluster.parcels import Absent, Bot, Introduced, Kept, Lacks, Order, Result, Told, Trouble, Word
from arena.cluster.scrutiny import Untrue, game_told, sealed
from arena.games import GAMES
from arena.link.local.sandbox import Level, Sandbox
from arena.link.streams.dial import BotInfo
from arena.link.wire.records import decode_record
from arena.results import GameKey
from arena.runner.leagues.finished import finished_game
from arena.runner.rooms.room import Played, Seating
from arena.store import FinishedGame
from arena.table.clock import SECOND, TimeControl
from arena.table.record import first_position, replay
from arena.table.table import Table, TableRules, with_forfeits
from tests.examples import examples
from tests.runner.test_room_sequences import RoomMachine

NOTHING: Any = None
CONTROL = TimeControl(10 * SECOND, SECOND, 2 * SECOND)
BOTS = {player: Bot(f"bot {player}", f"{player}" * 64, "", Sandbox(Level.BASIC)) for player in range(3)}
JUNK: list[Any] = [
    math.nan, math.inf, -math.inf, -1, -1.0, 0, 0.5, 1, 7, 1 << 31, 1 << 40, 1 << 64, -(1 << 64), 10**400,
    1e300, None, True, False, "", "crash", "unspecified", "\ud800", "x" * 1000, b"", b"x", (), (0,), [], {},
    {"a": 1}, Kept(), Absent(0, "crash", "gone"), GAMES,
]  # fmt: skip


class PlayedAnyhow(RoomMachine):
    """Everything that can happen to a room, a worker's too: whatever it tells then is believed."""

    def teardown(self) -> None:
        super().teardown()
        for game in self.played:
            told = sealed(3, game)
            assert game_told(told, game.seating, self.time / SECOND) == told


PlayedAnyhow.TestCase.settings = settings(examples(60), stateful_step_count=40, phases=[Phase.generate])
TestPlayedAnyhow = PlayedAnyhow.TestCase


def game(position: int, seats: int, name: str, rng: random.Random, faulty: float) -> tuple[Seating, Told]:
    """A game that was played by whim, with a share of faults among the turns."""
    rules = TableRules(GAMES[name], GAMES[name].parse_options({}), seats, CONTROL, 3)
    key = GameKey(0, 0, 0, name, position, 0, tuple(range(seats)))
    seating = Seating(key, rules, rng.randbytes(32), tuple(range(seats)))
    table = Table(rules, seating.board_key)
    took = [0] * seats
    while not table.over:
        for ask in table.asks():
            elapsed = rng.randrange(SECOND // 100)
            if rng.random() >= faulty:
                table.answer(ask.seat, ask.turn, rng.randrange(len(ask.actions)), elapsed)
                took[ask.seat] += elapsed
            elif rng.random() < 0.5:
                table.answer(ask.seat, ask.turn, 1 << 20, elapsed)
                took[ask.seat] += elapsed
            else:
                table.fault(ask.seat, "crash", "gone", elapsed)
    turns = tuple(table.turns_of(seat) for seat in range(seats))
    return seating, sealed(position, Played(seating, table.record(), table.times(), tuple(took), turns))


def batch(seed: int, seats: int, name: str, faulty: float) -> tuple[Order, Result]:
    """A batch, and what came out of it."""
    rng = random.Random(seed)
    games = [game(position, seats, name, rng, faulty) for position in range(2)]
    order = Order("run", BOTS, {}, [seating for seating, _ in games], 4)
    words = (Word(1, "was lost: the bot's process ended with exit code 1 and is started again"),)
    return order, Result(tuple(told for _, told in games), words, 60.0, 0.5, 100, 10**9)


def stored(order: Order, result: Result) -> list[FinishedGame]:
    """What the league keeps of it."""
    games = [played(order.seatings[told.position], told) for told in result.games]
    return sorted((finished_game(game) for game in games), key=lambda each: each.result.key)


def played(seating: Seating, told: Told) -> Played:
    """The game that is told."""
    return Played(seating, told.record, told.times, told.seat_times, told.decisions)


def places_in(value: Any, place: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """Where something is in a value made of tuples, the value itself included."""
    yield place
    if isinstance(value, tuple):
        for position, part in enumerate(value):
            yield from places_in(part, (*place, position))


def spoiled(value: Any, place: tuple[int, ...], how: Any) -> Any:
    """The same value with something else in one place."""
    if not place:
        return how(value)
    parts = list(value)
    parts[place[0]] = spoiled(parts[place[0]], place[1:], how)
    return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)


def spoil(rng: random.Random, value: Any) -> Any:
    """Something else than a value, often much like it."""
    like: list[Any] = []
    if isinstance(value, int | float):
        like = [value + 1, value - 1, -value, float(value), 2 * value + 3]
    elif isinstance(value, tuple) and not hasattr(value, "_fields"):
        like = [value[1:], value[:-1], value[::-1], (*value, *value[:1]), list(value)]
    return rng.choice(like if like and rng.random() < 0.6 else JUNK)


def look(order: Order, result: Result) -> Result | None:
    """What is believed of a result; None where it is the worker's trouble."""
    answer = answer_in(worker.play, order, pickle.dumps(result))
    if isinstance(answer, Result):
        assert math.isfinite(answer.seconds)
        assert all(isinstance(word.what, str) and word.player in BOTS for word in answer.words)
        return answer
    assert isinstance(answer, Untrue) or not isinstance(result, Result)
    return None


BATCHES = st.builds(
    lambda seed, kind, faulty: batch(seed, kind[1], kind[0], faulty),
    st.integers(0, 30),
    st.sampled_from([("hyrule", 2), ("forty-one", 3), ("nur-mut", 3)]),
    st.sampled_from([0.0, 0.15]),
)


@examples(600)
@given(BATCHES, st.randoms(use_true_random=False))
def test_whatever_is_spoiled_is_the_workers_trouble_or_changes_nothing(batch, rng):
    order, right = batch
    place = rng.choice(list(places_in(right)))
    answer = look(order, spoiled(right, place, lambda value: spoil(rng, value)))
    assert answer is None or stored(order, answer) == stored(order, right)


@examples(600)
@given(BATCHES, st.randoms(use_true_random=False))
def test_what_a_worker_itself_gets_wrong_is_no_game_that_the_rules_do_not_allow(batch, rng):
    order, right = batch
    first = order.seatings[0]
    game = played(first, right.games[0])
    parts = (game.record, game.times, game.seat_times, game.decisions)
    place = rng.choice(list(places_in(parts))[1:])
    try:
        told = sealed(0, Played(first, *spoiled(parts, place, lambda value: spoil(rng, value))))
    except Exception:  # noqa: BLE001 - which a worker tells as its trouble
        return
    answer = look(order, right._replace(games=(told, *right.games[1:])))
    if answer is None:
        return
    there, genuine = (stored(order, each)[0] for each in (answer, right))
    record = decode_record(there.record)
    state = first_position(record)
    assert all(step.state is state for step in replay(record, state))
    assert state.outcome is not None
    places = with_forfeits(state.outcome.places, record.forfeits)
    assert state.outcome._replace(places=places) == record.outcome
    if not game.record.faults:  # then all but what was chosen can be told from the rest
        assert (there.result, there.times) == (genuine.result, genuine.times)


def test_what_is_right_is_believed_as_it_is():
    for seed in range(30):
        for faulty in (0.0, 0.3):
            order, right = batch(seed, 3, "nur-mut", faulty)
            answer = answer_in(worker.play, order, pickle.dumps(right))
            assert isinstance(answer, Result)
            assert answer._replace(games=tuple(answer.games), words=tuple(answer.words)) == right


@pytest.mark.parametrize("answer", [Trouble("why"), Lacks([BOTS[1].bundle]), Absent(1, "crash", "gone")])
def test_why_nothing_was_played_is_believed(answer):
    order, _ = batch(0, 2, "hyrule", 0)
    assert answer_in(worker.play, order, pickle.dumps(answer)) == answer


@pytest.mark.parametrize(
    "answer",
    [
        Absent(9, "crash", "gone"),
        Absent(True, "crash", "gone"),
        Absent(1, "melancholy", "gone"),
        Absent(1, "crash", NOTHING),
        Absent(1, "crash", "gone", built=NOTHING),
        Lacks(["another"]),
        Lacks([]),
        Lacks(NOTHING),
        Trouble(NOTHING),
        Kept(),
        Introduced(BotInfo("a", "", "", (), 0)),
        None,
    ],
)
def test_what_cannot_be_an_answer_to_a_batch_is_untrue(answer):
    order, _ = batch(0, 2, "hyrule", 0)
    assert isinstance(answer_in(worker.play, order, pickle.dumps(answer)), Untrue)


@pytest.mark.parametrize("data", [None, 7, b"", b"garbage", pickle.dumps(Kept())[:-3], pickle.dumps(Kept)])
def test_what_is_no_answer_at_all_is_untrue(data):
    assert isinstance(answer_in(worker.keep, Bundle("", b""), data), Untrue)


def test_who_is_introduced_is_a_bot():
    asked = ("run", 1, BOTS[1])
    info = BotInfo("one", "1.0", "", ("hyrule",), 4)

    def told(answer: object) -> object:
        return answer_in(worker.introduce, asked, pickle.dumps(answer))

    assert told(Introduced(info)) == Introduced(info)
    assert told(Absent(1, "timeout", "did not come up")) == Absent(1, "timeout", "did not come up")
    others: list[dict[str, Any]] = [
        {"name": 7}, {"name": "\x1b[2J"}, {"version": None}, {"author": b""}, {"games": ("chess",)},
        {"games": None}, {"max_tables": -1}, {"max_tables": 0.5}, {"max_tables": math.nan}, {"pledge": None},
    ]  # fmt: skip
    for other in others:
        assert isinstance(told(Introduced(info._replace(**other))), Untrue), other
    for answer in (Introduced(NOTHING), Absent(2, "crash", "gone"), Kept(), info):
        assert isinstance(told(answer), Untrue)


def test_what_a_worker_says_it_is_is_looked_at_too():
    facts = Facts({"arena": "1"}, "here", ("landlock",))
    assert facts_in(pickle.dumps(facts)) == facts
    others: list[dict[str, Any]] = [
        {"host": 7},
        {"lacking": (None,)},
        {"lacking": "x"},
        {"versions": {1: "1"}},
    ]
    for other in others:
        with pytest.raises(Untrue):
            facts_in(pickle.dumps(facts._replace(**other)))
