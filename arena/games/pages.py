"""What explains a table in words: the page of rules, with every ruling, and the table's options."""

from __future__ import annotations

import dataclasses
import sys
from importlib import resources
from typing import Any

from arena.games.game import Game


def rules_page(game: Game) -> str | None:
    """The rules of a game as Markdown, from the folder `rules` of the game's package; None if it has none."""
    package = sys.modules[type(game).__module__].__package__
    page = resources.files(package).joinpath("rules", f"{game.id}.md") if package else None
    return page.read_text("utf-8") if page is not None and page.is_file() else None


def options_text(options: Any) -> str:
    """The options of a table that are not the game's defaults, such as `series = 3`; empty if all are."""
    usual = type(options)()
    fields = (field.name for field in dataclasses.fields(usual))
    return ", ".join(
        f"{name} = {getattr(options, name)}"
        for name in fields
        if getattr(options, name) != getattr(usual, name)
    )
