"""The shared vectors: turns of every game as protobuf JSON with their texts, for bots in every language.

`proto/vectors/GAME.json` is a list of objects with the fields `turn` (a Turn in
protobuf's JSON form) and `actions`, `events`, `observation` (how each legal
action, each event and the observation read). To write them anew after a change
that is meant: `ARENA_UPDATE_VECTORS=1 pytest tests/protocol/test_vectors.py`.
"""

from __future__ import annotations

import json
import os

import pytest
from google.protobuf import json_format

from arena.bot.player import Turn
from arena.games import GAMES
from arena.v1 import bot_pb2
from tests.protocol.vectors import FOLDER, vectors


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
