"""What a tournament needs of its league file: it is whole when play begins, and is waited for later."""

from __future__ import annotations

from collections.abc import Callable

import trio

from arena.runner.leagues.verification import Verification
from arena.runner.night.watcher import Watcher
from arena.store import DamagedLeague, League

_PATIENCE = 1.0
"""For how long the file may be locked before people are told, in seconds."""

_REMINDER = 60.0
"""After how many seconds they are told again."""


def require_whole(league: League) -> None:
    """Checks all that is stored but for playing the records again, which takes most of a verification.

    Raises DamagedLeague with the first thing that is wrong.
    """
    for problem in Verification(league, replay=False).problems():
        if problem is not None:
            raise DamagedLeague(
                f"{league.path} is damaged ({problem.where}: {problem.what}), so nothing is added to it; "
                "arena verify tells more; go back to a copy of it that is whole (arena backup)"
            )


def waiting(watcher: Watcher) -> Callable[[float], None]:
    """What the recorder does while another process holds the file locked (`League.on_wait`).

    It tells the watcher, and ends the wait where the tournament was stopped.
    """
    told_at = 0.0

    def on_wait(seconds: float) -> None:
        nonlocal told_at
        trio.from_thread.check_cancelled()
        if seconds < told_at:  # another wait
            told_at = 0.0
        if seconds >= (told_at + _REMINDER if told_at else _PATIENCE):
            told_at = seconds
            trio.from_thread.run_sync(
                watcher.say,
                f"the league file is locked by another process ({seconds:.0f} s); waiting, nothing is lost",
            )

    return on_wait
