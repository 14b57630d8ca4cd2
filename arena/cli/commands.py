"""The `arena` command: its subcommands, each loaded when it is called, and its errors as one sentence."""

from __future__ import annotations

import importlib
import re
import sys
from typing import IO, Any

import click

from arena.cli.output import echo, lost_output, use_plain_signs
from arena.cli.process import INTERRUPTED, WRONG_USE, loading


class LazyCommand(click.Command):
    """A subcommand that is loaded when it is called, because what it needs takes time to load.

    Args:
        name: the name that people type.
        place: the command itself, as `module:attribute` in `arena.cli`.
        short_help: the first sentence of its help, which fits a line of `arena --help`.
    """

    def __init__(self, name: str, place: str, short_help: str) -> None:
        super().__init__(name, help=short_help)
        self._place = place

    def load(self) -> click.Command:
        """The command itself."""
        module, _, attribute = self._place.partition(":")
        with loading():
            command: click.Command = getattr(importlib.import_module(f"arena.cli.{module}"), attribute)
        return command

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """The context of the command itself, which runs then."""
        return self.load().make_context(info_name, args, parent, **extra)


class _WrongUse(click.UsageError):
    """An error of click's about wrong use, as one sentence in the style of all others, safe to print."""

    def __init__(self, error: click.UsageError) -> None:
        super().__init__(error.message)
        self._sentence = error.format_message().rstrip(".")
        self._command = error.ctx.command_path if error.ctx else "arena"

    def show(self, file: IO[Any] | None = None) -> None:
        """Prints it on standard error."""
        sentence = re.sub(r"^\w|\. \w", lambda found: found[0].replace(".", ";").lower(), self._sentence)
        echo(f"arena: {sentence} ({self._command} --help says more)", err=True)


class _Arena(click.Group):
    """The command group; turns errors that users can remedy into one sentence and an exit code."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        use_plain_signs()
        try:
            return super().main(*args, **kwargs)
        except OSError:
            problem = lost_output()
            if problem is None:
                raise
            echo(f"arena: standard output cannot be written: {problem}", err=True)
            sys.exit(WRONG_USE)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            raise _WrongUse(error) from None
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except KeyboardInterrupt:
            sys.exit(INTERRUPTED)
        except Exception as error:
            from arena.cli.errors import USER_ERRORS  # only here, for it loads much

            if not isinstance(error, USER_ERRORS):
                raise
            echo(f"arena: {error}", err=True)
            sys.exit(WRONG_USE)


@click.group(cls=_Arena, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="bot-arena", prog_name="arena")
def arena() -> None:
    """Lets bots play card games against each other: tournaments, standings, replays."""


SUBCOMMANDS = (
    LazyCommand("run", "playing:run",
    "Runs the tournament that FILE (TOML) describes and prints its standings."),
    LazyCommand("compare", "compare:compare",
    "Says which of several bots is better and how sure that is, and plays no longer than needed."),
    LazyCommand("play", "play:play",
    "Lets you play a game against bots, in the terminal or in a browser."),
    LazyCommand("resume", "playing:resume",
    "Continues the unfinished tournament of a league with the games that are left."),
    LazyCommand("watch", "tables:watch",
    "Shows a tournament live while it is played: standings, what is left, faults."),
    LazyCommand("serve", "serve:serve_page",
    "Serves the league-night page of a league: standings, bracket, schedule, replays, in any browser."),
    LazyCommand("withdraw", "host:withdraw",
    "Withdraws BOT, an entrant's name, from a tournament, while it is played or between two runs."),
    LazyCommand("admit", "host:admit",
    "Admits a late bot to a tournament, while it is played or between two runs."),
    LazyCommand("token", "host:another_token",
    "Gives BOT, an entrant that dials in, another token, while games are played or between two runs."),
    LazyCommand("annul", "host:annul", "Makes games void; they are played again on fresh boards."),
    LazyCommand("extend", "host:extend",
    "Adds cycles, or boards a match, to the current stage."),
    LazyCommand("pause", "host:pause",
    "Pauses a tournament: no more games begin, and running games are played to their end."),
    LazyCommand("go", "host:go", "Continues a paused tournament."),
    LazyCommand("end", "host:end",
    "Ends a tournament before it is over: the rest is not played, and the standings say so."),
    LazyCommand("list", "leagues:list_tournaments",
    "Lists the tournaments of a league: when they were played, how far they are, and who won."),
    LazyCommand("standings", "tables:standings",
    "Prints the tables of a league's tournament: overall, per game, crosstable, bracket, faults, times."),
    LazyCommand("report", "tables:report",
    "Writes a tournament as one HTML file: standings, bracket, ratings, and games to watch."),
    LazyCommand("season", "tables:season",
    "Prints the season table over all finished tournaments of a league."),
    LazyCommand("verify", "leagues:verify",
    "Checks a league from its own contents and says exactly what is wrong and where."),
    LazyCommand("replay", "replay:replay",
    "Prints a game of a league as a readable log; without GAME, lists the games."),
    LazyCommand("rehearse", "checking:rehearsal",
    "Plays the turns of a seat in a stored game back to BOT, and compares."),
    LazyCommand("backup", "leagues:backup",
    "Copies a league to the new file COPY, also while a tournament is running."),
    LazyCommand("export", "leagues:export_league",
    "Writes the finished tournaments of a league as lines of JSON, for other programs and other leagues."),
    LazyCommand("import", "leagues:import_league",
    "Adds the tournaments in FILE, which `arena export` wrote, to a league, or makes a new league of them."),
    LazyCommand("games", "games:games",
    "Lists the games with seats and options; with GAME, prints its rules and rulings."),
    LazyCommand("init-bot", "authors:init_bot",
    "Writes a new bot in LANGUAGE into the folder DIR: a small bot that plays, to start from."),
    LazyCommand("check-bot", "checking:checkup",
    "Checks BOT, a folder with a bot.toml or an address, point by point."),
    LazyCommand("join", "authors:join",
    "Lets BOT, a folder with a bot.toml (default: this folder), play at the lobby on HOST:PORT."),
    LazyCommand("bench", "bench:bench",
    "Measures gRPC alone, the referee end to end, the rules and verify, in under two minutes."),
    LazyCommand("completion", "completion:completion",
    "Prints what lets a shell complete arena's commands and options at the Tab key."),
)  # fmt: skip
"""Every subcommand; a test compares what is said of it here with its own help."""

for subcommand in SUBCOMMANDS:
    arena.add_command(subcommand)
