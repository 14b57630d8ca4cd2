"""Exported tournaments are imported unchanged; edited, cut or doubled files are refused."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format

from arena.face import NO_FACE, Face
from arena.league.interchange import WrongExport, export_lines, import_lines
from arena.league.store import AlreadyRecorded, League, NotALeague, UnknownTournament
from arena.league.verification import Verification
from arena.link.wire.league_lines import WrongLine, read_line
from arena.v1 import league_pb2
from tests.arena_command import arena
from tests.referee.simulation import simulate

ALL_GAMES = 'name = "all"\ngames = ["nyuri", "forty-one", "nur-mut", "kleftis", "hyrule"]\n'
TABLES = 'name = "tables"\ngames = ["hyrule"]\nseats = 3\nboards = 2\n'
UNFINISHED = 'name = "unfinished"\ngames = ["hyrule"]\n'


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A league with two finished tournaments and one that is not."""
    path = tmp_path_factory.mktemp("leagues") / "written.league"
    with League.create_or_open(path) as league:
        simulate(league, ALL_GAMES, 2)
        simulate(league, TABLES, 3)
        simulate(league, UNFINISHED, 3, finish=False)
    return path


@pytest.fixture(scope="module")
def lines(written: Path) -> list[str]:
    return exported(written)


def exported(path: Path, tournament: int | None = None) -> list[str]:
    with League.read(path) as league:
        return list(export_lines(league, tournament))


def add(lines: list[str], path: Path) -> list[str]:
    return [item.name for item in import_lines(lines, "file", path, lambda games: None)]


def head(path: Path) -> bytes:
    with League.read(path) as league:
        verification = Verification(league)
        assert [problem for problem in verification.problems() if problem] == []
        return verification.verified.head


def test_an_empty_league_becomes_the_same_as_the_exported_one(written, lines, tmp_path):
    copy = tmp_path / "copy.league"
    assert add(lines, copy) == ["all", "tables"]
    assert exported(copy) == lines
    with League.read(written) as original, League.read(copy) as imported:
        links = [entry.link for entry in original.chain() if entry.link]
        copied = [entry.link for entry in imported.chain()]
        assert links[: len(copied)] == copied


@pytest.mark.parametrize(
    "written_as",
    [
        lambda lines: [f"\ufeff{lines[0]}", *lines[1:]],
        lambda lines: [*lines, "\n"],
        lambda lines: ["", *lines[:1], " \t\r\n", *lines[1:], "", ""],
    ],
)
def test_a_byte_order_mark_and_empty_lines_change_nothing(lines, tmp_path, written_as):
    copy = tmp_path / "copy.league"
    assert add(written_as(lines), copy) == ["all", "tables"]
    assert exported(copy) == lines


def test_a_tournament_joins_those_of_another_league(lines, written, tmp_path):
    other = tmp_path / "other.league"
    with League.create_or_open(other) as league:
        simulate(league, UNFINISHED, 2, finish=False)
    assert add(exported(written, 2), other) == ["tables"]
    head(other)
    with League.read(other) as league:
        assert [item.name for item in league.tournaments()] == ["unfinished", "tables"]
    with pytest.raises(AlreadyRecorded, match=r"tables.*already, as tournament 2"):
        add(lines, other)
    with League.read(other) as league:
        assert len(league.tournaments()) == 2


def test_faces_travel_in_a_form_that_only_they_need(lines, tmp_path):
    path, copy = tmp_path / "faces.league", tmp_path / "copy.league"
    add(lines, path)
    face = Face("go", "..#..\n.###.\n#####\n..#..\n.###.\nteal")
    with League.create_or_open(path) as league:
        league.keep_faces(2, {1: face})
    written = exported(path)
    assert json.loads(lines[0])["head"]["exportVersion"] == 2
    assert json.loads(written[0])["head"]["exportVersion"] == 3
    assert [line for line in written[1:] if "faces" not in json.loads(line)] == lines[1:]
    add(written, copy)
    assert head(copy) == head(path)
    with League.read(copy) as league:
        assert [item.faces for item in league.tournaments()] == [(NO_FACE,) * 2, (NO_FACE, face, NO_FACE)]
    with pytest.raises(WrongExport, match="file"):
        add(
            edited(written, "faces", lambda faces: faces["faces"][0].update(entrant=9)), tmp_path / "x.league"
        )


def test_a_secret_key_is_not_exported(written):
    with pytest.raises(UnknownTournament, match="not finished"):
        exported(written, 3)
    with pytest.raises(UnknownTournament, match="no tournament 9"):
        exported(written, 9)


def edited(lines: list[str], kind: str, edit: Callable[[dict[str, Any]], object]) -> list[str]:
    """The lines with the last one of a kind edited."""
    number = max(number for number, line in enumerate(lines) if kind in json.loads(line))
    line = json.loads(lines[number])
    edit(line[kind])
    return [*lines[:number], json.dumps(line), *lines[number + 1 :]]


def edited_plan(text: str, **values: object) -> str:
    return json.dumps({**json.loads(text), **values})


@pytest.mark.parametrize(
    ("kind", "edit"),
    [
        ("head", lambda head: head.update(exportVersion=4)),
        ("tournament", lambda item: item.update(key="AAAA")),
        ("tournament", lambda item: item.update(started="yesterday")),
        ("tournament", lambda item: item.update(plan="{}")),
        ("tournament", lambda item: item.update(plan="[" * 100_000)),
        ("tournament", lambda item: item.update(plan=edited_plan(item["plan"], own_clocks=[]))),
        ("tournament", lambda item: item.update(plan="", fileText="x = " + "[" * 100_000)),
        ("tournament", lambda item: item.update(name="another")),
        ("tournament", lambda item: item["entrants"].append(item["entrants"][0])),
        ("game", lambda game: game["seats"][0].update(points=99)),
        ("game", lambda game: game["seats"][0].update(entrant=7)),
        ("game", lambda game: game["seats"][0].update(faults=[1])),
        ("game", lambda game: game["seats"][0].update(microseconds=str(2**64 - 1))),
        ("game", lambda game: game["seats"][0].update(microseconds=math.inf)),
        ("game", lambda game: game["seats"].pop()),
        ("game", lambda game: game["record"]["actions"].pop()),
        ("game", lambda game: game["record"].update(boardKey="AAAA")),
        ("game", lambda game: game["record"].pop("seating")),
        ("game", lambda game: game["record"]["seating"].update(positions=[0, 1, 2])),
        ("game", lambda game: game["record"]["seating"].update(positions=[0, 0, 9])),
        ("game", lambda game: game["record"]["seating"]["positions"].pop()),
        ("game", lambda game: game.update(tournament=5)),
        ("game", lambda game: game.update(game="poker")),
        ("game", lambda game: game.update(surprise=1)),
        ("end", lambda end: end.update(id=1)),
    ],
)
def test_an_edited_file_adds_nothing(lines, tmp_path, kind, edit):
    target = tmp_path / "target.league"
    with pytest.raises(WrongExport, match="file"):
        add(edited(lines, kind, edit), target)
    assert not target.exists()


@pytest.mark.parametrize(
    "cut",
    [
        lambda lines: [],
        lambda lines: lines[:1],
        lambda lines: lines[1:],
        lambda lines: lines[:-1],
        lambda lines: lines[:3] + lines[4:],
        lambda lines: [*lines, lines[3]],
        lambda lines: [*lines, "{}"],
        lambda lines: [*lines, '{"poker": 1}'],
        lambda lines: [*lines, "[" * 100_000],
    ],
)
def test_a_file_that_is_not_whole_adds_nothing(lines, tmp_path, cut):
    target = tmp_path / "target.league"
    with pytest.raises(WrongExport, match="file"):
        add(cut(lines), target)
    assert not target.exists()


def test_a_game_in_another_spelling_of_protobufs_json_means_the_same(lines):
    games = [line for line in lines if "game" in json.loads(line)]
    for line in games:
        message = json_format.Parse(line, league_pb2.LeagueLine())
        spelled = json_format.MessageToJson(message, preserving_proto_field_name=True, indent=None)
        assert spelled != line
        assert read_line(spelled) == read_line(line)
    with pytest.raises(WrongLine, match="stage"):
        read_line(games[0].replace('"stage": 0', '"stage": 0, "stage": 0'))


def test_another_file_is_not_made_a_league(lines, tmp_path):
    target = tmp_path / "notes.txt"
    target.write_text("mine")
    with pytest.raises(NotALeague):
        add(lines, target)
    assert target.read_text() == "mine"


def test_a_decision_that_is_nested_deeply_is_a_sentence(lines, tmp_path):
    number = next(number for number, line in enumerate(lines) if "end" in json.loads(line))
    line = {"tournament": 1, "decided": "2026-01-31T20:15:00+00:00", "decision": "[" * 100_000}
    told = [*lines[:number], json.dumps({"decision": line}), *lines[number:]]
    with pytest.raises(WrongExport, match="is no decision that this version knows") as refused:
        add(told, tmp_path / "new.league")
    assert len(str(refused.value)) < 1000


def test_the_commands(written, lines, tmp_path):
    file, copy = tmp_path / "all.jsonl", tmp_path / "copy.league"
    assert "1 unfinished left out" in arena("export", written, "--output", file, cwd=tmp_path).stderr
    assert file.read_text().splitlines() == lines
    assert arena("export", written, cwd=tmp_path).stdout.splitlines() == lines
    again = arena("export", written, "--output", file, cwd=tmp_path, code=2)
    assert "exists already" in again.stderr
    arena("import", file, copy, cwd=tmp_path)
    arena("verify", copy, cwd=tmp_path)
    file.write_bytes(b"\xff\xfe")
    broken = arena("import", file, tmp_path / "new.league", cwd=tmp_path, code=2)
    assert broken.stderr == f"arena: {file} is not a text in UTF-8, and so no export\n"
    wrong = arena("import", written, tmp_path / "new.league", cwd=tmp_path, code=2)
    assert wrong.stderr == (
        f"arena: {written} is a league, not an export: arena export {written} -o FILE writes one\n"
    )
    assert not (tmp_path / "new.league").exists()
