"""Recorded games for bots with rules of their own, which play them again and compare every step.

What a file holds is said in `bots/hawk-rust/src/verify.rs`.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from arena.bot.player import table_info
from arena.games import GAMES
from arena.games.game import Action, Event, Seat, State
from arena.link.wire.messages import encode_start, encode_turn
from arena.table.position import View
from arena.table.table import Ask
from arena.v1 import bot_pb2
from tests.bots.playing import THOUGHTFUL, rules

SECOND = 1_000_000_000


class RecordedDeal:
    """A deal whose random draws are written down as they are made."""

    def __init__(self, deck: Sequence[Any], chance: random.Random) -> None:
        self.deck = deck
        self.draws: list[tuple[int, int]] = []
        self._random = chance

    def chance(self, purpose: str, seat: Seat, count: int) -> RecordedDeal:
        return self

    def below(self, n: int) -> int:
        drawn = self._random.randrange(n)
        self.draws.append((n, drawn))
        return drawn

    def each_below(self, bounds: Sequence[int]) -> list[int]:
        return [self.below(n) for n in bounds]

    def shuffle(self, items: Sequence[Any]) -> list[Any]:
        shuffled = list(items)
        for last in range(len(shuffled) - 1, 0, -1):
            other = self.below(last + 1)
            shuffled[last], shuffled[other] = shuffled[other], shuffled[last]
        return shuffled

    def deal(self, number: int) -> RecordedDeal:
        assert number == 0, "one deal only"
        return self


def card_number(card: Any) -> int:
    """A card as the file has it: its number, or in Nur Mut both faces."""
    return 16 * card.front + card.back if hasattr(card, "front") else int(card)


def recorded(
    game: str, seats: int, given: dict[str, Any], seed: int, *, wild: float, choices: bool = True
) -> Iterator[str]:
    """The lines of one game, played by thoughtful and at random.

    Args:
        game: the game's id.
        seats: the number of seats.
        given: its options, as in a tournament file.
        seed: of the deck, of chance and of the random actions.
        wild: the share of actions that are random.
        choices: whether to write down what thoughtful would play at every step.
    """
    chance = random.Random(f"{game} {seats} {seed}")
    options = GAMES[game].parse_options(given)
    deck = list(GAMES[game].deck(options))
    chance.shuffle(deck)
    deal = RecordedDeal(deck, chance)
    starter = chance.randrange(seats)
    table_rules = rules(game, seats, options, starter)
    state: State = GAMES[game].new(deal, seats, options, starter)
    starts = [
        bot_pb2.PlayRequest.FromString(encode_start(1, table_rules, seat, bytes(16), ())).starts[0]
        for seat in range(seats)
    ]
    happened = list(state.opening)
    told = [0] * seats
    players = [_player(game, start) for start in starts]
    steps = []
    while state.to_act:
        seat = chance.choice(state.to_act)
        events = tuple(happening.told_to(seat) for happening in happened[told[seat] :])
        told[seat] = len(happened)
        actions = state.legal_actions(seat)
        seen = state.observation(seat)
        turn = encode_turn(1, game, Ask(seat, 1, View(events, seen, actions), SECOND))
        message = bot_pb2.PlayRequest.FromString(turn).turns[0].SerializeToString()
        thoughtful = _choice(players[seat], events, seen, actions) if choices else None
        index = chance.randrange(len(actions))
        if thoughtful is not None and chance.random() >= wild:
            index = thoughtful
        steps.append(f"step {seat} {index} {'-' if thoughtful is None else thoughtful} {message.hex()}")
        happened += state.apply(seat, actions[index])
    assert state.outcome is not None
    yield f"game {game}"
    yield f"start {starts[0].SerializeToString().hex()}"
    yield f"deck {' '.join(str(card_number(card)) for card in deal.deck)}"
    yield from (f"draw {bound} {drawn}" for bound, drawn in deal.draws)
    yield from steps
    places, points = state.outcome.places, state.outcome.points
    yield f"end {' '.join(map(str, places))} / {' '.join(map(str, points))}"


def _player(game: str, start: bot_pb2.TableStart) -> Any:
    bot: Any = THOUGHTFUL(table_info(start))
    return bot.player


def _choice(player: Any, events: Sequence[Event], seen: Any, actions: Sequence[Action]) -> int:
    for event in events:
        player.told(event)
    return actions.index(player.choose(seen, actions))


if __name__ == "__main__":  # python -m tests.bots.recorded GAME SEATS GAMES FILE
    _, name, count, games, path = sys.argv
    with Path(path).open("w") as file:
        for number in range(int(games)):
            for line in recorded(name, int(count), {}, number, wild=number % 4 / 3):
                print(line, file=file)
