"""Stored data keeps its meaning when later versions have more games, options and other defaults."""

from __future__ import annotations

import copy
import dataclasses
import shutil
from types import SimpleNamespace

import pytest
from google.protobuf import descriptor_pb2
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass

from arena.games import BUILT_IN, GAMES, kleftis
from arena.games.game import option
from arena.league.interchange import export_lines, import_lines
from arena.league.store import League
from arena.league.summary import summarize
from arena.link.local.bot_manifest import read_bot_manifest
from arena.link.wire import messages
from arena.link.wire.codec import Codec
from arena.link.wire.convert import WIRES
from arena.report.standings_data import summary_json
from arena.table.clock import TimeControl
from arena.tournament.plan import Rules
from arena.v1 import record_pb2
from tests.bots_for_tests import bot_folder
from tests.league.old_leagues import EXPORTS, FOLDER, HEADS, head
from tests.referee.simulation import simulate


@dataclasses.dataclass(frozen=True)
class LaterOptions(kleftis.KleftisOptions):
    """The options of Kleftis with one more, which is on by default and was off before there was one."""

    mirrored: bool = option(True, "K99: an option of a later release", before=False)


def later_messages() -> DescriptorPool:
    """The protocol as it would be with that option."""
    pool = DescriptorPool()
    seen = set()

    def add(descriptor) -> None:
        if descriptor.name in seen:
            return
        seen.add(descriptor.name)
        for needed in descriptor.dependencies:
            add(needed)
        file = descriptor_pb2.FileDescriptorProto()
        descriptor.CopyToProto(file)
        for message in file.message_type:
            if message.name == "KleftisOptions":
                message.oneof_decl.add(name="_mirrored")
                message.field.add(
                    name="mirrored", number=99, label=1, type=8, proto3_optional=True, oneof_index=0
                )
        pool.Add(file)

    add(record_pb2.DESCRIPTOR)
    return pool


@pytest.fixture
def later(monkeypatch):
    """A release with a sixth game, an option more, and other defaults."""
    sixth = copy.copy(GAMES["hyrule"])
    sixth.id, sixth.title = "sixth", "Sixth"
    changed = copy.copy(GAMES["kleftis"])
    changed.Options = LaterOptions
    pool = later_messages()
    classes = {
        name: GetMessageClass(pool.FindMessageTypeByName(f"arena.v1.{name}"))
        for name in ("GameRecord", "RecordedFault", "GameTimes", "KleftisOptions")
    }
    monkeypatch.setitem(BUILT_IN, "sixth", sixth)
    monkeypatch.setitem(BUILT_IN, "kleftis", changed)
    monkeypatch.setattr(messages, "record_pb2", SimpleNamespace(**classes))
    codec = Codec(classes["KleftisOptions"], LaterOptions)
    monkeypatch.setitem(vars(WIRES["kleftis"]), "options", codec)
    defaults = Rules(clock=TimeControl(1, 1, 1), withdraw_after=1)
    monkeypatch.setattr("arena.league.tournament_file.DEFAULTS", defaults)


@pytest.mark.parametrize("name", HEADS)
def test_leagues_and_exports_of_then_are_as_they_were(tmp_path, later, name):
    path = tmp_path / "old.league"
    shutil.copy(FOLDER / f"{name}.league", path)
    with League.read(path) as league:
        assert head(league) == HEADS[name]
        for tournament in league.tournaments():
            summary = summary_json(summarize(league, tournament.id, intervals=False))
            assert all(stage["matches_played"] == stage["matches"] > 0 for stage in summary["stages"])
            assert all("sixth" not in row["games"] for row in summary["standings"])
        assert (
            list(export_lines(league))[1:] == (FOLDER / f"{EXPORTS[name]}.jsonl").read_text().splitlines()[1:]
        )


@pytest.mark.parametrize("name", EXPORTS.values())
def test_exports_of_then_come_in(tmp_path, later, name):
    with (FOLDER / f"{name}.jsonl").open(encoding="utf-8") as lines:
        assert import_lines(lines, name, tmp_path / "new.league", lambda games: None)


def test_a_league_that_was_begun_before_goes_on_as_it_began(tmp_path, request):
    text = 'name = "x"\ngames = ["kleftis", "hyrule"]\n'
    path = tmp_path / "x.league"
    with League.create_or_open(path) as league:
        simulate(league, text, 3)
        before = summarize(league, 1)
    request.getfixturevalue("later")
    with League.read(path) as league:
        assert summarize(league, 1).rows == before.rows
        head(league)


def test_a_bot_that_does_not_say_plays_the_games_of_the_first_release(tmp_path, later):
    assert "sixth" not in read_bot_manifest(bot_folder(tmp_path, "old", ["true"])).games
