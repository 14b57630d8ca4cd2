"""The host of a served page, who logs in and sends forms, and a tournament that waits for a person."""

from __future__ import annotations

import re
import subprocess
import urllib.parse
from contextlib import contextmanager

from arena.store import League
from tests.arena_command import ARENA
from tests.page.served import begin
from tests.runner.simulation import play_course


def two_games(folder):
    """A league with a tournament of which two games were played."""
    path = folder / "night.league"
    with League.create_or_open(path) as league:
        number, course = begin(league)
        play_course(league, number, course, at_most=2)
    return path


def post(page, path, code, cookie="", **form):
    headers = {"Cookie": cookie} if cookie else {}
    return page.answer(path, code, urllib.parse.urlencode(form).encode(), **headers)


def host_of(page):
    """The cookie of a host, and the word of its forms."""
    _, headers = post(page, "/host/enter", 303, token=page.token)
    cookie = headers["Set-Cookie"].split(";")[0]
    word = re.search(r'name="word" value="(\w+)"', page.get("/host", Cookie=cookie))
    assert word is not None
    return cookie, word[1]


@contextmanager
def begun(folder, text):
    """A tournament that waits for a person: its league, its process, and the person's token."""
    file, league = folder / "night.toml", folder / "night.league"
    file.write_text(text)
    command = [*ARENA, "run", str(file), "--league", str(league), "--lobby", "127.0.0.1:0"]
    with subprocess.Popen(
        command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        text=True,
    ) as process:  # fmt: skip
        assert process.stderr is not None
        try:
            token = None
            while token is None:
                line = process.stderr.readline()
                assert line, "no token was printed"
                token = re.search("ARENA_TOKEN=([a-z0-9]+)", line)
            yield league, process, token[1]
        finally:
            process.kill()


def sit_down(view, url, token):
    """Sits down at the person's seat."""
    view.goto(f"{url}/seat")
    view.get_by_label("The token of your seat").fill(token)
    view.keyboard.press("Enter")
