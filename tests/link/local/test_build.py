"""Bots are built when needed, one build at a time, and a build leaves nothing behind."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
import trio

from arena.link.local.bot_manifest import read_bot_manifest
from arena.link.local.build import (
    FIRST_LINES,
    LAST_LINES,
    BuildError,
    build,
    build_all,
    finish,
    is_finished,
)
from arena.link.local.containment import build_proxy
from arena.link.local.ignored import STAMP
from arena.link.local.sandbox import TRUSTED
from arena.text import printable
from tests.patience import PATIENCE
from tests.referee.nights import wait_for


def bot(folder: Path, command: list[str], sources: list[str] | None = None) -> Path:
    """A folder with a bot that is built by a command and run as `./made`."""
    folder.mkdir(exist_ok=True)
    lines = ['name = "bot"', "[run]", 'command = ["./made"]', "[build]", f"command = {command!r}"]
    if sources is not None:
        lines.append(f"sources = {sources!r}")
    (folder / "bot.toml").write_text("\n".join(lines).replace("'", '"'))
    return folder


COUNTS = ["sh", "-c", "echo built >> made"]


def run(folder: Path) -> tuple[float | None, list[str]]:
    said: list[str] = []
    took = trio.run(build, read_bot_manifest(folder), said.append)
    return took, said


def builds(folder: Path) -> int:
    made = folder / "made"
    return made.read_text().count("built") if made.exists() else 0


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_bot_without_a_build_step_is_left_alone(tmp_path):
    (tmp_path / "bot.toml").write_text('name = "bot"\n[run]\ncommand = "python bot.py"\n')
    assert run(tmp_path) == (None, [])
    assert os.listdir(tmp_path) == ["bot.toml"]


def test_building_says_when_it_begins_and_how_long_it_took(tmp_path):
    took, said = run(bot(tmp_path, COUNTS))
    assert took is not None
    assert said == ["building bot ...", f"built bot in {took:.1f} s"]


def test_it_is_built_again_only_when_a_source_changes(tmp_path):
    folder = bot(tmp_path, COUNTS, ["*.src", "deep/**"])
    (folder / "a.src").write_text("1")
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / "deep" / "er" / "b").write_text("1")
    assert run(folder)[0] is not None
    assert run(folder) == (None, [])
    changes = [
        lambda: (folder / "a.src").write_text("2"),
        lambda: (folder / "deep" / "er" / "b").write_text("2"),
        lambda: (folder / "new.src").write_text(""),
        lambda: (folder / "a.src").rename(folder / "z.src"),
        lambda: (folder / "z.src").unlink(),
        lambda: bot(folder, [*COUNTS, "other"], ["*.src", "deep/**"]),
    ]
    for number, change in enumerate(changes, start=2):
        change()
        assert run(folder)[0] is not None
        assert builds(folder) == number
        assert run(folder)[0] is None
    (folder / "unrelated").write_text("2")
    os.utime(folder / "new.src", (0, 0))  # times say nothing
    assert run(folder)[0] is None


@pytest.mark.parametrize("pattern", ["proto/**", "proto/*.proto", "proto"])
def test_symlinked_folders_are_followed(tmp_path, pattern):
    proto = tmp_path / "proto"
    proto.mkdir()
    (proto / "bot.proto").write_text("1")
    folder = bot(tmp_path / "bot", COUNTS, [pattern])
    (folder / "proto").symlink_to(proto)
    assert run(folder)[0] is not None
    assert run(folder)[0] is None
    (proto / "bot.proto").write_text("2")
    assert run(folder)[0] is not None


@pytest.mark.parametrize("sources", [None, [], ["*.nothing"]])
def test_without_sources_it_is_built_every_time(tmp_path, sources):
    folder = bot(tmp_path, COUNTS, sources)
    run(folder)
    run(folder)
    assert builds(folder) == 2


def test_it_is_built_again_when_what_it_made_is_gone(tmp_path):
    folder = bot(tmp_path, COUNTS, ["bot.toml"])
    run(folder)
    (folder / "made").unlink()
    assert run(folder)[0] is not None


def test_a_stamp_that_means_nothing_counts_as_none(tmp_path):
    folder = bot(tmp_path, COUNTS, ["bot.toml"])
    run(folder)
    for text in ("nonsense", "[]", '{"made": 1}', ""):
        (folder / ".arena-build").write_text(text)
        assert run(folder)[0] is not None


def test_a_failing_build_is_one_sentence_and_its_first_and_last_lines(tmp_path):
    last = FIRST_LINES + LAST_LINES + 5
    program = f"for i in $(seq {last}); do echo line $i; done; printf '\\033[31mwrong' >&2; exit 3"
    folder = bot(tmp_path, ["sh", "build.sh"], ["bot.toml"])
    (folder / "build.sh").write_text(program)
    with pytest.raises(BuildError) as caught:
        run(folder)
    assert caught.value.message == "bot cannot be built: `sh build.sh` ended with exit code 3"
    lines = caught.value.output.splitlines()
    assert lines[0] == "line 1"
    assert lines[FIRST_LINES - 1 : FIRST_LINES + 2] == [
        f"line {FIRST_LINES}",
        "[... 6 lines are left out here ...]",
        f"line {FIRST_LINES + 7}",
    ]
    assert len(lines) == FIRST_LINES + 1 + LAST_LINES
    assert lines[-2:] == [f"line {last}", "\x1b[31mwrong"]
    assert printable(str(caught.value)).endswith("\n\\x1b[31mwrong")


def test_a_long_build_is_told_now_and_then(tmp_path):
    script = "echo compiling the rules; until [ -e told ]; do sleep 0.01; done; echo built | tee made"
    folder = bot(tmp_path, ["sh", "-c", script])
    said: list[str] = []
    heard: list[str] = []

    def say(text: str) -> None:
        said.append(text)
        if "compiling" in text:
            (folder / "told").touch()

    building = partial(build, read_bot_manifest(folder), say, every=0.01, hear=heard.append)
    assert trio.run(building) is not None
    assert said[0] == "building bot ..."
    told = r"building bot \.\.\. [0-9]+ s so far"
    assert all(re.fullmatch(rf"{told}(: compiling the rules|: built)?", line) for line in said[1:-1])
    assert said[-1].startswith("built bot in ")
    assert heard == ["compiling the rules", "built"]


def test_a_failing_build_is_tried_again(tmp_path):
    folder = bot(tmp_path, ["sh", "build.sh"], ["bot.toml"])
    (folder / "build.sh").write_text("echo built >> made")
    run(folder)
    (folder / "made").unlink()
    (folder / "build.sh").write_text("echo built >> made; exit 1")
    for _ in range(2):
        with pytest.raises(BuildError):
            run(folder)
    assert builds(folder) == 2


@pytest.mark.parametrize("command", [["cargo", "build"], ["sh", "-c", "cargo build"]])
def test_a_missing_toolchain_says_what_to_install(tmp_path, monkeypatch, command):
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "sh").symlink_to("/bin/sh")
    monkeypatch.setenv("PATH", str(programs))
    (programs / "python").symlink_to(sys.executable)
    monkeypatch.setattr(sys, "executable", str(programs / "python"))
    with pytest.raises(BuildError) as caught:
        run(bot(tmp_path / "bot", command))
    assert str(caught.value) == (
        "bot cannot be built: there is no program cargo on the PATH: install Rust, see https://rustup.rs"
    )


def test_a_missing_program_of_no_known_toolchain_is_named(tmp_path):
    with pytest.raises(BuildError, match="there is no program no-such-tool on the PATH: install it"):
        run(bot(tmp_path, ["no-such-tool"]))


def test_a_build_script_that_is_not_there_is_named(tmp_path):
    with pytest.raises(
        BuildError, match=r"its build command \./build\.sh cannot be started in .*there is no such file"
    ):
        run(bot(tmp_path, ["./build.sh"]))


def test_two_who_want_the_same_bot_built_wait_for_each_other(tmp_path):
    folder = bot(
        tmp_path, ["sh", "-c", "mkdir alone && sleep 0.2 && rmdir alone && echo built >> made"], ["bot.toml"]
    )
    said: list[str] = []

    async def main():
        async with trio.open_nursery() as nursery:
            for _ in range(2):
                nursery.start_soon(build, read_bot_manifest(folder), said.append)

    trio.run(main)
    assert builds(folder) == 1
    assert "bot is being built by another arena; waiting for that" in said


def test_several_bots_are_built_one_after_another_and_each_once(tmp_path):
    one, two = (bot(tmp_path / name, COUNTS) for name in ("one", "two"))
    bots = [(read_bot_manifest(folder), TRUSTED) for folder in (one, two, one)]
    trio.run(build_all, bots, lambda line: None)
    assert builds(one) == builds(two) == 1


def test_a_cancelled_build_is_ended_with_all_it_started(tmp_path):
    folder = bot(tmp_path, ["sh", "-c", "sleep 1000 & echo $! > pid.new; mv pid.new pid; wait"])

    async def main():
        async with trio.open_nursery() as nursery:
            nursery.start_soon(build, read_bot_manifest(folder), lambda line: None)
            with trio.fail_after(PATIENCE):
                while not (folder / "pid").exists():
                    await trio.sleep(0.01)
            assert alive(int((folder / "pid").read_text()))
            nursery.cancel_scope.cancel()
        with trio.fail_after(PATIENCE):
            while alive(int((folder / "pid").read_text())):
                await trio.sleep(0.01)

    trio.run(main)


def test_a_daemon_that_a_build_leaves_does_not_hold_it_up_and_is_ended(tmp_path):
    folder = bot(tmp_path, ["sh", "-c", "sleep 1000 & echo $! > pid"])
    assert run(folder)[0] is not None
    assert not alive(int((folder / "pid").read_text()))


STARTS_A_PROXY = """
import os, socket, sys
from arena.link.local.containment import build_proxy
channel = build_proxy.open_for(os.environ)
with socket.create_server(("127.0.0.1", 0)) as listener, channel:
    socket.send_fds(channel, [b"x"], [listener.fileno()])
    print(open(f"/proc/self/task/{os.getpid()}/children").read(), flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="builds have a proxy on Linux only")
def test_the_proxy_of_a_build_ends_with_a_supervisor_that_is_killed():
    with subprocess.Popen(
        [sys.executable, "-c", STARTS_A_PROXY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as supervisor:
        assert supervisor.stdout is not None
        proxy = int(supervisor.stdout.readline())
        assert alive(proxy)
        supervisor.kill()
        wait_for(lambda: not alive(proxy))


def test_what_is_finished_is_noted_in_a_file_of_the_folder_not_behind_a_link(tmp_path):
    victim, folder = tmp_path / "victim", tmp_path / "bot"
    victim.write_text("precious")
    folder.mkdir()
    (folder / STAMP).symlink_to(victim)
    finish(folder)
    assert is_finished(folder)
    assert victim.read_text() == "precious"


ASKS_A_PROXY = """
import os, socket, sys
from arena.link.local.containment import build_proxy
channel = build_proxy.open_for(os.environ)
with socket.create_server(("127.0.0.1", 0)) as listener, channel:
    socket.send_fds(channel, [b"x"], [listener.fileno()])
    with socket.create_connection(listener.getsockname()) as client:
        asked = sys.argv[1].encode().decode("unicode_escape")
        head = asked if asked.startswith("GET ") else f"CONNECT {asked} HTTP/1.1"
        client.sendall(f"{head}\\r\\n\\r\\n".encode("latin-1"))
        print(client.recv(1000).decode(), flush=True)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="builds have a proxy on Linux only")
@pytest.mark.parametrize(
    ("asked", "passed_on"),
    [
        ("no-such-host.example:443", b"CONNECT no-such-host.example:443 HTTP/1.1"),
        ("no-such-host.example:443#@10.0.0.1:80", b"CONNECT no-such-host.example:443 HTTP/1.1"),
        ("no-such-host.example:25", None),
    ],
)
def test_the_proxy_of_the_host_is_asked_for_what_was_judged_and_nothing_else(asked, passed_on):
    with socket.create_server(("127.0.0.1", 0)) as host:
        host.settimeout(PATIENCE)
        settings = {"https_proxy": f"http://127.0.0.1:{host.getsockname()[1]}", "no_proxy": ""}
        with subprocess.Popen(
            [sys.executable, "-c", ASKS_A_PROXY, asked],
            stdout=subprocess.PIPE,
            env={**os.environ, **settings},
        ) as build:
            assert build.stdout is not None
            if passed_on is not None:
                with host.accept()[0] as dialled:
                    assert dialled.recv(1000).splitlines()[0] == passed_on
            else:
                assert b" 403 " in build.stdout.readline()


NO_NAMES = [
    "evil.example\\0.registry.example",
    "127.0.0.1\\0.registry.example",
    "evil.example%00.registry.example",
    "\\xe9vil.registry.example",
    "evil.example,registry.example",
    "evil.example\\u0000",
    "",
]
"""What is no name of a host, as an escaped text: two programs may take it for different ones."""


@pytest.mark.skipif(sys.platform != "linux", reason="builds have a proxy on Linux only")
@pytest.mark.parametrize(
    "asked", [*(f"{name}:443" for name in NO_NAMES), f"GET http://{NO_NAMES[0]}/ HTTP/1.1"]
)
def test_a_build_asks_for_nothing_that_is_no_name(asked):
    with socket.create_server(("127.0.0.1", 0)) as host:
        url = f"http://127.0.0.1:{host.getsockname()[1]}"
        settings = {"https_proxy": url, "http_proxy": url, "no_proxy": ""}
        proxied = build_proxy.proxied({**os.environ, **settings}, ("registry.example",))
        with subprocess.Popen(
            [sys.executable, "-c", ASKS_A_PROXY, asked], stdout=subprocess.PIPE, env=proxied
        ) as build:
            assert build.stdout is not None
            said = build.stdout.readline()
        assert (
            b" 403 a build reaches addresses, and names of letters, digits, dots and hyphens, alone" in said
        )


@pytest.mark.skipif(sys.platform != "linux", reason="builds have a proxy on Linux only")
def test_a_build_asks_a_host_for_no_pages_of_another():
    asked = (
        "GET http://u@registry.example:80/a?b HTTP/1.1\\r\\nHost: evil.example\\r\\nX: 1\\rhost: evil.example"
    )
    with socket.create_server(("127.0.0.1", 0)) as host:
        host.settimeout(PATIENCE)
        settings = {"http_proxy": f"http://127.0.0.1:{host.getsockname()[1]}", "no_proxy": ""}
        proxied = build_proxy.proxied({**os.environ, **settings}, ("registry.example",))
        with (
            subprocess.Popen(
                [sys.executable, "-c", ASKS_A_PROXY, asked], stdout=subprocess.PIPE, env=proxied
            ),
            host.accept()[0] as dialled,
        ):
            lines = dialled.recv(1000).splitlines()
    assert lines[0] == b"GET http://registry.example:80/a?b HTTP/1.1"
    assert [line for line in lines[1:] if b"xample" in line] == [b"Host: registry.example:80"]


@pytest.mark.skipif(sys.platform != "linux", reason="builds have a proxy on Linux only")
@pytest.mark.parametrize(
    ("asked", "reached"),
    [
        ("registry.example:443", True),
        ("files.registry.example:443", True),
        ("fileregistry.example:443", False),
        ("registry.example.evil.example:443", False),
        ("elsewhere.example:443", False),
    ],
)
def test_a_build_reaches_the_named_hosts_alone(asked, reached):
    with socket.create_server(("127.0.0.1", 0)) as host:
        host.settimeout(PATIENCE)
        settings = {"https_proxy": f"http://127.0.0.1:{host.getsockname()[1]}", "no_proxy": ""}
        proxied = build_proxy.proxied({**os.environ, **settings}, ("registry.example",))
        with subprocess.Popen(
            [sys.executable, "-c", ASKS_A_PROXY, asked], stdout=subprocess.PIPE, env=proxied
        ) as build:
            assert build.stdout is not None
            if reached:
                with host.accept()[0] as dialled:
                    assert dialled.recv(1000).splitlines()[0] == f"CONNECT {asked} HTTP/1.1".encode()
            else:
                said = build.stdout.readline()
                assert b" 403 a build reaches the ports 80 and 443 of registry.example alone" in said
