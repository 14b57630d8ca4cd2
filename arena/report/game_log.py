"""A recorded game as a readable log, in the view of one seat or of all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from arena.games import GAMES
from arena.games.game import SPECTATOR, Game, Happening, Outcome, Seat, State
from arena.table.record import Fault, Record, Step, Thought, first_position, replay

ONLOOKER: Final = -1
"""In place of a seat: the view of an onlooker, who sees only what all may see."""

_BEST = 5  # values of a thought that are told


def game_steps(
    record: Record,
    names: Sequence[str],
    seat: Seat | None = None,
    positions: bool = False,
    thoughts: Sequence[Mapping[int, Thought]] = (),
) -> Iterator[list[str]]:
    """The log in parts: the beginning, every action with its events, and the outcome.

    Args:
        record: the game.
        names: the entrants by seat.
        seat: the seat whose view is shown; None for all hidden cards; or `ONLOOKER`.
        positions: whether each choice is shown with the position and all legal actions, as the acting seat,
            or `seat`, sees them.
        thoughts: what each seat's bot thought, by its turns; of a seat's view, only its own are told.

    Raises BrokenRecord if the record does not follow the rules.
    """
    state = first_position(record)
    yield opening_lines(record, state, names, seat)
    faults = list(record.faults)
    steps = replay(record, state)
    told = thoughts_by_step(record, thoughts)
    for number in range(len(record.actions)):
        lines = list(_faults(faults, number, names))
        if positions and state.to_act:
            lines += _position(state, seat, record.actions[number])
        step = next(steps)
        action, *events = step_lines(GAMES[record.game], number, step, names, seat)
        thought = [f"      THOUGHT: {told[number]}"] if number in told and seat in (None, step.seat) else []
        yield [*lines, action, *thought, *events]
    yield [
        *_faults(faults, len(record.actions), names),
        "",
        *outcome_lines(record.outcome, record.forfeits, names),
    ]


def opening_lines(record: Record, state: State, names: Sequence[str], seat: Seat | None) -> list[str]:
    """The beginning of a game, at its first position; see `game_steps`."""
    return [*_heading(record, names, seat), "", *_told(GAMES[record.game], state.opening, seat)]


def step_lines(game: Game, number: int, step: Step, names: Sequence[str], seat: Seat | None) -> list[str]:
    """The action with a number, from 0, and its events; see `game_steps`."""
    who = f"{number + 1:4}. seat {step.seat} ({names[step.seat]})"
    shown = step.choices > 1 and seat in (None, step.seat)
    action = f"{who}: {game.words(step.action, step.events)}" if shown else who
    return [action, *_told(game, step.happenings, seat)]


def thoughts_by_step(record: Record, thoughts: Sequence[Mapping[int, Thought]]) -> dict[int, str]:
    """What bots thought, on a line each, by the numbers of the actions from 0. Raises BrokenRecord.

    Args:
        record: the game.
        thoughts: what each seat's bot thought, by its turns; may be empty.
    """
    told: dict[int, str] = {}
    if any(thoughts):
        state, game = first_position(record), GAMES[record.game]
        turns: Counter[Seat] = Counter()
        steps = replay(record, state)
        for number in range(len(record.actions)):
            seat = next(iter(state.to_act), 0)
            actions = state.legal_actions(seat)
            turns[seat] += len(actions) > 1
            if len(actions) > 1 and (thought := thoughts[seat].get(turns[seat])) is not None:
                seen = state.observation(SPECTATOR)
                told[number] = thought_text(thought, [game.words(each, seen=seen) for each in actions])
            next(steps)
    return told


def thought_text(thought: Thought, actions: Sequence[str]) -> str:
    """What a bot thought, on one line; `actions` are the legal ones in words."""
    worth = sorted(thought.values.items(), key=lambda each: -each[1])
    told = [f"{actions[index]} ({value:.3g})" for index, value in worth if index < len(actions)]
    parts = [f"expects {thought.estimate:.0%}".replace("%", " %")] if thought.estimate is not None else []
    parts += [f"best {', '.join(told[:_BEST])}"] if told else []
    parts += [thought.text] if thought.text else []
    return "; ".join(parts)


def _heading(record: Record, names: Sequence[str], seat: Seat | None) -> Iterator[str]:
    game = GAMES[record.game]
    viewer = "an onlooker" if seat == ONLOOKER else f"seat {seat}"
    yield f"{game.title}, {record.seats} seats" + (f", as {viewer} saw it" if seat is not None else "")
    for number, name in enumerate(names):
        yield f"  seat {number}: {name}"
    options = options_text(record)
    if options:
        yield f"  {options}"


def options_text(record: Record) -> str:
    """The options of a game that are not the default; empty if all are."""
    defaults = GAMES[record.game].Options()
    changed = [
        f"{name} = {getattr(record.options, name)}"
        for name in defaults.__dataclass_fields__
        if getattr(record.options, name) != getattr(defaults, name)
    ]
    return f"options: {', '.join(changed)}" if changed else ""


def _position(state: State, viewer: Seat | None, chosen: int) -> Iterator[str]:
    """A position with a choice, and the chosen action if the viewer may know it."""
    acting = state.to_act[0]
    actions = state.legal_actions(acting)
    if len(actions) == 1:
        return
    yield ""
    seen_by = {None: acting, ONLOOKER: SPECTATOR}.get(viewer, viewer)
    for line in str(state.observation(seen_by)).splitlines():
        yield f"      | {line}"
    if viewer in (None, acting):
        for index, action in enumerate(actions):
            yield f"      {'>' if index == chosen else ' '} {action}"


def _told(game: Game, happenings: Iterable[Happening], seat: Seat | None) -> Iterator[str]:
    for happening in happenings:
        event = happening.full if seat is None else happening.told_to(seat)
        yield f"      {game.words(event)}"


def _faults(faults: list[tuple[Seat, int, Fault]], step: int, names: Sequence[str]) -> Iterator[str]:
    """The faults charged before an action; removes them from the list."""
    while faults and faults[0][1] <= step:
        seat, _, fault = faults.pop(0)
        words = f": {fault.message}" if fault.message else ""
        yield f"      FAULT of seat {seat} ({names[seat]}): {fault.reason}{words}"


def outcome_lines(outcome: Outcome, forfeits: Sequence[Seat], names: Sequence[str]) -> Iterator[str]:
    """The outcome of a game, a line per seat, best first."""
    yield f"ended: {outcome.reason.replace('_', ' ')}"
    for seat in sorted(range(len(names)), key=lambda seat: (outcome.places[seat], seat)):
        forfeit = ", forfeited" if seat in forfeits else ""
        place, points = outcome.places[seat], outcome.points[seat]
        yield f"  place {place}: seat {seat} ({names[seat]}), {points} points{forfeit}"
