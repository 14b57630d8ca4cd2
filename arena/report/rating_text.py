"""What stands below ratings: what they are, and what they cannot say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from arena.games import GAMES
from arena.report.layout import counted
from arena.runner.leagues.summary import Summary
from arena.standings.values import Cycle, Rating

_MOST = 3  # cycles, and names, that are told one by one


def islands_of(ratings: Sequence[Rating]) -> list[list[int]]:
    """The sets of entrants that no chain of games connects; none where all rated are connected."""
    found: dict[int, list[int]] = {}
    for rating in ratings:
        if rating.groups:
            found.setdefault(rating.island, []).append(rating.entrant)
    return [found[number] for number in sorted(found)] if len(found) > 1 else []


def rating_notes(summary: Summary, name: Callable[[int], str]) -> Iterator[str]:
    """The sentences below the final ranking."""
    several = len(summary.plan.games) > 1
    if several:
        yield "score: the mean of the scores in each game, on all boards"
    rated = [rating for rating in summary.ratings if rating.groups]
    anchors = [rating for rating in rated if rating.anchor]
    mean = "their mean" if len(anchors) == len(rated) else f"the mean of the {len(anchors)} best known"
    pooled = ", all games pooled" if several else ""
    islands = islands_of(summary.ratings)
    if not islands and anchors:
        yield f"rating: Bradley-Terry{pooled}; 400 points are odds of 10 to 1, 1500 is {mean}"
    else:
        yield f"rating: Bradley-Terry{pooled}; 400 points are odds of 10 to 1"
    if any(rating.bound for rating in rated):
        yield (
            "above, below: it lost nothing, or won nothing, that would bound its rating on the other side; "
            "a result so clean has a chance of 2.5 % at the bound"
        )
    if any(stage.stage.pairs_by_score for stage in summary.stages):
        yield (
            "A Swiss pairs by results, which makes ratings of the best too high and of the worst too low. "
            "So each rating is the mean of two: of the results alone, and as if each bot had also played "
            "three level boards against one average bot. The interval holds the intervals of both"
        )
    if islands:
        yield _unconnected(islands, name)
    yield from _cycles(summary.cycles, "", name)
    if several:
        for game, cycles in summary.game_cycles.items():
            yield from _cycles(cycles, f"In {GAMES[game].title} ", name)


def _unconnected(islands: Sequence[Sequence[int]], name: Callable[[int], str]) -> str:
    sets = ", ".join(f"({_names(island, name)})" for island in islands[:_MOST])
    more = f" and {len(islands) - _MOST} more" if len(islands) > _MOST else ""
    return (
        f"No chain of games connects these sets of bots: {sets}{more}. Each has a 1500 of its own: "
        "compare ratings within a set only, until they have met."
    )


def _cycles(cycles: Sequence[Cycle], where: str, name: Callable[[int], str]) -> Iterator[str]:
    for cycle in cycles[:_MOST]:
        a, b, c = map(name, cycle.entrants)
        first, second, third = (f"{score * 100:.0f} %" for score in cycle.scores)
        yield (
            f"{where}{a} beats {b} ({first}), {b} beats {c} ({second}) and {c} beats {a} ({third}), "
            "by more than chance explains. A rating cannot show that: which of the three is rated best "
            "depends on who else plays. The crosstable tells who beats whom."
        )
    if len(cycles) > _MOST:
        there = f"{where}there are" if where else "There are"
        yield f"{there} {counted(len(cycles) - _MOST, 'more such cycle')}."


def _names(entrants: Sequence[int], name: Callable[[int], str]) -> str:
    named = ", ".join(map(name, entrants[:_MOST]))
    return named if len(entrants) <= _MOST else f"{named} and {len(entrants) - _MOST} more"
