import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.formats.elimination import needs_extra_board, ranked
from arena.results import Match, MatchKey
from tests.formats.playing import result

KEY = MatchKey(0, 0, 0)
FOUR = Match(KEY, (10, 11, 12, 13), "semi-final 1", 2)
SEEDS = {10: 4, 11: 3, 12: 2, 13: 1}


@pytest.mark.parametrize(
    ("rows", "needed", "order"),
    [
        ([(90, 60, 40, 10)], False, (10, 11, 12, 13)),
        ([(60, 60, 40, 40)], False, (11, 10, 13, 12)),  # ties, but not across the border
        ([(80, 40, 40, 40)], True, (10, 13, 12, 11)),
        ([(80, 40, 40, 40), (0, 90, 60, 50)], False, (10, 11, 12, 13)),  # the extra board decides
        ([(80, 40, 40, 40), (90, 60, 60, 10)], True, (10, 12, 11, 13)),  # for one of three only
        ([(80, 40, 40, 40), (0, 50, 50, 50), (0, 0, 0, 100)], False, (10, 13, 12, 11)),
        ([(50, 50, 50, 50), (50, 50, 50, 50)], True, (13, 12, 11, 10)),
    ],
)
def test_score_then_extra_boards_then_seed(rows, needed, order):
    played = result(FOUR, *rows)
    assert needs_extra_board(FOUR, played, 3) is needed
    assert ranked(FOUR, played, SEEDS) == order


def test_extra_boards_end_at_the_limit():
    tied = result(FOUR, (50, 50, 50, 50), (50, 50, 50, 50))
    assert not needs_extra_board(FOUR, tied, 1)
    assert not needs_extra_board(FOUR, result(FOUR, (50, 50, 50, 50)), 0)


def test_a_tie_may_stand_where_nobody_advances():
    league = FOUR._replace(qualify=None)
    assert not needs_extra_board(league, result(league, (50, 50, 50, 50)), 9)
    everybody = FOUR._replace(qualify=4)
    assert not needs_extra_board(everybody, result(everybody, (50, 50, 50, 50)), 9)


def test_a_result_of_others_is_refused():
    others = result(FOUR, (1, 2, 3, 4))._replace(entrants=(10, 11, 12, 99))
    with pytest.raises(ValueError, match="the result of semi-final 1 is of entrants"):
        ranked(FOUR, others, SEEDS)


@settings(deadline=None)
@given(st.lists(st.tuples(*[st.integers(0, 2)] * 4), min_size=1, max_size=4), st.permutations(range(4)))
def test_the_order_of_entrants_in_the_result_does_not_matter(rows, order):
    played = result(FOUR, *rows)
    moved = played._replace(
        entrants=tuple(played.entrants[i] for i in order),
        scores=tuple(played.scores[i] for i in order),
        extra=tuple(tuple(row[i] for i in order) for row in played.extra),
    )
    assert ranked(FOUR, moved, SEEDS) == ranked(FOUR, played, SEEDS)
    assert needs_extra_board(FOUR, moved, 9) == needs_extra_board(FOUR, played, 9)
