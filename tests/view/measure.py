"""Measurements for people: the speed of the page, and the cost of its viewers for the referee.

python -m tests.view.measure standings [GAMES]    # how long a look at so many games takes
python -m tests.view.measure replay               # the longest game that random choices make
python -m tests.view.measure streams LEAGUE.toml [VIEWERS]    # a run with so many, and without
python -m tests.view.measure crowd LEAGUE.toml [VISITORS] [SECONDS]    # a run whose page so many load at once
"""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import trio

from arena.games import GAMES as GAMES_BY_ID
from arena.games.nyuri_values import worth
from arena.league.store import League
from arena.table.clock import TimeControl
from arena.table.record import Record
from arena.table.table import Table, TableRules
from arena.view.league.reader import LeagueReader
from arena.view.league.snapshot import Followed, snapshot_at
from arena.view.pictures.replay import game_pictures
from tests.arena_command import ARENA
from tests.report.leagues import GAMES, random_summary


def timed(what: str, call: Callable[[], object]) -> None:
    begun, spent = time.perf_counter(), time.process_time()
    call()
    print(f"{what}: {time.perf_counter() - begun:.2f} s, {time.process_time() - spent:.2f} s of CPU")  # noqa: T201


def standings(games: int) -> None:
    """The time to read the standings of a league of so many games."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.league"
        text = f'name = "large"\n{GAMES}boards = 10\n[[stage]]\nformat = "round-robin"\ncycles = 20\n'
        names = [f"bot {number}" for number in range(12)]
        timed(f"making {games} games", lambda: random_summary(path, text, names, most=games, finish=False))
        with League.read(path) as league:
            for _ in range(3):
                timed("a look at it", lambda: snapshot_at(league, Followed(1), intervals=False))
            timed("with intervals", lambda: snapshot_at(league, Followed(1), intervals=True))
        reader = LeagueReader(path)
        timed("the first look of the page", lambda: reader.snapshot(1))
        timed("another", lambda: reader.snapshot(1))
        reader.close()


def longest_game() -> Record:
    """A long game of two-seat Nyuri: the players steal piles, and hardly ever draw cards."""
    game = GAMES_BY_ID["nyuri"]
    rules = TableRules(game, game.parse_options({}), 2, TimeControl(10**12, 0, 10**12), 3)
    table = Table(rules, bytes(32))
    while not table.over:
        for ask in table.asks():
            seen: Any = ask.view.observation
            actions: list[Any] = list(ask.view.actions)
            if seen.phase == "place":
                choice = min(actions, key=lambda each: _worth(each))
            else:
                choice = actions[1 if seen.stalled < rules.options.stall - 2 else 0]
            table.answer(ask.seat, ask.turn, actions.index(choice), 0)
    return table.record()


def _worth(action: Any) -> int:
    """The worth of a pile that is put down; a pile that is left is worth more than any."""
    return 99 if action.kind == "leave" else worth([card for card in action[:2] if card is not None])


def replay() -> None:
    """The longest game."""
    longest = longest_game()
    timed(f"pictures of {len(longest.actions)} actions", lambda: game_pictures(longest, ["a", "b"]))
    size = len(json.dumps(game_pictures(longest, ["a", "b"]), separators=(",", ":")))
    print(f"{size / 1e6:.1f} MB")  # noqa: T201


@contextmanager
def _run(file: Path) -> Iterator[tuple[subprocess.Popen[str], str, Path]]:
    """A tournament with its page: the process, the page's address, the league file."""
    with tempfile.TemporaryDirectory() as folder:
        league = Path(folder) / "n.league"
        run = subprocess.Popen(
            [*ARENA, "run", str(file), "--league", str(league), "--seed", "s", "--serve", "127.0.0.1:0"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert run.stderr is not None
        found = None
        while found is None:
            found = re.search(r"http://\S+/", run.stderr.readline())
        yield run, found[0], league


def streams(file: Path, viewers: int) -> None:
    """A tournament without viewers, and with so many event streams."""
    for count in (0, viewers):
        with _run(file) as (run, url, _):
            heard: list[int] = []
            for _ in range(count):
                threading.Thread(target=_listen, args=(url, heard), daemon=True).start()
            begun = time.perf_counter()
            told, log = run.communicate()
            spent = time.perf_counter() - begun
            line = told[told.index("faults" if "faults" in told else "Times") :] if told else log
            print(f"{count} viewers: {spent:.1f} s, {len(heard)} events\n{line}")  # noqa: T201


def _listen(url: str, heard: list[int]) -> None:
    try:
        with urllib.request.urlopen(f"{url}events") as stream:
            for line in stream:
                if line.startswith(b"id:"):
                    heard.append(int(line[3:]))
                    with urllib.request.urlopen(f"{url}standings") as answer:
                        answer.read()
    except (OSError, http.client.HTTPException):
        return  # the page is over


_SEEN = (
    "/", "/standings", "/standings/kleftis", "/crosstable", "/bracket", "/schedule", "/games", "/games?bot=1",
    "/bots", "/bots/1", "/decisions", "/season", "/screen", "/tables",
)  # fmt: skip
_LONGEST_WAIT = 30.0


def crowd(file: Path, visitors: int, seconds: float) -> None:
    """A tournament without visitors, and then with visitors that load one page after another.

    They do not wait between two pages. Each page is loaded with its style and scripts, over a new connection,
    or over one that is kept. Use a long tournament of fast bots.
    """
    with _run(file) as (run, url, league):
        host, port = url.removeprefix("http://").rstrip("/").rsplit(":", 1)
        _wait_for_games(league, 100)
        for name, count, kept in (
            ("nobody", 0, False),
            ("new connections", visitors, False),
            ("kept connections", visitors, True),
            ("nobody", 0, False),
        ):
            first, begun = _games(league), time.monotonic()
            took, failed = trio.run(_crowd, host, int(port), count, kept, seconds)
            spent = time.monotonic() - begun
            last = _games(league)
            figures = [f"{name}: {(last - first) / spent:.0f} games/s, {_decisions(league, first)}"]
            if count:
                p50, p95 = _quantiles(took, 50, 95)
                figures.append(
                    f"{len(took)} pages ({len(took) / spent:.0f}/s), median {p50:.2f} s, "
                    f"95 of 100 in {p95:.2f} s, {failed} failed"
                )
            print("; ".join(figures), flush=True)  # noqa: T201
        os.kill(run.pid, signal.SIGINT)
        run.communicate()


def _quantiles(values: list[float], *percents: int) -> list[float]:
    if len(values) < 2:
        return [float("nan")] * len(percents)
    cuts = statistics.quantiles(values, n=100)
    return [cuts[each - 1] for each in percents]


def _asked(league: Path, question: str, *values: int) -> list[Any]:
    database = apsw.Connection(str(league), flags=apsw.SQLITE_OPEN_READONLY)
    database.set_busy_timeout(10_000)
    try:
        return list(database.execute(question, values))
    finally:
        database.close()


def _games(league: Path) -> int:
    found: int = _asked(league, "SELECT coalesce(max(number), 0) FROM game")[0][0]
    return found


def _wait_for_games(league: Path, count: int) -> None:
    while not league.exists() or _games(league) < count:
        time.sleep(0.1)


def _decisions(league: Path, after: int) -> str:
    """The mean time of decisions for each seat, in the games after a given one."""
    rows = _asked(league, "SELECT time, decisions FROM seat WHERE game > ? AND decisions > 0", after)
    p50, p99 = _quantiles([time / decisions / 1000 for time, decisions in rows], 50, 99)
    return f"a decision takes {p50:.1f} ms in the median seat, {p99:.1f} ms in 1 of 100"


async def _crowd(host: str, port: int, visitors: int, kept: bool, seconds: float) -> tuple[list[float], int]:
    """The seconds that each page took, and the number of failures."""
    took: list[float] = []
    failed = 0

    async def visit(number: int) -> None:
        nonlocal failed
        choice = random.Random(number)
        end = trio.current_time() + seconds
        browser = _Browser(host, port, kept)
        while trio.current_time() < end:
            begun = trio.current_time()
            try:
                with trio.fail_after(_LONGEST_WAIT):
                    await browser.load(choice.choice(_SEEN))
                took.append(trio.current_time() - begun)
            except (OSError, ValueError, trio.TooSlowError, trio.BrokenResourceError):
                failed += 1
                await browser.close()
        await browser.close()

    async with trio.open_nursery() as nursery:
        for number in range(visitors):
            nursery.start_soon(visit, number)
        if not visitors:
            await trio.sleep(seconds)
    return took, failed


class _Browser:
    """A browser that uses little of the machine."""

    def __init__(self, host: str, port: int, kept: bool) -> None:
        self._address = host, port
        self._kept = kept
        self._stream: trio.SocketStream | None = None

    async def load(self, view: str) -> None:
        """Loads a page with its files. Raises OSError; ValueError if the answer is no page."""
        head = (await self._get(view))[0]
        for file in () if b" 200 " not in head[:16] else ("page.css", "live.js"):
            await self._get(f"/assets/{file}")
        if b" 200 " not in head[:16]:
            raise ValueError(head)

    async def _get(self, path: str) -> tuple[bytes, bytes]:
        if self._stream is None:
            self._stream = await trio.open_tcp_stream(*self._address)
        close = b"" if self._kept else b"Connection: close\r\n"
        await self._stream.send_all(
            b"GET %b HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept-Encoding: gzip\r\n%b\r\n" % (path.encode(), close)
        )
        got = b""
        while b"\r\n\r\n" not in got:
            got += await self._some()
        head, _, body = got.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: *(\d+)", head)
        while len(body) < int(length[1]) if length else not body.endswith(b"0\r\n\r\n"):
            body += await self._some()
        if not self._kept:
            await self.close()
        return head, body

    async def _some(self) -> bytes:
        assert self._stream is not None
        some = await self._stream.receive_some()
        if not some:
            raise ConnectionResetError
        return bytes(some)

    async def close(self) -> None:
        """Closes its connection."""
        if self._stream is not None:
            with trio.CancelScope(shield=True):
                await self._stream.aclose()
            self._stream = None


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["standings", *games]:
            standings(int(games[0]) if games else 100_000)
        case ["replay"]:
            replay()
        case ["streams", file, *viewers]:
            streams(Path(file), int(viewers[0]) if viewers else 100)
        case ["crowd", file, *numbers]:
            visitors, seconds, *_ = [*map(int, numbers), *(100, 20)[len(numbers) :]]
            crowd(Path(file), visitors, seconds)
        case _:
            print(__doc__)  # noqa: T201
