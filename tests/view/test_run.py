"""`arena run --serve`: the page beside a tournament ends with it and does not disturb it."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from arena.league.store import League
from arena.league.stored import course_of
from tests.arena_command import ARENA, arena
from tests.bots_for_tests import Unhurried
from tests.docs import ROOT
from tests.patience import PATIENCE
from tests.referee.nights import games_in, wait_for, write_tournament
from tests.referee.simulation import play_course
from tests.view.served import served


def fetched(url: str) -> str:
    with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
        return str(answer.read().decode())


def fetched_when_possible(url: str) -> str:
    """The page, or "" while it says that it cannot answer now."""
    try:
        return fetched(url)
    except urllib.error.HTTPError as refusal:
        if refusal.code != 503:
            raise
        return ""


def gone(url: str) -> bool:
    try:
        fetched(url)
    except (urllib.error.URLError, ConnectionError):
        return True
    return False


def begun(folder):
    """A long tournament with its page, in a process of its own, and the address of the page."""
    file = write_tournament(folder, ["one", "two"], head='games = ["nyuri"]\nboards = 10000')
    process = subprocess.Popen(
        [*ARENA, "run", str(file), "--league", str(folder / "night.league"), "--serve", "127.0.0.1:0"],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stderr is not None
    found = None
    while found is None:
        line = process.stderr.readline()
        assert line, "no address was printed"
        found = re.search(r"http://\S+/", line)
    return process, found[0]


def killed_page(run):
    """Kills the page of a run, as soon as it is there."""
    children = Path(f"/proc/{run.pid}/task").glob("*/children")
    pids = [int(pid) for each in children for pid in each.read_text().split()]
    pages = [pid for pid in pids if b"\0serve\0" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    for pid in pages:
        os.kill(pid, signal.SIGKILL)
    return bool(pages)


@pytest.mark.parametrize("number", [pytest.param(signal.SIGINT, marks=pytest.mark.campaign), signal.SIGKILL])
def test_a_killed_page_is_started_again_and_ends_with_its_run_however_that_ends(tmp_path, number):
    process, url = begun(tmp_path)
    with process:
        wait_for(lambda: re.search(r"[1-9]\d* games? played", fetched(url)))
        assert killed_page(process)
        assert "night.league" not in fetched(url)  # visitors wait meanwhile
        os.kill(process.pid, number)
        process.communicate(timeout=PATIENCE)
        assert process.returncode in (130, -9)
    wait_for(lambda: gone(url))
    with League.read(tmp_path / "night.league") as league:
        assert league.length() > 1


@pytest.mark.campaign
def test_a_page_that_is_killed_is_started_again_by_its_run(tmp_path):
    process, url = begun(tmp_path)
    path = tmp_path / "night.league"
    with process:
        assert process.stderr is not None
        token = process.stderr.readline().split()[-1]
        told = iter(process.stderr.readline, "")
        for _ in range(2):
            assert killed_page(process)
            assert "night.league" not in fetched(url)  # visitors wait meanwhile
            assert any("the page ended (signal 9) and was started again" in line for line in told)
        form = urllib.parse.urlencode({"token": token}).encode()
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        with browser.open(f"{url}host/enter", form, timeout=PATIENCE) as answer:
            assert "Leave the control room" in answer.read().decode()
        (tmp_path / "arena.py").touch()  # Python finds this module first: now no page can start
        assert killed_page(process)
        assert any("(signal 9), and it does not come up: the games go on" in line for line in told)
        wait_for(lambda: gone(url))
        games = games_in(path)
        wait_for(lambda: games_in(path) > games)
        process.send_signal(signal.SIGINT)
        log = process.communicate(timeout=PATIENCE)[1]
        assert process.returncode == 130
        assert "the page ended" not in log


def test_a_run_with_a_page_prints_its_standings_alone(tmp_path):
    file = write_tournament(tmp_path, ["one", "two"], head='games = ["hyrule"]')
    done = arena("run", file, "--serve", "127.0.0.1:0", "--json", cwd=tmp_path, own_process=True)
    assert json.loads(done.stdout)["stages"]
    assert "the host's token" in done.stderr


def test_a_port_that_is_taken_is_one_sentence(tmp_path):
    path = tmp_path / "night.league"
    League.create_or_open(path).close()
    with served(path) as page:
        port = page.url.rpartition(":")[2]
        done = arena("serve", path, "--listen", f"127.0.0.1:{port}", cwd=tmp_path, code=2)
        assert "give another --listen HOST:PORT" in done.stderr


def test_what_is_no_league_is_one_sentence(tmp_path):
    assert "no league file" in arena("serve", tmp_path / "no.league", cwd=tmp_path, code=2).stderr


WRITER = """
import sys
from pathlib import Path
from arena.league.store import League
from tests.view.served import begin
from tests.referee.simulation import play_course

with League.create_or_open(Path(sys.argv[1])) as league:
    number, course = begin(league, 'name = "night"\\ngames = ["hyrule"]\\nboards = 2000\\n', ("one", "two"))
    play_course(league, number, course)
"""


def test_the_page_stays_right_where_the_process_that_writes_is_killed_and_another_goes_on(tmp_path):
    path = tmp_path / "night.league"
    with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], cwd=ROOT) as writer:
        wait_for(lambda: path.exists() and games_in(path) > 5)
        with served(path) as page:
            wait_for(lambda: games_played(page) > 5)
            writer.kill()
            writer.wait()
            before = games_in(path)
            assert before < 4000
            wait_for(lambda: games_played(page) == before)  # a busy page shows what it has for a moment
            with League.create_or_open(path) as league:
                play_course(league, 1, course_of(league, 1), at_most=5)
                wait_for(lambda: games_played(page) == before + 5)


@pytest.mark.campaign
def test_the_page_stays_right_through_a_kill_and_a_resume(tmp_path):
    file = write_tournament(
        tmp_path, [Unhurried("one"), Unhurried("two")], head='games = ["hyrule"]\nboards = 100'
    )
    path = tmp_path / "night.league"
    command = [*ARENA, "run", str(file), "--league", str(path)]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
        wait_for(lambda: path.exists() and games_in(path) > 5)
        with served(path) as page:
            wait_for(lambda: re.search(r"[1-9]\d* games played", page.get("/")))
            run.kill()
            run.wait()
            before = games_in(path)
            assert before < 200
            wait_for(lambda: games_played(page) == before)
            arena("resume", path, cwd=tmp_path, own_process=True)
            wait_for(lambda: games_played(page) == games_in(path) == 200)
            assert re.search("wins?", page.get("/"))


def games_played(page) -> int:
    found = re.search(r"(\d+) games? played", page.get("/"))
    assert found is not None
    return int(found[1])


def test_more_people_than_open_files_are_one_sentence_and_some_wait(tmp_path):
    path = tmp_path / "night.league"
    League.create_or_open(path).close()
    few = ["sh", "-c", 'ulimit -n 100; exec "$@"', "sh"]
    with ExitStack() as ends:
        page = ends.enter_context(
            subprocess.Popen(
                [*few, *ARENA, "serve", str(path), "--listen", "127.0.0.1:0"],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            )
        )  # fmt: skip
        ends.callback(page.kill)
        assert page.stdout is not None
        assert page.stderr is not None
        url = page.stdout.readline().split()[-1]
        wait_for(lambda: os.getpriority(os.PRIO_PROCESS, page.pid) >= 10)  # the games come first
        host, _, port = url.removeprefix("http://").rstrip("/").rpartition(":")
        with ExitStack() as crowd:
            for number in range(105):
                if number == 60:  # only so many of them listen to events that all get answers
                    with ThreadPoolExecutor(8) as visitors:
                        assert all(
                            "No tournament has begun yet" in each
                            for each in visitors.map(fetched, 20 * [url])
                        )
                one = crowd.enter_context(socket.create_connection((host, int(port)), PATIENCE))
                one.sendall(b"GET /events HTTP/1.1\r\nHost: a\r\n\r\n")
            assert "ulimit -n" in page.stderr.readline()
        wait_for(lambda: "No tournament has begun yet" in fetched_when_possible(url))
        page.terminate()
        assert page.communicate(timeout=PATIENCE)[1] == ""
