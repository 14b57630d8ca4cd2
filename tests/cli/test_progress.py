"""The progress of a tournament: few lines for any number of matches; a bar and a table on a terminal."""

from __future__ import annotations

import contextlib
import io
import os
import re
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from arena.cli.bars import BarProgress
from arena.cli.playing import make_progress
from arena.cli.progress import HostedProgress, PlainProgress
from arena.league.entrants import Entrant
from arena.league.tournament_file import TournamentFile, parse_plan
from arena.link.local.sandbox import Level, Trust
from arena.link.tls.address import Address
from arena.referee.night.settings import Invitation
from arena.referee.sitting.keeper import Attendance
from arena.report.live_text import leaders, live_lines
from arena.results import GameKey, GameResult, SeatResult
from arena.tournament.course import Course
from arena.tournament.courses import new_course
from arena.tournament.effects import Effects
from arena.tournament.rulings import Contribute

ROUND_ROBIN = '[[stage]]\nformat = "round-robin"\n'
KNOCKOUT = '[[stage]]\nformat = "knockout"\n'
CLOCK = '[clock]\nmove = "3m"\n'
PATIENCE = 60.0
CONTRIBUTED = Contribute(("ab" * 32,), ("cd" * 16,))


class Terminal(io.StringIO):
    """A terminal that keeps its output."""

    def isatty(self) -> bool:
        return True


@contextlib.contextmanager
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    """Standard error is a terminal of 80 columns and 30 lines."""
    for name, value in (("COLUMNS", "80"), ("LINES", "30"), ("TERM", "xterm")):
        monkeypatch.setenv(name, value)
    with contextlib.redirect_stderr(Terminal()) as shown:
        yield shown


def tournament(entrants: int, stages: str = ROUND_ROBIN) -> TournamentFile:
    text = f'name = "Night"\ngames = ["nyuri"]\nboards = 1\n{stages}' + "[[entrant]]\n" * entrants
    plan = parse_plan(text, Path("night.toml"))
    names = tuple(Entrant(f"bot {number}", address="localhost:1") for number in range(entrants))
    return TournamentFile(Path("night.toml"), text, plan, None, names, Trust(Level.NONE))


def play(progress: PlainProgress, file: TournamentFile, most: int = 1_000_000, tied: bool = False) -> Course:
    """Plays games as a run does; the entrant with the lower number wins, or all tie."""
    course = new_course(file.plan, Effects(len(file.entrants)))
    progress.follow(course)
    for _ in range(most):
        due = course.take()
        for item in course.news():
            progress.news(item)
        if due is None:
            break
        places = {player: 1 if tied else 1 + sorted(due.players).index(player) for player in due.players}
        seats = tuple(SeatResult(player, places[player], 0, decisions=1) for player in due.players)
        result = GameResult(due.key, seats, "over")
        progress.game_over(result)
        course.add(result)
        for item in course.news():
            progress.news(item)
    return course


def wait_until(true: Callable[[], bool]) -> None:
    """Waits for what another thread draws."""
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def text_of(screen: Terminal) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", screen.getvalue())


def test_the_host_of_a_league_is_told_how_guests_join_and_nothing_else(capsys):
    reader, writer = os.pipe()
    with open(reader) as heard:
        with open(writer, "w") as its:
            progress = HostedProgress(tournament(2), "10.0.0.1", None, tell=its.fileno())
            progress.say("bots are built")
            progress.lobby_open(Invitation(Address("0.0.0.0:50505"), {"bot 1": "secret"}, False))
            progress.started(1, "c0ffee")
        told = heard.read()
    assert "\n  bot 1: ARENA_TOKEN=secret arena join 10.0.0.1:50505\n" in told
    assert "a person sits down with the token on the league's page, under /seat" in told
    assert "built" not in told
    assert "c0ffee" not in told
    assert told in capsys.readouterr().err  # the log has it all
    progress.lobby_open(Invitation(Address("0.0.0.0:50505"), {}, False))  # the host is gone


def test_a_small_tournament_is_told_match_by_match(capsys):
    file = tournament(3)
    with make_progress(file, "host", None) as progress:
        assert not isinstance(progress, BarProgress)
        progress.started(1, "00")
        progress.ruled(CONTRIBUTED, "")
        play(progress, file)
    assert capsys.readouterr().err.splitlines() == [
        "Night: 3 entrants, nyuri",
        "stage 1: round robin, 3 entrants, 3 matches",
        "round 1, match 1: bot 1 100.0, bot 2 0.0",
        "round 2, match 1: bot 2 0.0, bot 0 100.0",
        "round 3, match 1: bot 0 100.0, bot 1 0.0",
    ]


@pytest.mark.parametrize("on_screen", [False, True])
def test_what_fixes_the_deals_is_told_before_the_first_game_to_a_host_who_asks(
    capsys, monkeypatch, on_screen
):
    with terminal(monkeypatch) if on_screen else contextlib.nullcontext() as screen:
        with make_progress(tournament(3), "host", None, verbose=True) as progress:
            assert isinstance(progress, BarProgress) == on_screen
            progress.started(1, "00")
            progress.ruled(CONTRIBUTED, "")
        said = text_of(screen) if screen else capsys.readouterr().err
    told = " ".join(said.split())
    assert "cards: all matches of a round share their boards, and a bot that runs elsewhere" in told
    assert "the deals' commitment: sha256 00" in told
    assert "1 of 1 bot put bytes of their own into the deals digest of the pledges for that: sha256" in told


def test_of_hundreds_of_matches_it_tells_now_and_then_how_it_stands(capsys):
    file = tournament(30)
    now = 0.0

    def clock() -> float:  # each look at it takes a twentieth of a second
        nonlocal now
        now += 0.05
        return now

    with PlainProgress(file, "host", None, now=clock) as progress:
        play(progress, file)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "stage 1: round robin, 30 entrants, 435 matches"
    assert 3 < len(lines) < 20
    for line in lines[1:]:
        assert re.fullmatch(
            r"\d+ of 870 games, about \d+ (s|min) left(; (bot \d+ \d+\.\d(, )?){3})?", line
        ), line


def test_bots_that_come_late_are_counted_to_the_last(capsys):
    now = 0.0
    with PlainProgress(tournament(4), "host", None, now=lambda: now) as progress:
        for here, now in enumerate((1.0, 6.0, 7.0, 8.0), 1):  # noqa: B007 - the clock tells it
            progress.bots_came(here, 4)
    assert capsys.readouterr().err.splitlines() == ["bots: 2 of 4 are here", "bots: 4 of 4 are here"]


def test_bots_that_come_at_once_are_not_counted(capsys):
    with PlainProgress(tournament(2), "host", None) as progress:
        progress.bots_came(2, 2)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("page", "where"),
    [
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8000/seat"),
        (None, "the page (--serve, or arena serve LEAGUE), under /seat"),
    ],
)
@pytest.mark.parametrize("own", [False, True])
def test_a_person_is_told_where_to_sit_down_and_the_host_if_the_clock_is_too_short(capsys, page, where, own):
    file = tournament(2, ROUND_ROBIN + CLOCK if own else ROUND_ROBIN)
    with PlainProgress(file, "host", None, page, Path("my night.league")) as progress:
        progress.lobby_open(Invitation(Address("127.0.0.1:50505"), {"bot 1": "secret", "bot 0": ""}, False))
    said = capsys.readouterr().err.splitlines()
    assert "  bot 1: ARENA_TOKEN=secret arena join host:50505" in said
    assert f"a person sits down with the token on {where}" in said
    assert any("; arena host token 'my night.league' BOT makes another" in line for line in said)
    assert any(line.startswith("5 s for a decision is too little for a person") for line in said) != own
    assert any("bot 1, bot 0: [entrant.clock]" in line for line in said) != own


def attends(progress: PlainProgress, name: str, what: str, here: bool) -> None:
    progress.attendance(Attendance(Entrant(name, address="localhost:1"), what, True, here))


def test_who_is_here_is_told_as_it_changes(capsys):
    with PlainProgress(tournament(3), "host", None) as progress:
        attends(progress, "bot 0", "is in", True)  # which is counted, before it begins
        progress.started(1, "00")
        capsys.readouterr()
        attends(progress, "bot 1", "was lost: it broke off", False)
        attends(progress, "bot 2", "was lost: it broke off", False)
        attends(progress, "bot 1", "is in again", True)
        attends(progress, "bot 2", "is in again", True)
    assert capsys.readouterr().err.splitlines() == [
        "bot 1 was lost: it broke off (missing: bot 1)",
        "bot 2 was lost: it broke off (missing: bot 1, bot 2)",
        "bot 1 is in again (missing: bot 2)",
        "bot 2 is in again (all are here)",
    ]


def test_a_terminal_shows_who_is_missing_and_for_how_long(monkeypatch):
    file = tournament(3)
    with terminal(monkeypatch) as screen, make_progress(file, "host", None) as progress:
        progress.started(1, "00")
        play(progress, file, most=3)
        attends(progress, "bot 1", "was lost: it broke off", False)
        wait_until(lambda: "2 of 3 bots are here, missing: bot 1 (0:0" in text_of(screen))
        attends(progress, "bot 1", "is in again", True)
        wait_until(lambda: "all 3 bots are here" in text_of(screen))


def test_faults_are_told_with_the_command_that_shows_them(capsys):
    file, now = tournament(2), 0.0

    def game(board: int, faults: int) -> GameResult:
        seats = (SeatResult(0, 1, 0), SeatResult(1, 2, 0, faults=(faults, 0, 0, 0, 0, 0)))
        return GameResult(GameKey(0, 0, 0, "nyuri", board, 0), seats, "over")

    with PlainProgress(file, "host", None, league=Path("night.league"), now=lambda: now) as progress:
        progress.game_over(game(0, 0))
        progress.game_over(game(1, 2))
        now = 1.0
        progress.game_over(game(2, 1))  # told later, with the next
        now = 20.0
        progress.game_over(game(3, 1))
        now = 21.0
        progress.game_over(game(4, 1))  # told at the end
    assert capsys.readouterr().err.splitlines() == [
        "faults of bot 1: 2 x timeout",
        "  arena replay night.league 1.1.1/nyuri/2.1 --seat 1",
        "faults of bot 1: 2 x timeout, in 2 games",
        "  arena replay night.league --bot 'bot 1' --fault",
        "faults of bot 1: 1 x timeout",
        "  arena replay night.league 1.1.1/nyuri/5.1 --seat 1",
    ]


def test_one_entrant_is_not_many_and_a_seed_that_decides_is_told(capsys):
    file = tournament(2, KNOCKOUT + "extra_boards = 1\n")
    with PlainProgress(file, "host", None) as progress:
        play(progress, file, tied=True)
    assert capsys.readouterr().err.splitlines() == [
        "stage 1: knockout, 2 entrants, 1 match",
        "final: bot 0 50.0, bot 1 50.0 (after 1 extra board), decided by seed: for bot 0",
    ]


def test_a_terminal_shows_a_bar_of_games_and_the_table_and_no_line_per_match(monkeypatch):
    file = tournament(30)
    with terminal(monkeypatch) as screen, make_progress(file, "host", None) as progress:
        assert isinstance(progress, BarProgress)
        play(progress, file, most=400)
        deadline = time.monotonic() + PATIENCE
        while "and 15 more" not in text_of(screen):  # the table is drawn now and then
            assert time.monotonic() < deadline
            time.sleep(0.05)
            progress.game_over(GameResult(GameKey(0, 0, 0, "nyuri", 0, 0), (), "over"))  # looks at the course
    shown = text_of(screen)
    assert re.search(r"\d+/870 games", shown)
    assert re.search(r"^#? *# +bot +played +score +W-D-L$", shown, re.MULTILINE)
    assert shown.count("stage 1: round robin, 30 entrants, 435 matches") == 1
    final = shown[-200:]
    assert "played" not in final, "the table is put away at the end"


def test_a_knockout_is_told_match_by_match_on_a_terminal(monkeypatch):
    file = tournament(4, KNOCKOUT)
    with terminal(monkeypatch) as screen, make_progress(file, "host", None) as progress:
        play(progress, file)
    assert "final: bot 0 100.0, bot 1 0.0" in text_of(screen)
    assert "semi-final 2: bot 1 100.0, bot 2 0.0" in text_of(screen)


def test_the_table_is_as_high_as_there_is_room():
    file = tournament(30)
    names = [entrant.name for entrant in file.entrants]
    with PlainProgress(file, "host", None) as progress:
        assert live_lines(new_course(file.plan, Effects(30)), names, 40) == []
        course = play(progress, file, most=200)
    for height in range(40):
        lines = live_lines(course, names, height)
        assert len(lines) <= height
        if height > 3:
            assert re.match(r" *1  bot 0 +\d+  100.0  ", lines[2])
        assert bool(lines) == (height > 3)
    assert len(live_lines(course, names, 40)) == 32
    assert leaders(course, names) == "bot 0 100.0, bot 1 100.0, bot 14 100.0"
    assert course.standings()[0].score == Fraction(1)
