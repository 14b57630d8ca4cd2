"""Whole tournaments through the command: real bot processes, real sockets, real kills."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from arena.cards import DECK
from arena.league.store import League
from arena.link.wire.messages import decode_record
from tests.arena_command import ARENA, arena
from tests.bots_for_tests import FIRST, Hurried, Unhurried, faulty_bot, good_bot
from tests.patience import PATIENCE
from tests.referee.hosting import standings
from tests.referee.night_here import LONG, WAYS, Night
from tests.referee.nights import games_in, processes_in, wait_for, write_tournament

ROBIN_AND_KNOCKOUT = '[[stage]]\nformat = "round-robin"\n[[stage]]\nformat = "knockout"\nextra_boards = 1\n'

HALF_MEETS_HALF = '[[stage]]\nformat = "swiss"\nrounds = 1\n'
"""A round in which each of the first half of the entrants meets one of the others."""


@pytest.mark.parametrize(("entrants", "seats"), [(2, 2), (3, 3), (5, 2), (8, 4), (7, 3)])
def test_tournaments_of_any_size_end_with_complete_standings(tmp_path, entrants, seats):
    games = 'games = ["hyrule", "kleftis"]' if entrants <= 3 else 'games = ["hyrule"]'
    text = f"{games}\nseats = {seats}\n{ROBIN_AND_KNOCKOUT}"
    with Night(tmp_path, [f"bot {number}" for number in range(entrants)], text) as night:
        night.play()
        night.end()
    check_standings(standings(night.league), entrants, seats)


def check_standings(summary: dict[str, Any], entrants: int, seats: int) -> None:
    """They are those of a whole round robin and knockout."""
    assert summary["finished"]
    robin, knockout = summary["stages"]
    assert robin["matches_played"] == robin["matches"]
    assert knockout["matches_played"] == knockout["matches"]
    assert len(robin["standings"]) == len(summary["final"]) == entrants
    assert sorted(line["place"] for line in summary["final"])[0] == 1
    total = sum(row["score"]["value"] * row["matches"] for row in robin["standings"])
    assert total == pytest.approx(robin["matches"] * seats / 2)
    assert knockout["bracket"]["winner"] == summary["final"][0]["name"]


def test_a_whole_night_with_bots_that_are_started_and_bots_that_are_dialled(tmp_path):
    bots = [good_bot(tmp_path, "bot 0"), *(f"served {number}" for number in range(2))]
    head = 'games = ["hyrule", "kleftis"]\nseats = 3\n'
    path = write_tournament(tmp_path, bots, head, ROBIN_AND_KNOCKOUT)
    check_standings(json.loads(arena("run", path, "--json", "--seed", "x", cwd=tmp_path).stdout), 3, 3)
    assert processes_in(tmp_path) == []


def test_the_same_key_gives_the_same_results_whatever_runs_at_once(tmp_path):
    texts, records = [], []
    text = f'games = ["hyrule", "kleftis"]\n{ROBIN_AND_KNOCKOUT}'
    for tables, workers in ((1, 0), (64, 0), (64, 2)):
        folder = tmp_path / f"{tables}-{workers}"
        folder.mkdir()
        names = [f"bot {number}" for number in range(3)]
        with Night(folder, names, text, concurrency=tables, workers=workers) as night:
            night.play()
            night.end()
        summary = standings(night.league)
        for rows in (summary["standings"], *(stage["standings"] for stage in summary["stages"])):
            for row in rows:
                row["time_us"] = 0
        texts.append(json.dumps(summary))
        with League.read(night.league) as store:
            records.append({result.key: store.game(number).record for number, result in store.games(1)})
    assert texts == texts[:1] * 3
    assert records == records[:1] * 3
    assert len(records[0]) >= (3 + 2) * 2 * 2  # and extra boards, since the bots are all alike


def test_the_same_seed_gives_the_same_results(tmp_path):
    path = write_tournament(tmp_path, ["one", "two"], 'games = ["hyrule", "kleftis"]')
    records = []
    for number in range(2):
        league = tmp_path / f"{number}.league"
        arena("run", path, "--seed", "s", "--league", league, cwd=tmp_path)
        with League.read(league) as store:
            records.append({result.key: store.game(game).record for game, result in store.games(1)})
    assert records[0] == records[1]


def check_faults(league: Path, faulty: Mapping[str, str]) -> None:
    """Each of these bots has faults of such a reason, the others have none, and the records say the same."""
    summary = standings(league)
    assert summary["finished"]
    rows = {row["name"]: row for row in summary["standings"]}
    charged: defaultdict[str, Counter[str]] = defaultdict(Counter)
    forfeits: Counter[str] = Counter()
    with League.read(league) as store:
        names = [each.name for each in store.tournament(1).entrants]
        for number, result in store.games(1):
            record = decode_record(store.game(number).record)
            for seat, _, fault in record.faults:
                charged[names[result.seats[seat].entrant]][fault.reason] += 1
            for seat in record.forfeits:
                forfeits[names[result.seats[seat].entrant]] += 1
                honest = [each.place for each in result.seats if names[each.entrant] not in faulty]
                assert all(place < result.seats[seat].place for place in honest)
    for name, row in rows.items():
        assert +charged[name] == +Counter(row["faults"])
        assert forfeits[name] == row["forfeits"]
        if name in faulty:
            assert row["faults"][faulty[name]] > 0
        else:
            assert (sum(row["faults"].values()), row["forfeits"]) == (0, 0)


@pytest.mark.parametrize(
    ("way", "reason"),
    [
        ("silent", "timeout"),
        ("out-of-range", "illegal_action"),
        ("twice", "unknown_turn"),
        ("unknown-table", "unknown_turn"),
    ],
)
def test_a_bot_that_answers_wrongly_is_charged_and_hurts_nobody_else(tmp_path, way, reason):
    names = [way, "good 1", "good 2"]
    with Night(tmp_path, names, 'games = ["forty-one"]', ways={way: WAYS[way]}) as night:
        night.play()
        night.end()
    check_faults(night.league, {way: reason})


def test_bots_whose_processes_and_streams_go_wrong_are_charged_and_hurt_nobody_else(tmp_path):
    faulty = {
        "crashes": "crash",
        "raises": "crash",
        "ends-stream": "disconnect",
        "hangs": "timeout",
        "babbles": "protocol",
        "oversized": "protocol",
    }
    bots: list[object] = [faulty_bot(tmp_path, way) for way in faulty]
    bots[[*faulty].index("hangs")] = Hurried(tmp_path / "hangs", move="300ms")  # no other is short of time
    good = [f"good {number}" for number in range(len(bots))]
    head = f'games = ["forty-one"]\nmax_faults = 2\n{LONG}'
    path = write_tournament(tmp_path, [*bots, *good], head, HALF_MEETS_HALF)
    arena("run", path, "--seed", "x", cwd=tmp_path)
    check_faults(tmp_path / "tournament.league", faulty)
    assert processes_in(tmp_path) == []


def test_bots_that_cannot_play_are_a_clear_sentence_each(tmp_path):
    sentences = {"exits": "no licence key", "wrong-version": "version 99", "wild-name": "wrong name"}
    bots = [faulty_bot(tmp_path, way) for way in sentences]
    good = [f"good {number}" for number in range(5)]
    head = 'games = ["hyrule", "forty-one"]'
    path = write_tournament(tmp_path, [*bots, *good], head, HALF_MEETS_HALF)
    done = arena("run", path, "--json", cwd=tmp_path, code=1)
    rows = {row["name"]: row for row in json.loads(done.stdout)["standings"]}
    for way, sentence in sentences.items():
        assert sentence in done.stderr
        # It forfeits each game before its first turn.
        assert rows[way]["decisions"] == 0
        assert rows[way]["forfeits"] > 0
        assert sum(rows[way]["faults"].values()) == 3 * rows[way]["forfeits"]
    assert processes_in(tmp_path) == []


def test_a_bot_that_does_not_play_a_game_of_the_tournament_is_a_clear_sentence(tmp_path):
    bots = [faulty_bot(tmp_path, "one-game"), "good 1", "good 2"]
    path = write_tournament(tmp_path, bots, 'games = ["hyrule", "forty-one"]')
    assert "one-game does not play hyrule, forty-one" in arena("run", path, cwd=tmp_path, code=2).stderr
    assert processes_in(tmp_path) == []


def test_a_running_bot_is_dialled_and_left_running(tmp_path):
    (tmp_path / "first.py").write_text(FIRST)
    address = f"unix:{tmp_path}/bot.sock"
    bot = subprocess.Popen(
        [sys.executable, tmp_path / "first.py", "--listen", address], stderr=subprocess.DEVNULL
    )
    try:
        path = write_tournament(tmp_path, ["local"], 'games = ["kleftis"]')
        path.write_text(path.read_text() + f'[[entrant]]\nname = "visitor"\naddress = "{address}"\n')
        for _ in range(2):
            summary = json.loads(arena("run", path, "--json", cwd=tmp_path).stdout)
            assert summary["games_played"] == 2
            assert all(sum(row["faults"].values()) == 0 for row in summary["standings"])
        assert bot.poll() is None
    finally:
        bot.terminate()
        assert bot.wait(PATIENCE) == 0


def test_a_bot_that_nobody_serves_loses_its_games(tmp_path):
    bots = ["local", "another"]
    path = write_tournament(tmp_path, bots, 'games = ["kleftis"]')
    path.write_text(path.read_text() + '[[entrant]]\nname = "visitor"\naddress = "127.0.0.1:9"\n')
    done = arena("run", path, "--json", cwd=tmp_path, code=1)
    assert "visitor did not come up" in done.stderr or "visitor does not describe itself" in done.stderr
    rows = {row["name"]: row for row in json.loads(done.stdout)["standings"]}
    assert rows["visitor"]["forfeits"] == 4
    assert rows["visitor"]["score"]["exact"] == "0"


CAMPAIGN = pytest.mark.campaign


@pytest.mark.parametrize(
    ("number", "workers"),
    [
        (signal.SIGINT, 0), (signal.SIGKILL, 1),
        *(pytest.param(number, 2, marks=CAMPAIGN) for number in (signal.SIGINT, signal.SIGTERM)),
        *(pytest.param(number, 0, marks=CAMPAIGN) for number in (signal.SIGTERM, signal.SIGKILL)),
    ],
)  # fmt: skip
def test_nothing_is_left_running_after_the_referee_is_stopped(tmp_path, number, workers):
    bots = [good_bot(tmp_path, "good 1"), faulty_bot(tmp_path, "leaves-a-daemon")]
    head = 'boards = 100\nsandbox = "none"\n[clock]\nbank = "1h"\nmove = "1h"'  # contained, it could not
    path = write_tournament(tmp_path, bots, head)
    referee = subprocess.Popen(
        [*ARENA, "run", path, "--workers", str(workers)],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    daemon = tmp_path / "leaves-a-daemon" / "daemon.pid"
    league = tmp_path / "tournament.league"
    wait_for(lambda: daemon.exists() and daemon.read_text() and games_in(league) > 0)
    playing = workers_of(referee.pid)
    assert len(playing) == workers
    referee.send_signal(number)
    _, errors = referee.communicate(timeout=PATIENCE)
    if number != signal.SIGKILL:
        assert referee.returncode == 130
        assert "arena resume" in errors
    assert "Traceback" not in errors
    left = [int(daemon.read_text()), *playing]
    wait_for(lambda: not processes_in(tmp_path) and not any(Path(f"/proc/{pid}").exists() for pid in left))


def test_a_killed_worker_ends_the_run_with_one_sentence_and_nothing_is_lost(tmp_path):
    bots = [Unhurried(f"bot {number}") for number in range(2)]
    path = write_tournament(tmp_path, bots, 'games = ["hyrule"]\nboards = 12\nconcurrency = 4')
    league = tmp_path / "tournament.league"

    def kill_one() -> None:
        wait_for(lambda: games_in(league) > 0)
        os.kill(workers_of(os.getpid())[0], signal.SIGKILL)

    killer = threading.Thread(target=kill_one)
    killer.start()
    errors = arena("run", path, "--seed", "s", "--workers", 2, cwd=tmp_path, code=2).stderr
    killer.join()
    assert errors.rstrip().endswith(f"then go on with: arena resume {league}")
    assert workers_of(os.getpid()) == []
    arena("resume", league, "--workers", 0, cwd=tmp_path)
    arena("verify", league, cwd=tmp_path)
    assert games_in(league) == 24


@pytest.mark.parametrize(("boards", "workers"), [(7, 0), (8, 1)])
def test_by_default_there_is_a_worker_for_as_many_games_as_make_it_worth_it(tmp_path, boards, workers):
    text = f'games = ["hyrule"]\nboards = {boards}'
    with Night(tmp_path, ["bot 0", "bot 1"], text, concurrency=16, workers=None) as night:
        night.play(1)
        assert len(workers_of(os.getpid())) == workers
        night.play()
        night.end()
    assert len(night.results) == 2 * boards


def workers_of(referee: int) -> list[int]:
    """The process ids of the workers of a running referee."""
    workers = []
    for thread in Path(f"/proc/{referee}/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it may have ended
            children = map(int, (thread / "children").read_text().split())
            workers += [pid for pid in children if is_worker(pid)]
    return workers


def is_worker(pid: int) -> bool:
    """Whether it is a worker that has not just ended."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return b"rooms.worker" in Path(f"/proc/{pid}/cmdline").read_bytes()
    return False


def test_a_game_can_be_read_from_every_view(tmp_path):
    bots = ["one", "two"]
    path = write_tournament(tmp_path, bots)
    arena("run", path, "--seed", "x", cwd=tmp_path)
    listed = arena("replay", "tournament.league", cwd=tmp_path).stdout
    assert len(listed.splitlines()) == 10
    as_json = json.loads(arena("replay", "tournament.league", "--json", cwd=tmp_path).stdout)
    assert [item["game"] for item in as_json] == [line.split()[1] for line in listed.splitlines()]
    everything = arena("replay", "tournament.league", "1.1.1/forty-one/1.1", cwd=tmp_path).stdout
    own = arena("replay", "tournament.league", "1.1.1/forty-one/1.1", "--seat", "1", cwd=tmp_path).stdout
    dealt = next(line for line in everything.splitlines() if "seat 0" in line and "dealt" in line)
    hidden = [str(card) for card in DECK if f" {card}" in dealt]
    assert len(hidden) == 4
    assert dealt not in own
    assert "place 1:" in own
    assert "place 1:" in everything


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["run", "nowhere.toml"], "nowhere.toml"),
        (["standings", "nowhere.league"], "nowhere.league"),
        (["replay", "nowhere.league"], "nowhere.league"),
        (["games", "chess"], "nyuri, forty-one"),
        (["run"], "FILE"),
    ],
)
def test_wrong_use_is_one_sentence_and_exit_code_2(tmp_path, arguments, text):
    assert text in arena(*arguments, cwd=tmp_path, code=2).stderr
