"""Copies a standing league, also while it runs."""

from __future__ import annotations

import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path

from arena.hosting.database import Database, Version
from arena.hosting.place import Place
from arena.hosting.settings import read_settings
from arena.league.store import League


def back_up(place: Place, to: Path) -> None:
    """Copies a standing league into a new folder.

    The league file is copied before the database, and the database before the folders of the versions that it
    names. So the copy lacks nothing that it names; what came later is left out. What a builder works on is
    left out too: it is built again from the upload.

    Args:
        place: the folder of the league.
        to: the new folder; it appears when it is complete.

    Raises WrongFile, StoreError, OSError.
    """
    half = to.with_name(f"{to.name}.part")
    if half.exists():
        shutil.rmtree(half)
    half.mkdir(mode=0o700, parents=True)
    copy = Place(half)
    if place.league.exists():
        with League.read(place.league) as league:
            league.backup(copy.league)
    with Database(place.database) as database:
        database.backup(copy.database)
    for path in place.folder.iterdir():
        if path.is_file() and path.suffix in (".toml", ".txt"):
            shutil.copy2(path, half)
    settings = read_settings(place)
    for path in (place.tournaments, place.house, *settings.house, *(night.file for night in settings.nights)):
        _copy_below(place.folder, path, half)
    with Database(copy.database) as database:
        for bot in database.bots():
            for version in database.versions(bot.id):
                _copy(place, copy, version)
    half.rename(to)


def _copy_below(folder: Path, path: Path, to: Path) -> None:
    """Copies a file or folder that lies in `folder`, once, to the same place in `to`."""
    path = Path(os.path.normpath(path))
    if not path.is_relative_to(folder) or not path.exists():
        return
    copy = to / path.relative_to(folder)
    if copy.exists():
        return
    copy.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        shutil.copytree(path, copy, symlinks=True)
    else:
        shutil.copy2(path, copy)


def _copy(place: Place, copy: Place, version: Version) -> None:
    """Copies the folder of a version, as far as it is settled."""
    folder, to = place.submission(version.id), copy.submission(version.id)
    to.mkdir(parents=True)
    settled = ("report.jsonl", "result.json") if version.state in ("accepted", "refused") else ()
    for name in ("upload.zip", *settled):
        if (folder / name).is_file():
            shutil.copy2(folder / name, to)
    if version.state == "accepted" and place.bot(version.id).is_dir():
        _copy_bot(place.bot(version.id), copy.bot(version.id))


def _copy_bot(folder: Path, to: Path) -> None:
    """Copies the folder of a bot that may be playing: in its own folders it makes and deletes what it likes.

    What is neither file, folder nor link is left out, and so is what is gone by now, or what it has closed.
    """
    to.mkdir(mode=stat.S_IMODE(folder.stat().st_mode) | stat.S_IRWXU)
    for entry in sorted(folder.iterdir()):
        with suppress(FileNotFoundError, PermissionError):
            kind = entry.lstat().st_mode
            if stat.S_ISLNK(kind):
                (to / entry.name).symlink_to(entry.readlink())
            elif stat.S_ISDIR(kind):
                _copy_bot(entry, to / entry.name)
            elif stat.S_ISREG(kind):
                shutil.copy2(entry, to / entry.name)
    shutil.copystat(folder, to)
