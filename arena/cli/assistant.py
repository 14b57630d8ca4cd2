"""`arena seat`: an assistant takes a seat by the Model Context Protocol."""

from __future__ import annotations

import os
import signal

import click

from arena.cli.authors import require_lobby
from arena.cli.process import INTERRUPTED
from arena.cli.tls import shown_options
from arena.cli.token import token_options
from arena.link.tls.trust import OwnCertificate
from arena.text import installing


@click.command()
@click.argument("address", metavar="HOST:PORT")
@click.option(
    "--mcp",
    is_flag=True,
    required=True,
    help="Speak MCP on standard input and output.",
)
@token_options
@shown_options
def seat(address: str, mcp: bool, token: str, shown: OwnCertificate | None) -> None:
    """Lets an assistant play at the lobby on HOST:PORT.

    The program of the assistant, such as Claude Desktop or VS Code, starts this command and talks to it
    by the Model Context Protocol (MCP). The assistant gets the tools rules, wait_turn and play. It dials
    in as a guest when it calls wait_turn for the first time.

    The host of the tournament has a token for the entrant. Give it in the environment variable
    ARENA_TOKEN, in a file, or in the command. docs/assistants.md has a configuration to copy.

    HOST:PORT/sha256:FINGERPRINT, as the host gives it, is a lobby with TLS.
    """
    lobby = require_lobby(address)
    try:
        from arena.seat.assistant import serve_tools  # only here: the extra may be missing
    except ImportError as missing:
        if (missing.name or "").partition(".")[0] != "mcp":
            raise
        from arena.referee.night.settings import CannotRun

        raise CannotRun(f"--mcp needs the SDK of MCP: {installing('mcp')} in a clone of the arena") from None
    signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))  # a thread waits for input, and goes on
    serve_tools(lobby, token, shown)
