"""A seat that does not move, and a guest that is away, hold up nobody else: with real processes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from arena.store import League
from tests.arena_command import arena
from tests.bots_for_tests import FIRST, UNHURRIED, entrant
from tests.patience import PATIENCE
from tests.runner.guests import faults, guest, referee
from tests.runner.nights import games_in, wait_for

HEAD = '[clock]\nbank = "900s"\nmove = "900s"\n' + "".join(map(entrant, ("one", "two", "three")))
OTHERS = 6 * 2 * 2 * 2  # the games of four bots, on two boards, in two games
ALL = OTHERS + 4 * 2 * 2 * 2


def thinking_until(gate: Path) -> str:
    """A bot that plays one table at a time, and makes no move before a file is there."""
    waiting = f'        while not os.path.exists("{gate}"):\n            time.sleep(0.05)\n        return'
    return "import os, time\n" + at_one_table(FIRST.replace("        return", waiting))


def at_one_table(program: str) -> str:
    return program.replace("    name =", "    max_tables = 1\n    name =")


def games_of(league: Path, entrant: int) -> Counter[bool]:
    """How many games are over without an entrant, and with it."""
    if not games_in(league):
        return Counter()
    with League.read(league) as store:
        return Counter(entrant in [seat.entrant for seat in result.seats] for _, result in store.games(1))


def places(summary: dict[str, Any]) -> list[tuple[str, object, object]]:
    return [(row["name"], row["score"], row["matches"]) for row in summary["standings"]]


def test_a_seat_that_never_moves_until_the_rest_is_over(tmp_path):
    results = []
    for name, waits in (("slow", True), ("quick", False)):
        folder, gate = tmp_path / name, tmp_path / f"gate of {name}"
        folder.mkdir()
        if not waits:
            gate.touch()
        with (
            referee(folder, 1, "--concurrency", "2", "--seed", "7", boards=2, head=HEAD) as host,
            guest(folder, host.address, host.tokens[0], thinking_until(gate)) as thinker,
        ):
            if waits:
                wait_for(lambda: games_of(host.league, 4)[False] == OTHERS)
                assert games_of(host.league, 4)[True] == 0
                shown = arena("watch", host.league, "--once", cwd=folder).stdout
                assert f"{OTHERS} of {ALL} games\n" in shown, "nobody knows how long it thinks"
                gate.touch()
            summary = host.end()
            assert thinker.wait(PATIENCE) == 0
        assert summary["games_played"] == ALL
        assert all(faults(row) == {} for row in summary["standings"])
        assert "all is well" in arena("verify", host.league, cwd=folder).stdout
        results.append(places(summary))
    assert results[0] == results[1], "who waits for whom changes no result"


def test_games_of_a_guest_that_is_away_wait_for_it(tmp_path):
    with referee(tmp_path, 1, "--concurrency", "2", boards=2, head=HEAD) as host:
        with guest(tmp_path, host.address, host.tokens[0], at_one_table(UNHURRIED)) as first:
            wait_for(lambda: games_of(host.league, 4)[True] >= 1)
            first.kill()
        host.wait_to_say("guest 0 was lost")
        wait_for(lambda: games_of(host.league, 4)[False] == OTHERS)
        with guest(tmp_path, host.address, host.tokens[0], at_one_table(UNHURRIED)) as second:
            summary = host.end()
            assert second.wait(PATIENCE) == 0
    rows = {row["name"]: row for row in summary["standings"]}
    assert rows["guest 0"]["faults"]["disconnect"] <= 1, "of the table at which it sat"
    assert rows["guest 0"]["forfeits"] == 0
    assert summary["games_played"] == ALL
