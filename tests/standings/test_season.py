"""The season's rule of scores, on a hand-computed example and as laws."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from arena.standings.season import Night, season_table


def test_a_season_of_three_nights():
    nights = [
        Night({"ada": 1, "bob": 2, "cyd": 3}, {"ada": "1.0", "bob": "", "cyd": "7"}),
        Night({"ada": 2, "bob": 1}, {"ada": "1.1", "bob": ""}),
        Night({"ada": 1, "bob": 1, "cyd": 3, "dan": 4}, {"ada": "1.1", "bob": "2", "cyd": "7", "dan": "1"}),
    ]
    rows = season_table(nights)
    assert [(row.rank, row.name) for row in rows] == [(1, "bob"), (2, "ada"), (3, "cyd"), (4, "dan")]
    bob, ada = rows[0], rows[1]
    assert bob.total == Fraction(7, 3)
    assert ada.total == Fraction(11, 6)
    assert ada.versions == ("1.0", "1.1")
    assert rows[3].nights == (None, None, Fraction(0))


@given(st.lists(st.lists(st.integers(1, 5), min_size=2, max_size=6), max_size=5))
def test_a_night_gives_half_a_point_for_each_entrant(fields):
    nights = [Night({f"bot {i}": place for i, place in enumerate(places)}, {}) for places in fields]
    rows = season_table(nights)
    assert sum((row.total for row in rows), Fraction(0)) == sum(Fraction(len(places), 2) for places in fields)
    assert [row.total for row in rows] == sorted((row.total for row in rows), reverse=True)


def test_no_tournament_is_no_row():
    assert season_table([]) == ()
