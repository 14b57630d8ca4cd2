"""Games with decks so small that all deals can be enumerated."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from arena.games import GAMES
from tests.games.boards import keyed, parse_cards
from tests.games.random_play import Setup

SMALL = {
    "forty-one": ("DECK", "A♣ 2♣ K♦ 9♦ 4♥ 5♥ 7♠", "HAND_SIZE"),
    "kleftis": ("DECK", "2♣ 3♣ 4♣ 3♦ 3♥ 9♠ 10♠", "HAND_SIZE"),
    "hyrule": ("ALL_CARDS", "2♣ 5♣ 4♦ 3♥ 9♠ 10♠ JK1", "HAND_SIZE"),
    "nyuri": ("DECK", "9♣ 10♣ J♣ Q♣ K♣ A♣ 2♦ 3♦ 8♣ 7♣ 6♣ 5♣ 4♣ 3♣ 2♣ 9♦ 10♦ J♦", "HAND_SIZE"),
}
"""For each game the name and the cards of a small deck, and the name of the size of a hand, which is 2."""


def small_setup(
    monkeypatch: pytest.MonkeyPatch, game: str, seats: int, seed: int, size: int | None = None, **given: Any
) -> Setup:
    """A setup with hands of two cards, and with the first `size` cards of the small deck.

    Args:
        monkeypatch: gives the game the deck until the test is over.
        game: the game's id.
        seats: the number of seats.
        seed: the board follows from it.
        size: the number of cards; None for all.
        given: the game's options.
    """
    rules = importlib.import_module(f"arena.games.{game.replace('-', '_')}")
    sampling = importlib.import_module(f"arena.sampling.{game.replace('-', '_')}")
    if game == "nur-mut":
        monkeypatch.setattr(rules, "DECK_CARDS", 2)
        monkeypatch.setattr(sampling, "DECK_CARDS", 2)
    else:
        name, cards, hand_size = SMALL[game]
        deck = tuple(parse_cards(cards)[:size])
        monkeypatch.setattr(rules, name, deck)
        monkeypatch.setattr(sampling, name, deck)
        monkeypatch.setattr(rules, hand_size, 2)
    options = GAMES[game].parse_options(given)
    return Setup(GAMES[game], options, seats, 0, keyed(GAMES[game], options, seed))
