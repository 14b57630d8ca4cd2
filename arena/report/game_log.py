"""A recorded game as a readable log, from one seat's view or everyone's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from arena.games import GAMES
from arena.games.game import Happening, Outcome, Seat
from arena.table.record import Fault, Record, first_position, replay


def game_log(record: Record, names: Sequence[str], seat: Seat | None = None) -> Iterator[str]:
    """The lines of the log.

    Args:
        record: the game.
        names: the entrants by seat.
        seat: whose view; None for everyone's, with all hidden cards.

    Raises BrokenRecord where the record does not follow the rules.
    """
    game = GAMES[record.game]
    yield f"{game.title}, {record.seats} seats" + (f", as seat {seat} saw it" if seat is not None else "")
    for number, name in enumerate(names):
        yield f"  seat {number}: {name}"
    defaults = game.Options()
    changed = [
        f"{name} = {getattr(record.options, name)}"
        for name in game.Options.__dataclass_fields__
        if getattr(record.options, name) != getattr(defaults, name)
    ]
    if changed:
        yield f"  options: {', '.join(changed)}"
    yield ""
    state = first_position(record)
    yield from _told(state.opening, seat)
    faults = list(record.faults)
    for number, step in enumerate(replay(record, state)):
        yield from _faults(faults, number, names)
        if step.choices > 1 and seat in (None, step.seat):
            yield f"{number + 1:4}. seat {step.seat} ({names[step.seat]}): {step.action}"
        else:
            yield f"{number + 1:4}. seat {step.seat} ({names[step.seat]})"
        yield from _told(step.happenings, seat)
    yield from _faults(faults, len(record.actions), names)
    yield ""
    yield from outcome_lines(record.outcome, record.forfeits, names)


def _told(happenings: Iterable[Happening], seat: Seat | None) -> Iterator[str]:
    for happening in happenings:
        event = happening.full if seat is None else happening.told_to(seat)
        yield f"      {event}"


def _faults(faults: list[tuple[Seat, int, Fault]], step: int, names: Sequence[str]) -> Iterator[str]:
    """The faults charged before an action; takes them out of the list."""
    while faults and faults[0][1] <= step:
        seat, _, fault = faults.pop(0)
        yield f"      FAULT of seat {seat} ({names[seat]}): {fault.reason}: {fault.message}"


def outcome_lines(outcome: Outcome, forfeits: Sequence[Seat], names: Sequence[str]) -> Iterator[str]:
    """How a game ended, a line per seat, best first."""
    yield f"ended: {outcome.reason.replace('_', ' ')}"
    for seat in sorted(range(len(names)), key=lambda seat: (outcome.places[seat], seat)):
        forfeit = ", forfeited" if seat in forfeits else ""
        place, points = outcome.places[seat], outcome.points[seat]
        yield f"  place {place}: seat {seat} ({names[seat]}), {points} points{forfeit}"
