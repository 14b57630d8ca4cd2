"""What a host process does: builds, games, nights, the page, a new installation."""

from __future__ import annotations

import itertools
import os
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import trio

from arena.hosting.children import Child
from arena.hosting.database import Database
from arena.hosting.place import Place
from arena.hosting.report import Result, write_result
from arena.league.store import League
from tests.hosting.host_here import (
    FRIDAY,
    FakeChild,
    Host,
    ends_with,
    going_on,
    in_simulated_time,
    install,
)  # fmt: skip
from tests.patience import PATIENCE


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    with Database(Place(tmp_path).database, writer=True) as database:
        yield Host(tmp_path, database)


def test_the_ladder_rests_while_a_night_is_played(host: Host) -> None:
    async def test() -> None:
        async with going_on(host.process.games):
            await host.until(lambda: len(host.games) == 1)
            host.database.put_night(FRIDAY)
            await host.until(lambda: len(host.games) == 2)
            ladder, night = host.games
            assert ladder.is_ended
            assert "season" in ladder.words[2]
            assert "night-friday" in night.words[2]
            with League.create_or_open(host.place.league) as league:
                league.finish_tournament(2)
            night.exit(0)
            await host.until(lambda: len(host.games) == 3)
            assert host.games[2].words[:5] == (
                "arena.cli", "resume", str(host.place.league), "--tournament", "1",
            )  # fmt: skip
        assert not night.is_ended
        assert host.games[2].is_ended  # with the host process
        assert [line.split()[:2] for line in host.said] == [
            ["plays", "season"], ["plays", "night"], ["plays", "season"],
        ]  # fmt: skip

    in_simulated_time(test)


def test_the_host_is_told_how_guests_join(host: Host) -> None:
    async def test() -> None:
        async with going_on(host.process.games):
            await host.until(lambda: len(host.games) == 1)
            host.games[0].told = ["the lobby is open", "  visitor: ARENA_TOKEN=x arena join 10.0.0.1:50505"]
            await host.until(lambda: len(host.said) == 3)
            assert host.said[1:] == [
                "the lobby is open",
                "  visitor: ARENA_TOKEN=x arena join 10.0.0.1:50505",
            ]
            host.games[0].told = ["its last words"]
            host.games[0].exit(0)
            await host.until(lambda: len(host.games) == 2)
            assert host.said[3] == "its last words"

    in_simulated_time(test)


def test_a_child_tells_the_host_lines(tmp_path: Path) -> None:
    async def test() -> None:
        child = Child(("tests.hosting.telling",), tmp_path / "log", tells=True)
        with trio.fail_after(PATIENCE):
            assert await child.wait() == 0
        assert child.heard() == ["one", "two", "three"]
        assert child.heard() == []
        ended = Child(("tests.hosting.telling",), tmp_path / "log", tells=True)
        await ended.end()
        assert ended.heard() == []

    trio.run(test)


def test_games_that_stop_are_tried_again_ever_later(host: Host) -> None:
    async def test() -> None:
        async with going_on(host.process.games):
            for number in range(1, 9):
                await host.until(lambda number=number: len(host.games) == number)  # type: ignore[misc]
                host.games[-1].exit(1)
        begun = [child.at for child in host.games]
        assert [later - at - 1 for at, later in itertools.pairwise(begun)] == [
            *(2, 4, 8, 16, 32, 60, 60)  # seconds; a look finds the end a second after the start
        ]
        stopped = [
            line for line in host.said if "stopped, and is tried again: logs/games.log says why" in line
        ]
        assert len(stopped) == 7

    in_simulated_time(test)


def test_a_bot_that_is_refused_is_told_of_once_and_the_ladder_goes_on(host: Host) -> None:
    async def test() -> None:
        async with going_on(host.process.games):
            await host.until(lambda: len(host.games) == 1)
            version = host.submit()
            host.place.bot(version).mkdir()
            (host.place.bot(version) / "bot.toml").write_text(
                'name = "heron"\ngames = ["nyuri"]\n[run]\ncommand = ["true"]\n'
            )
            host.database.activate(1, version)
            await host.until(lambda: len(host.said) == 2)
            for number in (2, 3):
                host.games[-1].exit(0)
                await host.until(lambda number=number: len(host.games) == number)  # type: ignore[misc]
        refusals = [line for line in host.said if "does not play hyrule" in line]
        assert len(refusals) == 1
        assert [line.split()[0] for line in host.said if line not in refusals] == ["plays"] * 3

    in_simulated_time(test)


def test_the_page_is_started_again(host: Host) -> None:
    async def test() -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:

            async def page() -> None:
                await host.process.page(listener, "the token")

            async with going_on(page):
                await host.until(lambda: len(host.children) == 1)
                host.children[0].exit(1)
                await host.until(lambda: len(host.children) == 2)
        assert host.said == ["the page ended, and is started again"]
        for child in host.children:
            assert child.words[:3] == ("arena.cli", "serve", str(host.place.league))
            assert "the token" in child.lines

    in_simulated_time(test)


def test_an_accepted_version_is_active_and_a_refused_one_is_not(host: Host) -> None:
    async def test() -> None:
        async with going_on(host.process.submissions):
            host.build = ends_with(Result("accepted", content="c1", disk=7))
            one = await host.decided(host.submit())
            assert (one.state, one.content, one.disk) == ("accepted", "c1", 7)
            host.build = ends_with(Result("refused", "it does not start", content="c2"))
            two = await host.decided(host.submit())
            assert (two.state, two.reason) == ("refused", "it does not start")
        assert [version.id for _, version, _ in host.database.active()] == [one.id]
        assert [child.words[0] for child in host.children] == ["arena.hosting.builder"] * 2

    in_simulated_time(test)


@pytest.mark.parametrize(
    ("build", "reason"),
    [
        (ends_with(Result("trouble", "the host reaches no registry")), "the host reaches no registry"),
        (lambda child, folder: child.exit(-9), "trouble of the host: submit it again later"),
    ],
)
def test_trouble_of_the_host_is_tried_again_five_times(
    host: Host, build: Callable[[FakeChild, Path], None], reason: str
) -> None:
    async def test() -> None:
        host.build = build
        async with going_on(host.process.submissions):
            version = await host.decided(host.submit())
        assert (version.state, version.reason) == ("refused", reason)
        assert len(host.children) == 5
        assert host.said == [f"version {version.id} met a trouble of the host, and is tried again"] * 4

    in_simulated_time(test)


def _hangs_in(step: str) -> Callable[[FakeChild, Path], None]:
    """A builder that goes on for ever in a step, and another that refuses."""

    def build(child: FakeChild, folder: Path) -> None:
        if child.words[4:]:
            write_result(folder, Result("refused", child.words[4], disk=7))
            child.exit(0)
        else:
            (folder / "report.jsonl").write_text(f'{{"step": "unpack"}}\n{{"step": "{step}"}}\n')

    return build


@pytest.mark.parametrize(
    ("build", "reason"),
    [
        (_hangs_in("unpack"), "the step unpack took more than 300 s in all"),
        (_hangs_in("build"), "the step build took more than 1200 s in all"),
        pytest.param(
            _hangs_in("check"), "the step check took more than 3900 s in all", marks=pytest.mark.campaign
        ),
        (lambda child, folder: child.exit(-signal.SIGABRT), "as it does for want of memory"),
        (lambda child, folder: child.exit(-signal.SIGSEGV), "failed at it (SIGSEGV)"),
    ],
)
def test_a_version_whose_builder_met_a_limit_is_refused_at_once(
    host: Host, build: Callable[[FakeChild, Path], None], reason: str
) -> None:
    async def test() -> None:
        host.build = build
        async with going_on(host.process.submissions):
            version = await host.decided(host.submit())
        assert (version.state, reason in version.reason) == ("refused", True), version.reason
        first, second = host.children
        assert second.words == (*first.words, version.reason)
        assert host.said == []

    in_simulated_time(test)


def test_a_child_has_no_more_memory_than_its_limit(tmp_path: Path) -> None:
    async def test() -> None:
        for memory, ends in ((0, 0), (1 << 28, 1)):
            child = Child(("tests.hosting.taking", str(1 << 29)), tmp_path / "log", memory=memory)
            with trio.fail_after(PATIENCE):
                assert await child.wait() == ends
        assert "MemoryError" in (tmp_path / "log").read_text()

    trio.run(test)


def test_a_build_of_a_closed_account_ends(host: Host) -> None:
    async def test() -> None:
        async with going_on(host.process.submissions):
            one, two = host.submit(), host.submit("swan")
            await host.until(lambda: len(host.children) == 1)
            host.database.revoke(1)
            for version in (one, two):
                decided = await host.decided(version)
                assert (decided.state, decided.reason) == ("refused", "the account of its author is closed")
        assert [child.is_ended for child in host.children] == [True]  # the second is not built at all

    in_simulated_time(test)


@pytest.mark.parametrize("stopped", [False, True])
def test_the_league_goes_on_when_an_arena_is_installed_unless_it_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stopped: bool
) -> None:
    packages, folder = tmp_path / "packages", tmp_path / "club"
    folder.mkdir()
    install(packages, "8.1")
    monkeypatch.syspath_prepend(packages)
    with Database(Place(folder).database, writer=True) as database:
        host = Host(folder, database)

        async def change() -> None:
            await host.until(lambda: bool(host.games))
            (packages / "bot_arena-8.1.dist-info" / "RECORD").unlink()
            await host.until(lambda: "installed anew" in "".join(host.said))
            assert not any(child.runs for child in host.children)
            if stopped:
                os.kill(os.getpid(), signal.SIGTERM)
            else:
                install(packages, "8.2")

        async def test() -> None:
            with socket.create_server(("127.0.0.1", 0)) as listener:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(change)
                    assert await host.process.run(listener, "the token") is not stopped

        in_simulated_time(test)
    assert ("the league goes on with arena 8.2" in host.said) is not stopped
