"""A person's seat on the page: the process that dials in for the person, as any bot does.

The page tells it, a line of JSON each on its standard input, first the token and then what the person
chooses; it tells the page what comes to the seat. It leaves the tournament when its input ends.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import re
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from arena.bot.chair import Chair, Void
from arena.bot.introduction import Introduction
from arena.bot.join import join
from arena.bot.player import Action, TableInfo, Turn
from arena.bot.server import description_of, new_tables
from arena.cards import card
from arena.games import GAMES
from arena.games.game import Outcome
from arena.link.tls.address import Address, read_address
from arena.link.tls.trust import NotKnown, OwnCertificate, Untrusted, examine
from arena.page.pictures.picture import Picture, Places, Sight, current
from arena.page.pictures.replay import new_picture, parts_of
from arena.runner.night.control_client import state_of
from arena.text import one_line

_LATE = 0.3  # seconds after which a turn is given up whose time is over: then it is a timeout for everybody
_NOT_KNOWN = (
    "the lobby lets in only who shows a certificate that it knows, so its host has to serve this page with "
    "one: arena serve --tls-certificate FILE --tls-key FILE"
)
_WELCOME = re.compile("playing as (.*) in (.*)")
_BY_TEXT = {str(each): int(each) for each in map(card, range(1, 55))}
_CARDS = re.compile("|".join(sorted(map(re.escape, _BY_TEXT), key=len, reverse=True)))


class _Said:
    """Standard error, of which each line goes to the page."""

    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe
        self._line = ""

    def write(self, text: str) -> int:
        """Writes a text."""
        *lines, self._line = (self._line + text).split("\n")
        for line in lines:
            if found := _WELCOME.fullmatch(line):
                self._pipe.tell(kind="welcome", entrant=found[1], tournament=found[2])
        return len(text)

    def flush(self) -> None:
        """Nothing is held back."""


class Pipe:
    """What goes to the page."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._out = sys.stdout.buffer

    def tell(self, **news: Any) -> None:
        """Tells the page something."""
        with self._lock:
            self._out.write(json.dumps(news).encode() + b"\n")
            self._out.flush()


class PersonsChair(Chair):
    """A chair whose turns end with their time, and whose choices name their turn.

    Args:
        pipe: where it goes what comes to the person.
        names: who sits at each seat, where the person may know it though bots are not told.
    """

    def __init__(self, pipe: Pipe, names: Sequence[str] = ()) -> None:
        super().__init__()
        self._pipe = pipe
        self.indices: queue.SimpleQueue[tuple[int, int]] = queue.SimpleQueue()
        self.news = _News(pipe, names)

    def chosen(self, turn: Turn) -> Action | None:
        """See `Chair`. What was chosen for another turn came too late."""
        while True:
            try:
                number, index = self.indices.get(timeout=turn.time_left + _LATE)
            except queue.Empty:
                self._pipe.tell(kind="late", turn=turn.number)
                return None
            if number == turn.number and 0 <= index < len(turn.actions):
                return turn.actions[index]


class _News(queue.SimpleQueue[Any]):
    """What comes to the person, as it is told the page."""

    def __init__(self, pipe: Pipe, names: Sequence[str]) -> None:
        self._pipe = pipe
        self._names = names
        self._table: TableInfo | None = None
        self._picture: Picture | None = None

    def put(self, news: Any, block: bool = True, timeout: float | None = None) -> None:
        """See `Chair.news`."""
        match news:
            case TableInfo():
                self._table, self._picture = news, new_picture(news.game, news.seats, news.options)
                self._pipe.tell(kind="table", **_table(news, self._names or news.names))
            case Turn():
                self._pipe.tell(kind="turn", **self._turn(news))
            case Outcome():
                self._pipe.tell(kind="end", **news._asdict())
            case Void():
                self._pipe.tell(kind="void")

    def _turn(self, turn: Turn) -> Mapping[str, Any]:
        assert self._picture is not None
        assert self._table is not None
        for event in turn.events:
            self._picture.begin_step()
            self._picture.tell(event)
        return {
            "turn": turn.number,
            "left": turn.time_left,
            "picture": _places(self._picture, turn.observation, self._table.seat),
            "events": [parts_of(one_line(str(event))) for event in turn.events],
            "actions": [_action(str(action)) for action in turn.actions],
        }


def _table(table: TableInfo, names: Sequence[str]) -> Mapping[str, Any]:
    names = [one_line(name) for name in names] or [f"seat {seat}" for seat in range(table.seats)]
    return {
        "game": table.game, "title": GAMES[table.game].title, "seats": table.seats, "seat": table.seat,
        "names": names, "bank": table.bank, "move": table.move, "increment": table.increment,
    }  # fmt: skip


def _places(picture: Picture, observation: Any, seat: int) -> Places:
    own = current(observation)
    places = picture.places(Sight(own, {seat: own}, None))
    if own is not observation:
        places["deal"] = f"deal {observation.deal + 1} of {max(observation.deals, observation.deal + 1)}"
        places["scores"] = list(observation.scores)
    return places


def _action(text: str) -> Mapping[str, Any]:
    """An action in words, with its cards."""
    return {"say": parts_of(one_line(text)), "cards": [_BY_TEXT[each] for each in _CARDS.findall(text)]}


def main(league: str, *shown: str) -> None:
    """Sits down for a person at the tournament that plays in a league.

    Args:
        league: the league file.
        shown: the files of the certificate, and its key, that a lobby is shown which asks for one.
    """
    pipe = Pipe()
    token = json.loads(sys.stdin.buffer.readline())["token"]
    address = read_address(state_of(Path(league)).lobby)
    if address is None:
        pipe.tell(kind="refused", why="nobody can sit down now: no tournament here waits for guests")
        return
    chair = PersonsChair(pipe)
    threading.Thread(target=_hear, args=(chair,), daemon=True).start()
    sys.stderr = _Said(pipe)
    person = chair.person()
    own = OwnCertificate(*map(Path, shown)) if shown else None
    try:
        here = address.at("127.0.0.1") if address.host in ("", "0.0.0.0", "::") else address
        _show(here, own)
        join(here, token, Introduction(description_of(person)), lambda: new_tables(person), own)
    except SystemExit as end:
        pipe.tell(kind="refused", why=one_line(str(end.code)))
    else:
        pipe.tell(kind="over")


def _show(lobby: Address, own: OwnCertificate | None) -> None:
    """Shows a lobby that speaks TLS the page's certificate. Exits where it lets in only others."""
    with contextlib.suppress(Untrusted, OSError):  # which dialling in tells, or waits for
        try:
            if lobby.trust:
                examine(lobby, own)
        except NotKnown:
            sys.exit(_NOT_KNOWN)


def _hear(chair: PersonsChair) -> None:
    """Hears what the person chooses, until the page is gone."""
    for line in sys.stdin.buffer:
        told = json.loads(line)
        chair.indices.put((told["turn"], told["action"]))
    os._exit(0)  # the person has left
