"""Whether a bot is here follows from what has happened to its instances, and all who are told of it agree."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import trio
from hypothesis import given
from hypothesis import strategies as st

from arena.league.entrants import Entrant
from arena.link.streams.bot_fault import BotFault, Excused, Flood
from arena.link.streams.flood import CUTS
from arena.link.streams.stream import BuiltInPlayer
from arena.referee.night.roster import STATES
from arena.referee.presence import NEXT, Presence, State
from arena.referee.rooms.rooms import RoomInProcess
from arena.referee.sitting.keeper import Attendance, GuestKeeper, Keeper
from arena.referee.sitting.sitting import Sitting
from arena.tournament.instances import instance_number
from tests.examples import examples

NUMBERS = range(3)
ALL = (State.ABSENT, State.GONE, State.DISMISSED)  # what happens to all instances of a bot at once
EVENTS = st.one_of(
    st.tuples(st.sampled_from([State.HERE, State.LOST]), st.integers(0, 2)),
    st.tuples(st.sampled_from(ALL), st.none()),
)


def instance(history: Sequence[State]) -> State:
    """The state of an instance after what has happened to it."""
    for end in (State.DISMISSED, State.GONE):
        if end in history:
            return end
    if State.HERE not in history:
        return State.ABSENT if State.ABSENT in history else State.COMING
    return [each for each in history if each in (State.HERE, State.LOST)][-1]


@examples(400)
@given(st.integers(1, 3), st.lists(EVENTS, max_size=12))
def test_the_state_of_a_bot_follows_from_what_has_happened(instances, events):
    seconds = [0.0]
    numbers = NUMBERS[:instances]
    presence = Presence(numbers, lambda: seconds[0])
    histories: dict[int, list[State]] = {number: [] for number in numbers}
    fault, since = None, 0.0
    for state, number in events:
        seconds[0] += 1
        concerned = numbers if number is None else [number % instances]
        before = {each: presence.of(each) for each in numbers}
        bot_before = presence.state
        why = BotFault("crash", f"{seconds[0]}") if state.forfeits else None
        changed = presence.note(state, concerned, why)
        for each in concerned:
            histories[each].append(state)
        states = {each: instance(history) for each, history in histories.items()}
        assert {each: presence.of(each) for each in numbers} == states
        assert changed == [each for each in numbers if states[each] is not before[each]]
        assert presence.state is max(states.values())
        if changed and state.forfeits:
            fault = why
        if bot_before is not presence.state:
            since = seconds[0]
        assert presence.since == since
        assert presence.fault is (fault if presence.state.forfeits else None)
        assert not presence.came or all(State.HERE in history for history in histories.values())
        assert presence.came or not {*states.values()} <= {State.HERE, State.LOST}


def test_a_state_that_is_final_leads_to_no_other_and_one_that_is_not_to_here():
    assert NEXT.keys() == set(State)
    for state, following in NEXT.items():
        assert not state.final or all(each.final for each in following)
        assert state.final or state is State.HERE or State.HERE in following
        assert state not in following
        assert State.COMING not in following


def stream(sitting: Sitting) -> BuiltInPlayer:
    """The connection of a bot that answers nothing."""
    return BuiltInPlayer(lambda decisions, read: None, sitting.now)


def test_the_keeper_alone_changes_a_presence():
    arena = Path(__file__).parents[2] / "arena"
    files = [path for path in arena.rglob("*.py") if "presence.note(" in path.read_text("utf-8")]
    assert files == [arena / "referee" / "sitting" / "keeper.py"]


class Started(Keeper):
    """Keeps a bot with several instances, to which the test lets things happen."""

    async def _keep(self) -> None:
        raise AssertionError("the test keeps it")


class Seen:
    """A bot of a sitting, and what each who is told of it believes."""

    def __init__(self, sitting: Sitting, player: int, instances: int) -> None:
        self.keeper: Keeper = (
            Started(player, Entrant("bot"), sitting, self.tell, instances)
            if instances
            else GuestKeeper(player, Entrant("guest", join=True), sitting, self.tell)
        )
        self.sitting = sitting
        self.settled = False

    def tell(self, news: Attendance) -> None:
        """People are told of the bot as it is now."""
        presence = self.keeper.presence
        assert (news.here, news.came) == (presence.state is State.HERE, presence.came)

    def happens(self, what: str, number: int) -> None:
        keeper = self.keeper
        number = keeper.presence.numbers[number % keeper.instances]
        match what:
            case "comes":
                keeper._become(State.HERE, number, stream=stream(self.sitting))
            case "is given up":
                keeper._give_up(BotFault("crash", "does not come up"))
            case "is dismissed":
                keeper.dismiss(BotFault("disconnect", "was withdrawn"))
            case "is not waited for":
                if isinstance(keeper, GuestKeeper):
                    keeper.start_without()
            case _:
                loss = {"floods": Flood("floods"), "is excused": Excused("the door ended")}
                if keeper.presence.of(number) is State.HERE:
                    keeper._lose(number, loss.get(what, BotFault("crash", "ended")), "and may come back")
        self.settled = self.settled or not keeper.presence.state.awaited

    def agree(self) -> None:
        """All who are told of the bot agree with its keeper."""
        keeper, presence, rooms = self.keeper, self.keeper.presence, self.sitting.rooms
        state = presence.state
        assert isinstance(rooms, RoomInProcess)
        for number in presence.numbers:
            bot = rooms._room._bots[number]
            assert (bot.stream is not None) == (presence.of(number) is State.HERE)
            assert (bot.given_up_for is not None) == presence.of(number).forfeits
        waits = keeper.player in next(self.sitting._dispatcher.sharing.hindrances())
        assert waits == (state.awaited or state is State.ABSENT)
        assert keeper.settled.is_set() == self.settled
        assert (STATES[state] == "here") == (state is State.HERE)
        assert (STATES[state] == "gone") == state.forfeits == (presence.fault is not None)
        if isinstance(keeper, GuestKeeper):
            assert (keeper.refusal is not None) == state.final


HAPPENINGS = st.sampled_from(
    [
        *("comes", "comes", "comes", "is lost", "is lost", "floods", "is excused", "is not waited for"),
        *("is given up", "is dismissed"),
    ]
)


@examples(100)
@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=3),
    st.lists(st.tuples(st.integers(0, 2), HAPPENINGS, st.integers(0, 2)), max_size=30),
)
def test_all_who_are_told_of_a_bot_agree(kinds, happenings):
    async def main() -> None:
        sitting = Sitting()
        bots = [Seen(sitting, player, instances) for player, instances in enumerate(kinds)]
        for bot in bots:
            sitting._dispatcher.bot_is(bot.keeper.player, bot.keeper.presence.state)
            bot.agree()
        for which, what, number in happenings:
            bots[which % len(bots)].happens(what, number)
            for bot in bots:
                bot.agree()
        playing = (State.HERE, State.LOST)
        sitting.keepers.update({bot.keeper.player: bot.keeper for bot in bots})
        assert sitting._bots_here() == sum(bot.keeper.presence.state in playing for bot in bots)

    trio.run(main)


def test_a_bot_of_which_one_instance_is_given_up_is_given_up():
    """Even if another instance connects at the same moment."""

    async def main() -> None:
        sitting = Sitting()
        keeper = Started(0, Entrant("bot"), sitting, lambda news: None, 2)
        first, second = keeper.presence.numbers
        assert second == instance_number(0, 1)
        keeper._give_up(BotFault("crash", "does not come up"))
        assert not keeper._become(State.HERE, second, stream=stream(sitting))
        assert keeper.presence.state is State.GONE
        assert isinstance(sitting.rooms, RoomInProcess)
        assert [sitting.rooms._room._bots[number].stream for number in (first, second)] == [None, None]

    trio.run(main)


def test_a_bot_that_floods_again_and_again_is_given_up():
    async def main() -> None:
        sitting = Sitting()
        keeper = GuestKeeper(0, Entrant("guest", join=True), sitting, lambda news: None)
        for floods in range(CUTS):
            assert keeper.refusal is None
            assert keeper._become(State.HERE, stream=stream(sitting))
            keeper._lose(0, Flood("floods"), "")
            assert keeper.presence.state is (State.LOST if floods + 1 < CUTS else State.GONE)
        assert keeper.refusal is not None

    trio.run(main)


def test_a_guest_that_came_late_and_is_lost_may_come_back():
    async def main() -> None:
        sitting = Sitting()
        keeper = GuestKeeper(0, Entrant("guest", join=True), sitting, lambda news: None)
        keeper.start_without()
        assert STATES[keeper.presence.state] == "gone"
        keeper._become(State.HERE, stream=stream(sitting))
        keeper._lose(0, BotFault("disconnect", "is gone"), "")
        assert STATES[keeper.presence.state] == "lost"

    trio.run(main)
