"""The control socket: each request is decided at most once, even if its client or the run is killed."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import stat
import subprocess
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import trio
import trio.testing

from arena.face import Face
from arena.league.store import League
from arena.referee.cluster_statistics import ClusterStatistics, WorkerStatistics
from arena.referee.night import control
from arena.referee.night.control import (
    Control,
    GaveUp,
    Request,
    ask_to_start,
    night_of,
    nothing_known,
    socket_of,
    state_of,
)
from arena.referee.night.host_requests import Refused, ask
from arena.referee.night.night_now import Awaited, BotNow, NightNow, State
from tests.arena_command import ARENA, arena
from tests.bots_for_tests import Unhurried
from tests.patience import PATIENCE
from tests.referee.night_here import Night
from tests.referee.nights import games_in, wait_for, write_tournament
from tests.referee.simulation import simulate

HEAD = 'games = ["hyrule", "forty-one"]\nboards = 200\n'


@pytest.fixture
def night(tmp_path):
    """A tournament that a process plays, and that goes on for long."""
    file = write_tournament(tmp_path, [Unhurried(f"bot {number}") for number in range(3)], HEAD)
    league = tmp_path / "tournament.league"
    with subprocess.Popen(
        [*ARENA, "run", str(file)], cwd=tmp_path, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    ) as process:
        try:
            wait_for(lambda: games_in(league) > 0)
            yield process, league
        finally:
            process.kill()


def kinds(league: Path) -> list[str]:
    """The kinds of what was decided."""
    with League.read(league) as store:
        found = [json.loads(each.ruling)["kind"] for each in store.rulings(1)]
    return [kind for kind in found if kind not in ("contain", "contribute")]


def test_a_command_that_gave_up_is_never_carried_out(night):
    referee, league = night
    ask(league, "pause")
    referee.send_signal(signal.SIGSTOP)
    with pytest.raises(Refused, match="its program did not answer within 0 s, so nothing is decided"):
        ask(league, "extend", "1", patience=0.2)
    referee.send_signal(signal.SIGCONT)
    ask(league, "extend", "1")
    ask(league, "go")
    assert kinds(league) == ["pause", "extend", "go"]


def leave_socket(league: Path) -> None:
    """Leaves a control socket to which nobody listens, as a run does that is killed."""
    place = league.with_name("left")
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(place))
    place.rename(socket_of(league))


def test_a_command_that_is_sent_while_a_killed_run_resumes_is_answered(tmp_path):
    with Night(tmp_path, ["one", "two"], HEAD, guests=["guest"]) as night:
        wait_for(lambda: ask_to_start(night.league))
        night.play(1)
    leave_socket(night.league)
    with Night(tmp_path, None):  # it waits for the guest, and decides nothing yet
        done = threading.Thread(target=ask, args=(night.league, "pause"))
        done.start()
        wait_for(lambda: ask_to_start(night.league))
        done.join(PATIENCE)
        assert not done.is_alive()
    assert kinds(night.league) == ["pause"]


def test_a_command_is_decided_at_once_where_the_run_was_killed(tmp_path):
    with Night(tmp_path, ["one", "two"], HEAD) as night:
        night.play(1)
    leave_socket(night.league)
    ask(night.league, "pause")
    assert kinds(night.league) == ["pause"]


def test_what_is_asked_again_is_decided_once_by_whoever_plays(night):
    referee, league = night
    ask(league, "extend", "1", id="an id")
    ask(league, "extend", "1", id="an id")
    referee.kill()
    referee.wait(PATIENCE)
    assert socket_of(league).exists()
    ask(league, "extend", "1", id="an id")
    with Night(league.parent, None) as again:
        again.play(1)
        ask(league, "extend", "1", id="an id")
        ask(league, "extend", "1", id="another")
    assert kinds(league) == ["extend", "extend"]
    assert "all is well" in arena("verify", league, cwd=league.parent).stdout


def serving(
    league: Path,
    test: Callable[[Control], Awaitable[None]],
    night: Callable[[], Awaitable[NightNow]] = nothing_known,
) -> list[str]:
    """Has a test use the control socket of a league, and threads; returns what people were told."""
    said: list[str] = []

    async def run() -> None:
        control = Control(league, said.append)
        with trio.fail_after(PATIENCE):
            async with control.open(night):
                await test(control)

    trio.run(run)
    return said


def pause(league: Path, patience: float = PATIENCE, id: str = "x") -> Any:
    return control.ask(league, Request("pause", id=id).line(), patience)


async def paused(league: Path, answers: list[Any]) -> None:
    answers.append(await trio.to_thread.run_sync(pause, league))


def test_who_asks_learns_what_was_decided_and_a_request_that_was_withdrawn_never_is(tmp_path):
    league = tmp_path / "night.league"
    league.touch()

    async def test(control: Control) -> None:
        with pytest.raises(GaveUp) as gave_up:
            await trio.to_thread.run_sync(pause, league, 0.1, "given up")
        assert not gave_up.value.taken
        answers: list[Any] = []
        async with trio.open_nursery() as nursery:
            nursery.start_soon(paused, league, answers)
            given_up = await control.requests.receive()
            assert (given_up.request.id, await given_up.take()) == ("given up", False)
            asked = await control.requests.receive()
            assert (asked.request, await asked.take()) == (Request("pause", id="x"), True)
            await asked.answer("it is over", "127.0.0.1:1")
        assert answers == [{"refusal": "it is over", "lobby": "127.0.0.1:1"}]

    assert serving(league, test) == []
    assert [path.name for path in tmp_path.iterdir()] == ["night.league"]


def test_a_request_that_is_being_decided_is_answered_though_it_is_withdrawn(tmp_path):
    league = tmp_path / "night.league"
    league.touch()

    async def test(control: Control) -> None:
        async with await trio.open_unix_socket(str(socket_of(league))) as stream:
            await stream.send_all(b'{"ask": "pause", "id": "x", "what": "", "reason": ""}\n')
            asked = await control.requests.receive()
            assert await asked.take()
            await stream.send_eof()
            await trio.testing.wait_all_tasks_blocked()
            await asked.answer(None, "")
            told = b"".join([data async for data in stream])
        assert told == b'taken\n{"refusal": null, "lobby": ""}\n'

    serving(league, test)


@pytest.mark.parametrize("taken", [False, True])
def test_who_ends_a_command_by_ctrl_c_is_told_what_was_decided_and_else_it_never_is(tmp_path, taken):
    league = tmp_path / "night.league"
    with League.create_or_open(league) as store:
        simulate(store, f'name = "x"\n{HEAD}', 2, finish=False, at_most=1)

    async def test(control: Control) -> None:
        with subprocess.Popen(
            [*ARENA, "host", "pause", str(league)], stdout=subprocess.PIPE, text=True
        ) as process:
            asked = await control.requests.receive()
            if taken:
                assert await asked.take()
            process.send_signal(signal.SIGINT)
            if taken:
                await asked.answer(None, "")
            said, _ = await trio.to_thread.run_sync(process.communicate)
        assert process.returncode == (0 if taken else 130)
        assert ("is paused" in said) == taken
        assert taken or not await asked.take()

    serving(league, test)


def test_what_a_run_tells_has_named_fields(tmp_path):
    league = tmp_path / "night.league"
    league.touch()
    bots = [BotNow("one", True, "here", 1.5, 2, Face("rust", "")), BotNow("two", False, "lost", 0.0, 0)]
    now = NightNow(plays=True, bots=bots, awaited=[Awaited(1, "1.1.1/hyrule/1.1", 3, 0.5, 9.0)])

    async def night() -> NightNow:
        return now

    async def test(control: Control) -> None:
        assert await trio.to_thread.run_sync(night_of, league) == now
        async with await trio.open_unix_socket(str(socket_of(league))) as stream:
            await stream.send_all(b'{"ask": "night"}\n')
            told = json.loads(b"".join([data async for data in stream]))
        assert told["bots"][0]["face"] == {"language": "rust", "emblem": ""}
        assert told.keys() == {*NightNow._fields}

    serving(league, test, night)


@pytest.mark.parametrize("text", [b"", b"\n", b"[]\n", b"{}\n", b"\xff\n", b'{"ask": "pause"}\n', b'"'])
def test_what_is_no_request_ends_its_own_connection_alone(tmp_path, text):
    league = tmp_path / "night.league"
    league.touch()

    async def test(control: Control) -> None:
        async with await trio.open_unix_socket(str(socket_of(league))) as stream:
            await stream.send_all(text)
            await stream.send_eof()
            assert await stream.receive_some() == b""
        control.lobby = "here"
        assert (await trio.to_thread.run_sync(state_of, league)).lobby == "here"

    serving(league, test)


def test_only_its_owner_can_open_it_however_long_its_name_is(tmp_path):
    folder = tmp_path / ("a folder " * 20)
    folder.mkdir()
    league = folder / ("x" * 240)
    league.touch()
    left = tmp_path / "left.league"
    leave_socket(left)
    socket_of(left).rename(socket_of(league))  # its own path is too long to be bound
    assert state_of(league) == State()

    async def test(control: Control) -> None:
        assert stat.filemode(socket_of(league).lstat().st_mode) == "srw-------"
        control.cluster_statistics = ClusterStatistics([WorkerStatistics("a", True, 1, 2, 0.5)], 3, 4.0, 5)
        assert await trio.to_thread.run_sync(state_of, league) == State(False, "", control.cluster_statistics)

    serving(league, test)
    assert [path.name for path in folder.iterdir()] == [league.name]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_another_user_is_not_answered_though_the_socket_lets_it_in():
    async def test(control: Control) -> None:
        socket_of(league).chmod(0o666)
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(PATIENCE)
            os.seteuid(65534)  # whose credentials the connection has
            try:
                line.connect(str(socket_of(league)))
            finally:
                os.seteuid(0)
            await trio.testing.wait_all_tasks_blocked()
            with pytest.raises(BrokenPipeError):
                line.sendall(b'{"ask": "state"}\n')

    with TemporaryDirectory() as folder:  # which others can enter
        Path(folder).chmod(0o755)
        league = Path(folder) / "night.league"
        league.touch()
        serving(league, test)


def test_a_run_that_cannot_listen_says_so_and_plays(tmp_path):
    file = write_tournament(tmp_path, ["one", "two"], 'games = ["hyrule"]\nboards = 1\n')
    socket_of(tmp_path / "tournament.league").mkdir()
    told = arena("run", file, cwd=tmp_path).stderr
    assert len(re.findall("so host commands and live tables do not work: .* cannot be made", told)) == 1
