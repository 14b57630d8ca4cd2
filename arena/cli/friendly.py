"""A friendly game of a person with bots, from the words of a command line."""

from __future__ import annotations

import dataclasses
import difflib
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import click

from arena.cli.house import HOUSE, USUAL, house_bot
from arena.cli.options import duration_of, entrant_of, options_of
from arena.games import GAMES
from arena.games.game import WrongOption
from arena.league.entrants import Entrant
from arena.league.tournament_file import MAX_FAULTS
from arena.names import did_you_mean
from arena.seat.friendly.game import Friendly
from arena.table.clock import TimeControl
from arena.table.table import TableRules
from arena.tournament.plan import DEFAULT_CLOCK


class Words(NamedTuple):
    """The words of the command line about a friendly game: see `arena play --help`."""

    game: str
    opponents: Sequence[str]
    seat: int
    bank: str
    move: str
    options: Sequence[str]
    sandbox: str | None


def friendly_of(words: Words) -> Friendly:
    """The wanted game. Raises BadParameter, BotManifestError."""
    opponents = words.opponents or [USUAL]
    rules = _rules(words, len(opponents) + 1)
    bots = [_opponent(bot, words.sandbox) for bot in opponents]
    return Friendly(rules, tuple(_told_apart(bots)), words.seat)


def _opponent(bot: str, sandbox: str | None) -> Entrant:
    """A bot of the house, in a folder, or at an address. Raises BadParameter, BotManifestError."""
    if bot in HOUSE:
        return house_bot(bot, sandbox)
    if difflib.get_close_matches(bot, HOUSE) and not os.path.exists(bot):
        raise click.BadParameter(
            f"there is no folder {bot!r}; {did_you_mean(bot, HOUSE)}", param_hint="--against"
        )
    return entrant_of(bot, sandbox)


def _told_apart(bots: Iterable[Entrant]) -> Iterator[Entrant]:
    """The bots, with a number behind a name that an earlier one has."""
    names: Counter[str] = Counter()
    for bot in bots:
        names[bot.name] += 1
        number = names[bot.name]
        yield bot if number == 1 else dataclasses.replace(bot, name=f"{bot.name} {number}")


def _rules(words: Words, seats: int) -> TableRules:
    """The rules of the wanted game. Raises BadParameter."""
    game = words.game
    given = options_of([f"{game}.{option}" for option in words.options]).get(game, {})
    try:
        chosen = GAMES[game].parse_options(given)
    except WrongOption as problem:
        raise click.BadParameter(str(problem), param_hint="--option") from None
    possible = GAMES[game].seats(chosen)
    if seats not in possible:
        raise click.BadParameter(
            f"{game} is for {possible[0]} to {possible[-1]} seats, not {seats}",
            param_hint="--against",
        )
    if words.seat >= seats:
        raise click.BadParameter(f"there are seats 0 to {seats - 1}", param_hint="--seat")
    clock = TimeControl(duration_of(words.bank, "--bank"), 0, duration_of(words.move, "--move"))
    return TableRules(GAMES[game], chosen, seats, DEFAULT_CLOCK, MAX_FAULTS, own_clocks={words.seat: clock})
