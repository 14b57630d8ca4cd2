"""Games as they are stored, from games as they were played."""

from __future__ import annotations

from arena.link.wire.messages import encode_record, encode_times
from arena.results import FAULT_REASONS, GameResult, SeatResult
from arena.runner.rooms.room import Played
from arena.store import FinishedGame


def finished_game(played: Played) -> FinishedGame:
    """A finished game as it is stored."""
    record = played.record._replace(seating=played.seating.key.special_seating)
    return FinishedGame(result_of(played), encode_record(record), encode_times(played.times))


def result_of(played: Played) -> GameResult:
    """The result of a finished game."""
    record = played.record
    faults = [[0] * len(FAULT_REASONS) for _ in range(record.seats)]
    for seat, _, fault in record.faults:
        faults[seat][FAULT_REASONS.index(fault.reason)] += 1
    seats = tuple(
        SeatResult(
            entrant=played.seating.players[seat],
            place=record.outcome.places[seat],
            points=record.outcome.points[seat],
            forfeit=seat in record.forfeits,
            faults=tuple(faults[seat]),
            decisions=played.decisions[seat],
            time=played.seat_times[seat] // 1000,
        )
        for seat in range(record.seats)
    )
    return GameResult(played.seating.key, seats, record.outcome.reason)
