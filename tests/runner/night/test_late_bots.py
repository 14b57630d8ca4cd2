"""Bots that come late, and stages that are made longer, while a night is played and between two runs."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from arena.store import League
from tests.arena_command import ARENA, arena
from tests.bots_for_tests import Unhurried, good_bot
from tests.patience import PATIENCE
from tests.runner.hosting import HEAD, standings
from tests.runner.night_here import LONG, Night
from tests.runner.nights import games_in, wait_for, write_tournament
from tests.runner.simulation import simulate


def names_in(league: Path, after: int = 0) -> set[str]:
    """The entrants that have played since a game."""
    with League.read(league) as store:
        names = [entrant.name for entrant in store.tournament(1).entrants]
        games = [result for number, result in store.games(1) if number > after]
    return {names[seat.entrant] for result in games for seat in result.seats}


@pytest.mark.parametrize("workers", ["0", "1"])
def test_a_bot_and_a_guest_come_while_a_night_is_played(tmp_path, workers):
    bots = [Unhurried(f"bot {number}") for number in range(2)]
    path = write_tournament(tmp_path, bots, 'games = ["hyrule"]\nboards = 8\nshared_cards = "round"\n')
    league = tmp_path / "tournament.league"
    late, guest = good_bot(tmp_path, "late"), good_bot(tmp_path, "guest")
    with (tmp_path / "errors").open("wb") as errors:
        referee = subprocess.Popen(
            [*ARENA, "run", str(path), "--lobby", "127.0.0.1:0", "--concurrency", "2", "--workers", workers],
            cwd=tmp_path, stderr=errors, stdout=subprocess.DEVNULL,
        )  # fmt: skip
    try:
        wait_for(lambda: games_in(league) > 3)
        arena("pause", league, cwd=tmp_path)
        taken = arena("admit", league, late, "--name", "BOT 1", cwd=tmp_path, code=2).stderr
        assert "has an entrant bot 1 already" in taken
        done = arena("admit", league, late, "--reason", "the train was late", cwd=tmp_path)
        assert "late is admitted to test" in done.stdout
        done = arena("admit", league, "--join", "guest", cwd=tmp_path)
        token, address = re.findall(r"ARENA_TOKEN=(\S+) arena join (127\.0\.0\.1:\d+)", done.stdout)[0]
        told = (tmp_path / "errors").read_text()
        assert f"guest: ARENA_TOKEN=TOKEN arena join {address}" in told
        assert token not in told  # which may be kept, by nohup for one: only who has asked is told
        assert "late is admitted (the train was late)" in told
        assert "guest may see a board from every seat: all matches of a round share their boards" in told
        assert "late may see" not in told
        arena("go", league, cwd=tmp_path)
        # The guest is waited for: all that is played meanwhile is played by the others.
        wait_for(lambda: "late" in names_in(league))
        joined = subprocess.Popen(
            [*ARENA, "join", address, str(guest)],
            cwd=tmp_path, env={**os.environ, "ARENA_TOKEN": token}, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            assert referee.wait(2 * PATIENCE) == 0
        finally:
            joined.kill()
            joined.wait(PATIENCE)
    finally:
        referee.kill()
        referee.wait(PATIENCE)
    summary = standings(league)
    assert [each["name"] for each in summary["entrants"]] == ["bot 0", "bot 1", "late", "guest"]
    assert {row["matches"] for row in summary["standings"]} == {3}
    assert sum(row["forfeits"] for row in summary["standings"]) == 0
    admitted = [each for each in summary["altered"] if each["kind"] == "admit"]
    assert [(each["name"], each["reason"]) for each in admitted] == [
        ("late", "the train was late"),
        ("guest", ""),
    ]
    text = arena("standings", league, cwd=tmp_path).stdout
    assert "late came late (the train was late)." in text
    assert "all is well" in arena("verify", league, cwd=tmp_path).stdout
    arena("export", league, "-o", "lines.jsonl", cwd=tmp_path)
    arena("import", "lines.jsonl", "copy.league", cwd=tmp_path)
    assert standings(tmp_path / "copy.league") == summary


def test_who_is_admitted_between_two_runs_plays_in_the_next(tmp_path):
    with Night(tmp_path, [f"bot {number}" for number in range(4)], HEAD + LONG) as night:
        night.play(4)
    league = night.league
    bot = good_bot(tmp_path, "late")
    assert "late is admitted to test" in arena("admit", league, bot, cwd=tmp_path).stdout
    told = arena("admit", league, "--join", "guest", cwd=tmp_path).stdout
    assert "arena resume" in told
    (token,) = re.findall(r"its token is (\w+)", told)
    arena("withdraw", league, "guest", cwd=tmp_path)
    arena("extend", league, "--boards", "3", "--reason", "there is time", cwd=tmp_path)
    with Night(tmp_path, None) as again:
        again.play(4)
        assert "guest: ARENA_TOKEN=TOKEN arena join" in again.told
        assert token not in again.told
        arena("end", league, cwd=tmp_path)
        again.end()
    summary = standings(league)
    late, guest, more = (each for each in summary["altered"] if each["kind"] != "contain")
    assert (late["name"], guest["name"]) == ("late", "guest")
    assert (more["kind"], more["boards"], more["reason"]) == ("extend", 3, "there is time")
    shown = arena("standings", league, cwd=tmp_path).stdout
    assert "stage 1 has 3 more boards a match (there is time)." in shown
    assert "all is well" in arena("verify", league, cwd=tmp_path).stdout


def test_more_boards_are_played_by_matches_that_were_over(tmp_path):
    names = [f"bot {number}" for number in range(3)]
    with Night(tmp_path, names, f'games = ["hyrule"]\nboards = 8\n{LONG}') as night:
        night.play(18)  # the first match is over
        told = arena("extend", night.league, "--boards", "4", cwd=tmp_path).stdout
        assert "4 more boards a match" in told
        night.play()
        night.end()
    assert "stage 1 has 4 more boards a match" in night.told
    summary = standings(night.league)
    assert summary["games_played"] == 3 * 2 * 12
    assert "all is well" in arena("verify", night.league, cwd=tmp_path).stdout
    assert "1.1.1/hyrule/12.2" in arena("replay", night.league, cwd=tmp_path).stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["extend"], "give either --cycles or --boards"),
        (["extend", "--cycles", "1", "--boards", "1"], "give either --cycles or --boards"),
        (["admit"], "give one of BOT, --join NAME and --address HOST:PORT"),
        (["admit", "--join", "x", "--name", "y"], "leave --name out"),
        (["admit", "no-such-folder"], "there is no such folder"),
        (["admit", "--address", "nowhere"], "is no"),
        (["admit", "--address", "127.0.0.1:1"], "so it is not admitted"),
        (["admit", "--join", "guest"], "plays a knockout that has begun"),
        (["admit", "--join", " "], "cannot be its name"),
    ],
)
def test_what_makes_no_sense_is_refused(begun_knockout, arguments, sentence):
    command, *rest = arguments
    refused = arena(command, begun_knockout, *rest, cwd=begun_knockout.parent, code=2).stderr
    assert sentence in refused
    assert "Traceback" not in refused


@pytest.fixture(scope="module")
def begun_knockout(tmp_path_factory):
    path = tmp_path_factory.mktemp("leagues") / "some.league"
    text = 'name = "cup"\ngames = ["hyrule"]\n[[stage]]\nformat = "knockout"\n'
    with League.create_or_open(path) as league:
        simulate(league, text, 4, finish=False, at_most=1)
    return path
