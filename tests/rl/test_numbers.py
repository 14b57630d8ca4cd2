"""Every legal action has its own number, which is the same in every position."""

from __future__ import annotations

import dataclasses
import random
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.cards import DECK, Card
from arena.games import GAMES
from arena.games.kleftis import secure_choices
from arena.games.kleftis_groups import groups_made
from arena.games.kleftis_values import Build, Dashboard, Group, Observation, Secure, Steal
from arena.games.series import SeriesObservation
from arena.rl import ENCODINGS, encoding_of
from arena.rl.environment import GameEnv
from arena.rl.kleftis import ALL, FIRST_JOIN, FIRST_SECURE, WAYS, way_of
from tests.examples import examples
from tests.games.random_play import random_options
from tests.rl.setups import OPTIONS, each_setup, positions


def test_every_game_has_an_encoding_and_no_other() -> None:
    assert {*ENCODINGS} == {*GAMES}


def test_the_setups_change_every_option_of_every_game() -> None:
    assert {*OPTIONS} == {*GAMES}
    for game, several in OPTIONS.items():
        changed = {name for given in several for name in given}
        assert {field.name for field in dataclasses.fields(GAMES[game].Options)} - changed <= {"deck"}


@pytest.mark.parametrize("game", GAMES)
@examples(12, deep=300)
@given(number=st.integers(0, 2**64 - 1))
def test_numbers_are_there_are_different_and_mean_the_same_everywhere(game: str, number: int) -> None:
    rng = random.Random(number)
    rules = GAMES[game]
    options = random_options(rules, rng)
    seats = rng.choice(rules.seats(options))
    env = GameEnv(game, seats, 0, None, dataclasses.asdict(options))
    encoding = encoding_of(game, seats, options)
    numbers_of: dict[tuple[str, Any], int] = {}
    values_of: dict[tuple[str, int], Any] = {}
    for agent in positions(env, rng, number, rng.randrange(seats)):
        seen = env.seen(agent)
        actions = list(env.legal().values())
        numbers = [encoding.number(seen, action) for action in actions]
        assert len({*numbers}) == len(numbers)
        assert all(0 <= each < encoding.actions for each in numbers)
        assert [env.legal()[each] for each in numbers] == actions  # there and back
        assert list(np.flatnonzero(env.observe(agent)["action_mask"])) == sorted(numbers)
        for action, each in zip(actions, numbers, strict=True):
            value = meant(env, agent, action)
            assert numbers_of.setdefault((agent, value), each) == each
            assert values_of.setdefault((agent, each), value) == value or isinstance(value, KleftisJoin)
            if game not in ("kleftis", "nyuri"):
                assert encoding.meaning(each) == str(action)


class KleftisJoin(tuple[Any, ...]):
    """A card and the cards of the group that it joins: of several such groups there is one on the table."""


def meant(env: GameEnv, agent: str, action: Any) -> Any:
    """The action without the running numbers of groups, which say nothing about them."""
    seen: Any = env.seen(agent)
    deal: Any = seen.current if isinstance(seen, SeriesObservation) else seen
    if isinstance(action, Build | Steal):
        groups = {group.group: group.cards for board in deal.dashboards for group in board.groups}
        return KleftisJoin((action.card, groups[action.group]))
    if isinstance(action, Secure):
        legal = list(env.legal().values())
        alone = [each.groups[0] for each in legal if isinstance(each, Secure) and len(each.groups) == 1]
        if any(group not in alone for group in action.groups):
            return "all"
        return tuple(sorted(alone.index(group) for group in action.groups))
    return action


@each_setup
def test_every_number_has_a_meaning_of_its_own(setup: tuple[str, int, dict[str, Any]]) -> None:
    game, seats, given = setup
    encoding = encoding_of(game, seats, GAMES[game].parse_options(given))
    meanings = [encoding.meaning(number) for number in range(encoding.actions)]
    assert len({*meanings}) == encoding.actions


def test_how_many_numbers_there_are() -> None:
    def count(game: str, seats: int, **given: Any) -> int:
        return encoding_of(game, seats, GAMES[game].parse_options(given)).actions

    assert [count("nyuri", seats, players=6) for seats in (2, 3, 4, 5, 6)] == [1874, 3382, 4890, 6398, 7906]
    assert count("forty-one", 2) == 55
    assert count("nur-mut", 2) == count("nur-mut", 7, model="one") == 10
    assert count("kleftis", 4) == 569
    assert (count("hyrule", 2), count("hyrule", 2, mode="chance")) == (108, 54)


def test_no_two_groups_on_one_table_are_joined_by_a_card_in_the_same_way() -> None:
    """All groups there can be, each against each: those that a card joins in the same way share a card."""
    every: set[tuple[Card, ...]] = {(card,) for card in DECK}
    newest = every
    while newest:
        newest = {made for cards in newest for made in groups_made(cards).values()} - every
        every |= newest
    by_way: dict[tuple[int, int], list[tuple[Any, ...]]] = {}
    for cards in every:
        for joining in groups_made(cards):
            by_way.setdefault((joining, way_of(joining, cards)), []).append(cards)
    assert len(by_way) <= WAYS * len(DECK)
    for (_, way), groups in by_way.items():
        # a set's way is that of its first card by number; a run's that of the end that is joined
        ends = (
            {min(cards) for cards in groups}
            if way >= 2
            else {cards[-1 if way == 0 else 0] for cards in groups}
        )
        assert len(ends) == 1


@pytest.mark.parametrize("count", [0, 1, 5, 8, 9, 14])
def test_what_is_secured_is_bits_by_age_and_all_has_its_own_number(count: int) -> None:
    encoding = encoding_of("kleftis", 2, GAMES["kleftis"].parse_options({"secure_single": True}))
    groups = tuple(Group(3 * number, (DECK[2 * number],), False) for number in range(count))
    dashboards = (Dashboard(groups[::-1], 0), Dashboard((), 0))
    seen = Observation("secure", 0, 0, (), (0, 0), dashboards, 0)
    choices = secure_choices({group.group: len(group.cards) for group in groups})
    numbers = [encoding.number(seen, choice) for choice in choices]
    assert len({*numbers}) == len(choices)
    assert numbers[0] == FIRST_SECURE
    assert (numbers[-1] == ALL) == (count > 8)
    slots = encoding.arrays(seen)["slot"]
    assert [slots[group.cards[0] - 1] for group in groups] == [min(place + 1, 9) for place in range(count)]
    for choice, number in zip(choices[:-1], numbers[:-1], strict=True):
        chosen = {slots[group.cards[0] - 1] - 1 for group in groups if group.group in choice.groups}
        assert number - FIRST_SECURE == sum(1 << int(bit) for bit in chosen)


def test_the_first_number_to_join_is_the_one_that_the_page_says() -> None:
    assert (FIRST_JOIN, FIRST_SECURE, ALL) == (52, 312, 568)


def test_a_game_that_is_not_there_is_named() -> None:
    with pytest.raises(ValueError, match=re.escape("there is no game 'chess'; the games are nyuri")):
        encoding_of("chess", 2, None)
