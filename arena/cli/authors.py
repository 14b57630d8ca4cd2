"""Commands for a bot's folder: `arena init-bot` writes one, `arena join` plays with it."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TextIO

import click

from arena.cli.output import echo, screen_width
from arena.cli.process import FAILED, run_async
from arena.cli.tls import shown_options
from arena.kits import KITS, Kit, find_kit, kits_folder, write_bot
from arena.link.local.bot_manifest import BotManifestError, read_bot_manifest
from arena.link.local.build import build
from arena.link.local.process import GUARDED, TOKEN, found, joining
from arena.link.tls.address import Address, read_address
from arena.link.tls.relay import Tunnel
from arena.link.tls.trust import OwnCertificate, Trusted, Untrusted, awaited
from arena.report.tables import fitting


@click.command("init-bot")
@click.argument("language", required=False)
@click.argument("folder", metavar="DIR", required=False, type=click.Path(path_type=Path))
@click.option("--name", help="The bot's name (default: the folder's name).")
@click.option("--list", "as_list", is_flag=True, help="List the languages and what each needs.")
def init_bot(language: str | None, folder: Path | None, name: str | None, as_list: bool) -> None:
    """Writes a new bot in LANGUAGE: a small bot to start from.

    It is written into the folder DIR. It is a copy of the arena's example bot in that language, with
    everything that is needed to build it, a README and a test.
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
    """The next steps of a new bot's author, as text."""
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

The arena builds it if needed. Check it, or let it play itself:

  arena check-bot {place}
  printf {shlex.quote(night)} > night.toml && arena run night.toml"""


_GIVE_UP_AFTER = 60.0  # seconds in which nobody answers


@click.command("join")
@click.argument("address", metavar="HOST:PORT")
@click.argument("bot", default=".", type=click.Path(path_type=Path))
@click.option("--token", help="The token; other users of this machine see it in the list of processes.")
@click.option(
    "--token-file",
    type=click.File(encoding="utf-8", errors="replace"),
    help="A file that holds the token and nothing else; - for standard input.",
)
@shown_options
def join(
    address: str, bot: Path, token: str | None, token_file: TextIO | None, shown: OwnCertificate | None
) -> None:
    """Lets BOT play at the lobby on HOST:PORT.

    BOT is a folder with a bot.toml (default: this folder). The host of the tournament has a token for
    the entrant. Give it in the environment variable ARENA_TOKEN, in a file, or in the command.

    HOST:PORT/sha256:FINGERPRINT, as the host gives it, is a lobby with TLS: this command talks only to
    a lobby whose certificate has that fingerprint. The bot does not need to know TLS, because this
    process relays for it. HOST:PORT/tls trusts the authorities that the system trusts.

    The arena builds the bot if needed and starts it with its `[run]` command. ARENA_JOIN and
    ARENA_TOKEN tell it where to dial in. From then on this process is the bot (with TLS, or on Windows,
    it waits for the bot): its output and its exit code are the bot's.
    """
    lobby = read_address(address)
    if lobby is None or address.startswith("unix:"):
        raise click.UsageError(
            f"{address} is no HOST:PORT, such as 192.168.1.17:50050, and no HOST:PORT/sha256:FINGERPRINT"
        )
    token = _token(token, token_file)
    manifest = read_bot_manifest(bot)
    run_async(build, manifest, partial(echo, err=True))
    entrance = Tunnel(lobby, _trusted(lobby, shown), shown).entrance if lobby.trust else address
    os.chdir(manifest.folder)
    surroundings = joining(entrance, token)
    try:
        if GUARDED and not lobby.trust:
            os.execvpe(manifest.command[0], manifest.command, surroundings)
        sys.exit(_run(found(manifest.command, manifest.folder, surroundings), surroundings))
    except OSError as error:
        raise BotManifestError(
            f"{manifest.name} cannot be started, for its run command {manifest.command[0]} "
            f"in {manifest.folder}: {error.strerror}"
        ) from None


def _trusted(lobby: Address, shown: OwnCertificate | None) -> Trusted:
    """Examines the certificate of a lobby with TLS. Exits with a sentence if the lobby cannot be trusted."""
    try:
        return awaited(lobby, shown, _GIVE_UP_AFTER)
    except Untrusted as problem:
        echo(f"arena: the lobby at {lobby.plain} {problem}", err=True)
    except OSError as error:
        echo(f"arena: no referee at {lobby.plain}: {error.strerror or error}", err=True)
    sys.exit(FAILED)


def _run(command: list[str], surroundings: Mapping[str, str]) -> int:
    """Runs a command to its end, in a process of its own; returns its exit code."""
    with subprocess.Popen(command, env=surroundings) as process:
        signal.signal(signal.SIGTERM, lambda *_: process.terminate())
        while True:
            try:
                code = process.wait()
                return (
                    code if code >= 0 else 128 - code
                )  # ended by a signal: the exit code that a shell gives
            except KeyboardInterrupt:
                continue  # the bot got the signal too, and ends


def _token(given: str | None, file: TextIO | None) -> str:
    """The token, from the command line or else from the environment. Raises UsageError."""
    if given is not None and file is not None:
        raise click.UsageError("give the token once: with --token-file, or with --token")
    token = file.read().strip() if file is not None else given
    if token is None:
        token = os.environ.get(TOKEN, "")
    if not token:
        raise click.UsageError(
            f"there is no token: set {TOKEN} to the one that the tournament's host has for you, "
            "or give a file that holds it with --token-file"
        )
    if not token.isprintable():
        raise click.UsageError("the token has to be a single line of printable characters")
    return token
