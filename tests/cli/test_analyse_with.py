"""`arena analyse --with`: a bot tries the actions, over the protocol's service Analysis."""

from __future__ import annotations

import json
import math
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from arena.bot import Action, Bot, Turn
from arena.checkup.analysis.game import CannotAnalyse, SearcherOf, decisions_of
from arena.checkup.analysis.turns import turns_of
from arena.checkup.analysis_bot import AnalysisBot, searcher_of
from arena.league.entrants import Entrant
from arena.league.store import League
from arena.league.stored import record_of
from arena.link.streams.dial import open_channel
from arena.table.record import Record
from tests.arena_command import ARENA, arena
from tests.bots.playing import served_here
from tests.bots_for_tests import FIRST, good_bot, served_address
from tests.patience import PATIENCE
from tests.processors import on_one_processor
from tests.referee.nights import processes_in, wait_for
from tests.referee.simulation import simulate

FEW = ("--worlds", "8")
TRIES = FIRST.replace(
    "serve(First)",
    """
    def try_actions(self, turn, actions, worlds):
        {0}

serve(First)
""",
)
RIGHT = TRIES.replace("Bot, serve", "Bot, serve\nfrom arena.bot.policies import random_policy", 1).format(
    "return turn.try_actions(random_policy, self.rng, worlds, actions=actions)"
)


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("leagues") / "l.league"
    with League.create_or_open(path) as store:
        simulate(store, 'name = "test"\ngames = ["hyrule"]\nboards = 2\n', 2)
    return path


def analyse(league: Path, *arguments: object, code: int = 0) -> str:
    """What the command says, which starts a process for each processor: here one."""
    with on_one_processor():
        done = arena("analyse", league, *arguments, cwd=league.parent, code=code)
    return done.stderr if code else done.stdout


def served(program: str) -> str:
    """The address of a bot, which listens."""
    address = served_address(program)
    wait_for(Path(address.removeprefix("unix:")).exists)
    return address


@contextmanager
def temporary_files() -> Iterator[Path]:
    """The folder for temporary files meanwhile; its path is short, because sockets lie in it."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr("tempfile.tempdir", folder)
        patch.setenv("TMPDIR", folder)
        yield Path(folder)


class Analyst(NamedTuple):
    """A bot that has tried the actions of the first game: its folder, what it found, and what it left."""

    folder: Path
    found: str
    left: list[Path]


@pytest.fixture(scope="module")
def analyst(league: Path, tmp_path_factory: pytest.TempPathFactory) -> Analyst:
    bot = good_bot(tmp_path_factory.mktemp("bots"), "analyst", RIGHT)
    with temporary_files() as folder:
        found = analyse(league, "1", "--with", bot, *FEW, "--json")
        return Analyst(bot, found, [*folder.iterdir()])


def test_a_bot_tries_the_actions_and_its_findings_are_kept_apart(league, analyst):
    house = analyse(league, "1", *FEW, "--json")
    decisions = [each for seat in json.loads(analyst.found)["seats"] for each in seat["decisions"]]
    assert {each["by"] for each in decisions} == {"first"}
    assert len({tried["score"] for each in decisions for tried in each["tried"]}) > 4
    assert analyse(league, "1", "--with", analyst.folder, *FEW, "--json") == analyst.found
    assert analyse(league, "1", *FEW, "--json") == house
    assert house != analyst.found


def test_nothing_of_a_bot_is_left(analyst):
    assert analyst.left == []
    assert processes_in(analyst.folder) == []


def test_a_bot_of_other_files_is_asked_anew(league, analyst):
    program = analyst.folder / "first.py"
    text = program.read_text("utf-8")
    program.write_text(TRIES.format("raise LookupError('asked anew')"), "utf-8")
    assert "asked anew" in analyse(league, "1", "--with", analyst.folder, *FEW, code=2)
    program.write_text(text, "utf-8")


def test_the_answer_of_a_bot_at_an_address_is_that_of_the_bot_in_a_folder(league, analyst):
    assert analyse(league, "1", "--with", served(RIGHT), *FEW, "--json") == analyst.found


@pytest.fixture
def temporary() -> Iterator[Path]:
    with temporary_files() as folder:
        yield folder


def test_nothing_is_left_after_ctrl_c_while_a_bot_thinks(league, tmp_path, temporary):
    bot = good_bot(
        tmp_path,
        "analyst",
        TRIES.format("print('thinks', flush=True); __import__('threading').Event().wait()"),
    )
    command = [*ARENA, "analyse", league, "3", "--with", bot]
    with subprocess.Popen(
        list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as asked:
        wait_for(lambda: any("thinks" in log.read_text() for log in temporary.glob("*/bot.log")))
        asked.send_signal(signal.SIGINT)
        _, said = asked.communicate(timeout=PATIENCE)
    assert asked.returncode == 130
    assert b"Traceback" not in said
    assert processes_in(tmp_path) == []
    assert [*temporary.iterdir()] == []


def test_what_a_bot_says_cannot_write_on_the_terminal(league, tmp_path):
    bot = good_bot(tmp_path, "analyst", TRIES.format("raise LookupError(chr(27) + '[31mred')"))
    said = analyse(league, "4", "--with", bot, *FEW, code=2)
    assert "[31mred" in said
    assert chr(27) not in said


@contextmanager
def searcher_at(address: str, patience: float = PATIENCE) -> Iterator[SearcherOf]:
    bot = AnalysisBot(Entrant("first", address=address), "first", ("hyrule",), "")
    with open_channel(address) as channel:
        yield searcher_of(channel, bot, patience)


@pytest.fixture(scope="module")
def record(league: Path) -> Record:
    with League.read(league) as store:
        return record_of(store.game(1))


def refusal(record: Record, address: str, patience: float = PATIENCE) -> str:
    """Why a bot cannot be asked for the first decision of a game."""
    with searcher_at(address, patience) as searcher, pytest.raises(CannotAnalyse) as told:
        next(decisions_of(record, 0, 8, searcher_of=searcher))
    return str(told.value)


def raises_lookup_error(*_: object) -> list[list[float]]:
    raise LookupError("lost")


@pytest.mark.parametrize(
    ("tries", "problem"),
    [
        (None, "first does not offer to try actions (the service Analysis, bots/REFERENCE.md): give"),
        (lambda actions, worlds: [[0.5]], "first gives 1 scores where "),
        (
            lambda actions, worlds: [[1.5] * len(actions)] * worlds,
            "first gives a score that is not from 0 to 1",
        ),
        (
            lambda actions, worlds: [[math.nan] * len(actions)] * worlds,
            "first gives a score that is not from 0 to 1",
        ),
        (raises_lookup_error, "first does not try actions: UNKNOWN: LookupError: lost"),
    ],
)
def test_what_is_wrong_with_a_bot_is_said_in_a_sentence(record, tries, problem):
    class First(Bot):
        name = "first"

        def choose(self, turn: Turn) -> Action:
            return turn.actions[0]

    class Tries(First):
        def try_actions(self, turn: Turn, actions: Sequence[Action], worlds: int) -> list[list[float]]:
            found: list[list[float]] = tries(actions, worlds)
            return found

    with served_here(Tries if tries else First) as address:
        assert refusal(record, address).startswith(problem)


def test_a_bot_that_ends_meanwhile_is_told_of(record):
    address = served(TRIES.format("__import__('os')._exit(3)"))
    assert refusal(record, address).startswith("first does not try actions: UNAVAILABLE")


def test_a_bot_that_does_not_play_the_game_is_not_asked(league):
    kleftis = RIGHT.replace('name = "first"', 'name = "first"\n    games = ("kleftis",)')
    said = analyse(league, "2", "--with", served(kleftis), *FEW, code=2)
    assert "first does not play hyrule: leave out --with, or give another bot" in said


def test_a_bot_that_does_not_start_is_named(league, tmp_path):
    bot = good_bot(tmp_path, "analyst", "raise SystemExit('no licence')")
    said = analyse(league, "1", "--with", bot, *FEW, code=2)
    assert "see arena check-bot" in said
    assert "analyst ended with exit code 1" in said


def test_a_bot_that_never_answers_is_not_waited_for_for_ever(record):
    address = served(TRIES.format("__import__('threading').Event().wait()"))
    assert refusal(record, address, patience=0.2).startswith("first does not try actions: DEADLINE")


def test_many_worlds_are_asked_for_in_parts(record):
    with searcher_at(served(RIGHT)) as searcher:

        def rows(worlds: int) -> list[list[float]]:
            turn = next(iter(turns_of(record, 0)))
            found: list[list[float]] = np.asarray(
                searcher(turn, record).trial(turn, bytes(32))((0, 1), worlds)
            ).tolist()
            return found

        many = rows(700)
        assert len(many) == 700
        assert many[:512] == rows(512)  # the first part
        assert many[512:] != many[: 700 - 512]
