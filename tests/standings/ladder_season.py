"""Simulated seasons of a ladder; figures of docs/design-notes.md.

`python -m tests.standings.ladder_season KIND [SEASONS]` says how many seasons have a wrong interval
or place at any of their looks. 100 seasons take minutes.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from arena.formats.ladder_pairing import WINDOW, Bot, Pair, Planner
from arena.results import MatchResult
from arena.standings.adaptive import AdaptiveFit
from arena.standings.certain import places
from arena.standings.elimination import Floats
from arena.standings.rating import MEAN, SCALE, ratings
from arena.standings.tally import DuplicateGroup
from arena.standings.values import Rating


class Board(NamedTuple):
    """A board of a match: its round, its bots, and the halves of 4 that the first took in each game."""

    round: int
    one: int
    other: int
    halves: tuple[int, ...]


class Kind(NamedTuple):
    """A kind of season.

    Attributes:
        bots: how many bots there are.
        spread: the standard deviation of their strengths, in points.
        shape: how strengths are drawn: `normal`, `heavy` (Student's t, 3 degrees of freedom), `two` groups.
        same: how often, beyond chance, both games of a board have the same winner; if negative, another.
        draws: the share of drawn games between equals.
        games: how many games (kinds) a match has; the strength in each varies by a third of the spread.
        rounds: how many rounds it has.
        versions: how many bots have a next version, one every three rounds from round 40 on.
    """

    bots: int = 40
    spread: float = 150
    shape: str = "normal"
    same: float = 0.0
    draws: float = 0.0
    games: int = 1
    rounds: int = 200
    versions: int = 0


KINDS = {
    "usual": Kind(),
    "five games": Kind(games=5, rounds=100),
    "games of a board hang together": Kind(same=0.5),
    "luck that the seats exchange": Kind(same=-0.5),
    "90 % draws": Kind(draws=0.9),
    "8 bots": Kind(bots=8),
    "nearly equal": Kind(spread=60),
    "far apart": Kind(spread=300),
    "heavy tails": Kind(spread=100, shape="heavy"),
    "two groups": Kind(shape="two"),
    "20 new versions": Kind(versions=20),
}


def season(kind: Kind, chance: np.random.Generator) -> tuple[Floats, list[Board]]:
    """The true strengths, a row for each game and a column for each bot, and the boards of a season."""
    true = _strengths(kind, chance)
    bots = [Bot(number, "", None, 0, None) for number in range(kind.bots)]
    for number in range(kind.versions):
        since = 40 + 3 * number
        bots[number] = bots[number]._replace(gone=since)
        bots.append(Bot(kind.bots + number, "", number, since, None))
    planner = Planner(bots)
    to_use: dict[int, list[tuple[Pair, MatchResult]]] = {}
    boards = []
    for number in range(kind.rounds):
        for pair, result in to_use.pop(number, []):
            planner.use(pair, result)
        for pair in planner.plan(number):
            chances = 1 / (1 + np.exp(true[:, pair.other] - true[:, pair.one]))
            halves = tuple(_halves(float(each), kind, chance) for each in chances)
            share = Fraction(sum(halves), 4 * kind.games)
            result = MatchResult((pair.one, pair.other), (share, 1 - share))
            to_use.setdefault(number + WINDOW, []).append((pair, result))
            boards.append(Board(number, pair.one, pair.other, halves))
    return true, boards


def _strengths(kind: Kind, chance: np.random.Generator) -> Floats:
    size, spread = kind.bots, kind.spread / SCALE
    if kind.shape == "heavy":
        alone = chance.standard_t(3, size) * spread
    elif kind.shape == "two":
        alone = (chance.choice([-1, 1], size) + chance.normal(0, 0.1, size)) * spread
    else:
        alone = chance.normal(0, spread, size)
    alone = np.append(alone, alone[: kind.versions] + chance.normal(30, 60, kind.versions) / SCALE)
    return alone + chance.normal(0, spread / 3 if kind.games > 1 else 0, (kind.games, len(alone)))


def _halves(chance_to_win: float, kind: Kind, chance: np.random.Generator) -> int:
    drawn = kind.draws * 2 * min(chance_to_win, 1 - chance_to_win)
    luck = chance.random(2)
    if chance.random() < abs(kind.same):
        luck[1] = luck[0] if kind.same > 0 else 1 - luck[0]
    won = chance_to_win - drawn / 2
    return int(((luck < won).astype(int) + (luck < won + drawn)).sum())


def groups_of(boards: Iterable[Board], game: int = 0) -> Counter[DuplicateGroup]:
    """The duplicate groups of a game."""
    return Counter(DuplicateGroup((each.one, each.other), (each.halves[game],)) for each in boards)


class Look(NamedTuple):
    """What is wrong at one moment: any rating, any score (of a game or of all), any place."""

    rating: bool
    score: bool
    place: bool


def look(true: Floats, boards: Sequence[Board], ranked: int = 10) -> Look:
    """What a ladder says wrongly after these boards; bots are ranked from `ranked` boards on."""
    fit = AdaptiveFit({str(game): groups_of(boards, game) for game in range(len(true))})
    rating = any(
        _wrong(fit.ratings(game), own, [fit.entrants[each] for each in fit.anchors(game)])
        for game, own in [(None, true.mean(axis=0)), *((game, true[int(game)]) for game in fit.games)]
    )
    field = [
        each for each, count in zip(fit.entrants, fit.boards.min(axis=0), strict=True) if count >= ranked
    ]
    if len(field) < 2:
        return Look(rating, False, False)
    chances = 1 / (1 + np.exp(true[:, None, field] - true[:, :, None]))
    own = np.isin(np.arange(true.shape[1]), field)
    by_game = (chances.sum(axis=2) - own / 2) / (len(field) - own)
    score = any(
        not _within(share.low, scores[entrant], share.high)
        for game, scores in [
            (None, by_game.mean(axis=0)),
            *((game, by_game[int(game)]) for game in fit.games),
        ]
        for entrant, share in fit.shares(field, game).items()
    )
    scores, shares = by_game.mean(axis=0), fit.shares(field)
    order = sorted(field, key=lambda each: -scores[each])
    ends = [
        (each.low or 0.0, 1.0 if each.high is None else each.high) for each in map(shares.get, field) if each
    ]
    place = any(
        not best <= order.index(entrant) + 1 <= last
        for entrant, (best, last) in zip(field, places(ends), strict=True)
    )
    return Look(rating, score, place)


def _wrong(lines: Mapping[int, Rating], true: Floats, anchors: Sequence[int]) -> bool:
    middle = true[anchors].mean() if anchors else 0.0
    return any(
        not _within(line.low, MEAN + SCALE * float(true[entrant] - middle), line.high)
        for entrant, line in lines.items()
    )


def _within(low: float | None, value: float, high: float | None) -> bool:
    return low is not None and high is not None and low <= value <= high


def main(name: str, seasons: int, every: int = 10) -> None:
    kind, chance = KINDS[name], np.random.default_rng([46, *name.encode()])
    wrong, widths = np.zeros(3, int), []
    for _ in range(seasons):
        true, boards = season(kind, chance)
        looks = [
            look(true, [each for each in boards if each.round < until])
            for until in range(every, kind.rounds + 1, every)
        ]
        wrong += np.any(looks, axis=0)
        fit = AdaptiveFit({"": (groups := groups_of(boards))})
        now = fit.ratings()
        for line in ratings(groups, fit.entrants):
            own = now[line.entrant]
            if (
                line.low is not None
                and line.high is not None
                and own.low is not None
                and own.high is not None
            ):
                widths.append((own.high - own.low) / (line.high - line.low))
    told = ", ".join(f"{count} a wrong {what}" for count, what in zip(wrong, Look._fields, strict=True))
    wider = f"intervals of ratings are {np.median(widths):.2f} times as wide as those for fixed schedules"
    sys.stdout.write(f"{name}: of {seasons} seasons {told}; {wider}\n")


if __name__ == "__main__":
    main(sys.argv[1], int((*sys.argv, "100")[2]))
