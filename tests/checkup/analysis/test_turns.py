"""Games that do not go their usual way: forfeits and several deals."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from arena.checkup.analysis.game import decisions_of, judged
from arena.checkup.analysis.turns import Turn, turns_of
from arena.checkup.analysis.turns import setup_of as analysed_setup
from arena.games import GAMES
from arena.games.game import State
from arena.policies import greedy_policy, random_policy
from arena.table.record import Fault, Record
from arena.table.table import with_forfeits
from tests.checkup.analysis.games import recorded
from tests.games.boards import keyed
from tests.games.random_play import Setup


def setup_of(game: str, **given: Any) -> Setup:
    options = GAMES[game].parse_options(given)
    return Setup(GAMES[game], options, 2, 0, keyed(GAMES[game], options, 5))


def choices_of(setup: Setup, record: Record, seat: int) -> list[int]:
    """The places in the record at which a seat had a choice, by the rules alone."""
    state: State = setup.start()
    found = []
    for ply, index in enumerate(record.actions):
        acting = state.to_act[0]
        legal = state.legal_actions(acting)
        if acting == seat and len(legal) > 1:
            found.append(ply)
        state.apply(acting, legal[index])
    return found


@pytest.mark.parametrize("seat", [0, 1])
def test_turns_after_a_forfeit_are_left_out_and_those_of_the_other_seat_are_not(seat) -> None:
    setup = setup_of("hyrule")
    record = recorded(setup, [random_policy] * 2, random.Random(1))
    last = len(record.actions) // 2
    forfeited = record._replace(
        faults=((0, last, Fault("timeout", "", 1)),),
        forfeits=(0,),
        outcome=record.outcome._replace(places=with_forfeits(record.outcome.places, [0])),
    )
    expected = [ply for ply in choices_of(setup, record, seat) if seat == 1 or ply <= last]
    assert [each.ply for each in decisions_of(forfeited, seat, 8, state=setup.start())] == expected
    assert len(expected) > 2


@pytest.mark.parametrize("game", ["hyrule", pytest.param("forty-one", marks=pytest.mark.campaign)])
def test_the_decisions_of_all_deals_of_a_series_are_judged(game) -> None:
    setup = setup_of(game, series=3)
    record = recorded(setup, [greedy_policy, random_policy], random.Random(1))  # by chance alone takes long
    for seat in (0, 1):
        decisions = [*decisions_of(record, seat, 2, state=setup.start())]
        assert [each.ply for each in decisions] == choices_of(setup, record, seat)
        deals = {turn.view[1].deal for turn in turns_of(record, seat, setup.start())}  # type: ignore[attr-defined]  # of a series
        assert len(deals) == 3
        assert all(0.0 <= tried.score <= 1.0 for each in decisions for tried in each.tried)


def test_what_a_decision_tells_people_names_groups_of_cards_and_no_numbers() -> None:
    setup = setup_of("kleftis", series=2)
    record = recorded(setup, [greedy_policy, random_policy], random.Random(1))
    plies = len(record.actions)

    def late() -> Iterator[Turn]:
        """The last turns, whose games are soon played out."""
        return (turn for turn in turns_of(record, 1, setup.start()) if turn.ply > 0.8 * plies)

    tried = [each for found in judged(late, analysed_setup(record), plies, 2) for each in found.tried]
    assert any("group" in each.action for each in tried)
    assert not any("group" in each.words for each in tried)
