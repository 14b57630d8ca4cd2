"""The example bots in other languages: built, tested by their own tests, checked, and played together.

Where a toolchain is missing its tests are skipped, saying so; in CI (the
environment variable CI is set) that is a failure.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import grpc
import pytest

from arena.link.local.bot_manifest import read_bot_manifest
from arena.v1 import lobby_pb2_grpc
from tests.bots.languages import PATIENCE, UNIT_TESTS, ScriptedLobby
from tests.installed import EXAMPLES, TOOLS, Installed, checkup, require
from tests.proxies import proxy_of_the_environment

GAMES = 'games = ["nyuri", "forty-one", "nur-mut", "kleftis", "hyrule"]'


def test_there_is_a_bot_for_every_language():
    assert EXAMPLES.keys() == {"python"} | TOOLS.keys()


@pytest.mark.parametrize("language", TOOLS)
def test_a_bot_builds_and_passes_the_checkup_and_its_own_tests(installed, language):
    require(language)
    bot = installed.bot(language)
    assert checkup(installed, bot)["ready"]
    installed.run(UNIT_TESTS[language], bot, **installed.sharing(bot))


def test_all_languages_play_a_league_night_some_serving_and_some_joining(installed, tmp_path):
    require(*TOOLS)
    night = installed.folder / "tournaments" / "babel.toml"
    summary = json.loads(
        installed.run([installed.arena, "run", night, "--json", "--league", tmp_path / "b.league"])
    )
    assert summary["finished"]
    assert len(summary["standings"]) == len(TOOLS) + 1
    assert all(sum(row["faults"].values()) == 0 for row in summary["standings"])


@pytest.mark.parametrize("language", TOOLS)
def test_a_bot_joins(installed, tmp_path, language):
    require(language)
    bot = installed.bot(language)
    (tmp_path / "t.toml").write_text(
        f'name = "t"\n{GAMES}\n[[entrant]]\nbot = "{installed.bot("python")}"\n'
        f'[[entrant]]\nbot = "{bot}"\n[[entrant]]\nname = "guest"\njoin = true\n'
    )
    host = subprocess.Popen(
        [installed.arena, "run", "t.toml", "--json", "--lobby", "127.0.0.1:0"],
        cwd=tmp_path, env=installed.surroundings, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    guest = None
    try:
        assert host.stderr is not None
        line = ""
        while "ARENA_TOKEN=" not in line:
            line = host.stderr.readline()
            assert line, "the referee ended"
        token, _, *command = line.partition(": ARENA_TOKEN=")[2].split()
        guest = subprocess.Popen(
            [installed.arena, *command], cwd=bot, env={**installed.surroundings, "ARENA_TOKEN": token}
        )
        output, errors = host.communicate(timeout=PATIENCE)
        assert host.returncode == 0, errors
        assert guest.wait(60) == 0
        rows = json.loads(output)["standings"]
        assert [sum(row["faults"].values()) for row in rows] == [0, 0, 0]
    finally:
        for process in (host, guest):
            if process is not None:
                process.kill()
                process.communicate()


@contextmanager
def scripted_lobby(
    *statuses: grpc.StatusCode, host: str = "127.0.0.1"
) -> Iterator[tuple[ScriptedLobby, str]]:
    lobby = ScriptedLobby(list(statuses))
    server = grpc.server(ThreadPoolExecutor(max_workers=4))
    lobby_pb2_grpc.add_LobbyServicer_to_server(lobby, server)
    port = server.add_insecure_port(f"{host}:0")
    server.start()
    try:
        yield lobby, f"{host}:{port}"
    finally:
        server.stop(None).wait()


def join(installed: Installed, language: str, address: str) -> subprocess.CompletedProcess[str]:
    """Lets a bot join, and waits for its end."""
    return subprocess.run(
        [installed.arena, "join", address, installed.bot(language)],
        env={**installed.surroundings, "ARENA_TOKEN": "t"},
        capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip


@pytest.mark.parametrize("language", ["python", *TOOLS])
def test_a_bot_that_is_turned_away_by_a_crowded_lobby_tries_again(installed, language):
    require(*({language} & TOOLS.keys()))
    crowded = (grpc.StatusCode.CANCELLED, grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.UNAVAILABLE)
    with scripted_lobby(*crowded, grpc.StatusCode.OK) as (lobby, address):
        done = join(installed, language, address)
    assert (done.returncode, lobby.calls) == (0, 4), done.stderr


@pytest.mark.parametrize("language", ["python", *TOOLS])
def test_a_bot_that_is_refused_says_why_and_does_not_try_again(installed, language):
    require(*({language} & TOOLS.keys()))
    for status in (
        grpc.StatusCode.UNAUTHENTICATED,
        grpc.StatusCode.FAILED_PRECONDITION,
        grpc.StatusCode.ALREADY_EXISTS,
    ):
        with scripted_lobby(status) as (lobby, address):
            done = join(installed, language, address)
        assert (done.returncode, lobby.calls) == (1, 1), done.stderr
        assert f"said with {status.name}" in done.stderr


@pytest.mark.parametrize("language", ["python", *TOOLS])
def test_a_bot_dials_a_lobby_without_the_proxies_of_the_environment_and_says_once_that_nobody_answers(
    installed, monkeypatch, language
):
    require(*({language} & TOOLS.keys()))
    bot = installed.bot(language)
    checkup(installed, bot)  # which builds it
    away = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.UNAVAILABLE)
    with (  # Go's libraries never use a proxy for 127.0.0.1, but they would for 0.0.0.0
        scripted_lobby(*away, grpc.StatusCode.OK, host="0.0.0.0") as (lobby, address),
        proxy_of_the_environment(monkeypatch) as proxy,
    ):
        done = subprocess.run(
            read_bot_manifest(bot).command, cwd=bot,
            env={**installed.surroundings, "ARENA_JOIN": address, "ARENA_TOKEN": "t"},
            capture_output=True, text=True, timeout=PATIENCE,
        )  # fmt: skip
    assert (done.returncode, lobby.calls) == (0, 3), done.stderr
    assert proxy.asked == []
    assert len(re.findall(f"no connection to .*{address}.* dialling again for 60 s", done.stderr)) == 1
