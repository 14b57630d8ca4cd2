"""What a bot knows when a table begins."""

from __future__ import annotations

from typing import Any, NamedTuple

from arena.link.wire.convert import wire_in
from arena.v1 import bot_pb2


class TableInfo(NamedTuple):
    """What a bot knows when a table begins.

    Attributes:
        game: the game's id, such as `forty-one`.
        options: its options, an instance of `arena.games.GAMES[game].Options`;
            `arena games` says what each means.
        seats: the number of seats.
        seat: the bot's own seat, from 0.
        starter: the seat that starts the first deal.
        bank: the time for the whole game, in seconds.
        increment: what each answered decision adds to it, in seconds.
        move: the most that one decision may take, in seconds.
        names: the entrants' names by seat; empty where they are hidden.
        seed: 16 bytes for the bot's own chance, the same for the same board and seat.
    """

    game: str
    options: Any
    seats: int
    seat: int
    starter: int
    bank: float
    increment: float
    move: float
    names: tuple[str, ...]
    seed: bytes


def seconds(duration: Any) -> float:
    """A protobuf duration in seconds."""
    return float(duration.seconds + duration.nanos / 1e9)


def table_info(start: bot_pb2.TableStart) -> TableInfo:
    """The start of a table as a bot is told it."""
    wire = wire_in(start)
    control = start.time_control
    return TableInfo(
        game=wire.game_id,
        options=wire.options.to_value(getattr(start, wire.field)),
        seats=start.seats,
        seat=start.seat,
        starter=start.starter,
        bank=seconds(control.bank),
        increment=seconds(control.increment),
        move=seconds(control.move),
        names=tuple(start.names),
        seed=start.seed,
    )
