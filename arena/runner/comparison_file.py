"""Writes the tournament file of a comparison, from the options of `arena compare`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from arena.comparison.coefficient import PAYS
from arena.games import GAMES
from arena.games.game import Game, WrongOption
from arena.link.local.bot_manifest import BotManifest, BotManifestError, read_bot_manifest
from arena.names import same_name
from arena.runner.entrants import Names, is_dialled, shortened
from arena.runner.tournament_file import TITLE_LENGTH, TournamentFile, TournamentFileError, parse_tournament


class ComparisonRequest(NamedTuple):
    """The options of a comparison.

    Attributes:
        bots: folders or addresses, at least two; the first is compared with the others.
        games: the ids of the games; none for all.
        seats: the size of a table.
        company: the bot at the other seats of larger tables; None for copies of the compared bots.
        pairs: which pairs are compared: see `ComparisonFormat`.
        boards: how many boards of each game are played at most.
        stops: whether it stops as soon as its questions are answered.
        less_luck: whether half of the bets are on scores without luck; only if it stops.
        margin, error, game_error: see `ComparisonFormat`, in percent; None for its defaults.
        clock: the given keys of the clock, as in a tournament file.
        options: the given options of the games, as there.
    """

    bots: Sequence[str]
    games: Sequence[str] = ()
    seats: int = 2
    company: str | None = None
    pairs: str = "first"
    boards: int = 1_000
    stops: bool = True
    less_luck: bool = False
    margin: float | None = None
    error: float | None = None
    game_error: float | None = None
    clock: Mapping[str, str] = {}
    options: Mapping[str, Mapping[str, object]] = {}


def comparison_file(wanted: ComparisonRequest) -> TournamentFile:
    """The comparison as a tournament file in the present folder. Raises TournamentFileError."""
    return parse_tournament("\n".join(_lines(wanted)) + "\n", Path("comparison.toml"))


def _lines(wanted: ComparisonRequest) -> Iterator[str]:
    games = wanted.games or _possible_games(wanted)
    if wanted.less_luck and PAYS.isdisjoint(games):
        titles = ", ".join(sorted(GAMES[game].title for game in PAYS))
        raise TournamentFileError(f"taking luck away helps only in {titles}: leave out --less-luck")
    taken = Names()
    names = _names(wanted.bots, taken)
    title = f"{names[0]} against {', '.join(names[1:])}"
    short = f"{names[0]} against {len(names) - 1} others"
    if wanted.pairs == "best":
        title, short = f"best of {', '.join(names)}", f"best of {len(names)}"
    if len(title) > TITLE_LENGTH:
        title = short[:TITLE_LENGTH]
    yield f"name = {_toml(title)}"
    yield f"games = [{', '.join(map(_toml, games))}]"
    yield f"seats = {wanted.seats}"
    yield "withdraw_after = 0"  # a forfeited game is lost, and counts like any other
    if wanted.clock:
        yield "[clock]"
        yield from (f"{key} = {_toml(value)}" for key, value in wanted.clock.items())
    for game, options in wanted.options.items():
        yield f"[options.{game}]"
        yield from (f"{key} = {_toml(value)}" for key, value in options.items())
    yield "[[stage]]"
    yield 'format = "comparison"'
    yield f"compared = {len(names)}"
    yield f"pairs = {_toml(wanted.pairs)}"
    yield f'company = "{"copies" if wanted.company is None else "given"}"'
    yield f"cap = {wanted.boards}"
    yield f"stops = {_toml(wanted.stops)}"
    if wanted.less_luck:
        yield "less_luck = true"
    for key in ("margin", "error", "game_error"):
        if (value := getattr(wanted, key)) is not None:
            yield f"{key} = {value}"
    for bot, name in zip(wanted.bots, names, strict=True):
        yield from _entrant(bot, name)
    if wanted.seats > 2 and wanted.company is not None:
        for _ in range(1, wanted.seats):
            yield from _entrant(wanted.company, taken.free(_own_name(wanted.company)))
    elif wanted.seats > 2:
        for bot, name in [*zip(wanted.bots, names, strict=True)][1:]:
            for _ in range(2, wanted.seats):
                yield from _entrant(bot, taken.free(shortened(name, " copy")))


def _entrant(bot: str, name: str) -> Iterator[str]:
    yield "[[entrant]]"
    yield f"name = {_toml(name)}"
    yield f"address = {_toml(bot)}" if is_dialled(bot) else f"bot = {_toml(str(Path(bot).resolve()))}"


def _possible_games(wanted: ComparisonRequest) -> list[str]:
    """The games that all bots play and that fit tables of this size. Raises TournamentFileError."""
    sizes = {game.id: _sizes(game, wanted) for game in GAMES.values()}
    bots = [*wanted.bots, *([wanted.company] if wanted.company else [])]
    played = [_manifest(bot).games for bot in bots if not is_dialled(bot)]
    possible = [
        game
        for game, seats in sizes.items()
        if wanted.seats in seats and all(game in games for games in played)
    ]
    if not possible:
        raise TournamentFileError(f"there is no game that all the bots play at tables of {wanted.seats}")
    return possible


def _sizes(game: Game, wanted: ComparisonRequest) -> range:
    """The possible table sizes of a game with the given options. Raises TournamentFileError."""
    try:
        return game.seats(game.parse_options(wanted.options.get(game.id, {})))
    except WrongOption as problem:
        raise TournamentFileError(str(problem)) from None


def _names(bots: Sequence[str], taken: Names) -> list[str]:
    """A name for each bot: its own; its folder's if the own name is not unique; a number if neither is."""
    own = [_own_name(bot) for bot in bots]
    names: list[str] = []
    for bot, name in zip(bots, own, strict=True):
        if sum(same_name(name) == same_name(other) for other in own) > 1 and not is_dialled(bot):
            folder = Path(bot).resolve().name
            folders = [Path(other).resolve().name for other in bots if not is_dialled(other)]
            if folders.count(folder) == 1:
                name = folder
        names.append(taken.free(shortened(name)))
    return names


def _own_name(bot: str) -> str:
    return bot if is_dialled(bot) else _manifest(bot).name


def _manifest(bot: str) -> BotManifest:
    try:
        return read_bot_manifest(Path(bot))
    except BotManifestError as problem:
        if ":" in bot and not Path(bot).exists():
            raise TournamentFileError(
                f"{bot} is neither a folder nor an address, such as 127.0.0.1:50051 or unix:/path"
            ) from None
        raise TournamentFileError(str(problem)) from None


def _toml(value: object) -> str:
    """A value as TOML; for texts, whole numbers and booleans it is the same as JSON."""
    return json.dumps(value, ensure_ascii=False)
