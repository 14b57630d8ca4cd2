"""`help()` explains every value of a turn to the author of a Python bot."""

from __future__ import annotations

import importlib
import inspect
import re

import pytest

import arena.bot
from arena.bot.player import TableInfo, Turn
from arena.games import GAMES, series
from arena.link.wire.convert import WIRES


def module_of(game: str):
    return importlib.import_module(f"arena.games.{game.replace('-', '_')}_values")


def told(doc: str) -> set[str]:
    return set(re.findall(r"[A-Z]\w+", doc))


def attributes(doc: str) -> set[str]:
    """The names before a colon in the section Attributes."""
    lines = re.findall(r"^ {4}(\w[\w, ]*):", inspect.cleandoc(doc).partition("Attributes:")[2], re.MULTILINE)
    return {name for line in lines for name in line.split(", ")}


def has_own_doc(kind: type) -> bool:
    doc = kind.__doc__ or f"{kind.__name__}("  # as a named tuple without one has it
    return not doc.startswith(f"{kind.__name__}(")


@pytest.mark.parametrize("game", GAMES)
def test_the_module_of_a_game_names_its_actions_and_events_and_each_is_explained(game):
    module, wire = module_of(game), WIRES[game]
    assert module.__doc__
    for mirror in (wire.action, wire.event):
        for field in mirror.message_class.DESCRIPTOR.oneofs_by_name["kind"].fields:
            if field.name == "deal_ended":
                continue
            name = field.name.title().replace("_", "")
            assert name in told(module.__doc__)
            assert has_own_doc(getattr(module, name)), name
    for name, kind in vars(module).items():
        if inspect.isclass(kind) and kind.__module__ == module.__name__:
            assert has_own_doc(kind), name


@pytest.mark.parametrize(
    "kind", [*(module_of(game).Observation for game in GAMES), series.SeriesObservation, TableInfo]
)
def test_every_field_is_explained(kind):
    assert attributes(kind.__doc__) == set(kind._fields) - {"kind"}


def test_a_turn_names_the_module_of_every_game():
    assert Turn.__doc__
    for game in GAMES:
        assert f"* {game}: `{module_of(game).__name__}`" in Turn.__doc__
    assert {"observation", "events", "actions", "time_left", "number", "game"} == attributes(Turn.__doc__)


def test_the_options_are_where_the_help_says():
    for game, rules in GAMES.items():
        named = re.search(r"options` are\s+`?([\w.]+)`?", module_of(game).__doc__)
        assert named
        place, _, name = named[1].rstrip(".").rpartition(".")
        assert getattr(importlib.import_module(place or module_of(game).__name__), name) is rules.Options


def test_the_package_names_what_it_exports():
    assert arena.bot.__doc__
    assert "arena.games.kleftis_values" in arena.bot.__doc__
