"""The report on company: pairs that it finds, pairs that it does not, and cases that it cannot test."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

from arena.league.store import League
from arena.league.summary import CompanySummary
from arena.report.company_text import company_json, company_rows, company_text
from arena.standings.company import company
from tests.arena_command import arena
from tests.report.leagues import GAMES, random_summary
from tests.standings.simulated import play, round_robin, swaps

NAMES = ("ann", "bob", "cid", "dan", "eve", "fay", "gus", "hal")


def simulated(helps, change=None):
    chance = np.random.default_rng(6)
    groups = play(round_robin(8, 4, 10), [0] * 8, 0.3, chance, helps, change)
    return CompanySummary("Night", NAMES, 4, company({"kleftis": groups}))


def joined(text):
    assert all(len(line) <= 80 for line in text.split("\n"))
    return " ".join(text.split())


def test_who_is_helped_is_said_in_words_and_numbers():
    summary = simulated({(1, 6): 300})
    text = joined(company_text(summary))
    first = company_json(summary)["pairs"][0]
    assert (first["name"], first["with"], first["suspicious"]) == ("gus", "bob", True)
    assert (
        f"At tables with bob, gus scores {first['score'] * 100:.0f} % where {first['expected'] * 100:.0f} % "
        "is expected (p < .0001 after correction for 112 tests)" in text
    )
    assert "no proof of an agreement" in text
    assert (
        "each is about as strong against any other bot and in any seat as its rating says, any pair is shown "
        "in at most 1 of 100 leagues" in text
    )


def test_who_comes_out_ahead_of_another_too_often_is_said():
    summary = simulated({}, swaps(1, 6, 1))
    first = company_json(summary)["pairs"][0]
    assert (first["name"], first["with"], first["games"], first["ahead"]) == ("gus", "bob", 120, 1)
    assert first["p_ahead_corrected"] < 0.01
    assert (
        f"gus comes out ahead of bob in 100 % of 120 games where {first['expected_ahead'] * 100:.0f} % is "
        "expected (p < .0001 after correction for 112 tests)" in joined(company_text(summary))
    )


def test_where_nobody_is_helped_it_says_what_would_have_been_found():
    summary = simulated({})
    text = joined(company_text(summary))
    assert "No bot scores more at tables with a certain other" in text
    assert "56 pairs were tested" in text
    assert (
        f"a gap of {company_json(summary)['detectable_gap'] * 100:.1f} % or more would be found in 80" in text
    )
    header, *rows = company_rows(summary)
    assert (header[:2], len(rows), {row[-1] for row in rows}) == (["name", "with"], 56, {"false"})


@pytest.mark.parametrize(
    ("stage", "names", "most", "sentence"),
    [
        ("", NAMES[:4], None, "Night is played at tables of two"),
        (
            "seats = 4\n",
            NAMES[:5],
            1,
            "no board has been played from every seat at a table of three or more yet",
        ),
        ("seats = 4\n", NAMES[:4], None, "The test needs more bots than seats"),
    ],
)
def test_where_it_cannot_be_asked_that_is_said(tmp_path, stage, names, most, sentence):
    path = tmp_path / "a.league"
    file = f'name = "Night"\nboards = 2\n{GAMES}[[stage]]\nformat = "round-robin"\n{stage}'
    random_summary(path, file, [*names], most=most, finish=most is None)
    assert sentence in joined(arena("standings", path, "--pairs", cwd=tmp_path).stdout)
    data = json.loads(arena("standings", path, "--pairs", "--json", cwd=tmp_path).stdout)
    assert (data["pairs"], data["detectable_gap"]) == ([], None)


def test_the_command(tmp_path):
    path = tmp_path / "a.league"
    file = f'name = "Night"\nboards = 2\n{GAMES}[[stage]]\nformat = "round-robin"\nseats = 3\n'
    random_summary(path, file, [*NAMES[:6]])
    assert "company at tables of three and more" in arena("standings", path, "--pairs", cwd=tmp_path).stdout
    data = json.loads(arena("standings", path, "--pairs", "--json", cwd=tmp_path).stdout)
    rows = [*csv.DictReader(arena("standings", path, "--pairs", "--csv", cwd=tmp_path).stdout.splitlines())]
    assert len(data["pairs"]) == data["pairs_looked_at"] == len(rows) == 30
    assert [(row["name"], row["with"]) for row in rows] == [(p["name"], p["with"]) for p in data["pairs"]]
    with League.read(path) as league:
        games = [result for _, result in league.games(1)]
    boards = {game.key[:5] for game in games}
    forfeited = {game.key[:5] for game in games if any(seat.forfeit for seat in game.seats)}
    assert 0 < len(forfeited) < len(boards)
    assert (data["groups"], data["forfeited_groups"]) == (len(boards - forfeited), len(forfeited))
    assert f"Left out: {len(forfeited)} boards" in arena("standings", path, "--pairs", cwd=tmp_path).stdout
    refused = arena("standings", path, "--pairs", "--no-intervals", cwd=tmp_path, code=2)
    assert "leave out --no-intervals" in refused.stderr
