"""A person's seat on the page: the process that dials in for the person, as any bot does.

The process and the page exchange the messages of `arena/page/messages.py` on its standard input and output, a
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
from arena.bot.chair import Chair, Void
from arena.bot.join import join
from arena.bot.player import Action, TableInfo, Turn
from arena.cards import Card
from arena.games import GAMES
from arena.games.game import Outcome
from arena.link.tls.address import Address, read_address
from arena.link.tls.trust import NotKnown, OwnCertificate, Untrusted, examine
from arena.page import messages
from arena.page.pictures.games import Picture, new_picture
from arena.page.pictures.replay import parts_of
from arena.runner.night.control_client import state_of
from arena.text import one_line

_LATE = 0.3  # seconds after a turn's deadline until it is given up: then it is a timeout for everybody
_NOT_KNOWN = (
    "the lobby lets in only bots with a certificate that it trusts, so the host has to serve this page with "
    "one: arena serve --tls-certificate FILE --tls-key FILE"
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
    """

    def __init__(self, pipe: Pipe, names: Sequence[str] = ()) -> None:
        super().__init__()
        self._pipe = pipe
        self.indices: queue.SimpleQueue[messages.Choice] = queue.SimpleQueue()
        self.news = _News(pipe, names)

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


def end_of(outcome: Outcome) -> messages.End:
    """The message that a game is over."""
    return {
        "kind": "end",
        "places": list(outcome.places),
        "points": list(outcome.points),
        "reason": outcome.reason,
    }


class _News(queue.SimpleQueue[Any]):
    """Sends the person's news to the page at once."""

    def __init__(self, pipe: Pipe, names: Sequence[str]) -> None:
        self._pipe = pipe
        self._names = names
        self._table: TableInfo
        self._picture: Picture

    def put(self, news: Any, block: bool = True, timeout: float | None = None) -> None:
        """See `Chair.news`."""
        match news:
            case TableInfo():
                self._table, self._picture = news, new_picture(news.game, news.seats, news.options)
                self._pipe.tell(_table(news, self._names or news.names))
            case Turn():
                self._pipe.tell(self._turn(news))
            case Outcome():
                self._pipe.tell(end_of(news))
            case Void():
                self._pipe.tell({"kind": "void"})

    def _turn(self, turn: Turn) -> messages.Turn:
        for event in turn.events:
            self._picture.begin_step()
            self._picture.tell(event)
        return {
            "kind": "turn",
            "turn": turn.number,
            "left": turn.time_left,
            "picture": self._picture.shown(turn.observation, {self._table.seat: turn.observation}),
            "events": [parts_of(one_line(str(event))) for event in turn.events],
            "actions": [
                {"say": parts_of(one_line(str(action))), "cards": cards_of(action)} for action in turn.actions
            ],
        }


def _table(table: TableInfo, names: Sequence[str]) -> messages.Table:
    return {
        "kind": "table",
        "game": table.game,
        "title": GAMES[table.game].title,
        "seats": table.seats,
        "seat": table.seat,
        "names": [one_line(name) for name in names] or [f"seat {seat}" for seat in range(table.seats)],
        "bank": table.bank,
        "move": table.move,
        "increment": table.increment,
    }


def cards_of(value: object) -> list[int]:
    """The numbers of the cards in an action, or in a field of one."""
    if isinstance(value, Card):
        return [int(value)]
    return [card for each in value for card in cards_of(each)] if isinstance(value, tuple) else []


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
