"""Whatever goes wrong in a supervisor, and whatever a bot does, nothing of the bot is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import trio

from arena.link.local import supervisor
from arena.link.local.containment import kernel
from arena.link.local.process import environment, running_bot, stop
from arena.link.local.sandbox import Level, Sandbox
from tests.bots_for_tests import bot_folder, manifest
from tests.link.local.pids import WRITES_PIDS, alive, pids_of, python_bot, wait_for
from tests.link.local.probing import running_in
from tests.patience import PATIENCE

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what a bot has detached")

# A supervisor one of whose functions goes wrong as soon as the bot runs.
GOES_WRONG = """
import os, select, subprocess, sys
sys.path.insert(0, {root!r})
from arena.link.local import supervisor
whole = {function}
def wrong(*words, **named):
    if os.path.exists("pids.done"):
        raise {error}
    return whole(*words, **named)
{function} = wrong
supervisor.main()
"""
FUNCTIONS = [
    "supervisor.Activity.note", "supervisor.BoundedLog.write", "supervisor.usage.memory_below",
    "supervisor.usage.Peak.saw", "supervisor._watch", "supervisor._end", "supervisor._kill_group",
    "supervisor._reap", "subprocess.Popen.poll", "subprocess.Popen.wait", "select.select", "os.read",
    "os.killpg",
]  # fmt: skip
PRINTS = WRITES_PIDS.replace("time.sleep(1000)", "[print(time.sleep(0.01), flush=True) for _ in range(9**9)]")


def ordered(folder: Path, program: str, log: Path) -> subprocess.Popen[bytes]:
    """Starts a program as the supervisor of a bot."""
    private = folder / "private"
    private.mkdir()
    order = supervisor.Order(
        manifest(folder).command, str(folder), environment(), str(log), private=str(private)
    )
    running = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder
    )
    assert running.stdin is not None
    running.stdin.write(order.line())
    running.stdin.flush()
    return running


@pytest.mark.parametrize("function", FUNCTIONS)
def test_an_error_of_the_supervisor_ends_the_bot(tmp_path, function):
    folder = python_bot(tmp_path, PRINTS)
    root = str(Path(supervisor.__file__).parents[3])
    program = GOES_WRONG.format(root=root, function=function, error="OSError(28, 'No space left on device')")
    with ordered(folder, program, tmp_path / "log") as running:
        pids = trio.run(pids_of, folder)
        running.communicate(timeout=PATIENCE)  # which closes its input
    assert not any(map(alive, pids))
    assert not (folder / "private").exists()
    if function == "supervisor.Activity.note":
        assert (tmp_path / "log").read_text().endswith("[the bot was ended: its supervisor failed]\n")


@pytest.mark.parametrize("whose", ["the watcher", "the guard"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_nothing_is_left_where_a_process_of_the_supervisor_is_killed_or_hangs(tmp_path, whose, number):
    folder = python_bot(tmp_path, WRITES_PIDS)

    async def main():
        async with running_bot(manifest(folder), tmp_path / "log") as bot:
            pids = await pids_of(folder)
            guard = bot._process.pid
            assert supervisor.parent_of(supervisor.parent_of(pids[0])) == guard
            os.kill(guard if whose == "the guard" else supervisor.parent_of(pids[0]), number)
            if number == signal.SIGKILL:
                wait_for(lambda: not any(map(alive, pids)))  # without a word of the referee
            await stop(bot._process, patience=0.0)
        assert not any(map(alive, pids))

    trio.run(main)


@pytest.mark.parametrize("log", ["/dev/full", "no/such/folder/log"])
def test_a_log_that_cannot_be_written_costs_only_the_log(tmp_path, log):
    folder = python_bot(tmp_path, "print('x' * 100_000, flush=True); raise SystemExit(3)")
    program = "from arena.link.local import supervisor; supervisor.main()"
    with ordered(folder, program, Path(log)) as running:
        assert running.wait(PATIENCE) == 3


# Chains of processes: each leaves its group, starts the next one, and ends. Beside loops without end.
STORM = """
    import os, signal, time
    def leave():
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        try:
            os.setpgid(0, 0)
        except OSError:
            pass
    for _ in range(3):
        if not os.fork():
            leave()
            while os.path.exists("storm"):
                pass
            os._exit(0)
    for _ in range(6):
        if not os.fork():
            while os.path.exists("storm"):
                leave()
                if os.fork():
                    os._exit(0)
            os._exit(0)
    print("begun", flush=True)
    time.sleep(1000)
"""


@pytest.mark.parametrize("supervised", [True, False], ids=["by its supervisor", "by the referee"])
@pytest.mark.parametrize(
    "level",
    [
        Level.NONE,
        pytest.param(
            Level.BASIC,
            marks=pytest.mark.skipif(kernel.landlock_abi() < 6, reason="this kernel lacks restrictions"),
        ),
    ],
)
def test_processes_that_multiply_and_leave_their_group_are_ended(tmp_path, level, supervised):
    folder, log = bot_folder(tmp_path, "bot", [sys.executable, "program.py"]), tmp_path / "log"
    (folder / "program.py").write_text(textwrap.dedent(STORM))
    (folder / "storm").touch()

    async def main():
        async with running_bot(manifest(folder), log, sandbox=Sandbox(level)) as bot:
            with trio.fail_after(PATIENCE):
                while not (log.exists() and "begun" in log.read_text()):
                    await trio.sleep(0.01)
            if not supervised:  # as on a machine where the supervisor has no turn
                await stop(bot._process, patience=0.0)
        assert running_in(folder) == []

    try:
        trio.run(main)
    finally:
        (folder / "storm").unlink()
