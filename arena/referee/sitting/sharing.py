"""How bots share the tables: the rule that says whose games may begin now.

Games begin in the order of the schedule. A game waits while one of its bots may not sit down:

* A bot plays as many tables as it can, in each of its instances, and none before it has connected.
* A slow bot does not hold up the others. Games without a slow bot have `concurrency` tables, and games with
  one have as many others. While games without a slow bot are played,

  - no slow bot sits at more than its share of the tables, but at one at least, and
  - a quick bot that plays a limited number of tables is at most a tenth of its time at tables with slow bots;
    while the last bot whose pace got known is slow, one whose pace is not known counts as slow here.

* The games of a bot that was lost begin when no game between bots that are here may begin.
* A bot that has not come forfeits its games. They begin after all others, one every half second, so that a
  bot that comes late finds games.

A bot is slow if it thinks `SLOW` times as long for a game as the quickest bots that can fill a table, or for
a turn longer than they for a game. What takes less than a second is never slow.
"""

from __future__ import annotations

import heapq
import math
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, TypeAlias

from arena.referee.presence import State
from arena.tournament.backlog import Hindrances
from arena.tournament.instances import player_of
from arena.tournament.seating import Seating

SLOW = 8
"""A bot that thinks so many times as long for a game as the quickest is slow."""

LEAST = 1.0
"""A game or a turn that takes less than so many seconds is not slow."""

_AWAY = (State.COMING, State.LOST, State.ABSENT)  # in which games of a bot wait

_BETWEEN_FORFEITS = 0.5  # seconds between two games that absent bots forfeit

_FOR_SLOW = 0.1
"""The part of its time that a quick bot with limited tables gives to slow ones while others play."""


Game: TypeAlias = tuple[Any, tuple[int, ...]]
"""The key and the players of a game."""


class Sharing:
    """Who sits at which tables, and who may sit down now.

    Args:
        limit: returns at how many tables each instance of a bot can sit, by the bot's number; 0 for any
            number.
        instances: returns how many instances a bot has.
        bots: returns among how many bots the tables are shared.
        now: returns the time in seconds.

    Attributes:
        concurrency: how many games without slow bots are played at once.
        running: how many games run.
    """

    def __init__(
        self,
        limit: Callable[[int], int],
        instances: Callable[[int], int],
        bots: Callable[[], int],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limit = limit
        self._instances = instances
        self._bots = bots
        self._now = now
        self.concurrency = 0
        self.running = 0
        self._seats = 2  # of the last table
        self._games: dict[Game, tuple[float, Seating]] = {}  # those that run, with their beginnings
        self._slow_games: dict[Game, tuple[float, Seating]] = {}  # those of them with slow bots
        self._tables: Counter[int] = Counter()  # at how many each instance sits
        self._tables_of: Counter[int] = Counter()  # at how many each bot sits
        self._away: dict[State, set[int]] = {state: set() for state in _AWAY}  # who waits or is waited for
        self._forfeited = -math.inf  # when a game that an absent bot forfeits began last
        self._thought: dict[int, float] = {}  # how long each bot thinks for a game, in seconds
        self._newest: int | None = None  # the last bot of which that got known
        self._slow: set[int] = set()
        self._since: dict[int, float] = {}  # when each bot sat down first
        self._given: defaultdict[int, float] = defaultdict(float)  # seconds that each quick bot sat with slow

    # --- What happens ---

    def sat_down(self, seating: Seating) -> None:
        """A game begins."""
        now = self._now()
        game = seating.key, seating.players
        self.running += 1
        self._seats = len(seating.players)
        self._games[game] = now, seating
        self._tables.update(seating.numbers)
        self._tables_of.update(seating.players)
        for player in seating.players:
            self._since.setdefault(player, now)
        if not self._away[State.ABSENT].isdisjoint(seating.players):
            self._forfeited = now
        if not self._slow.isdisjoint(seating.players):
            self._slow_games[game] = now, seating

    def got_up(self, seating: Seating) -> None:
        """A game is over."""
        game = seating.key, seating.players
        self.running -= 1
        self._games.pop(game, None)
        for counter, numbers in ((self._tables, seating.numbers), (self._tables_of, seating.players)):
            for number in numbers:
                counter[number] -= 1
                if not counter[number]:
                    del counter[number]
        if game in self._slow_games:
            began, _ = self._slow_games.pop(game)
            for player in set(seating.players) - self._slow:
                self._given[player] += self._now() - began

    def bot_is(self, player: int, state: State) -> None:
        """The presence of a bot has changed. A bot of which nothing is told is here."""
        for each, players in self._away.items():
            (players.add if each is state else players.discard)(player)

    def thought(self, player: int, seconds: float) -> None:
        """A bot has thought so long for a game that is over."""
        before = self._thought.get(player, seconds)
        self._think(player, (before + seconds) / 2)

    def thinks(self, player: int, seconds: float) -> None:
        """A bot has thought so long for a turn that is not answered."""
        if seconds > self._quick():
            self._think(player, max(self._thought.get(player, 0.0), SLOW * seconds))

    def _think(self, player: int, seconds: float) -> None:
        if player not in self._thought:
            self._newest = player
        before = self._thought.get(player, 0.0)
        self._thought[player] = seconds
        if max(before, seconds) <= LEAST and not self._slow:
            return  # nobody gets slow or quick by this
        limit = SLOW * self._quick()
        slow = {player for player, thought in self._thought.items() if thought > limit}
        if slow != self._slow:
            self._slow = slow
            self._slow_games = {
                game: item for game, item in self._games.items() if not slow.isdisjoint(item[1].players)
            }

    def _quick(self) -> float:
        """How long the quickest bots that can fill a table think for a game, and at least `LEAST`.

        Bots that have not played may be as quick as any.
        """
        unknown = max(0, self._bots() - len(self._thought))
        known = heapq.nsmallest(self._seats - unknown, self._thought.values())
        return max([LEAST, *known[-1:]])

    # --- Who may sit down ---

    def is_slow(self, player: int) -> bool:
        """Whether a bot is slow."""
        return player in self._slow

    def tables_of(self, player: int) -> int:
        """At how many tables a bot sits."""
        return self._tables_of[player]

    @property
    def oldest(self) -> float:
        """For how many seconds the oldest of the games that run has run."""
        now = self._now()
        began, _ = next(iter(self._games.values()), (now, None))
        return now - began

    @property
    def has_table(self) -> bool:
        """Whether a further game may begin if its bots may sit down."""
        return self.running - len(self._slow_games) < self.concurrency

    def hindrances(self) -> Iterator[Hindrances]:
        """What hinders games from beginning now, in each of the cases in which one may.

        A game of a case begins only if none of the cases before has any.
        """
        absent = self._away[State.ABSENT]
        away = self._away[State.LOST] | absent
        yield self._hindrances(away, others_play=True)
        if self._slow and self.running == len(self._slow_games):
            yield self._hindrances(away, others_play=False)
        if away and all(not away.isdisjoint(seating.players) for _, seating in self._games.values()):
            yield self._hindrances(absent, others_play=False)
            if self._now() >= self._forfeited + _BETWEEN_FORFEITS:
                yield self._hindrances((), others_play=False)

    def _hindrances(self, away: Iterable[int], others_play: bool) -> Hindrances:
        out = self._away[State.COMING].union(away)
        full = set()
        for number, tables in self._tables.items():
            player = player_of(number)
            if 0 < self._limit(player) <= tables:
                full.add(number)
                if self._instances(player) == 1:  # which plays all seatings of a board
                    out.add(number)
        if len(self._slow_games) >= self.concurrency:
            out |= self._slow
        elif self._slow and others_play:
            share = max(1, self._seats * self.concurrency // max(1, self._bots()))
            out.update(player for player in self._slow if self._tables_of[player] >= share)
        spared = self._spared() if self._slow and others_play else set()
        return _Hindrances(out, full, self._may_be_slow, spared)

    def _may_be_slow(self, player: int) -> bool:
        """Whether a bot is slow, or its pace is not known, and the last bot whose pace got known is slow."""
        return (player if player in self._thought else self._newest) in self._slow

    def _spared(self) -> set[int]:
        """The quick bots with limited tables that have given enough of their time to slow ones."""
        now, given = self._now(), self._given.copy()
        for began, seating in self._slow_games.values():
            for player in seating.players:
                given[player] += now - began
        return {
            player
            for player, seconds in given.items()
            if player not in self._slow
            and (limit := self._limit(player))
            and seconds > _FOR_SLOW * limit * self._instances(player) * (now - self._since[player])
        }


class _Hindrances(Hindrances):
    """Bots and instances that may not sit down, and quick bots that may not sit down with slow ones."""

    def __init__(
        self,
        out: AbstractSet[int],
        full: AbstractSet[int],
        may_be_slow: Callable[[int], bool],
        spared: AbstractSet[int],
    ) -> None:
        self._out = out
        self._full = full
        self._may_be_slow = may_be_slow
        self._spared = spared

    def first(self, players: Sequence[int]) -> Hashable | None:
        for number in players:
            if number in self._full or player_of(number) in self._out:
                return number
        if self._spared:
            bots = [player_of(number) for number in players]
            slow = next(filter(self._may_be_slow, bots), None)
            spared = next((player for player in bots if player in self._spared), None)
            if slow is not None and spared is not None:
                return slow, spared
        return None

    def __contains__(self, hindrance: object) -> bool:
        if isinstance(hindrance, int):
            return hindrance in self._full or player_of(hindrance) in self._out
        assert isinstance(hindrance, tuple)
        slow, spared = hindrance
        return spared in self._spared and self._may_be_slow(slow)
