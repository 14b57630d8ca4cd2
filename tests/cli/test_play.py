"""A person at a table with bots: the output, the typed input, and its effects."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import threading
import urllib.request
from pathlib import Path

import pytest

from arena.bot.chair import Chair, Over, Void
from arena.games.game import Outcome
from arena.seat.terminal import Seat
from tests.arena_command import ARENA, arena
from tests.bots_for_tests import served_address
from tests.patience import PATIENCE
from tests.referee.nights import wait_for

EACH_FIRST = "1\n\n" * 200  # chooses the first action and confirms it, turn by turn


def play(tmp_path, *words, typed, code=0):
    return arena(
        "play", *words, "--against", served_address(), "--seed", "1", cwd=tmp_path, typed=typed, code=code
    )


@pytest.mark.parametrize("game", ["forty-one", "hyrule", "kleftis", "nur-mut", "nyuri"])
def test_a_game_is_played_to_its_end(tmp_path, game):
    shown = play(tmp_path, game, typed=EACH_FIRST * 10).stdout
    assert "seat 0 (you)" in shown
    assert re.search(r"ended: [a-z ]+\n  place 1: seat \d", shown)
    assert list(tmp_path.iterdir()) == []


def test_words_find_actions_and_nothing_is_played_before_it_is_confirmed(tmp_path):
    typed = "play 4\nplay xx\n?K5\n? steal card\nh\nt\ne\n3\nplay zz\n2\n\nq\n"
    done = play(tmp_path, "kleftis", typed=typed, code=130)
    shown = done.stdout
    first = re.findall(r"^ +(\d+)  (play .+)$", shown, re.MULTILINE)
    second = next(action for number, action in first if number == "2")
    assert "No action has all of: play xx" in shown
    assert "K5 | When are groups secured?" in shown
    assert "words       list only" in shown
    third = next(action for number, action in first if number == "3")
    assert f"{third}? Enter plays it" in shown  # and was taken back
    assert f"seat 0 (you) {second.replace('play', 'plays')}" in shown
    assert "You left the game" in done.stderr


def test_seat_options_and_clock_are_as_asked(tmp_path):
    typed = "q\n"
    done = play(
        tmp_path, "nyuri", "--seat", "1", "--option", "contest=open", "--move", "90s", typed=typed, code=130
    )
    assert "You are seat 1" in done.stdout
    assert "[1:" in done.stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--seat", "2"], "there are seats 0 to 1"),
        (["--option", "colour=red"], "has no option 'colour'"),
        (["--move", "soon"], "'soon' is no time"),
    ],
)
def test_wrong_use_is_a_sentence(tmp_path, words, sentence):
    assert sentence in play(tmp_path, "kleftis", *words, typed="", code=2).stderr


def test_a_bot_that_never_comes_is_said(tmp_path):
    (tmp_path / "bot.toml").write_text('name = "gone"\n[run]\ncommand = ["false"]\n')
    done = arena("play", "kleftis", "--against", ".", cwd=tmp_path, code=1)
    assert "arena: gone " in done.stderr


def test_a_game_alone_is_enough_to_play_a_good_bot(tmp_path):
    shown = arena("play", "hyrule", "--seed", "1", cwd=tmp_path, typed=EACH_FIRST).stdout
    assert "At the table: thoughtful." in shown
    assert re.search(r"ended: [a-z ]+\n  place 1: seat \d", shown)


def test_bots_of_the_house_are_told_apart_and_sit_with_others(tmp_path):
    words = ["nyuri", "--against", "strong", "--against", "strong", "--against", "random"]
    shown = arena("play", *words, cwd=tmp_path, typed="q\n", code=130).stdout
    assert "At the table: strong, strong 2, random." in shown
    many = arena("play", "kleftis", *words[1:], "--against", "greedy", cwd=tmp_path, code=2)
    assert "--against: kleftis is for 2 to 4 seats, not 5" in many.stderr


class Person:
    """A person at a terminal, where `arena play` with some words runs."""

    def __init__(self, folder, *words):
        self._ours, theirs = pty.openpty()
        self._process = subprocess.Popen(
            [*ARENA, "play", *words], cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs
        )
        os.close(theirs)

    def reads(self, wanted):
        """Reads until a text is on the screen."""
        seen = ""
        while wanted not in seen:
            seen += os.read(self._ours, 1 << 16).decode()
        return seen

    def types(self, line):
        os.write(self._ours, f"{line}\n".encode())

    def leaves(self):
        """Presses Ctrl-C; gives the exit code.

        Python misses a Ctrl-C between a prompt and the reading of the answer until the next key, so this
        waits until the process sleeps.
        """
        state = Path(f"/proc/{self._process.pid}/wchan")
        wait_for(lambda: not state.exists() or re.search("poll|read|wait_woken", state.read_text()))
        self._process.send_signal(signal.SIGINT)
        code = self._process.wait(PATIENCE)
        os.close(self._ours)
        return code


def test_alone_it_asks_for_the_game_the_opponent_and_the_place(tmp_path):
    person = Person(tmp_path)
    assert "  4  kleftis    a rummy in which groups are stolen" in person.reads("(Enter: kleftis): ")
    person.types("9")
    assert "type a number from 1 to 5" in person.reads("(Enter: kleftis): ")
    person.types("hy")
    assert "  4  strong" in person.reads("(Enter: thoughtful): ")
    person.types("2")
    person.reads("(Enter: browser): ")
    person.types("1")
    assert "At the table: greedy." in person.reads("your choice")
    assert person.leaves() == 130


def test_it_asks_for_nothing_that_was_said(tmp_path):
    person = Person(tmp_path, "--against", "random", "--listen", "127.0.0.1:0")
    person.reads("(Enter: kleftis): ")
    person.types("")
    said = person.reads("/\r\n")
    assert "Kleftis with random: http" in said
    urllib.request.urlopen(said.split()[-1], timeout=PATIENCE).close()
    assert person.leaves() == 0


def test_a_void_game_is_told_and_gone_on_from():
    """A game may be void, for example after the machine slept: it is dealt again, and the person stays."""
    chair, over = Chair(), threading.Event()
    told = []
    chair.news.put(Void())
    chair.news.put(Over(Outcome((1, 2), (3, 1), "over")))
    seat = Seat(chair, ["you", "bot"], lambda _: "")
    seat._say = lambda text, style="": told.append(text)  # type: ignore[method-assign]  # what is shown
    over.set()
    seat.play(over)
    assert len(told) == 1
    assert "void" in told[0]
