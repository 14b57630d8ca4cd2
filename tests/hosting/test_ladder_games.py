"""A ladder with rulings, whose course is kept from look to look, as the page and a run keep it."""

from __future__ import annotations

from contextlib import closing

from arena.league.store import League
from arena.league.stored import FollowedCourse, course_of
from arena.league.summary import strengths_of, summary_of
from arena.view.league.reader import ComputingTime, LeagueReader
from tests.hosting.ladder_games import Played


def test_a_course_that_is_followed_is_the_one_that_is_read_anew(tmp_path):
    with closing(League.create_or_open(tmp_path / "x.league")) as league:
        ladder, followed, strengths = Played(league), FollowedCourse(1), None
        for step in range(1, 8):
            ladder.play(150 * step)
            if step % 3 == 0:
                ladder.admit()
            found, anew = followed.now(league), course_of(league, 1)
            assert found.tally.played == anew.tally.played == 150 * step
            assert found.standings() == anew.standings()
            assert found.tally.groups == anew.tally.groups
            assert found.progress(found.stages[0]) == anew.progress(anew.stages[0])
            strengths = strengths_of(found, strengths, intervals=False)
            kept = summary_of(league, 1, found, strengths)
            read = summary_of(league, 1, anew, strengths_of(anew, intervals=False))
            assert (kept.final, kept.shares, kept.gone) == (read.final, read.shares, read.gone)
            assert (kept.ratings, kept.game_ratings) == (read.ratings, read.game_ratings)
            assert (kept.cycles, kept.game_cycles) == (read.cycles, read.game_cycles)
            assert (kept.nash, kept.game_nash) == (read.nash, read.game_nash)
            assert kept.game_groups == read.game_groups


def test_the_page_keeps_the_course_of_a_ladder(tmp_path):
    path = tmp_path / "x.league"
    with closing(League.create_or_open(path)) as league, closing(LeagueReader(path)) as page:
        page.work = ComputingTime(1.0, 1e9)
        ladder = Played(league)
        for games in (1, 2, 400, 401):
            ladder.play(games)
            snapshot = page.snapshot(1)
            assert snapshot.summary is not None
            assert snapshot.summary.games == games
            assert sum(len(round_.matches) for round_ in snapshot.rounds) >= games // 30


def test_a_run_that_is_resumed_goes_on_with_the_same_games(tmp_path):
    with closing(League.create_or_open(tmp_path / "x.league")) as league:
        ladder = Played(league)
        ladder.play(2_000)
        ladder.admit()
        again = course_of(league, 1)
        found = [{due for _ in range(500) if (due := course.take())} for course in (ladder.course, again)]
        assert found[0] == found[1]
