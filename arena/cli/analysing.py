"""`arena analyse`: what the decisions of stored games were worth, and what a bot loses by."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from functools import partial
from pathlib import Path

import click

from arena.checkup.analysed import Wanted, analyse_games, analyse_session, bot_analysis
from arena.checkup.analysis_jobs import DEEPER, Effort, analysis_pool
from arena.checkup.session_file import read_session, seat_in, thoughts_in
from arena.cli.options import choose_tournament, entrant_of, league_argument, tournament_option
from arena.cli.output import echo, echo_json, say_engine, screen_width, share_line
from arena.cli.parameters import SESSION
from arena.cli.process import run_async
from arena.cli.replay import find_game, wanted_games
from arena.engine import RULES_IN_PYTHON
from arena.games import GAMES
from arena.league.store import League
from arena.league.stored import calibration_in, stored_effects, thoughts_of
from arena.names import same_name
from arena.report.analysis_text import (
    DECISION_COLUMNS,
    bot_json,
    bot_lines,
    decision_rows,
    game_json,
    game_lines,
    session_json,
    session_lines,
)
from arena.report.tables import spreadsheet
from arena.standings.calibration import Calibration
from arena.table.record import Thought
from arena.text import one_line


@click.command()
@league_argument
@click.argument("game", required=False)
@click.option("--bot", metavar="NAME", help="All games of this bot, and only its own decisions.")
@click.option("--against", metavar="NAME", help="With --bot: only games in which this bot played too.")
@click.option("--match", metavar="MATCH", help="All games of this match, such as 1.3.2.")
@click.option("--seat", type=click.IntRange(min=0), help="With GAME: only the decisions of this seat.")
@click.option(
    "--worlds",
    type=click.IntRange(min=8, max=1_000_000),
    help="Try actions of each decision in up to so many sampled worlds (default: as many as take seconds).",
)
@click.option("--deeper", is_flag=True, help=f"Try {DEEPER} times as much as usually, for smaller margins.")
@click.option(
    "--with",
    "searcher",
    metavar="BOT",
    help="Let this bot, a folder or HOST:PORT, try the actions instead of the arena's own policies.",
)
@click.option("--seed", default="", help="A text from which the worlds follow (default: always the same).")
@tournament_option
@click.option(
    "--json", "as_json", is_flag=True, help="Print all that was found as JSON; scores are from 0 to 1."
)
@click.option("--csv", "as_csv", is_flag=True, help="Print a row for each decision as CSV.")
def analyse(
    league: Path,
    game: str | None,
    bot: str | None,
    against: str | None,
    match: str | None,
    seat: int | None,
    worlds: int | None,
    deeper: bool,
    searcher: str | None,
    seed: str,
    tournament: int | None,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Explains why a game was lost, or what a bot loses by.

    For each decision, the command samples worlds: positions that fit all that the seat was told. Every legal
    action is tried in the same worlds, which a policy of the arena plays to the end. That gives the
    expected score of each action, what the choice cost, and the best alternative. Where the difference is
    smaller than its margin of error, it cannot tell. Scores are in hundredths: 50 is an even share.

    Write GAME as arena replay LEAGUE lists it. With --bot or --match instead, many games are analysed, and
    the command says which weaknesses cost most. What was found is kept in the file LEAGUE-analysis,
    which may be deleted. docs/analysing.md explains the numbers.

    A session FILE.jsonl, which arena bots get-game or arena rehearse --dump wrote, stands for LEAGUE: its
    turns are judged by what the bot was told. Give it alone.
    """
    if worlds is not None and deeper:
        raise click.UsageError("choose one of --worlds and --deeper")
    effort = Effort(worlds, seed, DEEPER if deeper else 1)
    if league.suffix == SESSION:
        if any(each is not None for each in (game, bot, match, seat, tournament, searcher)) or as_csv:
            raise click.UsageError(
                f"{league} is a session of one seat: give it alone, or with --seed, --worlds, --deeper or "
                "--json"
            )
        _analyse_session(league, effort, as_json)
        return
    if (game, bot, match) == (None, None, None) or (game is not None and (bot or match)):
        raise click.UsageError("give a GAME, or --bot NAME, or --match MATCH")
    if against is not None and bot is None:
        raise click.UsageError("--against needs --bot NAME")
    if seat is not None and game is None:
        raise click.UsageError("--seat needs a GAME")
    if as_json and as_csv:
        raise click.UsageError("choose one of --json and --csv")
    if game is not None:
        wanted = [_one(league, game, tournament, seat)]
    else:
        wanted = _many(league, bot, against, match, tournament)
    by_bot = None
    if searcher is not None:
        from arena.checkup.analysis_bot import analysis_bot  # only here, because it loads much

        by_bot = run_async(analysis_bot, entrant_of(searcher, None), partial(echo, err=True))
    elif not (as_json or as_csv):
        say_worlds()
    with closing(analysis_pool(by_bot)) as pool, progress_of(len(wanted)) as tell:
        games = analyse_games(league, wanted, pool, tell, effort, by_bot)
    names = dict.fromkeys(name for each in games for name in each.names)
    if bot is not None:
        names = {name: None for name in names if same_name(name) == same_name(bot)}
    bots = [bot_analysis(name, games) for name in names]
    if as_csv:
        rows = spreadsheet([*decision_rows(bots)], DECISION_COLUMNS)
        csv.writer(sys.stdout, lineterminator="\n").writerows(rows)
    elif game is not None:
        thoughts = _thoughts(league, wanted[0])
        if as_json:
            echo_json(game_json(games[0], thoughts))
        else:
            _print(game_lines(games[0], screen_width(), thoughts))
    elif as_json:
        echo_json([bot_json(found, _calibration(league, wanted, found.name)) for found in bots])
    else:
        for place, found in enumerate(bots):
            if place:
                echo("")
            _print(bot_lines(found, screen_width(), _calibration(league, wanted, found.name)))


def _analyse_session(path: Path, effort: Effort, as_json: bool) -> None:
    game, script = read_session(path)
    if not as_json:
        say_worlds()
    with closing(analysis_pool()) as pool, progress_of(1) as tell:
        decisions = analyse_session(script, pool, tell, effort)
    own = seat_in(script)
    if as_json:
        echo_json(session_json(game, own, decisions, thoughts_in(script)))
    else:
        title = f"{GAMES[game].title}, session {path}, seat {own}"
        _print(session_lines(title, decisions, screen_width(), thoughts_in(script)))


def say_worlds() -> None:
    """Says that margins are wide if no engine is there."""
    if say_engine() == RULES_IN_PYTHON:
        echo(
            "arena: the rules in Python try few worlds, so margins are wide: --deeper tries "
            f"{DEEPER} times as many; the native engine tries many more (docs/speed.md)",
            err=True,
        )


def _print(lines: Iterator[str]) -> None:
    echo("\n".join(map(one_line, "\n".join(lines).split("\n"))))


def _one(league: Path, game: str, tournament: int | None, seat: int | None) -> Wanted:
    """The game that a text names, with all its seats or one. Raises BadParameter."""
    with League.read(league) as store:
        stored = find_game(store, game, tournament)
        entrants = store.tournament(stored.tournament).entrants
    names = tuple(entrants[each.entrant].name for each in stored.result.seats)
    if seat is not None and seat >= len(names):
        raise click.BadParameter(f"the game has seats 0 to {len(names) - 1}", param_hint="--seat")
    return Wanted(stored, names, frozenset(range(len(names)) if seat is None else [seat]))


def _thoughts(league: Path, wanted: Wanted) -> Sequence[Mapping[int, Thought]]:
    """What each seat's bot thought in a game, by its turns."""
    with League.read(league) as store:
        return thoughts_of(store, _number(store, wanted))


def _calibration(league: Path, wanted: Sequence[Wanted], bot: str) -> Calibration | None:
    """How well a bot's own estimates in some games hold; None if it gave none."""
    with League.read(league) as store, store.snapshot():
        return calibration_in(
            store,
            (
                (_number(store, each), each.stored.result, each.names.index(bot))
                for each in wanted
                if bot in each.names
            ),
        )


def _number(league: League, wanted: Wanted) -> int:
    return league.game_number(wanted.stored.tournament, wanted.stored.result.key)


def _many(
    league: Path, bot: str | None, against: str | None, match: str | None, tournament: int | None
) -> list[Wanted]:
    """The games of a bot or a match that are not void; of a bot only its seats. Raises BadParameter."""
    with League.read(league) as store, store.snapshot():
        chosen = choose_tournament(store, tournament)
        names = [entrant.name for entrant in chosen.entrants]
        fits = wanted_games(chosen, [each for each in (bot, against) if each is not None], match, None, None)
        void = stored_effects(store, chosen.id).void
        found = [
            number
            for number, result in store.games(chosen.id)
            if fits(result) and not void.has_game(result.key)
        ]
        wanted = []
        for number in found:
            stored = store.game(number)
            seated = tuple(names[each.entrant] for each in stored.result.seats)
            own = [
                seat for seat, name in enumerate(seated) if bot is None or same_name(name) == same_name(bot)
            ]
            wanted.append(Wanted(stored, seated, frozenset(own)))
    if not wanted:
        raise click.UsageError("there is no such game yet; arena replay LEAGUE lists the games")
    return wanted


def progress_of(games: int) -> AbstractContextManager[Callable[[float], None]]:
    """Shows how much of an analysis is done."""
    return share_line(f"analysing {'the game' if games == 1 else f'{games} games'} ...")
