"""A tournament that is stopped ends soon, and says how it goes on."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.league.store import League
from arena.tournament.rulings import Withdraw, read_ruling
from tests.arena_command import ARENA, arena
from tests.bots_for_tests import UNHURRIED, Hurried, Unhurried, bot_folder, faulty_bot, good_bot
from tests.patience import PATIENCE
from tests.referee.guests import guest, referee
from tests.referee.nights import games_in, processes_in, wait_for, write_tournament

SIGNALS = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]


@contextmanager
def joined(
    folder: Path, address: str, token: str, program: str = UNHURRIED
) -> Iterator[subprocess.Popen[str]]:
    """A bot that dials in by `arena join`."""
    place = folder / "guest"
    if not place.exists():
        (folder / "guest.py").write_text(program)
        bot_folder(folder, "guest", [sys.executable, str(folder / "guest.py")])
    bot = subprocess.Popen(
        [*ARENA, "join", address, place, "--token", token], stderr=subprocess.PIPE, text=True
    )
    try:
        yield bot
    finally:
        bot.kill()
        bot.communicate()


@pytest.mark.parametrize("number", SIGNALS)
def test_it_ends_with_a_guest_who_comes_back_when_it_goes_on(tmp_path, number):
    with (
        referee(tmp_path, 1, "--concurrency", "2", boards=3) as host,
        joined(tmp_path, host.address, host.tokens[0]) as bot,
    ):
        wait_for(lambda: host.games() >= 2)
        host.process.send_signal(number)
        assert host.process.wait(PATIENCE) == 130
        host._thread.join()
        assert host.said.rstrip().endswith(f"go on with: arena resume {host.league}")
        assert "Traceback" not in host.said
        assert not Path(f"{host.league}-wal").exists()
        assert bot.poll() is None
        arena("resume", host.league, "--lobby", host.address, cwd=tmp_path)
        assert bot.wait(PATIENCE) == 0
    assert games_in(host.league) == 12


@pytest.mark.parametrize("number", SIGNALS)
def test_it_ends_while_bots_are_awaited(tmp_path, number):
    with (
        referee(tmp_path, 2, local=good_bot(tmp_path, "local")) as host,
        guest(tmp_path, host.address, host.tokens[0]),
    ):
        host.wait_to_say("guest 0 is in")
        host.process.send_signal(number)
        assert host.process.wait(PATIENCE) == 130
        host._thread.join()
        assert "stopped before the first game" in host.said.splitlines()[-1]
        assert "Traceback" not in host.said
    assert processes_in(tmp_path / "local") == []


def start(folder: Path, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*ARENA, *map(str, arguments)],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_it_ends_while_a_bot_is_built(tmp_path):
    bot = good_bot(tmp_path, "bot")
    with (bot / "bot.toml").open("a") as manifest:
        manifest.write('[build]\ncommand = ["sh", "-c", "touch builds; sleep 1000"]\n')
    running = start(tmp_path, "run", write_tournament(tmp_path, [bot] * 2))
    wait_for((bot / "builds").exists)
    running.terminate()
    _, errors = running.communicate(timeout=PATIENCE)
    assert running.returncode == 130
    assert "stopped before the first game" in errors
    assert processes_in(tmp_path) == []


def test_a_host_of_a_standing_league_is_told_the_command_that_goes_on_with_it(tmp_path):
    file = write_tournament(tmp_path, [Unhurried("one"), Unhurried("two")], "boards = 100")
    running = start(tmp_path, "run", file, "--hosted")
    wait_for(lambda: games_in(tmp_path / "tournament.league") > 0)
    running.terminate()
    _, errors = running.communicate(timeout=PATIENCE)
    assert errors.endswith(f"go on with: arena club up {tmp_path}\n")


def test_a_second_signal_ends_it_at_once_and_leaves_the_league_in_order(tmp_path):
    bots = [Unhurried("good"), faulty_bot(tmp_path, "ignores-sigterm")]
    running = start(tmp_path, "run", write_tournament(tmp_path, bots, "boards = 100"))
    league = tmp_path / "tournament.league"
    wait_for(lambda: games_in(league) > 0)
    running.terminate()
    assert running.stderr is not None
    said = ""
    while "stopping" not in said:
        line = running.stderr.readline()
        assert line, said
        said += line
    running.terminate()  # the bot has two seconds to end, which are not waited for
    _, errors = running.communicate(timeout=PATIENCE)
    assert running.returncode == 130
    assert errors.rstrip().endswith(f"go on with: arena resume {league}")
    assert not Path(f"{league}-wal").exists()
    wait_for(lambda: processes_in(tmp_path) == [])
    arena("verify", league, cwd=tmp_path)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_while_the_league_is_closed_is_no_error(tmp_path, number):
    path = write_tournament(tmp_path, [Unhurried("one"), Unhurried("two")], "boards = 200")
    program = f"""
        import sys, threading
        import arena.cli
        from arena.league.store import League
        close = League.close
        def slowly(league):
            print("closing", file=sys.stderr, flush=True)
            threading.Event().wait(60)
            close(league)
        League.close = slowly
        sys.argv[1:] = ["run", {str(path)!r}]
        arena.cli.main()
    """
    running = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    assert running.stderr is not None
    wait_for(lambda: games_in(tmp_path / "tournament.league") > 0)
    running.send_signal(number)
    while "closing" not in running.stderr.readline():
        assert running.poll() is None
    running.send_signal(number)
    _, errors = running.communicate(timeout=PATIENCE)
    assert running.returncode == 130
    assert errors.endswith(f"go on with: arena resume {tmp_path}/tournament.league\n")
    assert "Traceback" not in errors


@pytest.mark.parametrize("where", ["outcome_of", "__del__"])
def test_it_ends_while_the_standings_are_made(tmp_path, where):
    """When all games are stored, nothing is left to be gone on with; no exception gets out of `__del__`."""
    path = write_tournament(tmp_path, ["one", "two"], 'games = ["hyrule"]')
    program = f"""
        import sys, threading
        import arena.cli.playing
        right = arena.cli.playing.outcome_of
        class Last:
            def {where}(*_):
                print("all games are played", file=sys.stderr, flush=True)
                threading.Event().wait()
        def outcome_of(*arguments):
            last = Last()
            if {where!r} == "outcome_of":
                last.outcome_of()
            del last
            return right(*arguments)
        arena.cli.playing.outcome_of = outcome_of
        sys.argv[1:] = ["run", {str(path)!r}]
        arena.cli.main()
    """
    running = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    assert running.stderr is not None
    while "all games are played" not in running.stderr.readline():
        assert running.poll() is None
    running.terminate()
    _, errors = running.communicate(timeout=PATIENCE)
    assert running.returncode == 130
    assert errors == f"arena: stopped; all games are played: arena standings {tmp_path}/tournament.league\n"


# What closes sends SIGHUP to those whose terminal it is, as one is that is begun in it.
TAKES_ITS_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""


def test_a_closed_terminal_ends_it_in_order(tmp_path):
    bots = [good_bot(tmp_path, "started", UNHURRIED), Unhurried("served")]
    path = write_tournament(tmp_path, bots, "boards = 200")
    league = tmp_path / "tournament.league"
    terminal, theirs = pty.openpty()
    running = subprocess.Popen(
        [sys.executable, "-c", TAKES_ITS_TERMINAL, *ARENA, "run", str(path)],
        cwd=tmp_path, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    deadline = time.monotonic() + PATIENCE
    while games_in(league) == 0:  # a terminal that nobody reads takes no more after a while
        assert time.monotonic() < deadline, shown
        if select.select([terminal], [], [], 0.05)[0]:
            shown += os.read(terminal, 1 << 16)
    os.close(terminal)
    assert running.wait(PATIENCE) == 130
    assert re.search(rb"stage 1", shown)
    assert processes_in(tmp_path) == []
    assert not Path(f"{league}-wal").exists()
    arena("verify", league, cwd=tmp_path)


def test_what_a_closed_terminal_did_not_show_changes_no_exit_code():
    program = """
        import contextlib, sys
        import arena.cli, arena.cli.commands

        def command(prog_name):
            sys.stdin.read()  # until the terminal is closed
            with contextlib.suppress(OSError):
                print("too late", flush=True)
            sys.exit(130)

        arena.cli.commands.arena = command
        arena.cli.main()
    """
    terminal, theirs = pty.openpty()
    running = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)], stdin=subprocess.PIPE, stdout=theirs
    )
    os.close(theirs)
    os.close(terminal)
    running.communicate(timeout=PATIENCE)
    assert running.returncode == 130


def test_what_nohup_started_outlives_its_terminal(tmp_path):
    path = write_tournament(tmp_path, [Unhurried("one"), Unhurried("two")], 'games = ["hyrule"]\nboards = 20')
    league = tmp_path / "tournament.league"
    running = subprocess.Popen(["nohup", *ARENA, "run", path], cwd=tmp_path, stderr=subprocess.DEVNULL)
    wait_for(lambda: games_in(league) > 0)
    running.send_signal(signal.SIGHUP)
    assert running.wait(PATIENCE) == 0
    assert games_in(league) == 40


def withdrawals(store: League) -> list[Withdraw]:
    rulings = [read_ruling(each.ruling) for each in store.rulings(1)]
    return [ruling for ruling in rulings if isinstance(ruling, Withdraw)]


def test_a_withdrawal_outlives_the_referee(tmp_path):
    bots = [Hurried(faulty_bot(tmp_path, "hangs")), *(f"bot {number}" for number in range(3))]
    head = 'games = ["hyrule", "forty-one"]\nboards = 15\nmax_faults = 2\nwithdraw_after = 3\n'
    path = write_tournament(tmp_path, bots, head)
    league = tmp_path / "tournament.league"
    command = [*ARENA, "run", str(path), "--concurrency", "2"]
    with (tmp_path / "errors").open("wb") as errors:
        referee = subprocess.Popen(command, cwd=tmp_path, stderr=errors)

    def is_withdrawn() -> bool:
        if games_in(league) == 0:
            return False
        with League.read(league) as store:
            return bool(withdrawals(store))

    wait_for(is_withdrawn)
    referee.kill()
    referee.wait(PATIENCE)
    done = arena("resume", league, cwd=tmp_path)
    assert "is withdrawn" not in done.stderr
    assert done.stdout.count("hangs was withdrawn") == 1
    with League.read(league) as store:
        assert len(withdrawals(store)) == 1
    assert "all is well" in arena("verify", league, cwd=tmp_path).stdout
