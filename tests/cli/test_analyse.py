"""`arena analyse` on stored games: text, JSON, CSV, what is kept, and errors."""

from __future__ import annotations

import csv
import io
import json
import stat
from pathlib import Path

import pytest

from arena.checkup.analysis.game import decisions_of
from arena.league.store import League
from arena.league.store.analyses import analyses_path
from arena.league.stored import record_of
from tests.arena_command import arena
from tests.processors import on_one_processor
from tests.referee.simulation import simulate

FEW = ("--worlds", "8")
SHORT = 'name = "test"\ngames = ["hyrule", "forty-one"]\n[options.forty-one]\nstall = 1\n'


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("leagues") / "l.league"
    with League.create_or_open(path) as store:
        simulate(store, SHORT, 2)
    return path


def analyse(league: Path, *arguments: object, code: int = 0) -> str:
    """What the command says, which starts a process for each processor: here one."""
    with on_one_processor():
        done = arena("analyse", league, *arguments, cwd=league.parent, code=code)
    return done.stderr if code else done.stdout


def test_a_game_is_analysed_in_processes_as_in_this_one(league):
    found = json.loads(arena("analyse", league, "1", *FEW, "--json", cwd=league.parent).stdout)
    with League.read(league) as store:
        record = record_of(store.game(1))
    for seat in (0, 1):
        expected = [decision.ply for decision in decisions_of(record, seat, 8)]
        costs = [round(decision.cost, 4) for decision in decisions_of(record, seat, 8)]
        assert [each["ply"] for each in found["seats"][seat]["decisions"]] == expected
        assert [each["cost"] for each in found["seats"][seat]["decisions"]] == costs
        source = found["seats"][seat]["source"]
        parts = sum(source[part] for part in ("deal", "luck", "own", "others", "forfeits"))
        assert source["score"] == pytest.approx(0.5 + parts, abs=0.001)
    text = analyse(league, "1", *FEW)
    assert "seat 0: bot" in text
    assert "decisions cost" in text


def test_a_session_is_analysed_as_its_seat_of_the_game(league, tmp_path):
    path = tmp_path / "lost.jsonl"
    arena("rehearse", league, "1", "--seat", "1", "--dump", path, cwd=tmp_path)
    found = json.loads(analyse(path, *FEW, "--json"))
    seat = json.loads(analyse(league, "1", "--seat", "1", *FEW, "--json"))["seats"][1]
    assert (found["game"], found["seat"]) == ("hyrule", 1)
    of_the_game = dict.fromkeys(["ply", "phase", "page"])
    for one, other in zip(found["decisions"], seat["decisions"], strict=True):
        assert one | of_the_game == other | of_the_game
    text = analyse(path, *FEW)
    assert text.startswith(f"Hyrule, session {path}, seat 1\n")
    assert f"{len(seat['decisions'])} decisions cost" in text
    assert f"Of {len(seat['decisions'])} judged decisions, " in text
    for wrong in (("1",), ("--bot", "bot 0"), ("--seat", "1"), ("--csv",)):
        assert "is a session of one seat" in analyse(path, *wrong, code=2)
    lines = path.read_text().splitlines(keepends=True)
    for place in (0, 2, len(lines) - 1):
        path.write_text("".join(lines[:place] + lines[place + 1 :]))
        assert "it is not a whole session" in analyse(path, code=2)
    turn = json.loads(lines[2])
    turn["response"]["decisions"][0]["action"] = 99
    path.write_text("".join([*lines[:2], json.dumps(turn), "\n", *lines[3:]]))
    assert "line 3 is no line of a session" in analyse(path, code=2)


def test_what_was_found_is_kept_until_the_file_is_deleted(league):
    first = analyse(league, "2", *FEW)
    path = analyses_path(league)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600  # it tells hands
    kept = path.read_bytes()
    assert analyse(league, "2", *FEW) == first
    assert path.read_bytes() == kept
    path.unlink()
    assert analyse(league, "2", *FEW) == first
    path.write_bytes(b"no database")
    assert f"{path} is damaged: delete it" in analyse(league, "2", *FEW, code=2)
    path.unlink()


def test_a_bot_a_match_and_rows(league):
    [found] = json.loads(analyse(league, "--bot", "BOT 0", *FEW, "--json"))
    assert found["name"] == "bot 0"
    assert found["games"] == 4
    assert {each["name"] for each in found["by_game"]} == {"hyrule", "forty-one"}
    rows = [
        *csv.DictReader(io.StringIO(analyse(league, "--bot", "bot 0", "--against", "bot 1", *FEW, "--csv")))
    ]
    assert len(rows) == found["total"]["decisions"] + found["faults"]["decisions"]
    assert {row["name"] for row in rows} == {"bot 0"}
    text = analyse(league, "--match", "1.1.1", *FEW)
    assert text.index("bot 0: 4 games") < text.index("bot 1: 4 games")
    weaknesses = text.partition("Weaknesses, the most expensive first\n")[2].partition("\n\n")[0]
    assert weaknesses.splitlines()[0].split() == ["game", "what", "it", "does", "times", "mistakes", "cost"]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((), "give a GAME, or --bot NAME, or --match MATCH"),
        (("1", "--bot", "bot 0"), "give a GAME, or --bot NAME, or --match MATCH"),
        (("1", "--seat", "2"), "the game has seats 0 to 1"),
        (("99",), "has no game 99"),
        (("--bot", "bot 7"), "did you mean bot"),
        (("--match", "1.1.9"), "there is no such game yet"),
        (("--against", "bot 0", "--match", "1.1.1"), "--against needs --bot NAME"),
        (("1", "--json", "--csv"), "choose one of --json and --csv"),
    ],
)
def test_wrong_use_is_told_in_one_sentence(league, arguments, error):
    told = analyse(league, *arguments, code=2)
    assert error in told
    assert told.count("\n") == 1


@pytest.mark.parametrize("name", ["schema-1.league", "schema-2.league"])
def test_games_of_earlier_versions_are_analysed(tmp_path, name):
    path = tmp_path / name
    path.write_bytes((Path(__file__).parents[1] / "golden" / "leagues" / name).read_bytes())
    with League.read(path) as store:
        number = next(
            number
            for each in store.tournaments()
            for number, result in store.games(each.id)
            if result.key.game == "hyrule"
        )
    assert "hyrule, game" in analyse(path, number, *FEW)
