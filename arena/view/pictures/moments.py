"""What there is to say about a finished game: its result in a sentence, the scores, the last lead change.

The words and the numbers of each game come from its picture (`arena.view.pictures.games`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from arena.games import GAMES
from arena.games.game import Happening, Seat, State
from arena.games.series import WIN
from arena.report.game_log import ONLOOKER
from arena.table.record import Record, first_position, replay
from arena.view.pictures.games import Parts, Picture, new_picture

CLOSE: Final = 0.1
"""A game is close if it was won by at most this share of the largest lead in it, or by 1."""

BEHIND: Final = 0.5
"""A comeback: half-way the winner was behind by at least this share of the largest lead in the game."""

LONG: Final = 2
"""A game is long if it has more actions than so many times those of a usual one."""

LEAD_CHANGE: Final = "Last lead change"
FORFEIT: Final = "Forfeit"

_REASONS: Final = {
    "stalled": "Nobody drew a card any more",
    "turn_limit": "The last turn was played",
}


class Ending(NamedTuple):
    """How a finished game went, and how it ended.

    Attributes:
        sentence: the result, as people say it.
        scores: for each seat, its score after the deal and after each action (`Picture.scores`): higher is
            better. Empty if the game has no such number, or the viewer cannot know it.
        points: the points of each seat at the end, in the unit of the scores.
        unit: what the scores count, one and many.
        sign: -1 if people say a score without its minus sign.
        marked: the number of the action after which the winner was ahead of all others until the end, or
            of the action that a forfeit took the place of, if only that made the winner first; None if the
            game was shared, the winner was ahead from the deal on, or there are no scores.
        mark: what that action is called; empty if there is none.
        tag: what is remarkable: `fault`, `comeback`, `close` or `long`; else empty.
        why: the tag in a sentence; else empty.
        margin: how far the first place was ahead of the next by the scores; None if there are none.
    """

    sentence: Parts
    scores: tuple[tuple[float, ...], ...]
    points: tuple[float, ...]
    unit: tuple[str, str]
    sign: int
    marked: int | None
    mark: str
    tag: str
    why: Parts
    margin: float | None

    def points_of(self, seat: Seat) -> str:
        """The points of a seat with their unit, as people say them."""
        return with_unit(self.sign * self.points[seat], self.unit)

    def as_data(self) -> dict[str, Any]:
        """The same for a browser, as JSON knows it."""
        return {**self._asdict(), "scores": [*map(list, self.scores)], "unit": list(self.unit)}


def with_unit(number: float, unit: tuple[str, str]) -> str:
    """A number and what it counts: `1 card`, `no cards left`."""
    text = f"{number or 0:g}"
    if text == "0" and unit[1].endswith(" left"):
        text = "no"
    return f"{text} {unit[text not in ('1', '-1')]}"


def in_words(parts: Parts, names: Sequence[str]) -> str:
    """A sentence in parts as a text, with the names of the seats."""
    return "".join(names[part] if isinstance(part, int) else part for part in parts)


def ending(record: Record, view: Seat | None = None) -> Ending:
    """How a finished game went, and how it ended.

    Args:
        record: the game.
        view: the seat to which it is told; None for all hidden cards; or `ONLOOKER`.

    Raises BrokenRecord if the record does not follow the rules.
    """
    state = first_position(record)
    picture = new_picture(record.game, record.seats, record.options)
    viewers: Sequence[Seat] = range(record.seats) if view is None else [] if view == ONLOOKER else [view]
    if not picture.score_of_hands:
        viewers = []

    def told(happenings: Iterable[Happening]) -> None:
        for each in happenings:
            picture.tell(each.full if view is None else each.told_to(view))

    def scores(state: State) -> list[float] | None:
        return picture.scores(state.observation(None), {seat: state.observation(seat) for seat in viewers})

    told(state.opening)
    points = [scores(state)]
    for step in replay(record, state):
        picture.begin_step()
        told(step.happenings)
        points.append(scores(step.state))
    series = hasattr(state.observation(None), "current")
    known = [each for each in points if each is not None]
    lines = tuple(zip(*known, strict=True)) if len(known) == len(points) else ()
    return _Told(record, picture, series, lines).ending()


class _Told:
    """Finds the words for a game that was told to its picture.

    Args:
        record: the game.
        picture: its picture, after the last action.
        series: whether it had several deals.
        lines: see `Ending.scores`.
    """

    def __init__(
        self, record: Record, picture: Picture, series: bool, lines: tuple[tuple[float, ...], ...]
    ) -> None:
        self._record, self._picture, self._lines = record, picture, lines
        places = record.outcome.places
        self._first = [seat for seat, place in enumerate(places) if place == 1]
        self._winner = self._first[0] if len(self._first) == 1 else None
        self._unit, self._scale = picture.unit, picture.sign
        self._series = series
        self._feats = not series
        self._points: tuple[float, ...] = record.outcome.points
        if series and not picture.adds_up:
            self._unit, self._scale = ("deal won", "deals won"), 1
            self._points = tuple(round(points / WIN, 2) for points in self._points)

    def ending(self) -> Ending:
        """All that is to say."""
        marked, mark, fault = self._marked()
        tag, why = ("fault", fault) if fault else self._remarkable(marked)
        return Ending(
            sentence=self._sentence(),
            scores=self._lines,
            points=self._points,
            unit=self._unit,
            sign=self._scale,
            marked=marked,
            mark=mark,
            tag=tag,
            why=why,
            margin=self._lead(self._first[0])[-1] if self._lines and self._first else None,
        )

    # The sentence ---------------------------------------------------------------

    def _said(self, seat: Seat) -> str:
        """The points of a seat, as people say them."""
        return f"{self._scale * self._points[seat] or 0:g}"

    def _with_unit(self, seat: Seat) -> str:
        return with_unit(self._scale * self._points[seat], self._unit)

    def _sentence(self) -> Parts:
        record = self._record
        if len(record.forfeits) == record.seats:
            return ["Nobody wins: every seat forfeits."]
        left: Parts = []
        for seat in record.forfeits:
            left += [" ", seat, " forfeits."]
        reason = _REASONS.get(record.outcome.reason, "")
        because: Parts = [f" {reason}."] if reason and not left else []
        if self._winner is None:
            return [*self._shared(), *because, *left]
        if record.seats - len(record.forfeits) == 1:
            losers = _listed(record.forfeits)
            return [self._winner, " wins: ", *losers, f" forfeit{'s' if len(record.forfeits) == 1 else ''}."]
        return [*self._won(self._winner), *because, *left]

    def _shared(self) -> Parts:
        each = f"{self._with_unit(self._first[0])} each."
        if len(self._first) == self._record.seats:
            return [f"A draw: {each}"]
        return [*_listed(self._first), f" share the first place with {each}"]

    def _won(self, winner: Seat) -> Parts:
        places = self._record.outcome.places
        second = min((seat for seat in range(len(places)) if seat != winner), key=lambda seat: places[seat])
        own, other = self._said(winner), self._said(second)
        feat = self._picture.feat(winner) if self._feats else []
        by: Parts = [": ", *feat, "."] if feat else ["."]
        if own == other:
            rule = self._picture.by_tie_rule(series=self._series)
            return [winner, f" wins the tie at {self._with_unit(winner)} each{rule}", *by]
        if len(places) == 2:
            if self._scale < 0:
                return [winner, f" wins with {self._with_unit(winner)} to {other}", *by]
            deals = f" deal{'s' if own != '1' else ''}" if self._unit[0] == "deal won" else ""
            return [winner, f" wins {own}{deals} to {other}", *by]
        return [winner, f" wins with {self._with_unit(winner)}, ", second, f" has {other}", *by]

    # The moments ----------------------------------------------------------------

    def _lead(self, seat: Seat) -> list[float]:
        """How far a seat was ahead of the best other, after each action."""
        others = [line for other, line in enumerate(self._lines) if other != seat]
        return [own - max(theirs) for own, *theirs in zip(self._lines[seat], *others, strict=True)]

    def _marked(self) -> tuple[int | None, str, Parts]:
        """The action that is marked, what it is called, and what fault it was; empty if it was none."""
        record, winner = self._record, self._winner
        faults = {
            min(number + 1, len(record.actions)): seat for seat, number, _ in record.faults if seat != winner
        }
        lost = [number for number, seat in faults.items() if seat in record.forfeits]
        nothing: tuple[int | None, str, Parts] = (None, "", [])
        forfeit = nothing
        if lost:
            forfeit = lost[-1], FORFEIT, [faults[lost[-1]], " forfeited by a fault."]
        if winner is None or not self._lines:
            return nothing if winner is None else forfeit
        lead = self._lead(winner)
        if lead[-1] <= 0 or record.seats - len(record.forfeits) == 1:
            return forfeit
        behind = [number for number, by in enumerate(lead) if by <= 0]
        if not behind:
            return nothing
        marked = behind[-1] + 1
        fault: Parts = []
        if (seat := faults.get(marked)) is not None:
            fault = ["The lead last changed after a fault of ", seat, "."]
        return marked, LEAD_CHANGE, fault

    def _remarkable(self, marked: int | None) -> tuple[str, Parts]:
        record, winner = self._record, self._winner
        if self._lines and self._first and not record.forfeits:
            most = max(max(now) - min(now) for now in zip(*self._lines, strict=True))
            half = len(record.actions) // 2
            if winner is not None and most:
                behind = -self._lead(winner)[half]
                if behind >= BEHIND * most and marked is not None and marked > half:
                    return "comeback", [winner, f" was {behind:g} behind half-way."]
            margin = self._lead(self._first[0])[-1]
            if margin <= max(1, CLOSE * most):
                what = with_unit(margin, self._unit).removesuffix(" left").removesuffix(" won")
                return "close", [f"Won by {what}." if margin else "Level at the end."]
        usual = GAMES[record.game].usual_decisions * record.seats
        if len(record.actions) > LONG * usual:
            return "long", [f"{len(record.actions)} actions; about {usual} are usual."]
        return "", []


def _listed(seats: Sequence[Seat]) -> Parts:
    """The names of seats: a, b and c."""
    parts: Parts = []
    for number, seat in enumerate(seats):
        parts += [" and " if number == len(seats) - 1 else ", "] if number else []
        parts.append(seat)
    return parts
