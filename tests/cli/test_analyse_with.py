"""`arena analyse --with`: a bot tries the actions, over the protocol's service Analysis."""

from __future__ import annotations

import json
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from arena.analysis.game import CannotAnalyse, decisions_of
from arena.analysis.turns import turns_of
from arena.link.streams.dial import open_channel
from arena.runner.entrants import Entrant
from arena.runner.leagues.analysis_bot import AnalysisBot, searcher_of
from arena.runner.leagues.stored import record_of
from arena.store import League
from tests.arena_command import ARENA, arena
from tests.bots_for_tests import FIRST, good_bot, served_address
from tests.patience import PATIENCE
from tests.runner.nights import processes_in, wait_for
from tests.runner.simulation import simulate

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
    done = arena("analyse", league, *arguments, cwd=league.parent, code=code, own_process=True)
    assert "Traceback" not in done.stderr
    return done.stderr if code else done.stdout


def test_a_bot_tries_the_actions_and_its_findings_are_kept_apart(league, tmp_path):
    bot = good_bot(tmp_path, "analyst", RIGHT)
    house = analyse(league, "1", *FEW, "--json")
    found = analyse(league, "1", "--with", bot, *FEW, "--json")
    decisions = [each for seat in json.loads(found)["seats"] for each in seat["decisions"]]
    assert {each["by"] for each in decisions} == {"first"}
    assert len({tried["score"] for each in decisions for tried in each["tried"]}) > 4
    assert analyse(league, "1", "--with", bot, *FEW, "--json") == found
    assert analyse(league, "1", *FEW, "--json") == house
    assert house != found
    assert processes_in(tmp_path) == []


def test_a_bot_of_other_files_is_asked_anew(league, tmp_path):
    bot = good_bot(tmp_path, "analyst", RIGHT)
    analyse(league, "2", "--with", bot, *FEW)
    (bot / "first.py").write_text(TRIES.format("raise LookupError('asked anew')"))
    assert "asked anew" in analyse(league, "2", "--with", bot, *FEW, code=2)


def test_the_answer_of_a_bot_at_an_address_is_that_of_the_bot_in_a_folder(league, tmp_path):
    bot = good_bot(tmp_path, "analyst", RIGHT)
    found = analyse(league, "3", "--with", bot, *FEW, "--json")
    assert analyse(league, "3", "--with", served_address(RIGHT), *FEW, "--json") == found


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder for temporary files; its path is short, because sockets lie in it."""
    with tempfile.TemporaryDirectory() as folder:
        monkeypatch.setenv("TMPDIR", folder)
        yield Path(folder)


def test_nothing_of_a_bot_is_left(league, tmp_path, temporary):
    analyse(league, "3", "--with", good_bot(tmp_path, "analyst", RIGHT), *FEW)
    assert [*temporary.iterdir()] == []


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


@pytest.mark.parametrize(
    ("tries", "problem"),
    [
        (None, "first does not offer to try actions (the service Analysis, bots/REFERENCE.md): give"),
        ("return [[0.5]]", "first gives 1 scores where "),
        ("return [[1.5] * len(actions)] * worlds", "first gives a score that is not from 0 to 1"),
        ("return [[float('nan')] * len(actions)] * worlds", "first gives a score that is not from 0 to 1"),
        ("raise LookupError('lost')", "first does not try actions: UNKNOWN: LookupError: lost"),
        ("__import__('os')._exit(3)", "first does not try actions: "),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_bot_is_said_in_a_sentence(league, tmp_path, tries, problem):
    bot = good_bot(tmp_path, "analyst", FIRST if tries is None else TRIES.format(tries))
    assert f"arena: {problem}" in analyse(league, "4", "--with", bot, *FEW, code=2)
    assert processes_in(tmp_path) == []


def test_a_bot_that_does_not_play_the_game_is_not_asked(league, tmp_path):
    kleftis = RIGHT.replace('name = "first"', 'name = "first"\n    games = ("kleftis",)')
    said = analyse(league, "1", "--with", good_bot(tmp_path, "analyst", kleftis), *FEW, code=2)
    assert "first does not play hyrule: leave out --with, or give another bot" in said


def test_a_bot_that_does_not_start_is_named(league, tmp_path):
    bot = good_bot(tmp_path, "analyst", "raise SystemExit('no licence')")
    said = analyse(league, "1", "--with", bot, *FEW, code=2)
    assert "see arena check-bot" in said
    assert "analyst ended with exit code 1" in said


def test_a_bot_that_never_answers_is_not_waited_for_for_ever(league):
    address = served_address(TRIES.format("__import__('threading').Event().wait()"))
    bot = AnalysisBot(Entrant("first", address=address), "first", ("hyrule",), "")
    with League.read(league) as store:
        record = record_of(store.game(1))
    with open_channel(address) as channel:
        searcher = searcher_of(channel, bot, patience=0.2)
        with pytest.raises(CannotAnalyse, match="first does not try actions: DEADLINE"):
            next(decisions_of(record, 0, 8, searcher_of=searcher))


def test_many_worlds_are_asked_for_in_parts(league):
    address = served_address(RIGHT)
    bot = AnalysisBot(Entrant("first", address=address), "first", ("hyrule",), "")
    with League.read(league) as store:
        record = record_of(store.game(1))
    with open_channel(address) as channel:
        searcher = searcher_of(channel, bot)

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
