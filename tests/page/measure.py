"""How fast the page is, and what its viewers cost the referee: to be looked at, no test.

python -m tests.page.measure standings [GAMES]    # how long a look at so many games takes
python -m tests.page.measure replay               # the longest game that random choices make
python -m tests.page.measure streams LEAGUE.toml [VIEWERS]    # a run with so many, and without
"""

from __future__ import annotations

import http.client
import json
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from arena.games import GAMES as GAMES_BY_ID
from arena.games.nyuri_values import worth
from arena.page.look import look_at
from arena.page.nights import Nights
from arena.page.pictures.replay import game_pictures
from arena.store import League
from arena.table.clock import TimeControl
from arena.table.record import Record
from arena.table.table import Table, TableRules
from tests.arena_command import ARENA
from tests.report.leagues import GAMES, random_summary


def timed(what: str, call: Callable[[], object]) -> None:
    begun, spent = time.perf_counter(), time.process_time()
    call()
    print(f"{what}: {time.perf_counter() - begun:.2f} s, {time.process_time() - spent:.2f} s of CPU")  # noqa: T201


def standings(games: int) -> None:
    """A look at a league of so many games."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.league"
        text = f'name = "large"\n{GAMES}boards = 10\n[[stage]]\nformat = "round-robin"\ncycles = 20\n'
        names = [f"bot {number}" for number in range(12)]
        timed(f"making {games} games", lambda: random_summary(path, text, names, most=games, finish=False))
        with League.read(path) as league:
            for _ in range(3):
                timed("a look at it", lambda: look_at(league, 1, intervals=False))
            timed("with intervals", lambda: look_at(league, 1, intervals=True))
        nights = Nights(path)
        timed("the first look of the page", lambda: nights.look(1))
        timed("another", lambda: nights.look(1))
        nights.close()


def longest_game() -> Record:
    """A game of two-seat Nyuri that goes on long: piles are stolen, and cards hardly ever drawn."""
    game = GAMES_BY_ID["nyuri"]
    rules = TableRules(game, game.parse_options({}), 2, TimeControl(10**12, 0, 10**12), 3)
    table = Table(rules, bytes(32))
    while not table.over:
        for ask in table.asks():
            seen: Any = ask.observation
            actions: list[Any] = list(ask.actions)
            if seen.phase == "place":
                choice = min(actions, key=lambda each: _worth(each))
            else:
                choice = actions[1 if seen.stalled < rules.options.stall - 2 else 0]
            table.answer(ask.seat, ask.turn, actions.index(choice), 0)
    return table.record()


def _worth(action: Any) -> int:
    """What a pile that is put down is worth; a pile that is left is worth more than any."""
    return 99 if action.kind == "leave" else worth([card for card in action[:2] if card is not None])


def replay() -> None:
    """The longest game."""
    longest = longest_game()
    timed(f"pictures of {len(longest.actions)} actions", lambda: game_pictures(longest, ["a", "b"]))
    size = len(json.dumps(game_pictures(longest, ["a", "b"]), separators=(",", ":")))
    print(f"{size / 1e6:.1f} MB")  # noqa: T201


def streams(file: Path, viewers: int) -> None:
    """A tournament without viewers, and with so many event streams."""
    for count in (0, viewers):
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.Popen(
                [*ARENA, "run", str(file), "--league", f"{folder}/n.league", "--seed", "s",
                 "--serve", "127.0.0.1:0"],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            )  # fmt: skip
            assert run.stderr is not None
            found = None
            while found is None:
                found = re.search(r"http://\S+/", run.stderr.readline())
            heard: list[int] = []
            for _ in range(count):
                threading.Thread(target=_listen, args=(found[0], heard), daemon=True).start()
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


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["standings", *games]:
            standings(int(games[0]) if games else 100_000)
        case ["replay"]:
            replay()
        case ["streams", file, *viewers]:
            streams(Path(file), int(viewers[0]) if viewers else 100)
        case _:
            print(__doc__)  # noqa: T201
