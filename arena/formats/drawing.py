"""From a knockout and its results so far to the bracket that a report draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.formats.bracket import Bracket, BracketMatch, BracketRound, Origin, Slot
from arena.formats.deciding import ranked
from arena.formats.knockout_plan import Feed
from arena.results import Match, MatchKey, MatchResult

if TYPE_CHECKING:  # which draws itself by this module
    from arena.formats.knockout import Knockout, Line, Results


def bracket(knockout: Knockout, results: Results) -> Bracket:
    """The whole knockout with what the results say of it; matches that are not over yet included."""
    lines = knockout.lines(results)
    rounds = tuple(
        BracketRound(
            knockout.round_label(number),
            tuple(_drawn(knockout, number, item, lines[number], results) for item in shape.order),
        )
        for number, shape in enumerate(knockout.plan)
    )
    winner = knockout.order(knockout.round_count - 1, 0, lines[-1], results)[0]
    return Bracket(rounds, _third_place(knockout, lines, results), winner)


def _drawn(knockout: Knockout, number: int, item: int, line: Line, results: Results) -> BracketMatch:
    """A table's match or, as RoundPlan.order tells them apart, a bye."""
    if item < 0:
        slot = _slot(knockout, line[-1 - item], _origin(knockout, number, -1 - item))
        return BracketMatch(None, "bye", (slot._replace(goes_on=None if slot.entrant is None else True),))
    positions = knockout.plan[number].tables[item]
    slots = [_slot(knockout, line[position], _origin(knockout, number, position)) for position in positions]
    match = knockout.match(number, item, line)
    played = _played(knockout, match, slots, results)
    return BracketMatch(knockout.key(number, item), knockout.match_label(number, item), played)


def _third_place(knockout: Knockout, lines: list[Line], results: Results) -> BracketMatch | None:
    if not knockout.third_place:
        return None
    semi_finals = knockout.round_count - 2
    slots = []
    for table in range(len(knockout.plan[semi_finals].tables)):
        loser = knockout.order(semi_finals, table, lines[semi_finals], results)[1]
        slots.append(_slot(knockout, loser, Origin(semi_finals, _drawn_at(knockout, semi_finals, table), 2)))
    match = knockout.third_place_match(results)
    key = MatchKey(knockout.number, knockout.round_count - 1, 0)
    return BracketMatch(key, "third place", _played(knockout, match, slots, results))


def _slot(knockout: Knockout, entrant: int | None, origin: Origin | None) -> Slot:
    return Slot(entrant, None if entrant is None else knockout.seeds[entrant], origin)


def _origin(knockout: Knockout, number: int, position: int) -> Origin | None:
    if number == 0:
        return None
    feed: Feed = knockout.plan[number].feeds[position]
    if feed.table is None:
        return Origin(number - 1, _drawn_at(knockout, number - 1, -1 - feed.place), 1)
    return Origin(number - 1, _drawn_at(knockout, number - 1, feed.table), feed.place + 1)


def _drawn_at(knockout: Knockout, number: int, item: int) -> int:
    return knockout.plan[number].order.index(item)


def _played(knockout: Knockout, match: Match | None, slots: list[Slot], results: Results) -> tuple[Slot, ...]:
    """The slots with what their entrants did, if the match is over."""
    if match is None or match.key not in results:
        return tuple(slots)
    result: MatchResult = results[match.key]
    order = ranked(match, result, knockout.seeds)
    filled = []
    for slot in slots:
        assert slot.entrant is not None  # the match has been played
        assert match.advance is not None
        at = result.entrants.index(slot.entrant)
        place = order.index(slot.entrant) + 1
        filled.append(
            slot._replace(
                score=result.scores[at],
                extra=tuple(scores[at] for scores in result.extra),
                place=place,
                goes_on=place <= match.advance,
            )
        )
    return tuple(filled)
