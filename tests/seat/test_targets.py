"""Where legal actions happen on the table: a person can play each of them with the cards."""

from __future__ import annotations

import random
import tomllib
from typing import Any

import pytest

from arena.games import BUILT_IN, GAMES
from arena.seat.targets import cards_of, move_of
from arena.table.deal import KeyedBoard
from arena.view.pictures.games import new_picture
from tests.view.games import OPTIONS


def positions(game, which):
    """Each turn of a random game: the seat, its observation, its picture, and its legal actions."""
    rules, choices = GAMES[game], random.Random(7)
    seats = rules.seats(rules.Options())[-which]
    options = rules.Options()
    if which:
        words, seats = OPTIONS[game]
        options = rules.parse_options(tomllib.loads(words))
    state: Any = rules.new(KeyedBoard(bytes(32), rules.deck(options)), seats, options, 0)
    picture = new_picture(game, seats, options)
    while state.to_act:
        seat = state.to_act[0]
        seen, actions = state.observation(seat), state.legal_actions(seat)
        yield seat, seen, picture.shown(seen, {seat: seen}), actions
        state.apply(seat, choices.choice(actions))


def places_of(picture):
    groups = [group for place in picture if place.startswith("groups.") for group in picture[place]]
    return {*picture, *(f"group.{group['group']}" for group in groups)}


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("game", BUILT_IN)
def test_every_action_touches_places_of_the_picture_and_is_no_other(game, which):
    for seat, seen, picture, actions in positions(game, which):
        moves = [(move_of(game, action, seen), frozenset(cards_of(action))) for action in actions]
        assert len({(cards, move.targets, move.verb) for move, cards in moves}) == len(actions)
        assert len({str(move.say) for move, _ in moves}) == len(actions)
        own = {*picture[f"hand.{seat}"], *picture.get(f"pile.{seat}", ())} if game != "nur-mut" else set()
        for move, cards in moves:
            assert {*move.targets} <= places_of(picture)
            assert cards <= own
            assert all(isinstance(part, str) or part != seat for part in move.say)


def test_a_sentence_says_what_follows():
    said: dict[tuple[str, str], str] = {}
    for game in BUILT_IN:
        for _, seen, _, actions in positions(game, 0):
            for action in actions:
                move = move_of(game, action, seen)
                said.setdefault((game, move.verb), "".join(map(str, move.say)))
    assert all(text[0].isupper() and not text.endswith(".") for text in said.values())
    assert "beats" in said["nyuri", "steal"]
    assert "you keep" in said["forty-one", "discard"]
    assert {verb for game, verb in said if game == "kleftis"} == {"play", "build", "steal", "secure"}


def test_a_game_of_another_package_has_words_alone():
    assert move_of("other", "steal from seat 1", None) == ("", (), ["Steal from ", 1])
