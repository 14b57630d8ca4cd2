"""A person at a table with bots: the output, the typed input, and its effects."""

from __future__ import annotations

import re
import threading

import pytest

from arena.bot.chair import Chair, Void
from arena.cli.seat import Seat
from arena.games.game import Outcome
from tests.arena_command import arena
from tests.bots_for_tests import served_address

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
    assert "[0:01:" in done.stdout


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


def test_a_void_game_is_told_and_gone_on_from():
    """A game may be void, for example after the machine slept: it is dealt again, and the person stays."""
    chair, over = Chair(), threading.Event()
    told = []
    chair.news.put(Void())
    chair.news.put(Outcome((1, 2), (3, 1), "over"))
    seat = Seat(chair, ["you", "bot"], lambda _: "")
    seat._say = lambda text, style="": told.append(text)  # type: ignore[method-assign]  # what is shown
    over.set()
    seat.play(over)
    assert len(told) == 1
    assert "void" in told[0]
