"""The titles of bots: what they have won in a league. They are computed from results, never stored."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from typing import NamedTuple

from arena.results import MatchKey, MatchResult
from arena.standings.values import Rating


class Upset(NamedTuple):
    """A match that an entrant won although an opponent is rated higher.

    Attributes:
        match: the match.
        loser: the entrant with the highest rating among its opponents.
        points: by how much that rating is higher.
    """

    match: MatchKey
    loser: int
    points: float


class Part(NamedTuple):
    """A tournament of a league, as far as it gives titles.

    Attributes:
        tournament: its number in the league.
        ladder: whether it is a season of a ladder; else it is a night.
        bots: the name of the bot of each entrant.
        first: the entrants with the first place at its end; none while it is not over.
        upsets: the largest upset of each entrant that has one.
        looks: who had the first place of a ladder at some moments, in order; None for nobody.
    """

    tournament: int
    ladder: bool
    bots: Sequence[str]
    first: Collection[int]
    upsets: Mapping[int, Upset]
    looks: Sequence[tuple[datetime, int | None]] = ()


class Titles(NamedTuple):
    """The titles of a bot.

    Attributes:
        nights: the numbers of the nights that it won, the oldest first.
        in_a_row: the most of them that followed each other with no other night between them.
        seasons: the numbers of the seasons of the ladder that it won.
        upset: its largest upset.
        upset_in: the tournament of that.
        upset_of: the bot that lost.
        reign: the first and the last of the most distant moments between which it was seen in the first place
            of the ladder at every look.
    """

    nights: tuple[int, ...]
    in_a_row: int
    seasons: tuple[int, ...]
    upset: Upset | None
    upset_in: int
    upset_of: str
    reign: tuple[datetime, datetime] | None


def upsets(results: Mapping[MatchKey, MatchResult], ratings: Iterable[Rating]) -> dict[int, Upset]:
    """The largest upset of each entrant in a tournament. Walkovers are none.

    Args:
        results: the results of its matches.
        ratings: the ratings that are compared, as they are at its end.
    """
    rated = {each.entrant: each for each in ratings if each.rating is not None}
    found: dict[int, Upset] = {}
    for key, result in results.items():
        scores = dict(zip(result.entrants, zip(result.scores, *result.extra, strict=True), strict=True))
        best = [entrant for entrant in scores if scores[entrant] == max(scores.values())]
        if result.walkover or len(best) > 1 or best[0] not in rated:
            continue
        [winner] = best
        own = rated[winner]
        others = [rated[each] for each in result.entrants if each != winner and each in rated]
        for other in others:
            points = (other.rating or 0) - (own.rating or 0)
            before = found.get(winner)
            if other.island == own.island and points > (before.points if before else 0):
                found[winner] = Upset(key, other.entrant, points)
    return found


def titles(bot: str, parts: Sequence[Part]) -> Titles:
    """The titles of a bot in the tournaments of a league, which are in their order."""
    over = [(part, any(part.bots[each] == bot for each in part.first)) for part in parts if part.first]
    nights = [(part.tournament, won) for part, won in over if not part.ladder]
    best, part = max(
        (
            (upset, part)
            for part in parts
            for entrant, upset in part.upsets.items()
            if part.bots[entrant] == bot
        ),
        key=lambda each: each[0].points,
        default=(None, None),
    )
    return Titles(
        nights=tuple(number for number, won in nights if won),
        in_a_row=max((len([*run]) for won, run in groupby(won for _, won in nights) if won), default=0),
        seasons=tuple(part.tournament for part, won in over if won and part.ladder),
        upset=best,
        upset_in=part.tournament if part else 0,
        upset_of=part.bots[best.loser] if part and best else "",
        reign=max((reign for part in parts for reign in _reigns(bot, part)), key=_length, default=None),
    )


def _reigns(bot: str, part: Part) -> list[tuple[datetime, datetime]]:
    """The reigns of a bot in a season that more than one look saw."""
    looks = [(at, first is not None and part.bots[first] == bot) for at, first in part.looks]
    runs = [[at for at, _ in run] for reigns, run in groupby(looks, lambda look: look[1]) if reigns]
    return [(run[0], run[-1]) for run in runs if len(run) > 1]


def _length(reign: tuple[datetime, datetime]) -> timedelta:
    return reign[1] - reign[0]
