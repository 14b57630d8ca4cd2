"""Boards for tests: scripted boards, whose deck and chance the test chooses, and keyed boards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from arena.cards import ALL_CARDS, DECK, Card
from arena.games.game import Game
from arena.table.deal import KeyedBoard, board_key

CARD_OF_TEXT = {card.text: card for card in ALL_CARDS}


def parse_cards(text: str) -> list[Card]:
    """The cards written in `text`, separated by spaces: `"A♣ 10♥ JK1"`."""
    return [CARD_OF_TEXT[word] for word in text.split()]


class ScriptedChance:
    """Gives the scripted picks one after another, and leaves the order of what it shuffles."""

    def __init__(self, picks: Iterator[int]) -> None:
        self._picks = picks

    def below(self, n: int) -> int:
        pick = next(self._picks)
        assert 0 <= pick < n, f"the scripted pick {pick} is not below {n}"
        return pick

    def each_below(self, bounds: Sequence[int]) -> list[int]:
        return [self.below(n) for n in bounds]

    def shuffle(self, items: Sequence[Any]) -> list[Any]:
        return list(items)


class ScriptedBoard:
    """Every deal has the given deck; all chance events share the scripted picks."""

    def __init__(self, deck: Sequence[Any], picks: Sequence[int]) -> None:
        self.deck = list(deck)
        self._picks = iter(picks)

    def deal(self, number: int) -> ScriptedBoard:
        return self

    def chance(self, purpose: str, seat: int, count: int) -> ScriptedChance:
        return ScriptedChance(self._picks)


def scripted(deck: Sequence[Any], picks: Sequence[int] = ()) -> ScriptedBoard:
    """A board with exactly this deck, first card dealt first, and these chance draws."""
    return ScriptedBoard(deck, picks)


def deck_starting(text: str) -> list[Any]:
    """The 52-card deck with the cards of `text` first, in that order, and the others behind in card order."""
    first = parse_cards(text)
    return first + [card for card in DECK if card not in first]


def keyed(game: Game, options: Any, seed: int) -> KeyedBoard:
    """The board that a seed stands for."""
    return KeyedBoard(board_key(seed.to_bytes(32, "big"), game.id, "test"), game.deck(options))
