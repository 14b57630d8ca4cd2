"""The host's requests during a run and between two runs, mostly with bots in this process."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import pytest

from arena.league.store import FinishedGame, League
from arena.referee.night.control import night_of
from arena.referee.night.host_requests import Refused, admit, ask
from arena.tournament.rulings import Newcomer
from tests.arena_command import arena
from tests.bots_for_tests import faulty_bot, good_bot
from tests.patience import PATIENCE
from tests.referee.hosting import HEAD, standings
from tests.referee.night_here import LONG, Night
from tests.referee.nights import games_in, wait_for, write_tournament
from tests.view.hosted import begun, with_ada
from tests.view.served import played

TEXT = HEAD + LONG
FOUR = [f"bot {number}" for number in range(4)]
FINISHED = 'name = "before"\ngames = ["hyrule"]\nboards = 1\n[[stage]]\nformat = "round-robin"\n'


def test_a_night_is_paused_goes_on_and_is_ended(night):
    """By another process than that which plays it."""
    referee, league = night
    arena("host", "pause", league, "--reason", "pizza", cwd=league.parent)
    assert "paused" in arena("watch", league, "--once", cwd=league.parent).stdout
    arena("host", "go", league, cwd=league.parent)
    count = games_in(league)
    wait_for(lambda: games_in(league) > count)
    assert "is ended" in arena("host", "end", league, "--reason", "the hall closes", cwd=league.parent).stdout
    assert referee.wait(PATIENCE) == 0
    told = (league.parent / "errors").read_text()
    for line in ("paused (pizza): ", "it goes on", "ended (the hall closes): "):
        assert line in told
    assert "all is well" in arena("verify", league, cwd=league.parent).stdout


def test_while_a_night_is_paused_no_game_begins(tmp_path):
    with Night(tmp_path, FOUR, TEXT) as night:
        night.play(4)
        assert "test is paused" in arena("host", "pause", night.league, cwd=tmp_path).stdout
        night.play()
        count = night.settle()
        assert "test is paused already" in arena("host", "pause", night.league, cwd=tmp_path, code=2).stderr
        assert f"{count} of 4800 games, paused" in arena("watch", night.league, "--once", cwd=tmp_path).stdout
        night.play(0)
        arena("host", "go", night.league, cwd=tmp_path)
        night.play(3)
        arena("host", "end", night.league, "--reason", "the hall closes", cwd=tmp_path)
        night.end()
    summary = standings(night.league)
    assert (summary["finished"], summary["ended_early"]) == (True, "the hall closes")
    (line,) = json.loads(arena("list", night.league, "--json", cwd=tmp_path).stdout)
    assert line["state"] == "ended early"
    assert not night.league.with_name("tournament.league-control").exists()
    again = arena("host", "end", night.league, cwd=tmp_path, code=2)
    assert "no unfinished tournament" in again.stderr


def test_a_bot_is_withdrawn_by_the_host(tmp_path):
    with Night(tmp_path, FOUR, TEXT) as night:
        night.play(4)

        def withdraw(*arguments: str, code: int = 0) -> str:
            done = arena("host", "withdraw", night.league, *arguments, cwd=tmp_path, code=code)
            return done.stderr if code else done.stdout

        assert "did you mean bot 2?" in withdraw("bto 2", code=2)
        assert "bot 2 is withdrawn" in withdraw("BOT 2")
        assert "was withdrawn before" in withdraw("bot 2", code=2)
        withdraw("bot 0", "--reason", "it is late")
        assert "end it instead" in withdraw("bot 1", code=2)
        night.play(2)
        arena("host", "end", night.league, cwd=tmp_path)
        night.end()
    assert [item["name"] for item in standings(night.league)["withdrawn"]] == ["bot 2", "bot 0"]
    assert "all is well" in arena("verify", night.league, cwd=tmp_path).stdout
    text = arena("standings", night.league, cwd=tmp_path).stdout
    assert "bot 0 was withdrawn (it is late): " in text
    assert "bot 2 was withdrawn: " in text


def test_what_is_decided_between_two_runs_holds_in_the_next(tmp_path):
    with Night(tmp_path, FOUR, TEXT) as night:
        night.play(4)
    arena("host", "withdraw", night.league, "bot 3", cwd=tmp_path)
    arena("host", "pause", night.league, cwd=tmp_path)
    with Night(tmp_path, None) as again:
        again.play()
        again.wait(lambda: "paused" in again.told)
        assert again.settle() == 0
        arena("host", "go", night.league, cwd=tmp_path)
        again.play(5)
        arena("host", "end", night.league, cwd=tmp_path)
        again.end()
    assert all(seat.entrant != 3 for result in again.results for seat in result.seats)
    assert "all is well" in arena("verify", night.league, cwd=tmp_path).stdout


def test_a_night_ends_at_once_when_the_host_ends_it(tmp_path):
    """Also where every table waits for a bot, and could for a long time."""
    with Night(tmp_path, FOUR[:2], TEXT) as night:
        night.play(without=["bot 0"])
        night.wait(lambda: "stage 1" in night.told)
        assert "is ended" in arena("host", "end", night.league, cwd=tmp_path).stdout
        night.end()
    assert night.results == []


class HeldLeague(League):
    """A league in which a course is made when the test lets it, and that notes what is stored meanwhile."""

    armed, deciding, stopped, storing = (threading.Event() for _ in range(4))
    is_used_twice = False

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        with super().snapshot():
            if self.armed.is_set():
                self.armed.clear()
                self.deciding.set()
                self.stopped.wait(PATIENCE)
                HeldLeague.is_used_twice = self.storing.wait(1)  # at once, or not before this is over
            yield

    def record_games(self, tournament: int, games: Iterable[FinishedGame]) -> list[int]:
        if self.stopped.is_set():
            self.storing.set()
        return super().record_games(tournament, games)


def test_a_night_that_is_stopped_while_a_decision_is_taken_up_is_stored_in_order(tmp_path):
    """The games that were over meanwhile are stored after it: one thread at a time uses the league."""
    for event in (HeldLeague.armed, HeldLeague.deciding, HeldLeague.stopped, HeldLeague.storing):
        event.clear()
    with Night(tmp_path, FOUR[:2], TEXT, kind=HeldLeague) as night:
        night.play(2)
        HeldLeague.armed.set()
        asking = threading.Thread(target=ask, args=(night.league, "pause"))
        asking.start()
        assert HeldLeague.deciding.wait(PATIENCE)
        night.play()
        night.wait(lambda: not night.tables)
        night.stop()
        HeldLeague.stopped.set()
    asking.join(PATIENCE)
    assert not HeldLeague.is_used_twice
    assert len(night.results) < night.over == games_in(night.league)
    assert "all is well" in arena("verify", night.league, cwd=tmp_path).stdout
    arena("host", "go", night.league, cwd=tmp_path)  # the pause is stored


def test_a_league_ended_between_two_runs_is_free_for_the_next(tmp_path):
    with Night(tmp_path, FOUR, TEXT) as night:
        night.play(1)
    arena("host", "end", night.league, "--reason", "power cut", cwd=tmp_path)
    assert standings(night.league)["ended_early"] == "power cut"
    assert "all is well" in arena("verify", night.league, cwd=tmp_path).stdout
    assert "no unfinished tournament" in arena("resume", night.league, cwd=tmp_path, code=2).stderr


def test_a_night_that_is_ended_waits_for_no_guest_who_was_admitted_and_never_came(tmp_path):
    with Night(tmp_path, FOUR, TEXT) as night:
        night.play(1)
        arena("host", "admit", night.league, "--join", "guest", cwd=tmp_path)
        arena("host", "end", night.league, "--reason", "the hall closes", cwd=tmp_path)
        night.end()
    assert standings(night.league)["ended_early"] == "the hall closes"


def test_a_guest_who_cannot_dial_in_is_refused_and_the_night_goes_on(tmp_path):
    """However often the host asks."""
    with Night(tmp_path, FOUR, TEXT, lobby="192.0.2.1:1") as night:  # an address that no machine has
        night.play(1)
        for _ in range(2):
            with pytest.raises(Refused, match=r"192\.0\.2\.1"):
                admit(night.league, Newcomer("guest", "join"))
        night.play(2)
        ask(night.league, "end")
        night.end()


def test_watching_a_night_of_dying_bots(tmp_path):
    bots = ["good", "fine", faulty_bot(tmp_path, "crashes")]
    path = write_tournament(tmp_path, bots, 'games = ["hyrule"]\n')
    arena("run", path, cwd=tmp_path)
    text = arena("watch", "tournament.league", cwd=tmp_path).stdout
    assert "test: ended, 6 games" in text
    assert "stage 1 of 1: round robin, 3 of 3 matches over" in text
    assert "crash" in text


def test_games_are_annulled_and_cycles_added_under_way(tmp_path):
    with Night(tmp_path, FOUR[:3], f'games = ["hyrule"]\nboards = 6\n{LONG}') as night:

        def decide(command: str, *arguments: str, code: int = 0) -> str:
            done = arena("host", command, night.league, *arguments, cwd=tmp_path, code=code)
            return done.stderr if code else done.stdout

        night.play(4)
        decide("pause")
        assert "is void" in decide("annul", "1.1.1/hyrule/1.1", "--reason", "seen")
        assert "that counts" in decide("annul", "1.1.1/hyrule/1.1", code=2)
        assert "no game such as" in decide("annul", "the first", code=2)
        assert "1 more cycle" in decide("extend", "--cycles", "1")
        decide("go")
        night.play()
        night.end()
    assert "void (seen) and played again: 1 board" in night.told
    assert "stage 1 has 1 more cycle" in night.told
    assert night.told.count("stage 1: round robin") == 1  # though the course was made anew
    summary = standings(night.league)
    assert {row["matches"] for row in summary["standings"]} == {4}
    assert summary["games_played"] == 6 * 6 * 2
    assert "1.1.1/hyrule/1000001.2" in arena("replay", night.league, cwd=tmp_path).stdout
    assert "all is well" in arena("verify", night.league, cwd=tmp_path).stdout


def test_who_watches_a_tournament_that_is_over_sees_nothing_of_the_run_that_waits_to_play_the_next(tmp_path):
    league = played(tmp_path / "night.league", FINISHED, ("one", "two"))
    alone = arena("watch", league, "--once", cwd=tmp_path).stdout
    with begun(tmp_path, with_ada(good_bot(tmp_path, "house"))) as (same, *_):
        assert same == league
        assert "coming" in [bot.state for bot in night_of(league).bots]
        assert arena("watch", league, "--once", cwd=tmp_path).stdout == alone
