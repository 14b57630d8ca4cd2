"""Every game keeps the laws of the interface `Game` in random play.

A law is checked on whole games that follow from one number, so a failure names
the number that shows it again. Choices are random among the legal actions, and
so are the options, the number of seats and the starter.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.games import GAMES, find_game
from arena.games.game import (
    SPECTATOR,
    Action,
    Board,
    Game,
    Happening,
    IllegalAction,
    Seat,
    State,
    WrongOption,
)
from tests.examples import examples
from tests.games.boards import keyed
from tests.games.leaks import change_cards, change_faces, watch
from tests.games.random_play import Setup, random_action, random_setup

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
numbers = st.integers(0, 2**64 - 1)


def games(count: int, deep: int) -> Callable[[Any], Any]:
    """Runs a law on `count` numbers for each game, in the deep run on so many more."""
    return examples(count, deep)


def viewers(state: State, seats: int) -> list[Any]:
    return [state.observation(viewer) for viewer in (*range(seats), SPECTATOR)]


def snapshot(state: State, seats: int) -> Any:
    """Everything that the contract lets one ask about a position."""
    legal = [tuple(state.legal_actions(seat)) for seat in range(seats)]
    return state.to_act, state.outcome, state.cards(), legal, viewers(state, seats)


def play(state: State, actions: Sequence[tuple[Seat, Action]], seats: int) -> list[Any]:
    """Plays the actions and returns all that happened and was seen."""
    return [(tuple(state.apply(seat, action)), viewers(state, seats)) for seat, action in actions]


def random_prefix(state: State, rng: random.Random) -> list[tuple[Seat, Action]]:
    """Plays some random actions, at times to the end, and returns them."""
    actions: list[tuple[Seat, Action]] = []
    for _ in range(rng.choice((3, 15, 60, 10_000))):
        if not state.to_act:
            break
        actions.append(random_action(state, rng))
        state.apply(*actions[-1])
    return actions


def test_the_list_of_games() -> None:
    assert list(GAMES) == ["nyuri", "forty-one", "nur-mut", "kleftis", "hyrule"]
    assert all(find_game(id) is each and each.id == id for id, each in GAMES.items())
    with pytest.raises(
        ValueError, match=r"no game 'chess'; the games are nyuri, forty-one, nur-mut, kleftis, hyrule"
    ):
        find_game("chess")


@every_game
def test_a_number_of_seats_that_cannot_play_is_an_error(game: Game) -> None:
    options = game.Options()
    setup = random_setup(game, random.Random(0), options)
    seats = game.seats(options)
    for wrong in (0, 1, seats[0] - 1, seats[-1] + 1):
        with pytest.raises(WrongOption, match=str(wrong)):
            game.new(setup.board, wrong, options)


# --- every step ---------------------------------------------------------------------------------------


@every_game
@games(50, deep=3000)
@given(number=numbers)
def test_every_step_keeps_the_laws(game: Game, number: int) -> None:
    rng = random.Random(number)
    setup = random_setup(game, rng)
    state = setup.start()
    deck = sorted(game.deck(setup.options))
    seen_actions: list[Action] = []
    check_told(state.opening, setup.seats)
    decisions = 0
    while state.to_act:
        assert state.outcome is None
        assert sorted(state.cards()) == deck
        check_listed(state, setup.seats)
        if rng.random() < 0.1:
            seen_actions += [state.legal_actions(seat)[-1] for seat in state.to_act]
            check_applies(state, rng, setup.seats)
            check_refuses(state, rng.sample(seen_actions, min(4, len(seen_actions))), setup.seats)
            for seen in viewers(state, setup.seats):
                assert str(seen)
                hash(seen)
        check_told(state.apply(*random_action(state, rng)), setup.seats)
        decisions += 1
        assert decisions <= game.max_decisions(setup.seats, setup.options)
    assert sorted(state.cards()) == deck
    check_refuses(state, seen_actions[:4], setup.seats)
    check_outcome(state, setup.seats)
    assert all(map(str, viewers(state, setup.seats)))


def check_told(happenings: Sequence[Happening], seats: int) -> None:
    for happening in happenings:
        for viewer in (*range(seats), SPECTATOR):
            event = happening.told_to(viewer)
            assert event.kind in type(event)._field_defaults.values()  # type: ignore[attr-defined]
            assert str(event)
            hash(event)
        assert happening.told_to(SPECTATOR) is happening.public


def check_listed(state: State, seats: int) -> None:
    assert len(set(state.to_act)) == len(state.to_act)
    for seat in (*range(-1, seats + 1), *state.to_act):
        legal = state.legal_actions(seat)
        assert bool(legal) == (seat in state.to_act)
        assert len(set(legal)) == len(legal)
        assert list(legal) == list(state.legal_actions(seat))


def check_applies(state: State, rng: random.Random, seats: int) -> None:
    """Every listed action (of many, some) applies, as does one that merely equals it."""
    before = snapshot(state, seats)
    for seat in state.to_act:
        legal = state.legal_actions(seat)
        for action in rng.sample(legal, min(6, len(legal))):
            assert str(action)
            one, other = state.clone(), state.clone()
            twin = type(action)(*action)  # type: ignore[misc]
            assert one.apply(seat, action) == other.apply(seat, twin)
            assert snapshot(one, seats) == snapshot(other, seats)
    assert snapshot(state, seats) == before


def check_refuses(state: State, actions: Sequence[Action], seats: int) -> None:
    before = snapshot(state, seats)
    for action in actions:
        for seat in range(-1, seats + 1):
            if action not in state.legal_actions(seat):
                with pytest.raises(IllegalAction, match=f"cannot {re.escape(str(action))}: "):
                    state.apply(seat, action)
    assert snapshot(state, seats) == before


def check_outcome(state: State, seats: int) -> None:
    outcome = state.outcome
    assert outcome is not None
    assert len(outcome.places) == len(outcome.points) == seats
    for place in outcome.places:
        assert place == 1 + sum(other < place for other in outcome.places)
    assert re.fullmatch("[a-z]+(_[a-z]+)*", outcome.reason)
    assert not any(state.legal_actions(seat) for seat in range(seats))


# --- values that are not made by the rules -------------------------------------------------------------


@every_game
@games(25, deep=800)
@given(number=numbers)
def test_a_plain_tuple_is_the_listed_action_that_it_equals_or_none(game: Game, number: int) -> None:
    rng = random.Random(number)
    setup = random_setup(game, rng)
    state = setup.start()
    listed = [random_action(state, rng)[1]]
    while state.to_act:
        seat, action = random_action(state, rng)
        if rng.random() < 0.1:
            listed.append(action)
            check_refuses_plain(state, seat, rng.choice(listed), setup.seats)
        twin = state.clone()
        told = state.apply(seat, action)
        assert repr(twin.apply(seat, plain(action))) == repr(told)  # where a card is no number
        assert str(twin.observation(seat)) == str(state.observation(seat))
    check_refuses_plain(state, 0, listed[-1], setup.seats)
    assert snapshot(twin, setup.seats) == snapshot(state, setup.seats)


def plain(value: Any) -> Any:
    """An equal value of plain tuples, numbers and texts."""
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    return int(value) if isinstance(value, int) else value


def check_refuses_plain(state: State, seat: Seat, action: Any, seats: int) -> None:
    """The plain tuple of an action that is not legal, and values that only resemble actions."""
    *fields, kind = action
    wrong = [None, 0, kind, (), {}, object(), list(action), tuple(fields), (*action, kind)]
    wrong += [(*fields, f"{kind}s"), *([type(action)(*map(str, fields))] if fields else [])]
    before = snapshot(state, seats)
    for value in (*wrong, plain(action)):
        if value not in state.legal_actions(seat):
            with pytest.raises(IllegalAction):
                state.apply(seat, value)
    assert snapshot(state, seats) == before


# --- copies and repetitions ---------------------------------------------------------------------------


@every_game
@games(40, deep=2000)
@given(number=numbers)
def test_a_clone_and_its_original_do_not_touch_each_other(game: Game, number: int) -> None:
    rng = random.Random(number)
    setup = random_setup(game, rng)
    state = setup.start()
    random_prefix(state, rng)
    twin, third = state.clone(), state.clone()
    before = snapshot(state, setup.seats)
    assert snapshot(twin, setup.seats) == before
    actions = random_prefix(twin, rng)
    assert snapshot(state, setup.seats) == snapshot(third, setup.seats) == before
    log = play(state, actions, setup.seats)
    assert snapshot(state, setup.seats) == snapshot(twin, setup.seats)
    assert snapshot(third, setup.seats) == before
    assert play(third, actions, setup.seats) == log


@every_game
@games(40, deep=2000)
@given(number=numbers)
def test_what_was_seen_stays_when_the_chance_to_come_is_drawn_anew(game: Game, number: int) -> None:
    rng = random.Random(number)
    setup = random_setup(game, rng)
    state = setup.start()
    random_prefix(state, rng)
    before = snapshot(state, setup.seats)
    other = state.redrawn(keyed(game, setup.options, rng.getrandbits(200)))
    assert viewers(other, setup.seats) == viewers(state, setup.seats)
    assert (other.to_act, other.outcome) == (state.to_act, state.outcome)
    for seat in range(setup.seats):
        assert tuple(other.legal_actions(seat)) == tuple(state.legal_actions(seat))
    assert sorted(other.cards()) == sorted(state.cards())
    while other.to_act:
        other.apply(*random_action(other, rng))
    assert snapshot(state, setup.seats) == before


@every_game
@games(40, deep=2000)
@given(number=numbers)
def test_the_same_board_and_actions_give_the_same_game(game: Game, number: int) -> None:
    rng = random.Random(number)
    setup = random_setup(game, rng)
    one, other = setup.start(), setup.start()
    assert list(one.opening) == list(other.opening)
    actions = random_prefix(setup.start(), rng)
    assert play(one, actions, setup.seats) == play(other, actions, setup.seats)
    assert snapshot(one, setup.seats) == snapshot(other, setup.seats)


@games(40, deep=1600)
@given(number=numbers)
def test_simultaneous_choices_may_come_in_any_order_and_show_nothing(number: int) -> None:
    rng = random.Random(number)
    setup = random_setup(GAMES["hyrule"], rng, GAMES["hyrule"].parse_options({"mode": "chance", "series": 2}))
    state = setup.start()
    while state.to_act:
        together = len(state.to_act)
        choices = [(seat, rng.choice(state.legal_actions(seat))) for seat in state.to_act]
        other = state.clone()
        last: Any = ()
        for choice in rng.sample(choices, together):
            assert not last
            before = viewers(state, setup.seats)
            last = state.apply(*choice)
            assert last or viewers(state, setup.seats) == before
        assert together == setup.seats
        assert last == [other.apply(*choice) for choice in choices][-1]
        assert snapshot(state, setup.seats) == snapshot(other, setup.seats)
    assert other.outcome == state.outcome is not None


# --- nothing hidden is shown --------------------------------------------------------------------------


def same_after_changes(setup: Setup, rng: random.Random, wrap: Callable[[State], State]) -> bool:
    """Plays a game before one viewer, and again with all changed that it was not told.

    Returns whether it was shown the same in both games, step by step.
    """
    viewer = rng.choice((*range(setup.seats), SPECTATOR))
    steps = rng.choice((0, 2, 10, 30, 100))

    def at_random(state: State, played: int) -> tuple[Seat, Action] | None:
        return random_action(state, rng) if played < steps else None

    first = watch(wrap(setup.start()), viewer, setup.starter, at_random)
    if setup.game.id == "nur-mut":
        board, actions = change_faces(setup.board, first, setup.seats, rng)
    else:
        board, actions = change_cards(setup.board, first, viewer, rng)

    def the_same(state: State, played: int) -> tuple[Seat, Action] | None:
        return actions[played] if played < len(actions) else None

    second = watch(wrap(setup.start(board)), viewer, setup.starter, the_same)
    return first.shown == second.shown


@every_game
@games(100, deep=6000)
@given(number=numbers)
def test_what_a_viewer_was_not_told_changes_nothing_that_it_is_shown(game: Game, number: int) -> None:
    rng = random.Random(number)
    assert same_after_changes(random_setup(game, rng), rng, lambda state: state)


class Whisper(NamedTuple):
    """An event that says too much."""

    text: str
    kind: str = "whisper"


class Leaky(State):
    """A position that shows something hidden, in one of three ways."""

    def __init__(self, inner: State, leak: str) -> None:
        self.inner, self.leak = inner, leak
        self.opening = self.leaked(inner.opening)

    @property
    def to_act(self) -> tuple[Seat, ...]:  # type: ignore[override]
        return self.inner.to_act

    def leaked(self, happenings: Sequence[Happening]) -> Sequence[Happening]:
        if self.leak == "all events in full":
            return [Happening(happening.full) for happening in happenings]
        if self.leak == "a remark":
            return [*happenings, Happening(Whisper(f"the last is {self.inner.cards()[-1]}"))]
        return happenings

    def legal_actions(self, seat: Seat) -> Sequence[Action]:
        return self.inner.legal_actions(seat)

    def apply(self, seat: Seat, action: Action) -> Sequence[Happening]:
        return self.leaked(self.inner.apply(seat, action))

    def observation(self, viewer: Any) -> Any:
        seen = self.inner.observation(viewer)
        return (seen, tuple(self.inner.cards())) if self.leak == "all cards" else seen

    @property
    def outcome(self) -> Any:
        return self.inner.outcome

    def clone(self) -> Any:
        return Leaky(self.inner.clone(), self.leak)

    def redrawn(self, board: Board) -> Any:
        return Leaky(self.inner.redrawn(board), self.leak)

    def cards(self) -> list[Any]:
        return self.inner.cards()


LEAKS = [
    (id, leak)
    for id in GAMES
    for leak in ("all cards", "a remark", "all events in full")
    if (id, leak) != ("nur-mut", "all events in full")  # all its events are for all
]


@pytest.mark.parametrize(("id", "leak"), LEAKS)
def test_the_law_finds_a_leak(id: str, leak: str) -> None:
    def shows_it(number: int) -> bool:
        rng = random.Random(number)
        setup = random_setup(GAMES[id], rng)
        return not same_after_changes(setup, rng, lambda state: Leaky(state, leak))

    assert sum(map(shows_it, range(20))) >= 10
