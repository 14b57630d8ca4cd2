"""The league file: every tournament, entrant and finished game, in one SQLite file that loses nothing."""

from arena.store.errors import (
    AlreadyRecorded,
    DamagedLeague,
    DiskFull,
    LeagueBusy,
    LeagueNotFound,
    LeagueNotWritable,
    NotALeague,
    StoreError,
    TournamentFinished,
    UnknownGame,
    UnknownTournament,
    WrongLeagueVersion,
)
from arena.store.league import League
from arena.store.values import (
    ChainedGame,
    ChainEntry,
    EntrantInfo,
    FinishedGame,
    StoredGame,
    StoredTournament,
    TournamentInfo,
)

__all__ = [
    "AlreadyRecorded",
    "ChainEntry",
    "ChainedGame",
    "DamagedLeague",
    "DiskFull",
    "EntrantInfo",
    "FinishedGame",
    "League",
    "LeagueBusy",
    "LeagueNotFound",
    "LeagueNotWritable",
    "NotALeague",
    "StoreError",
    "StoredGame",
    "StoredTournament",
    "TournamentFinished",
    "TournamentInfo",
    "UnknownGame",
    "UnknownTournament",
    "WrongLeagueVersion",
]
