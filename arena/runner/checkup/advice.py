"""How an author mends what a checkup finds."""

from __future__ import annotations

LAST_LINES = "mend what the bot's last lines say"

FIXES = {
    "timeout": "answer sooner; a bot that thinks long says max_tables = 1 in Describe, "
    "since the clocks of all its waiting turns run together",
    "illegal_action": "answer with the index of one of the turn's legal_actions, counted from 0; "
    "in Python, return one of turn.actions itself",
    "unknown_turn": "answer every turn once, with the table and the turn number that it came with",
    "crash": LAST_LINES,
    "disconnect": "keep the Play stream open until the referee ends it, and read on after an empty batch",
    "protocol": "answer each turn with one Decision of the PlayResponse in bot.proto, and nothing else",
}
"""For each reason of a fault."""

SERVE = (
    "let the program serve until SIGTERM, at the address in the environment variable ARENA_LISTEN; "
    "in Python its last line is serve(MyBot)"
)
"""For a program that ends as if all were well."""

LISTEN = "serve at the address in the environment variable ARENA_LISTEN, and before anything that takes long"
"""For one that does not get to that."""


def remedy(fix: str, output: str) -> tuple[str, str]:
    """What tells whether two failures are mended alike: the fix, and what the bot said where that matters."""
    return fix, output.rpartition("\n")[2] if fix == LAST_LINES else ""
