"""At which sandbox level a stored tournament goes on, on a machine that may offer less than the first one."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.league.store import EntrantInfo, League, TournamentInfo
from arena.league.stored import stored_tournament, trust_of
from arena.league.tournament_file import TournamentFile, read_tournament, require_sandboxes
from arena.link.local.sandbox import Asked, Level, SandboxMissing, usual
from arena.table.deal import commitment
from arena.tournament.rulings import Contain
from tests.bots_for_tests import good_bot

KEY = bytes(32)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("night")
    for name in ("one", "two"):
        good_bot(folder, name)
    return folder


def begun(folder: Path, path: Path, head: str, noted: str) -> League:
    """A league whose tournament has such a head, and was played at such a level."""
    file = folder / "night.toml"
    tables = "".join(f'[[entrant]]\nbot = "{name}"\n' for name in ("one", "two"))
    file.write_text(f'name = "x"\ngames = ["hyrule"]\n{head}{tables}')
    read = read_tournament(file, Asked(Level.NONE))
    infos = tuple(EntrantInfo(each.name, str(each.bot.folder)) for each in read.entrants if each.bot)
    league = League.create_or_open(path)
    league.start_tournament(
        TournamentInfo("x", file, read.text, KEY, commitment(KEY), infos, read.plan.to_json())
    )
    if noted:
        league.record_ruling(1, Contain((noted, noted)).to_json(), "")
    return league


def levels(file: TournamentFile) -> set[tuple[Level, bool]]:
    """The levels of the bots, and of late ones, each with whether it is a demand."""
    of_bots = {(each.sandbox.level, each.sandbox.demanded) for each in file.entrants}
    assert of_bots == {(file.trust.level, file.trust.demanded)}
    return of_bots


@pytest.mark.parametrize(
    ("head", "noted", "asked", "found"),
    [
        ("", "", None, (usual(), False)),
        ("", usual(), None, (usual(), False)),  # the default of the machine before is no demand on this one
        (f'sandbox = "{usual()}"\n', usual(), None, (usual(), True)),
        ("", "none", None, (Level.NONE, True)),  # by the command line
        ("", "strict", None, (Level.STRICT, True)),
        ('sandbox = "strict"\n', "strict", None, (Level.STRICT, True)),
        ('sandbox = "strict"\n', "strict", Asked(Level.NONE), (Level.NONE, True)),
        ('sandbox = "strict"\n', "strict", Asked(Level.BASIC, demanded=False), (Level.BASIC, False)),
    ],
)
def test_a_tournament_goes_on_at_the_level_of_before_unless_another_is_asked_for(
    folder: Path, tmp_path: Path, head: str, noted: str, asked: Asked | None, found: tuple[Level, bool]
) -> None:
    with begun(folder, tmp_path / "x.league", head, noted) as league:
        (stored,) = league.tournaments()
        assert levels(stored_tournament(league, stored, asked)) == {found}
        if asked is None:
            assert trust_of(league, stored).level == found[0]


@pytest.mark.usefixtures("without_bubblewrap")
def test_what_a_machine_lacks_can_be_read_there_and_goes_on_at_another_level(
    folder: Path, tmp_path: Path
) -> None:
    with begun(folder, tmp_path / "x.league", 'sandbox = "strict"\n', "strict") as league:
        (stored,) = league.tournaments()
        assert trust_of(league, stored).level == Level.STRICT
        with pytest.raises(SandboxMissing, match="bubblewrap"):
            require_sandboxes(stored_tournament(league, stored))
        require_sandboxes(stored_tournament(league, stored, Asked(Level.NONE)))
