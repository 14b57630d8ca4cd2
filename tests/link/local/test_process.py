"""Local bots are started, watched and ended for good: real processes, real kills."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
import trio

from arena.link import LIBRARY_SETTINGS
from arena.link.local import supervisor
from arena.link.local.containment import kernel
from arena.link.local.process import environment, running_bot
from arena.link.local.sandbox import TRUSTED, Level, Sandbox
from arena.link.streams.dial import BotFault, describe, open_channel
from tests.bots_for_tests import bot_folder, faulty_bot, manifest
from tests.patience import PATIENCE


def alive(pid: int) -> bool:
    """Whether a process exists and is more than a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_for(condition) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "the condition never came true"
        time.sleep(0.01)


def python_bot(folder: Path, program: str) -> Path:
    script = folder / "program.py"
    script.write_text(textwrap.dedent(program))
    return bot_folder(folder, "bot", [sys.executable, str(script)])


WRITES_PIDS = """
    import os, subprocess, sys, time
    child = subprocess.Popen(["sleep", "1000"])
    start_daemon = ["sh", "-c", "setsid sleep 1000 >/dev/null 2>&1 & echo $!"]
    daemon = subprocess.run(start_daemon, capture_output=True, text=True)
    open("pids", "w").write(f"{os.getpid()} {child.pid} {daemon.stdout}")
    os.rename("pids", "pids.done")
    time.sleep(1000)
"""


async def pids_of(folder: Path) -> list[int]:
    path = folder / "pids.done"
    with trio.fail_after(PATIENCE):
        while not path.exists():
            await trio.sleep(0.01)
    return [int(word) for word in path.read_text().split()]


STOPS_ITS_SUPERVISOR = WRITES_PIDS.replace("os.rename", "os.kill(os.getppid(), 19)\n    os.rename")


@pytest.mark.parametrize(
    "program", [WRITES_PIDS, STOPS_ITS_SUPERVISOR], ids=["obedient", "stops its supervisor"]
)
def test_stopping_a_bot_ends_its_children_and_daemons(tmp_path, program):
    folder = python_bot(tmp_path, program)

    async def main():
        async with running_bot(manifest(folder), tmp_path / "log"):
            pids = await pids_of(folder)
            assert all(map(alive, pids))
        assert not any(map(alive, pids))

    trio.run(main)


def test_a_bot_that_ignores_sigterm_is_killed(tmp_path, monkeypatch):
    folder = faulty_bot(tmp_path, "ignores-sigterm")

    async def main():
        async with running_bot(manifest(folder), tmp_path / "log") as bot:
            assert await bot.wait_listening()
        assert bot.exit_code == 128 + signal.SIGKILL

    trio.run(main)


def test_what_a_bot_prints_is_kept_up_to_a_limit(tmp_path):
    folder = python_bot(tmp_path, f"print('hello'); print('x' * {supervisor.LOG_LIMIT})")
    log = tmp_path / "log"

    async def main():
        async with running_bot(manifest(folder), log) as bot:
            assert not await bot.wait_listening()
            assert bot.exit_code == 0

    trio.run(main)
    text = log.read_text()
    assert text.startswith("hello\nxxx")
    assert supervisor.LOG_LIMIT <= len(text) < supervisor.LOG_LIMIT + 100


HOLDS = """
    import os, subprocess, sys, time
    held = b"x" * (60 << 20)
    child = subprocess.Popen(
        [sys.executable, "-c", "held = b'x' * (40 << 20); print('held', flush=True); input()"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )
    child.stdout.readline()
    print("held", flush=True)
    time.sleep(1000)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has the memory of processes in /proc")
@pytest.mark.parametrize(
    ("sandbox", "limit"),
    [
        (TRUSTED, 0),
        pytest.param(
            Sandbox(Level.BASIC),
            1 << 30,
            marks=pytest.mark.skipif(kernel.landlock_abi() < 6, reason="this kernel lacks restrictions"),
        ),
    ],
    ids=["none", "basic"],
)
def test_the_most_memory_of_all_processes_of_a_bot_is_kept_beside_its_log(tmp_path, sandbox, limit):
    log = tmp_path / "bot.log"

    async def main(program, said):
        (tmp_path / "bot" / "program.py").write_text(textwrap.dedent(program))
        async with running_bot(manifest(tmp_path / "bot"), log, sandbox=sandbox):
            with trio.fail_after(PATIENCE):
                while not (log.exists() and said in log.read_text()):
                    await trio.sleep(0.01)

    bot_folder(tmp_path, "bot", [sys.executable, "program.py"])
    trio.run(main, HOLDS, "held")
    kept = log.with_suffix(".memory").read_text()
    peak, told = map(int, kept.split())
    assert 100 << 20 < peak < 300 << 20
    assert told == limit
    trio.run(main, "import time; print('small', flush=True); time.sleep(1000)", "small")
    assert log.with_suffix(".memory").read_text() == kept


@pytest.mark.parametrize(
    ("program", "code"),
    [("raise SystemExit(3)", 3), ("import os; os.kill(os.getpid(), 9)", 128 + 9)],
)
def test_the_exit_code_is_the_bots(tmp_path, program, code):
    folder = python_bot(tmp_path, program)

    async def main():
        async with running_bot(manifest(folder), tmp_path / "log") as bot:
            assert await bot.wait() == code

    trio.run(main)


def test_a_missing_program_is_one_sentence_in_the_log(tmp_path):
    folder = bot_folder(tmp_path, "bot", ["no-such-program"])

    async def main():
        async with running_bot(manifest(folder), tmp_path / "log") as bot:
            assert not await bot.wait_listening()
            assert bot.log_tail() == "cannot start no-such-program: No such file or directory"

    trio.run(main)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_nothing_is_left_when_the_referee_is_killed(tmp_path, number):
    folder = python_bot(tmp_path, WRITES_PIDS)
    referee = subprocess.Popen([
        sys.executable, "-c", textwrap.dedent(f"""
            import trio
            from pathlib import Path
            from arena.link.local.bot_manifest import read_bot_manifest
            from arena.link.local.process import running_bot
            async def main():
                bot = read_bot_manifest(Path({str(folder)!r}))
                async with running_bot(bot, Path({str(tmp_path / "log")!r})):
                    await trio.sleep_forever()
            trio.run(main)
        """)
    ], stderr=subprocess.DEVNULL)  # fmt: skip
    pids = trio.run(pids_of, folder)
    referee.send_signal(number)
    referee.wait(PATIENCE)
    wait_for(lambda: not any(map(alive, pids)))


def test_nothing_is_left_when_the_guard_is_killed(tmp_path):
    folder = python_bot(tmp_path, "import os, time; open('pids', 'w').write(str(os.getpid())); "
                                  "os.rename('pids', 'pids.done'); time.sleep(1000)")  # fmt: skip

    async def main():
        async with running_bot(manifest(folder), tmp_path / "log"):
            (pid,) = await pids_of(folder)
            os.kill(int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]), signal.SIGKILL)
        wait_for(lambda: not alive(pid))

    trio.run(main)


@pytest.mark.parametrize(
    ("way", "reason", "text"),
    [
        ("wrong-version", "protocol", "speaks protocol version 99"),
        ("wild-name", "protocol", "describes itself with a wrong name"),
    ],
)
def test_a_bot_that_describes_itself_wrongly_is_refused(tmp_path, way, reason, text):
    folder = faulty_bot(tmp_path, way)

    async def main():
        async with running_bot(manifest(folder), tmp_path / "log") as bot:
            assert await bot.wait_listening()
            with open_channel(bot.address) as channel, pytest.raises(BotFault, match=text) as caught:
                await trio.to_thread.run_sync(describe, channel, PATIENCE)
            assert caught.value.reason == reason

    trio.run(main)


def test_a_bot_gets_the_users_environment_and_not_our_settings_for_grpc(monkeypatch):
    monkeypatch.setenv("GRPC_VERBOSITY", "INFO")
    monkeypatch.setenv("GRPC_EXPERIMENTS", LIBRARY_SETTINGS["GRPC_EXPERIMENTS"])
    assert environment()["GRPC_VERBOSITY"] == "INFO"
    assert "GRPC_EXPERIMENTS" not in environment()


LINKS = """
    import os, sys, time
    {make}
    time.sleep(1000)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who listens at a socket")
@pytest.mark.parametrize(
    ("make", "text"),
    [
        ("os.symlink(other, own)", "has no socket where it was to listen, but a link"),
        ("os.link(other, own)", "does not listen at its socket itself"),
        ("open(own, 'w')", "but something else"),
    ],
)
def test_a_bot_is_not_dialled_at_the_socket_of_another(tmp_path, make, text):
    other = faulty_bot(tmp_path, "other")
    (tmp_path / "thief").mkdir()
    own = "os.environ['ARENA_LISTEN'].removeprefix('unix:')"
    thief = python_bot(tmp_path / "thief", LINKS.format(make=f"own = {own}; other = sys.argv[1]; {make}"))

    async def main():
        async with running_bot(manifest(other), tmp_path / "log") as bot:
            with trio.fail_after(PATIENCE):
                while not bot._socket.exists():
                    await trio.sleep(0.01)
            toml = thief / "bot.toml"
            toml.write_text(toml.read_text().replace('"]', f'", "{bot._socket}"]'))
            async with running_bot(manifest(thief), tmp_path / "log") as liar:
                with pytest.raises(BotFault, match=text) as caught, trio.fail_after(PATIENCE):
                    await liar.wait_listening()
            assert caught.value.reason == "protocol"

    trio.run(main)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a path is dialled")
def test_a_bot_that_listens_is_dialled_by_the_referee_alone(tmp_path):
    folder = faulty_bot(tmp_path, "good")

    async def main():
        async with running_bot(manifest(folder), tmp_path / "log") as bot:
            assert await bot.wait_listening()
            assert not bot._socket.exists()
            bot._socket.symlink_to("/nowhere")  # whatever comes there now
            for _ in range(2):
                with open_channel(bot.address) as channel:
                    assert (await trio.to_thread.run_sync(describe, channel, PATIENCE)).name == "good"

    trio.run(main)
