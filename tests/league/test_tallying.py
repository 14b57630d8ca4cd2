"""The tally read board by board equals that of single games, whichever games are stored."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.league.store import DamagedLeague, EntrantInfo, FinishedGame, League, TournamentInfo
from arena.league.stored import course_of
from arena.league.tournament_file import parse_plan
from arena.standings.table import crosstable, standings
from arena.standings.tally import Tally
from arena.tournament.plan import Plan
from tests.examples import examples
from tests.standings.games import add_all, count, tournaments
from tests.standings.games import game as board_game

ENTRANTS = 6
FILE = 'name = "x"\ngames = ["nyuri", "hyrule", "kleftis"]\n' + "[[entrant]]\n" * ENTRANTS


def fill(league: League, results, plan: Plan | None = None) -> int:
    entrants = tuple(EntrantInfo(f"bot {number}", "") for number in range(ENTRANTS))
    plan = plan or parse_plan(FILE, Path("x"))
    number = league.start_tournament(
        TournamentInfo("x", Path("x"), FILE, bytes(32), "", entrants, plan.to_json())
    )
    league.record_games(number, [FinishedGame(result, b"r", b"t") for result in results])
    return number


@examples(60)
@given(tournaments(), st.data())
def test_board_by_board_is_game_by_game(tournament, data):
    _, boards, results = tournament
    names = dict(zip("abc", ("nyuri", "hyrule", "kleftis"), strict=True))
    results = [result._replace(key=result.key._replace(game=names[result.key.game])) for result in results]
    stored = [result for result in data.draw(st.permutations(results)) if data.draw(st.booleans())]
    stored.sort(key=lambda result: result.key.stage)  # one stage begins when the other is over
    plan = parse_plan(f"boards = {boards}\n{FILE}", Path("x"))
    one, timed = (add_all(Tally(plan.games, plan.boards, timed=timed), stored) for timed in (False, True))
    with TemporaryDirectory() as folder, League.create_or_open(Path(folder, "x.league")) as league:
        number = fill(league, stored, plan)
        other = course_of(league, number).tally
        other_timed = count(Tally(plan.games, plan.boards, timed=True), league.results(number, by_match=True))
    assert other.played == one.played == len(stored)
    everyone = range(ENTRANTS)
    for stage in (None, 0, 1):
        assert timed.results(stage) == other_timed.results(stage)
        assert standings(timed, everyone, stage) == standings(other_timed, everyone, stage)
        assert standings(one, everyone, stage) == standings(other, everyone, stage)
        assert crosstable(one, everyone, stage) == crosstable(other, everyone, stage)
        assert one.results(stage) == other.results(stage)
    assert one.groups == other.groups


def test_seats_that_contradict_their_rotations_are_told(tmp_path):
    path = tmp_path / "x.league"
    both = [board_game((1, 2), (1, 2), name="nyuri", rotation=rotation) for rotation in (0, 1)]
    with League.create_or_open(path) as league:
        number = fill(league, both)
    with apsw.Connection(str(path)) as db:
        db.execute("UPDATE seat SET entrant = 3 WHERE game = 2 AND seat = 0")
    db.close()
    with League.read(path) as league, pytest.raises(DamagedLeague, match=r"who sat where in 1\.1\.1/nyuri/1"):
        list(league.boards(number))
