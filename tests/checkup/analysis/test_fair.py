"""What a seat could not know changes nothing in the analysis of its decisions."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

from arena.checkup.analysis.game import decisions_of
from arena.checkup.analysis.turns import turns_of
from arena.games import GAMES
from arena.games.game import Seat, State
from arena.policies import random_policy
from tests.checkup.analysis.games import recorded
from tests.games.boards import keyed
from tests.games.random_play import Setup
from tests.sampling.enumeration import TriedBoard, TriedChance

PLIES = {"nyuri": 9, "kleftis": 11, "forty-one": 6, "hyrule": 7, "nur-mut": 5}
EXCHANGES = 2


class Dealt(TriedBoard):
    """A board with this deck, whose chance always draws the first."""

    def chance(self, purpose: str, seat: int, count: int) -> TriedChance:
        return TriedChance([])


def heard(
    setup: Setup, deck: list[Any], actions: list[Any], seat: Seat
) -> tuple[tuple[int, ...], list[Any]] | None:
    """The game of these actions with another deck, and what a seat is told; None if they are not possible."""
    state = setup.start(Dealt(deck, TriedChance([])))
    told = [happening.told_to(seat) for happening in state.opening]
    indices = []
    for acting, action in actions:
        if acting not in state.to_act or action not in (legal := state.legal_actions(acting)):
            return None
        indices.append(legal.index(action))
        told += [happening.told_to(seat) for happening in state.apply(acting, action)]
    return tuple(indices), told


@pytest.mark.parametrize(
    "game",
    [
        pytest.param(game, marks=pytest.mark.campaign) if game in ("nyuri", "kleftis") else game
        for game in PLIES
    ],
)
def test_hidden_cards_that_are_exchanged_change_nothing(game) -> None:
    options = GAMES[game].Options()
    setup = Setup(GAMES[game], options, 2, 0, keyed(GAMES[game], options, 5))
    deck = list(setup.board.deal(0).deck)
    dealt = setup._replace(board=Dealt(deck, TriedChance([])))
    record = recorded(dealt, [random_policy] * 2, random.Random(1))
    state, actions = dealt.start(), []
    for index in record.actions[: PLIES[game] + 1]:
        seat = state.to_act[0]
        actions.append((seat, state.legal_actions(seat)[index]))
        state.apply(*actions[-1])
    seat = actions[-1][0]
    before = heard(setup, deck, actions[:-1], seat)
    assert before is not None
    _, told = before
    found = seen = None
    exchanged = 0

    def first_position(deck: list[Any]) -> State:
        return setup.start(Dealt(deck, TriedChance([])))

    pairs = [*itertools.combinations(range(len(deck)), 2)]
    random.Random(2).shuffle(pairs)
    for first, second in [(0, 0), *pairs]:
        other = deck.copy()
        other[first], other[second] = other[second], other[first]
        again = heard(setup, other, actions[:-1], seat)
        if again is None or again[1] != told:
            continue
        last = first_position(other)
        for action in actions[:-1]:
            last.apply(*action)
        played = (*again[0], last.legal_actions(seat).index(actions[-1][1]))
        decisions = list(decisions_of(record._replace(actions=played), seat, 4, state=first_position(other)))
        found = found or decisions
        assert decisions == found
        # what a bot that tries the actions is told, but for the number of the table and its seed
        views = [turn.view for turn in turns_of(record._replace(actions=played), seat, first_position(other))]
        seen = seen or views
        assert views == seen
        exchanged += first != second
        if exchanged == EXCHANGES:
            return
    raise AssertionError("too few cards could be exchanged")


def test_another_seed_samples_other_worlds() -> None:
    options = GAMES["hyrule"].Options()
    setup = Setup(GAMES["hyrule"], options, 2, 0, keyed(GAMES["hyrule"], options, 5))
    record = recorded(setup, [random_policy] * 2, random.Random(1))

    def found(seed: str) -> list[float]:
        return [each.choice.score for each in decisions_of(record, 0, 8, seed, state=setup.start())]

    assert found("") == found("")
    assert found("") != found("another")
