"""The ratings of a season: one fit of all games of its tournaments.

Each version of a bot is an entrant of the fit. A bot has one version wherever its name and its version are
the same, in any tournament; so bots that stay as they are connect the tournaments, and show what others have
gained by a new version. The entrants are numbered by name and version. So the order of the tournaments has no
influence on any rating.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from arena.standings.certain import Places, places_by_rating
from arena.standings.cycles import cycles, nash_averages
from arena.standings.rating import ratings
from arena.standings.season import Night
from arena.standings.tally import DuplicateGroup
from arena.standings.values import Cycle, NashAverage, Rating


class Version(NamedTuple):
    """A version of a bot: an entrant of the fit.

    Attributes:
        bot: the name of the bot.
        version: its version; may be empty.
    """

    bot: str
    version: str


class SeasonRatings(NamedTuple):
    """The ratings of a season.

    Attributes:
        versions: the versions of all bots, by name and version; their places here are their numbers.
        ratings: the rating of each.
        last: the number of the version that a bot played last, by the name of the bot.
        shown: the island (see `Rating`) whose ratings the table shows: it has the most of the `last`.
        cycles: versions that beat each other in a circle.
        nash: the Nash average of versions, by number; empty without a cycle.
        paired_by_score: whether some of the games belong to a Swiss.
        nights: how many tournaments there are.
    """

    versions: tuple[Version, ...]
    ratings: tuple[Rating, ...]
    last: Mapping[str, int]
    shown: int
    cycles: tuple[Cycle, ...]
    nash: Mapping[int, NashAverage]
    paired_by_score: bool
    nights: int

    def of(self, bot: str) -> Rating | None:
        """The rating in a bot's row: that of its last version; None if it does not belong to those shown."""
        rating = self.ratings[self.last[bot]]
        return rating if rating.groups and rating.island == self.shown else None

    def certain_places(self) -> dict[str, Places]:
        """The best and the last place that each bot may have, by the ratings of the last versions.

        With 95 % all of them are right together, at one look.
        """
        found = places_by_rating(self.ratings[at] for at in self.last.values())
        return {bot: found[at] for bot, at in self.last.items() if at in found}

    def unconnected(self) -> list[str]:
        """The bots whose last version has a rating that does not belong to those shown."""
        return [bot for bot, at in self.last.items() if self.ratings[at].groups and self.of(bot) is None]

    def labels(self) -> list[str]:
        """The name of each version, which is that of its bot if it has no other version."""
        of_bot = Counter(version.bot for version in self.versions)
        return [" ".join(filter(None, each)) if of_bot[each.bot] > 1 else each.bot for each in self.versions]


def season_ratings(nights: Sequence[Night]) -> SeasonRatings:
    """The ratings of a season, with intervals.

    Args:
        nights: the tournaments in their order, with their `entrants` and `groups`.
    """
    of_night = [[Version(name, night.versions.get(name, "")) for name in night.entrants] for night in nights]
    versions = sorted({version for each in of_night for version in each})
    number_of = {version: number for number, version in enumerate(versions)}
    groups = Counter[DuplicateGroup]()
    for night, entered in zip(nights, of_night, strict=True):
        numbers = [number_of[version] for version in entered]
        for group, count in night.groups.items():
            groups[group._replace(entrants=tuple(numbers[each] for each in group.entrants))] += count
    by_score = any(night.paired_by_score for night in nights)
    rated = ratings(groups, range(len(versions)), paired_by_score=by_score)
    last = {version.bot: number_of[version] for each in of_night for version in each}
    islands = Counter(rated[at].island for at in last.values() if rated[at].groups)
    found = cycles(groups)
    return SeasonRatings(
        versions=tuple(versions),
        ratings=rated,
        last=last,
        shown=min(islands, key=lambda island: (-islands[island], island), default=0),
        cycles=found,
        nash=nash_averages(groups, found, paired_by_score=by_score),
        paired_by_score=by_score,
        nights=len(nights),
    )
