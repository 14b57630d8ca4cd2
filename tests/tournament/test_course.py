"""The course of a tournament: whatever is played, decided, cut and resumed, it comes to the same."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.results import GameKey, GameResult, SeatResult
from arena.runner.tournament_file import parse_plan
from arena.tournament.course import Course, Due, MatchOver, Unexpected
from arena.tournament.decisions import Annul, Decision, End, Go, Pause, Withdraw, decision_text, read_decision
from arena.tournament.plan import Plan
from arena.tournament.proposals import annulment, extension, refusal, withdrawal
from arena.tournament.streaks import Streaks
from tests.examples import examples

STAGES = (
    '[[stage]]\nformat = "round-robin"\n',
    '[[stage]]\nformat = "round-robin"\ncycles = 2\n',
    '[[stage]]\nformat = "knockout"\nextra_boards = 1\n',
    '[[stage]]\nformat = "round-robin"\n[[stage]]\nformat = "knockout"\nadvance = 3\nextra_boards = 2\n',
    'seats = 3\n[[stage]]\nformat = "round-robin"\n[[stage]]\nformat = "knockout"\n',
    '[[stage]]\nformat = "knockout"\n[[stage]]\nformat = "round-robin"\nadvance = 3\n',
    '[[stage]]\nformat = "gauntlet"\nchallengers = 2\n',
    '[[stage]]\nformat = "swiss"\nrounds = 2\n[[stage]]\nformat = "swiss"\nrounds = 2\nadvance = 3\n',
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
        keys = {due.key for due in playing}
        self.course = Course(self.plan, self.entrants, self.decisions, keys)
        for result in self.results:
            self.course.tell(result)
        self.course.settle()

    def store(self, result: GameResult) -> None:
        if self.course.expects(result.key):
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
        assert night.course.games == planned + night.course.tally.extra
    if not night.decisions and "extra_boards = 1" not in stages and "knockout" not in stages:
        assert night.course.games == planned


@examples(60)
@given(st.sampled_from(STAGES), st.integers(3, 5), st.integers(1, 2), st.data())
def test_a_tournament_cut_anywhere_comes_to_the_same(stages, entrants, boards, data):
    """Games end in any order, some tied; now and then it stops, and the host decides something."""
    plan = plan_of(stages, entrants, boards)
    night = Night(plan, entrants)
    running: list[Due] = []
    given_out: set[object] = set()
    while not night.course.over:
        action = data.draw(st.sampled_from(("play",) * 16 + ("stop", "withdraw", "annul", "extend")))
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
    live = night.standings()
    night.results = data.draw(st.permutations(night.results))
    night.resume()
    assert night.standings() == live, "the course made of the same results and decisions is the same"
    assert night.course.take() is None


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
