"""Finds mistakes in a bot's class before it plays, each with what to write instead."""

from __future__ import annotations

import inspect
from collections.abc import Collection
from types import FunctionType
from typing import Any

from arena.bot.player import Bot
from arena.games import GAMES
from arena.names import NAME_LIMIT, did_you_mean, name_problem

_TEXTS = {"name": NAME_LIMIT, "version": NAME_LIMIT, "author": 2 * NAME_LIMIT}


def wrong_class(bot: object) -> str | None:
    """What is wrong with the class of a bot, as a sentence; None if it can play."""
    if isinstance(bot, Bot):
        kind = type(bot).__name__
        return f"give the class {kind} itself, without brackets: an object of it is made for each table"
    if not (isinstance(bot, type) and issubclass(bot, Bot)):
        return f"{bot!r} is no bot: give a class that begins with class Mine(Bot)"
    where = f"the class {bot.__name__}"
    if getattr(bot, "choose", None) is Bot.choose:
        return f"{where} does not choose: write def choose(self, turn), which returns one of turn.actions"
    if inspect.iscoroutinefunction(bot.choose):
        return f"{where} has an async choose: write def choose(self, turn)"
    if inspect.isabstract(bot):
        return f"{where} lacks {', '.join(sorted(bot.__abstractmethods__))}: write it"
    for method, arguments in (("__init__", "self, table"), ("choose", "self, turn")):
        function = inspect.getattr_static(bot, method)
        if inspect.isfunction(function) and not _takes_two(function):
            return f"{where} has a wrong {method}: write def {method}({arguments})"
    return None


def problem_of(bot: Any) -> str | None:
    """What is wrong with the class of a bot or with its description of itself; None if it can be served."""
    problem = wrong_class(bot)
    if problem is not None:
        return problem
    where = f"the class {bot.__name__}"
    return _wrong_text(bot, where) or _wrong_games(bot, where)


def _takes_two(function: FunctionType) -> bool:
    try:
        inspect.signature(function).bind(None, None)
    except TypeError:
        return False
    return True


def _wrong_text(bot: type[Bot], where: str) -> str | None:
    if not hasattr(bot, "name"):
        return f'{where} has no name: write name = "mine" in it'
    for attribute, limit in _TEXTS.items():
        text = getattr(bot, attribute)
        if not isinstance(text, str):
            return f'{where} has the {attribute} {text!r}, which is no text: write {attribute} = "..."'
        problem = name_problem(text, limit) if text or attribute == "name" else None
        if problem is not None:
            return f"{where} has a wrong {attribute}: it {problem}"
    return None


def _wrong_games(bot: type[Bot], where: str) -> str | None:
    games: object = bot.games
    if (
        isinstance(games, str)
        or not isinstance(games, Collection)
        or not all(isinstance(game, str) for game in games)
    ):
        return f'{where} has the games {games!r}, but they must be a list: write games = ["hyrule"]'
    for game in games:
        if game not in GAMES:
            return f"{where} plays {game!r}, which is no game here: {did_you_mean(game, GAMES)}"
    most = bot.max_tables
    if not isinstance(most, int) or most < 0:
        return f"{where} has the max_tables {most!r}: write 1, or another number of tables; 0 for any number"
    return None
