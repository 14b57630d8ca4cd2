"""Compares what several tables made of one board: the same cards, played by different bots.

Bridge has done so for a century; there the sheet with a board's results is called its traveller.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from arena.games import GAMES
from arena.games.game import SPECTATOR, Seat
from arena.table.record import Record, first_position


class Parted(NamedTuple):
    """The step at which a table left the common line of play.

    Attributes:
        step: the number of the action, from 1, as the log of the game has it.
        seat: the seat that chose.
        chosen: its action, in words.
        common: the action of the common line, in words.
        tables: how many tables went on with the common line there.
    """

    step: int
    seat: Seat
    chosen: str
    common: str
    tables: int


def parted(records: Sequence[Record]) -> list[Parted | None]:
    """For each table of a board, where it left the common line; None for tables that followed it to the end.

    The common line takes at each choice what most of the tables took that are still on it; among equals, what
    the first of them took. As cards and chance come from the board, tables that chose alike saw alike.

    Args:
        records: the games of the board, all with its key and the same number of seats.

    Raises BrokenRecord if the board cannot be set up.
    """
    found: list[Parted | None] = [None] * len(records)
    if not records:
        return found
    state, game = first_position(records[0]), GAMES[records[0].game]
    line = list(range(len(records)))  # the tables that are still on it
    step = 0
    while state.to_act and len(line) > 1:
        line = [table for table in line if step < len(records[table].actions)]
        if not line:
            break
        (common, tables), *others = Counter(records[table].actions[step] for table in line).most_common()
        seat = state.to_act[0]
        actions = state.legal_actions(seat)
        if common >= len(actions):
            break  # a damaged record, of which verification tells
        if others:
            for table in line:
                chosen = records[table].actions[step]
                if chosen != common and chosen < len(actions):
                    seen = state.observation(SPECTATOR)
                    own, usual = (game.words(actions[each], seen=seen) for each in (chosen, common))
                    found[table] = Parted(step + 1, seat, own, usual, tables)
            line = [table for table in line if records[table].actions[step] == common]
        state.apply(seat, actions[common])
        step += 1
    return found
