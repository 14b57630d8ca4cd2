"""The `arena` command: its subcommands, each loaded when it is called, and its errors as one sentence."""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Iterable, Mapping
from typing import IO, Any

import click

from arena.cli.output import echo, echo_json, lost_output, say_engine, use_plain_signs
from arena.cli.process import INTERRUPTED, WRONG_USE, keep_own_rights, loading

_ANY_LENGTH = 1000


class LazyCommand(click.Command):
    """A subcommand that is loaded when it is called, because its imports take time.

    Args:
        name: the name that people type.
        place: the command itself, as `module:attribute` in `arena.cli`.
        short_help: the first sentence of its help, which fits a line of `arena --help`.
        hidden: whether `arena --help` leaves it out.
    """

    def __init__(self, name: str, place: str, short_help: str, hidden: bool = False) -> None:
        super().__init__(name, help=short_help, hidden=hidden)
        self._place = place
        self._command: click.Command | None = None

    def under_an_old_name(self) -> LazyCommand:
        """The same command for people who know it by a name that help no longer shows."""
        return LazyCommand(self.name or "", self._place, self.help or "", hidden=True)

    def load(self) -> click.Command:
        """The command itself."""
        if self._command is None:
            module, _, attribute = self._place.partition(":")
            with loading():
                self._command = getattr(importlib.import_module(f"arena.cli.{module}"), attribute)
        return self._command

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """The context of the command itself, which runs then."""
        return self.load().make_context(info_name, args, parent, **extra)


class _WrongUse(click.UsageError):
    """click's error about wrong use as one sentence, in the style of all other errors and safe to print."""

    def __init__(self, error: click.UsageError) -> None:
        super().__init__(error.message)
        self._sentence = error.format_message().rstrip(".")
        self._command = error.ctx.command_path if error.ctx else "arena"

    def show(self, file: IO[Any] | None = None) -> None:
        """Prints it on standard error."""
        sentence = re.sub(r"^\w|\. \w", lambda found: found[0].replace(".", ";").lower(), self._sentence)
        echo(f"arena: {sentence} ({self._command} --help says more)", err=True)


class _Whole(click.Group):
    """A command group whose help has the commands in sections, and says in full what each does.

    Args:
        sections: the commands by the headings of the help, in the order of the help.
    """

    def __init__(
        self, *given: Any, sections: Mapping[str, Iterable[click.Command]] = {}, **others: Any
    ) -> None:
        super().__init__(*given, **others)
        self.sections = {title: tuple(commands) for title, commands in sections.items()}
        for commands in self.sections.values():
            for command in commands:
                self.add_command(command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the commands, section by section, all sections in the same columns."""
        width = max(len(name) for name in self.commands)
        for title, commands in self.sections.items():
            with formatter.section(title):
                formatter.write_dl(
                    [
                        (f"{command.name:{width}}", command.get_short_help_str(_ANY_LENGTH))
                        for command in commands
                    ]
                )


class _Arena(_Whole):
    """The command group; turns errors that users can remedy into one sentence and an exit code."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        use_plain_signs()
        keep_own_rights()
        try:
            return super().main(*args, **kwargs)
        except OSError as error:
            from arena.kits import missing_part  # only here, because it loads much

            lost = lost_output()
            problem = missing_part(error) if lost is None else f"standard output cannot be written: {lost}"
            if problem is None and error.filename is not None and error.strerror:
                problem = f"{error.filename}: {error.strerror}"
            if problem is None and _folder_is_gone():
                problem = "the current folder was deleted: change to one that exists, such as by cd ~"
            if problem is None:
                raise
            echo(f"arena: {problem}", err=True)
            sys.exit(WRONG_USE)

    def invoke(self, ctx: click.Context) -> Any:
        words = [*ctx.args]
        try:
            return super().invoke(ctx)
        except click.exceptions.NoArgsIsHelpError:  # such as `arena host`
            raise
        except click.UsageError as error:
            raise _WrongUse(error) from None
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except KeyboardInterrupt:
            if "--json" in words:  # a command that knows a part of it has printed that, and has ended
                echo_json({"interrupted": True})
            sys.exit(INTERRUPTED)
        except Exception as error:
            from arena.cli.errors import USER_ERRORS  # only here, because it loads much

            if not isinstance(error, USER_ERRORS):
                raise
            echo(f"arena: {error}", err=True)
            sys.exit(WRONG_USE)


def _folder_is_gone() -> bool:
    try:
        os.getcwd()
    except FileNotFoundError:
        return True
    return False


HOST = (
    LazyCommand("withdraw", "host:withdraw", "Withdraws BOT from a tournament."),
    LazyCommand("admit", "host:admit", "Admits a late bot to a tournament."),
    LazyCommand("token", "host:another_token", "Gives BOT, an entrant that dials in, another token."),
    LazyCommand("annul", "host:annul", "Makes games void; they are played again on fresh boards."),
    LazyCommand("extend", "host:extend", "Adds cycles, or boards a match, to the current stage."),
    LazyCommand("limit", "host:limit_tables", "Lets BOT play at most TABLES tables at once."),
    LazyCommand("pause", "host:pause", "Pauses a tournament."),
    LazyCommand("go", "host:go", "Continues a paused tournament."),
    LazyCommand("end", "host:end", "Ends a tournament before it is over."),
)
"""The subcommands of `arena host`. Each also works without that word, as `arena pause`, which help hides."""

STANDING = (
    LazyCommand("new", "club:new", "Begins a standing league in FOLDER."),
    LazyCommand("up", "club:up", "Runs the standing league in FOLDER until it is stopped."),
    LazyCommand("invite", "club:invite", "Prints a link by which NAME joins the league in FOLDER."),
    LazyCommand("accounts", "club:accounts", "Lists the accounts of the league in FOLDER."),
    LazyCommand("revoke", "club:revoke", "Closes the account of NAME, and withdraws its bots."),
    LazyCommand("backup", "club:backup", "Copies the league in FOLDER into the new folder OUT."),
)
"""The subcommands of `arena host` for a standing league."""

_HOST = _Whole(
    "host",
    help="""Steers a tournament, or runs a standing league.

    A tournament may be running, or stopped between two runs. Rulings are stored in the league with
    their time and reason, and shown below the standings.""",
    sections={"A tournament in the file LEAGUE": HOST, "A standing league in FOLDER": STANDING},
    subcommand_metavar="COMMAND LEAGUE|FOLDER ...",
)

SECTIONS: Mapping[str, tuple[click.Command, ...]] = {
    "Play a night": (
        LazyCommand("run", "playing:run", "Runs the tournament that FILE describes, and prints standings."),
        LazyCommand("resume", "playing:resume", "Continues the unfinished tournament of a league."),
        LazyCommand("play", "play:play", "Lets you play a game against bots."),
    ),
    "Look": (
        LazyCommand("watch", "tables:watch", "Shows the standings live while a tournament is played."),
        LazyCommand("serve", "serve:serve_page", "Serves the league-night page of a league to browsers."),
        LazyCommand(
            "standings", "tables:standings", "Prints all tables of a tournament, such as its standings."
        ),
        LazyCommand("replay", "replay:replay", "Prints a game of a league as a log, or lists the games."),
        LazyCommand("analyse", "analysing:analyse", "Explains why a game was lost, or what a bot loses by."),
        LazyCommand("season", "tables:season", "Prints the season table of a league."),
        LazyCommand("report", "tables:report", "Writes a tournament as one HTML file."),
        LazyCommand("games", "games:games", "Lists the games; with GAME, prints its rules and rulings."),
    ),
    "Compare": (
        LazyCommand(
            "compare", "compare:compare", "Says which of several bots is better, and how sure that is."
        ),
        LazyCommand("bench", "bench:bench", "Measures how fast the arena is on this machine."),
    ),
    "For authors": (
        LazyCommand(
            "init-bot", "authors:init_bot", "Writes a new bot in LANGUAGE: a small bot to start from."
        ),
        LazyCommand("check-bot", "checking:checkup", "Checks, point by point, whether a bot is ready."),
        LazyCommand("join", "authors:join", "Lets BOT play at the lobby on HOST:PORT."),
        LazyCommand("seat", "assistant:seat", "Lets an assistant play at the lobby on HOST:PORT."),
        LazyCommand("rehearse", "checking:rehearsal", "Plays a seat's turns in a stored game back to BOT."),
    ),
    "At a standing league": (
        LazyCommand("login", "submitting:login", "Keeps your token for the standing league at URL."),
        LazyCommand(
            "logout",
            "submitting:logout",
            "Makes your token at a standing league invalid, and forgets it.",
        ),
        LazyCommand(
            "submit",
            "submitting:submit",
            "Submits the bot in FOLDER, and follows until it is decided.",
        ),
        LazyCommand(
            "bots", "submitting:bots", "Lists the bots of a standing league; has commands for yours."
        ),
    ),
    "For hosts": (_HOST,),
    "League files": (
        LazyCommand("list", "leagues:list_tournaments", "Lists the tournaments of a league."),
        LazyCommand("verify", "leagues:verify", "Checks a league, and says exactly what is wrong and where."),
        LazyCommand("backup", "leagues:backup", "Copies a league to a new file."),
        LazyCommand(
            "export", "leagues:export_league", "Writes the finished tournaments of a league as JSON."
        ),
        LazyCommand("import", "leagues:import_league", "Adds exported tournaments to a league."),
    ),
    "Your shell": (
        LazyCommand(
            "completion", "completion:completion", "Prints a script that completes commands in a shell."
        ),
    ),
}
"""The subcommands, as `arena --help` lists them; a test compares the texts here with their own help."""


def _show_version(ctx: click.Context, parameter: click.Parameter, asked: bool) -> None:
    if asked:
        from importlib.metadata import version  # only here, because it loads much

        echo(f"arena, version {version('bot-arena')} ({say_engine()})")
        ctx.exit()


@click.group(cls=_Arena, sections=SECTIONS, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_show_version,
    help="Show the version, and whether the native engine plays, and exit.",
)  # fmt: skip
def arena() -> None:
    """Lets bots play card games against each other: tournaments, standings, replays."""


for command in HOST:
    arena.add_command(command.under_an_old_name())
