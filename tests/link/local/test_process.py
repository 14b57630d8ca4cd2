"""Local bots are started, watched and ended for good: real processes, real kills."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import trio

import arena
from arena.bounded_log import LOG_LIMIT
from arena.link import LIBRARY_SETTINGS
from arena.link.local.containment import kernel
from arena.link.local.containment.readable import told
from arena.link.local.process import environment, joining, running_bot
from arena.link.local.sandbox import TRUSTED, Level, Needs, Sandbox, missing
from arena.link.streams.dial import BotFault, describe, open_channel
from tests.bots_for_tests import bot_folder, faulty_bot, manifest
from tests.examples import tried
from tests.link.local.pids import WRITES_PIDS, alive, pids_of, python_bot, wait_for
from tests.patience import PATIENCE

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


def test_the_beginning_and_the_end_of_what_a_bot_prints_are_kept(tmp_path):
    folder = python_bot(tmp_path, f"print('hello'); print('x' * {LOG_LIMIT}); raise ValueError('the reason')")
    log = tmp_path / "log"

    async def main():
        async with running_bot(manifest(folder), log) as bot:
            assert not await bot.wait_listening()
            assert bot.exit_code == 1

    trio.run(main)
    text = log.read_text()
    assert text.startswith("hello\nxxx")
    assert " bytes are left out here " in text
    assert text.endswith("ValueError: the reason\n")
    assert len(text) <= LOG_LIMIT


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


def test_a_trusted_bot_has_the_memory_of_its_user_whatever_the_arena_left_itself(tmp_path):
    before = resource.getrlimit(resource.RLIMIT_DATA)
    folder = python_bot(tmp_path, "import resource; print(resource.getrlimit(resource.RLIMIT_DATA)[0])")

    async def main():
        async with running_bot(manifest(folder), tmp_path / "log") as bot:
            await bot.wait()

    resource.setrlimit(resource.RLIMIT_DATA, (1 << 40, before[1]))
    try:
        trio.run(main)
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)
    assert int((tmp_path / "log").read_text()) == before[1]


def test_a_missing_program_is_one_sentence_in_the_log(tmp_path):
    folder = bot_folder(tmp_path, "bot", ["no-such-program"])

    async def main():
        async with running_bot(manifest(folder), tmp_path / "log") as bot:
            assert not await bot.wait_listening()
            assert bot.log_tail() == "cannot start no-such-program: there is no such program on the PATH"

    trio.run(main)


@pytest.mark.parametrize("level", Level)
def test_a_script_that_cannot_be_started_is_one_sentence_in_the_log_at_each_level(tmp_path, level):
    if missing(level):
        pytest.skip("this system does not offer all of the sandbox")
    folder = bot_folder(tmp_path, "bot", ["./run.sh"])
    script = folder / "run.sh"
    script.write_bytes(b"#!/bin/sh\r\nexec true\r\n")
    script.chmod(0o755)

    async def main():
        async with running_bot(manifest(folder), tmp_path / "log", sandbox=Sandbox(level)) as bot:
            assert not await bot.wait_listening()
            return bot.log_tail()

    told = trio.run(main)
    assert told.startswith("cannot start ./run.sh: it has Windows line endings: ")
    assert "\n" not in told


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


def test_a_bot_that_dials_in_is_told_to_use_no_proxy_for_the_lobby(monkeypatch):
    monkeypatch.setenv("http_proxy", "http://proxy:3128")
    for name in ("no_proxy", "NO_PROXY", "no_grpc_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "intra.example")
    told = joining("192.168.1.17:50050", "token")
    assert told["http_proxy"] == "http://proxy:3128"  # for what else the bot asks
    assert told["no_proxy"] == told["NO_PROXY"] == told["no_grpc_proxy"] == "intra.example,192.168.1.17"
    assert joining("[::1]:50050", "token")["no_proxy"] == "intra.example,::1"


# Settings for the host's own programs, each of which changes how a bot in some language starts or prints.
OF_THE_HOST = {
    "PYTHONSAFEPATH": "1", "PYTHONHOME": "/nowhere", "PYTHONSTARTUP": "/nowhere", "PYTHONWARNINGS": "error",
    "PYTHONOPTIMIZE": "2", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii",
    "PYTHONVERBOSE": "1", "PYTHONHASHSEED": "7", "PYTHONPROFILEIMPORTTIME": "1", "PYTHONINSPECT": "1",
    "LD_PRELOAD": "/nowhere.so", "LD_AUDIT": "/nowhere.so", "GRPC_TRACE": "all", "GRPC_VERBOSITY": "debug",
    "GRPC_PROXY_EXP": "nowhere:1", "JAVA_TOOL_OPTIONS": "-Dnowhere", "_JAVA_OPTIONS": "-Dnowhere",
    "JDK_JAVA_OPTIONS": "-Dnowhere", "NODE_OPTIONS": "--nowhere", "GODEBUG": "nowhere=1",
    "RUST_LOG": "trace", "RUBYOPT": "-rnowhere", "PERL5OPT": "-Mnowhere", "ARENA_TLS_CERTIFICATE": "x.pem",
    "ARENA_URL": "https://nowhere", "http_proxy": "http://nowhere", "ALL_PROXY": "http://nowhere",
    "SSL_CERT_FILE": "/nowhere",
}  # fmt: skip
FOR_THE_BOT = {
    "LANG": "C.UTF-8",
    "LC_ALL": "C",
    "TZ": "UTC",
    "ARENA_ENGINE": "python",
    "OMP_NUM_THREADS": "1",
}


def test_settings_of_the_hosts_own_programs_do_not_reach_a_contained_bot():
    found = told(OF_THE_HOST | FOR_THE_BOT, network=False)
    assert FOR_THE_BOT.items() <= found.items()
    assert not OF_THE_HOST.keys() & found.keys()
    for building in (False, True):
        found = told(OF_THE_HOST, network=True, building=building)
        asked = OF_THE_HOST.keys() & found.keys() - {"GODEBUG"}  # a build has all that is Go's
        assert asked == {"http_proxy", "ALL_PROXY", "SSL_CERT_FILE"}


@pytest.mark.parametrize("locks", [False, True])
def test_runtimes_are_told_what_they_need_in_the_sandbox(tmp_path, locks):
    sandbox = Sandbox(Level.BASIC, Needs(locks=locks))
    (tmp_path / "private").mkdir()
    told = sandbox.playing(["true"], tmp_path, tmp_path / "private", OF_THE_HOST).environment
    assert told["HOME"] == told["TMPDIR"] == str(tmp_path / "private")
    assert "nowhere" not in told["JAVA_TOOL_OPTIONS"]
    assert told["DOTNET_EnableWriteXorExecute"] == "0"
    assert ("DENO_DIR" in told) != locks  # its cache needs a lock
    build = sandbox.building(["true"], tmp_path, tmp_path / "private", OF_THE_HOST).environment
    assert "DENO_DIR" not in build  # it may lock files


@pytest.mark.parametrize("level", [Level.NONE, Level.BASIC])
def test_python_finds_the_modules_of_a_bots_folder_whatever_the_host_has_set(tmp_path, monkeypatch, level):
    if missing(level):
        pytest.skip("this system does not offer all of the sandbox")
    monkeypatch.setenv("PYTHONSAFEPATH", "1")
    folder = bot_folder(tmp_path, "bot", [sys.executable, "-m", "mine"])
    (folder / "mine.py").write_text("print('found')")

    async def main():
        async with running_bot(manifest(folder), tmp_path / "log", sandbox=Sandbox(level)) as bot:
            assert await bot.wait() == 0, bot.log_tail()

    trio.run(main)
    assert (tmp_path / "log").read_text() == "found\n"


FORKS = """
    import os, time
    while True:
        for _ in range(8):
            if os.fork() == 0:
                os._exit(0)
        for _ in range(8):
            os.wait()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how long threads wait")
def test_processes_that_end_while_it_is_asked_how_long_they_waited_are_left_out(tmp_path):
    async def main():
        folder = python_bot(tmp_path, FORKS)
        async with running_bot(manifest(folder), tmp_path / "log") as bot:
            return [bot.waited() for _ in range(tried(300))]

    assert all(trio.run(main))


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


STARTS = """
import sys
from pathlib import Path
import trio
from arena.link.local.bot_manifest import read_bot_manifest
from arena.link.local.process import running_bot
from arena.link.local.sandbox import Level, Sandbox

async def main(folder, level):
    async with running_bot(read_bot_manifest(folder), folder / "log", sandbox=Sandbox(Level(level))):
        pass

trio.run(main, Path(sys.argv[1]), sys.argv[2])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not contain bots")
@pytest.mark.parametrize(
    ("level", "is_compiled"),
    [(Level.BASIC, True), pytest.param(Level.NONE, False, marks=pytest.mark.campaign)],
)
def test_a_clone_is_compiled_before_the_first_contained_bot_starts(tmp_path, level, is_compiled):
    source, clone = Path(arena.__file__).parent, tmp_path / "clone"
    shutil.copytree(source, clone / "arena", ignore=shutil.ignore_patterns("__pycache__"))
    folder = bot_folder(tmp_path, "bot", [sys.executable, "-c", "pass"])
    surroundings = {**os.environ, "PYTHONPATH": str(clone)}
    subprocess.run([sys.executable, "-P", "-c", STARTS, str(folder), level], env=surroundings, check=True)
    of_bots = (clone / "arena" / "bot").rglob("*.pyc")
    assert any(path.name.startswith("player.") for path in of_bots) == is_compiled
