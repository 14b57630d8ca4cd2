"""All subcommands together, and their errors as one sentence."""

from __future__ import annotations

import re
import sys
from typing import IO, Any

import click

from arena.cli.exit_codes import INTERRUPTED, WRONG_USE
from arena.cli.lazy_command import LazyCommand
from arena.cli.output import echo, lost_output, use_plain_signs


class _WrongUse(click.UsageError):
    """What click has to say of wrong use, as one sentence in the style of all others, and safe to print."""

    def __init__(self, error: click.UsageError) -> None:
        super().__init__(error.message)
        self._sentence = error.format_message().rstrip(".")
        self._command = error.ctx.command_path if error.ctx else "arena"

    def show(self, file: IO[Any] | None = None) -> None:
        """Prints it on standard error."""
        sentence = re.sub(r"^\w|\. \w", lambda found: found[0].replace(".", ";").lower(), self._sentence)
        echo(f"arena: {sentence} ({self._command} --help says more)", err=True)


class _Arena(click.Group):
    """The command group; turns the errors that people can mend into one sentence and an exit code."""

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
            from arena.cli.user_errors import USER_ERRORS  # only here, for it loads much

            if not isinstance(error, USER_ERRORS):
                raise
            echo(f"arena: {error}", err=True)
            sys.exit(WRONG_USE)


@click.group(cls=_Arena, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="bot-arena", prog_name="arena")
def arena() -> None:
    """Lets bots play card games against each other: tournaments, standings, replays."""


SUBCOMMANDS = (
    LazyCommand("run", "arena.cli.run:run",
    "Runs the tournament that FILE (TOML) describes and prints its standings."),
    LazyCommand("compare", "arena.cli.compare:compare",
    "Says which of several bots is better and how sure that is, and plays no longer than needed."),
    LazyCommand("play", "arena.cli.play:play",
    "Lets you play a game against bots, in the terminal or in a browser."),
    LazyCommand("resume", "arena.cli.resume:resume",
    "Continues the unfinished tournament of a league with the games that are left."),
    LazyCommand("watch", "arena.cli.watch:watch",
    "Shows a tournament live while it is played: standings, what is left, faults."),
    LazyCommand("serve", "arena.cli.serve:serve_page",
    "Serves the league-night page of a league: standings, bracket, schedule, replays, in any browser."),
    LazyCommand("withdraw", "arena.cli.host:withdraw",
    "Withdraws BOT, an entrant's name, from a tournament, while it is played or between two runs."),
    LazyCommand("admit", "arena.cli.admit:admit",
    "Admits a late bot to a tournament, while it is played or between two runs."),
    LazyCommand("token", "arena.cli.token:another_token",
    "Gives BOT, an entrant that dials in, another token, while games are played or between two runs."),
    LazyCommand("annul", "arena.cli.host:annul", "Makes games void; they are played again on fresh boards."),
    LazyCommand("extend", "arena.cli.host:extend",
    "Adds cycles, or boards a match, to the current stage."),
    LazyCommand("pause", "arena.cli.host:pause",
    "Pauses a tournament: no more games begin, and running games are played to their end."),
    LazyCommand("go", "arena.cli.host:go", "Continues a paused tournament."),
    LazyCommand("end", "arena.cli.host:end",
    "Ends a tournament before it is over: the rest is not played, and the standings say so."),
    LazyCommand("list", "arena.cli.list:list_tournaments",
    "Lists the tournaments of a league: when they were played, how far they are, and who won."),
    LazyCommand("standings", "arena.cli.standings:standings",
    "Prints the tables of a league's tournament: overall, per game, crosstable, bracket, faults, times."),
    LazyCommand("report", "arena.cli.report:report",
    "Writes a tournament as one HTML file: standings, bracket, ratings, and games to watch."),
    LazyCommand("season", "arena.cli.season:season",
    "Prints the season table over all finished tournaments of a league."),
    LazyCommand("verify", "arena.cli.verify:verify",
    "Checks a league from its own contents and says exactly what is wrong and where."),
    LazyCommand("replay", "arena.cli.replay:replay",
    "Prints a game of a league as a readable log; without GAME, lists the games."),
    LazyCommand("rehearse", "arena.cli.rehearse:rehearsal",
    "Plays the turns of a seat in a stored game back to BOT, and compares."),
    LazyCommand("backup", "arena.cli.backup:backup",
    "Copies a league to the new file COPY, also while a tournament is running."),
    LazyCommand("export", "arena.cli.transfer:export_league",
    "Writes the finished tournaments of a league as lines of JSON, for other programs and other leagues."),
    LazyCommand("import", "arena.cli.transfer:import_league",
    "Adds the tournaments in FILE, which `arena export` wrote, to a league, or makes a new league of them."),
    LazyCommand("games", "arena.cli.games:games",
    "Lists the games with seats and options; with GAME, prints its rules and rulings."),
    LazyCommand("init-bot", "arena.cli.init_bot:init_bot",
    "Writes a new bot in LANGUAGE into the folder DIR: a small bot that plays, to start from."),
    LazyCommand("check-bot", "arena.cli.check_bot:checkup",
    "Checks BOT, a folder with a bot.toml or an address, point by point."),
    LazyCommand("join", "arena.cli.join:join",
    "Lets BOT, a folder with a bot.toml (default: this folder), play at the lobby on HOST:PORT."),
    LazyCommand("bench", "arena.cli.bench:bench",
    "Measures gRPC alone, the referee end to end, the rules and verify, in under two minutes."),
    LazyCommand("completion", "arena.cli.completion:completion",
    "Prints what lets a shell complete arena's commands and options at the Tab key."),
)  # fmt: skip
"""Every subcommand; a test compares what is said of it here with its own help."""

for subcommand in SUBCOMMANDS:
    arena.add_command(subcommand)
