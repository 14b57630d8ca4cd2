"""The list of games, newest first, page by page: the wanted ones, and none twice."""

from __future__ import annotations

from arena.store import League
from arena.store.reading import Wanted
from tests.page.served import played


def test_pages_hold_what_is_wanted(tmp_path):
    with League.read(played(tmp_path / "night.league", names=("a", "b", "c", "d"))) as league:
        every = dict(league.games(1))
        assert league.length() == len(every) + 2
        for wanted, fits in (
            (Wanted(), lambda result: True),
            (Wanted(game="nyuri"), lambda result: result.key.game == "nyuri"),
            (Wanted(stage=0, round=1), lambda result: result.key[:2] == (0, 1)),
            (Wanted(entrant=2), lambda result: any(seat.entrant == 2 for seat in result.seats)),
            (Wanted(faults=True), lambda result: any(sum(seat.faults) for seat in result.seats)),
            (
                Wanted(entrant=1, faults=True),
                lambda result: any(seat.entrant == 1 and sum(seat.faults) for seat in result.seats),
            ),
        ):
            expected = sorted((number for number, result in every.items() if fits(result)), reverse=True)
            assert league.count_games(1, wanted) == len(expected)
            pages = [league.newest_games(1, wanted, 7, first) for first in range(0, len(expected) + 7, 7)]
            assert [number for page in pages for number, _ in page] == expected
            assert all(every[number] == result for page in pages for number, result in page)
        games, decisions = zip(*((each[1], each[2]) for each in league.times_by_game(1, 0)), strict=True)
        mine = [seat for result in every.values() for seat in result.seats if seat.entrant == 0]
        assert (sum(games), sum(decisions)) == (len(mine), sum(seat.decisions for seat in mine))
