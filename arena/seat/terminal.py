"""A person's seat in the terminal: shows the table and the legal actions, and asks for a choice."""

from __future__ import annotations

import queue
import re
import sys
import threading
import time
from collections.abc import Callable, Sequence

from rich.console import Console
from rich.status import Status
from rich.text import Text

from arena.bot.chair import Chair, Over, Void
from arena.bot.player import Action, TableInfo, Turn
from arena.games import GAMES
from arena.games.pages import rules_page
from arena.text import clock_text, printable

_GLANCE = 0.1  # seconds between two checks for news while a bot thinks
_SHORT = 600.0  # seconds; the clock is shown if less is left
_SHOWN = 30  # how many actions are listed; the person finds others by words
_A_SEAT = re.compile(r"\bseat (\d)\b")
_RULING = re.compile(r"[A-Z]\d+")
HELP = """\
number      choose that action; Enter plays it, and anything else takes it back
words       list only the actions with all these words, such as: steal 8♦
            (suits also as c d h s)
Enter       list all actions again, or play the action that was chosen
?           the rules of this game;  ? K5  one ruling;  ? words  their lines
t           the table again;  e  what happened since your last turn
q           leave the game"""


class Left(Exception):
    """The person has left the game."""


class Seat:
    """A person at a table.

    Args:
        chair: gives the turns and takes the choices.
        names: the name of the player at each seat, the person's too.
        ask: gives the next line that the person types; raises EOFError at the end.
    """

    def __init__(self, chair: Chair, names: Sequence[str], ask: Callable[[str], str]) -> None:
        self._chair = chair
        self._names = names
        self._ask = ask
        self._console = Console(highlight=False)
        self._table: TableInfo | None = None

    def play(self, over: threading.Event) -> None:
        """Plays until the game is over. Raises Left."""
        while (news := self._next(over)) is not None:
            match news:
                case TableInfo():
                    self._table = news
                    self._say(f"You are seat {news.seat}. At the table: {self._others()}.", "bold")
                    self._say("? shows the rules, h what you can type.", "dim")
                case Turn():
                    self._take(news)
                case Void():
                    self._say(
                        "The game is void, because the referee stood still. It is played again.", "yellow"
                    )
                case Over():
                    pass

    def _next(self, over: threading.Event) -> TableInfo | Turn | Over | Void | None:
        """The next news; None when the game is over."""
        began = time.monotonic()
        status = Status("", console=self._console)
        with status:
            while True:
                if sys.stdout.isatty():
                    status.update(printable(f"{self._others()} … {time.monotonic() - began:.0f} s"))
                try:
                    return self._chair.news.get(timeout=_GLANCE)
                except queue.Empty:
                    if over.is_set():
                        return None

    def _others(self) -> str:
        own = self._table.seat if self._table else None
        return ", ".join(name for seat, name in enumerate(self._names) if seat != own)

    def _take(self, turn: Turn) -> None:
        """Asks for a choice, and gives it to the chair."""
        began = time.monotonic()
        self._show_events(turn)
        self._show_table(turn)
        self._list(turn, range(len(turn.actions)))
        chosen: int | None = None
        while True:
            left = max(0.0, turn.time_left - (time.monotonic() - began))
            clock = f"[{clock_text(left)}] " if left < _SHORT else ""
            prompt = f"{clock}your choice, h for help: "
            if chosen is not None:
                prompt = f"{printable(str(turn.actions[chosen]))}? Enter plays it: "
            try:
                line = self._ask(prompt).strip()
            except EOFError:
                raise Left from None
            if not line and chosen is not None:
                break
            chosen = None
            if not line:
                self._list(turn, range(len(turn.actions)))
            elif line.isdecimal() and 1 <= int(line) <= len(turn.actions):
                chosen = int(line) - 1
            elif line in ("q", "quit"):
                raise Left
            elif line in ("h", "help"):
                self._say(HELP)
            elif line == "t":
                self._show_table(turn)
            elif line == "e":
                self._show_events(turn)
            elif line.startswith("?"):
                self._rules(turn.game, line[1:].strip())
            else:
                found = _with_words(turn.actions, line)
                if not found:
                    self._say(f"No action has all of: {line}. Enter lists them all.", "yellow")
                elif len(found) == 1:
                    chosen = found[0]
                else:
                    self._list(turn, found)
        if time.monotonic() - began > turn.time_left:
            self._say("That came too late: the first action was played for you.", "red")
        self._chair.choices.put(turn.actions[chosen])

    def _show_events(self, turn: Turn) -> None:
        if turn.events:
            self._say("\nSince your last turn:", "bold")
            for event in turn.events:
                self._say(self._named(f"  {event}"))

    def _show_table(self, turn: Turn) -> None:
        self._say("\nThe table:", "bold")
        for line in str(turn.observation).splitlines():
            self._say(self._named(f"  {line}"))

    def _list(self, turn: Turn, indices: Sequence[int]) -> None:
        self._say("\nYou may:", "bold")
        for index in indices[:_SHOWN]:
            default = "  (played if your time runs out)" if index == 0 else ""
            self._say(self._named(f"{index + 1:4}  {turn.actions[index]}{default}"))
        if len(indices) > _SHOWN:
            self._say(
                f"      and {len(indices) - _SHOWN} more: type words to find one, such as a card", "dim"
            )

    def _rules(self, game: str, about: str) -> None:
        """The rules, or the lines that contain a word."""
        text = rules_page(GAMES[game]) or "This game has no page of rules."
        if not about:
            with self._console.pager():
                self._console.print(printable(text), markup=False)
            return
        if _RULING.fullmatch(about.upper()):
            lines = [line for line in text.splitlines() if line.startswith(f"| {about.upper()} ")]
        else:
            words = about.casefold().split()
            lines = [line for line in text.splitlines() if all(word in line.casefold() for word in words)]
        for line in lines or ["The rules have no line with these words."]:
            self._say(f"  {line.strip('| ')}" if line.startswith("|") else f"  {line}")

    def _named(self, text: str) -> str:
        """The text with a name behind each seat."""
        return _A_SEAT.sub(lambda seat: f"{seat[0]} ({self._names[int(seat[1])]})", text)

    def _say(self, text: str, style: str = "") -> None:
        self._console.print(Text(printable(text), style=style))


def _with_words(actions: Sequence[Action], words: str) -> list[int]:
    """The indices of the actions that have all of these words; suits may be letters."""
    wanted = [_plain(word) for word in words.split()]
    return [
        index
        for index, action in enumerate(actions)
        if all(any(part.startswith(word) for part in _plain(str(action)).split()) for word in wanted)
    ]


def _plain(text: str) -> str:
    """The text in lower case, with suits as letters, and with nothing else but numbers and spaces."""
    lettered = text.casefold().translate(str.maketrans("♣♦♥♠", "cdhs"))
    return re.sub(r"[^0-9a-z ]", " ", lettered)
