"""A watcher that says nothing."""

from __future__ import annotations

from collections.abc import Mapping

import trio

from arena.results import GameResult
from arena.runner.entrants import Attendance
from arena.tournament.course import Course, News
from arena.tournament.decisions import Decision


class Silence:
    """Listens to a tournament and does nothing; to be subclassed by whoever wants to know a little."""

    def say(self, text: str) -> None:
        """Nothing; so with the others (see `Watcher`)."""

    def bots_came(self, here: int, bots: int) -> None: ...
    def lobby_open(self, port: int, tokens: Mapping[str, str]) -> None: ...
    async def start_signal(self) -> None:
        """Never comes."""
        await trio.sleep_forever()

    def started(self, tournament: int, commitment: str) -> None: ...
    def follow(self, course: Course) -> None: ...
    def news(self, item: News) -> None: ...
    def decided(self, decision: Decision, reason: str) -> None: ...
    def game_over(self, result: GameResult) -> None: ...
    def attendance(self, news: Attendance) -> None: ...
    def refused(self, sentence: str) -> None: ...
