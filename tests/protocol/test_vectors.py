"""The shared vectors: turns of every game as protobuf JSON with their texts, for bots in every language.

`proto/vectors/GAME.json` is a list of objects with the fields `turn` (a Turn in
protobuf's JSON form) and `actions`, `events`, `observation` (how each legal
action, each event and the observation read). To write them anew after a change
that is meant: `ARENA_UPDATE_VECTORS=1 pytest tests/protocol/test_vectors.py`.
"""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format

from arena.bot.player import Turn
from arena.games import GAMES
from arena.link.wire.messages import encode_turn
from arena.table.clock import SECOND, TimeControl
from arena.table.deal import board_key
from arena.table.table import Ask, Table, TableRules
from arena.v1 import bot_pb2

FOLDER = Path(__file__).parents[2] / "proto" / "vectors"
SETTINGS: dict[str, list[tuple[int, dict[str, Any]]]] = {
    "nyuri": [(2, {}), (4, {}), (3, {"series": 2})],
    "forty-one": [(2, {}), (4, {})],
    "nur-mut": [(2, {}), (3, {"model": "one"})],
    "kleftis": [(2, {}), (4, {})],
    "hyrule": [(2, {}), (4, {"mode": "chance"})],
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
                new = {value.kind for value in (*ask.actions, *ask.events)} - kinds
                if len(ask.actions) <= MOST_ACTIONS and (new or rng.random() < 0.05) and taken < TURNS_EACH:
                    kinds |= new
                    taken += 1
                    found.append(vector(game, ask))
                table.answer(ask.seat, ask.turn, rng.randrange(len(ask.actions)), 0)
    return found


def vector(game: str, ask: Ask) -> dict[str, Any]:
    message = bot_pb2.PlayRequest.FromString(encode_turn(1, game, ask)).turns[0]
    return {
        "turn": json_format.MessageToDict(message),
        "actions": [str(action) for action in ask.actions],
        "events": [str(event) for event in ask.events],
        "observation": str(ask.observation),
    }


@pytest.mark.parametrize("game", GAMES)
def test_the_vectors_are_what_the_games_say(game):
    path = FOLDER / f"{game}.json"
    text = json.dumps(vectors(game), indent=1, ensure_ascii=False) + "\n"
    if os.environ.get("ARENA_UPDATE_VECTORS"):
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8"), "a change that is meant: see this module's docstring"


@pytest.mark.parametrize("game", GAMES)
def test_a_python_bot_reads_the_vectors(game):
    for item in json.loads((FOLDER / f"{game}.json").read_text("utf-8")):
        turn = Turn(json_format.ParseDict(item["turn"], bot_pb2.Turn()))
        assert [str(action) for action in turn.actions] == item["actions"]
        assert [str(event) for event in turn.events] == item["events"]
        assert str(turn.observation) == item["observation"]
