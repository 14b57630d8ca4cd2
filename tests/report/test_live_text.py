"""How a running ladder is told: ranked by expected score, as its standings are."""

from __future__ import annotations

import re

from arena.league.store import League
from arena.league.stored import course_of
from arena.league.summary import summarize
from arena.referee.night.night_now import Awaited, BotNow, NightNow
from arena.report.live_text import leaders, live_lines, now_lines, watch_text
from arena.report.standings_text import summary_text
from arena.report.tables import cells
from arena.report.tournaments import list_json
from tests.referee.simulation import simulate

LADDER = 'name = "S"\ngames = ["nyuri", "hyrule"]\n[[stage]]\nformat = "ladder"\n'
NAMES = ["ada", "bob", "cyd", "dan"]


def bots_in(lines: list[str]) -> list[str]:
    """The bots of a table, from the top."""
    return [
        found[1]
        for line in lines
        if (found := re.match(r" *(?:\d+|-)  (?: *\d+(?:-\d+)?  )?([a-z]+) ", line))
    ]


def test_a_running_ladder_is_ranked_as_its_standings_are(tmp_path):
    with League.create_or_open(tmp_path / "s.league") as league:
        simulate(league, LADDER, len(NAMES), finish=False, at_most=100, names=NAMES)
        course, summary = course_of(league, 1), summarize(league, 1)
        [listed] = list_json(league)
    ranked = [NAMES[line.entrant] for line in summary.placed]
    assert len(ranked) == len(NAMES)
    assert ranked != [NAMES[row.entrant] for row in course.standings()]  # by percentages
    assert ranked == bots_in(summary_text(summary).partition("Ranking so far\n")[2].splitlines()[:8])
    assert listed["first"] == ranked[:1]
    scores = [f"{100 * share.score:.1f}" for share in summary.shares if share.score is not None]
    words = [f"{name} {score}" for name, score in zip(ranked, scores, strict=True)]
    assert leaders(course, NAMES) == ", ".join(words[:3])
    assert bots_in(live_lines(course, NAMES, 40)) == ranked
    assert bots_in(live_lines(course, NAMES, 5)) == ranked[:2]
    watched = watch_text(summary)
    assert bots_in(watched.splitlines()) == ranked
    assert all(score in watched for score in scores)
    assert watched.startswith("S: 100 games\nstage 1 of 1: ladder, 25 matches over\n")
    assert "expected against the whole field" in watched


def test_a_bot_that_is_not_ranked_yet_does_not_lead(tmp_path):
    with League.create_or_open(tmp_path / "s.league") as league:
        simulate(league, LADDER, len(NAMES), finish=False, at_most=40, names=NAMES)
        course, summary = course_of(league, 1), summarize(league, 1)
    assert leaders(course, NAMES) == ""
    shown = live_lines(course, NAMES, 40)
    assert all(line.startswith("-  ") and " provisional" in line for line in shown[2:])
    assert "provisional: not ranked before it has 10 boards" in watch_text(summary)


def test_a_run_tells_who_is_away_and_at_which_tables_is_played_as_far_as_there_is_room():
    bots = [
        BotNow(name, True, state, 7, 0)
        for name, state in (("owl", "here"), ("hawk", "lost"), ("kite", "coming"), ("crow", "gone"))
    ]
    turns = [
        Awaited(0, "1.1.1/nyuri/1.2", 3, 4.0, 9.0),
        Awaited(1, "1.1.1/nyuri/1.2", 3, 5.0, 9.0),
        Awaited(0, "1.1.1/hyrule/1.1", 1, 0.0, 9.0),
    ]
    night = NightNow(True, True, tables=2, bots=bots, awaited=turns)
    lines = [
        "hawk lost the connection (7 s)",
        "kite is expected (7 s)",
        "crow does not come (7 s)",
        "2 games are being played",
        "  table 1: Hyrule, game 1.1.1/hyrule/1.1, owl thinks (0 s)",
        "  table 3: Nyuri, game 1.1.1/nyuri/1.2, owl and hawk think (5 s)",
    ]
    assert now_lines(night, 6) == lines
    assert now_lines(night, 5) == [*lines[:4], "  ..."]
    assert now_lines(night, 0) == []
    assert now_lines(NightNow(), 6) == []
    hidden = night._replace(tables=0, awaited=(), next="round 1, match 1")
    assert now_lines(hidden, 6) == lines[:2], "a bot that is gone may have been withdrawn in a hidden match"
    assert all(cells(line) <= 30 for line in now_lines(night, 6, 30))
