"""A seat that does not move, and an absent guest, do not delay the others."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from pathlib import Path

from arena.league.store import League
from arena.referee.night.control import night_of
from tests.arena_command import arena
from tests.bots_for_tests import UNHURRIED
from tests.patience import PATIENCE
from tests.referee.guests import faults, guest
from tests.referee.hosting import standings
from tests.referee.night_here import LONG, WAYS, Night
from tests.referee.nights import games_in, wait_for

OTHERS = 6 * 2 * 2  # the games of four bots, on one board, in two games
ALL = OTHERS + 4 * 2 * 2


def at_one_table(program: str) -> str:
    return program.replace("    name =", "    max_tables = 1\n    name =")


def games_of(league: Path, entrant: int) -> Counter[bool]:
    """How many games are over without an entrant, and with it."""
    if not games_in(league):
        return Counter()
    with League.read(league) as store:
        return Counter(entrant in [seat.entrant for seat in result.seats] for _, result in store.games(1))


def test_a_seat_that_never_moves_until_the_rest_is_over(tmp_path):
    names = ["one", "two", "three", "four", "slow"]
    text = f'games = ["hyrule", "kleftis"]\nboards = 1\n{LONG}'
    results = []
    for name, waits in (("slow", True), ("quick", False)):
        folder = tmp_path / name
        folder.mkdir()
        with Night(folder, names, text, max_tables={"slow": 1}) as night:
            if waits:
                night.play(without=["slow"])
                night.wait_for(OTHERS)
                assert games_of(night.league, 4) == Counter({False: OTHERS})
                shown = arena("watch", night.league, "--once", cwd=folder).stdout
                assert f"{OTHERS} of {ALL} games\n" in shown, "nobody knows how long it thinks"
                assert re.search(
                    r"is being played\n  table \d+: \w+, game 1\.\S+, slow thinks \(\d+ s\)\n", shown
                )
            night.play()
            night.end()
        summary = standings(night.league)
        assert summary["games_played"] == ALL
        assert all(faults(row) == {} for row in summary["standings"])
        assert "all is well" in arena("verify", night.league, cwd=folder).stdout
        results.append([(row["name"], row["score"], row["matches"]) for row in summary["standings"]])
    assert results[0] == results[1], "who waits for whom changes no result"


def test_games_of_a_guest_that_is_away_wait_for_it(tmp_path):
    names = ["one", "two", "three", "four"]
    text = f'games = ["hyrule", "kleftis"]\nboards = 1\n{LONG}'
    with Night(tmp_path, names, text, guests=["guest 0"]) as night:
        night.open_lobby()
        seat = night.address, night.tokens["guest 0"], at_one_table(UNHURRIED)
        night.play()
        with guest(tmp_path, *seat) as first:
            wait_for(lambda: games_of(night.league, 4)[True] >= 1)
            first.kill()
        night.wait(lambda: "guest 0 was lost" in night.told)
        wait_for(lambda: games_of(night.league, 4)[False] == OTHERS)
        with guest(tmp_path, *seat) as second:
            night.end()
            assert second.wait(PATIENCE) == 0
    summary = standings(night.league)
    rows = {row["name"]: row for row in summary["standings"]}
    assert rows["guest 0"]["faults"]["disconnect"] <= 1, "of the table at which it sat"
    assert rows["guest 0"]["forfeits"] == 0
    assert summary["games_played"] == ALL


def test_a_bot_that_thinks_at_too_many_tables_is_told_of_and_the_host_limits_its_tables(tmp_path):
    """The turtle answers nothing in its time."""
    names = ["turtle", "one", "two"]
    text = f'games = ["hyrule"]\nboards = 20\nmax_faults = 100\n{LONG}'
    with Night(tmp_path, names, text, ways={"turtle": WAYS["silent"]}, concurrency=4) as night:
        night.play()
        night.wait(lambda: "tables at once" in night.told)
        (line,) = [line for line in night.lines if "tables at once" in line]
        assert re.match(
            r"turtle: [2-4] tables at once, 0\.\d+ s each; `max_tables = 1` helps, or now: ", line
        )
        command = shlex.split(line.rpartition("or now: arena ")[2])
        assert "turtle plays at 1 table at once" in arena(*command, cwd=tmp_path).stdout
        wait_for(lambda: night_of(night.league).bots[0].tables == 1)
        assert "turtle plays at 1 table at once" in night.told
        refused = arena("host", "limit", night.league, "1", "nobody", cwd=tmp_path, code=2)
        assert "there is no entrant 'nobody'" in refused.stderr
        arena("host", "end", night.league, cwd=tmp_path)
        night.end()
    assert "all is well" in arena("verify", night.league, cwd=tmp_path).stdout
