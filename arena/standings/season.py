"""The standings of a season: the scores of several tournaments together.

The score of an entrant in a tournament is the share of the other entrants that it finished ahead of, with
ties counting half: 1 for the winner, 0 for the last, for any number of entrants. A season's total is the sum.
Equal totals are ranked by tournaments won, then by the best single tournament, and otherwise share a rank.
The season knows an entrant by its name, so a new version of a bot continues its season. `season_ratings`
rates the versions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

from arena.results import seat_scores
from arena.standings.tally import DuplicateGroup

_NONE: Mapping[DuplicateGroup, int] = MappingProxyType({})


class Night(NamedTuple):
    """One finished tournament of a season.

    Attributes:
        places: the final place of each entrant, by name.
        versions: the version of each entrant's bot, by name; may be empty.
        entrants: the names of the entrants by their numbers in `groups`.
        groups: the number of duplicate groups of each kind, all games pooled.
        paired_by_score: whether some of the games belong to a Swiss.
    """

    places: Mapping[str, int]
    versions: Mapping[str, str]
    entrants: Sequence[str] = ()
    groups: Mapping[DuplicateGroup, int] = _NONE
    paired_by_score: bool = False


class SeasonRow(NamedTuple):
    """One entrant's line of the standings of a season.

    Attributes:
        rank: 1 is best.
        name: the entrant's name.
        total: the sum of the scores.
        nights: the score of each tournament, in order; None if it did not play.
        wins: tournaments won, with shared wins.
        versions: the versions of its bot, in the order of their first appearance.
    """

    rank: int
    name: str
    total: Fraction
    nights: tuple[Fraction | None, ...]
    wins: int
    versions: tuple[str, ...]


def season_table(nights: Sequence[Night]) -> tuple[SeasonRow, ...]:
    """The standings of a season over finished tournaments, in their order; best first."""
    scores_of = [_scores(night) for night in nights]
    names = dict.fromkeys(name for night in nights for name in night.places)
    rows = []
    for name in names:
        scores = tuple(night.get(name) for night in scores_of)
        played = [score for score in scores if score is not None]
        wins = sum(night.places.get(name) == 1 for night in nights)
        versions = dict.fromkeys(night.versions[name] for night in nights if night.versions.get(name))
        rows.append(SeasonRow(0, name, sum(played, Fraction(0)), scores, wins, tuple(versions)))
    keys = {
        row.name: (row.total, row.wins, max(score for score in row.nights if score is not None))
        for row in rows
    }
    rows.sort(key=lambda row: keys[row.name], reverse=True)
    return tuple(row._replace(rank=1 + sum(key > keys[row.name] for key in keys.values())) for row in rows)


def _scores(night: Night) -> dict[str, Fraction]:
    names = list(night.places)
    return dict(zip(names, seat_scores([night.places[name] for name in names]), strict=True))
