"""Several tournaments: the list of a league and the standings of its season, as text and as data for JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from arena.league.store import League, StoredTournament
from arena.league.stored import course_of
from arena.league.summary import final_of
from arena.report.standings_data import nash_json, notes_json, rating_json
from arena.report.standings_text import NASH, certain_columns, cycle_notes, fit_notes, nash_columns
from arena.report.tables import (
    NAME_IN_TEXT,
    WIDTH,
    Column,
    exact,
    interval,
    name_column,
    rating_text,
    season_score,
    shortened,
    split_table,
    table,
    wrapped,
)
from arena.standings.season import SeasonRow
from arena.text import one_line

if TYPE_CHECKING:  # else `arena list` would load NumPy, which takes long
    from arena.standings.season_ratings import SeasonRatings

_BESIDE_TOTALS = 5  # how many tournaments have a column in the table of totals
_MOST_NAMES = 3  # in a sentence
CERTAIN = (
    "certain: the bot's last version is between these places in the long run, by rating; with 95 % all these "
    "places are right together, for one look: whoever looks after each tournament meets an error more often"
)
"""The meaning of the certain places of a season."""
ONE_STRENGTH = (
    "Intervals and certain places take each version to be equally strong in every tournament. If it is not, "
    "they are too narrow"
)
"""The limit of the ratings of several tournaments."""
_LEGEND = (
    "score of a tournament: the share of the others that a bot finished ahead of, ties half; total: their "
    "sum; won: tournaments won"
)


def season_text(
    rows: Sequence[SeasonRow], rated: SeasonRatings, nights: Sequence[str], width: int = WIDTH
) -> str:
    """The standings of a season, with a numbered list of its tournaments below them.

    Args:
        rows: the table.
        rated: the ratings of its bots.
        nights: the titles of the tournaments, in order.
        width: the cells of a line; if there are too many tournaments they have a table of their own.
    """
    return "\n".join(_season_lines(rows, rated, nights, width)) if nights else "no finished tournament yet"


def _season_lines(
    rows: Sequence[SeasonRow], rated: SeasonRatings, nights: Sequence[str], width: int
) -> Iterator[str]:
    who = [Column("#", [str(row.rank) for row in rows]), name_column("bot", [row.name for row in rows])]
    certain = certain_columns(rated.certain_places(), [row.name for row in rows])
    ratings = [rated.of(row.name) for row in rows]
    totals = [
        Column("total", [season_score(row.total) for row in rows]),
        Column("won", [str(row.wins) for row in rows]),
        Column("rating", ["-" if rating is None else rating_text(rating) for rating in ratings]),
        Column(
            "95% interval", ["-" if rating is None else interval(rating) for rating in ratings], short="95%"
        ),
        *certain,
        *nash_columns(rated.nash, [rated.last[row.name] for row in rows]),
    ]
    each = [
        Column(str(number + 1), [season_score(row.nights[number]) for row in rows])
        for number in range(len(nights))
    ]
    versions = []
    if any(row.versions for row in rows):
        versions.append(name_column("versions", [", ".join(row.versions) for row in rows]))
    if len(nights) <= _BESIDE_TOTALS:
        yield from table([*who, *totals, *each, *versions], width)
    else:
        yield from table([*who, *totals, *versions], width)
        yield ""
        yield "Score in each tournament"
        yield from split_table(who, each, width)
    yield ""
    yield from wrapped(_LEGEND, width)
    for note in rating_notes(rated):
        yield from wrapped(note, width)
    yield ""
    for number, title in enumerate(nights, 1):
        yield from wrapped(f"{number}: {one_line(title)}", width, "   ")


def rating_notes(rated: SeasonRatings) -> Iterator[str]:
    """What has to be said of the ratings, as sentences without their full stops."""
    labels = rated.labels()

    def name(number: int) -> str:
        return shortened(one_line(labels[number]), NAME_IN_TEXT)

    shown = [rating for rating in rated.ratings if rating.island == rated.shown]
    several = len(rated.versions) > len(rated.last)
    yield from fit_notes(
        shown,
        ", one fit of all games of all tournaments",
        by_score=rated.paired_by_score,
        whole="the mean of all versions" if several else "their mean",
    )
    if rated.certain_places():
        yield CERTAIN
    if rated.nights > 1:
        yield ONE_STRENGTH
    if several:
        yield "Each version of a bot has a rating of its own; the table has that of the one that played last"
    if others := rated.unconnected():
        named = ", ".join(name(rated.last[bot]) for bot in others[:_MOST_NAMES])
        more = f" and {len(others) - _MOST_NAMES} more" if len(others) > _MOST_NAMES else ""
        yield (
            "without a rating, because no chain of games connects its last version with those of the other "
            f"bots: {named}{more}"
        )
    yield from cycle_notes(rated.cycles, name)
    if rated.nash:
        yield NASH


def season_json(rows: Sequence[SeasonRow], rated: SeasonRatings, nights: Sequence[str]) -> dict[str, Any]:
    """The standings as plain data; scores are exact fractions beside their values.

    `ratings` has every version of every bot, also those that no games connect with the ones in the table:
    `rating_notes` tells which ratings can be compared.
    """
    ratings = {row.name: rated.of(row.name) for row in rows}
    certain = rated.certain_places()
    return {
        "tournaments": list(nights),
        "season": [
            {
                "rank": row.rank,
                "name": row.name,
                "total": exact(row.total),
                "tournaments": [None if score is None else str(score) for score in row.nights],
                "won": row.wins,
                "versions": list(row.versions),
                "rating": None if (rating := ratings[row.name]) is None else rating_json(rating),
                "certain_places": certain.get(row.name),
                "nash": nash_json(rated.nash.get(rated.last[row.name])),
            }
            for row in rows
        ],
        "ratings": [
            {
                "name": version.bot,
                "version": version.version,
                "last": rated.last[version.bot] == number,
                "rating": rating_json(rated.ratings[number]),
                "nash": nash_json(rated.nash.get(number)),
            }
            for number, version in enumerate(rated.versions)
        ],
        "rating_notes": notes_json(rated.ratings, rated.cycles, rated.labels()),
    }


class _Line(NamedTuple):
    """A tournament, its progress, and its leaders (several if they share the first place)."""

    stored: StoredTournament
    state: str
    played: int
    left: int
    first: list[str]


def _lines(league: League) -> Iterator[_Line]:
    for stored in league.tournaments():
        course = course_of(league, stored.id)
        final = final_of(course)
        first = [stored.entrants[line.entrant].name for line in final if line.place == 1]
        state = "finished" if stored.finished else "paused" if course.effects.paused else "unfinished"
        if course.over and course.may_go_on:
            state = "can go on"
        if course.effects.ended:
            state = "ended early"
        played = course.tally.played
        yield _Line(stored, state, played, course.games_left(), first if played else [])


def list_text(league: League, width: int = WIDTH) -> str:
    """The tournaments as a table, in lines of so many cells."""
    lines = [*_lines(league)]
    if not lines:
        return f"{league.path} holds no tournament yet; run one with arena run FILE"
    games = [
        str(line.played) if not line.left else f"{line.played}/{line.played + line.left}" for line in lines
    ]
    columns = [
        Column("#", [str(line.stored.id) for line in lines]),
        name_column("tournament", [one_line(line.stored.name) for line in lines]),
        Column("begun", [f"{line.stored.started.astimezone():%Y-%m-%d %H:%M}" for line in lines]),
        Column("state", [line.state for line in lines], left=True),
        Column("bots", [str(len(line.stored.entrants)) for line in lines]),
        Column("games", games),
        name_column("first", [", ".join(map(one_line, line.first)) for line in lines]),
    ]
    return "\n".join(table(columns, width))


def list_json(league: League) -> list[dict[str, Any]]:
    """The tournaments as plain data; times are UTC, ISO 8601."""
    return [
        {
            "tournament": line.stored.id,
            "name": line.stored.name,
            "started": line.stored.started.isoformat(),
            "finished": None if line.stored.finished is None else line.stored.finished.isoformat(),
            "state": line.state,
            "entrants": [entrant.name for entrant in line.stored.entrants],
            "games_played": line.played,
            "games_left": line.left,
            "first": line.first,
        }
        for line in _lines(league)
    ]
