"""The process of the page beside a run: when another one follows, and when none does.

A script of the shell stands for the page.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable, Iterator
from itertools import count
from queue import Queue

from arena.cli.page_beside import PageProcess
from arena.view.listening import listening
from tests.patience import PATIENCE

COMES_UP = "read token && { echo at its address; echo $token; }"
UNTIL_ITS_INPUT_ENDS = "read nothing"
AFTER = "the games go on"


class Beside:
    """A page process whose command is a script of the shell, and what its host is told."""

    def __init__(self, script: str, now: Callable[[], float]) -> None:
        self.told = Queue[str]()
        self.listener: socket.socket = listening("127.0.0.1:0")
        self.page = PageProcess(["sh", "-c", script], self.listener, 2, AFTER, self.told.put, now)

    def next(self) -> str:
        """The next line that the host is told."""
        return self.told.get(timeout=PATIENCE)


@contextlib.contextmanager
def beside(script: str, now: Callable[[], float] = lambda: 0.0) -> Iterator[Beside]:
    found = Beside(script, now)
    with found.listener:
        try:
            yield found
        finally:
            found.page.end()


def test_a_page_that_is_killed_is_started_again_with_the_same_token(tmp_path):
    tokens, begun = tmp_path / "tokens", tmp_path / "begun"
    script = f"{COMES_UP} | tee -a {tokens}; mkdir {begun} 2>/dev/null && kill -9 $$; {UNTIL_ITS_INPUT_ENDS}"
    with beside(script) as night:
        address, token = night.page.begin()
        assert address == "at its address"
        assert night.next() == "the page ended (signal 9) and was started again"
    assert tokens.read_text().split("\n") == [address, token, address, token, ""]
    assert night.told.empty()


def test_a_page_that_never_lasts_is_not_started_for_ever():
    with beside(f"{COMES_UP}; exit 3") as night:
        night.page.begin()
        for _ in range(9):
            assert night.next() == "the page ended (exit code 3) and was started again"
        assert night.next() == f"the page ended (exit code 3), and it did so too often: {AFTER}"
        assert night.listener.fileno() == -1  # browsers wait no more


def test_a_page_that_lasts_for_a_while_is_started_again_however_often_it_ends():
    moments = count(0.0, 10.0)  # each life takes ten seconds
    with beside(f"{COMES_UP}; exit 3", lambda: next(moments)) as night:
        night.page.begin()
        for _ in range(30):
            assert night.next() == "the page ended (exit code 3) and was started again"


def test_a_page_that_does_not_come_up_again_is_given_up(tmp_path):
    up = tmp_path / "up"
    up.touch()
    with beside(f"test -e {up} && {COMES_UP} && rm {up}; exit 4") as night:
        night.page.begin()
        assert night.next() == f"the page ended (exit code 4), and it does not come up: {AFTER}"
        assert night.listener.fileno() == -1


def test_a_page_ends_in_order_with_its_run(tmp_path):
    ended = tmp_path / "ended"
    with beside(f"{COMES_UP}; {UNTIL_ITS_INPUT_ENDS}; touch {ended}") as night:
        night.page.begin()
        assert not ended.exists()
    assert ended.exists()
    assert night.told.empty()
