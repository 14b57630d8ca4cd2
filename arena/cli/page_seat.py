"""A person's seat on the page: the process that dials in for the person, as any bot does.

It talks with the page by the messages of `arena/page/messages.py`, a line of JSON each, on its standard input
and output. The first line that it is told holds the token. It leaves the tournament when its input ends.
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

_LATE = 0.3  # seconds after which a turn is given up whose time is over: then it is a timeout for everybody
_NOT_KNOWN = (
    "the lobby lets in only who shows a certificate that it knows, so its host has to serve this page with "
    "one: arena serve --tls-certificate FILE --tls-key FILE"
)


class Pipe:
    """The way to the page. It may be used in any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._out = sys.stdout.buffer

    def tell(self, message: messages.FromSeat) -> None:
        """Tells the page something."""
        with self._lock:
            self._out.write(json.dumps(message).encode() + b"\n")
            self._out.flush()

    def end(self, why: str) -> None:
        """Tells the page why the person does not play, or no more."""
        self.tell({"kind": "over", "why": one_line(why)})


class PersonsChair(Chair):
    """A chair whose turns end with their time, and whose choices name their turn.

    Args:
        pipe: what comes to the person goes there.
        names: who sits at each seat, if the person may know it though bots are not told.
    """

    def __init__(self, pipe: Pipe, names: Sequence[str] = ()) -> None:
        super().__init__()
        self._pipe = pipe
        self.indices: queue.SimpleQueue[messages.Choice] = queue.SimpleQueue()
        self.news = _News(pipe, names)

    def chosen(self, turn: Turn) -> Action | None:
        """See `Chair`. What was chosen for another turn came too late."""
        while True:
            try:
                choice = self.indices.get(timeout=turn.time_left + _LATE)
            except queue.Empty:
                self._pipe.tell({"kind": "late", "turn": turn.number})
                return None
            if choice["turn"] == turn.number and 0 <= choice["action"] < len(turn.actions):
                return turn.actions[choice["action"]]


class _News(queue.SimpleQueue[Any]):
    """What comes to the person goes to the page at once."""

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
                self._pipe.tell(
                    {
                        "kind": "end",
                        "places": list(news.places),
                        "points": list(news.points),
                        "reason": news.reason,
                    }
                )
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
        shown: the files of the certificate, and its key, that a lobby is shown which asks for one.
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
    """Shows a lobby that speaks TLS the page's certificate. Exits if it lets in only others."""
    with contextlib.suppress(Untrusted, OSError):  # which dialling in tells, or waits for
        try:
            if lobby.trust:
                examine(lobby, own)
        except NotKnown:
            sys.exit(_NOT_KNOWN)


def _hear(chair: PersonsChair) -> None:
    """Hears what the person chooses, until the page is gone."""
    for line in sys.stdin.buffer:
        chair.indices.put(json.loads(line))
    os._exit(0)  # the person has left
