"""A new version against its predecessor: which boards are paired, and what they show."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from arena.comparison.question import Finding
from arena.results import BoardResult, GameKey, GameResult, SeatResult
from arena.standings.tally import DuplicateGroup
from arena.standings.values import Difference
from arena.tournament.change import Change, boards_of, change, paired_scores

NEW, OLD, RIVAL, OTHER = 5, 1, 0, 2
WON, LOST, TIED = (1, 2), (2, 1), (1, 1)


def board(number, who, opponent, *games, game="nyuri"):
    """A board of a match in which `who` is the first entrant."""
    return BoardResult(0, number, 0, game, 0, (who, opponent), tuple(enumerate(games)))


def turned(of: BoardResult) -> BoardResult:
    """The same board with the entrants of its match the other way round."""
    return of._replace(
        entrants=of.entrants[::-1], places=tuple((number, places[::-1]) for number, places in of.places)
    )


def groups_of(boards):
    return Counter(
        DuplicateGroup(each.entrants, (sum((one < two) * 2 + (one == two) for _, (one, two) in each.places),))
        for each in boards
    )


def test_boards_against_the_same_opponent_in_the_same_game_are_paired_in_their_order():
    boards = [
        board(0, OLD, RIVAL, WON, LOST),
        board(1, OLD, RIVAL, LOST, LOST),
        board(2, OLD, OTHER, WON, WON),  # the new version has not met this one
        board(3, OLD, RIVAL, WON, WON, game="kleftis"),  # nor the other in this game
        board(4, NEW, RIVAL, WON, WON),
        board(5, NEW, RIVAL, TIED, LOST),
        board(6, NEW, RIVAL, WON, WON),  # beyond the predecessor's boards
    ]
    assert paired_scores(boards, NEW, OLD) == [0.75, 0.625]
    assert paired_scores(map(turned, boards), NEW, OLD) == [0.75, 0.625]
    assert paired_scores(boards, OLD, NEW) == [0.25, 0.375]


def test_incomplete_boards_and_those_of_both_or_neither_do_not_count():
    boards = [
        board(0, OLD, RIVAL, WON),
        board(1, OLD, RIVAL, LOST, LOST),
        board(2, NEW, RIVAL, LOST, LOST),
        board(3, NEW, OLD, WON, WON),
        board(4, OTHER, RIVAL, WON, WON),
    ]
    assert paired_scores(boards, NEW, OLD) == [0.5]


def test_boards_are_made_of_games_in_whichever_order_the_rotations_ended():
    def game(number, rotation, *places):
        seats = (NEW, RIVAL) if rotation == 0 else (RIVAL, NEW)
        seating = (0, 1) if rotation == 0 else (1, 0)
        key = GameKey(0, number, 0, "nyuri", 0, rotation, seating)
        return GameResult(key, tuple(map(SeatResult, seats, places, (0, 0))), "")

    assert boards_of([game(3, 1, 2, 1), game(4, 0, 2, 1), game(3, 0, 1, 1)]) == [
        BoardResult(0, 3, 0, "nyuri", 0, (NEW, RIVAL), ((1, WON), (0, TIED))),
        BoardResult(0, 4, 0, "nyuri", 0, (NEW, RIVAL), ((0, LOST),)),
    ]


def played(random, new, old, many):
    """Boards of both versions, which win each game against their rival with these chances."""
    return [
        board(number, who, RIVAL, *(WON if random.random() < chance else LOST for _ in range(2)))
        for who, chance in ((OLD, old), (NEW, new))
        for number in range(many)
    ]


@pytest.mark.parametrize(
    ("new", "old", "finding", "words"),
    [
        (0.8, 0.3, Finding.BETTER, "Version 2 is better than version 1: "),
        (0.2, 0.6, Finding.WORSE, "Version 2 is worse than version 1: "),
    ],
)
def test_a_clear_change_is_found(new, old, finding, words):
    boards = played(Random(1), new, old, 200)
    found = change(boards, groups_of(boards), NEW, OLD)
    assert found.finding is finding
    assert found.rating
    assert (found.rating.low > 0) == (finding is Finding.BETTER)
    text = found.sentence("version 2", "version 1")
    assert text.startswith(words)
    assert f", rating {found.rating.value:+.0f} (95 %: " in text


@pytest.mark.parametrize(
    ("finding", "low", "told"),
    [
        (None, 339, False),  # "it is open whether it is better, +447 (+339 to +556)" is no sentence
        (Finding.NO_DIFFERENCE, 339, False),
        (Finding.WORSE, 339, False),
        (Finding.BETTER, -1, False),
        (Finding.BETTER, 339, True),
    ],
)
def test_a_sentence_has_one_verdict(finding, low, told):
    pairs = change(played(Random(2), 0.5, 0.5, 10), {}, NEW, OLD).pairs
    text = Change(pairs, finding, Difference(447, low, 556)).sentence("version 2", "version 1")
    assert ("+447" in text) is told


def test_the_sentence_shows_what_is_known_and_no_more():
    boards = played(Random(2), 0.5, 0.5, 10)
    found = change(boards, groups_of(boards), NEW, OLD)
    assert (found.finding, found.pairs.boards) == (None, 10)
    text = found.sentence("version 2", "version 1")
    assert text.startswith("It is open whether version 2 is better than version 1: ")
    assert "in 10 pairs of boards" in text
    assert found.rating
    nothing = change([], {}, NEW, OLD)
    assert isinstance(nothing, Change)
    assert nothing.rating is None
    assert "no opponent in common" in nothing.sentence("version 2", "version 1")


@pytest.mark.campaign
def test_who_looks_after_every_board_is_seldom_told_of_a_change_that_did_not_happen():
    random, wrong, runs = Random(3), 0, 60
    for _ in range(runs):
        boards = played(random, 0.6, 0.6, 120)
        old, new = boards[:120], boards[120:]
        wrong += any(
            change([*old, *new[:many]], {}, NEW, OLD).finding in (Finding.BETTER, Finding.WORSE)
            for many in range(5, 121, 5)
        )
    assert wrong <= 0.05 * runs + 3 * (runs * 0.05 * 0.95) ** 0.5
