"""Late bots and added cycles, during a run and between two runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.face import NO_FACE, Face
from arena.league.store import League
from tests.arena_command import arena
from tests.bots_for_tests import good_bot
from tests.referee.hosting import HEAD, standings
from tests.referee.night_here import LONG, Night
from tests.referee.simulation import simulate

SQUARES = "#...#\n##.##\n#####\n.###.\n..#.."
EMBLEM = f'[emblem]\nsquares = """\n{SQUARES}\n"""\n'


def test_a_bot_comes_while_a_night_is_played(tmp_path):
    late = good_bot(tmp_path, "late")
    text = f'games = ["hyrule"]\nboards = 8\nshared_cards = "round"\n{LONG}'
    with Night(tmp_path, ["bot 0", "bot 1"], text) as night:
        night.play(4)
        taken = arena("host", "admit", night.league, late, "--name", "BOT 1", cwd=tmp_path, code=2).stderr
        assert "has an entrant bot 1 already" in taken
        done = arena("host", "admit", night.league, late, "--reason", "the train was late", cwd=tmp_path)
        assert "late is admitted to test" in done.stdout
        night.play()
        night.end()
    assert "late is admitted (the train was late)" in night.told
    assert "late may see" not in night.told
    summary = standings(night.league)
    assert {row["matches"] for row in summary["standings"]} == {2}
    assert sum(row["forfeits"] for row in summary["standings"]) == 0
    text = arena("standings", night.league, cwd=tmp_path).stdout
    assert "late came late (the train was late)." in text
    assert "all is well" in arena("verify", night.league, cwd=tmp_path).stdout


def test_who_is_admitted_between_two_runs_plays_in_the_next(tmp_path):
    with Night(tmp_path, [f"bot {number}" for number in range(4)], HEAD + LONG) as night:
        night.play(4)
    league = night.league
    bot = good_bot(tmp_path, "late")
    assert "late is admitted to test" in arena("host", "admit", league, bot, cwd=tmp_path).stdout
    told = arena("host", "admit", league, "--join", "guest", cwd=tmp_path).stdout
    assert "arena resume" in told
    (token,) = re.findall(r"its token is (\w+)", told)
    arena("host", "withdraw", league, "guest", cwd=tmp_path)
    arena("host", "extend", league, "--boards", "3", "--reason", "there is time", cwd=tmp_path)
    with Night(tmp_path, None) as again:
        again.play(4)
        assert "ARENA_TOKEN" not in again.told  # nobody waits for the guest
        assert token not in again.told
        arena("host", "end", league, cwd=tmp_path)
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
        told = arena("host", "extend", night.league, "--boards", "4", cwd=tmp_path).stdout
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
    refused = arena("host", command, begun_knockout, *rest, cwd=begun_knockout.parent, code=2).stderr
    assert sentence in refused
    assert "Traceback" not in refused


@pytest.fixture(scope="module")
def begun_knockout(tmp_path_factory):
    path = tmp_path_factory.mktemp("leagues") / "some.league"
    text = 'name = "cup"\ngames = ["hyrule"]\n[[stage]]\nformat = "knockout"\n'
    with League.create_or_open(path) as league:
        simulate(league, text, 4, finish=False, at_most=1)
    return path


def test_faces_are_those_of_the_bots_as_they_are_now(tmp_path):
    late = good_bot(tmp_path, "late")
    plain = (late / "bot.toml").read_text()
    (late / "bot.toml").write_text(f'language = "go"\n{plain}{EMBLEM}')
    with Night(tmp_path, ["bot 0", "bot 1"], HEAD + LONG) as night:
        night.play(2)
        arena("host", "admit", night.league, late, cwd=tmp_path)
        night.play(2)
    assert faces(night.league) == [NO_FACE, NO_FACE, Face("go", SQUARES)]
    (late / "bot.toml").write_text(plain)
    with Night(tmp_path, None) as again:
        again.play(2)
        arena("host", "end", again.league, cwd=tmp_path)
        again.end()
    assert faces(again.league) == [NO_FACE] * 3
    assert "all is well" in arena("verify", again.league, cwd=tmp_path).stdout


def faces(league: Path) -> list[Face]:
    with League.read(league) as stored:
        return [*stored.tournament(1).faces]
