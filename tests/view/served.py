"""The page of a league, in a thread of the tests or as a process; and leagues with made-up results."""

from __future__ import annotations

import contextlib
import re
import subprocess
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from email.message import Message
from functools import partial
from pathlib import Path
from typing import NamedTuple

from arena.checkup.analysis_jobs import AnalysisPool, analysis_pool
from arena.cli.composed import compose
from arena.cli.page_beside import Page
from arena.cli.serve import settings_of
from arena.face import Face
from arena.league.store import EntrantInfo, League, TournamentInfo
from arena.league.tournament_file import parse_plan
from arena.link.tls.trust import OwnCertificate
from arena.table.deal import commitment
from arena.tournament.course import Course
from arena.tournament.courses import new_course
from arena.tournament.effects import Effects
from arena.view.listening import listening, new_token, url_of
from arena.view.serving.server import Start, serve_here
from tests.arena_command import ARENA
from tests.patience import PATIENCE
from tests.referee.simulation import KEY, play_course
from tests.threads import in_a_thread

HOSTILE = "<script>document.title='caught'</script>"
RIGHT_TO_LEFT = "مرحبا بالعالم"
LONGEST = "x" * 200
DRAWN = "#...#\n##.##\n#####\n.###.\n..#..\norange"
NAMES = ("thoughtful", HOSTILE, RIGHT_TO_LEFT, LONGEST)
EVERY_GAME = """
name = "Night <b>one</b>"
boards = 1
[[stage]]
format = "round-robin"
[[stage]]
format = "knockout"
advance = 4
"""


def begin(league: League, text: str = EVERY_GAME, names: tuple[str, ...] = NAMES) -> tuple[int, Course]:
    """Begins a tournament; returns its course, which `play_course` plays."""
    text += "[[entrant]]\n" * len(names)
    plan = parse_plan(text, Path("night.toml"))
    infos = tuple(EntrantInfo(name, "", "1.0", HOSTILE) for name in names)
    info = TournamentInfo(plan.name, Path("/night.toml"), text, KEY, commitment(KEY), infos, plan.to_json())
    number = league.start_tournament(info, "", {0: Face("c++", DRAWN), 1: Face(HOSTILE[:40])})
    return number, new_course(plan, Effects(len(names)))


def played(path: Path, text: str = EVERY_GAME, names: tuple[str, ...] = NAMES) -> Path:
    """A league with a finished tournament."""
    with League.create_or_open(path) as league:
        number, course = begin(league, text, names)
        play_course(league, number, course)
        league.finish_tournament(number)
    return path


class Served(NamedTuple):
    """A served page: its address without the last slash, the host's token, and what its host was told."""

    url: str
    token: str
    said: list[str]

    def get(self, path: str, code: int = 200, **headers: str) -> str:
        """The text of an answer, which must have this code."""
        return self.answer(path, code, None, **headers)[0]

    def answer(
        self, path: str, code: int = 200, data: bytes | None = None, **headers: str
    ) -> tuple[str, Message]:
        """The text and the headers of an answer."""
        found, text, told = self.any(path, data, **headers)
        assert found == code, text
        return text, told

    def any(self, path: str, data: bytes | None = None, **headers: str) -> tuple[int, str, Message]:
        """The code, the text and the headers of an answer."""
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        request = urllib.request.Request(self.url + path, data, names)
        opener = urllib.request.build_opener(_Staying())
        try:
            with opener.open(request, timeout=PATIENCE) as answer:
                return answer.status, answer.read().decode(), answer.headers
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode(), error.headers


class _Staying(urllib.request.HTTPRedirectHandler):
    """Follows no redirection, so that a test sees it."""

    def redirect_request(self, *_):
        return None


@contextlib.contextmanager
def served(
    league: Path,
    *,
    no_host: bool = False,
    shown: OwnCertificate | None = None,
    standing: Path | None = None,
    analysis: Callable[[], AnalysisPool] = analysis_pool,
    most: int = 1000,
) -> Iterator[Served]:
    """Serves the page of a league in a thread, as `arena serve` does in its process, and ends it.

    Args:
        league: the league file.
        no_host: whether the page has no host.
        shown: the certificate that the page shows to the lobby.
        standing: the folder of the standing league; None for another league.
        analysis: makes the pool that analyses a game.
        most: how many connections are open at once.

    A test that expects that the page's host is told something takes it out of `Served.said`.
    """
    listener = listening("127.0.0.1:0")
    found = Served(url_of(listener).rstrip("/"), "" if no_host else new_token(), [])
    settings = settings_of(league, Page(no_host=no_host), found.token or None, shown, standing)._replace(
        analysis=analysis
    )
    start = Start(listener, most, found.said.append)
    with in_a_thread(partial(serve_here, start, partial(compose, settings))):
        yield found
    assert found.said == []


@contextlib.contextmanager
def served_by_a_process(league: Path, *options: str) -> Iterator[tuple[Served, subprocess.Popen[str]]]:
    """Serves the page of a league by `arena serve`, and ends it."""
    process = subprocess.Popen(
        [*ARENA, "serve", str(league), "--listen", "127.0.0.1:0", *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        address = process.stdout.readline()
        found = re.search(r"http://\S+", address)
        assert found, process.stderr.read()
        token = "" if "--no-host" in options else process.stdout.readline().split()[-1]
        yield Served(found[0].rstrip("/"), token, []), process
    finally:
        process.terminate()
        _, said = process.communicate(timeout=PATIENCE)
    assert said == ""
