"""Ratings for which a number would mislead: bounds, islands, cycles; in text, JSON and CSV."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter

import pytest

from arena.report.standings_data import summary_json, summary_rows
from arena.report.standings_text import summary_text
from arena.standings.cycles import cycles, nash_averages
from arena.standings.rating import ratings
from arena.standings.tally import DuplicateGroup
from tests.report.leagues import GAMES, random_summary
from tests.standings.games import beats

NAMES = ["ann", "bob", "cid", "dan"]
FILE = f'name = "Night"\nboards = 1\n{GAMES}[[stage]]\nformat = "round-robin"\n'


@pytest.fixture(scope="module")
def summary(tmp_path_factory):
    return random_summary(tmp_path_factory.mktemp("league") / "a.league", FILE, NAMES, faults=0)


def rated(summary, groups):
    order = [line.entrant for line in summary.final]
    found = cycles(groups)
    return dataclasses.replace(
        summary, ratings=ratings(groups, order), cycles=found, nash=nash_averages(groups, found)
    )


def ranking(summary):
    """The text below the final ranking, with line ends as spaces."""
    text = summary_text(summary)
    return re.sub(r"\s+", " ", text[text.index("Final ranking") :])


def ahead(best):
    """Results of one bot that is far ahead of three that are level."""
    others = [each for each in range(4) if each != best]
    wins = [beats(best, other, 30) + beats(other, best, 2) for other in others]
    level = [beats(one, other, 9) for one in others for other in others if one != other]
    return sum(wins + level, Counter())


def test_places_are_as_certain_as_the_ratings_and_a_first_place_that_is_not_certain_says_so(summary):
    first, second = (line.entrant for line in summary.placed[:2])
    shown = rated(summary, ahead(first))
    assert shown.certain_places == {each: (1, 1) if each == first else (2, 4) for each in range(4)}
    assert f"The first place is certain: with 95 %, {NAMES[first]} is first in the long run." in ranking(
        shown
    )
    assert "with 95 % all these places are right together" in ranking(shown)
    assert re.search(rf"^ *1 +1 +{NAMES[first]} ", summary_text(shown), re.MULTILINE)
    assert re.search(rf"^ *2 +2-4 +{NAMES[second]} ", summary_text(shown), re.MULTILINE)
    assert [line["certain_places"] for line in summary_json(shown)["final"]] == [(1, 1), *[(2, 4)] * 3]
    header, *rows = summary_rows(shown)
    ends = [dict(zip(header, row, strict=True)) for row in rows]
    assert [(each["certain_best"], each["certain_last"]) for each in ends] == [("1", "1"), *[("2", "4")] * 3]
    upset = ranking(rated(summary, ahead(second)))
    assert f"The first place is not certain: in the long run, {NAMES[second]} may be first." in upset
    order = [NAMES[line.entrant] for line in summary.final]
    named = f"in the long run, {', '.join(order[:3])} or 1 other may be first."
    assert named in ranking(rated(summary, beats(0, 1, 3) + beats(1, 2, 3) + beats(2, 3, 3) + beats(3, 0, 3)))


def test_nothing_is_certain_before_the_end_and_without_intervals(summary):
    playing = dataclasses.replace(summary, tournament=summary.tournament._replace(finished=None))
    quick = dataclasses.replace(summary, ratings=ratings(ahead(0), range(4), intervals=False))
    for shown in (playing, quick):
        assert shown.certain_places == {}
        assert "certain" not in summary_text(shown)
        assert {line["certain_places"] for line in summary_json(shown)["final"]} == {None}


def test_a_bound_stands_where_a_rating_would_grow_with_every_game(summary):
    always = {
        DuplicateGroup((0, 1), (4,)): 30,
        DuplicateGroup((0, 2), (4,)): 30,
        DuplicateGroup((0, 3), (4,)): 30,
    }
    even = beats(1, 2, 5) + beats(2, 1, 5) + beats(2, 3, 5) + beats(3, 2, 5)
    shown = rated(summary, always | even)
    text = ranking(shown)
    assert re.search(r"ann +\S+ +\S+ +- +above \d+", text)
    assert "a result so clean has a chance of 2.5 % at the bound" in text
    assert "1500 is the mean of the 3 best known" in text
    (ann,) = [line["rating"] for line in summary_json(shown)["final"] if line["name"] == "ann"]
    assert (ann["rating"], ann["bound"], ann["high"], ann["anchor"]) == (None, "above", None, False)
    assert ann["low"] > 1700
    header, *rows = summary_rows(shown)
    row = dict(zip(header, next(row for row in rows if "ann" in row), strict=True))
    assert (row["rating"], row["low"], row["high"], row["bound"]) == ("", str(ann["low"]), "", "above")


def test_below_the_ratings_of_a_swiss_stands_how_they_are_made(tmp_path):
    file = FILE.replace("round-robin", "swiss")
    assert "A Swiss pairs by results" in ranking(random_summary(tmp_path / "a.league", file, NAMES, faults=0))


def test_only_below_those(summary):
    assert "Swiss" not in ranking(summary)


def test_who_never_met_are_told_apart(summary):
    shown = rated(summary, beats(0, 1, 5) + beats(1, 0, 5) + beats(2, 3, 5) + beats(3, 2, 5))
    text = ranking(shown)
    assert re.search(r"No chain of games connects these sets of bots: \(\w+, \w+\), \(\w+, \w+\)\.", text)
    assert "compare ratings within a set only" in text
    assert sorted(map(sorted, summary_json(shown)["rating_notes"]["unconnected"])) == [
        ["ann", "bob"],
        ["cid", "dan"],
    ]


def test_a_cycle_is_told_in_a_sentence(summary):
    shown = rated(summary, beats(0, 1, 30) + beats(1, 2, 30) + beats(2, 0, 30) + beats(0, 3, 3))
    assert (
        "ann beats bob (75 %), bob beats cid (75 %) and cid beats ann (75 %), by more than chance explains. "
        "A rating cannot show that" in ranking(shown)
    )
    assert summary_json(shown)["rating_notes"]["cycles"] == [
        {"names": ["ann", "bob", "cid"], "scores": [0.75, 0.75, 0.75]}
    ]


def test_where_a_cycle_is_told_the_nash_average_stands_beside_the_ratings(summary):
    wins = beats(0, 1, 30) + beats(1, 2, 30) + beats(2, 0, 30)
    shown = rated(summary, wins + beats(0, 3, 3) + beats(1, 3, 3) + beats(2, 3, 3))
    text = ranking(shown)
    assert "95% interval Nash" in text
    for name, percent in (("ann", "50.0"), ("bob", "50.0"), ("cid", "50.0"), ("dan", "25.0")):
        assert re.search(rf"{name} [^a-z]+ {percent}( |$)", text)
    assert "Nash: what a bot scores" in text
    told = {line["name"]: line["nash"] for line in summary_json(shown)["final"]}
    assert told["ann"] == pytest.approx({"score": 0.5, "weight": 1 / 3}, abs=1e-5)
    assert told["dan"] == pytest.approx({"score": 0.25, "weight": 0}, abs=1e-5)


def test_without_a_cycle_there_is_none(summary):
    shown = rated(summary, beats(0, 1, 30) + beats(1, 2, 30) + beats(0, 2, 30) + beats(0, 3, 3))
    assert "Nash" not in summary_text(shown)
    assert {line["nash"] for line in summary_json(shown)["final"]} == {None}


def test_overall_scores_have_intervals_everywhere(summary):
    text, data = ranking(summary), summary_json(summary)
    header, *rows = summary_rows(summary)
    for line, row in zip(data["final"], rows, strict=True):
        score = line["score"]
        by_game = [scores[line["name"]]["score"] for scores in data["game_scores"].values()]
        assert score["score"] == pytest.approx(sum(by_game) / 5, abs=1e-5)
        assert 0 <= score["low"] < score["score"] < score["high"] <= 1
        assert f"{score['low'] * 100:.1f}..{score['high'] * 100:.1f}" in text
        cells = dict(zip(header, row, strict=True))
        assert float(cells["overall_low"]) == pytest.approx(score["low"])
    assert "all games pooled" in text
    assert data["rating_of"] == "all games pooled"


def test_before_a_board_is_over_there_are_no_ratings(tmp_path):
    shown = random_summary(tmp_path / "a.league", FILE, NAMES, most=1, finish=False)
    assert "rating: Bradley-Terry" in summary_text(shown)
    assert summary_json(shown)["final"][0]["score"] == {"score": None, "low": None, "high": None}
