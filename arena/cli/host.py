"""The commands of `arena host` that steer a tournament, such as `withdraw`."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click

from arena.cli.options import league_argument
from arena.cli.output import echo
from arena.cli.process import run_async
from arena.cli.tls import shown_by, shown_options
from arena.games import does_not_play
from arena.league.entrants import Entrant, WrongEntrant, is_address, started
from arena.league.store import League, StoredTournament
from arena.league.stored import course_of, plan_of, rulings_of, trust_of
from arena.link.local.process import TOKEN
from arena.link.tls.address import Address
from arena.link.tls.trust import OwnCertificate
from arena.names import same_name
from arena.referee.night import host_requests
from arena.referee.night.host_requests import Refused, ask, unfinished
from arena.text import counted, one_line, shell_word
from arena.tournament.plan import MAX_BOARDS
from arena.tournament.rulings import MAX_TABLES, SHOWABLE, SPEEDS, Newcomer, Show
from arena.view.listening import own_host

reason_option = click.option(
    "--reason", default="", metavar="TEXT", help="The reason; it is stored with the ruling."
)


@click.command()
@league_argument
@click.argument("bot")
@reason_option
def withdraw(league: Path, bot: str, reason: str) -> None:
    """Withdraws BOT from a tournament.

    BOT is the name of an entrant. The tournament may be running, or stopped between two runs.

    The bot's finished matches count. At tables of two its remaining matches of the current stage are
    walkovers. At larger tables the default action is played for it. If it has played less than half of
    a round robin, that whole stage is scored as if it had never entered.
    """
    tournament = ask(league, "withdraw", bot, reason).tournament
    name = next(each.name for each in tournament.entrants if same_name(each.name) == same_name(bot))
    echo(f"{name} is withdrawn from {tournament.name}")


@click.command()
@league_argument
@click.argument("what", metavar="GAME|MATCH")
@reason_option
def annul(league: Path, what: str, reason: str) -> None:
    """Voids games, which are played again on fresh boards.

    Write GAME as arena replay lists it, such as 1.3.2/nyuri/1.2; its board is void from all seats.
    MATCH, such as 1.3.2, is all that was played of the match. If others were paired because of its
    result, the games of those pairings are void too.
    """
    tournament = ask(league, "annul", what, reason).tournament
    echo(f"{what} of {tournament.name} is void and played again on fresh boards")


@click.command()
@league_argument
@click.option("--cycles", type=click.IntRange(1, 1000), metavar="N", help="N more cycles.")
@click.option("--boards", type=click.IntRange(1, MAX_BOARDS), metavar="N", help="N more boards a match.")
@reason_option
def extend(league: Path, cycles: int | None, boards: int | None, reason: str) -> None:
    """Adds cycles, or boards a match, to the current stage.

    With --cycles everybody meets everybody N times more, if the format has cycles. With --boards every
    match of the stage is longer, also matches that are over; in a Swiss or a knockout, matches of the
    current round and of later ones. Later stages stay as planned.
    """
    if (cycles is None) == (boards is None):
        raise click.UsageError("give either --cycles or --boards")
    what = str(cycles) if boards is None else f"boards {boards}"
    more = f"{counted(boards, 'more board')} a match" if boards else counted(cycles or 0, "more cycle")
    echo(f"{ask(league, 'extend', what, reason).tournament.name} has {more}")


@click.command("limit")
@league_argument
@click.argument("tables", type=click.IntRange(0, MAX_TABLES))
@click.argument("bot")
@reason_option
def limit_tables(league: Path, tables: int, bot: str, reason: str) -> None:
    """Lets BOT play at most TABLES tables at once.

    BOT is the name of an entrant. Each of its instances has so many tables, and no more than the bot allows
    by itself (max_tables). 0 takes the limit away. Games that run are played to their end.
    """
    tournament = ask(league, "limit", f"{tables} {bot}", reason).tournament
    name = next(each.name for each in tournament.entrants if same_name(each.name) == same_name(bot))
    at = counted(tables, "table") + " at once" if tables else "as many tables as its bot allows"
    echo(f"{name} plays at {at}")


@click.command()
@league_argument
@reason_option
def pause(league: Path, reason: str) -> None:
    """Pauses a tournament.

    No more games begin, and running games are played to their end. arena host go continues it, also in
    another run (arena resume).
    """
    tournament = ask(league, "pause", reason=reason).tournament
    echo(f"{tournament.name} is paused; it goes on with: arena host go {shell_word(league)}")


@click.command()
@league_argument
@reason_option
def go(league: Path, reason: str) -> None:
    """Continues a paused tournament."""
    echo(f"{ask(league, 'go', reason=reason).tournament.name} goes on")


@click.command()
@league_argument
@click.argument("what", type=click.Choice(SHOWABLE))
@click.option(
    "--speed",
    type=click.Choice([*SPEEDS]),
    default="normal",
    show_default=True,
    help="How long all pages count down before: 10, 5, 3 or 0 seconds.",
)
def show(league: Path, what: str, speed: str) -> None:
    """Shows results of a tournament with reveal = "host".

    table shows the next match of the schedule, round the rest of its round, and all everything, also what is
    played later. Until then nobody sees these results on the page, in arena watch, or in the terminal of the
    run. The tournament is over when all is played and shown.
    """
    tournament = ask(league, "show", f"{what} {speed}").tournament
    with League.read(league) as store:
        ruling = next(each for each in reversed(rulings_of(store, tournament.id)) if isinstance(each, Show))
        left = course_of(store, tournament.id).to_show()
    shown = "all results" if ruling.rest else counted(len(ruling.matches), "match", "matches")
    echo(f"shown: {shown}; next: {left[0].label if left else 'nothing is left'}")


@click.command()
@league_argument
@reason_option
def end(league: Path, reason: str) -> None:
    """Ends a tournament before it is over.

    The rest is not played, and the standings say so. After that the league is free for the next
    tournament. This cannot be undone.
    """
    tournament = ask(league, "end", reason=reason).tournament
    echo(f"{tournament.name} is ended; its standings: arena standings {shell_word(league)}")


@click.command()
@league_argument
@click.argument("bot", required=False, type=click.Path(path_type=Path))
@click.option("--join", metavar="NAME", help="Instead of BOT: a bot that dials in, under this name.")
@click.option("--address", metavar="HOST:PORT", help="Instead of BOT: the address of a running bot.")
@click.option("--name", help="The entrant's name (default: the bot's own name, or its address).")
@click.option("--one-time", is_flag=True, help="With --join: the token opens its seat once.")
@click.option("--replaces", metavar="NAME", help="On a ladder: the bot is the next version of this entrant.")
@shown_options
@reason_option
def admit(
    league: Path,
    bot: Path | None,
    join: str | None,
    address: str | None,
    name: str | None,
    one_time: bool,
    replaces: str | None,
    reason: str,
    shown: OwnCertificate | None,
) -> None:
    """Admits a late bot to a tournament.

    The tournament may be running, or stopped between two runs.

    BOT is a folder with a bot.toml. The arena builds and starts the bot, and asks it to describe itself
    before it is admitted; it also asks a bot at an --address. The format decides what the bot plays of the
    first stage (docs/formats.md). The bot reaches later stages by its ranking. It is refused if its
    pairings are already drawn.
    """
    if sum(each is not None for each in (bot, join, address)) != 1:
        raise click.UsageError("give one of BOT, --join NAME and --address HOST:PORT")
    if join is not None and name is not None:
        raise click.UsageError("--join gives the name already: leave --name out")
    newcomer, tournament = bring(league, Source(bot, join, address), name, reason, shown, replaces or "")
    done = f"{newcomer.name} is admitted to {tournament.name}"
    if newcomer.how == "join":
        give_token(league, newcomer.name, one_time, done)
    else:
        echo(done)


class Source(NamedTuple):
    """The origin of a late bot: exactly one of a folder, a name under which it joins, and an address."""

    bot: Path | None = None
    join: str | None = None
    address: str | None = None


def bring(
    league: Path,
    source: Source,
    name: str | None,
    reason: str,
    shown: OwnCertificate | None,
    replaces: str = "",
) -> tuple[Newcomer, StoredTournament]:
    """Asks the referee to admit a late bot. A bot in a folder or at an address first describes itself.

    Args:
        league: the league file.
        source: the bot.
        name: the entrant's name; None for the bot's own name, or its address.
        reason: the reason, for people; may be empty.
        shown: the certificate that a bot at an address is shown; None for the league's own.
        replaces: on a ladder, the entrant whose next version the bot is; empty for none.

    Raises Refused, BadParameter, BuildError, StoreError.
    """
    tournament = unfinished(league)
    newcomer = (
        Newcomer(source.join, "join")
        if source.join is not None
        else _asked(tournament, _reached(league, tournament, source, name, shown))
    )
    newcomer = newcomer._replace(replaces=replaces)
    host_requests.admit(league, newcomer, reason)
    return newcomer, tournament


def admit_at(
    league: Path, shown: OwnCertificate | None, name: str, address: str, reason: str
) -> StoredTournament:
    """Asks the referee to admit a bot at an address, for the page; returns the tournament.

    Args:
        league, name, reason, shown: as for `bring`.
        address: where the bot listens.

    Raises Refused, whatever the reason.
    """
    from arena.cli.errors import USER_ERRORS  # only here: it loads much

    try:
        return bring(league, Source(address=address), name, reason, shown)[1]
    except click.ClickException as problem:
        raise Refused(problem.message) from None
    except USER_ERRORS as problem:
        raise Refused(one_line(str(problem))) from None


def _reached(
    league: Path, tournament: StoredTournament, source: Source, name: str | None, shown: OwnCertificate | None
) -> Entrant:
    """A bot in a folder or at an address as an entrant. Raises Refused, BadParameter."""
    if source.bot is None:
        address = source.address or ""
        if not is_address(address):
            raise click.BadParameter(
                f'{address!r} is not "host:port" or "unix:/path"', param_hint="--address"
            )
        return Entrant(name or address, address=address, shown=shown_by(league, shown))
    with League.read(league) as store:
        trust = trust_of(store, tournament)
    try:
        entrant = started(source.bot, plan_of(tournament).games, trust, name or "")
    except WrongEntrant as wrong:
        raise Refused(wrong.repaired) from None
    if problem := entrant.may_read(league):  # before it is started
        raise Refused(f"{entrant.name} cannot be admitted: {problem}")
    return entrant


def _asked(tournament: StoredTournament, entrant: Entrant) -> Newcomer:
    """A late bot, with what it says of itself. Raises Refused, BuildError."""
    from arena.checkup.bot import introduced
    from arena.link.streams.dial import BotFault  # only here, because they load much

    where = str(entrant.bot.folder) if entrant.bot else entrant.address or ""
    try:
        info = run_async(introduced, entrant, partial(echo, err=True))
    except BotFault as fault:
        what = os.path.relpath(where) if entrant.bot else where
        raise Refused(
            f"{entrant.name} {fault.message}, so it is not admitted: see arena check-bot {shell_word(what)}"
        ) from None
    if problem := does_not_play(plan_of(tournament).games, info.games):
        raise Refused(f"{entrant.name} {problem}, which {tournament.name} has")
    return Newcomer(entrant.name, "bot" if entrant.bot else "address", where, info.version, info.author)


@click.command("token")
@league_argument
@click.argument("bot")
@click.option("--one-time", is_flag=True, help="The token opens the bot's seat once.")
def another_token(league: Path, bot: str, one_time: bool) -> None:
    """Gives BOT, an entrant that dials in, another token.

    The tournament may be running, or stopped between two runs. The old token stops working at once, and
    a bot that plays with it is disconnected. BOT's games wait, by its clock, for a bot with the new
    token. The arena cannot show a token again, because it keeps only its digest.
    """
    names = [entrant.name for entrant in unfinished(league).entrants]
    name = next((name for name in names if same_name(name) == same_name(bot)), bot)
    give_token(league, name, one_time, f"{name} has another token")


def give_token(league: Path, name: str, one_time: bool, done: str) -> None:
    """Makes another token for a guest, tells the referee (or the league, if none runs), and prints it.

    Args:
        league: the league file.
        name: the guest's name.
        one_time: whether the token opens the guest's seat only once.
        done: a sentence that is printed first.
    """
    (_, lobby), token = host_requests.give_token(league, name, one_time)
    echo(done)
    if lobby:
        plain, _, trust = lobby.partition("/")
        echo("it joins, from its own folder, with (or a person sits down at /seat, with the token)")
        echo(f"  {TOKEN}={token} arena join {Address(plain, trust).at(own_host(plain))}")
    else:
        echo(f"its token is {token}; arena resume {shell_word(league)} opens the lobby and says how it joins")
