"""What all tables made of one board, compared with what their logs say."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.checkup.analysed import known_tables
from arena.league.store import League, UnknownGame
from arena.league.stored import record_of
from arena.league.traveller import swung, traveller
from arena.report.game_log import game_steps
from arena.results import GameKey, read_game_key
from arena.table.record import Record
from arena.tournament.effects import VoidBoard, VoidBoards
from tests.arena_command import arena
from tests.league.damaged import edit
from tests.referee.simulation import simulate
from tests.view.explained import keep_findings

FILE = 'name = "test"\ngames = ["nyuri", "nur-mut"]\nboards = 2\nshared_cards = "{}"\n'
NONE = VoidBoards()


@pytest.fixture
def league(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[League]:
    with League.create_or_open(tmp_path / "l.league") as store:
        simulate(store, FILE.format(getattr(request, "param", "round")), 6)
        yield store


def key_of(text: str) -> GameKey:
    key = read_game_key(text)
    assert key is not None
    return key


def records_of(store: League, wanted: str) -> dict[str, Record]:
    """The games whose keys match a board, such as `1.2./nyuri/1.`, by their keys."""
    round_, board = wanted.split("/", 1)
    return {
        str(result.key): record_of(store.game(number))
        for number, result in store.games(1)
        if str(result.key).startswith(round_) and f"/{board}" in str(result.key)
    }


@pytest.mark.parametrize("board", ["1.1./nyuri/1.", "1.2./nyuri/2.", "1.3./nur-mut/1.", "1.5./nur-mut/2."])
def test_every_table_is_told_where_it_left_the_line_that_most_of_those_before_it_took(league, board):
    records = records_of(league, board)
    assert len(records) == 3 * 2
    tables = traveller(league, league.tournament(1), key_of(next(iter(records))))
    assert sorted(str(each.result.key) for each in tables) == sorted(records)
    for each in tables:
        record = records[str(each.result.key)]
        length = len(record.actions) if each.parted is None else each.parted.step - 1
        for step in range(length + (each.parted is not None)):
            next_ = Counter(
                other.actions[step]
                for other in records.values()
                if other.actions[:step] == record.actions[:step] and step < len(other.actions)
            )
            most = max(next_.values())
            if step < length:
                assert next_[record.actions[step]] == most
        if each.parted is not None:
            assert each.parted.tables == most >= next_[record.actions[step]]
            names = ["a", "b"]
            log = [line for lines in game_steps(record, names, None, True) for line in lines]
            said = next(line for line in log if line.startswith(f"{each.parted.step:4}. "))
            assert said.strip() == f"{each.parted.step}. seat {each.parted.seat} " + (
                f"({names[each.parted.seat]}): {each.parted.chosen}"
            )
            before = log[: log.index(said)]
            assert f"        {each.parted.common}" in before
    assert sum(each.parted is None for each in tables) >= 1


def test_the_best_result_for_the_first_seat_comes_first(league):
    tables = traveller(league, league.tournament(1), key_of("1.1.1/nyuri/1.1"))
    margins = [
        (-each.result.seats[0].place, each.result.seats[0].points - each.result.seats[1].points)
        for each in tables
    ]
    assert margins == sorted(margins, reverse=True)


@pytest.mark.parametrize(("league", "tables"), [("round", 6), ("match", 2), ("none", 1)], indirect=["league"])
def test_only_tables_with_the_same_cards_are_compared(league, tables):
    found = traveller(league, league.tournament(1), key_of("1.2.2/nyuri/1.1"))
    assert len(found) == tables
    assert len({record_of(league.game(each.number)).board_key for each in found}) == 1


def test_a_board_that_nobody_has_played_is_told(league):
    with pytest.raises(UnknownGame, match="no game of board"):
        traveller(league, league.tournament(1), key_of("1.2.1/nyuri/7.1"))


def run(store: League, words: list[str]) -> str:
    """What the terminal prints of a league."""
    return arena("replay", store.path, *words, cwd=store.path.parent).stdout


def widths_of(store: League, entrant: int | None = None) -> dict[tuple[int, int, str, int], list[int]]:
    """For each board of a round, the leads of seat 0 at all its tables, from the results alone."""
    leads: dict[tuple[int, int, str, int], list[int]] = {}
    mine = set()
    for _, result in store.games(1):
        key = result.key
        board = (key.stage, key.round, key.game, key.board)
        first, *others = (seat.points for seat in result.seats)
        if not any(seat.forfeit for seat in result.seats):
            leads.setdefault(board, []).append(first - max(others))
            if any(seat.entrant == entrant for seat in result.seats):
                mine.add(board)
    return {board: each for board, each in leads.items() if entrant is None or board in mine}


@pytest.mark.parametrize("entrant", [None, 3])
def test_the_boards_that_swung_most_are_those_of_the_results(league, entrant):
    leads = widths_of(league, entrant)
    found = swung(league, league.tournament(1), NONE, 1000, entrant=entrant)
    told = {(each.key.stage, each.key.round, each.key.game, each.key.board): each for each in found}
    assert set(told) == {board for board, each in leads.items() if max(each) > min(each)}
    for board, each in told.items():
        assert (each.low, each.high, each.tables) == (min(leads[board]), max(leads[board]), len(leads[board]))
        tables = traveller(league, league.tournament(1), each.key)
        whole = [table for table in tables if not any(seat.forfeit for seat in table.result.seats)]
        assert each.last == max(table.number for table in whole)
        at = {(table.result.seats[0].points - max(seat.points for seat in table.result.seats[1:]),
               table.result.seats[0].entrant) for table in tables}  # fmt: skip
        assert {(each.low, each.worst), (each.high, each.best)} <= at
    usual = {
        game: sum(max(each) - min(each) for board, each in leads.items() if board[2] == game)
        / sum(board[2] == game for board in leads)
        for game in ("nyuri", "nur-mut")
    }
    ratios = [each.width / usual[each.key.game] for each in found]
    assert ratios == sorted(ratios, reverse=True)
    assert swung(league, league.tournament(1), NONE, 2, entrant=entrant) == found[:2]


@pytest.mark.parametrize("league", ["none"], indirect=True)
def test_without_shared_cards_no_board_swings(league):
    assert swung(league, league.tournament(1), NONE, 10) == []


def test_boards_that_were_annulled_at_a_table_do_not_swing(league):
    first, *others = swung(league, league.tournament(1), NONE, 1000)
    void = VoidBoards()
    void.add([VoidBoard(first.key.stage, first.key.round, 2, first.key.game, first.key.board, 1000)])
    left = swung(league, league.tournament(1), void, 1000)
    assert sorted(left) == sorted(others)


def test_the_terminal_takes_a_board_as_people_write_it(league):
    wanted = json.loads(run(league, ["1.2/nyuri/1", "--all", "--json"]))
    for text in (
        "Nyuri round 2, board 1",
        "http://a.example/nights/1/boards/1.2.1/nyuri/1.2",
        "http://a.example/boards/1.2.1/nyuri/1.2?at=3",
        "nyuri round 2 board 1",
    ):
        assert json.loads(run(league, [text, "--all", "--json"])) == wanted
    of_title = json.loads(run(league, ["Nur Mut, round 3, board 2", "--all", "--json"]))
    assert of_title == json.loads(run(league, ["1.3/nur-mut/2", "--all", "--json"]))
    arena("replay", league.path, "/nights/2/boards/1.2.1/nyuri/1.2", "--all", cwd=league.path.parent, code=2)
    found = json.loads(run(league, ["--all", "--json"]))
    expected = swung(league, league.tournament(1), NONE, 10)
    assert [(each["tables"], each["best"]["lead"]) for each in found] == [
        (each.tables, each.high) for each in expected
    ]
    assert json.loads(run(league, [found[0]["board"], "--all", "--json"]))


def test_what_is_kept_of_a_table_is_told_and_nothing_is_computed(league):
    key = "1.1.1/nyuri/1.1"
    decisions = keep_findings(league.path, key)
    tables = traveller(league, league.tournament(1), key_of(key))
    for table, known in zip(tables, known_tables(league, tables), strict=True):
        if str(table.result.key) != key:
            assert known == (None, None, False)
            continue
        wrong = [each for seat in decisions for each in seat if each.verdict == "mistake"]
        assert known.luck == -0.2
        assert known.mistake is not None
        assert known.mistake.cost == max(each.cost for each in wrong)
    mine = next(each for each in tables if str(each.result.key) == "1.1.1/nyuri/1.2")
    league.keep_lucks({(mine.number, "greedy"): 0.25})
    luck = dict(zip([each.number for each in tables], known_tables(league, tables), strict=True))[
        mine.number
    ].luck
    assert luck == (0.25 if mine.result.key.seating[0] == 0 else -0.25)


def test_no_query_reads_all_games(league):
    statements: list[tuple[str, object]] = []

    def note(_, statement, bindings):
        statements.append((statement, bindings))
        return True

    league._db.exec_trace = note
    tables = traveller(league, league.tournament(1), key_of("1.1.1/nyuri/1.1"))
    league.keep_lucks({(tables[0].number, "greedy"): 0.25})
    known_tables(league, tables)
    swung(league, league.tournament(1), NONE, 10)
    swung(league, league.tournament(1), NONE, 10, entrant=2)
    league.require_stored(each.number for each in tables)
    league._db.exec_trace = None
    read = [each for each in statements if each[0].startswith(("SELECT", "\n    SELECT"))]
    steps = [row[-1] for each in read for row in league._db.execute(f"EXPLAIN QUERY PLAN {each[0]}", each[1])]
    of_large = [each for each in steps if each.split()[1] in ("game", "seat", "chain", "luck")]
    assert {each.split()[0] for each in of_large} == {"SEARCH"}
    assert not [each for each in of_large if each.endswith(("(thing=?)", "(tournament=?)"))]


@pytest.mark.parametrize("words", [["1.1/nyuri/1", "--all"], ["--all"]])
def test_a_table_that_was_changed_is_told(league, words):
    edit(league.path, "UPDATE seat SET points = points + 1")
    told = arena("replay", league.path, *words, cwd=league.path.parent, code=2)
    assert "is not as it was stored" in told.stderr
