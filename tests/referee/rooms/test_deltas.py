"""Onlookers get the actions that were played at running tables, and no choices that were not played."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from arena.games import GAMES
from arena.referee.rooms.room import MOST_TABLES, Room
from arena.referee.rooms.room_state import Delta
from arena.table.deal import board_key
from arena.table.table import TableRules
from arena.tournament.seating import Seating
from tests.examples import examples
from tests.referee.rooms.room_world import Line, World

CHANCE = GAMES["hyrule"].Options(mode="chance")


class Watched(World):
    """A room of which onlookers are told."""

    def __init__(self):
        super().__init__()
        self.told: list[Delta] = []
        self.room = Room(self.played.append, self.void.append, self.moment, on_deltas=self.told.extend)

    def sealing(self, seats):
        """Opens a table of Hyrule at which all choose at once."""
        self.lines = [Line(self) for _ in range(seats)]
        self.connect(*range(seats))
        rules = TableRules(GAMES["hyrule"], CHANCE, seats, self.control, self.max_faults)
        self.room.open(
            Seating("sealed", rules, board_key(bytes(32), "hyrule", "1"), tuple(range(seats))),
            next(self.tables),
        )
        self.room.flush()

    def deltas(self, anew=False) -> list[Delta]:
        self.room.collect_deltas(anew)
        told, self.told[:] = self.told[:], []
        return told


@examples(20)
@given(st.integers(2, 5), st.randoms(use_true_random=False))
def test_nothing_tells_who_has_sealed(seats, random):
    world = Watched()
    world.sealing(seats)
    assert world.deltas() == []
    (delta,) = world.deltas()
    assert delta.seating is not None
    told = delta.actions
    while not world.played:
        turns = [(seat, turn) for seat, line in enumerate(world.lines) for turn in line.turns()]
        random.shuffle(turns)
        for left, (seat, turn) in enumerate(turns, 1 - len(turns)):
            world.answer(seat, turn, random.randrange(2))
            deltas = world.deltas()
            assert bool(deltas) == (left == 0)
        told += deltas[0].actions
        assert deltas[0].seating is None
    assert deltas[0].end == "over"
    assert told == world.played[0].record.actions


def test_a_game_that_nobody_could_follow_is_not_told_of():
    world = Watched()
    world.connect()
    world.open()
    assert world.deltas() == []
    world.play_on()
    assert world.played
    assert world.deltas() == []


def test_whoever_comes_anew_is_told_all_of_it_and_how_it_ends():
    world = Watched()
    world.connect()
    world.open("nyuri")
    world.deltas()
    (first,) = world.deltas()
    (turn,) = [turn for line in world.lines for turn in line.turns()]
    world.answer(0, turn)
    world.answer(1, turn)
    (second,) = world.deltas()
    assert second.seating is None
    assert world.deltas(anew=True) == []
    (again,) = world.deltas()
    assert again.seating == first.seating
    assert again.actions == first.actions + second.actions
    world.room.abandon()
    assert world.deltas() == [Delta(again.table, None, (), "void")]


def test_no_more_tables_are_told_of_than_anybody_can_look_at():
    world = Watched()
    world.connect()
    for board in range(MOST_TABLES + 5):
        world.open(board=str(board))
    world.deltas()
    assert len(world.deltas()) == MOST_TABLES
    world.room.abandon()
    world.deltas()
    world.open()
    world.deltas()
    assert len(world.deltas()) == 1
