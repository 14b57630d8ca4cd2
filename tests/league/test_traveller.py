"""What all tables made of one board, compared with what their logs say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.league.store import League, UnknownGame
from arena.league.stored import record_of
from arena.league.traveller import traveller
from arena.report.game_log import game_steps
from arena.results import GameKey, read_game_key
from arena.table.record import Record
from tests.referee.simulation import simulate

FILE = 'name = "test"\ngames = ["nyuri", "nur-mut"]\nboards = 2\nshared_cards = "{}"\n'


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
