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

import click

from arena.cli.output import echo, screen_width
from arena.cli.process import FAILED, run_async
from arena.cli.tls import shown_options
from arena.cli.token import token_options
from arena.kits import KITS, Kit, find_kit, kits_folder, write_bot, write_proto
from arena.link.local.bot_manifest import BotManifestError, read_bot_manifest
from arena.link.local.build import build
from arena.link.local.process import GUARDED, found, joining
from arena.link.tls.address import Address, read_address
from arena.link.tls.proxy import Proxy, connect, read_proxy
from arena.link.tls.relay import Tunnel
from arena.link.tls.trust import PATIENCE, OwnCertificate, Trusted, Untrusted, awaited
from arena.report.tables import fitting
from arena.text import shell_word

_OTHERS = "others      --proto, and docs/skeletons/: Node.js, Kotlin, Deno, Ruby, PHP, C#"


@click.command("init-bot")
@click.argument("language", required=False)
@click.argument("folder", metavar="DIR", required=False, type=click.Path(path_type=Path))
@click.option("--name", help="The bot's name (default: the folder's name).")
@click.option("--list", "as_list", is_flag=True, help="List the languages and what each needs.")
@click.option(
    "--proto",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Write only the protocol files and a bot.toml into DIR, for a bot in another language.",
)
def init_bot(
    language: str | None, folder: Path | None, name: str | None, as_list: bool, proto: Path | None
) -> None:
    """Writes a new bot in LANGUAGE, to start from.

    It is written into the folder DIR. It is a copy of the arena's example bot in that language, with
    everything that is needed to build it, a README and a test. The file llms-full.txt tells a language
    model all that it needs to write a bot.
    """
    if as_list:
        for kit in KITS.values():
            echo(fitting(f"{kit.language:12}{kit.title}: needs {kit.needs}", screen_width(), " " * 4))
        echo(fitting(_OTHERS, screen_width(), " " * 4))
        return
    if proto is not None:
        if language is not None:
            raise click.UsageError("--proto writes no bot: give it alone")
        write_proto(proto, proto.resolve().name if name is None else name)
        echo(
            f"{proto / 'proto'} holds the .proto files, and test vectors for each game.\n\n"
            f"  {proto / 'bot.toml'} says how the arena builds and starts the bot: complete it.\n"
            f"  {kits_folder() / 'REFERENCE.md'} has the protocol on one screen, and pseudo-code.\n\n"
            f"Check the bot, as often as you like while you write it:\n\n"
            f"  arena check-bot {shell_word(proto)} --quick"
        )
        return
    if language is None or folder is None:
        raise click.UsageError("give a language and a folder, or --list")
    from arena.cli.llms_txt import llms_txt  # only here: it loads the games and their values

    kit = find_kit(language)
    write_bot(kit, folder, folder.resolve().name if name is None else name, llms_txt())
    echo(next_steps(kit, folder))


def next_steps(kit: Kit, folder: Path) -> str:
    """The next steps of a new bot's author, as text."""
    entrant = f"[[entrant]]\nbot = {json.dumps(str(folder), ensure_ascii=False)}\n"
    night = f'name = "First night"\n{kit.head}{entrant}{entrant}'
    for special, written in (("\\", "\\\\"), ("%", "%%"), ("\n", "\\n")):  # as printf reads them
        night = night.replace(special, written)
    place = shell_word(folder)
    return f"""\
{folder} holds a bot in {kit.title} that plays all five games. It needs {kit.needs}.

  {folder / kit.strategy} chooses the actions: put your ideas there.
  {folder / "README.md"} says how to test it, and how to serve or join by hand.
  {kits_folder() / "README.md"} is the page for authors: games, clocks, faults, protocol.
  {folder / "llms-full.txt"} has all of that and the rules, for a language model that helps you.

The arena builds it if needed. Let it play itself:

  printf {shlex.quote(night)} > night.toml && arena run night.toml

Check it, and submit it to a standing league:

  arena check-bot {place}
  arena submit {place}"""


_GIVE_UP_AFTER = 60.0  # seconds in which nobody answers


@click.command("join")
@click.argument("address", metavar="HOST:PORT")
@click.argument("bot", default=".", type=click.Path(path_type=Path))
@token_options
@shown_options
@click.option(
    "--proxy",
    metavar="HOST:PORT",
    help="The HTTP proxy through which to dial the lobby (default: none, whatever the environment says).",
)
def join(address: str, bot: Path, token: str, shown: OwnCertificate | None, proxy: str | None) -> None:
    """Lets BOT play at the lobby on HOST:PORT.

    BOT is a folder with a bot.toml (default: this folder). The host of the tournament has a token for
    the entrant. Give it in the environment variable ARENA_TOKEN, in a file, or in the command.

    HOST:PORT/sha256:FINGERPRINT, as the host gives it, is a lobby with TLS: this command talks only to
    a lobby whose certificate has that fingerprint. The bot does not need to know TLS, because this
    process relays for it. HOST:PORT/tls trusts the authorities that the system trusts.

    The arena builds the bot if needed and starts it with its `[run]` command. ARENA_JOIN and
    ARENA_TOKEN tell it where to dial in. From then on this process is the bot (with TLS, with a proxy, or on
    Windows, it waits for the bot): its output and its exit code are the bot's.
    """
    lobby = require_lobby(address)
    if proxy is not None:
        lobby = lobby._replace(proxy=_require_proxy(proxy))
    manifest = read_bot_manifest(bot)
    run_async(build, manifest, partial(echo, err=True))
    if lobby.proxy is not None:
        _require_way(lobby, lobby.proxy)
    trusted = _trusted(lobby, shown) if lobby.trust else None
    relays = trusted is not None or lobby.proxy is not None
    entrance = Tunnel(lobby, trusted, shown).entrance if relays else address
    os.chdir(manifest.folder)
    surroundings = joining(entrance, token)
    try:
        if GUARDED and not relays:
            os.execvpe(manifest.command[0], manifest.command, surroundings)
        sys.exit(_run(found(manifest.command, manifest.folder, surroundings), surroundings))
    except OSError as error:
        raise BotManifestError(
            f"{manifest.name} cannot be started, for its run command {manifest.command[0]} "
            f"in {manifest.folder}: {error.strerror}"
        ) from None


def require_lobby(address: str) -> Address:
    """The address of a lobby. Raises UsageError for anything else."""
    lobby = read_address(address)
    if lobby is None or address.startswith("unix:"):
        raise click.UsageError(
            f"{address} is no HOST:PORT, such as 192.168.1.17:50050, and no HOST:PORT/sha256:FINGERPRINT"
        )
    return lobby


def _require_proxy(text: str) -> Proxy:
    """The proxy that an option names. Raises UsageError."""
    proxy = read_proxy(text)
    if proxy is None:
        raise click.UsageError(f"{text} is no HOST:PORT of an HTTP proxy, such as proxy.example.org:3128")
    return proxy


def _require_way(lobby: Address, proxy: Proxy) -> None:
    """Exits with a sentence if the proxy does not connect to the lobby."""
    try:
        connect(lobby.host, lobby.port, PATIENCE, proxy).close()
    except OSError as error:
        told = error.strerror or error
        echo(f"arena: the proxy at {proxy} does not connect to {lobby.plain}: {told}", err=True)
        sys.exit(FAILED)


def _trusted(lobby: Address, shown: OwnCertificate | None) -> Trusted:
    """Examines the certificate of a lobby with TLS. Exits with a sentence if the lobby cannot be trusted."""
    try:
        nobody = f"no connection to a referee at {lobby.plain}; dialling again for {_GIVE_UP_AFTER:.0f} s"
        return awaited(lobby, shown, _GIVE_UP_AFTER, lambda: echo(nobody, err=True))
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
