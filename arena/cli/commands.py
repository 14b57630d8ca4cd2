"""The `arena` command: its subcommands, each loaded when it is called, and its errors as one sentence."""

from __future__ import annotations

import importlib
import itertools
import os
import re
import sys
from collections.abc import Mapping
from typing import IO, Any

import click

from arena.cli.output import echo, echo_json, lost_output, say_engine, use_plain_signs
from arena.cli.process import INTERRUPTED, WRONG_USE, keep_own_rights, loading

Uses = Mapping[str, tuple[click.Command, ...]]
"""Commands by use."""

_ANY_LENGTH = 1000


class LazyCommand(click.Command):
    """A subcommand that is loaded when it is called, because its imports take time.

    Args:
        name: the name that people type.
        place: the command itself, as `module:attribute` in `arena.cli`.
        short_help: the first sentence of its help, which fits a line of `arena --help`.
    """

    def __init__(self, name: str, place: str, short_help: str) -> None:
        super().__init__(name, help=short_help)
        self._place = place
        self._command: click.Command | None = None

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


class _CommandGroup(click.Group):
    """A command group whose help has the commands by use, and says in full what each does.

    Args:
        uses: the commands by the uses that the help names, in the order of the help.
    """

    def __init__(self, *given: Any, uses: Uses, **others: Any) -> None:
        super().__init__(*given, **others)
        self.uses = uses
        for command in itertools.chain(*uses.values()):
            self.add_command(command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes a line for each command; a use stands beside the first of its commands."""
        use_width, name_width = max(map(len, self.uses)), max(map(len, self.commands))
        rows = []
        for use, commands in self.uses.items():
            for command in commands:
                beside = use if command is commands[0] else ""
                names = f"{beside:{use_width}}  {command.name:{name_width}}"
                rows.append((names, command.get_short_help_str(_ANY_LENGTH)))
        formatter.write_paragraph()
        formatter.write_dl(rows)


class _Arena(_CommandGroup):
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


HOST: Uses = {
    "Bots": (
        LazyCommand("admit", "host:admit", "Admits a late bot to a tournament."),
        LazyCommand("withdraw", "host:withdraw", "Withdraws BOT from a tournament."),
        LazyCommand("limit", "host:limit_tables", "Lets BOT play at most TABLES tables at once."),
        LazyCommand("token", "host:another_token", "Gives BOT, an entrant that dials in, another token."),
    ),
    "Games": (
        LazyCommand("annul", "host:annul", "Voids games, which are played again on fresh boards."),
        LazyCommand("extend", "host:extend", "Adds cycles, or boards a match, to the current stage."),
    ),
    "Tournament": (
        LazyCommand("pause", "host:pause", "Pauses a tournament."),
        LazyCommand("go", "host:go", "Continues a paused tournament."),
        LazyCommand("show", "host:show", 'Shows results of a tournament with reveal = "host".'),
        LazyCommand("end", "host:end", "Ends a tournament before it is over."),
    ),
}
"""The subcommands of `arena host`, by what they are about."""

CLUB: Uses = {
    "League": (
        LazyCommand("new", "club:new", "Begins a standing league in FOLDER."),
        LazyCommand("up", "club:up", "Runs the standing league in FOLDER until it is stopped."),
    ),
    "People": (
        LazyCommand("invite", "club:invite", "Prints a link by which NAME joins the league in FOLDER."),
        LazyCommand("accounts", "club:accounts", "Lists the accounts of the league in FOLDER."),
        LazyCommand("revoke", "club:revoke", "Closes the account of NAME, and withdraws its bots."),
    ),
}
"""The subcommands of `arena club`, by what they are about."""

BOTS: Uses = {
    "Look": (
        LazyCommand("list", "bots:list_bots", "Lists all bots, with their ratings."),
        LazyCommand("show", "bots:show", "Prints what the host says of the bot NAME."),
        LazyCommand("versions", "bots:versions", "Lists the versions of your bot NAME."),
        LazyCommand("report", "bots:report", "Prints the report about version NUMBER of your bot NAME."),
        LazyCommand("log", "bots:log", "Prints the end of what your bot NAME has printed."),
        LazyCommand(
            "challenges", "challenging:challenges", "Lists your challenges, or prints the report of one."
        ),
        LazyCommand("games", "bots:games", "Lists the games of the bot NAME whose round is over."),
        LazyCommand(
            "losses", "lost_games:losses", "Lists the games that the bot NAME lost, the worst first."
        ),
        LazyCommand(
            "analyse", "lost_games:analyse_own", "Says what your bot NAME lost by in its last games."
        ),
        LazyCommand("get-game", "bots:get_game", "Writes what your bot NAME was sent in GAME to FILE.jsonl."),
    ),
    "Change": (
        LazyCommand("activate", "bots:activate", "Lets version NUMBER of your bot NAME play from now on."),
        LazyCommand("withdraw", "bots:withdraw", "Withdraws your bot NAME."),
        LazyCommand("note", "bots:note", "Notes TEXT at version NUMBER of your bot NAME."),
    ),
    "Notices": (
        LazyCommand("notices", "bots:notices", "Lists what the league has told you, the newest first."),
        LazyCommand("webhook", "bots:webhook", "Has notices sent to ADDRESS, which begins with https://."),
        LazyCommand("feed", "bots:feed", "Makes an address at which feed readers see your notices."),
    ),
}
"""The subcommands of `arena bots`, by what they do."""

_HOST = _CommandGroup(
    "host",
    help="""Steers a tournament: admits, withdraws, annuls, pauses.

    The tournament may be running, or stopped between two runs. Rulings are stored in the league with
    their time and reason, and shown below the standings.""",
    uses=HOST,
    subcommand_metavar="COMMAND LEAGUE ...",
)
_CLUB = _CommandGroup(
    "club",
    help="""Runs a standing league, to which authors submit bots.

    A standing league goes on: it has a page, accounts, a ladder and nights. All that it has is in FOLDER.
    Other commands take FOLDER for its LEAGUE, such as standings, verify and backup.""",
    uses=CLUB,
    subcommand_metavar="COMMAND FOLDER ...",
)
_BOTS = _CommandGroup(
    "bots",
    help="""Shows the bots of a standing league, and changes yours.

    The league is that of your last login, or at --url URL.""",
    uses=BOTS,
    subcommand_metavar="COMMAND ...",
)

COMMANDS: Uses = {
    "Play": (
        LazyCommand("run", "playing:run", "Plays the tournament that FILE describes."),
        LazyCommand("resume", "playing:resume", "Continues the unfinished tournament of a league."),
        LazyCommand("play", "play:play", "Lets you play a game against bots."),
        LazyCommand("seat", "assistant:seat", "Lets an assistant play at the lobby on HOST:PORT."),
        LazyCommand("compare", "compare:compare", "Says which bot is better, and how sure that is."),
    ),
    "Look": (
        LazyCommand("watch", "tables:watch", "Shows the standings live while a tournament is played."),
        LazyCommand("serve", "serve:serve_page", "Serves the league-night page of a league to browsers."),
        LazyCommand(
            "standings", "tables:standings", "Prints the standings of a tournament, with all details."
        ),
        LazyCommand("season", "tables:season", "Prints the standings of a season, over its tournaments."),
        LazyCommand("list", "leagues:list_tournaments", "Lists the tournaments of a league."),
        LazyCommand("replay", "replay:replay", "Prints a game of a league as a log, or lists the games."),
        LazyCommand("analyse", "analysing:analyse", "Explains why a game was lost, or what a bot loses by."),
        LazyCommand("report", "tables:report", "Writes a tournament as one HTML file."),
        LazyCommand("games", "games:games", "Lists the games, or prints the rules of GAME."),
    ),
    "Authors": (
        LazyCommand("init-bot", "authors:init_bot", "Writes a new bot in LANGUAGE, to start from."),
        LazyCommand("check-bot", "checking:checkup", "Checks, point by point, whether a bot is ready."),
        LazyCommand("rehearse", "checking:rehearsal", "Plays a seat's turns in a stored game back to BOT."),
        LazyCommand("join", "authors:join", "Lets BOT play at the lobby on HOST:PORT."),
        LazyCommand("login", "submitting:login", "Keeps your token for the standing league at URL."),
        LazyCommand("submit", "submitting:submit", "Submits the bot in FOLDER to a standing league."),
        LazyCommand("challenge", "challenging:challenge", "Lets your bot play an unrated match against BOT."),
        _BOTS,
        LazyCommand("logout", "submitting:logout", "Makes your token invalid, and forgets it."),
    ),
    "Hosts": (_HOST, _CLUB),
    "Keep": (
        LazyCommand("verify", "leagues:verify", "Checks a league, and says what is wrong and where."),
        LazyCommand("backup", "leagues:backup", "Copies a league, also while it is played."),
        LazyCommand("export", "leagues:export_league", "Writes the finished tournaments as JSON or tables."),
        LazyCommand("import", "leagues:import_league", "Adds exported tournaments to a league."),
    ),
    "Machine": (
        LazyCommand("bench", "bench:bench", "Measures how fast the arena is on this machine."),
        LazyCommand(
            "completion", "completion:completion", "Prints a script that completes commands in a shell."
        ),
    ),
}
"""The commands by use, as `arena --help` lists them; a test compares the texts here with their own help."""


def _show_version(ctx: click.Context, parameter: click.Parameter, asked: bool) -> None:
    if asked:
        from importlib.metadata import version  # only here, because it loads much

        echo(f"arena, version {version('bot-arena')} ({say_engine()})")
        ctx.exit()


@click.group(cls=_Arena, uses=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_show_version,
    help="Show the version, and whether the native engine plays, and exit.",
)  # fmt: skip
def arena() -> None:
    """Lets bots play card games against each other."""
