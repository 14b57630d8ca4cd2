"""What would unseat the winner stands beside every final ranking, and nowhere before the end."""

from __future__ import annotations

import dataclasses
import html
import re
from pathlib import Path

import pytest

from arena.league.store import League
from arena.league.summary import Summary, summarize
from arena.report.standings_data import summary_json, summary_markdown
from arena.report.standings_text import summary_text
from arena.results import GameKey
from arena.standings.unseating import Unseating
from arena.view.report_file import report_of
from tests.report.leagues import random_summary
from tests.view.served import served

NAMES = ["ann", "bob", "cid", "dan"]
BOARDS = 6 * 2 * 3
HEAD = 'name = "Night"\nboards = 3\ngames = ["nyuri", "hyrule"]\n'
FILE = f'{HEAD}[[stage]]\nformat = "round-robin"\n'
SWISS = f'{HEAD}[[stage]]\nformat = "round-robin"\n[[stage]]\nformat = "swiss"\nadvance = 4\nrounds = 2\n'


def in_one_line(text: str) -> str:
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>|[\u2066-\u2069]", "", text)))


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A league with a night that is over; random results with this seed let a board or more decide it."""
    path: Path = tmp_path_factory.mktemp("league") / "night.league"
    random_summary(path, FILE, NAMES, seed=5)
    return path


def summary_of(league: Path) -> Summary:
    with League.read(league, only_shown=True) as read:
        return summarize(read, 1)


def test_text_data_page_and_report_say_the_same(league):
    summary = summary_of(league)
    found = summary.unseating
    assert found is not None
    assert found.rival is not None
    assert found.of == BOARDS
    boards = [str(board).rpartition(".")[0] for board in found.boards]
    assert summary_json(summary)["unseating"] == {
        "winner": NAMES[found.winner], "rival": NAMES[found.rival], "boards": boards, "of": BOARDS,
    }  # fmt: skip
    said = (
        f"Without {len(boards)} of the {BOARDS} boards of all matches, {NAMES[found.rival]} would have a "
        f"higher score than {NAMES[found.winner]}"
    )
    text = in_one_line(summary_text(summary))
    assert f"{said}: {boards[0]}" in text
    assert text.index("Final ranking") < text.index(said)
    assert said in in_one_line(summary_markdown(summary))
    assert said in in_one_line(report_of(league, 1, ()).html)
    with served(league) as page:
        standings = page.get("/standings")
        assert said in in_one_line(standings)
        for board in found.boards:
            assert f'href="/games/{board}"' in standings
            page.get(f"/games/{board}")


def test_before_the_end_nothing_is_said(tmp_path):
    summary = random_summary(tmp_path / "night.league", FILE, NAMES, seed=5, finish=False)
    assert summary.unseating is None
    assert summary_json(summary)["unseating"] is None
    assert "higher score" not in summary_text(summary)


def test_a_night_that_the_host_has_not_shown_says_nothing_before_it_is_over(tmp_path):
    path = tmp_path / "night.league"
    random_summary(path, f'reveal = "host"\n{FILE}', NAMES, seed=5, finish=False)
    hidden = summary_of(path)
    assert (hidden.games, hidden.unseating) == (0, None)
    with League.create_or_open(path) as written:
        written.finish_tournament(1)
    assert summary_of(path).unseating is not None


def said(summary: Summary, unseating: Unseating | None) -> str:
    return in_one_line(summary_text(dataclasses.replace(summary, unseating=unseating)))


def test_each_case_has_its_words(league, tmp_path):
    night = summary_of(league)
    board = GameKey(0, 0, 1, "hyrule", 2, 0)
    many = tuple(board._replace(round=number) for number in range(5))
    assert "ann: 1.1.2/hyrule/3, 1.2.2/hyrule/3, 1.3.2/hyrule/3 and 2 others." in said(
        night, Unseating(0, 1, many, 36)
    )
    assert "ann and bob have the same score." in said(night, Unseating(0, 1, (), 36))
    assert (
        "Whichever of the 36 boards of all matches are left out, no bot has a higher score than ann."
        in said(night, Unseating(0, None, (), 36))
    )
    assert "Whichever 100 of the 1400 boards of all matches are left out" in said(
        night, Unseating(0, None, (), 1400)
    )
    swiss = random_summary(tmp_path / "swiss.league", SWISS, NAMES)
    assert (
        "Without 1 of the 24 boards of all matches of stage 2, bob would have a higher score than ann, with "
        "the same pairings: 2.1.2/hyrule/3." in said(swiss, Unseating(0, 1, (board._replace(stage=1),), 24))
    )
    assert "higher score" not in said(swiss, None)
