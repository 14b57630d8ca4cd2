"""The bots of this project in this process: at one table over the real messages, or served."""

from __future__ import annotations

import importlib
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc

from arena.bot import Bot
from arena.bot.answering import answers
from arena.bot.player import Seated
from arena.bot.server import BotService
from arena.games import GAMES
from arena.link.wire.messages import encode_start, encode_turn
from arena.table.clock import SECOND, TimeControl
from arena.table.deal import board_key, seat_seed
from arena.table.record import Record
from arena.table.table import Answered, Table, TableRules
from arena.v1 import bot_pb2

ROOT = Path(__file__).parents[2]
TIME = TimeControl(bank=3600 * SECOND, increment=0, move=3600 * SECOND)


def load(folder: str, module: str, name: str) -> type[Bot]:
    """A bot's class, from its folder in `bots/`."""
    place = str(ROOT / "bots" / folder)
    sys.path.insert(0, place)
    try:
        bot: type[Bot] = getattr(importlib.import_module(module), name)
    finally:
        sys.path.remove(place)
    return bot


RANDOM = load("random-python", "random_bot", "Random")
FIRST = load("first-python", "first_bot", "First")
GREEDY = load("greedy-python", "greedy.bot", "Greedy")
THOUGHTFUL = load("thoughtful-python", "thoughtful.bot", "Thoughtful")
LEARNED = load("learned-python", "learned.bot", "Learned")
LLM = load("llm-python", "llm.bot", "LanguageModel")


@contextmanager
def served_here(bot: type[Bot]) -> Iterator[str]:
    """The address of a bot that is served in this process, as long as the context lasts."""
    with tempfile.TemporaryDirectory(prefix="served-") as folder, ThreadPoolExecutor() as threads:
        address = f"unix:{folder}/bot.sock"
        server = grpc.server(threads)
        server.add_generic_rpc_handlers(BotService(bot).handlers())
        server.add_insecure_port(address)
        server.start()
        try:
            yield address
        finally:
            server.stop(None).wait()


def rules(game: str, seats: int, options: Any = None, starter: int = 0) -> TableRules:
    """The rules of a table, with the game's default options if none are given."""
    given = GAMES[game].parse_options({}) if options is None else options
    return TableRules(GAMES[game], given, seats, TIME, max_faults=1, starter=starter)


def play(table_rules: TableRules, board: str, bots: Sequence[type[Bot]]) -> Record:
    """Plays a game to its end; fails where a bot raises or chooses what is not legal."""
    game = table_rules.game.id
    key = board_key(bytes(32), game, board)
    table = Table(table_rules, key)
    playing: list[dict[int, Seated]] = [{} for _ in bots]
    for seat, bot in enumerate(bots):
        start = encode_start(1, table_rules, seat, seat_seed(key, seat), ())
        assert not answers(bot, playing[seat], bot_pb2.PlayRequest.FromString(start))
    while not table.over:
        for ask in table.asks():
            turn = bot_pb2.PlayRequest.FromString(encode_turn(1, game, ask))
            (decision,) = answers(bots[ask.seat], playing[ask.seat], turn)
            taken = table.answer(ask.seat, decision.turn, decision.action, 0)
            assert taken is Answered.TAKEN, f"{bots[ask.seat].name} chose action {decision.action} in\n{ask}"
    return table.record()


def share_of_wins(game: str, bot: type[Bot], other: type[Bot], boards: int) -> float:
    """The share of games that a bot wins of another, each board being played from both seats."""
    won = 0.0
    for board in range(boards):
        for seat in range(2):
            bots = [other, other]
            bots[seat] = bot
            places = play(rules(game, 2), f"match {board}", bots).outcome.places
            won += (places[seat] == 1) / places.count(1)
    return won / (2 * boards)
