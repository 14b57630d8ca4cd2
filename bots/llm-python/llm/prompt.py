"""What the model is told: the rules once, and in each turn what happened, the table and its actions."""

from __future__ import annotations

from arena.bot import TableInfo, Turn
from arena.games import GAMES
from arena.games.pages import options_text, rules_page


def table_prompt(table: TableInfo) -> str:
    """The beginning of each request: the same in all turns of a table, so that a server can cache it."""
    game = GAMES[table.game]
    options = options_text(table.options) or "the usual ones"
    return f"""\
You play {game.title} against other programs. There are {table.seats} seats, and you are seat {table.seat}.
Options of this table: {options}.
In each turn you are told what happened since your last turn, how the table lies, and your numbered actions.
Answer with the number of one action, and with nothing else.

{rules_page(game) or ""}"""


def turn_prompt(turn: Turn) -> str:
    """What the model is asked in a turn."""
    events = "\n".join(map(str, turn.events)) or "nothing"
    actions = "\n".join(f"{number}: {action}" for number, action in enumerate(turn.actions))
    return f"""\
Since your last turn:
{events}

The table:
{turn.observation}

Your actions:
{actions}

{number_please(turn)}"""


def number_please(turn: Turn) -> str:
    """The demand for a number, also after an answer without one."""
    return f"Answer with one number from 0 to {len(turn.actions) - 1}."
