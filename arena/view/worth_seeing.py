"""Which games of a tournament are worth seeing, and the moment at which each is shown: the one rule.

Of each game that the bots play, the closest and the longest results are looked at more closely, of the last
match and of the others. A comeback is worth more than a close game, and that more than any other; among
equals, the later the winner got ahead for good, the better. Annulled games, and games with a forfeit or
a fault at the last lead change, are not worth seeing. The best game of the last match comes first, because it
decided the tournament. Each further one is of another match, and of a game that was not shown yet if there is
one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, NamedTuple

from arena.league.store import League
from arena.league.store.reading import Wanted
from arena.league.stored import record_of
from arena.report.game_log import ONLOOKER
from arena.results import GameResult, MatchKey
from arena.table.record import BrokenRecord
from arena.view.league.reader import LeagueReader
from arena.view.league.snapshot import Snapshot
from arena.view.pictures.moments import Ending, ending
from arena.view.pictures.replay import picture_at

_NEWEST: Final = 5_000  # games of a tournament of which some are chosen
_CLOSER: Final = 8  # games alike that are looked at more closely, once for each measure
_WORTH: Final = {"comeback": 2, "close": 1}


class Seen(NamedTuple):
    """A game worth seeing: its number in the league, its result, and how it went."""

    number: int
    result: GameResult
    told: Ending
    actions: int

    @property
    def worth(self) -> float:
        """How much it is worth seeing."""
        return _WORTH.get(self.told.tag, 0) + (self.told.marked or 0) / max(1, self.actions)

    @property
    def shown_at(self) -> int:
        """The number of the action that is shown: the last lead change, else the first place's best."""
        if self.told.marked is not None or not self.told.scores:
            return self.actions if self.told.marked is None else self.told.marked
        first = min(range(len(self.result.seats)), key=lambda seat: self.result.seats[seat].place)
        line = self.told.scores[first]
        return max(range(1, len(line)), key=lambda at: line[at] - line[at - 1], default=0)


def worth_seeing(
    reader: LeagueReader, snapshot: Snapshot, most: int, tell: Callable[[float], None]
) -> list[Seen]:
    """The games of a tournament that are worth seeing, the best first. Raises DamagedLeague.

    Args:
        reader: the reader of the league.
        snapshot: the tournament.
        most: how many games there are at most.
        tell: called with the share of the work that is done.
    """
    newest = reader.ask(lambda league: league.newest_games(snapshot.tournament.id, Wanted(), _NEWEST))
    counted = [
        (number, result)
        for number, result in newest
        if not snapshot.void.has_game(result.key) and not any(seat.forfeit for seat in result.seats)
    ]
    if not counted:
        return []
    last = max(result.key.match_key for _, result in counted)
    found: list[Seen] = []
    candidates = _candidates(counted, last)
    for done, (number, result) in enumerate(candidates):
        tell(done / len(candidates))
        seen = reader.ask(partial(_seen, snapshot, number, result))
        if seen is not None:
            found.append(seen)
    chosen: list[Seen] = []
    while found and len(chosen) < most:
        games = {each.result.key.game for each in chosen}
        best = max(
            found,
            key=lambda each: (
                not chosen and each.result.key.match_key == last,
                each.result.key.game not in games,
                each.worth,
            ),
        )
        chosen.append(best)
        found = [each for each in found if each.result.key.match_key != best.result.key.match_key]
    return chosen


def _candidates(counted: list[tuple[int, GameResult]], last: MatchKey) -> list[tuple[int, GameResult]]:
    """The closest and the longest games of each kind, of the last match and of the others."""
    alike: dict[tuple[str, bool], list[tuple[int, GameResult]]] = {}
    for each in counted:
        key = each[1].key
        alike.setdefault((key.game, key.match_key == last), []).append(each)
    kept: dict[int, GameResult] = {}
    for games in alike.values():
        kept |= dict(sorted(games, key=lambda each: each[1].margin)[:_CLOSER])
        kept |= dict(sorted(games, key=lambda each: -sum(seat.decisions for seat in each[1].seats))[:_CLOSER])
    return list(kept.items())


def _seen(snapshot: Snapshot, number: int, result: GameResult, league: League) -> Seen | None:
    """A game that was looked at more closely; None if a fault is marked in it, or if it cannot be read."""
    try:
        record = record_of(league.game(number))
        told = ending(record, None if snapshot.shows_hands(result.key) else ONLOOKER)
    except BrokenRecord:
        return None
    return None if told.tag == "fault" else Seen(number, result, told, len(record.actions))


def still(reader: LeagueReader, snapshot: Snapshot, seen: Seen) -> dict[str, Any]:
    """The picture of the moment at which a game is shown, for `still.js`; hands are shown if they may be."""
    view = None if snapshot.shows_hands(seen.result.key) else ONLOOKER
    game = reader.pictures(seen.number, view)
    shown = {key: game[key] for key in ("game", "seats", "names", "emblems")}
    return {**shown, "step": game["steps"][seen.shown_at], "picture": picture_at(game, seen.shown_at)}
