"""Arguments and options that several commands share, and their values."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.parameters import OneOf, in_one
from arena.games import GAMES
from arena.hosting.place import Place
from arena.league.entrants import Entrant, is_dialled
from arena.league.store import League, StoredTournament, UnknownTournament
from arena.link.local.bot_manifest import read_bot_manifest
from arena.link.local.sandbox import Asked, Level, Trust, usual
from arena.link.tls.trust import OwnCertificate
from arena.table.clock import TimeControl, parse_duration
from arena.table.deal import KEY_BYTES, key_of_seed
from arena.text import installing
from arena.tournament.plan import DEFAULT_CLOCK, LONGEST

if TYPE_CHECKING:
    from arena.league.compared import ComparisonSummary


def league_path(ctx: click.Context, parameter: click.Parameter, path: Path | None) -> Path | None:
    """The path of a league as it was given; of the folder of a standing league, its league file.

    Raises BadParameter if it is a tournament file or another folder.
    """
    league = None if path is None else file_or_place(ctx, parameter, path)
    return league.league if isinstance(league, Place) else league


def file_or_place(ctx: click.Context, parameter: click.Parameter, path: Path) -> Path | Place:
    """The path of a league as it was given, or the standing league whose folder it is.

    Raises BadParameter if it is a tournament file or another folder.
    """
    if path.suffix == ".toml":
        raise click.BadParameter(
            f"{path} is a tournament file, not a league; give the league that arena run makes of it, "
            f"such as {path.stem}.league"
        )
    if not path.is_dir():
        return path
    place = Place(path)
    if not place.settings.is_file():
        raise click.BadParameter(f"{path} is a folder, and not that of a standing league")
    return place


league_argument = click.argument("league", type=click.Path(path_type=Path), callback=league_path)
tournament_option = click.option(
    "--tournament", type=click.IntRange(min=1), help="Which tournament of the league (default: the last one)."
)


def choose_tournament(store: League, number: int | None) -> StoredTournament:
    """The tournament with a number, or the last one; its hash chain is checked.

    Raises UnknownTournament if there is none, and DamagedLeague.
    """
    store.require_sound()
    chosen = last_tournament(store, number)
    store.require_sound(tournament=chosen.id)
    return chosen


def last_tournament(store: League, number: int | None) -> StoredTournament:
    """The tournament with a number, or the last one, unchecked. Raises UnknownTournament."""
    if number is not None:
        return store.tournament(number)
    tournaments = store.tournaments()
    if not tournaments:
        raise UnknownTournament(f"{store.path} holds no tournament yet; run one with arena run FILE")
    return tournaments[-1]


def sandbox_option(text: str) -> Callable[[Any], Any]:
    """The option `--sandbox`; `text` is its help."""
    return click.option("--sandbox", type=OneOf([level.value for level in Level]), help=text)


def entrant_of(bot: str, level: str | None, shown: OwnCertificate | None = None) -> Entrant:
    """The bot that a command line names by a folder with a bot.toml, or by an address.

    Args:
        bot: the folder or the address.
        level: the sandbox of a bot in a folder; None for the usual one.
        shown: the certificate that a bot at an address is shown.

    Raises BotManifestError, SandboxMissing.
    """
    if is_dialled(bot):
        return Entrant(bot, address=bot, shown=shown)
    manifest = read_bot_manifest(Path(bot))
    sandbox = trust_at(level).sandbox(manifest.needs)
    sandbox.require()
    return Entrant(manifest.name, bot=manifest, sandbox=sandbox)


def asked_of(level: str | None) -> Asked | None:
    """The level that `--sandbox` asks for; None if it is not given."""
    return Asked(Level(level)) if level else None


def trust_at(level: str | None) -> Trust:
    """The usual trust, at the level of `--sandbox` if that is given."""
    asked = asked_of(level)
    return Trust(usual()).at(asked) if asked else Trust(usual())


def duration_of(text: str, option: str, at_least: int = 1) -> int:
    """The nanoseconds of a duration such as "20s". Raises BadParameter."""
    nanoseconds = parse_duration(text)
    if nanoseconds is None or nanoseconds < at_least:
        raise click.BadParameter(f'{text!r} is no time such as "20s" or "100ms"', param_hint=option)
    return nanoseconds


def _clock(bank: str | None, increment: str | None, move: str | None) -> dict[str, str]:
    """The given parts of a time control, as texts. Raises BadParameter."""
    parts = {"bank": bank, "increment": increment, "move": move}
    given = {name: text for name, text in parts.items() if text is not None}
    for name, text in given.items():
        if duration_of(text, f"--{name}", at_least=0 if name == "increment" else 1) > LONGEST:
            raise click.BadParameter(f"{text!r} is more than 24h", param_hint=f"--{name}")
    return given


clock_options = in_one(
    "clock",
    _clock,
    (
        click.option("--bank", metavar="TIME", help="The clock's bank for a game and seat (default: 60s)."),
        click.option(
            "--increment", metavar="TIME", help="What each decision adds to the bank (default: 100ms)."
        ),
        click.option("--move", metavar="TIME", help="The limit of one decision (default: 5s)."),
    ),
)
"""Adds the options of a time control; the command takes those given as `clock`, a dict of texts."""


def clock_of(given: Mapping[str, str]) -> TimeControl:
    """The clock with these given parts, as `clock_options` hands them over. Raises BadParameter."""
    parts = {name: duration_of(text, f"--{name}", at_least=0) for name, text in given.items()}
    return DEFAULT_CLOCK._replace(**parts)


def options_of(texts: Sequence[str]) -> dict[str, dict[str, object]]:
    """The options of games as they were given, `GAME.NAME=VALUE`. Raises BadParameter."""
    options: dict[str, dict[str, object]] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        game, dot, option = name.partition(".")
        if not (equals and dot) or game not in GAMES:
            raise click.BadParameter(
                f"{text!r} is not GAME.NAME=VALUE, such as nyuri.contest=open", param_hint="--option"
            )
        try:
            options.setdefault(game, {})[option] = json.loads(value)
        except (ValueError, RecursionError):
            options.setdefault(game, {})[option] = value
    return options


def deal_key(seed: str | None) -> bytes:
    """The key of the deals that a `--seed` stands for; a random one without a seed."""
    return secrets.token_bytes(KEY_BYTES) if seed is None else key_of_seed(seed)


less_luck_option = click.option(
    "--less-luck",
    is_flag=True,
    help="Take luck away in games where that helps, between strong bots only with the native engine; takes "
    "up to half a second a game. With --boards the scores without luck are shown at the end; else half of "
    "the bets are on them.",
)
ONLY_SETTLED = (
    "--less-luck here is for a comparison whose number of boards was settled beforehand, by --boards "
    "N; others take luck away as they go, if they began with --less-luck"
)

_PLOTS = (".svg", ".png", ".pdf")


def _plot(ctx: click.Context, parameter: click.Parameter, path: Path | None) -> Path | None:
    if path is not None and path.suffix.lower() not in _PLOTS:
        raise click.BadParameter(f"{path} ends in none of {', '.join(_PLOTS)}")
    return path


plot_option = click.option(
    "--plot",
    type=click.Path(path_type=Path, dir_okay=False),
    callback=_plot,
    help="Draw the scores with their intervals, board by board, into FILE.svg, .png or .pdf.",
)


def require_plotting(path: Path | None) -> None:
    """Raises CannotRun if a plot is wanted and cannot be drawn."""
    if path is None:
        return
    from arena.referee.night.settings import CannotRun  # only here, because it loads much

    try:
        import matplotlib as matplotlib
    except ImportError:
        raise CannotRun(
            f"--plot needs matplotlib: {installing('plot')} in a clone of the arena, or leave it out"
        ) from None
    if not path.resolve().parent.is_dir():
        raise CannotRun(f"{path} cannot be written: there is no folder {path.resolve().parent}")


def write_plot(summary: ComparisonSummary, path: Path) -> None:
    """Draws a comparison. Raises CannotRun if the file cannot be written."""
    from arena.referee.night.settings import CannotRun
    from arena.report.comparison_plot import draw

    try:
        draw(summary, path)
    except OSError as error:
        raise CannotRun(f"{path} cannot be written: {error.strerror}") from None
