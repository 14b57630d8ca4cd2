"""Mistakes of an author in Python are sentences that say what to write."""

from __future__ import annotations

import re
from typing import Any

import pytest

from arena.bot import Bot, serve, simulate
from arena.bot.answering import new_tables
from arena.bot.classes import problem_of
from arena.link.wire.messages import encode_start
from arena.v1 import bot_pb2
from tests.bots.playing import rules


class Good(Bot):
    name = "good"
    version = "1"
    max_tables = 1

    def choose(self, turn):
        return turn.actions[0]


def bot(**changes: Any) -> type[Bot]:
    return type("Mine", (Good,), changes)


class Nameless(Bot):
    def choose(self, turn):
        return turn.actions[0]


class Idle(Bot):
    name = "idle"


def first(turn):
    return turn.actions[0]


async def later(self, turn):
    return turn.actions[0]


CANNOT_PLAY: dict[Any, str] = {
    Idle: "the class Idle does not choose: write def choose(self, turn), which returns one of turn.actions",
    "bot": "'bot' is no bot: give a class that begins with class Mine(Bot)",
    dict: "<class 'dict'> is no bot: give a class that begins with class Mine(Bot)",
    bot(choose=later): "the class Mine has an async choose: write def choose(self, turn)",
    bot(choose=lambda self: 1): "the class Mine has a wrong choose: write def choose(self, turn)",
    bot(__init__=lambda self: None): "the class Mine has a wrong __init__: write def __init__(self, table)",
}
CANNOT_DESCRIBE_ITSELF: dict[Any, str] = {
    Nameless: 'the class Nameless has no name: write name = "mine" in it',
    bot(name=7): 'the class Mine has the name 7, which is no text: write name = "..."',
    bot(name=""): "the class Mine has a wrong name: it must have 1 to 40 characters",
    bot(version="1\n"): "the class Mine has a wrong version: it must have printable characters only",
    bot(version=1.0): 'the class Mine has the version 1.0, which is no text: write version = "..."',
    bot(author=None): "the class Mine has the author None, which is no text",
    bot(games="hyrule"): "the class Mine has the games 'hyrule', but they must be a list",
    bot(games=["hyrul"]): "the class Mine plays 'hyrul', which is no game here: did you mean hyrule? valid:",
    bot(games=[1]): "the class Mine has the games [1], but they must be a list",
    bot(games=None): "the class Mine has the games None, but they must be a list",
    bot(max_tables="1"): "the class Mine has the max_tables '1': write 1",
    bot(max_tables=-1): "the class Mine has the max_tables -1: write 1",
}


@pytest.mark.parametrize(("mistaken", "told"), (CANNOT_PLAY | CANNOT_DESCRIBE_ITSELF).items())
def test_a_wrong_class_is_a_sentence_where_it_is_served(mistaken, told):
    with pytest.raises(SystemExit) as caught:
        serve(mistaken)
    assert str(caught.value).startswith(told)


@pytest.mark.parametrize(("mistaken", "told"), CANNOT_PLAY.items())
def test_a_class_that_cannot_play_is_the_same_sentence_in_a_simulation(mistaken: Any, told: str) -> None:
    with pytest.raises(ValueError, match=re.escape(told)):
        simulate("hyrule", [Good, mistaken], "board")


def test_a_simulation_needs_no_description():
    for mistaken in CANNOT_DESCRIBE_ITSELF:
        assert simulate("hyrule", [Good, mistaken], "board").outcome


def test_a_good_class_has_no_problem_but_an_object_of_it_has():
    for good in (Good, bot(games=()), bot(games=("hyrule",)), bot(choose=staticmethod(first))):
        assert problem_of(good) is None
    start = bot_pb2.PlayRequest.FromString(encode_start(1, rules("hyrule", 2), 0, bytes(16), ()))
    made: list[Bot] = []
    bot_class = bot(__init__=lambda self, table: made.append(self))
    new_tables(bot_class)(start)
    assert problem_of(made[0]) == (
        "give the class Mine itself, without brackets: an object of it is made for each table"
    )
