"""A room never raises and neither loses nor doubles a game, in any order of events."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from arena.games import GAMES
from arena.link.streams.moments import Moment
from arena.link.wire.messages import Decision
from arena.referee.rooms.room import MACHINE_FAULT, RECOVERY, Room
from arena.referee.rooms.room_state import TurnState
from arena.results import FAULT_REASONS
from arena.table.clock import MILLISECOND, SECOND, TimeControl
from arena.table.deal import board_key
from arena.table.table import TableRules
from arena.tournament.seating import Seating
from arena.v1 import bot_pb2
from tests.examples import examples

BOTS = 4
PLAYERS = st.integers(0, BOTS - 1)
LOSSES = st.sampled_from([reason for reason in FAULT_REASONS if reason != "unknown_turn"])
NUMBERS = st.one_of(st.integers(0, 12), st.integers(0, 2**32 - 1))
CONTROLS = st.sampled_from(
    [
        TimeControl(100 * SECOND, 0, 2 * SECOND),
        TimeControl(SECOND, 0, SECOND),
        TimeControl(2 * SECOND, 100 * MILLISECOND, SECOND // 2),
    ]
)


class Batch:
    """A batch that the transport takes when it likes."""

    def __init__(self, queued: Moment | None, sent: Moment | None) -> None:
        self.queued = queued
        self.sent = sent


class Line:
    """A stream that keeps the turns that were sent."""

    def __init__(self, world: RoomMachine, ways: str) -> None:
        self.world = world
        self.ways = ways

    def send(self, data: bytes, turns: int) -> Batch:
        request = bot_pb2.PlayRequest.FromString(data)
        assert len(request.turns) == turns
        self.world.asked += [(turn.table, turn.turn, 0, b"") for turn in request.turns]
        now = self.world.moment()
        batch = Batch(None if self.ways == "lingers" else now, now if self.ways == "takes" else None)
        self.world.batches.append(batch)
        return batch


class RoomMachine(RuleBasedStateMachine):
    """Everything that can happen to a room, with real games."""

    @initialize(max_faults=st.integers(1, 3), control=CONTROLS)
    def begin(self, max_faults: int, control: TimeControl) -> None:
        self.time = self.lag = 0
        self.max_faults = max_faults
        self.control = control
        self.opened: list[Seating] = []
        self.played: list[Any] = []
        self.void: list[Seating] = []
        self.abandoned: list[Seating] = []
        self.asked: list[Decision] = []  # every turn that ever was sent
        self.batches: list[Batch] = []
        self.strays: list[tuple[int, int]] = []
        self.closed: list[int] = []
        self.room = Room(
            self.played.append,
            self.void.append,
            self.moment,
            on_closed=self.closed.append,
            on_stray=lambda player, number: self.strays.append((player, number)),
        )

    def moment(self) -> Moment:
        return Moment(self.time, self.lag)

    @rule(game=st.sampled_from(sorted(GAMES)), players=st.permutations(range(BOTS)), seats=st.integers(2, 3))
    def open(self, game: str, players: list[int], seats: int) -> None:
        options = GAMES[game].parse_options({})
        rules = TableRules(GAMES[game], options, seats, self.control, self.max_faults)
        number = len(self.opened)
        key = board_key(bytes(32), game, str(number))
        self.opened.append(Seating(number, rules, key, tuple(players[:seats])))
        self.room.open(self.opened[-1], len(self.opened))

    @rule(player=PLAYERS, ways=st.sampled_from(["takes", "takes", "keeps", "lingers"]))
    def connect(self, player: int, ways: str) -> None:
        self.room.connect(player, Line(self, ways))

    @rule(player=PLAYERS, reason=LOSSES, how=st.sampled_from(["lost", "lost", "cut", "give_up"]))
    def lose(self, player: int, reason: str, how: str) -> None:
        getattr(self.room, how)(player, reason, "gone")

    @rule(player=PLAYERS, data=st.data())
    def answer(self, player: int, data: st.DataObject) -> None:
        """Turns that were asked of somebody, some long ago; often rightly."""
        if self.asked:
            turns = data.draw(st.lists(st.sampled_from(self.asked[-30:]), max_size=5))
            actions = st.one_of(st.just(0), st.integers(0, 40))
            self.decide(player, [(table, turn, data.draw(actions), b"") for table, turn, _, _ in turns])

    @rule(player=PLAYERS, decisions=st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS, st.just(b"")), max_size=5))
    def babble(self, player: int, decisions: list[Decision]) -> None:
        self.decide(player, decisions)

    @rule(rounds=st.integers(1, 40))
    def play_on(self, rounds: int) -> None:
        """Everything that waits is answered rightly, by whoever was asked."""
        for _ in range(rounds):
            self.room.flush()
            for player, bot in self.room._bots.items():
                decisions = [(table, item.ask.turn, 0, b"") for table, item in bot.waiting.items()]
                self.decide(player, decisions)

    def decide(self, player: int, decisions: list[Decision]) -> None:
        self.room.decided(player, decisions, self.moment())

    @rule(player=PLAYERS, number=NUMBERS, at=st.integers(1, 12))
    def stray(self, player: int, number: int, at: int) -> None:
        """Nobody is charged at a table where it does not sit: the answer is handed back."""
        sits = at in self.room._bots[player].seats
        self.room.stray(player, number, at)
        assert self.strays == ([] if sits else [(player, number)])
        self.strays.clear()

    @rule(
        passed=st.sampled_from([1, 30 * MILLISECOND, SECOND, 3 * SECOND, RECOVERY]),
        lag=st.sampled_from([0, 0, MILLISECOND, SECOND // 2, MACHINE_FAULT + 1, 20 * SECOND]),
        told=st.booleans(),
    )
    def pass_time(self, passed: int, lag: int, told: bool) -> None:
        self.time += passed + lag
        self.lag += lag
        if told:
            self.room.expire(self.moment())

    @rule()
    def take_all(self) -> None:
        """The transport takes what lay in its queue."""
        for batch in self.batches:
            batch.queued = batch.queued or self.moment()
            batch.sent = batch.sent or self.moment()

    @rule()
    def flush(self) -> None:
        self.room.flush()

    @rule()
    def abandon(self) -> None:
        self.abandoned += self.room.abandon()

    @invariant()
    def every_game_runs_or_has_ended_once(self) -> None:
        running = {
            running.number: running.seating
            for bot in self.room._bots.values()
            for running, _ in bot.seats.values()
        }
        ended = [*(game.seating for game in self.played), *self.void, *self.abandoned, *running.values()]
        assert sorted(seating.key for seating in ended) == list(range(len(self.opened)))
        assert self.room.tables == len(running)
        assert sorted([*self.closed, *running]) == [number + 1 for number in range(len(self.opened))]

    @invariant()
    def who_is_waited_for_is_asked(self) -> None:
        for bot in self.room._bots.values():
            waiting = {(number, item.ask.seat, item.ask.turn) for number, item in bot.waiting.items()}
            asked = {
                (number, seat, turn)
                for number, (running, seat) in bot.seats.items()
                if running.table.waits_for(seat, turn := running.table.turns_of(seat))
            }
            assert waiting == asked
            assert bot.given_up_for is None or (bot.stream is None and not waiting)
            assert bot.stream is not None or {item.state for item in bot.waiting.values()} <= {
                TurnState.ABSENT
            }

    @invariant()
    def no_turn_is_charged_twice(self) -> None:
        for game in self.played:
            charged = Counter(
                (seat, fault.turn)
                for seat, _, fault in game.record.faults
                if fault.turn and fault.reason != "unknown_turn"
            )
            assert max(charged.values(), default=1) == 1
            seats = Counter(seat for seat, _, _ in game.record.faults)
            assert all(count <= self.max_faults for count in seats.values())
            assert game.record.forfeits == tuple(
                seat for seat in sorted(seats) if seats[seat] == self.max_faults
            )

    def teardown(self) -> None:
        """Bots that are there and answer end every game that still runs."""
        for player in range(BOTS):
            self.room.connect(player, Line(self, "takes"))
        while self.room.tables:
            self.play_on(1)
        self.every_game_runs_or_has_ended_once()
        self.no_turn_is_charged_twice()


# Without shrinking, which takes minutes here.
RoomMachine.TestCase.settings = settings(examples(60), stateful_step_count=40, phases=[Phase.generate])
TestRoom = RoomMachine.TestCase
