"""The fewest boards without which another entrant has a higher score than the winner: none are fewer."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from unittest.mock import patch

from hypothesis import example, given
from hypothesis import strategies as st

from arena.results import GameKey
from arena.standings.unseating import MOST, Points, Unseating, Whole, contenders, unseating

NOTHING = Whole(0, 0)
FULL = 6


def numbered(boards: Sequence[Points]) -> dict[GameKey, Points]:
    return {GameKey(0, 0, 0, "hyrule", number, 0): points for number, points in enumerate(boards)}


def fewest(
    boards: Mapping[GameKey, Points], besides: Mapping[int, Whole], ranked: Sequence[int]
) -> Unseating:
    """What would unseat the first, if so much counts without play besides the boards."""
    return unseating(boards, wholes(boards, besides), ranked, len(boards))


def wholes(boards: Mapping[GameKey, Points], besides: Mapping[int, Whole]) -> dict[int, Whole]:
    """All that counts for each entrant."""
    whole = {}
    for entrant, (points, weight) in besides.items():
        own = [each[entrant] for each in boards.values() if entrant in each]
        whole[entrant] = Whole(points + sum(own), weight + len(own))
    return whole


def score(
    boards: Mapping[GameKey, Points], besides: Whole, entrant: int, out: Collection[GameKey]
) -> Fraction | None:
    left = [points[entrant] for key, points in boards.items() if entrant in points and key not in out]
    weight = besides.boards + len(left)
    return Fraction(besides.points + sum(left), weight) if weight else None


def unseats(
    boards: Mapping[GameKey, Points],
    besides: Mapping[int, Whole],
    pair: tuple[int, int],
    out: Collection[GameKey],
) -> bool:
    winner, rival = (score(boards, besides[entrant], entrant, out) for entrant in pair)
    return winner is not None and rival is not None and rival > winner


@st.composite
def results(draw: st.DrawFn) -> tuple[dict[GameKey, Points], dict[int, Whole]]:
    """A few boards of three entrants at tables of two or three, and what counts without play."""
    seats = draw(st.integers(2, 3))
    tables = st.permutations(range(3)).map(lambda order: order[:seats])
    boards: list[Points] = []
    for table in draw(st.lists(tables, min_size=1, max_size=8)):
        first = draw(st.integers(0, FULL))
        rest = [FULL - first] if seats == 2 else [draw(st.integers(0, FULL)) for _ in table[1:]]
        boards.append(dict(zip(table, [first, *rest], strict=True)))
    weights = st.integers(0, 2)
    pairs = weights.flatmap(lambda weight: st.builds(Whole, st.integers(0, weight * FULL), st.just(weight)))
    return numbered(boards), {entrant: draw(pairs) for entrant in range(3)}


@given(results())
def test_no_fewer_boards_do_it(drawn: tuple[dict[GameKey, Points], dict[int, Whole]]) -> None:
    boards, besides = drawn
    scores = {entrant: score(boards, besides[entrant], entrant, ()) for entrant in range(3)}
    known = {entrant: each for entrant, each in scores.items() if each is not None}
    ranked = sorted(known, key=known.__getitem__, reverse=True)
    found = fewest(boards, besides, ranked)
    winner, *rivals = ranked
    assert (found.winner, found.of) == (winner, len(boards))
    if any(known[rival] == known[winner] for rival in rivals):
        assert found.rival is not None
        assert (known[found.rival], found.boards) == (known[winner], ())
        return
    sizes = range(1, len(boards) + 1 if found.rival is None else len(found.boards))
    for size in sizes:
        for out in combinations(boards, size):
            assert not any(unseats(boards, besides, (winner, rival), out) for rival in rivals)
    if found.rival is not None:
        assert unseats(boards, besides, (winner, found.rival), found.boards)


@given(results())
@example((numbered([{0: 6, 1: 0}, {0: 0, 1: 6}] * 10 + [{0: 6, 2: 0}] * 2), dict.fromkeys(range(3), NOTHING)))
def test_only_contenders_matter(drawn: tuple[dict[GameKey, Points], dict[int, Whole]]) -> None:
    boards, besides = drawn
    scores = {entrant: score(boards, besides[entrant], entrant, ()) for entrant in range(3)}
    known = {entrant: each for entrant, each in scores.items() if each is not None}
    ranked = sorted(known, key=known.__getitem__, reverse=True)
    with patch.object(sys.modules[contenders.__module__], "MOST", 1):
        near = contenders(wholes(boards, besides), ranked, FULL)
        assert fewest(boards, besides, near) == fewest(boards, besides, ranked)


def test_by_hand():
    # 0 has a mean of 14/3, and 4 without one of its best boards; 2 has lost everything.
    boards = numbered([{0: 6, 2: 0}, {0: 6, 2: 0}, {0: 2, 1: 4}])
    first, second, _ = boards
    others = {0: NOTHING, 2: NOTHING}
    # 1 has 4 on its board, and a match without play as long as a board.
    assert fewest(boards, others | {1: Whole(5, 1)}, [0, 1, 2]) == Unseating(0, 1, (first,), 3)
    assert fewest(boards, others | {1: Whole(3, 1)}, [0, 1, 2]) == Unseating(0, 1, (first, second), 3)
    # If 1 has won that match in full, without their board both have 6.
    assert fewest(boards, others | {1: Whole(6, 1)}, [1, 0, 2]) == Unseating(1, None, (), 3)


def test_equal_scores_need_no_boards_and_who_wins_everything_is_never_unseated():
    boards = numbered([{0: 6, 1: 0}, {0: 0, 1: 6}, {0: 6, 2: 0}, {1: 6, 2: 0}])
    nothing = dict.fromkeys(range(3), NOTHING)
    assert fewest(boards, nothing, [1, 0, 2]) == Unseating(1, 0, (), 4)
    boards = numbered([{0: 6, 1: 0}, {0: 6, 2: 0}, {1: 6, 2: 0}])
    assert fewest(boards, nothing, [0, 1, 2]) == Unseating(0, None, (), 3)


def test_not_more_than_so_many_are_looked_for():
    def found(lead: int) -> Unseating:
        boards = [{0: 6, 1: 0}] * (200 + lead) + [{0: 0, 1: 6}] * 200
        return fewest(numbered(boards), {0: NOTHING, 1: NOTHING}, [0, 1])

    assert len(found(MOST - 1).boards) == MOST
    assert found(MOST).rival is None
