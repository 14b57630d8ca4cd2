"""Recorded games for tests of the analysis, and the exact values of actions in games with small decks."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from arena.cards import Card
from arena.games.game import Action, Happening, Seat, State
from arena.policies import greedy_policy
from arena.results import seat_scores
from arena.table.record import Record
from tests.games.random_play import Setup
from tests.sampling.enumeration import TriedBoard, TriedChance, orders, own_cards, played

Choose = Callable[[State, Seat, random.Random], Action]
_NO_KEY = bytes(32)


def recorded(setup: Setup, choose: Sequence[Choose], rng: random.Random) -> Record:
    """A game on a setup's board; its record has no key, so give its first position too."""
    state = setup.start()
    actions = []
    while state.to_act:
        seat = state.to_act[0]
        legal = state.legal_actions(seat)
        action = legal[0] if len(legal) == 1 else choose[seat](state, seat, rng)
        actions.append(legal.index(action))
        state.apply(seat, action)
    assert state.outcome is not None
    options = setup.options
    return Record(
        setup.game.id, options, setup.seats, setup.starter, _NO_KEY, tuple(actions), (), state.outcome, ()
    )


class Before:
    """What was played before an action, and what a seat was told.

    Attributes:
        actions: the actions, with their seats.
        told: the events.
        state: the position.
        unseen: the number of cards that the seat has not seen, if no two cards are alike.
    """

    def __init__(self, setup: Setup, record: Record, ply: int, seat: Seat) -> None:
        self.state = setup.start()
        ply = self._begin(setup, record, ply, seat)
        self.actions: list[tuple[Seat, Action]] = []
        happenings: list[Happening] = [*self.state.opening]
        for index in record.actions[:ply]:
            acting = self.state.to_act[0]
            action = self.state.legal_actions(acting)[index]
            self.actions.append((acting, action))
            happenings += self.state.apply(acting, action)
        self.told = [happening.told_to(seat) for happening in happenings]
        self._setup = setup
        seen = {*_cards_in((self.told, self.state.observation(seat)))}
        self._deck = list(setup.board.deal(0).deck)
        self._places = [place for place, card in enumerate(self._deck) if card not in seen]
        self.unseen = len(self._places)

    def orders_of_unseen(self) -> Iterator[list[Any]]:
        """The orders of the deck in which each card that the seat saw lies where it lay.

        Other places of the seen cards change nothing that is left to find out.
        """
        deck = list(self._deck)
        for cards in itertools.permutations([deck[place] for place in self._places]):
            for place, card in zip(self._places, cards, strict=True):
                deck[place] = card
            yield list(deck)

    @staticmethod
    def _begin(setup: Setup, record: Record, ply: int, seat: Seat) -> int:
        """The number of actions before a turn, without those that other seats choose at the same time."""
        state, waits = setup.start(), 0
        for number, index in enumerate(record.actions[:ply]):
            acting = state.to_act[0]
            if acting == seat or seat not in state.to_act:
                waits = number + 1
            state.apply(acting, state.legal_actions(acting)[index])
        return waits


def exact_scores(
    setup: Setup, before: Before, seat: Seat, decks: Iterable[Sequence[Any]] | None = None
) -> list[float]:
    """The expected score of each action of a seat, over all deals and all chance that it cannot rule out.

    Nothing of the analysis or the samplers is used. The rest of a game is played greedily.

    Args:
        setup: the setup.
        before: what was played before the action.
        seat: the seat.
        decks: the orders of the deck to try; None for all that the seat's own cards allow.
    """
    actions = before.state.legal_actions(seat)
    sums, weights = [0.0] * len(actions), [0.0] * len(actions)
    if decks is None:
        decks = orders(setup.game.deck(setup.options), *own_cards(setup, seat, before.told))
    for deck in decks:
        for number, action in enumerate(actions):
            picks: list[int] | None = []
            while picks is not None:
                chance = TriedChance(picks)
                state = played(setup, seat, before.actions, before.told, TriedBoard(deck, chance))
                if state is not None:
                    state.apply(seat, action)
                    weight = 1 / math.prod(_played_out(state, chance).bounds)
                    outcome: Any = state.outcome
                    sums[number] += weight * float(seat_scores(outcome.places)[seat])
                    weights[number] += weight
                picks = chance.after()
    return [total / weight for total, weight in zip(sums, weights, strict=True)]


def _played_out(state: State, chance: TriedChance) -> TriedChance:
    rng = random.Random(0)
    while state.to_act:
        seat = state.to_act[0]
        legal = state.legal_actions(seat)
        state.apply(seat, legal[0] if len(legal) == 1 else greedy_policy(state, seat, rng))
    return chance


def _cards_in(value: Any) -> Iterator[Card]:
    if isinstance(value, Card):
        yield value
    elif isinstance(value, (tuple, list)):
        for each in value:
            yield from _cards_in(each)
