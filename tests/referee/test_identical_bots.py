"""Identical bots get equal results whoever sits beside the weak one: tournaments without a network."""

from __future__ import annotations

import dataclasses
import random
from itertools import combinations
from pathlib import Path
from statistics import mean, stdev

import pytest

from arena.bot.policies import greedy
from arena.formats.seating import Rule
from arena.games import GAMES
from arena.league.tournament_file import parse_plan
from arena.results import seat_scores
from arena.table.deal import KeyedBoard, board_key
from arena.tournament.courses import new_course
from arena.tournament.effects import Effects

BOARDS = 4
SIGMAS = 3


def play(game_id: str, weak: tuple[bool, ...], key: bytes, seed: str) -> tuple[int, ...]:
    """The places in a game of greedy bots, and of random ones where `weak` says so."""
    game = GAMES[game_id]
    options = game.parse_options({})
    state = game.new(KeyedBoard(key, game.deck(options)), len(weak), options)
    rng = random.Random(seed)
    while state.to_act:
        seat = state.to_act[0]
        actions = state.legal_actions(seat)
        chosen = rng.choice(actions) if weak[seat] else greedy(state.observation(seat), actions)
        state.apply(seat, chosen)
    assert state.outcome is not None
    return state.outcome.places


def scores(game: str, seats: int, entrants: int, rule: Rule, tournament: int) -> list[float]:
    """The mean scores, in points of 100, in one cycle; the last entrant is random, the others greedy."""
    text = (
        f'name = "x"\ngames = ["{game}"]\nboards = {BOARDS}\nseats = {seats}\n' + "[[entrant]]\n" * entrants
    )
    plan = dataclasses.replace(parse_plan(text, Path("x.toml")), seating=rule)
    own: dict[int, list[float]] = {player: [] for player in range(entrants)}
    for key, players in iter(new_course(plan, Effects(entrants)).take, None):
        board = board_key(bytes([tournament]) * 32, game, plan.board_name(key))
        places = play(game, tuple(player == entrants - 1 for player in players), board, str(key))
        for player, score in zip(players, seat_scores(places), strict=True):
            own[player].append(100 * float(score))
    return [mean(own[player]) for player in range(entrants)]


def largest_difference(game: str, seats: int, entrants: int, rule: Rule, count: int) -> tuple[float, float]:
    """The largest mean difference between two identical bots over some tournaments, and its error."""
    played = [scores(game, seats, entrants, rule, number) for number in range(count)]
    differences = []
    for one, other in combinations(range(entrants - 1), 2):
        between = [row[one] - row[other] for row in played]
        differences.append((abs(mean(between)), stdev(between) / count**0.5))
    return max(differences, key=lambda difference: difference[0] / difference[1])


@pytest.mark.parametrize(
    ("game", "seats", "entrants", "tournaments"),
    [
        ("nur-mut", 3, 3, 30),
        ("hyrule", 4, 5, 12),
        pytest.param("hyrule", 3, 3, 30, marks=pytest.mark.campaign),
        pytest.param("nur-mut", 4, 5, 12, marks=pytest.mark.campaign),
    ],
)
def test_identical_bots_come_out_alike(game, seats, entrants, tournaments):
    difference, error = largest_difference(game, seats, entrants, "balanced", tournaments)
    assert difference < SIGMAS * error
    # Where everybody always plays after the same one, it is far outside of that.
    difference, error = largest_difference(game, seats, entrants, "cyclic", tournaments)
    assert difference > SIGMAS * error
