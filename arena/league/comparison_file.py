"""Makes the tournament of a comparison, from the options of `arena compare`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from arena.comparison.coefficient import paying
from arena.formats.comparison import PERCENTS, ComparisonFormat
from arena.games import GAMES
from arena.games.game import Game, WrongOption
from arena.league.entrants import Entrant, Names, WrongEntrant, is_dialled, shortened, started
from arena.league.tournament_file import TITLE_LENGTH, Bots, TournamentFile, TournamentFileError, made
from arena.link.local.bot_manifest import BotManifest, BotManifestError, read_bot_manifest
from arena.link.local.sandbox import Trust, usual
from arena.names import same_name
from arena.table.clock import TimeControl
from arena.tournament.plan import DEFAULTS, Rules


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
        clock: the clock.
        options: the given options of the games, as in a tournament file.
        trust: what bots in folders are allowed.
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
    clock: TimeControl = DEFAULTS.clock
    options: Mapping[str, Mapping[str, object]] = {}
    trust: Trust = Trust(usual())


def comparison_file(wanted: ComparisonRequest) -> TournamentFile:
    """The comparison as a tournament in the present folder. Raises TournamentFileError."""
    games = tuple(wanted.games or _possible_games(wanted))
    if wanted.less_luck and paying().keys().isdisjoint(games):
        titles = ", ".join(sorted(GAMES[game].title for game in paying()))
        raise TournamentFileError(f"taking luck away helps only in {titles}: leave out --less-luck")
    for game in wanted.options:
        if game not in games:
            raise TournamentFileError(f"{game} is not played: leave its --option out")
    rules = Rules(
        games=games,
        options={game: _options(GAMES[game], wanted) for game in games},
        withdraw_after=0,  # a forfeited game is lost, and counts like any other
        clock=wanted.clock,
    )
    taken = Names()
    names = _names(wanted.bots, taken)
    company = list(_company(wanted, names, taken))
    entrants = [
        _entrant(bot, name, games, wanted.trust)
        for bot, name in [*zip(wanted.bots, names, strict=True), *company]
    ]
    stage = ComparisonFormat.of(
        len(entrants),
        wanted.seats,
        compared=len(names),
        pairs=wanted.pairs,
        company="copies" if wanted.company is None else "given",
        cap=wanted.boards,
        stops=wanted.stops,
        less_luck=wanted.less_luck,
        **{key: value for key in PERCENTS if (value := getattr(wanted, key)) is not None},
    )
    if misfit := rules.misfit(stage):
        raise TournamentFileError(misfit)
    plan = rules.plan(_title(wanted, names), (stage,), shared_cards="match")
    return made(Path("comparison.json"), plan, Bots(None, tuple(entrants), wanted.trust))


def _title(wanted: ComparisonRequest, names: Sequence[str]) -> str:
    title = f"{names[0]} against {', '.join(names[1:])}"
    short = f"{names[0]} against {len(names) - 1} others"
    if wanted.pairs == "best":
        title, short = f"best of {', '.join(names)}", f"best of {len(names)}"
    return title if len(title) <= TITLE_LENGTH else short[:TITLE_LENGTH]


def _company(wanted: ComparisonRequest, names: Sequence[str], taken: Names) -> Iterator[tuple[str, str]]:
    """The bots that fill larger tables, each with a name."""
    if wanted.seats > 2 and wanted.company is not None:
        for _ in range(1, wanted.seats):
            yield wanted.company, taken.free(_own_name(wanted.company))
    elif wanted.seats > 2:
        for bot, name in [*zip(wanted.bots, names, strict=True)][1:]:
            for _ in range(2, wanted.seats):
                yield bot, taken.free(shortened(name, " copy"))


def _entrant(bot: str, name: str, games: Sequence[str], trust: Trust) -> Entrant:
    """The entrant of a folder or an address. Raises TournamentFileError."""
    if is_dialled(bot):
        return Entrant(name, address=bot)
    try:
        return started(Path(bot).resolve(), games, trust, name)
    except WrongEntrant as problem:
        raise TournamentFileError(f"{problem.repaired}, or give another bot") from None


def _possible_games(wanted: ComparisonRequest) -> list[str]:
    """The games that all bots play and that fit tables of this size. Raises TournamentFileError."""
    sizes = {game.id: game.seats(_options(game, wanted)) for game in GAMES.values()}
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


def _options(game: Game, wanted: ComparisonRequest) -> Any:
    """The options of a game. Raises TournamentFileError."""
    try:
        return game.parse_options(wanted.options.get(game.id, {}))
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
