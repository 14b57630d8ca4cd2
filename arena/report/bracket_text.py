"""A bracket as text: one block per round, one line per entrant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from arena.formats.bracket import Bracket, BracketMatch, Slot
from arena.report.tables import WIDTH, cells, padded, percent, shortened, so_far, wrapped
from arena.results import MatchKey
from arena.standings.values import Unfinished

_CORNER = 4  # cells of the corner and the spaces around it
_SEED = 5  # cells of a seed number in brackets and a space
_LEAST_NAME = 10
_MOST_EXTRA = 3  # up to so many extra boards of a match are all shown
NOT_PLAYED, WALKOVER, TIED = "not played", "walkover", "tied: extra boards"
"""What is said of a match that is not played, was won without play, or is tied and goes on."""

PAUSED = ", paused"
"""What is added if such a match, or one whose games are played, waits because the tournament is paused."""


def bracket_lines(
    bracket: Bracket,
    names: Sequence[str],
    begun: Mapping[MatchKey, Unfinished | None],
    width: int = WIDTH,
    *,
    over: bool,
    paused: bool = False,
) -> Iterator[str]:
    """The bracket's lines, from the first round to the winner and a legend.

    Args:
        bracket: the bracket with what is known of it.
        names: the names of all entrants, by number.
        begun: how far its matches are that have begun and are not decided; None of one that is tied.
        width: the cells of a line.
        over: whether its tournament is over, so that what is not played will not be.
        paused: whether its tournament is paused, so that what is not played waits.
    """
    third = [] if bracket.third_place is None else [bracket.third_place]
    matches = [match for round_ in bracket.rounds for match in round_.matches] + third
    slots = [slot for match in matches for slot in match.slots]
    result = max((cells(_result(slot)) for slot in slots), default=0)
    room = max(width - _CORNER - _SEED - 2 - result, _LEAST_NAME)
    names = [shortened(name, room) for name in names]
    column = max((cells(names[slot.entrant]) for slot in slots if slot.entrant is not None), default=0)
    for round_ in bracket.rounds:
        yield round_.label.capitalize()
        for match in round_.matches:
            note = match_note(match, begun, over=over, paused=paused)
            yield from _match(match, names, column, note, width)
    for match in third:
        yield "Third place"
        note = match_note(match, begun, over=over, paused=paused)
        yield from _match(match, names, column, note, width)
    if bracket.winner is not None:
        by_seed = " (the final was tied: the better seed wins)" if final_by_seed(bracket) else ""
        yield from wrapped(f"Winner: {names[bracket.winner]}{by_seed}", width)
    legend = ["(1): the seed"] if any(slot.seed for slot in slots) else []
    legend += ["◀: goes on, or wins"] * any(slot.goes_on for slot in slots)
    legend += ["+: the score on an extra board"] * any(slot.extra for slot in slots)
    if legend:
        yield from wrapped("; ".join(legend), width)


def final_by_seed(bracket: Bracket) -> bool:
    """Whether the final was tied to the end, so that the better seed won it."""
    return bracket.winner is not None and decided_by_seed(bracket.rounds[-1].matches[0]) is not None


def match_note(
    match: BracketMatch, begun: Mapping[MatchKey, Unfinished | None], *, over: bool, paused: bool
) -> str:
    """What the scores of a match do not say, in a few words: how it was decided, or how far it is.

    `begun`, `over`, `paused`: see `bracket_lines`.
    """
    if match.key is None:  # a bye
        return ""
    if match.walkover:
        return WALKOVER
    if match.slots[0].place is None:
        far = begun.get(match.key, NOT_PLAYED if over else "")
        if isinstance(far, str):
            return far
        return (TIED if far is None else so_far(*far)) + PAUSED * paused
    return "tied to the end, decided by seed" if decided_by_seed(match) is not None else ""


def decided_by_seed(match: BracketMatch) -> Slot | None:
    """The slot that goes on from a match (or came first in it) by seed alone."""
    places = {slot.place: slot for slot in match.slots}
    going_on = sum(bool(slot.goes_on) for slot in match.slots) or 1
    last, next_one = places.get(going_on), places.get(going_on + 1)
    if last is None or next_one is None or match.walkover:
        return None
    return last if (last.score, last.extra) == (next_one.score, next_one.extra) else None


def _match(match: BracketMatch, names: Sequence[str], column: int, note: str, width: int) -> Iterator[str]:
    if len(match.slots) == 1:
        yield f"  ─ {_entrant(match.slots[0], names, column)}  bye"
        return
    last = len(match.slots) - 1
    for number, slot in enumerate(match.slots):
        corner = "┌" if number == 0 else "└" if number == last else "├"
        yield f"  {corner} {_entrant(slot, names, column)}  {_result(slot)}".rstrip()
    lucky = decided_by_seed(match)
    if lucky is not None and lucky.entrant is not None:
        note = f"{note}: for {names[lucky.entrant]}"
    if note:
        yield from wrapped(f"    {note}", width, "    ")


def _entrant(slot: Slot, names: Sequence[str], column: int) -> str:
    if slot.entrant is None:
        return padded("?", column + _SEED)
    return f"{f'({slot.seed})':>4} {padded(names[slot.entrant], column)}"


def _result(slot: Slot) -> str:
    if slot.score is None:
        return ""
    extra = [*map(percent, slot.extra)]
    if len(extra) > _MOST_EXTRA:
        extra = [extra[0], "…", extra[-1]]
    return f"{' + '.join([f'{percent(slot.score):>5}', *extra])}{'  ◀' if slot.goes_on else ''}"
