"""The process of a person's seat, which dials in as any bot does: its trouble ends neither page nor game.

The process and the page exchange the messages of `arena/seat/messages.py` on its standard input and output, a
line of JSON each. The first line of its input holds the token. It leaves the tournament when its input ends.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from arena.bot.answering import Introduction, description_of, new_tables
from arena.bot.chair import Chair, Over, Void
from arena.bot.join import join
from arena.bot.player import Action, TableInfo, Turn
from arena.games import GAMES
from arena.link.tls.address import Address, read_address
from arena.link.tls.trust import NotKnown, OwnCertificate, Untrusted, examine
from arena.referee.night.control import state_of
from arena.seat import messages
from arena.seat.targets import asked, cards_of, move_of
from arena.text import one_line, ordinal
from arena.view.pictures.games import Picture, new_picture
from arena.view.pictures.replay import parts_of

_LATE = 0.3  # seconds after a turn's deadline until it is given up: then it is a timeout for everybody
_NOT_KNOWN = (
    "the lobby lets in only bots with a certificate that it trusts, so the host has to serve this page with "
    "one: arena serve LEAGUE --tls-certificate FILE --tls-key FILE"
)


class Pipe:
    """Writes messages to the page, from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._out = sys.stdout.buffer

    def tell(self, message: messages.FromSeat) -> None:
        """Sends the page a message."""
        with self._lock:
            self._out.write(json.dumps(message).encode() + b"\n")
            self._out.flush()

    def end(self, why: str) -> None:
        """Tells the page why the person cannot play, or no longer plays."""
        self.tell({"kind": "over", "why": one_line(why)})


class PersonsChair(Chair):
    """A chair whose turns end at their deadline, and whose choices name their turn.

    Args:
        pipe: the page, which gets the news of the person.
        names: the player at each seat, if the person may know the names though bots are not told.
        swapped: whether the person sits elsewhere than in the game before.
    """

    def __init__(self, pipe: Pipe, names: Sequence[str] = (), swapped: bool = False) -> None:
        super().__init__()
        self._pipe = pipe
        self.indices: queue.SimpleQueue[messages.Choice] = queue.SimpleQueue()
        self.news = _News(pipe, names, swapped)

    def chosen(self, turn: Turn) -> Action | None:
        """See `Chair`. A choice for another turn came too late."""
        while True:
            try:
                choice = self.indices.get(timeout=turn.time_left + _LATE)
            except queue.Empty:
                self._pipe.tell({"kind": "late", "turn": turn.number})
                return None
            if choice["turn"] == turn.number and 0 <= choice["action"] < len(turn.actions):
                return turn.actions[choice["action"]]


class _News(queue.SimpleQueue[Any]):
    """Sends the person's news to the page at once."""

    def __init__(self, pipe: Pipe, names: Sequence[str], swapped: bool) -> None:
        self._pipe = pipe
        self._names = names
        self._swapped = swapped
        self._series = False  # whether the game has several deals
        self._table: TableInfo
        self._picture: Picture

    def put(self, news: Any, block: bool = True, timeout: float | None = None) -> None:
        """See `Chair.news`."""
        match news:
            case TableInfo():
                self._table, self._picture = news, new_picture(news.game, news.seats, news.options)
                table = _table(news, self._names or news.names)
                self._pipe.tell({**table, "swapped": True} if self._swapped else table)
            case Turn():
                self._pipe.tell(self._turn(news))
            case Over():
                rule = self._picture.by_tie_rule(series=self._series)
                self._pipe.tell(end_of(self._table.seat, news, self._picture.sign, rule))
            case Void():
                self._pipe.tell({"kind": "void"})

    def _turn(self, turn: Turn) -> messages.Turn:
        self._series = hasattr(turn.observation, "current")
        for event in turn.events:
            self._picture.begin_step()
            self._picture.tell(event)
        actions = [_action(self._table.game, action, turn.observation) for action in turn.actions]
        game = GAMES[self._table.game]
        return {
            "kind": "turn",
            "turn": turn.number,
            "left": turn.time_left,
            "picture": self._picture.shown(turn.observation, {self._table.seat: turn.observation}),
            "events": [parts_of(one_line(game.words(event))) for event in turn.events],
            "actions": actions,
            "asks": asked(self._table.game, {action["verb"] for action in actions}),
        }


def _table(table: TableInfo, names: Sequence[str]) -> messages.Table:
    return {
        "kind": "table",
        "game": table.game,
        "title": GAMES[table.game].title,
        "seats": table.seats,
        "seat": table.seat,
        "names": [one_line(name) for name in names] or _unnamed(table),
        "bank": table.bank,
        "move": table.move,
        "increment": table.increment,
    }


def _unnamed(table: TableInfo) -> list[str]:
    """The players of a table whose names are hidden, counted from the person on."""
    if table.seats == 2:
        return ["your opponent"] * 2
    return [f"opponent {(seat - table.seat) % table.seats}" for seat in range(table.seats)]


def _action(game: str, action: Any, seen: Any) -> messages.LegalAction:
    move = move_of(game, action, seen)
    return {
        "say": move.say,
        "cards": cards_of(action),
        "verb": move.verb,
        "targets": list(move.targets),
    }


def end_of(seat: int, over: Over, sign: int = 1, tie_rule: str = "") -> messages.End:
    """The end of a game for the person at a seat.

    Args:
        seat: the seat.
        over: how the game ended.
        sign: that of its picture (`Picture.sign`).
        tie_rule: what decided if the winner has no more points than another; see `Picture.by_tie_rule`.
    """
    outcome, forfeits = over
    places, points = outcome.places, outcome.points
    best = [each for each, place in enumerate(places) if place == 1]
    most = sign * points[best[0]] or 0
    wins = f" win{'s' * (seat not in best)}"
    if len(forfeits) == len(places):
        say: messages.Words = ["Nobody wins: every seat forfeits"]
    elif len(forfeits) == len(places) - 1:
        forfeit = f" forfeit{'s' * (len(forfeits) == 1 and seat not in forfeits)}"
        say = [*_listed(best, seat), f"{wins}: ", *_listed(forfeits, seat, "you"), forfeit]
    elif len(best) > 1:
        say = [*_listed(best, seat), f" share the first place with {most}"]
    elif any(
        points[each] == points[best[0]] for each in range(len(places)) if each not in [*best, *forfeits]
    ):
        say = [*_listed(best, seat), f"{wins} the tie at {most} each{tie_rule}"]
    elif len(places) == 2:
        say = [*_listed(best, seat), f"{wins} {most} to {sign * points[1 - best[0]] or 0}"]
    else:
        say = [*_listed(best, seat), f"{wins} with {most}"]
    own = "You win" if best == [seat] else "You share the first place"
    if seat not in best:
        own = f"You finish {ordinal(places[seat])} with {sign * points[seat] or 0}"
    if seat in forfeits:
        own = "You forfeit"
    return {
        "kind": "end",
        "places": list(places),
        "points": list(points),
        "reason": outcome.reason,
        "say": say,
        "own": own,
    }


def _listed(seats: Sequence[int], own: int, you: str = "You") -> messages.Words:
    """Some seats in words, the person's own one first."""
    listed: messages.Words = []
    for number, each in enumerate(sorted(seats, key=lambda each: each != own)):
        between = " and " if number == len(seats) - 1 else ", "
        listed += [*[between] * bool(number), you if each == own else each]
    return listed


def main(league: str, *shown: str) -> None:
    """Sits down for a person at the tournament that plays in a league.

    Args:
        league: the league file.
        shown: the files of the certificate and the key for a lobby that demands a certificate.
    """
    pipe = Pipe()
    token = json.loads(sys.stdin.buffer.readline())["token"]
    lobby = read_address(state_of(Path(league)).lobby)
    if lobby is None:
        pipe.end("nobody can sit down now: no tournament here waits for guests")
        return
    chair = PersonsChair(pipe)
    threading.Thread(target=_hear, args=(chair,), daemon=True).start()
    person = chair.person()
    own = OwnCertificate(*map(Path, shown)) if shown else None
    try:
        lobby = lobby.at("127.0.0.1") if lobby.host in ("", "0.0.0.0", "::") else lobby
        _show(lobby, own)
        join(
            lobby,
            token,
            Introduction(description_of(person)),
            lambda: new_tables(person),
            own,
            lambda entrant, tournament: pipe.tell(
                {"kind": "welcome", "entrant": one_line(entrant), "tournament": one_line(tournament)}
            ),
        )
    except SystemExit as end:
        pipe.end(str(end.code))
    else:
        pipe.end("the tournament is over. Thank you for playing")


def _show(lobby: Address, own: OwnCertificate | None) -> None:
    """Shows the page's certificate to a lobby with TLS. Exits if the lobby trusts only other certificates."""
    with contextlib.suppress(Untrusted, OSError):  # the connection that follows reports that, or waits
        try:
            if lobby.trust:
                examine(lobby, own)
        except NotKnown:
            sys.exit(_NOT_KNOWN)


def _hear(chair: PersonsChair) -> None:
    """Receives the person's choices until the page is gone."""
    for line in sys.stdin.buffer:
        chair.indices.put(json.loads(line))
    os._exit(0)  # the person has left
