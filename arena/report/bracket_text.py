"""A knockout bracket as text: one block per round, one line per entrant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from arena.formats.bracket import Bracket, BracketMatch, Slot


def bracket_lines(bracket: Bracket, names: Sequence[str]) -> Iterator[str]:
    """The bracket's lines, from the first round to the winner.

    Args:
        bracket: the knockout with what is known of it.
        names: the names of all entrants, by number.
    """
    width = max((len(name) for name in names), default=0)
    for round_ in bracket.rounds:
        yield round_.label.capitalize()
        for match in round_.matches:
            yield from _match(match, names, width)
    if bracket.third_place is not None:
        yield "Third place"
        yield from _match(bracket.third_place, names, width)
    if bracket.winner is not None:
        yield f"Winner: {names[bracket.winner]}"


def _match(match: BracketMatch, names: Sequence[str], width: int) -> Iterator[str]:
    if len(match.slots) == 1:
        yield f"  ─ {_entrant(match.slots[0], names, width)}  bye"
        return
    last = len(match.slots) - 1
    for number, slot in enumerate(match.slots):
        corner = "┌" if number == 0 else "└" if number == last else "├"
        yield f"  {corner} {_entrant(slot, names, width)}  {_result(slot)}".rstrip()


def _entrant(slot: Slot, names: Sequence[str], width: int) -> str:
    if slot.entrant is None:
        return f"{'?':{width + 5}}"
    return f"{f'({slot.seed})':>4} {names[slot.entrant]:{width}}"


def _result(slot: Slot) -> str:
    if slot.score is None:
        return ""
    extra = "".join(f" + {float(score) * 100:.1f}" for score in slot.extra)
    return f"{float(slot.score) * 100:5.1f}{extra}{'  ◀' if slot.goes_on else ''}"
