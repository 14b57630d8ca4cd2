"""What a run tells of itself at this moment, to whom asks over its control socket: plain values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from arena.face import NO_FACE, Face
from arena.referee.cluster_statistics import ClusterStatistics


class State(NamedTuple):
    """The state of a run.

    Attributes:
        waits: whether it waits for guests.
        lobby: where guests dial in, as `Address` writes it; empty if they cannot.
        cluster_statistics: what the workers of a cluster do; None without a cluster.
    """

    waits: bool = False
    lobby: str = ""
    cluster_statistics: ClusterStatistics | None = None


class BotNow(NamedTuple):
    """An entrant's bot at this moment.

    Attributes:
        name: the name of the entrant.
        dials_in: whether it is a guest, which has a token.
        state: `here`, `building`, `coming` (it has not connected yet), `lost` (it may come back) or `gone`
            (it is given up; a guest may still come).
        seconds: for how many seconds it has been in that state.
        tables: at how many tables it plays.
        face: what decorates its name.
    """

    name: str
    dials_in: bool
    state: str
    seconds: float
    tables: int
    face: Face = NO_FACE


class Awaited(NamedTuple):
    """An open turn, for which others wait.

    Attributes:
        entrant: the number of the entrant.
        game: the key of the game, as text.
        table: the number of the table.
        seconds: for how many seconds the turn has been open.
        left: how many seconds are left on the clock of the entrant.
    """

    entrant: int
    game: str
    table: int
    seconds: float
    left: float


class NightNow(NamedTuple):
    """What only the run knows, for the host.

    Attributes:
        plays: whether a run plays now; all else is empty if none does.
        begun: whether its tournament has begun.
        title: the name of the tournament.
        about: its formats and games, in a sentence without its full stop.
        begins_in: for how many seconds it waits for its time; below 0 if it has none.
        building: which bot is built, such as `owl, 2 of 5`; empty if none is.
        waits: whether it waits for guests before its first game.
        lobby: where guests dial in, as `Address` writes it; empty if they cannot.
        tables: how many games run.
        bots: the bots, by the numbers of their entrants.
        awaited: the turns that have been open longest, the longest first.
        ready: how many matches are played that the host has not shown.
        next: the match that the host shows next; empty if none is left to be shown.
    """

    plays: bool = False
    begun: bool = False
    title: str = ""
    about: str = ""
    begins_in: float = -1.0
    waits: bool = False
    lobby: str = ""
    tables: int = 0
    bots: Sequence[BotNow] = ()
    awaited: Sequence[Awaited] = ()
    ready: int = 0
    next: str = ""
    building: str = ""
