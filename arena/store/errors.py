"""What can go wrong with a league file, each in one sentence with its remedy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw


class StoreError(Exception):
    """Something is wrong with a league file or with what is asked of it."""


class LeagueNotFound(StoreError):
    """There is no such file."""


class NotALeague(StoreError):
    """The file is something else."""


class WrongLeagueVersion(StoreError):
    """The file was written by a newer program, or by an older one and cannot be brought up to date."""


class OldLeague(WrongLeagueVersion):
    """The file was written by an older program and not yet brought up to date."""


class LeagueBusy(StoreError):
    """Another process writes the league."""


class LeagueNotWritable(StoreError):
    """The file or its folder is read-only, missing or forbidden."""


class DiskFull(StoreError):
    """There is no room left; nothing of the last group of games was stored."""


class DiskFails(StoreError):
    """The disk cannot be read or written; nothing of the last group of games was stored."""


class DamagedLeague(StoreError):
    """The file is damaged."""


class UnknownTournament(StoreError):
    """The league has no such tournament."""


class UnknownGame(StoreError):
    """The league has no such game."""


class AlreadyRecorded(StoreError):
    """The game was recorded before; nothing of the group was stored."""


class Contradiction(StoreError):
    """What was to be stored cannot be true; nothing of it was stored."""


class TournamentFinished(StoreError):
    """The tournament is finished: its key is known, so no game can be added."""


@contextmanager
def clear_errors(path: Path) -> Iterator[None]:
    """Turns the database's errors about the file `path` into StoreErrors; others are bugs and pass."""
    try:
        yield
    except apsw.NotADBError:
        raise NotALeague(f"{path} is not a league file; give the path of one, or of a new file") from None
    except (apsw.BusyError, apsw.LockedError):
        raise LeagueBusy(f"{path} is locked by another process; try again when it is done") from None
    except apsw.FullError:
        raise DiskFull(f"{path} cannot grow, the disk is full; make room") from None
    except (apsw.ReadOnlyError, apsw.PermissionsError):
        raise LeagueNotWritable(f"{path} is read-only; change its permissions or copy it elsewhere") from None
    except apsw.CantOpenError:
        raise LeagueNotWritable(
            f"{path} cannot be opened; check that it is a file and that its folder exists and is writable"
        ) from None
    except apsw.IOError as problem:
        raise DiskFails(
            f"{path} cannot be read or written ({problem}); see to its disk, or copy it elsewhere"
        ) from None
    except (apsw.CorruptError, UnicodeDecodeError) as problem:
        raise DamagedLeague(f"{path} is damaged ({problem}); go back to a copy of it") from None
