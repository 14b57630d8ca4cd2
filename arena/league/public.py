"""What of a finished tournament everybody may have: `arena export --public`, and what a page offers.

It is no more than the pages of a league show to visitors. While results are hidden, their tournament is not
finished, and no export has it. The tables leave the same out (`Column.public` in `arena.league.dataset`).
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Final

from arena.league.store import Begun, Event, StoredRuling, TournamentInfo
from arena.link.wire.messages import decode_record, decode_times, encode_record, encode_times
from arena.results import StoredGame
from arena.tournament.plan import plan_of_file
from arena.tournament.rulings import Admit, read_ruling

LEFT_OUT: Final = (
    "the tournament file, the folders and addresses of the bots, the words of faults, "
    "the times of decisions, and what the bots thought"
)
"""What a public export leaves out, in words."""


def public(event: Event) -> Event:
    """An event in the history of a league, without what is left out. So it still can be imported.

    Raises BrokenRecord, WrongRuling, UnknownPlan.
    """
    match event:
        case Begun():
            return event._replace(info=_public_info(event.info))
        case StoredGame():
            return _public_game(event)
        case StoredRuling():
            ruling = read_ruling(event.ruling)  # without the id of the host's request
            if isinstance(ruling, Admit):
                ruling = dataclasses.replace(ruling, source="")
            return event._replace(ruling=ruling.to_json())
        case _:
            return event


def _public_info(info: TournamentInfo) -> TournamentInfo:
    entrants = tuple(entrant._replace(bot="") for entrant in info.entrants)
    plan = info.plan or plan_of_file(info.file_text, len(entrants)).to_json()
    return info._replace(file_path=Path(), file_text="", entrants=entrants, plan=plan)


def _public_game(game: StoredGame) -> StoredGame:
    seats = tuple(seat._replace(time=0) for seat in game.result.seats)
    record = decode_record(game.record)
    faults = tuple((seat, step, fault._replace(message="")) for seat, step, fault in record.faults)
    return game._replace(
        result=game.result._replace(seats=seats),
        record=encode_record(record._replace(faults=faults)) if faults else game.record,
        times=encode_times((0,) * len(decode_times(game.times))),
    )
