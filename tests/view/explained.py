"""Made-up findings about a stored game, kept beside its league, and what the page tells of a game."""

from __future__ import annotations

import json
import os
import re
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from arena.checkup.analysed import RULES, settings_of
from arena.checkup.analysis.decision import Decision, Tried, Verdict
from arena.checkup.analysis.game import Source
from arena.checkup.analysis.turns import turns_of
from arena.checkup.analysis_jobs import AnalysisPool
from arena.league.store import League
from arena.league.store.analyses import Analyses, analyses_path
from arena.link.wire.messages import decode_record
from arena.processes.pool import Pool
from arena.processes.worker import receive, send
from arena.results import read_game_key
from tests.view.served import Served

COST, ERROR = 0.125, 0.03
VERDICTS: tuple[Verdict, ...] = ("mistake", "best", "cannot tell")


def number_of(path: Path, key: str) -> int:
    """The running number of a game of the first tournament."""
    found = read_game_key(key)
    assert found is not None
    with League.read(path) as league:
        return league.game_number(1, found)


def keep_findings(path: Path, key: str) -> list[list[Decision]]:
    """Keeps findings about a game; returns the decisions of each seat.

    Every third decision is a mistake, the later the more expensive; of every third it cannot tell.
    """
    with League.read(path) as league:
        stored = league.game(number_of(path, key))
    record = decode_record(stored.record)
    found = []
    with Analyses(analyses_path(path), RULES) as kept:
        for seat in range(record.seats):
            decisions = [_made_up(turn) for turn in turns_of(record, seat)]
            kept.keep(stored.record, settings_of(seat), [each.as_data() for each in decisions])
            found.append(decisions)
        sources = [Source(0.5, 0.1, -0.2, 0.05, 0.05, 0.0, 0.1)._asdict()] * record.seats
        kept.keep(stored.record, settings_of(None), sources)
    return found


def _made_up(turn) -> Decision:
    other = (turn.chosen + 1) % len(turn.actions)
    verdict = VERDICTS[turn.number % 3]
    return Decision(
        ply=turn.ply, turn=turn.number, seat=turn.seat, phase="middle", by="greedy", fault=turn.fault,
        tried=tuple(Tried(str(action), str(action), "play", 0.4, 0.05, 9) for action in turn.actions),
        chosen=turn.chosen, best=other if verdict == "mistake" else turn.chosen,
        cost=COST + turn.ply / 1000 if verdict == "mistake" else 0.0, error=ERROR, verdict=verdict,
        difference="",
    )  # fmt: skip


def told(page: Served, key: str, cookie: str = "") -> Any:
    """What the page tells of a game."""
    return json.loads(page.get(f"/explained/{key}", Cookie=cookie))


def analysing(page: int) -> list[int]:
    """The processes that analyse games for the page of a process."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        try:
            command = (each / "cmdline").read_bytes()
            parent = int((each / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:  # it has ended
            continue
        if parent == page and b"analysis_jobs" in command:
            found.append(int(each.name))
    return found


class HalfDone:
    """Makes pools whose workers do half of a job, and then nothing until they are asked no more."""

    def __init__(self, folder: Path) -> None:
        self._begun = folder / "begun"

    def __call__(self) -> AnalysisPool:
        return Pool("analyses", _do_half, self._begun)

    @property
    def processes(self) -> list[int]:
        """The workers that began, in order."""
        return [int(line) for line in self._begun.read_text().split()]


def _do_half(asker: Connection, begun: Path) -> None:
    with begun.open("a") as file:
        file.write(f"{os.getpid()}\n")
    receive(asker)
    send(asker, ("share", 0.5))
    receive(asker)


def alive(pid: int) -> bool:
    """Whether there is such a process."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def plain(text: str) -> str:
    """A text with single blanks and without the marks that isolate names."""
    return re.sub(r"[\s\u2066-\u2069]+", " ", text).strip()
