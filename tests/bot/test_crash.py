"""Every exception in a bot's code is logged, and reaches the referee with its name and text."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest

from arena.bot.answering import Crash, Stopped, reporting
from arena.link.wire.messages import encode_start
from arena.v1 import bot_pb2
from tests.arena_command import arena, in_this_process
from tests.bots.playing import rules, served_here
from tests.bots_for_tests import bot_folder, entrant, keeping_folder
from tests.patience import PATIENCE
from tests.referee.guests import guest, referee
from tests.referee.nights import wait_for

# A bot that raises in one of its methods, the first time that it is called in any of its processes.
BOT = """
import os, sys, threading
from arena.bot import Bot, serve

def once():
    try:
        os.close(os.open({marker!r}, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return
    {raises}

class Failing(Bot):
    name = "failing"
    def __init__(self, table):
        super().__init__(table)
        {init}
    def choose(self, turn):
        {choose}
        return turn.actions[0]
    def ended(self, outcome):
        {ended}

serve(Failing)
"""
RAISES = {
    "sys.exit('enough')": "SystemExit: enough",
    "raise KeyboardInterrupt": "KeyboardInterrupt",
    "raise RuntimeError('a slip')": "RuntimeError: a slip",
    "class Own(BaseException): pass\n    raise Own(7)": "Own: 7",
}
METHODS = ["choose", "choose", "init", "init"]


def program(folder: Path, raises: str, method: str) -> str:
    """A bot that fails once, in one method."""
    calls = {name: "once()" if name == method else "pass" for name in ("init", "choose", "ended")}
    return BOT.format(marker=str(folder / "failed"), raises=raises, **calls)


def failing_bot(folder: Path, raises: str, method: str) -> Path:
    """A folder with it."""
    place = bot_folder(folder, "failing", [sys.executable, "failing.py"])
    (place / "failing.py").write_text(program(keeping_folder(place), raises, method))
    return place


def faults_told(league: Path) -> list[str]:
    """Every fault in the records of a league, as `arena replay` has it."""

    def replay(*game: object) -> list[Any]:
        found: list[Any] = json.loads(arena("replay", league, *game, "--json", cwd=league.parent).stdout)
        return found

    lines = [line for game in replay() for line in replay(game["number"])]
    return [line.strip() for line in lines if "FAULT" in line]


def crash(tmp_path: Path, entrants: str, raises: str) -> str:
    """Plays a tournament in which a bot crashes once, and checks what is told; returns what was printed.

    That includes what a bot prints that is served in this process.
    """
    (tmp_path / "t.toml").write_text(f'name = "t"\ngames = ["hyrule"]\nboards = 1\n{entrants}')
    options = ["--json", "--seed", "one", "--concurrency", "1", "--workers", "0"]
    done = in_this_process(["run", "t.toml", *options], tmp_path)
    assert done.exit_code == 0
    standings = json.loads(done.stdout)["standings"]
    faults = {row["name"]: {kind: n for kind, n in row["faults"].items() if n} for row in standings}
    assert faults == {"failing": {"crash": 1}, "good": {}}
    (told,) = faults_told(tmp_path / "t.league")
    assert told.endswith(f"crash: broke off the stream: UNKNOWN: {RAISES[raises]}")
    return done.stderr


@pytest.mark.parametrize(("raises", "method"), list(zip(RAISES, METHODS, strict=True)))
def test_where_the_bot_serves_it_is_a_crash_with_its_reason(tmp_path, raises, method):
    text = program(tmp_path, raises, method).replace("serve(Failing)", "")
    names: dict[str, Any] = {}
    exec(text, names)
    with served_here(names["Failing"]) as address:
        text = f'[[entrant]]\nname = "failing"\naddress = "{address}"\n{entrant("good")}'
        log = crash(tmp_path, text, raises)
    assert "Traceback (most recent call last):" in log
    assert RAISES[raises] in log
    assert "in once" in log


def test_it_is_in_the_log_of_a_bot_that_the_arena_starts(tmp_path):
    raises = "sys.exit('enough')"
    text = "".join(map(entrant, (failing_bot(tmp_path, raises, "choose"), "good")))
    assert "Traceback" not in crash(tmp_path, text, raises)
    log = (tmp_path / "t.logs" / "failing.log").read_text()
    assert log.startswith("Traceback (most recent call last):")
    assert log.rstrip().endswith(RAISES[raises])
    assert "in once" in log


@pytest.mark.parametrize(
    "raises", ["sys.exit('enough')", pytest.param("raise KeyboardInterrupt", marks=pytest.mark.campaign)]
)
def test_where_it_has_joined_it_is_the_same_and_the_bot_comes_back(tmp_path, raises):
    text = program(tmp_path, raises, "choose")
    with (
        referee(tmp_path, 1, "--concurrency", "1", "--workers", "0") as host,
        guest(tmp_path, host.address, host.tokens[0], text) as bot,
    ):
        summary = host.end()
        _, log = bot.communicate(timeout=PATIENCE)
        assert bot.returncode == 0
    rows = {row["name"]: {kind: n for kind, n in row["faults"].items() if n} for row in summary["standings"]}
    assert rows == {"guest 0": {"crash": 1}, "local": {}}
    (told,) = faults_told(host.league)
    assert told.endswith(f"crash: broke off the stream: {RAISES[raises]}")
    assert f"guest 0 was lost: broke off the stream: {RAISES[raises]}" in host.said
    assert log.count("Traceback (most recent call last):") == 1
    assert RAISES[raises] in log


@pytest.mark.campaign
def test_an_exception_at_the_last_table_does_not_keep_a_joined_bot_from_its_end(tmp_path):
    text = program(tmp_path, "raise RuntimeError('late')", "ended")
    with (
        referee(tmp_path, 1, "--concurrency", "64") as host,
        guest(tmp_path, host.address, host.tokens[0], text) as bot,
    ):
        host.end()
        assert bot.wait(PATIENCE) == 0


def test_check_bot_shows_the_exception_and_its_traceback(tmp_path):
    # Not only once: at every second turn, in whatever process.
    folder = failing_bot(tmp_path, "pass", "choose")
    script = folder / "failing.py"
    script.write_text(script.read_text().replace("return turn.actions[0]", "sys.exit('enough')"))
    shown = arena("check-bot", folder, "--game", "hyrule", cwd=tmp_path, code=1).stdout
    assert "crash: broke off the stream: UNKNOWN: SystemExit: enough" in shown
    assert "sys.exit('enough')" in shown
    assert "mend what the bot's last lines say" in shown
    assert "answer sooner" not in shown


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_joined_bot_that_is_choosing_ends_on_a_signal(tmp_path, number):
    text = program(tmp_path, "threading.Event().wait()", "choose")
    with (
        referee(tmp_path, 1, "--concurrency", "1", "--workers", "0") as host,
        guest(tmp_path, host.address, host.tokens[0], text) as bot,
    ):
        wait_for((tmp_path / "failed").exists)
        bot.send_signal(number)
        _, log = bot.communicate(timeout=PATIENCE)
    assert bot.returncode == 0
    assert "Traceback" not in log


def test_a_joined_bot_ends_on_a_signal_even_where_the_exception_that_ends_it_is_lost(tmp_path):
    # As it is where gRPC waits for a lock afterwards.
    waits = "try:\n threading.Event().wait()\nfinally:\n threading.Event().wait()"
    text = program(tmp_path, f"exec({waits!r})", "choose")
    with (
        referee(tmp_path, 1, "--concurrency", "1", "--workers", "0") as host,
        guest(tmp_path, host.address, host.tokens[0], text) as bot,
    ):
        wait_for((tmp_path / "failed").exists)
        bot.send_signal(signal.SIGTERM)
        assert bot.wait(PATIENCE) == 0


@contextmanager
def serving(folder: Path, happens: str) -> Iterator[subprocess.Popen[bytes]]:
    """A bot in a process of its own, in which something has begun to happen in `__init__`."""
    script = folder / "bot.py"
    script.write_text(program(folder, happens, "init"))
    address = f"unix:{folder}/bot.sock"
    with (
        subprocess.Popen([sys.executable, script], env={**os.environ, "ARENA_LISTEN": address}) as bot,
        grpc.insecure_channel(address, options=[("grpc.default_authority", "localhost")]) as channel,
    ):
        try:
            play: grpc.StreamStreamMultiCallable[bytes, bytes]
            play = channel.stream_stream("/arena.v1.Bot/Play")
            start = encode_start(1, rules("hyrule", 2), 0, bytes(16), ())
            call = play(iter([start]), wait_for_ready=True)
            wait_for((folder / "failed").exists)
            yield bot
            call.cancel()
        finally:
            bot.kill()


def test_a_serving_bot_ends_on_sigterm_even_while_it_chooses(tmp_path):
    with serving(tmp_path, "threading.Event().wait()") as bot:
        bot.send_signal(signal.SIGTERM)
        assert bot.wait(PATIENCE) == 0


def test_a_signal_is_heard_that_does_not_wake_the_main_thread(tmp_path):
    # As one does not that comes just as the thread begins to wait.
    happens = "import signal; signal.pthread_kill(threading.get_ident(), signal.SIGTERM)"
    with serving(tmp_path, happens) as bot:
        assert bot.wait(PATIENCE) == 0


class _Silent(Exception):
    def __str__(self) -> str:
        raise ValueError


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ValueError("\ud800\x1b[2J\n"), "ValueError: \\ud800\x1b[2J\n"),
        (ValueError("é" * 10_000), "ValueError: " + "é" * 494),
        (_Silent(), "_Silent"),
    ],
)
def test_what_is_told_fits_a_status_whatever_the_exception_says(error, told, capsys):
    def answer(request: bot_pb2.PlayRequest) -> list[bot_pb2.Decision]:
        raise error

    with pytest.raises(Crash) as caught:
        reporting(answer)(bot_pb2.PlayRequest())
    assert str(caught.value) == told
    assert capsys.readouterr().err.startswith("Traceback")


def test_the_signal_that_ends_a_bot_is_no_crash():
    def answer(request: bot_pb2.PlayRequest) -> list[bot_pb2.Decision]:
        raise Stopped

    with pytest.raises(Stopped):
        reporting(answer)(bot_pb2.PlayRequest())
