"""The folder of a standing league: which file lies where."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path
from typing import NamedTuple

from arena.kits import kits_folder


class Place(NamedTuple):
    """The folder of a standing league.

    Attributes:
        folder: the folder, absolute.
    """

    folder: Path

    @property
    def settings(self) -> Path:
        """What the host decides (`arena.hosting.settings`)."""
        return self.folder / "league.toml"

    @property
    def league(self) -> Path:
        """The league file: the seasons of the ladder and the nights."""
        return self.folder / "league.arena"

    @property
    def database(self) -> Path:
        """Accounts, bots and versions (`arena.hosting.database`)."""
        return self.folder / "host.db"

    @property
    def socket(self) -> Path:
        """Where the host process hears requests (`arena.hosting.requests`)."""
        return self.folder / "host-control"

    @property
    def incoming(self) -> Path:
        """Uploads, whole or not."""
        return self.folder / "incoming"

    @property
    def tournaments(self) -> Path:
        """The tournament files of seasons and nights, as the host process writes them."""
        return self.folder / "tournaments"

    @property
    def challenges(self) -> Path:
        """The games of challenges, each in a league of its own."""
        return self.folder / "challenges"

    @property
    def house(self) -> Path:
        """Copies of the arena's example bots that play for the host."""
        return self.folder / "house"

    def submission(self, version: int) -> Path:
        """The folder of one version, by its id: `upload.zip`, `bot/`, `report.jsonl`, `result.json`."""
        return self.folder / "submissions" / str(version)

    def bot(self, version: int) -> Path:
        """The folder of a version's bot; nothing in it changes once the version is accepted.

        By it a version is known among the entrants of tournaments.
        """
        return self.submission(version) / "bot"

    def house_bot(self, folder: Path) -> Path:
        """The folder from which a bot of the host plays: of an example bot of the arena, its copy."""
        return self.house / folder.name if folder.is_relative_to(kits_folder()) else folder


def remove(folder: Path) -> None:
    """Deletes a folder, whatever permissions a build has set in it."""
    open_folders(folder)
    shutil.rmtree(folder)


def open_folders(folder: Path) -> None:
    """Lets this user read and change a folder and all folders in it; links are not followed."""
    _open(folder)
    for inside, names, _ in os.walk(folder):  # which looks into a folder after this has opened it
        for name in names:
            _open(Path(inside, name))


def _open(folder: Path) -> None:
    mode = os.lstat(folder).st_mode
    if stat.S_ISDIR(mode) and mode & stat.S_IRWXU != stat.S_IRWXU:
        os.chmod(folder, stat.S_IMODE(mode) | stat.S_IRWXU)
