"""Asks the bot the turns that the arena's bots in all languages share: python -m unittest."""

import json
import unittest

from first_bot import First
from google.protobuf.json_format import ParseDict

from arena.bot.player import TableInfo, Turn
from arena.games import GAMES
from arena.kits import proto_folder
from arena.v1.bot_pb2 import Turn as TurnMessage


class EveryGame(unittest.TestCase):
    """Plays no game to its end, but meets every kind of turn."""

    def test_every_turn_gets_a_legal_answer(self) -> None:
        for game in GAMES:
            options = GAMES[game].parse_options({})
            table = TableInfo(game, options, 4, 0, 0, 60.0, 0.1, 5.0, (), bytes(16))
            bot = First(table)
            vectors = proto_folder() / "vectors" / f"{game}.json"
            for number, vector in enumerate(json.loads(vectors.read_text("utf-8"))):
                with self.subTest(game=game, turn=number):
                    turn = Turn(ParseDict(vector["turn"], TurnMessage()))
                    assert bot.choose(turn) in turn.actions


if __name__ == "__main__":
    unittest.main()
