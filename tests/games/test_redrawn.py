"""`State.redrawn` keeps the distribution of later chance: checked by complete enumeration."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from typing import Any

import pytest

from arena.games import GAMES
from arena.games.nur_mut import NurMutState
from arena.games.nur_mut_values import Card, Face, lying
from tests.games.boards import keyed, scripted
from tests.games.counted import Counted
from tests.games.random_play import random_action


def test_an_untouched_deck_of_nur_mut_lies_as_it_may_where_its_top_shows_a_face() -> None:
    cards = [
        lying(Card(Face.ONE, Face.TWO)),
        lying(Card(Face.ONE, Face.TWO)),
        lying(Card(Face.TWO, Face.NINE)),
    ]
    state = _late("nur-mut", 0)
    assert isinstance(state, NurMutState)
    for face in (Face.ONE, Face.TWO, Face.NINE):
        expected: Counter[tuple[Any, ...]] = Counter()
        for order in itertools.permutations(cards):
            for ways in itertools.product((0, 1), repeat=len(cards)):
                lie = tuple(card.ways[way] for card, way in zip(order, ways, strict=True))
                if lie[-1].up is face:
                    expected[tuple((card.card, card.up) for card in lie)] += 1
        found: Counter[tuple[Any, ...]] = Counter()
        chance = Counted()
        for _ in chance.every():
            mixed = state._mixed(cards, face, chance)
            found[tuple((card.card, card.up) for card in mixed)] += chance.likely  # type: ignore[assignment]
        assert {lie: pytest.approx(count / expected.total()) for lie, count in expected.items()} == found


@pytest.mark.parametrize("game", ["nyuri", "forty-one", "kleftis"])
def test_the_cards_to_come_lie_in_the_order_of_the_fresh_deck(game: str) -> None:
    state = _late(game, 3)
    last = _stock(state)
    orders = set()
    for order in itertools.permutations(last):
        others = [card for card in GAMES[game].deck(GAMES[game].Options()) if card not in order]
        twin = state.redrawn(scripted([*others, *order]))
        orders.add(tuple(_stock(twin)))
        assert sorted(_stock(twin)) == sorted(last)
    assert len(orders) == 6


def _stock(state: Any) -> list[Any]:
    return list(state._stock)


def _late(game: str, stock: int) -> Any:
    """A position with so many cards in the stock, if the game has one."""
    options = GAMES[game].Options()
    rng = random.Random(1)
    state = GAMES[game].new(keyed(GAMES[game], options, 1), 2, options, 0)
    while game != "nur-mut" and state.observation(None).stock != stock:  # type: ignore[attr-defined]
        state.apply(*random_action(state, rng))
    return state
