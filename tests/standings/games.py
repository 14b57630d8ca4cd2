"""Results of games for tests: by hand, of whole random tournaments, of bots that beat others."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from hypothesis import strategies as st

from arena.results import GameKey, GameResult, Results, SeatResult, cyclic_seating
from arena.standings.tally import DuplicateGroup, Tally


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
    """A game of a match; the places are in the order of the match's entrants.

    `more` gives other fields of the seat results, as tuples in the match's order.
    """
    seats: list[SeatResult | None] = [None] * len(entrants)
    for i, (entrant, place) in enumerate(zip(entrants, places, strict=True)):
        fields = {field: values[i] for field, values in more.items()}  # type: ignore[index]
        seats[(i + rotation) % len(entrants)] = SeatResult(entrant, place, 0, **fields)
    key = GameKey(*match, name, board, rotation, cyclic_seating(len(entrants), rotation))
    return GameResult(key, tuple(s for s in seats if s), "played")


def board(entrants: Sequence[int], *places: Sequence[int], **where: object) -> Iterator[GameResult]:
    """A duplicate group: the places in each rotation; the last ones repeat for missing rotations."""
    for rotation in range(len(entrants)):
        row = places[min(rotation, len(places) - 1)]
        yield game(entrants, row, rotation=rotation, **where)  # type: ignore[arg-type]


def add_all(tally: Tally, results: Iterable[GameResult]) -> Tally:
    """Counts games, each of which must be new; returns the tally."""
    for result in results:
        count(tally, Results.of(result))
    return tally


def count(tally: Tally, results: Results) -> Tally:
    """Counts results, each of which must be new; returns the tally."""
    for each in results.boards:
        tally.add_board(each)
    for conduct in results.conducts:
        tally.add_conduct(conduct)
    return tally


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
                    add_all(tally, board((one, other), places, match=(0, number, 0)))
                    number += 1
    return tally


def beats(one, other, times):
    """Groups of two kinds, `times` of each; in all `one` takes three of four games."""
    return Counter({DuplicateGroup((one, other), (4,)): times, DuplicateGroup((one, other), (2,)): times})


@st.composite
def tournaments(draw):
    """Games, boards, entrants and all results of some matches, with places, faults and times at random."""
    games = ("a", "b", "c")[: draw(st.integers(1, 3))]
    boards = draw(st.integers(1, 2))
    results = []
    for number in range(draw(st.integers(1, 4))):
        seats = draw(st.integers(2, 4))
        entrants = draw(st.permutations(range(6)))[:seats]
        for name in games:
            for deal in range(boards):
                for rotation in range(seats):
                    results.append(
                        game(
                            entrants,
                            draw(st.lists(st.integers(1, seats), min_size=seats, max_size=seats)),
                            match=(draw(st.just(number % 2)), number, 0),
                            name=name,
                            board=deal,
                            rotation=rotation,
                            forfeit=tuple(draw(st.booleans()) for _ in entrants),
                            faults=tuple((0, draw(st.integers(0, 2)), 0, 0, 0, 1) for _ in entrants),
                            decisions=tuple(draw(st.integers(0, 9)) for _ in entrants),
                            time=tuple(draw(st.integers(0, 999)) for _ in entrants),
                        )
                    )
    return games, boards, results
