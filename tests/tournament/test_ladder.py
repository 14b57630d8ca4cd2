"""A ladder without clock and network: rounds under way at once, newcomers, withdrawals, resumption."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.formats.format import ResultsMissing
from arena.formats.ladder_pairing import RANKED
from arena.results import GameResult
from arena.tournament.course import Course, Due
from arena.tournament.rulings import Admit, Annul, End, Extend, Go, Newcomer, Pause, Refused, read_ruling
from tests.examples import examples
from tests.tournament.night import Night, plan_of, played

LADDER = '[[stage]]\nformat = "ladder"\n'


def ladder(entrants: int = 4) -> Night:
    return Night(plan_of(LADDER, entrants), entrants)


def chance(due: Due, seed: int) -> GameResult:
    """A result that depends on the game alone: the lower number is the stronger bot."""
    one, other = due.players
    first = random.Random(f"{seed} {due}").random() < 0.5 + 0.1 * (other - one)
    return played(due, (1, 2) if first else (2, 1))


def schedule(night: Night, rounds: int, course: Course | None = None) -> list[tuple[tuple[int, ...], ...]]:
    """The pairings of the first rounds, by the night's course or by another one."""
    course = course or night.course
    stage = course.stages[0]
    found = []
    for number in range(rounds):
        try:
            round_ = stage.round(number, course.results_for_pairing(stage, number))
        except ResultsMissing:
            break
        assert round_ is not None
        found.append(tuple(match.entrants for match in round_.matches))
    return found


def play(night: Night, games: int, seed: int, at_once: int = 6) -> list[Due]:
    """Plays games in a random order, several at once; returns those that still run."""
    rng, running = random.Random(seed), list[Due]()
    while games:
        busy = {player for due in running for player in due.players} if rng.random() < 0.5 else set()
        while len(running) < at_once and (due := night.course.take(busy)) is not None:
            running.append(due)
        if not running:
            break
        night.store(chance(running.pop(rng.randrange(len(running))), 1))
        games -= 1
    return running


def all_due(course: Course) -> set[Due]:
    """All games that are due while nothing else ends."""
    found = set()
    while (due := course.take()) is not None:
        found.add(due)
    return found


def test_a_ladder_goes_on_until_it_is_ended():
    night = ladder(3)
    play(night, 400, 1)
    assert not night.course.over
    assert night.course.games_left() < 100, "only what is paired counts"
    assert len({result.key.round for result in night.results}) >= 10
    night.rule(End())
    assert night.course.over
    assert night.course.take() is None


@examples(20)
@given(st.integers(0, 1 << 30), st.integers(2, 7))
def test_the_rounds_do_not_depend_on_the_order_of_the_results(seed, entrants):
    one, other = ladder(entrants), ladder(entrants)
    play(one, 300, seed)
    play(other, 300, seed + 1, at_once=2)
    rounds = min(len(schedule(one, 10_000)), len(schedule(other, 10_000)), 60)
    assert schedule(one, rounds) == schedule(other, rounds)


@examples(20)
@given(st.integers(0, 1 << 30), st.integers(1, 15))
def test_it_can_be_resumed_at_every_point_and_bots_may_come_and_go(seed, steps):
    night, rng = ladder(), random.Random(seed)
    names = ["a", "b", "c", "d"]
    for _ in range(steps):
        running = play(night, rng.randrange(1, 40), rng.randrange(1 << 30))
        begun = max((due.key.round + 1 for due in running), default=0)
        before = schedule(night, max(begun, night.course.tally.rounds_begun))
        present = [
            each
            for each in range(night.course.effects.entrants)
            if each not in night.course.effects.withdrawn
        ]
        match rng.randrange(4):
            case 0:
                night.resume(running if rng.random() < 0.5 else ())
            case 1 if len(present) < 8:
                names.append(f"late {len(names)}")
                night.rule(Admit.of(night.course, Newcomer(names[-1], "join")), running)
            case 2:
                names.append(f"late {len(names)}")
                old = rng.choice(present)
                night.rule(Admit.of(night.course, Newcomer(names[-1], "join"), replaces=old), running)
                assert old in night.course.effects.withdrawn
            case _ if len(present) > 2:
                night.withdraw(rng.choice(present), running)
        assert schedule(night, len(before)) == before
        again = night.anew(running)
        assert schedule(night, len(before) + 12) == schedule(night, len(before) + 12, again)
        assert night.course.standings() == again.standings()
    night.rule(Pause())
    night.rule(Go())  # what ran is lost
    assert all_due(night.course) == all_due(night.anew())
    keys = [result.key for result in night.results]
    assert len(set(keys)) == len(keys)
    assert not night.course.tally.walkovers


def test_what_a_withdrawn_bot_has_left_is_given_up_and_the_others_go_on():
    night = ladder()
    running = play(night, 50, 3)
    night.withdraw(0, running)
    stored = len(night.results)
    for due in running:
        night.store(chance(due, 1))
    assert all(0 not in due.players for due in running if due.key in {r.key for r in night.results[stored:]})
    play(night, 400, 4)
    later = [result for result in night.results[stored:] if 0 in {seat.entrant for seat in result.seats}]
    assert not later
    assert len(night.results) > stored + 200


def test_a_bot_that_is_alone_waits_for_another():
    night = ladder(2)
    play(night, 20, 5)
    night.withdraw(1)
    assert play(night, 100, 6) == []
    assert night.course.take() is None
    assert not night.course.over
    night.rule(Admit.of(night.course, Newcomer("late", "join")))
    stored = len(night.results)
    play(night, 50, 7)
    assert len(night.results) > stored


def test_an_idle_ladder_goes_on_also_for_a_second_bot_of_an_author():
    night = ladder(2)
    for name in ("", "first", "second"):
        if name:
            night.rule(Admit.of(night.course, Newcomer(name, "join", author="Ann")))
        while due := night.course.take():
            night.store(played(due))
    matches = {row.entrant: row.matches for row in night.course.standings()}
    assert min(matches.values()) >= RANKED


def test_what_later_rounds_depend_on_stays_as_it_is():
    night = ladder()
    play(night, 50, 8)
    assert "is a ladder" in (Extend.of(night.course, boards=1).refusal(night.course) or "")
    with pytest.raises(Refused, match="is a ladder"):
        Annul.asked("1.1.1", night.course, ["a", "b", "c", "d"])


def test_the_stored_text_of_an_admission_is_as_before_unless_it_replaces_a_bot():
    plain = Admit(4, "late", "join", "", "", "", since=1)
    assert "replaces" not in plain.to_json()
    replacing = Admit(4, "late", "join", "", "", "", since=1, replaces=2)
    assert read_ruling(replacing.to_json()) == replacing
