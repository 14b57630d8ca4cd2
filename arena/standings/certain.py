"""Places that are certain: between which places each entrant is, if all intervals are right.

Where two intervals do not overlap, the order of the two entrants is as certain as the intervals. So if all
intervals of a table hold together with 95 %, all these places do.

After a tournament or a season the intervals are those of the ratings, each at the level 1 - 0.05 / entrants
(C. E. Bonferroni, 1936; `Rating.together`). So a place is one by rating, in the long run. It can be another
one than that in the ranking, whose scores cannot be compared where opponents differed. This holds for one
look at results whose number was fixed before: not for every look at a tournament that is being played.

The levels are approximations; in a gauntlet the intervals of all bots hold together less often. But a
place is wrong only if two intervals miss, or if one misses by more than another's reach. docs/design-notes.md
has how often that was so.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence

from arena.standings.values import Rating

Places = tuple[int, int]
"""The best and the last place that an entrant may have."""


def places(found: Sequence[tuple[float, float]]) -> list[Places]:
    """The best and the last place that each may have, if all intervals are right.

    Args:
        found: the ends of the interval of each.
    """
    lows, highs = sorted(low for low, _ in found), sorted(high for _, high in found)
    return [
        (1 + len(found) - bisect_right(lows, high), len(found) - bisect_left(highs, low))
        for low, high in found
    ]


def places_by_rating(ratings: Iterable[Rating]) -> dict[int, Places]:
    """The places of the entrants among each other, by their ratings.

    Entrants without a game have none. Empty without intervals.
    """
    islands = defaultdict[int, dict[int, tuple[float, float]]](dict)
    for each in ratings:
        if each.groups:
            if each.together is None:
                return {}
            islands[each.island][each.entrant] = each.together
    rated = sum(map(len, islands.values()))
    return {
        entrant: (best, last + rated - len(members))  # those of other islands may be above it or below
        for members in islands.values()
        for entrant, (best, last) in zip(members, places([*members.values()]), strict=True)
    }
