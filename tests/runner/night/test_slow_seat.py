"""A seat that does not move, and an absent guest, do not delay the others."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from arena.store import League
from tests.arena_command import arena
from tests.bots_for_tests import UNHURRIED, entrant
from tests.patience import PATIENCE
from tests.runner.guests import faults, guest, referee
from tests.runner.hosting import standings
from tests.runner.night_here import LONG, Night
from tests.runner.nights import games_in, wait_for

HEAD = '[clock]\nbank = "900s"\nmove = "900s"\n' + "".join(map(entrant, ("one", "two", "three")))
OTHERS = 6 * 2 * 2 * 2  # the games of four bots, on two boards, in two games
ALL = OTHERS + 4 * 2 * 2 * 2


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
    text = f'games = ["hyrule", "kleftis"]\nboards = 2\n{LONG}'
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
            night.play()
            night.end()
        summary = standings(night.league)
        assert summary["games_played"] == ALL
        assert all(faults(row) == {} for row in summary["standings"])
        assert "all is well" in arena("verify", night.league, cwd=folder).stdout
        results.append([(row["name"], row["score"], row["matches"]) for row in summary["standings"]])
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
