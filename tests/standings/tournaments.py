"""Random tournaments for laws of the standings."""

from hypothesis import strategies as st

from tests.standings.games import game


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
