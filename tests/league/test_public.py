"""What a public export has is what visitors see: a law over random tournaments with something to hide."""

from __future__ import annotations

import contextlib
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.face import Face
from arena.league.interchange import export_lines, import_lines
from arena.league.store import EntrantInfo, League, TournamentInfo
from arena.league.stored import course_of
from arena.league.tournament_file import parse_plan
from arena.table.deal import commitment
from arena.tournament.rulings import KINDS, Admit, Refused
from arena.v1 import league_pb2
from tests.referee.simulation import KEY, play_game

SECRET = "hush"
STAGES = {
    "round robin": '[[stage]]\nformat = "round-robin"\n',
    "knockout": '[[stage]]\nformat = "knockout"\n',
    "three seats": 'seats = 3\n[[stage]]\nformat = "round-robin"\n',
    "ladder": '[[stage]]\nformat = "ladder"\n',
}
EMPTY = {
    "tournament.filePath": ".", "tournament.fileText": "", "tournament.entrants.bot": "",
    "game.seats.microseconds": "0", "game.times.microseconds": 0, "game.record.faults.fault.message": "",
}  # fmt: skip
"""The fields that tell more than a visitor sees, and what a public export has there."""

SHOWN = {
    "head.exportVersion", "head.writtenBy",
    "tournament.id", "tournament.name", "tournament.keyCommitment", "tournament.key", "tournament.started",
    "tournament.entrants.name", "tournament.entrants.version", "tournament.entrants.author",
    "tournament.plan",
    *(f"game.{each}" for each in ("tournament", "stage", "round", "match", "board", "rotation", "game")),
    *(f"game.seats.{each}" for each in ("entrant", "place", "points", "forfeit", "faults", "decisions")),
    "game.recorded",
    "decision.tournament", "decision.decision", "decision.reason", "decision.decided",
    "faces.tournament", "faces.faces.entrant", "faces.faces.language", "faces.faces.emblem",
    "end.id", "end.finished",
}  # fmt: skip
"""The other fields but for those of a record, from which every replay is made: each is on a page."""


def leaves(message: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The fields of a line, with their values."""
    if isinstance(message, dict):
        for name, value in message.items():
            yield from leaves(value, f"{path}.{name}" if path else name)
    elif isinstance(message, list):
        for value in message:
            yield from leaves(value, path)
    else:
        yield path, message


def secretive(path: Path, stages: str, seed: int, *, finish: bool = True) -> int:
    """A tournament of which the host, the authors and the bots have something to hide; returns its number."""
    rng, names = random.Random(seed), [f"bot {number}" for number in range(4)]
    text = f'name = "night {seed}"  # {SECRET}\ngames = ["hyrule"]\nboards = 1\n{stages}'
    text += "[[entrant]]\n" * len(names)
    plan = parse_plan(text, Path("night.toml"))
    infos = tuple(EntrantInfo(name, f"/{SECRET}/{name}", "1.0", "Ada") for name in names)
    with League.create_or_open(path) as league:
        told = TournamentInfo(
            plan.name, Path(f"/{SECRET}"), text, KEY, commitment(KEY), infos, plan.to_json()
        )
        number = league.start_tournament(told, "", {0: Face("go", "")})
        for _ in range(6):
            course = course_of(league, number)
            if rng.random() < 0.5:
                kind, what = rng.choice([("withdraw", rng.choice(names)), ("extend", "1"), ("pause", "")])
                if rng.random() < 0.5:
                    newcomer = {"name": f"late {len(names)}", "how": "bot", "source": f"/{SECRET}/late"}
                    kind, what = "admit", json.dumps(newcomer)
                with contextlib.suppress(Refused):
                    ruling = KINDS[kind].asked(what, course, names)
                    if ruling.refusal(course) is None:
                        league.record_ruling(number, ruling.to_json(), "a reason", SECRET)
                        names += [ruling.name] if isinstance(ruling, Admit) else []
            course = course_of(league, number)
            for _ in range(rng.choice([1, 4])):
                if (due := course.take()) is not None:
                    game = play_game(course.plan, due, rng.choice([None, due.players[0]]))
                    game = game._replace(
                        record=game.record.replace(b"too late", SECRET.encode() * 2),
                        thoughts=SECRET.encode(),
                    )
                    league.record_games(number, [game])
                    course.add(game.result)
        if finish:
            league.record_ruling(number, KINDS["end"]().to_json(), "")
            league.finish_tournament(number)
    return number


@pytest.fixture(scope="module", params=STAGES)
def league(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A league with finished tournaments, and one that is not, with a name of its own."""
    path = tmp_path_factory.mktemp("public") / "l.league"
    for seed in (1, 2):
        secretive(path, STAGES[request.param], seed)
    secretive(path, STAGES[request.param], 3, finish=False)
    return path


def lines_of(path: Path, *, only_public: bool) -> list[str]:
    with League.read(path) as store:
        return [*export_lines(store, only_public=only_public)]


def test_the_lines_have_only_what_visitors_see(league):
    whole, lines = (lines_of(league, only_public=each) for each in (False, True))
    assert SECRET in "\n".join(whole)
    text = "\n".join(lines)
    assert SECRET not in text
    assert "night 3" not in text
    for line, before in zip(lines, whole, strict=True):
        values, originals = [*leaves(json.loads(line))], [*leaves(json.loads(before))]
        for path, value in values:
            assert path in SHOWN or path in EMPTY or path.startswith("game.record."), path
            assert value == EMPTY.get(path, value)
        kept = [each for each in originals if each[0] not in EMPTY and SECRET not in str(each[1])]
        assert [each for each in kept if each not in values] == []


def test_every_field_of_a_line_is_known_to_be_shown_or_emptied():
    def fields(message: Any, path: str = "") -> Iterator[str]:
        for field in message.fields:
            name = f"{path}.{field.json_name}" if path else field.json_name
            if name != "game.record":
                yield from fields(field.message_type, name) if field.message_type else [name]

    known = {each for each in {*SHOWN, *EMPTY} if not each.startswith("game.record.")}
    assert {*fields(league_pb2.LeagueLine.DESCRIPTOR)} == known


def test_the_lines_can_be_imported_and_give_the_same_results(league, tmp_path):
    copy = tmp_path / "copy.league"
    import_lines(lines_of(league, only_public=True), "file", copy, lambda games: None)
    with League.read(league) as store, League.read(copy) as imported:
        for number in (1, 2):
            expected = [
                result._replace(seats=tuple(seat._replace(time=0) for seat in result.seats))
                for _, result in store.games(number)
            ]
            assert [result for _, result in imported.games(number)] == expected
            names = [[each.name for each in one.tournament(number).entrants] for one in (store, imported)]
            assert names[0] == names[1]
    assert lines_of(copy, only_public=True) == lines_of(league, only_public=True)


def test_the_tables_have_only_what_visitors_see(league, tmp_path):
    dataset = pytest.importorskip("arena.league.dataset", reason="needs the extra parquet")
    parquet = pytest.importorskip("pyarrow.parquet")
    with League.read(league) as store:
        for folder, only_public in (("whole", False), ("public", True)):
            dataset.write_dataset(store, tmp_path / folder, None, only_public=only_public)
    for table, columns in dataset.TABLES.items():
        whole, public = (
            parquet.read_table(tmp_path / folder / f"{table}.parquet").to_pylist()
            for folder in ("whole", "public")
        )
        hidden = {name for name, column in columns.items() if not column.public}
        assert public == [{name: row[name] for name in row if name not in hidden} for row in whole], table
        assert SECRET not in repr(public)
        assert "night 3" not in repr(public)
    card = (tmp_path / "public" / "README.md").read_text("utf-8")
    assert "the words of faults" in card
    described = re.findall(r"^\| (\w+) \|", card, re.MULTILINE)
    assert len(described) == sum(1 + sum(each.public for each in columns.values()) for columns in
                                 dataset.TABLES.values())  # fmt: skip
