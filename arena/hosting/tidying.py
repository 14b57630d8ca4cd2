"""Deletes what a standing league does not need any more.

* Uploads that were not finished, or not submitted, go after a day.
* The folder of a refused version goes after 7 days; its report stays.
* The folder of an accepted version goes 30 days after a later one was accepted, unless it is active or an
  unfinished tournament has it.
* A log of the league's own processes that has become long becomes the old one, which goes.
* A challenge goes 30 days after its end, with its games and its report.
* What an author's builds have downloaded goes 7 days after the author's last submission, and at once if the
  disk is nearly full.
"""

from __future__ import annotations

import os
import shutil
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from arena.hosting.children import rotate
from arena.hosting.database import Database, Version
from arena.hosting.place import Place, remove
from arena.league.store import League, LeagueNotFound

UPLOADS: Final = timedelta(days=1)
DOWNLOADS: Final = timedelta(days=7)
REFUSED: Final = timedelta(days=7)
SUPERSEDED: Final = timedelta(days=30)
CHALLENGES: Final = timedelta(days=30)


def tidy(place: Place, database: Database, reserve: int) -> None:
    """Deletes what is old; it may be stopped and called again at any time.

    Args:
        place: the folder of the league.
        database: a connection that may write.
        reserve: with less than so many bytes free the disk is nearly full.
    """
    if place.incoming.is_dir():
        for upload in place.incoming.iterdir():
            with suppress(FileNotFoundError):
                if upload.stat().st_mtime < time.time() - UPLOADS.total_seconds():
                    upload.unlink()
    for log in (place.folder / "logs").glob("*.log"):
        if not log.name.endswith(".old.log"):
            rotate(log)
    _tidy_downloads(place, database, shutil.disk_usage(place.folder).free < reserve)
    _tidy_challenges(place, database)
    in_use = _in_use(place)
    for challenge in database.open_challenges():
        in_use |= {place.bot(id) for id in (challenge.version, challenge.against) if id is not None}
    for bot in database.bots():
        superseded = ""  # when a later version was accepted
        for version in database.versions(bot.id):
            decided = version.decided or ""
            if version.state == "refused" and decided < _ago(REFUSED):
                _delete(place, database, version)
            if version.state == "accepted":
                spared = bot.active == version.id or place.bot(version.id) in in_use
                if superseded and superseded < _ago(SUPERSEDED) and not spared:
                    _delete(place, database, version)
                superseded = max(superseded, decided) if superseded else decided


def _tidy_challenges(place: Place, database: Database) -> None:
    with database.transaction():  # which fails if a file cannot be deleted
        for id in database.forget_challenges(_ago(CHALLENGES)):
            for path in place.challenges.glob(f"{id}.*"):
                path.unlink()


def _tidy_downloads(place: Place, database: Database, full: bool) -> None:
    building = {database.bot(version.bot) for version in database.under_way()}
    for account in database.accounts():
        folder = place.folder / "caches" / str(account.id)
        if not folder.is_dir() or any(bot is not None and bot.account == account.id for bot in building):
            continue
        if full or not database.submitted_since(account.id, _ago(DOWNLOADS)):
            remove(folder)


def _ago(time: timedelta) -> str:
    return (datetime.now(UTC) - time).isoformat(timespec="seconds")


def _in_use(place: Place) -> set[Path]:
    """The folders of the bots of unfinished tournaments."""
    try:
        with League.read(place.league) as league:
            return {
                Path(os.path.normpath(stored.file_path.parent / entrant.bot))
                for stored in league.tournaments()
                if stored.finished is None
                for entrant in stored.entrants
                if entrant.bot
            }
    except LeagueNotFound:
        return set()


def _delete(place: Place, database: Database, version: Version) -> None:
    """Deletes the files of a version, but not its report."""
    folder = place.submission(version.id)
    (folder / "upload.zip").unlink(missing_ok=True)
    bot = place.bot(version.id)
    if bot.is_dir():
        remove(bot)
    if version.disk:
        with database.transaction():
            database.change_version(version.id, disk=0)
