"""The host's decisions during the night: from another terminal, and between two runs."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

from arena.store import League
from tests.arena_command import ARENA, arena
from tests.bots_for_tests import Unhurried, faulty_bot
from tests.patience import PATIENCE
from tests.runner.hosting import HEAD, standings
from tests.runner.nights import games_in, wait_for, write_tournament


def settled_count(league: Path) -> int:
    """How many games there are when no more come."""
    counts = [games_in(league)]

    def is_settled() -> bool:
        counts.append(games_in(league))
        return len(counts) > 25 and len(set(counts[-25:])) == 1

    wait_for(is_settled)
    return counts[-1]


def test_a_night_is_paused_goes_on_and_is_ended(night):
    referee, league = night
    done = arena("pause", league, "--reason", "pizza", cwd=league.parent)
    assert "test is paused" in done.stdout
    count = settled_count(league)
    assert "test is paused already" in arena("pause", league, cwd=league.parent, code=2).stderr
    assert f"{count} of 4800 games, paused" in arena("watch", league, "--once", cwd=league.parent).stdout
    arena("go", league, cwd=league.parent)
    wait_for(lambda: games_in(league) > count)
    assert "is ended" in arena("end", league, "--reason", "the hall closes", cwd=league.parent).stdout
    assert referee.wait(PATIENCE) == 0
    told = (league.parent / "errors").read_text()
    for line in ("paused (pizza): ", "it goes on", "ended (the hall closes): "):
        assert line in told
    summary = standings(league)
    assert (summary["finished"], summary["ended_early"]) == (True, "the hall closes")
    assert "all is well" in arena("verify", league, cwd=league.parent).stdout
    (line,) = json.loads(arena("list", league, "--json", cwd=league.parent).stdout)
    assert line["state"] == "ended early"
    assert not league.with_name("tournament.league-control").exists()
    again = arena("end", league, cwd=league.parent, code=2)
    assert "no unfinished tournament" in again.stderr


def test_a_bot_is_withdrawn_by_the_host(night):
    referee, league = night
    assert "did you mean bot 2?" in arena("withdraw", league, "bto 2", cwd=league.parent, code=2).stderr
    assert "bot 2 is withdrawn" in arena("withdraw", league, "BOT 2", cwd=league.parent).stdout
    assert "was withdrawn before" in arena("withdraw", league, "bot 2", cwd=league.parent, code=2).stderr
    arena("withdraw", league, "bot 0", "--reason", "it is late", cwd=league.parent)
    assert "end it instead" in arena("withdraw", league, "bot 1", cwd=league.parent, code=2).stderr
    before = games_in(league)
    wait_for(lambda: games_in(league) > before)
    arena("end", league, cwd=league.parent)
    assert referee.wait(PATIENCE) == 0
    assert [item["name"] for item in standings(league)["withdrawn"]] == ["bot 2", "bot 0"]
    assert "all is well" in arena("verify", league, cwd=league.parent).stdout
    text = arena("standings", league, cwd=league.parent).stdout
    assert "bot 0 was withdrawn (it is late): " in text
    assert "bot 2 was withdrawn: " in text


def test_what_is_decided_between_two_runs_holds_in_the_next(night):
    referee, league = night
    referee.send_signal(signal.SIGINT)
    assert referee.wait(PATIENCE) == 130
    arena("withdraw", league, "bot 3", cwd=league.parent)
    arena("pause", league, cwd=league.parent)
    count = games_in(league)
    with subprocess.Popen(
        [*ARENA, "resume", str(league)], cwd=league.parent, stderr=subprocess.PIPE, text=True
    ) as again:
        assert again.stderr is not None
        wait_for(lambda: "paused" in (again.stderr.readline() or "gone paused"))
        assert games_in(league) == count
        arena("go", league, cwd=league.parent)
        wait_for(lambda: games_in(league) > count)
        arena("end", league, cwd=league.parent)
        again.stderr.read()
        assert again.wait(PATIENCE) == 0
    with League.read(league) as store:
        new = [result for number, result in store.games(1) if number > count]
        assert new
        assert all(seat.entrant != 3 for result in new for seat in result.seats)
    assert "all is well" in arena("verify", league, cwd=league.parent).stdout


def test_a_night_ends_at_once_when_the_host_ends_it(tmp_path):
    """Also where every table waits for a bot, and could for a long time."""
    bots = [faulty_bot(tmp_path, "silent"), "good"]
    path = write_tournament(tmp_path, bots, 'games = ["hyrule"]\nconcurrency = 1\n[clock]\nmove = "1h"\n')
    league = tmp_path / "tournament.league"
    with subprocess.Popen(
        [*ARENA, "run", str(path)], cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    ) as referee:
        assert referee.stderr is not None
        while "stage 1" not in referee.stderr.readline():
            assert referee.poll() is None
        assert "is ended" in arena("end", league, cwd=tmp_path).stdout
        referee.stderr.read()
        assert referee.wait(PATIENCE) == 0
    assert games_in(league) == 0


def test_a_night_that_is_stopped_while_a_decision_is_taken_up_is_stored_in_order(tmp_path):
    """The games that were over meanwhile are stored after it: one thread at a time uses the league."""
    path = write_tournament(tmp_path, [f"bot {number}" for number in range(2)], HEAD)
    league = tmp_path / "tournament.league"
    program = f"""
        import sys, threading
        import arena.cli
        from arena.runner.night import tournament
        from arena.runner.sitting.sitting import Sitting
        from arena.store import League

        right, calls = tournament.course_of, 0
        on_played, store = Sitting._on_played, League.record_games
        holds, over, storing = threading.Event(), threading.Event(), threading.Event()

        def course_of(league, *arguments):
            global calls
            calls += 1
            if calls == 2:
                with league.snapshot():
                    holds.set()
                    over.wait()
                    print("deciding", file=sys.stderr, flush=True)
                    storing.wait(2)  # which comes in no time, or not before this is over
            return right(league, *arguments)

        def played(sitting, game):
            on_played(sitting, game)
            if holds.is_set():
                over.set()

        def record_games(league, *arguments):
            if over.is_set():
                storing.set()
            return store(league, *arguments)

        tournament.course_of = course_of
        Sitting._on_played = played
        League.record_games = record_games
        sys.argv[1:] = ["run", {str(path)!r}]
        arena.cli.main()
    """
    running = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    )
    assert running.stderr is not None
    wait_for(lambda: games_in(league) > 0)
    with subprocess.Popen(
        [*ARENA, "pause", str(league)], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ):
        while "deciding" not in running.stderr.readline():
            assert running.poll() is None
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=PATIENCE)
    assert running.returncode == 130
    assert f"go on with: arena resume {league}" in errors.splitlines()[-1]
    assert not list(tmp_path.glob("*.crash-*"))
    assert "all is well" in arena("verify", league, cwd=tmp_path).stdout


def test_a_league_ended_between_two_runs_is_free_for_the_next(night):
    referee, league = night
    referee.kill()
    referee.wait(PATIENCE)
    arena("end", league, "--reason", "power cut", cwd=league.parent)
    assert standings(league)["ended_early"] == "power cut"
    assert "all is well" in arena("verify", league, cwd=league.parent).stdout
    assert "no unfinished tournament" in arena("resume", league, cwd=league.parent, code=2).stderr


def test_a_night_that_is_ended_waits_for_no_guest_who_was_admitted_and_never_came(night):
    referee, league = night
    arena("admit", league, "--join", "guest", cwd=league.parent)
    arena("end", league, "--reason", "the hall closes", cwd=league.parent)
    assert referee.wait(PATIENCE) == 0
    assert standings(league)["ended_early"] == "the hall closes"


def test_watching_a_night_of_dying_bots(tmp_path):
    bots = ["good", "fine", faulty_bot(tmp_path, "crashes")]
    path = write_tournament(tmp_path, bots, 'games = ["hyrule"]\nboards = 2\n')
    arena("run", path, cwd=tmp_path)
    text = arena("watch", "tournament.league", cwd=tmp_path).stdout
    assert "test: ended, 12 games" in text
    assert "stage 1 of 1: round robin, 3 of 3 matches over" in text
    assert "crash" in text


def test_games_are_annulled_and_cycles_added_under_way(tmp_path):
    bots = [Unhurried(f"bot {number}") for number in range(3)]
    path = write_tournament(tmp_path, bots, 'games = ["hyrule"]\nboards = 6\n')
    league = tmp_path / "tournament.league"
    with subprocess.Popen(
        [*ARENA, "run", str(path), "--concurrency", "2"],
        cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
    ) as referee:  # fmt: skip
        wait_for(lambda: games_in(league) > 3)
        arena("pause", league, cwd=tmp_path)
        assert (
            "is void" in arena("annul", league, "1.1.1/hyrule/1.1", "--reason", "seen", cwd=tmp_path).stdout
        )
        assert "that counts" in arena("annul", league, "1.1.1/hyrule/1.1", cwd=tmp_path, code=2).stderr
        assert "no game such as" in arena("annul", league, "the first", cwd=tmp_path, code=2).stderr
        assert "1 more cycle" in arena("extend", league, "--cycles", "1", cwd=tmp_path).stdout
        arena("go", league, cwd=tmp_path)
        _, told = referee.communicate(timeout=PATIENCE)
        assert referee.returncode == 0
    assert "void (seen) and played again: 1 board" in told
    assert "stage 1 has 1 more cycle" in told
    assert told.count("stage 1: round robin") == 1  # though the course was made anew
    summary = standings(league)
    assert {row["matches"] for row in summary["standings"]} == {4}
    assert summary["games_played"] == 6 * 6 * 2
    assert "1.1.1/hyrule/1000001.2" in arena("replay", league, cwd=tmp_path).stdout
    assert "all is well" in arena("verify", league, cwd=tmp_path).stdout
