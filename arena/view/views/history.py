"""Lines of scores, places and ratings over time, for `plot` and `spark` in macros.html.

A drawing is a box of 1000 by 1000 that the browser stretches, so its lines are points of that box, and its
labels have their place in percent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from arena.report.tables import percent
from arena.results import SeatResult
from arena.view.league.history import History, Moment, Standing

_LEFT, _RIGHT, _TOP, _BOTTOM = 90, 975, 50, 900  # the part of the box in which lines are drawn
_MOST_TICKS = 8
_LETTERS = 48  # of labels for which a phone has room
_SPARK_WIDTH, _SPARK_HEIGHT, _SPARK_EDGE = 96, 24, 4
_A_ROW = 20  # games in a row of a run
_MOST_SIGNS = 100  # games of a run that have a sign
_SIGNS = {"won": "h0", "lost": "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0", "level": "m-4 0h8", "fault": "m-4 7h8"}
_STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500)

Point = tuple[int, float]
"""The number of a moment, from 0, and a value."""


class Tick(NamedTuple):
    """A label of an axis, at a place in percent; `wide` if there is no room for it on a phone."""

    at: float
    text: str
    wide: bool = False


class Line(NamedTuple):
    """A line of a plot: the row that it belongs to, and its points."""

    key: int
    points: str


class Plot(NamedTuple):
    """A drawing of lines, one for each row of a table.

    Attributes:
        name: what its lines show.
        across: the labels of the moments.
        up: the labels of the values.
        lines: the lines.
    """

    name: str
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]
    lines: tuple[Line, ...]


class Told(NamedTuple):
    """The values of a plot as a table: a heading for each moment, and by row a text for each moment."""

    moments: tuple[str, ...]
    rows: Mapping[int, tuple[str, ...]]


class Band(NamedTuple):
    """A rating over nights in a drawing: the line, its intervals as a polygon, and the changes of version."""

    line: str
    band: str
    versions: tuple[Tick, ...]
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]


class Went(NamedTuple):
    """How a game went for one entrant: `won`, `lost` or `level`, whether it had a fault, and all in words."""

    kind: str
    fault: bool
    words: str


def plots(history: History) -> tuple[Plot, ...]:
    """The scores and the places of a table over its rounds; none of fewer than two moments."""
    if len(history) < 2:
        return ()
    moments = [str(moment.round) for moment in history]
    order = [*history[-1].standings]
    scores = {key: _points(history, key, _score) for key in order}
    places = {key: _points(history, key, lambda each: -each.rank) for key in order}
    return _plot("score", moments, scores, 25), _plot("place", moments, places, 1)


def told(history: History, *, places: bool = True) -> Told:
    """The same as a table: `62.5, 2` is a score of 62.5 on place 2; without `places` scores alone."""
    return Told(
        tuple(str(moment.round) for moment in history),
        {key: tuple(_cell(moment, key, places) for moment in history) for key in history[-1].standings},
    )


def _cell(moment: Moment, key: int, places: bool) -> str:
    each = moment.standings.get(key)
    if each is None:
        return ""
    return f"{percent(each.score)}, {each.rank}" if places else percent(each.score)


def sparks(history: History) -> dict[int, str]:
    """The points of each entrant's line of scores in a box of 96 by 24; all have the same scale."""
    if len(history) < 2:
        return {}
    scores = {key: _points(history, key, _score) for key in history[-1].standings}
    if not _values(scores):
        return {}
    low, high = _ends(_values(scores))
    across = (_SPARK_WIDTH - 2 * _SPARK_EDGE) / (len(history) - 1)
    down = (_SPARK_HEIGHT - 2 * _SPARK_EDGE) / (high - low)
    return {
        key: " ".join(
            f"{_SPARK_EDGE + across * at:.0f},{_SPARK_EDGE + down * (high - value):.0f}"
            for at, value in points
        )
        for key, points in scores.items()
    }


def ratings_plot(nights: Sequence[str], ratings: Mapping[int, Sequence[float | None]]) -> tuple[Plot, ...]:
    """The ratings of the rows of the standings of a season; none of fewer than two tournaments.

    Args:
        nights: a short label for each tournament.
        ratings: by row the rating in each tournament; None if it has none.
    """
    lines = {
        key: [(at, value) for at, value in enumerate(each) if value is not None]
        for key, each in ratings.items()
    }
    return (_plot("rating", nights, lines, 50),) if len(nights) > 1 and _values(lines) else ()


def ratings_told(nights: Sequence[str], ratings: Mapping[int, Sequence[float | None]]) -> Told:
    """The same as a table."""
    return Told(
        tuple(nights),
        {
            key: tuple("" if value is None else f"{value:.0f}" for value in each)
            for key, each in ratings.items()
        },
    )


def band(
    nights: Sequence[str],
    ratings: Sequence[tuple[float | None, float | None, float | None]],
    versions: Sequence[str],
) -> Band | None:
    """The rating of a bot over its tournaments; None if it has a rating in fewer than two of them.

    Args:
        nights: a short label for each tournament.
        ratings: the rating with the ends of its interval in each tournament; None for what is not known.
        versions: the version of the bot in each; a tick marks the first one and every change.
    """
    known = [(at, each) for at, each in enumerate(ratings) if each[0] is not None]
    if len(known) < 2:
        return None
    steps = _steps([end for _, each in known for end in each if end is not None], 50)
    box = _Box(len(nights), steps[0], steps[-1])
    lower = [(at, low) for at, (_, low, high) in known if low is not None and high is not None]
    upper = [(at, high) for at, (_, low, high) in known if low is not None and high is not None]
    changes = [at for at, each in enumerate(versions) if each and (not at or versions[at - 1] != each)]
    return Band(
        box.line((at, rating) for at, (rating, _, _) in known if rating is not None),
        box.line(lower + upper[::-1]) if len(lower) > 1 else "",
        tuple(Tick(round(box.across(at) / 10, 1), versions[at]) for at in changes),
        box.below(nights),
        box.beside(steps),
    )


def how_it_went(seats: Iterable[SeatResult], entrant: int) -> Went:
    """How a game went for an entrant: won if nobody was ahead or level, lost if somebody was ahead."""
    every = tuple(seats)
    mine = next(seat for seat in every if seat.entrant == entrant)
    shared = sum(seat.place == mine.place for seat in every) > 1
    kind = "lost" if mine.place > 1 else "level" if shared else "won"
    words = kind if len(every) == 2 else f"place {mine.place} of {len(every)}"
    fault = bool(mine.forfeit or any(mine.faults))
    return Went(kind, fault, f"{words} with a fault" if fault else words)


class Run(NamedTuple):
    """The games of a match as a drawing: the size of its box, a path for each kind of sign, and the words."""

    width: int
    height: int
    paths: Mapping[str, str]
    words: str


def run_drawing(games: Iterable[Iterable[SeatResult]], entrant: int) -> Run:
    """The games of a match in order, as signs in rows, and in words.

    A disc is a game won, a ring a game lost, a bar a level one. A stroke below is a fault.

    Args:
        games: for each game its seats. One without the entrant is left out: it was played before an
            annulment paired the match anew.
        entrant: the entrant of whom it tells.
    """
    went = [
        how_it_went(seats, entrant)
        for seats in map(tuple, games)
        if any(seat.entrant == entrant for seat in seats)
    ]
    paths: dict[str, str] = {}
    for number, each in enumerate(went[:_MOST_SIGNS]):
        x, y = 6 + 12 * (number % _A_ROW), 6 + 16 * (number // _A_ROW)
        for sign in (each.kind, *["fault"] * each.fault):
            paths[sign] = f"{paths.get(sign, '')}M{x} {y}{_SIGNS[sign]}"
    shown = min(len(went), _MOST_SIGNS)
    return Run(12 * min(shown, _A_ROW), 16 * -(-shown // _A_ROW), paths, _in_words(went))


def _in_words(went: Sequence[Went]) -> str:
    if len(went) <= _A_ROW:
        return ", ".join(each.words for each in went)
    counts = [f"{sum(each.kind == kind for each in went)} {kind}" for kind in ("won", "level", "lost")]
    faults = sum(each.fault for each in went)
    return ", ".join([*counts, *[f"{faults} with a fault"] * bool(faults)])


def _score(standing: Standing) -> float:
    return 100 * float(standing.score)


def _points(history: History, key: int, value: Callable[[Standing], float]) -> list[Point]:
    return [
        (at, value(moment.standings[key])) for at, moment in enumerate(history) if key in moment.standings
    ]


def _values(lines: Mapping[int, Sequence[Point]]) -> list[float]:
    return [value for points in lines.values() for _, value in points]


def _ends(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    return (low, high) if high > low else (low - 1, high + 1)


def _steps(values: Sequence[float], least: int) -> list[int]:
    """The labels of an axis, from one below all values to one above them; a step is at least `least`."""
    low, high = _ends(values)
    step = next((each for each in _STEPS if each >= least and (high - low) / each <= 5), 1000)
    if least == 1:  # places: nothing is above the first, and nothing below the last
        return [round(high) - number for number in range(0, round(high - low) + 1, step)][::-1]
    first, last = int(low // step), int(-(-high // step))
    return [step * number for number in range(first, last + 1)]


class _Box(NamedTuple):
    """The box of a drawing: how many moments it has, and its lowest and highest value."""

    moments: int
    low: float
    high: float

    def across(self, moment: int) -> float:
        """Where a moment is, from the left."""
        return _LEFT + (_RIGHT - _LEFT) * moment / max(1, self.moments - 1)

    def down(self, value: float) -> float:
        """Where a value is, from above."""
        return _TOP + (_BOTTOM - _TOP) * (self.high - value) / ((self.high - self.low) or 1)

    def line(self, points: Iterable[Point]) -> str:
        """The points of a line."""
        return " ".join(f"{self.across(moment):.0f},{self.down(value):.0f}" for moment, value in points)

    def below(self, labels: Sequence[str]) -> tuple[Tick, ...]:
        """The labels of the moments: some of them, always the last one."""
        every = -(-len(labels) // _MOST_TICKS)
        shown = -(-len(labels) // every)
        narrow = every * -(-shown // (_LETTERS // (2 + max(map(len, labels), default=0)) or 1))
        return tuple(
            Tick(round(self.across(at) / 10, 1), label, wide=before % narrow > 0)
            for at, label in enumerate(labels)
            if (before := self.moments - 1 - at) % every == 0
        )

    def beside(self, values: Iterable[float]) -> tuple[Tick, ...]:
        """The labels of values; a place is a negative value."""
        return tuple(Tick(round(self.down(value) / 10, 1), f"{abs(value):.0f}") for value in values)


def _plot(name: str, moments: Sequence[str], lines: Mapping[int, Sequence[Point]], least: int) -> Plot:
    values = _values(lines)
    steps = _steps(values, least)
    box = _Box(len(moments), min(steps[0], *values), steps[-1])
    drawn = tuple(Line(key, box.line(points)) for key, points in lines.items() if points)
    return Plot(name, box.below(moments), box.beside(steps), drawn)
