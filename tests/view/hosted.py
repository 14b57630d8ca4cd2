"""The host of a served page, who logs in and sends forms, and a tournament that waits for a person."""

from __future__ import annotations

import re
import subprocess
import urllib.parse
from contextlib import contextmanager

from arena.league.store import League
from arena.referee.night.control import state_of
from tests.arena_command import ARENA
from tests.bots_for_tests import entrant
from tests.referee.nights import wait_for
from tests.referee.simulation import play_course
from tests.view.served import begin

TOKEN = "ARENA_TOKEN=([a-z0-9]+)"
WITH_ADA = """
name = "A night"
games = ["hyrule"]
boards = 1
[clock]
bank = "1h"
move = "20m"
[[stage]]
format = "round-robin"
{}
[[entrant]]
name = "Ada"
join = true
[entrant.clock]
bank = "1h"
move = "30m"
"""


def two_games(folder):
    """A league with a tournament of which two games were played."""
    path = folder / "night.league"
    with League.create_or_open(path) as league:
        number, course = begin(league)
        play_course(league, number, course, at_most=2)
    return path


def post(page, path, code, cookie="", **form):
    """Sends a form as a browser does that has a page of this server open."""
    headers = {"Cookie": cookie, "Origin": page.url} if cookie else {}
    return page.answer(path, code, urllib.parse.urlencode(form).encode(), **headers)


def host_of(page):
    """The cookie of a host."""
    _, headers = post(page, "/host/enter", 303, token=page.token)
    return headers["Set-Cookie"].split(";")[0]


def with_ada(*bots):
    """The file of a tournament of bots, by their folders, and of a person who has a clock of her own."""
    return WITH_ADA.format("".join(map(entrant, bots)))


def line_with(pattern, stream):
    """Reads lines until one has the pattern; returns the match and all that was read."""
    said = ""
    while True:
        line = stream.readline()
        assert line, f"nothing like {pattern} was said: {said}"
        said += line
        if found := re.search(pattern, line):
            return found, said


@contextmanager
def begun(folder, text, *options):
    """A tournament that waits for a person: its league, its process, and the person's token."""
    with said_at_first(folder, text, *options) as (league, process, said):
        yield league, process, token_in(said)


@contextmanager
def said_at_first(folder, text, *options):
    """Begins a tournament like `begun`; returns its output up to the first token instead of the token."""
    file, league = folder / "night.toml", folder / "night.league"
    file.write_text(text)
    command = [*ARENA, "run", str(file), "--league", str(league), "--lobby", "127.0.0.1:0", *options]
    with subprocess.Popen(
        command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        text=True,
    ) as process:  # fmt: skip
        try:
            _, said = line_with(TOKEN, process.stderr)
            wait_for(lambda: state_of(league).lobby)
            yield league, process, said
        finally:
            process.kill()


def token_in(said):
    """The person's token."""
    return re.findall(TOKEN, said)[0]


def sit_down(view, url, token):
    """Sits down at the person's seat."""
    view.goto(f"{url}/seat")
    view.get_by_label("The token of your seat").fill(token)
    view.keyboard.press("Enter")
