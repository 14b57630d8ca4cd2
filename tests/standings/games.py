"""Results of games as tests need them."""

from collections.abc import Iterator, Sequence

from arena.results import GameKey, GameResult, SeatResult, cyclic_seating
from arena.standings.tally import Tally


def game(
    entrants: Sequence[int],
    places: Sequence[int],
    *,
    match: tuple[int, int, int] = (0, 0, 0),
    name: str = "a",
    board: int = 0,
    rotation: int = 0,
    **more: object,
) -> GameResult:
    """A game of a match whose entrants, in the match's order, came in at these places.

    `more` gives other fields of the seat results, as tuples in the match's order.
    """
    seats: list[SeatResult | None] = [None] * len(entrants)
    for i, (entrant, place) in enumerate(zip(entrants, places, strict=True)):
        fields = {field: values[i] for field, values in more.items()}  # type: ignore[index]
        seats[(i + rotation) % len(entrants)] = SeatResult(entrant, place, 0, **fields)
    key = GameKey(*match, name, board, rotation, cyclic_seating(len(entrants), rotation))
    return GameResult(key, tuple(s for s in seats if s), "played")


def board(entrants: Sequence[int], *places: Sequence[int], **where: object) -> Iterator[GameResult]:
    """A duplicate group: the places in each rotation, the last of them again for those left out."""
    for rotation in range(len(entrants)):
        row = places[min(rotation, len(places) - 1)]
        yield game(entrants, row, rotation=rotation, **where)  # type: ignore[arg-type]


WIN, DRAW, LOSS = (1, 2), (1, 1), (2, 1)


def league(crosstable: Sequence[str], repeat: int = 1) -> Tally:
    """A round robin of one game on one board, from a crosstable such as `["-1=0", ...]` with 1, = and 0."""
    tally = Tally(("a",), 1)
    number = 0
    for one, line in enumerate(crosstable):
        for other in range(one + 1, len(line)):
            for _ in range(repeat):
                if line[other] in "1=0":
                    places = {"1": WIN, "=": DRAW, "0": LOSS}[line[other]]
                    tally.add_all(board((one, other), places, match=(0, number, 0)))
                    number += 1
    return tally
