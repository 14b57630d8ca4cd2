"""The errors of league files. The text of each is one sentence with the remedy."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from arena.text import shell_word


class StoreError(Exception):
    """An error of a league file, or of a request to it."""


class LeagueNotFound(StoreError):
    """There is no such file."""


class NotALeague(StoreError):
    """The file is not a league."""


class EmptyLeague(NotALeague):
    """The file is empty: it is no league yet, or another process is about to make it one."""


class WrongLeagueVersion(StoreError):
    """The file was written by a newer program, or by an older one and cannot be brought up to date."""


class OldLeague(WrongLeagueVersion):
    """The file was written by an older program and not yet brought up to date."""


class LeagueBusy(StoreError):
    """Another process writes the league."""


class LeagueNotWritable(StoreError):
    """The file or its folder is read-only, missing or forbidden."""


class PathNotKept(StoreError):
    """A league keeps paths as UTF-8, and a path is not."""


class LeagueMoved(StoreError):
    """The file that is being written was deleted, moved or replaced; the text says where the games are."""


class DiskFull(StoreError):
    """The disk is full; nothing of the last group of games was stored."""


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
    """What was to be stored contradicts itself or the league; nothing of it was stored."""


class TournamentFinished(StoreError):
    """The tournament is finished: its key is known, so no game can be added."""


@contextmanager
def clear_errors(path: Path) -> Iterator[None]:
    """Turns the database's errors about the file `path` into StoreErrors; other errors are bugs and pass."""
    try:
        yield
    except apsw.NotADBError:
        raise NotALeague(f"{path} is not a league file; give the path of one, or of a new file") from None
    except (apsw.BusyError, apsw.LockedError):
        raise LeagueBusy(f"{path} is locked by another process; end it, or wait, and try again") from None
    except apsw.FullError:
        raise _full(path) from None
    except (apsw.ReadOnlyError, apsw.PermissionsError):
        raise _read_only(path) from None
    except apsw.CantOpenError:
        raise _unusable(path) from None
    except apsw.IOError as problem:
        raise DiskFails(
            f"{path} cannot be read or written ({problem}); see to its disk, or copy it elsewhere"
        ) from None
    except (apsw.CorruptError, UnicodeDecodeError) as problem:
        raise damaged(path, str(problem)) from None


@contextmanager
def clear_system_errors(path: Path) -> Iterator[None]:
    """Turns the system's errors about the file `path` into StoreErrors."""
    try:
        yield
    except OSError as problem:
        if problem.errno in (errno.ENOSPC, errno.EDQUOT):
            raise _full(path) from None
        if problem.errno in (errno.EACCES, errno.EPERM, errno.EROFS) and path.exists():
            raise _read_only(path) from None
        raise _unusable(path) from None


def damaged(path: Path, what: str) -> DamagedLeague:
    """The error for a damaged league file, with the remedy."""
    return DamagedLeague(
        f"{path} is damaged ({what}); arena verify {shell_word(path)} tells more; "
        "go back to a copy of it, such as arena backup makes"
    )


def _full(path: Path) -> DiskFull:
    return DiskFull(f"{path} cannot grow, the disk is full; make room")


def _read_only(path: Path) -> LeagueNotWritable:
    return LeagueNotWritable(f"{path} is read-only; change its permissions or copy it elsewhere")


def _unusable(path: Path) -> LeagueNotWritable:
    return LeagueNotWritable(
        f"{path} cannot be opened; check that it is a file and that its folder exists and is writable"
    )
