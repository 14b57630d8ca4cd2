"""A course comes to the same state, however results, rulings, cuts and resumptions are mixed."""

from __future__ import annotations

import contextlib
import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.formats.double_elimination import DoubleElimination
from arena.formats.elimination import ranked
from arena.formats.format import TooLate
from arena.tournament.course import Due, Unexpected
from arena.tournament.rulings import Admit, Annul, End, Extend, Go, Newcomer, Pause, Refused
from tests.examples import examples
from tests.tournament.night import STAGES, Night, counting, plan_of, play_matches, played


@examples(40)
@given(st.sampled_from(STAGES), st.integers(3, 7), st.integers(1, 2), st.data())
def test_the_games_of_a_tournament_are_known_from_its_beginning(stages, entrants, boards, data):
    """But for extra boards, which come as they are due, and walkovers, which go."""
    entrants = max(entrants, 4 if "groups" in stages else 3)
    night = Night(plan_of(stages, entrants, boards), entrants)
    planned = night.course.games
    while due := night.course.take():
        assert night.course.tally.played < night.course.games
        ties = data.draw(st.integers(0, 3)) == 0
        night.store(played(due, [1] * len(due.players) if ties else ()))
        if len(night.rulings) < entrants - 2 and data.draw(st.integers(0, 20)) == 0:
            night.withdraw(data.draw(st.integers(0, entrants - 1)))
    assert night.course.games == night.course.tally.played
    if not night.rulings:
        assert night.course.games == planned + extra_games(night) + second_finals(night)
    if not night.rulings and not {"knockout", "elimination"} & set(re.split(r"\W", stages)):
        assert night.course.games == planned


def extra_games(night: Night) -> int:
    return sum(night.course.tally.extra_games(key) for key in night.course.tally.results())


def second_finals(night: Night) -> int:
    """The games of the second matches of grand finals."""
    stages = [stage for stage in night.course.stages if isinstance(stage, DoubleElimination)]
    needed = sum(stage.further_matches(night.course.results(stage)) for stage in stages)
    return needed * 2 * night.plan.boards * len(night.plan.games)


@examples(28)
@given(st.sampled_from(STAGES), st.integers(3, 5), st.integers(1, 2), st.data())
def test_a_tournament_cut_anywhere_comes_to_the_same(stages, entrants, boards, data):
    """Games end in any order, some tied; now and then it stops, and the host rules something."""
    entrants = max(entrants, 4 if "groups" in stages else 3)
    plan = plan_of(stages, entrants, boards)
    night = Night(plan, entrants)
    running: list[Due] = []
    given_out: set[object] = set()
    while not night.course.over:
        actions = ("play",) * 16 + ("stop", "withdraw", "annul", "extend", "more boards", "admit")
        action = data.draw(st.sampled_from(actions))
        if action == "stop":  # what ran is void
            running.clear()
            given_out = {result.key for result in night.results}
            night.resume()
        elif action == "withdraw" and len(night.rulings) < entrants - 2:
            entrant = data.draw(st.integers(0, entrants - 1))
            night.withdraw(entrant, running)
        elif action == "annul" and len(annulled := counting(night)) and len(night.rulings) < 4:
            key = data.draw(st.sampled_from(annulled))
            whole = data.draw(st.booleans())
            board = night.course.effects.void.planned(key.match_key, key.game, key.board)
            games, boards_ = (plan.games, None) if whole else ([key.game], [board])
            night.rule(Annul.of(night.course, key.match_key, games, boards_), running)
            assert night.course.effects.void.has_game(key)
        elif action == "extend" and len(night.rulings) < 3:
            more = Extend.of(night.course, 1)
            if more.refusal(night.course) is None:
                night.rule(more, running)
        elif action == "more boards" and len(night.rulings) < 4:
            more = Extend.of(night.course, boards=data.draw(st.integers(1, 3)))
            if more.refusal(night.course) is None:
                night.rule(more, running)
        elif action == "admit" and len(night.rulings) < 4:
            with contextlib.suppress(TooLate):
                night.rule(Admit.of(night.course, Newcomer("late", "join")), running)
        # What is played in vain, since it followed from what was annulled, may come again.
        given_out -= {each.key for each in running if not night.course.expects(played(each))}
        while len(running) < 4 and (due := night.course.take()):
            assert due.key not in given_out, "a game is given out once"
            given_out.add(due.key)
            running.append(due)
        if running:
            due = running.pop(data.draw(st.integers(0, len(running) - 1)))
            ties = data.draw(st.booleans())
            night.store(played(due, [1] * len(due.players) if ties else ()))
            check_brackets(night)
        else:
            assert night.course.over, "something is due as long as it is not over"
    keys = [result.key for result in night.results]
    assert len(set(keys)) == len(keys)
    check_losses(night)
    assert night.course.games == night.course.tally.played
    check_players(night)
    live = night.standings()
    night.results = data.draw(st.permutations(night.results))
    night.resume()
    assert night.standings() == live, "the course made of the same results and rulings is the same"
    assert night.course.take() is None


def check_losses(night: Night) -> None:
    """In a double elimination all but the winner have lost twice, and the winner once at most."""
    for stage in night.course.stages:
        if isinstance(stage, DoubleElimination):
            results = night.course.results(stage)
            losses = Counter[int]()
            for round_ in night.course.rounds(stage):
                for match in round_.matches:
                    losses[ranked(match, results[match.key], stage.seeds)[1]] += 1
            ((winner,), *_) = stage.placing(results)
            assert losses.pop(winner, 0) == len(results) - (2 * len(stage.entrants) - 2) <= 1
            assert losses == {entrant: 2 for entrant in stage.entrants if entrant != winner}


def check_brackets(night: Night) -> None:
    """Of a match that extra boards still decide a bracket tells no places, and nobody comes from it."""
    for stage in night.course.stages:
        bracket = night.course.bracket(stage)
        if bracket is None or night.course.effects.ended:
            continue
        paired = [match for round_ in night.course.rounds(stage) for match in round_.matches]
        results = night.course.results(stage)
        over = {each.key for each in paired if each.key in results and night.course.is_decided(each)}
        drawn = [match for round_ in bracket.rounds for match in round_.matches]
        for match in drawn:
            assert all((slot.place is not None) == (match.key in over) for slot in match.slots if match.key)
            for slot in match.slots:
                if slot.origin is not None and slot.entrant is not None:
                    origin = bracket.rounds[slot.origin.round].matches[slot.origin.match]
                    assert origin.key is None or origin.key in over


def check_players(night: Night) -> None:
    """Every game that counts was played by those whom the course has at its table."""
    course = night.course
    matches = {m.key: m for stage in course.stages for round_ in course.rounds(stage) for m in round_.matches}
    for key, seats, _ in night.results:
        if not course.effects.void.has_game(key) and key.match_key in matches:
            players = [matches[key.match_key].entrants[position] for position in key.seating]
            assert players == [seat.entrant for seat in seats]


def test_what_was_under_way_when_all_that_it_followed_from_was_annulled_is_played_again():
    night = Night(plan_of(STAGES[2], 4), 4)
    play_matches(night, 2)
    final = [due for due in iter(night.course.take, None) if due.key.match == 1]
    semi = night.results[0].key
    night.rule(Annul.of(night.course, semi.match_key, night.plan.games, None), final[:2])
    assert not any(night.course.expects(played(due)) for due in final)
    night.finish()
    assert night.course.over


def test_an_annulled_game_is_played_again_and_what_depended_on_it_too():
    night = Night(plan_of(STAGES[2], 4), 4)
    play_matches(night, 4)  # two semi-finals, then third place and final
    assert night.course.over
    final = night.results[-1].key
    semi = next(result.key for result in night.results if result.key.round == 0)
    night.rule(Annul.of(night.course, semi.match_key, [semi.game], [semi.board]))
    assert night.course.effects.void.has_game(semi)
    assert night.course.effects.void.has_game(final)
    assert not night.course.over
    before = len(night.results)
    night.finish()
    again = {result.key.board for result in night.results[before:]}
    assert len(night.results) - before == 2 + 2 * 4, "a board, and the two matches that came of it"
    assert min(again) >= 1_000_000
    assert [line.entrant for line in night.course.final()] == [0, 1, 2, 3]


def test_what_runs_of_a_match_that_is_paired_anew_is_void_too():
    """A final runs when a semi-final is annulled, which then comes out the other way round."""
    night = Night(plan_of('[[stage]]\nformat = "knockout"\nthird_place = false\n', 4, games=1), 4)
    play_matches(night, 2)
    running = [due for due in (night.course.take(), night.course.take()) if due is not None]
    assert [set(due.players) for due in running] == [{0, 1}] * 2
    night.rule(Annul.of(night.course, night.results[0].key.match_key, ["nyuri"], None), running)
    for _ in range(2):
        due = night.course.take()
        assert due is not None
        assert set(due.players) == {0, 3}
        night.store(played(due, [1 if player == 3 else 2 for player in due.players]))
    assert not any(night.course.expects(played(due)) for due in running)
    night.finish()
    assert night.course.over
    assert [line.entrant for line in night.course.final()] == [1, 3, 0, 2]


def test_a_match_is_annulled_with_its_walkover_only_where_something_was_played():
    night = Night(plan_of(STAGES[0], 3), 3)
    play_matches(night, 1)
    key = night.results[0].key
    void = Annul.of(night.course, key.match_key, night.plan.games, None)
    assert isinstance(void, Annul)
    assert void.refusal(night.course) is None
    never = next(
        match.key
        for round_ in night.course.rounds(night.course.stages[0])
        for match in round_.matches
        if not night.course.tally.has_begun(match.key)
    )
    with pytest.raises(Refused, match="has played nothing of"):
        Annul.asked(".".join(str(number + 1) for number in never), night.course, [])


def test_more_cycles_are_played_where_there_are_cycles():
    night = Night(plan_of(STAGES[0], 3), 3)
    assert Extend.of(night.course, 2).refusal(night.course) is None
    night.rule(Extend.of(night.course, 2))
    night.finish()
    assert {row.matches for row in night.course.standings()} == {6}
    knockout = Night(plan_of(STAGES[2], 3), 3).course
    assert "has no cycles" in str(Extend.of(knockout, 1).refusal(knockout))


def test_a_paused_tournament_gives_out_nothing_and_an_ended_one_is_over():
    night = Night(plan_of(STAGES[0], 3), 3)
    night.rule(Pause())
    assert night.course.take() is None
    assert not night.course.over
    assert Pause().refusal(night.course) == "is paused already"
    night.rule(Go())
    assert night.course.take() is not None
    assert Go().refusal(night.course) == "is not paused"
    night.rule(End())
    assert night.course.over
    assert night.course.take() is None
    assert night.course.games_left() == 0
    assert Go().refusal(night.course) == "is over"


def test_only_what_was_given_out_is_counted():
    night = Night(plan_of(STAGES[0], 3), 3)
    due = night.course.take()
    assert due is not None
    night.course.add(played(due))
    with pytest.raises(Unexpected):
        night.course.add(played(due))
