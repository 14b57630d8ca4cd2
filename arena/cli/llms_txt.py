"""`llms-full.txt`: one text with all that a language model needs to write a bot.

It is put together from the pages for authors, the pages of rules, the .proto files, the help of the SDK and
the list of commands. It has no rule or message in words of its own.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

from arena.bot import Bot, TableInfo, Turn
from arena.cli.commands import arena
from arena.cli.games import summary
from arena.games import GAMES
from arena.games import series as series_of_deals
from arena.games.pages import rules_page
from arena.kits import kits_folder, proto_folder

_HEAD = """\
# The bot arena

> A referee that lets bots play card games against each other. A bot is a program, in any language with
> gRPC, that answers each turn with the index of a legal action. This file has all that is needed for one.

The parts: the commands; the page for authors; the reference; the values in Python; the options and rules of
each game; the .proto files. A bot in Python needs no .proto file. A bot in another language needs no Python
values. `arena init-bot` writes a bot and says which file chooses the actions: change that file.
`arena check-bot` says whether the bot is right. `arena submit` submits it to a standing league in which its
author is logged in; with --json it prints one JSON object, and exits with 0 if the bot is accepted."""

_NOT_NEEDED = ("TLS", "How everything reads")  # parts of the reference: `arena join` speaks TLS
_WIDTH = 200
_NOT_FOR_BOTS = ("league.proto", "record.proto")


def llms_txt() -> str:
    """The text, in Markdown."""
    pages = kits_folder()
    games = GAMES.values()
    parts = [
        _HEAD,
        _commands(),
        _unlinked((pages / "README.md").read_text("utf-8")),
        _without(_NOT_NEEDED, _unlinked((pages / "REFERENCE.md").read_text("utf-8"))),
        _sdk(),
        *(_values_of(f"{game.title} in Python", import_module(game.values)) for game in games),
        _values_of("Several deals at a table, in Python", series_of_deals),
        "# The options of the games\n\n```\n"
        + "\n\n".join(summary(game, _WIDTH) for game in games)
        + "\n```",
        *(rules_page(game) or "" for game in games),
        *map(_proto, sorted((proto_folder() / "arena" / "v1").glob("*.proto"))),
    ]
    return "\n\n".join(part.strip() for part in parts if part) + "\n"


def _commands() -> str:
    lines = [f"* `arena {name}`: {each.get_short_help_str(200)}" for name, each in arena.commands.items()]
    return "\n".join(("# The commands", "", "`arena COMMAND --help` explains one.", "", *lines))


def _unlinked(page: str) -> str:
    """A page without the addresses of its links, and without comments."""
    return re.sub(r"<!--.*?-->\n*", "", re.sub(r"\[([^]]+)\]\([^)\s]+\)", r"\1", page))


def _without(titles: tuple[str, ...], page: str) -> str:
    """A page without some of its parts, and without the list of its parts."""
    opening, *parts = re.split(r"^(?=## )", page, flags=re.MULTILINE)
    opening = opening.split("\n\n")[0] + "\n\n"
    return opening + "".join(part for part in parts if part.partition("\n")[0][3:] not in titles)


def _sdk() -> str:
    """The help of the classes of a bot in Python."""
    told = [f"## `arena.bot.{each.__name__}`\n\n{inspect.getdoc(each)}" for each in (Bot, TableInfo, Turn)]
    return "\n\n".join(("# The SDK for Python", *told))


def _values_of(title: str, module: ModuleType) -> str:
    """The named tuples of a module, each with its fields and its help."""
    return _block(f"{title}: `{module.__name__}`", "\n".join(_named_tuples(module)))


def _named_tuples(module: ModuleType) -> Iterator[str]:
    for name, each in vars(module).items():
        if not (isinstance(each, type) and issubclass(each, tuple) and each.__module__ == module.__name__):
            continue
        types = {field: getattr(of, "__forward_arg__", of) for field, of in each.__annotations__.items()}
        fields = ", ".join(f"{field}: {of}" for field, of in types.items() if field != "kind")
        kind = getattr(each, "_field_defaults", {}).get("kind")
        yield f"{name}({fields})" + (f", kind {kind!r}" if kind else "")
        yield from (f"    {line}".rstrip() for line in (inspect.getdoc(each) or "").splitlines())


def _proto(path: Path) -> str:
    if path.name in _NOT_FOR_BOTS:
        return ""
    return _block(f"proto/arena/v1/{path.name}", path.read_text("utf-8").strip(), "proto")


def _block(title: str, text: str, language: str = "") -> str:
    return f"# {title}\n\n```{language}\n{text}\n```"
