"""Where the protocol's test vectors are."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from google.protobuf import json_format

from arena.games import GAMES
from arena.link.wire.messages import encode_turn
from arena.table.clock import SECOND, TimeControl
from arena.table.deal import board_key
from arena.table.position import View
from arena.table.table import Ask, Table, TableRules
from arena.v1 import bot_pb2

FOLDER = Path(__file__).parents[2] / "proto" / "vectors"
SETTINGS: dict[str, list[tuple[int, dict[str, Any]]]] = {
    "nyuri": [(2, {}), (4, {}), (3, {"series": 2})],
    "forty-one": [(2, {}), (4, {})],
    "nur-mut": [(2, {}), (3, {"model": "one"})],
    "kleftis": [(2, {}), (4, {})],
    "hyrule": [(2, {}), (4, {"mode": "chance"}), (6, {"no_swap_after_swap": True})],
}
MOST_ACTIONS = 30
TURNS_EACH = 8


def vectors(game: str) -> list[dict[str, Any]]:
    """Turns of a game chosen so that every kind of action and event that comes up is there early."""
    found = []
    for seats, options in SETTINGS[game]:
        kinds: set[str] = set()
        table = Table(
            TableRules(
                GAMES[game], GAMES[game].parse_options(options), seats, TimeControl(60 * SECOND, 0, SECOND), 3
            ),
            board_key(bytes(32), game, f"vectors {seats}"),
        )
        rng = random.Random(f"{game} {seats}")
        taken = 0
        while not table.over and taken < TURNS_EACH:
            for ask in table.asks():
                new = {value.kind for value in (*ask.view.actions, *ask.view.events)} - kinds
                if (
                    len(ask.view.actions) <= MOST_ACTIONS
                    and (new or rng.random() < 0.05)
                    and taken < TURNS_EACH
                ):
                    kinds |= new
                    taken += 1
                    found.append(vector(game, ask))
                table.answer(ask.seat, ask.turn, rng.randrange(len(ask.view.actions)), 0)
    return found


def vector(game: str, ask: Ask[View]) -> dict[str, Any]:
    message = bot_pb2.PlayRequest.FromString(encode_turn(1, game, ask)).turns[0]
    return {
        "turn": json_format.MessageToDict(message),
        "actions": [str(action) for action in ask.view.actions],
        "events": [str(event) for event in ask.view.events],
        "observation": str(ask.view.observation),
    }
