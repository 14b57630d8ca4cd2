"""Games that the native engine and the rules in Python play side by side, of which every byte is compared."""

from __future__ import annotations

import random
from typing import Any

from arena.games import GAMES
from arena.games.game import Game
from arena.link.wire.messages import encode_end, encode_turn
from arena.link.wire.native import new_position, replayed
from arena.table.clock import SECOND, TimeControl
from arena.table.deal import board_key
from arena.table.position import EncodedView, View
from arena.table.record import Record
from arena.table.table import Ask, Table, TableRules
from tests.games.random_play import random_options

TABLE = 7
CLOCK = TimeControl(10 * SECOND, SECOND, 10 * SECOND)
Tables = tuple[Table[View], Table[View | EncodedView]]


def play_both(game_id: str, seed: int, most: int = 1 << 30) -> tuple[Record, int]:
    """Plays a game on both, with random options, seats, starter, answers and faults, and compares all of it.

    Args:
        game_id: the game's id.
        seed: of all that is drawn.
        most: the most decisions; afterwards every turn gets the first action.

    Returns the record, and how many actions it has.
    """
    rng = random.Random(f"{game_id} {seed}")
    game = GAMES[game_id]
    options = random_options(game, rng)
    seats = rng.choice(game.seats(options))
    rules = TableRules(game, options, seats, CLOCK, rng.choice((1, 3, 1 << 30)), rng.randrange(seats))
    key = board_key(rng.randbytes(32), game_id, str(seed))
    faulty = rng.choice((0.0, 0.0, 0.05))
    position = new_position(rules, key)
    assert not hasattr(position, "__dict__")
    assert type(position).__module__ != "arena.table.position", "the engine is not used"
    tables: Tables = Table(rules, key), Table(rules, key, position)
    decisions = 0
    while not tables[0].over:
        asked = tables[0].asks(), tables[1].asks()
        assert [encode_turn(TABLE, game_id, ask) for ask in asked[0]] == [
            encode_turn(TABLE, game_id, ask) for ask in asked[1]
        ], (game_id, seed)
        rng.shuffle(asked[0])
        for ask in asked[0]:
            decisions += 1
            _answer(tables, ask, rng, faulty if decisions < most else 0.0, decisions < most)
    records = tables[0].record(), tables[1].record()
    assert records[0] == records[1], (game_id, seed)
    assert tables[0].times() == tables[1].times()
    for seat in range(seats):
        ends = [_end(table, game, seat, records[0]) for table in tables]
        assert ends[0] == ends[1], (game_id, seed)
    _replay_both(records[0])
    return records[0], len(records[0].actions)


def _answer(tables: Tables, ask: Ask[View], rng: random.Random, faulty: float, wild: bool) -> None:
    """Gives the same answer to the same turn on both, or the same fault."""
    chance, elapsed = rng.random(), rng.randrange(SECOND)
    index = rng.randrange(len(ask.view.actions)) if wild else 0
    for table in tables:
        if not table.waits_for(ask.seat, ask.turn):
            continue  # forfeited meanwhile
        if chance >= faulty:
            table.answer(ask.seat, ask.turn, index, elapsed)
        elif chance < faulty / 3:
            table.answer(ask.seat, ask.turn, len(ask.view.actions), elapsed)
        elif chance < faulty / 2:
            table.stray(ask.seat, "no such table")
            table.answer(ask.seat, ask.turn, index, elapsed)
        else:
            table.retell(ask.seat)
            table.fault(ask.seat, "disconnect", "gone", elapsed)


def _end(table: Table[Any], game: Game, seat: int, record: Record) -> bytes:
    outcome = record.outcome, record.forfeits
    return encode_end(TABLE, game.id, outcome, table.faults_of(seat), table.closing_view(seat))


def _replay_both(record: Record) -> None:
    found = replayed(record)
    assert found is not None
    assert (found.points, found.reason) == (record.outcome.points, record.outcome.reason)
    assert record.forfeits or found == record.outcome
