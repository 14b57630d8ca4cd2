"""Walls of mini-tables: which running tables are shown, each in its place, and what a browser draws for each.

A table keeps its place until it ends. Then the place says the result, and another table takes it: a final
before other matches, and else the least decided game.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from arena.league.store import StoreError
from arena.results import GameKey, GameResult, read_game_key
from arena.view.league.reader import LeagueReader
from arena.view.league.snapshot import Snapshot, deal_parts
from arena.view.league.tables import Table, Tables
from arena.view.pictures.emblem import Emblem, emblem_of, emblems_in
from arena.view.pictures.games import Parts
from arena.view.pictures.mini import Mini, deal_of, mini_of

SIZES: Final = (12, 6, 3)
"""How many places the walls have. A smaller wall shows tables of the larger one."""

_RESULT = 4.0  # seconds for which the result is shown
_LEAST = 6.0  # seconds for which each table is shown, however fast its game ends
_MOST = 60.0  # seconds for which an ended table is shown if no other one follows
_NAME = 40  # letters of a name
_SECOND = 1e9  # nanoseconds
_NUMBERED = re.compile(r", (?:match|table) \d+$")
_ENDS = {"over": "Game over", "void": "Void: played again", "gone": "Cannot be watched now"}

Tile = dict[str, Any]


class _Place(NamedTuple):
    table: Table
    since: float  # when it came to its place


class Wall:
    """The places of a wall.

    Args:
        size: how many places there are.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._places: list[_Place | None] = []

    def choose(
        self, running: Sequence[Table], order: Callable[[Table, Sequence[Table]], Any], now: float
    ) -> Sequence[Table | None]:
        """The table in each place, None for an empty place.

        Args:
            running: the tables that run.
            order: a key of a table and those that are shown: the one with the least key comes first.
            now: the time, as of `Table.ended`.
        """
        places = self._places + [None] * (self._size - len(self._places))
        free = [number for number, each in enumerate(places) if each is None or _may_go(each, now)]
        shown = [each.table for each in places if each]
        waiting = [each for each in running if each not in shown] if free else []
        shown = [each for each in shown if not each.end]
        for number in free:
            place = places[number]
            if waiting:
                following = min(waiting, key=lambda each: order(each, shown))
                waiting.remove(following)
                shown.append(following)
                places[number] = _Place(following, now)
            elif place and now > place.table.ended + _MOST * (place.table.end != "gone"):
                places[number] = None
        while places and places[-1] is None:
            places.pop()
        self._places = places
        return [each and each.table for each in places]


def _may_go(place: _Place, now: float) -> bool:
    """Whether another table may take the place."""
    table = place.table
    return bool(table.end) and now > max(table.ended + _RESULT * (table.end != "gone"), place.since + _LEAST)


class Walls:
    """The walls of a league. For one thread at a time.

    Args:
        reader: the league.
        tables: its running tables.
    """

    def __init__(self, reader: LeagueReader, tables: Tables) -> None:
        self._reader = reader
        self._tables = tables
        self._walls = [Wall(size) for size in SIZES]
        self._tiles: dict[str, tuple[Any, Tile]] = {}  # by key: of which moment, and the tile
        self._matches = _Matches(None)

    def look(self, snapshot: Snapshot | None) -> dict[int, dict[str, Any]]:
        """By the size of a wall: how many tables run, and the tile in each place, None for an empty place."""
        if self._matches.snapshot is not snapshot:
            self._matches = _Matches(snapshot)
        now, matches = self._tables.now(), self._matches
        every = running = self._tables.running()
        before, self._tiles = self._tiles, {}
        told = {}
        for size, wall in zip(SIZES, self._walls, strict=True):
            chosen = wall.choose(running, matches.order, now)
            tiles = [each and self._tile(each, matches, before) for each in chosen]
            told[size] = {"running": len(every), "tiles": tiles}
            running = [each for each in chosen if each is not None and not each.end]
        return told

    def _tile(self, table: Table, matches: _Matches, before: dict[str, tuple[Any, Tile]]) -> Tile:
        name = f"{table.number} {table.heading['key']}"
        moment = len(table.steps), table.end, matches.label(_key(table))
        known = self._tiles.get(name) or before.get(name)
        if known is None or known[0] != moment:
            result = self._result(table) if table.end == "over" else None
            known = moment, _tile_of(name, table, result, matches)
            if table.end == "over" and result is None:  # the league will have it in a moment
                known = None, known[1]
        self._tiles[name] = known
        return known[1]

    def _result(self, table: Table) -> GameResult | None:
        try:
            tournament, key = self._reader.last(), _key(table)
            if tournament is None or key is None:
                return None
            number = self._reader.game(tournament, key)
            return self._reader.ask(lambda league: league.game(number)).result
        except StoreError:
            return None


class _Matches:
    """What a tournament says of the matches to which games belong."""

    def __init__(self, snapshot: Snapshot | None) -> None:
        self.snapshot = snapshot
        self._emblems = emblems_in(snapshot.tournament) if snapshot else []
        self._labels = {} if snapshot is None else {
            view.match.key: (_NUMBERED.sub("", view.match.label), len(round_.matches))
            for round_ in snapshot.rounds
            for view in round_.matches
        }  # fmt: skip
        stages = snapshot.summary.stages if snapshot and snapshot.summary else ()
        brackets = {each.stage.number: each.bracket for each in stages if each.bracket is not None}
        self._brackets = set(brackets)
        self._finals = {each.rounds[-1].matches[-1].key for each in brackets.values()}

    def label(self, key: GameKey | None) -> str:
        """The words for a match; empty if it is not known yet."""
        return self._labels.get(key.match_key, ("", 0))[0] if key else ""

    def order(self, table: Table, shown: Sequence[Table]) -> tuple[Any, ...]:
        """The least for the table of most interest: of a final, of a late round of a bracket, of a match and
        a game that few of the shown tables have, and of these the least decided."""
        key = _key(table)
        in_bracket = key is not None and key.stage in self._brackets
        return (
            key is None or key.match_key not in self._finals,
            not in_bracket,
            self._labels.get(key.match_key, ("", 0))[1] if key and in_bracket else 0,
            sum(_match_of(each) == _match_of(table) for each in shown),
            sum(each.heading["game"] == table.heading["game"] for each in shown),
            _mini(table).lead,
            table.number,
        )

    def deal(self, key: GameKey, seats: int) -> list[str]:
        """The board of a game, and how the bots sit at it, in parts of a sentence."""
        return self.snapshot.deal_parts(key, seats) if self.snapshot else deal_parts(key, seats)

    def emblem(self, player: int, name: str) -> Emblem:
        """The emblem of an entrant."""
        return self._emblems[player] if player < len(self._emblems) else emblem_of(name)

    def limit(self, player: int) -> float:
        """The most seconds that an entrant may think."""
        return self.snapshot.plan.clock_of(player).move / _SECOND if self.snapshot else 60.0


def _key(table: Table) -> GameKey | None:
    return read_game_key(table.heading["key"])


def _mini(table: Table) -> Mini:
    return mini_of(table.heading["game"], table.heading["seats"], table.picture)


def _match_of(table: Table) -> str:
    return str(table.heading["key"]).partition("/")[0]


def _tile_of(name: str, table: Table, result: GameResult | None, matches: _Matches) -> Tile:
    heading, key, mini = table.heading, _key(table), _mini(table)
    first = mini_of(heading["game"], heading["seats"], table.steps[0]["changed"])
    deal, deals = deal_of(table.picture)
    part = 1 - mini.left / first.left if first.left else 0.0
    done = 1.0 if table.end else (deal - 1 + min(1.0, max(0.0, part))) / deals
    act = None if table.end else table.picture.get("act")
    known = range(heading["seats"]) if isinstance(act, int) else ()
    seats = [
        {"name": each[:_NAME], "emblem": matches.emblem(player, each).drawn}
        for player, each in zip(heading["players"], heading["names"], strict=True)
    ]
    return {
        "key": name,
        "href": f"/games/{heading['key']}" if result else f"/tables/{table.number}",
        "title": heading["title"],
        "match": _words(matches, key, heading["seats"], (deal, deals)),
        "done": round(done, 2),
        "seats": seats,
        "numbers": [each.points for each in result.seats] if result else list(mini.numbers),
        "act": act if act in known else None,
        "since": round(table.moved, 1),
        "limit": matches.limit(heading["players"][act]) if act in known else 0.0,
        "middle": list(mini.middle),
        "faces": mini.faces,
        "first": [seat for seat, each in enumerate(result.seats) if each.place == 1] if result else [],
        "say": _say(table, result),
    }


def _words(matches: _Matches, key: GameKey | None, seats: int, deal: tuple[int, int]) -> str:
    """The match of a game, its board and its deal in words."""
    board, *seating = [""] if key is None else matches.deal(key, seats)
    series = f"deal {deal[0]} of {deal[1]}" if deal[1] > 1 else ""
    return ", ".join(filter(None, [matches.label(key), board, series, *seating]))


def _say(table: Table, result: GameResult | None) -> Parts:
    """The result in words, with numbers of seats for names; empty while the game runs."""
    if not table.end or result is None:
        return [_ENDS[table.end]] if table.end else []
    points = [each.points for each in result.seats]
    first = [seat for seat, each in enumerate(result.seats) if each.place == 1]
    best = first[0]
    if len(first) > 1:
        return [f"A draw at {points[best]}"]
    if any(each.forfeit for each in result.seats):
        return [best, " wins by a forfeit"]
    if points.count(points[best]) > 1:
        return [best, f" wins the tie at {points[best]}"]
    if len(points) == 2:
        return [best, f" wins {points[best]} to {points[1 - best]}"]
    return [best, f" wins with {points[best]}"]
