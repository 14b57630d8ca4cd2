"""`arena bots losses` and `arena bots analyse`: the games that a bot lost, and the mistakes in them.

What `analyse` finds is kept on the author's machine, in a file that may be deleted, so that it is computed
once and `losses` shows it. The league tells what its page has found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from functools import partial
from typing import Any, NamedTuple

import click

from arena.checkup.analysed import RULES, analyse_session, settings_of
from arena.checkup.analysis.decision import Decision, Mistake, mistakes_in
from arena.checkup.analysis_jobs import DEEPER, Effort, analysis_pool
from arena.checkup.session_file import Script, seat_in, session_in, thoughts_in
from arena.cli.analysing import progress_of, say_worlds
from arena.cli.bots import number_text, opponents_of
from arena.cli.output import echo, echo_json, screen_width
from arena.cli.standing import json_option, print_table, url_option
from arena.hosting.client import Client, quoted
from arena.hosting.logins import client_of
from arena.league.store.analyses import Analyses, AnalysesUnreadable
from arena.report.analysis_text import hundredths, mistake_note, mistake_text, note_of, session_json
from arena.report.tables import fitting, wrapped
from arena.temporary import cache_folder
from arena.text import counted, one_line, shell_word

_EVEN = 0.5  # the score of a game in which half of the opponents were beaten
_MISTAKES = 10  # so many are printed
_LAST = "mistakes"  # what the mistakes of the last analysis of a game are kept under


class _Judged(NamedTuple):
    """A lost game whose decisions are judged: its key, its kind, and the bot's script of it."""

    key: str
    game: str
    script: Script
    decisions: list[Decision]


@click.command("losses")
@click.argument("name")
@click.option("--most", type=click.IntRange(min=1), default=10, show_default=True, help="List so many games.")
@url_option
@json_option
def losses(url: str | None, name: str, most: int, as_json: bool) -> None:
    """Lists the games that the bot NAME lost, the worst first.

    They are among its last games whose round is over: those in which it scored less than an even share.
    The worst mistakes follow, of all of them that were analysed: on their page, or here by arena bots
    analyse.
    """
    client = client_of(url)
    lost = _lost(client, name)
    found = lost[:most]
    with suppress(AnalysesUnreadable), _kept_here(only_read=True) as kept:
        for game in lost:
            here = kept.find(_what(client, game), _LAST)
            game["mistakes"] = game["mistakes"] if here is None else here
    if as_json:
        echo_json(found)
        return
    if not found:
        echo(_none(name))
        return
    rows = [("score", "faults", "opponent", "page")]
    for each in found:
        rows.append(
            (number_text(each["score"]), str(each["faults"]), opponents_of(each), _page(client, each["game"]))
        )
    print_table(rows)
    known = [each for each in lost if each["mistakes"] is not None]
    if mistakes := [(Mistake(**wrong), each["game"]) for each in known for wrong in each["mistakes"]]:
        _print_worst(client, mistakes, mistake_note())
    elif known:
        echo(f"\nNo decision in {counted(len(known), 'analysed game')} was found to be a mistake.")
    if any(each["mistakes"] is None for each in found):
        echo(f"Why? For your own bot: arena bots analyse {shell_word(name)}")


@click.command("analyse")
@click.argument("name")
@click.option("--most", type=click.IntRange(min=1), default=5, show_default=True, help="Judge so many games.")
@click.option(
    "--worlds",
    type=click.IntRange(min=8, max=1_000_000),
    help="Try actions of each decision in up to so many sampled worlds (default: as many as take seconds).",
)
@click.option("--deeper", is_flag=True, help=f"Try {DEEPER} times as much as usually, for smaller margins.")
@url_option
@json_option
def analyse_own(
    url: str | None, name: str, most: int, worlds: int | None, deeper: bool, as_json: bool
) -> None:
    """Says what your bot NAME lost by in its last games.

    It takes the games that arena bots losses NAME lists, and judges each decision on this machine, by what
    the bot was told (docs/analysing.md). It prints the worst mistakes: decisions that cost more than their
    margin of error. It keeps them, so that arena bots losses NAME shows them too.
    """
    if worlds is not None and deeper:
        raise click.UsageError("choose one of --worlds and --deeper")
    client = client_of(url)
    games = _lost(client, name)[:most]
    if not games and not as_json:
        echo(_none(name))
        return
    if not as_json:
        say_worlds()
    effort = Effort(worlds, times=DEEPER if deeper else 1)
    judged: list[_Judged] = []
    with _kept_here() as kept, closing(analysis_pool()) as pool, progress_of(len(games)) as tell:
        for number, row in enumerate(games):
            game = row["game"]
            session = client.get(f"/api/bots/{quoted(name)}/games/{quoted(game)}")["session"]
            rules, script = session_in(session, f"game {game}")
            what, settings = _what(client, row), settings_of("own", effort)
            known = kept.find(what, settings)
            if known is None:
                done = partial(_share_of_all, tell, number, len(games))
                decisions = analyse_session(script, pool, done, effort)
                kept.keep(what, settings, [each.as_data() for each in decisions])
                kept.keep(what, _LAST, [each._asdict() for each in mistakes_in(decisions)])
            else:
                decisions = [*map(Decision.from_data, known)]
            judged.append(_Judged(game, rules, script, decisions))
    if as_json:
        echo_json(
            [
                {
                    "key": each.key,
                    "page": _page(client, each.key),
                    **session_json(each.game, seat_in(each.script), each.decisions, thoughts_in(each.script)),
                }
                for each in judged
            ]
        )
        return
    _print_mistakes(client, judged)


def _share_of_all(tell: Callable[[float], None], done: int, games: int, share: float) -> None:
    tell((done + share) / games)


def _kept_here(*, only_read: bool = False) -> Analyses:
    """What analyses on this machine found. Raises AnalysesUnreadable."""
    file = cache_folder() / "analyses"
    if not only_read:
        file.parent.mkdir(parents=True, exist_ok=True)
    return Analyses(file, RULES, only_read=only_read)


def _what(client: Client, row: Mapping[str, Any]) -> bytes:
    """What an analysis of a game in the list of a bot's games is kept under, beside its settings."""
    return repr((client.url, row["game"], row["version"], row["score"], row["faults"])).encode()


def _print_mistakes(client: Client, judged: Sequence[_Judged]) -> None:
    """Prints how much each game lost by mistakes, and the worst of these in all games."""
    rows = [("decisions", "mistakes", "cost", "page")]
    worst: list[tuple[Mistake, str]] = []
    for game, _, _, decisions in judged:
        wrong = mistakes_in(decisions)
        worst += [(each, game) for each in wrong]
        cost = str(hundredths(sum(each.cost for each in wrong)))
        rows.append((str(len(decisions)), str(len(wrong)), cost, _page(client, game)))
    print_table(rows)
    if not worst:
        echo("\nNo decision was found to be a mistake: --deeper finds smaller ones.")
        return
    _print_worst(client, worst, note_of([each for game in judged for each in game.decisions]))


def _print_worst(client: Client, mistakes: Iterable[tuple[Mistake, str]], note: str) -> None:
    """Prints the worst mistakes in some games, and a note about mistakes."""
    worst = sorted(mistakes, key=lambda each: -each[0].cost)
    echo(f"\nThe worst of {counted(len(worst), 'mistake')}, in hundredths of a game:")
    for mistake, game in worst[:_MISTAKES]:
        what = one_line(f"  {_page(client, game)}, {mistake_text(mistake)}")
        echo(fitting(what, screen_width(), " " * 4))
    echo("\n".join(wrapped(note, screen_width())))


def _lost(client: Client, name: str) -> list[dict[str, Any]]:
    """The last games that a bot lost, the worst first, and of equal ones the newest. Raises Problem."""
    found = [game for game in client.get(f"/api/bots/{quoted(name)}/games") if game["score"] < _EVEN]
    found.sort(key=lambda game: (game["score"], -game["faults"]))
    return found


def _none(name: str) -> str:
    return f"{name} has lost none of its last games whose round is over."


def _page(client: Client, game: str) -> str:
    """The address of the replay of a game, whose name begins with the season."""
    return f"{client.url}/games/{game.partition('/')[2]}"
