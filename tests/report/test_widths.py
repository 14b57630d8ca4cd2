"""Every table fits 80 cells, for all names, with no word broken."""

from __future__ import annotations

import dataclasses
import re
from itertools import pairwise

import pytest
from wcwidth import wcswidth

from arena.league.summary import Summary
from arena.report.live_text import watch_text
from arena.report.standings_data import summary_json
from arena.report.standings_text import TIE_BREAKS, summary_text
from arena.report.tables import Column, name_column, shortened, table, wrapped
from arena.report.tournaments import season_text
from arena.standings.season import Night, season_table
from arena.standings.season_ratings import season_ratings
from arena.standings.tiebreaks import DEFAULT
from arena.text import counted
from tests.arena_command import in_this_process
from tests.report.leagues import GAMES, JAPANESE, random_summary
from tests.standings.games import beats

HEAD = f'name = "Night"\nboards = 1\n{GAMES}'
ROUND_ROBIN = f'{HEAD}[[stage]]\nformat = "round-robin"\n'
TABLES_OF_FOUR = f'{HEAD}[[stage]]\nformat = "round-robin"\nseats = 4\n'
CLEAR = {"#", "bot", "place", "95%", "interval", "tie-breaks", "version", "author", "Nyuri", "Forty-one"}
CLEAR |= {
    "Nur",
    "Mut",
    "Kleftis",
    "Hyrule",
    "played",
    "timeout",
    "illegal",
    "action",
    "unknown",
    "turn",
    "crash",
}
CLEAR |= {"disconnect", "protocol", "forfeits", "decisions", "ms/decision"}
PLAIN = ["thoughtful-python", "second greedy", "random", "A", "gopher", "rusty"]


MANY = pytest.param(30, marks=pytest.mark.campaign)


def japanese(entrants: int) -> list[str]:
    return [f"{JAPANESE}{number:02}" for number in range(entrants)]


def plain(entrants: int) -> list[str]:
    return [f"{PLAIN[number % len(PLAIN)]} {number}" for number in range(entrants)]


def knockout(entrants: int) -> str:
    return f'{ROUND_ROBIN}[[stage]]\nformat = "knockout"\nadvance = {min(entrants, 8)}\n'


def check(text: str, names: list[str], width: int = 80) -> None:
    assert [line for line in text.split("\n") if wcswidth(line) > width] == []
    assert [line for line in text.split("\n") if line != line.rstrip()] == []
    # Cells of a table are complete: only names may be cut, and the cut is shown.
    known = " ".join(names)
    for piece in re.findall(r"(\S*)…(\S*)", text):
        assert all(part.strip(",.():") in known for part in piece), piece


def check_legends(text: str) -> None:
    """Every heading is a word that needs no legend, or has one."""
    for line, below in pairwise(text.split("\n")):
        if below and set(below) <= {"-", " "}:
            for heading in line.split():
                assert heading in CLEAR or heading.isdecimal() or f"{heading}: " in text, heading


@pytest.mark.parametrize("names", [japanese, plain])
@pytest.mark.parametrize("entrants", [2, 5, 13, MANY])
@pytest.mark.parametrize("ties", [0.1, 0.95])
def test_round_robin_and_knockout(tmp_path, names, entrants, ties):
    entering = names(entrants)
    gone = (1, entrants - 1) if entrants > 4 else ()
    summary = random_summary(
        tmp_path / "a.league", knockout(entrants), entering, ties=ties, faults=0.3, withdraw=gone
    )
    text = summary_text(summary)
    check(text, entering)
    check_legends(text)
    used = {item.code for stage in summary.stages for row in stage.rows for item in row.tie_breaks}
    assert all(f"\n{code}: {TIE_BREAKS[code]}" in text.replace("\n  ", " ") for code in used)
    if ties > 0.5:
        assert used
        assert " + " in text  # extra boards


@pytest.mark.parametrize(
    ("names", "entrants"),
    [
        (japanese, 5),
        (japanese, 13),
        (japanese, 30),
        (plain, 5),
        (plain, 13),
        pytest.param(plain, 30, marks=pytest.mark.campaign),
    ],
)
def test_tables_of_four(tmp_path, names, entrants):
    entering = names(entrants)
    summary = random_summary(
        tmp_path / "a.league", TABLES_OF_FOUR, entering, withdraw=(2,), author="東京大学"
    )
    check(summary_text(summary), entering)


@pytest.mark.parametrize("names", [japanese, plain])
@pytest.mark.parametrize("entrants", [5, 13, MANY])
@pytest.mark.parametrize("most", [25, None])
def test_groups_and_double_elimination(tmp_path, names, entrants, most):
    file = f'{HEAD}[[stage]]\nformat = "groups"\ngroups = 2\n'
    file += f'[[stage]]\nformat = "double-elimination"\nadvance = {min(entrants, 8)}\n'
    entering = names(entrants)
    summary = random_summary(
        tmp_path / "a.league",
        file,
        entering,
        ties=0.5,
        faults=0,
        most=most,
        finish=most is None,
        withdraw=(2,),
    )
    text = summary_text(summary)
    check(text, entering)
    check_legends(text)
    assert "\nGroup A\n" in text
    going_on = sum(
        line.endswith("◀") and (line.split()[0].isdecimal() or line.split()[0] == "-")
        for line in text.split("\n")
    )
    assert going_on == min(entrants, 8)
    check(watch_text(summary), entering)
    groups = summary_json(summary)["stages"][0]["groups"]
    assert [group["name"] for group in groups] == ["A", "B"]
    rows = [row for group in groups for row in group["standings"]]
    assert sum(row["advances"] for row in rows) == min(entrants, 8)
    assert (most is None) == ("\nWinner: " in text)


@pytest.mark.parametrize("most", [1, 9, 40])
def test_a_tournament_that_is_running(tmp_path, most):
    entering = plain(13)
    summary = random_summary(tmp_path / "a.league", knockout(13), entering, most=most, finish=False)
    text = summary_text(summary)
    check(text, entering)
    assert text.startswith(f"Night (not finished): 13 entrants, {counted(most, 'game')}\n")


def test_a_wide_terminal_has_the_long_headings(tmp_path):
    summary = random_summary(tmp_path / "a.league", ROUND_ROBIN, japanese(5), faults=0.3)
    assert summary.unseating is not None  # its sentence has short names
    text = summary_text(dataclasses.replace(summary, unseating=None), 200)
    check(text, japanese(5), 200)
    assert "…" not in text
    assert "Forty-one" in text
    assert "illegal action" in text
    assert "FO: Forty-one" not in text


def test_columns_of_nothing_but_zeros_are_left_out(tmp_path):
    text = summary_text(random_summary(tmp_path / "a.league", ROUND_ROBIN, plain(3), faults=0))
    assert "Times (there were no faults)" in text
    for heading in ("timeout", "crash", "forfeits", "version", "author"):
        assert heading not in text


def seed_decided(tmp_path) -> Summary:
    return random_summary(tmp_path / "a.league", knockout(2), ["first", "second"], ties=1, faults=0)


def test_a_final_decided_by_seed_says_so_and_names_the_winner(tmp_path):
    text = summary_text(seed_decided(tmp_path))
    assert "tied to the end, decided by seed: for first\n" in text
    assert "Winner: first (the final was tied: the better seed wins)\n" in text
    assert "The final was tied and is decided by seed: the winner is first" in text


def test_a_tie_that_extra_boards_may_still_break_is_not_decided(tmp_path):
    head = HEAD.replace(GAMES, 'games = ["nyuri"]\n')
    file = f'{head}[[stage]]\nformat = "knockout"\nextra_boards = 2\n'
    for most, decided in ((2, False), (4, False), (6, True)):
        summary = random_summary(
            tmp_path / f"{most}.league", file, ["first", "second"], ties=1, most=most, finish=False
        )
        assert summary.games == most
        assert ("decided by seed" in summary_text(summary)) == decided


def test_scores_are_written_in_one_way(tmp_path):
    text = summary_text(seed_decided(tmp_path))
    assert "50.0" in text
    assert "0.500" not in text


def test_every_tie_break_is_explained():
    assert set(DEFAULT) <= set(TIE_BREAKS)


@pytest.mark.parametrize("nights", [1, 5, 13, 40])
def test_seasons(nights):
    names = japanese(13)
    places = {name: place for place, name in enumerate(names, 1)}
    circle = beats(0, 1, 30) + beats(1, 2, 30) + beats(2, 0, 30)
    season = [
        Night(
            places, dict.fromkeys(names, f"v{number}"), names, circle + beats(3, 4, 2), paired_by_score=True
        )
        for number in range(nights)
    ]
    rows = season_table(season)
    titles = [f"League night {number}" for number in range(nights)]
    text = season_text(rows, season_ratings(season), titles)
    assert "Nash" in text
    assert "without a rating" in text
    check(text, [*names, ", ".join(rows[0].versions)])


def test_wide_names_and_accents_align():
    names = ["a", "日本語", "e\u0301te\u0301", "한국어 bot"]
    lines = [*table([name_column("bot", names), Column("score", ["1.0", "22.0", "3.0", "100.0"])], 80)]
    assert {wcswidth(line) for line in lines} == {wcswidth("한국어 bot  100.0")}


def test_texts_break_between_words_and_are_cut_in_the_middle():
    assert [*wrapped("one two three", 8, "  ")] == ["one two", "  three"]
    assert [*wrapped("    one two three", 11, "    ")] == ["    one two", "    three"]
    assert shortened("日本語の長い名前その二", 11) == "日本語の…二"
    assert shortened("abcdefghijklmnop", 10) == "abcdef…nop"
    assert shortened("short", 11) == "short"


def test_one_and_many():
    assert counted(1, "match", "matches") == "1 match"
    assert counted(2, "match", "matches") == "2 matches"
    assert counted(0, "game") == "0 games"


@pytest.mark.parametrize("width", [40, 60])
@pytest.mark.parametrize("entrants", [2, 5, 13])
def test_a_narrow_terminal_has_tables_that_are_split(tmp_path, width, entrants):
    entering = plain(entrants)
    summary = random_summary(tmp_path / "a.league", knockout(entrants), entering, faults=0.3, author="Ada")
    text = summary_text(summary, width)
    # Hashes are copied whole, and a bracket is drawn as it is.
    whole = re.compile(r"^  [0-9a-f]{32,64}(  .*)?$|[┌├└│]|^digest")
    assert text.count("Nyu") > 1 or "Nyuri" in text
    for command in (["standings"], ["list"], ["replay"], ["season"], ["standings", "--pairs"]):
        shown = in_this_process([*command, "a.league"], tmp_path, columns=width).stdout
        lines = [line for line in shown.split("\n") if not whole.search(line)]
        assert [line for line in lines if wcswidth(line) > width] == []


@pytest.mark.parametrize("command", [["games"], ["init-bot", "--list"]])
def test_lists_fit_a_narrow_terminal(tmp_path, command):
    shown = in_this_process(command, tmp_path, columns=40).stdout
    assert [line for line in shown.split("\n") if wcswidth(line) > 40] == []
