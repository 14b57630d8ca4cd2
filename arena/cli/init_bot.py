"""`arena init-bot`: a new bot, ready to build and run."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import click

from arena.cli.output import echo, screen_width
from arena.kits import KITS, Kit, find_kit, kits_folder, write_bot
from arena.report.tables import fitting


@click.command("init-bot")
@click.argument("language", required=False)
@click.argument("folder", metavar="DIR", required=False, type=click.Path(path_type=Path))
@click.option("--name", help="The bot's name (default: the folder's name).")
@click.option("--list", "as_list", is_flag=True, help="List the languages and what each needs.")
def init_bot(language: str | None, folder: Path | None, name: str | None, as_list: bool) -> None:
    """Writes a new bot in LANGUAGE into the folder DIR: a small bot that plays, to start from.

    It is a copy of the arena's example bot in that language, with everything that it needs to be
    built, a README and a test.
    """
    if as_list:
        for kit in KITS.values():
            echo(fitting(f"{kit.language:12}{kit.title}: needs {kit.needs}", screen_width(), " " * 4))
        return
    if language is None or folder is None:
        raise click.UsageError("give a language and a folder, or --list")
    kit = find_kit(language)
    write_bot(kit, folder, folder.resolve().name if name is None else name)
    echo(next_steps(kit, folder))


def next_steps(kit: Kit, folder: Path) -> str:
    """What the author of a new bot can do now."""
    entrant = f"[[entrant]]\nbot = {json.dumps(str(folder), ensure_ascii=False)}\n"
    night = f'name = "First night"\n{entrant}{entrant}'
    for special, written in (("\\", "\\\\"), ("%", "%%"), ("\n", "\\n")):  # as printf reads them
        night = night.replace(special, written)
    place = shlex.quote(str(folder))
    return f"""\
{folder} holds a bot in {kit.title} that plays all five games. It needs {kit.needs}.

  {folder / kit.strategy} chooses the actions: put your ideas there.
  {folder / "README.md"} says how to test it, and how to serve or join by hand.
  {kits_folder() / "README.md"} is the page for authors: games, clocks, faults, protocol.

The arena builds it where that is needed. Check it, or let it play itself:

  arena check-bot {place}
  printf {shlex.quote(night)} > night.toml && arena run night.toml"""
