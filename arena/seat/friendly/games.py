"""The friendly games of a person on a page, in a process that is their referee.

The process and the page exchange the messages of `arena/seat/messages.py`. The first line of its input holds
the person's name and the key of the deals. They are not arguments, because every bot could read those. A game
that is over goes into the league that the page reads, as a tournament of its own, so people watch it like any
other game.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import trio

from arena.formats.round_robin import RoundRobinFormat
from arena.league.entrants import Entrant
from arena.league.store import EntrantInfo, League, TournamentInfo
from arena.league.stored import finished_game, result_of
from arena.names import name_problem, same_name
from arena.referee.night.control import Control
from arena.referee.night.onlookers import Onlookers
from arena.referee.sitting.friendly import play_friendly
from arena.results import GameKey, cyclic_seating
from arena.seat.friendly.game import Friendly
from arena.seat.messages import Replay, ToSeat
from arena.seat.person import PersonsChair, Pipe
from arena.table.deal import commitment
from arena.temporary import temporary_folder
from arena.text import one_line
from arena.tournament.plan import Rules
from arena.tournament.seating import Played
from arena.view.pictures.moments import ending

_TITLE: Final = "A friendly game"


def play_games(pipe: Pipe, league: Path, game: Callable[[int], Friendly]) -> None:
    """Plays with the person who sits down, until the page is gone.

    Args:
        pipe: the page.
        league: where games that are over are stored.
        game: the game with the person so many seats further on than in the first one.

    Raises what `game` and `play_friendly` raise.
    """
    told = json.loads(sys.stdin.buffer.readline())
    name, first = told["name"], game(0)
    if problem := name_problem(name):
        pipe.end(f"your name {problem}")
    elif same_name(name) in [same_name(bot.name) for bot in first.bots]:
        pipe.end(f"a bot is called {name}: take another name")
    else:
        trio.run(_Games(pipe, league, game, name, bytes.fromhex(told["key"])).play)


def _distinct(names: Sequence[str]) -> list[str]:
    """The names, numbered where a bot plays more than once: two entrants of a league never share a name."""
    before = (names[:at].count(name) for at, name in enumerate(names))
    return [f"{name} {count + 1}" if count else name for name, count in zip(names, before, strict=True)]


class _Games:
    """The friendly games of one person, one after the other; in each the person sits one seat further on."""

    def __init__(
        self, pipe: Pipe, league: Path, game: Callable[[int], Friendly], name: str, key: bytes
    ) -> None:
        self._pipe = pipe
        self._league = league
        self._game = game
        self._name = name
        self._key = key
        self._chair = PersonsChair(pipe)
        self._control = Control(league, self._say)
        self._onlookers = Onlookers()
        self._wished = trio.Event()

    async def play(self) -> None:
        """Plays until the page is gone."""
        self._pipe.tell({"kind": "welcome", "entrant": self._name, "tournament": _TITLE})
        with trio.CancelScope() as here:
            token = trio.lowlevel.current_trio_token()
            threading.Thread(target=self._hear, args=(here, token), daemon=True).start()
            async with self._control.open(watch=self._onlookers.serve):
                for number in itertools.count(1):
                    self._wished = trio.Event()
                    self._pipe.tell(await self._play(number))
                    await self._wished.wait()

    def _hear(self, here: trio.CancelScope, token: trio.lowlevel.TrioToken) -> None:
        """Receives the person's choices until the page is gone."""
        with contextlib.suppress(trio.RunFinishedError):
            for line in sys.stdin.buffer:
                message: ToSeat = json.loads(line)
                if message["kind"] == "again":
                    token.run_sync_soon(lambda: self._wished.set())
                else:
                    self._chair.indices.put(message)
            token.run_sync_soon(here.cancel)

    async def _play(self, number: int) -> Replay:
        """Plays a game; returns where its replay is, and how it went."""
        friendly = self._game(number - 1)
        seats = friendly.rules.seats
        names = _distinct([entrant.name for entrant in friendly.with_person(Entrant(self._name))])
        self._chair = PersonsChair(self._pipe, names, swapped=number > 1)  # drops a late choice
        key = GameKey(0, 0, 0, friendly.rules.game.id, 0, 0, cyclic_seating(seats, 0))
        seating = friendly.seating(key, self._key, "friendly" if number == 1 else f"friendly {number}")
        with self._chair.served() as address, temporary_folder() as logs:
            entrants = friendly.with_person(Entrant(self._name, address=address))
            # Between two turns the person sees the table as an onlooker does.
            show = partial(self._onlookers.run, names=lambda: names, delay=0.0)
            played = await play_friendly(seating, entrants, Path(logs), self._say, show)
        address = self._keep(played, friendly, names)
        return {"kind": "replay", "address": address, "ending": ending(played.record).as_data()}

    def _say(self, line: str) -> None:
        self._pipe.tell({"kind": "said", "text": one_line(line)})

    def _keep(self, played: Played, friendly: Friendly, names: list[str]) -> str:
        """Stores a finished game in the league; returns the address of its replay."""
        rules = friendly.rules
        stage = RoundRobinFormat(rules.seats, rules.seats, cycles=1)
        played_by = Rules((rules.game.id,), {rules.game.id: rules.options}, clock=rules.time_control)
        plan = played_by.plan(_TITLE, (stage,), rules.own_clocks)
        infos = tuple(EntrantInfo(name, "") for name in names)
        info = TournamentInfo(
            _TITLE, self._league, "", self._key, commitment(self._key), infos, plan.to_json()
        )
        with League.create_or_open(self._league) as league:
            tournament = league.start_tournament(info)
            league.record_game(tournament, finished_game(result_of(played), played))
            league.finish_tournament(tournament)
        return f"/nights/{tournament}/games/{played.seating.key}"
