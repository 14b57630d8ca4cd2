"""The course of a tournament: whatever is played, decided, cut and resumed, it comes to the same."""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.formats.changes import TooLate
from arena.formats.deciding import ranked
from arena.formats.double_elimination import DoubleElimination
from arena.results import GameKey, GameResult, MatchKey, SeatResult
from arena.runner.tournament_file import parse_plan
from arena.standings.scoresheets import Scoresheets
from arena.tournament.course import Course, Due, Unexpected
from arena.tournament.decisions import (
    Admit,
    Annul,
    Decision,
    End,
    Extend,
    Go,
    Pause,
    Withdraw,
    decision_text,
    read_decision,
)
from arena.tournament.news import MatchOver
from arena.tournament.plan import Plan
from arena.tournament.proposals import Newcomer, admission, annulment, extension, refusal, withdrawal
from arena.tournament.streaks import Streaks
from tests.examples import examples

DOUBLE = '[[stage]]\nformat = "double-elimination"\n'
GROUPS = '[[stage]]\nformat = "groups"\ngroups = 2\n'
STAGES = (
    '[[stage]]\nformat = "round-robin"\n',
    '[[stage]]\nformat = "round-robin"\ncycles = 2\n',
    '[[stage]]\nformat = "knockout"\nextra_boards = 1\n',
    '[[stage]]\nformat = "round-robin"\n[[stage]]\nformat = "knockout"\nadvance = 3\nextra_boards = 2\n',
    'seats = 3\n[[stage]]\nformat = "round-robin"\n[[stage]]\nformat = "knockout"\n',
    '[[stage]]\nformat = "knockout"\n[[stage]]\nformat = "round-robin"\nadvance = 3\n',
    '[[stage]]\nformat = "gauntlet"\nchallengers = 2\n',
    '[[stage]]\nformat = "swiss"\nrounds = 2\n[[stage]]\nformat = "swiss"\nrounds = 2\nadvance = 3\n',
    f"{DOUBLE}extra_boards = 1\n",
    f'{GROUPS}[[stage]]\nformat = "knockout"\nadvance = 4\nextra_boards = 1\n',
    f"{GROUPS}cycles = 2\n{DOUBLE}advance = 3\nextra_boards = 1\n",
    f'{DOUBLE}extra_boards = 0\n[[stage]]\nformat = "knockout"\nadvance = 2\n',
    f'[[stage]]\nformat = "round-robin"\n{DOUBLE}advance = 3\nextra_boards = 2\n',
)


def plan_of(stages: str, entrants: int, boards: int = 1, games: int = 2) -> Plan:
    names = ("nyuri", "hyrule", "kleftis")[:games]
    head = f'name = "x"\ngames = {list(names)}\nboards = {boards}\n'
    return parse_plan(head + stages + "[[entrant]]\n" * entrants, Path("x.toml"))


def played(due: Due, places: Iterable[int] = (), forfeits: Iterable[int] = ()) -> GameResult:
    """A game: the entrant with the lower number comes first, unless its places are given."""
    ranks = tuple(places) or tuple(1 + sorted(due.players).index(player) for player in due.players)
    seats = zip(due.players, ranks, strict=True)
    return GameResult(
        due.key,
        tuple(SeatResult(player, rank, -rank, forfeit=player in forfeits) for player, rank in seats),
        "over",
    )


class Night:
    """A tournament that is played, with everything that was stored of it."""

    def __init__(self, plan: Plan, entrants: int) -> None:
        self.plan, self.entrants = plan, entrants
        self.results: list[GameResult] = []
        self.decisions: list[Decision] = []
        self.resume()

    def resume(self, playing: Iterable[Due] = ()) -> None:
        """Makes the course anew of what is stored, as after a stop or a decision."""
        self.course = Course(self.plan, self.entrants, self.decisions, list(playing))
        for result in self.results:
            self.course.tell(result)
        self.course.settle()

    def store(self, result: GameResult) -> None:
        if self.course.expects(result):
            self.results.append(result)
            self.course.add(result)

    def withdraw(self, entrant: int, playing: Iterable[Due] = ()) -> None:
        if entrant not in self.course.withdrawn:
            self.decide(withdrawal(self.course, entrant), playing)

    def decide(self, decision: Decision, playing: Iterable[Due] = ()) -> None:
        self.decisions.append(read_decision(decision_text(decision)))
        self.resume(playing)

    def finish(self) -> None:
        while due := self.course.take():
            self.store(played(due))

    def standings(self) -> object:
        course = self.course
        return (
            course.over,
            course.final(),
            [(stage.entrants, course.standings(stage), course.results(stage)) for stage in course.stages],
            course.tally.groups,
        )


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
        if len(night.decisions) < entrants - 2 and data.draw(st.integers(0, 20)) == 0:
            night.withdraw(data.draw(st.integers(0, entrants - 1)))
    assert night.course.games == night.course.tally.played
    if not night.decisions:
        assert night.course.games == planned + night.course.tally.extra + second_finals(night)
    if not night.decisions and not {"knockout", "elimination"} & set(re.split(r"\W", stages)):
        assert night.course.games == planned


def second_finals(night: Night) -> int:
    """The games of the second matches of grand finals."""
    stages = [stage for stage in night.course.stages if isinstance(stage, DoubleElimination)]
    needed = sum(stage.further_matches(night.course.results(stage)) for stage in stages)
    return needed * 2 * night.plan.boards * len(night.plan.games)


@examples(60)
@given(st.sampled_from(STAGES), st.integers(3, 5), st.integers(1, 2), st.data())
def test_a_tournament_cut_anywhere_comes_to_the_same(stages, entrants, boards, data):
    """Games end in any order, some tied; now and then it stops, and the host decides something."""
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
        elif action == "withdraw" and len(night.decisions) < entrants - 2:
            entrant = data.draw(st.integers(0, entrants - 1))
            night.withdraw(entrant, running)
        elif action == "annul" and len(annulled := counting(night)) and len(night.decisions) < 4:
            key = data.draw(st.sampled_from(annulled))
            whole = data.draw(st.booleans())
            board = night.course.void.planned(key.match_key, key.game, key.board)
            games, boards_ = (plan.games, None) if whole else ([key.game], [board])
            night.decide(annulment(night.course, key.match_key, games, boards_), running)
            assert night.course.void.has_game(key)
        elif action == "extend" and len(night.decisions) < 3:
            more = extension(night.course, 1)
            if refusal(night.course, more) is None:
                night.decide(more, running)
        elif action == "more boards" and len(night.decisions) < 4:
            more = extension(night.course, boards=data.draw(st.integers(1, 3)))
            if refusal(night.course, more) is None:
                night.decide(more, running)
        elif action == "admit" and len(night.decisions) < 4:
            with contextlib.suppress(TooLate):
                night.decide(admission(night.course, Newcomer("late", "join")), running)
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
    assert night.standings() == live, "the course made of the same results and decisions is the same"
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


def check_players(night: Night) -> None:
    """Every game that counts was played by those whom the course has at its table."""
    course = night.course
    matches = {m.key: m for stage in course.stages for round_ in course.rounds(stage) for m in round_.matches}
    for key, seats, _ in night.results:
        if not course.void.has_game(key) and key.match_key in matches:
            players = [matches[key.match_key].entrants[position] for position in key.seating]
            assert players == [seat.entrant for seat in seats]


def test_what_was_under_way_when_all_that_it_followed_from_was_annulled_is_played_again():
    night = Night(plan_of(STAGES[2], 4), 4)
    play_matches(night, 2)
    final = [due for due in iter(night.course.take, None) if due.key.match == 1]
    semi = night.results[0].key
    night.decide(annulment(night.course, semi.match_key, night.plan.games, None), final[:2])
    assert not any(night.course.expects(played(due)) for due in final)
    night.finish()
    assert night.course.over


def counting(night: Night) -> list[GameKey]:
    """The games that were played and count."""
    keys = [result.key for result in night.results if not night.course.void.has_game(result.key)]
    return [key for key in keys if key.stage < len(night.course.stages)]


def test_an_annulled_game_is_played_again_and_what_depended_on_it_too():
    night = Night(plan_of(STAGES[2], 4), 4)
    play_matches(night, 4)  # two semi-finals, then third place and final
    assert night.course.over
    final = night.results[-1].key
    semi = next(result.key for result in night.results if result.key.round == 0)
    night.decide(annulment(night.course, semi.match_key, [semi.game], [semi.board]))
    assert night.course.void.has_game(semi)
    assert night.course.void.has_game(final)
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
    night.decide(annulment(night.course, night.results[0].key.match_key, ["nyuri"], None), running)
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
    void = annulment(night.course, key.match_key, night.plan.games, None)
    assert isinstance(void, Annul)
    assert refusal(night.course, void) is None
    never = next(
        match.key
        for round_ in night.course.rounds(night.course.stages[0])
        for match in round_.matches
        if not night.course.tally.has_begun(match.key)
    )
    assert "nothing to annul" in str(refusal(night.course, annulment(night.course, never, ["nyuri"], [0])))


def test_more_cycles_are_played_where_there_are_cycles():
    night = Night(plan_of(STAGES[0], 3), 3)
    assert refusal(night.course, extension(night.course, 2)) is None
    night.decide(extension(night.course, 2))
    night.finish()
    assert {row.matches for row in night.course.standings()} == {6}
    knockout = Night(plan_of(STAGES[2], 3), 3).course
    assert "has no cycles" in str(refusal(knockout, extension(knockout, 1)))


def test_a_paused_tournament_gives_out_nothing_and_an_ended_one_is_over():
    night = Night(plan_of(STAGES[0], 3), 3)
    night.decide(Pause())
    assert night.course.take() is None
    assert not night.course.over
    assert refusal(night.course, Pause()) == "is paused already"
    night.decide(Go())
    assert night.course.take() is not None
    assert refusal(night.course, Go()) == "is not paused"
    night.decide(End())
    assert night.course.over
    assert night.course.take() is None
    assert night.course.games_left() == 0
    assert refusal(night.course, Go()) == "is over"


def test_only_what_was_given_out_is_counted():
    night = Night(plan_of(STAGES[0], 3), 3)
    due = night.course.take()
    assert due is not None
    night.course.add(played(due))
    with pytest.raises(Unexpected):
        night.course.add(played(due))


def scores(night: Night) -> dict[int, Fraction | None]:
    return {row.entrant: row.score for row in night.course.standings(night.course.stages[0])}


def play_matches(night: Night, matches: int) -> None:
    """Plays so many matches to their end."""
    over = 0
    while over < matches:
        due = night.course.take()
        assert due is not None
        night.store(played(due))
        over += sum(isinstance(item, MatchOver) for item in night.course.news())


def test_who_leaves_early_is_left_out_of_the_scores():
    night = Night(plan_of(STAGES[0], 5), 5)
    play_matches(night, 2)  # of ten; entrant 0 has played one of its four
    night.withdraw(0)
    assert night.decisions == [Withdraw(0, 0, annulled=True)]
    night.finish()
    assert night.course.over
    assert scores(night) == {
        0: None, 1: Fraction(1), 2: Fraction(2, 3), 3: Fraction(1, 3), 4: Fraction(0),
    }  # fmt: skip
    assert {row.matches for row in night.course.standings() if row.entrant} == {3}
    assert night.course.final()[-1].entrant == 0


def test_who_leaves_late_loses_what_is_left():
    night = Night(plan_of(STAGES[0], 5), 5)
    play_matches(night, 8)
    left = {player for player in range(5) if night.course.tally.matches_played(0, player) < 4}
    assert 0 in left
    night.withdraw(0)
    assert night.decisions == [Withdraw(0, 0, annulled=False)]
    night.finish()
    rows = {row.entrant: row for row in night.course.standings()}
    assert {row.matches for row in rows.values()} == {4}
    walked = [match for match, _ in night.course.tally.walkovers.items()]
    assert len(walked) == 1
    assert rows[0].score == Fraction(3, 4)
    assert sum((row.total for row in rows.values()), Fraction(0)) == 10
    assert night.course.tally.played == 9 * 2 * 2  # the match won without play has no games


def test_between_two_that_are_gone_the_one_who_stayed_longer_goes_on():
    night = Night(plan_of(STAGES[2], 4), 4)
    night.withdraw(0)
    night.withdraw(3)
    night.finish()
    assert [line.entrant for line in night.course.final()] == [1, 3, 2, 0]


def test_at_larger_tables_the_others_play_on():
    night = Night(plan_of(STAGES[4], 4, games=1), 4)
    play_matches(night, 1)
    night.withdraw(0)
    before = len(night.results)
    night.finish()
    assert night.course.over
    assert len(night.results) > before
    assert any(0 in {seat.entrant for seat in result.seats} for result in night.results[before:])
    (decision,) = night.decisions
    assert isinstance(decision, Withdraw)
    assert (scores(night)[0] is None) == decision.annulled


def test_in_a_knockout_the_opponent_goes_on():
    night = Night(plan_of(STAGES[2], 4), 4)
    night.withdraw(0)
    night.finish()
    assert [line.entrant for line in night.course.final()] == [1, 3, 2, 0]


def test_who_is_withdrawn_does_not_go_on_to_the_next_stage():
    night = Night(plan_of(STAGES[3], 5), 5)
    play_matches(night, 9)
    night.withdraw(0)
    night.finish()
    assert night.course.stages[1].entrants == (1, 2, 3)


def test_forfeits_in_a_row_are_counted():
    due = Night(plan_of(STAGES[0], 3), 3).course.take()
    assert due is not None
    first, second = due.players
    streaks = Streaks(3, {second: 1})
    streaks.add(played(due, forfeits=[first, second]))
    assert streaks.to_withdraw() == []
    streaks.add(played(due, forfeits=[second]))
    assert streaks.to_withdraw() == [second]
    streaks.add(played(due, forfeits=[first]))
    assert streaks.to_withdraw() == []
    never = Streaks(0, {first: 100})
    never.add(played(due, forfeits=[first]))
    assert never.to_withdraw() == []


def test_a_decision_is_read_as_it_was_written():
    decision = Withdraw(3, 1, annulled=True)
    assert read_decision(decision_text(decision)) == decision
    for text in ("", "{}", '{"kind": "dance"}', '{"kind": "withdraw"}', "[1]"):
        with pytest.raises(ValueError, match="no decision that this version knows"):
            read_decision(text)


SWISS = '[[stage]]\nformat = "swiss"\nrounds = 3\n'


def test_a_bye_of_a_swiss_counts_as_won_in_full():
    night = Night(plan_of(SWISS, 5), 5)
    night.finish()
    (stage,) = night.course.stages
    rows = {row.entrant: row for row in night.course.standings(stage)}
    byes = [entrant for round_ in night.course.rounds(stage) for entrant in round_.byes]
    assert len(set(byes)) == 3
    assert {row.matches for row in rows.values()} == {3}
    assert {row.wins + row.draws + row.losses for row in rows.values()} == {3}
    # 4 loses to everybody, 0 to nobody.
    assert [rows[4].total, rows[0].total] == [1, 3]
    assert rows[4].games[0].score == Fraction(1, 3)
    assert sum((row.total for row in rows.values()), Fraction(0)) == 3 * 2 + 3
    assert night.course.tally.played == 3 * 2 * 2 * 2  # a bye has no games


def test_who_leaves_a_swiss_is_paired_no_more_however_often_the_course_is_made_anew():
    night = Night(plan_of(SWISS, 6), 6)
    play_matches(night, 3 + 1)
    (stage,) = night.course.stages
    second = list(night.course.rounds(stage))[1]
    left = next(match for match in second.matches if night.course.tally.result(match.key) is None)
    gone, other = left.entrants
    night.withdraw(gone)
    assert night.decisions == [Withdraw(gone, 0, annulled=False, round=2)]
    night.resume()
    assert list(night.course.rounds(night.course.stages[0]))[1].matches == second.matches
    night.finish()
    assert night.course.over
    (stage,) = night.course.stages
    third = list(night.course.rounds(stage))[2]
    assert third.absent == (gone,)
    assert len(third.byes) == 1
    assert third.byes != (other,), "who won without play has no bye as well"
    rows = {row.entrant: row for row in night.course.standings(stage)}
    assert {row.matches for row in rows.values()} == {3}
    assert rows[gone].losses >= 2
    live = night.standings()
    night.resume()
    assert night.standings() == live


def test_who_is_withdrawn_before_is_not_paired_in_a_swiss():
    night = Night(plan_of('[[stage]]\nformat = "round-robin"\n' + SWISS, 4), 4)
    night.withdraw(0)
    night.finish()
    swiss = night.course.stages[1]
    assert swiss.entrants == (1, 2, 3, 0)
    assert [round_.absent for round_ in night.course.rounds(swiss)] == [(0,)] * 3
    assert swiss.match_count == 3


def test_a_decision_of_before_there_was_a_swiss_is_read():
    text = '{"entrant": 3, "stage": 0, "annulled": true, "kind": "withdraw"}'
    assert read_decision(text) == Withdraw(3, 0, annulled=True, round=0)


def test_nobody_has_a_walkover_in_a_match_whose_entrants_are_not_decided_yet():
    """A semi-final is tied and goes to an extra board; meanwhile who won the other one is withdrawn."""
    night = Night(plan_of('[[stage]]\nformat = "knockout"\nextra_boards = 1\n', 4, games=1), 4)
    for _ in range(4):  # 1 and 2 meet in the second semi-final
        due = night.course.take()
        assert due is not None
        night.store(played(due, [1, 1] if 1 in due.players else ()))
    due = night.course.take()
    assert due is not None
    assert set(due.players) == {1, 2}
    night.withdraw(0)
    assert not night.course.tally.walkovers
    while due := night.course.take():
        night.store(played(due, [1 if player == 2 else 2 for player in due.players]))
    assert [line.entrant for line in night.course.final()] == [2, 0, 1, 3]


def groups(entrants: int, advance: int, more: str = "") -> Night:
    text = f'{GROUPS}{more}[[stage]]\nformat = "knockout"\nadvance = {advance}\n'
    return Night(plan_of(text, entrants, games=1), entrants)


def test_the_best_of_each_group_go_on():
    """A: 0, 3, 4, 7; B: 1, 2, 5, 6; who has the lower number wins."""
    night = groups(8, 4)
    assert night.course.advancing(night.course.stages[0]) == (0, 1, 3, 2)  # by seed, as nothing is played
    night.finish()
    robins, cup = night.course.stages
    tables = night.course.group_standings(robins)
    assert [[(row.rank, row.entrant) for row in table] for table in tables] == [
        [(1, 0), (2, 3), (3, 4), (4, 7)],
        [(1, 1), (2, 2), (3, 5), (4, 6)],
    ]
    assert [(row.rank, row.entrant) for row in night.course.standings(robins)] == [
        (1, 0), (1, 1), (3, 2), (3, 3), (5, 4), (5, 5), (7, 6), (7, 7),
    ]  # fmt: skip
    assert cup.entrants == (0, 1, 3, 2)  # 0 and 3 can meet in the final only
    assert [(line.place, line.entrant) for line in night.course.final()][4:] == [
        (5, 4),
        (5, 5),
        (7, 6),
        (7, 7),
    ]
    assert night.course.advancing(cup) == ()


def test_group_mates_meet_in_the_final_only():
    night = groups(8, 4)
    while due := night.course.take():
        if len(night.course.stages) == 2:
            break
        # In group A the lower number wins, in B the higher: first are 0 and 6.
        in_b = due.players[0] in (1, 2, 5, 6)
        ranks = [1 + sorted(due.players, reverse=in_b).index(player) for player in due.players]
        night.store(played(due, ranks))
    cup = night.course.stages[1]
    assert cup.entrants == (0, 6, 3, 5)
    first = next(night.course.rounds(cup))
    assert [match.entrants for match in first.matches] == [(0, 5), (6, 3)]


def test_the_next_of_a_group_goes_on_for_who_is_withdrawn():
    night = groups(8, 4)
    play_matches(night, 11)
    night.withdraw(1)
    night.finish()
    assert set(night.course.stages[1].entrants) == {0, 2, 3, 5}


def test_half_of_the_matches_is_that_of_the_own_group():
    """Of five, three are in group A with two matches each, and two in group B with one."""
    night = groups(5, 2)
    play_matches(night, 2)
    robins = night.course.stages[0]
    assert [robins.matches_of(entrant) for entrant in range(5)] == [2, 1, 1, 2, 2]
    played_one = [each for each in (0, 3, 4) if night.course.tally.matches_played(0, each) == 1]
    assert not withdrawal(night.course, played_one[0]).annulled


def test_groups_have_more_cycles_if_the_host_wants():
    night = groups(5, 2)
    play_matches(night, 2)
    before = night.course.results(night.course.stages[0])
    night.decide(extension(night.course, 1))
    assert before.items() <= night.course.results(night.course.stages[0]).items()
    night.finish()
    assert {row.matches for row in night.course.standings(night.course.stages[0])} == {2, 4}


GUEST = Newcomer("late", "join")


def matches_of(night: Night, entrant: int) -> list[MatchKey]:
    """The keys of an entrant's matches in the first stage."""
    stage = night.course.stages[0]
    matches = [match for round_ in night.course.rounds(stage) for match in round_.matches]
    return [match.key for match in matches if entrant in match.entrants]


def admit(night: Night) -> Admit:
    decision = admission(night.course, GUEST)
    night.decide(decision)
    return decision


def test_a_late_bot_of_a_round_robin_meets_everybody_in_the_cycles_that_are_not_over():
    night = Night(plan_of(STAGES[1], 4), 4)
    before = [match for each in range(4) for match in matches_of(night, each)]
    play_matches(night, 7)  # of six in a cycle
    assert admit(night) == Admit(4, "late", "join", "", "", "", since=1)
    assert [key for each in range(4) for key in matches_of(night, each) if key in before] == before
    late = matches_of(night, 4)
    assert len(late) == 4
    assert min(key.round for key in late) == 6, "behind all that was paired before"
    second = admit(night)
    assert (second.entrant, len(matches_of(night, 5))) == (5, 5)
    night.decide(extension(night.course, 1))
    night.finish()
    rows = {row.entrant: row.matches for row in night.course.standings()}
    assert rows == {**dict.fromkeys(range(4), 2 * 3 + 2 + 5), 4: 4 + 1 + 5, 5: 5 + 5}
    assert sorted(line.entrant for line in night.course.final()) == [0, 1, 2, 3, 4, 5]


def test_a_late_bot_of_a_gauntlet_joins_the_field():
    night = Night(plan_of(STAGES[6], 5), 5)  # two challengers
    play_matches(night, 1)
    admit(night)
    night.finish()
    rows = {row.entrant: row.matches for row in night.course.standings()}
    assert rows == {0: 4, 1: 4, 2: 2, 3: 2, 4: 2, 5: 2}


def test_a_late_bot_of_a_swiss_is_paired_from_the_next_round_on_and_gets_nothing_for_the_others():
    night = Night(plan_of(SWISS, 5), 5)
    play_matches(night, 1)
    assert admit(night).since == 1
    (stage,) = night.course.stages
    assert next(night.course.rounds(stage)).absent == (5,)
    night.finish()
    second = list(night.course.rounds(night.course.stages[0]))[1]
    assert second.byes == (), "now they are even"
    rows = {row.entrant: row for row in night.course.standings(night.course.stages[0])}
    assert {row.matches for row in rows.values()} == {3}
    assert rows[5].losses >= 1
    assert sum((row.total for row in rows.values()), Fraction(0)) == 3 * 3


def test_a_round_that_a_late_bot_missed_counts_as_lost_for_its_opponents_not_as_drawn():
    night = Night(plan_of('[[stage]]\nformat = "swiss"\nrounds = 2\n', 5), 5)
    play_matches(night, 1)
    admit(night)
    night.finish()
    (stage,) = night.course.stages
    met = {entrant: set[int]() for entrant in range(6)}
    for result in night.course.results(stage).values():
        for entrant in result.entrants:
            met[entrant] |= set(result.entrants) - {entrant}
    ((opponent, others),) = [(each, others) for each, others in met.items() if 5 in others]
    totals = {row.entrant: row.total for row in night.course.standings(stage)}
    assert len(others) == 2
    assert totals[5] == 0
    assert Scoresheets(night.course.tally, 0).buchholz(opponent) == sum(totals[other] for other in others)


def test_at_larger_tables_a_late_bot_plays_from_the_next_cycle_on():
    stages = 'seats = 3\n[[stage]]\nformat = "round-robin"\ncycles = 2\n'
    night = Night(plan_of(stages, 4), 4)
    play_matches(night, 1)
    assert admit(night).since == 1
    assert {key.round for key in matches_of(night, 4)} <= set(range(4, 9))
    night.finish()
    assert night.course.over
    once = Night(plan_of(STAGES[4], 4), 4)
    play_matches(once, 1)
    with pytest.raises(TooLate, match="arena extend --cycles 1"):
        admission(once.course, GUEST)
    once.decide(extension(once.course, 1))
    admit(once)
    once.finish()
    assert once.course.over


def test_a_knockout_takes_a_late_bot_only_before_it_begins():
    night = Night(plan_of(STAGES[2], 3), 3)
    admit(night)
    assert night.course.stages[0].entrants == (0, 1, 2, 3)
    play_matches(night, 1)
    with pytest.raises(TooLate, match="has begun"):
        admission(night.course, GUEST)
    night.finish()
    assert len(night.course.final()) == 4


def test_a_late_bot_comes_into_a_later_stage_only_by_how_it_came_out():
    night = Night(plan_of(STAGES[3], 4), 4)
    play_matches(night, 1)
    admit(night)
    play_matches(night, 9)
    night.course.take()
    assert len(night.course.stages) == 2
    assert 4 not in night.course.stages[1].entrants
    with pytest.raises(TooLate, match="past its first stage"):
        admission(night.course, GUEST)


def test_half_of_its_own_matches_decide_what_the_withdrawal_of_a_late_bot_means():
    night = Night(plan_of(STAGES[1], 3), 3)
    play_matches(night, 4)
    admit(night)  # three matches, of the second cycle
    play_matches(night, 4)
    assert night.course.tally.matches_played(0, 3) == 2
    night.withdraw(3)
    assert night.decisions[-1] == Withdraw(3, 0, annulled=False)


def test_more_boards_make_every_match_of_a_round_robin_longer_also_those_that_are_over():
    night = Night(plan_of(STAGES[0], 3, boards=2), 3)
    play_matches(night, 1)
    assert night.course.tally.matches_finished(0) == 1
    night.decide(extension(night.course, boards=3))
    assert night.course.tally.matches_finished(0) == 0
    assert night.course.games_left() == 3 * 5 * 4 - 8
    night.finish()
    assert night.course.over
    assert len(night.results) == 3 * 5 * 4
    assert scores(night) == {0: 1, 1: Fraction(1, 2), 2: 0}


def test_more_boards_of_a_knockout_are_of_its_round_and_the_later_ones():
    night = Night(plan_of(STAGES[2], 4), 4)
    play_matches(night, 2)
    night.course.take()
    more = extension(night.course, boards=2)
    assert (more.boards, more.round) == (2, 1)
    night.decide(more)
    night.finish()
    rounds = Counter(result.key.round for result in night.results)
    assert rounds == {0: 2 * 1 * 4, 1: 2 * 3 * 4}
    totals = night.course.tally.totals(0)
    # However long, each match counts as much.
    assert sum(each.points for each in totals.entrants.values()) == 4 * totals.unit, (
        "each match counts as much"
    )


def test_a_knockout_that_breaks_a_tie_by_extra_boards_is_not_made_longer():
    night = Night(plan_of(STAGES[2], 2), 2)
    while due := night.course.take():
        night.store(played(due, [1, 1]))
        if due.key.board == 1:
            break
    assert "extra boards" in str(refusal(night.course, extension(night.course, boards=1)))


def test_boards_that_were_played_keep_their_seatings():
    stages = 'seats = 3\n[[stage]]\nformat = "round-robin"\ncycles = 2\n'
    night = Night(plan_of(stages, 7, boards=3), 7)
    stage = night.course.stages[0]
    matches = [match for round_ in night.course.rounds(stage) for match in round_.matches]

    def orders(boards: Iterable[int]) -> list[object]:
        seatings = night.course.seatings(night.course.stages[0])
        return [seatings.order(match.key, 3, board) for match in matches for board in boards]

    before = orders(range(3))
    night.decide(extension(night.course, boards=2))
    night.decide(extension(night.course, boards=1))
    assert orders(range(3)) == before
    planned = stage.seatings(2, "balanced")
    assert orders(range(3, 5)) == [
        planned.order(match.key, 3, board) for match in matches for board in range(2)
    ]
    with pytest.raises(LookupError):
        orders([6])


def test_too_many_boards_are_refused():
    course = Night(plan_of(STAGES[0], 3), 3).course
    assert "more than 100000 boards" in str(refusal(course, extension(course, boards=100_000)))
    assert refusal(course, extension(course, boards=99_999)) is None
    assert "as long as it is" in str(refusal(course, extension(course)))


def test_an_extension_of_before_boards_could_be_added_is_read():
    text = '{"stage": 1, "cycles": 2, "kind": "extend"}'
    assert read_decision(text) == Extend(1, 2)
