"""What the page says about a finished game: the sentence, the scores over time, and the last lead change."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.games import GAMES
from arena.games.game import Outcome
from arena.report.game_log import ONLOOKER
from arena.table.record import Fault, Record, first_position
from arena.table.table import with_forfeits
from arena.view.pictures.moments import Ending, ending, in_words
from tests.view.games import OPTIONS, other_game

NAMES = ("anna", "ben", "cleo", "dora", "emil", "finn", "gwen")


def random_game(game: str, seats: int, seed: int, **options: Any) -> Record:
    """A game of random choices, to its end."""
    rng = random.Random(seed)
    parsed = GAMES[game].parse_options(options)
    key = rng.randbytes(32)
    record = Record(game, parsed, seats, seed % seats, key, (), (), Outcome((), (), ""), ())
    state = first_position(record)
    actions = []
    while state.to_act:
        legal = state.legal_actions(state.to_act[0])
        actions.append(rng.randrange(len(legal)))
        state.apply(state.to_act[0], legal[actions[-1]])
    assert state.outcome is not None
    return record._replace(actions=tuple(actions), outcome=state.outcome)


def forfeited(record: Record, *seats: int) -> Record:
    """The same game, in which seats forfeited by a fault in the middle."""
    faults = tuple((seat, len(record.actions) // 2, Fault("timeout", "", 1)) for seat in seats)
    places = with_forfeits(record.outcome.places, seats)
    return record._replace(faults=faults, forfeits=seats, outcome=record.outcome._replace(places=places))


def said(record: Record, view: int | None = None) -> str:
    return in_words(ending(record, view).sentence, NAMES)


def agrees(found: Ending, record: Record) -> None:
    """The laws of all endings."""
    points = record.outcome.points
    for line in found.scores:
        assert len(line) == len(record.actions) + 1
    if found.scores:
        last = [line[-1] for line in found.scores]
        order = sorted(range(record.seats), key=lambda seat: points[seat])
        assert order == sorted(range(record.seats), key=lambda seat: last[seat])
    if found.marked is not None and found.scores and not record.forfeits:
        winner = record.outcome.places.index(1)
        leads = [
            own - max(line[number] for seat, line in enumerate(found.scores) if seat != winner)
            for number, own in enumerate(found.scores[winner])
        ]
        assert leads[found.marked - 1] <= 0
        assert all(lead > 0 for lead in leads[found.marked :])
    assert bool(found.tag) == bool(found.why)
    for seat in (part for part in found.sentence if isinstance(part, int)):
        assert 0 <= seat < record.seats
    assert "seat " not in in_words([*found.sentence, *found.why], NAMES).replace("every seat", "")


@pytest.mark.parametrize("game", GAMES)
@settings(max_examples=12, deadline=None)
@given(st.data())
def test_there_is_an_ending_of_every_game(game, data):
    allowed = GAMES[game].seats(GAMES[game].Options())
    seats = data.draw(st.integers(allowed[0], allowed[-1]))
    record = random_game(game, seats, data.draw(st.integers(0, 10**6)))
    record = forfeited(record, *sorted(data.draw(st.sets(st.integers(0, seats - 1), max_size=seats))))
    for view in (None, ONLOOKER, 0):
        agrees(ending(record, view), record)
    assert ending(record).scores


@pytest.mark.parametrize("game", OPTIONS)
def test_a_series_has_an_ending(game):
    record = other_game(game)
    agrees(ending(record), record)


def test_a_series_of_wins_counts_the_deals():
    found = ending(random_game("hyrule", 2, 5, series=3))
    assert found.unit == ("deal won", "deals won")
    assert {score for line in found.scores for score in line} <= {0, 0.5, 1, 1.5, 2, 2.5, 3}
    assert found.scores[0][0] == found.scores[1][0] == 0
    assert found.scores[0][-1] + found.scores[1][-1] == 3
    summed = ending(random_game("kleftis", 2, 5, series=2))
    assert summed.unit == ("point", "points")


def test_no_onlooker_learns_the_hands_from_the_scores():
    record = random_game("forty-one", 2, 3)
    assert ending(record, ONLOOKER).scores == ending(record, 0).scores == ()
    assert len(ending(record).scores) == 2
    assert said(record, ONLOOKER) == said(record)


@pytest.mark.parametrize(
    ("game", "seats", "seed", "options", "sentence"),
    [
        ("kleftis", 2, 1, {}, "ben wins 18 to 16: eleven secured groups."),
        ("kleftis", 3, 1, {}, "A draw: 8 points each."),
        ("nyuri", 2, 1, {}, "anna wins 37 to 15: 31 piles stolen."),
        ("forty-one", 2, 1, {}, "anna wins 8 to -13: two hearts, though ben ended play."),
        ("nur-mut", 2, 1, {}, "anna wins with no cards left to 19: three cards laid by courage."),
        ("nur-mut", 3, 2, {}, "cleo wins with no cards left, ben has 3: three cards laid by courage."),
        ("hyrule", 2, 1, {}, "anna wins 10 to 4: five of the seven tricks."),
        ("hyrule", 2, 5, {"series": 3}, "anna wins 3 deals to 0."),
    ],
)
def test_the_result_is_a_sentence(game, seats, seed, options, sentence):
    assert said(random_game(game, seats, seed, **options)) == sentence


def test_a_forfeit_decides():
    record = random_game("kleftis", 2, 1)
    found = ending(forfeited(record, 0))
    assert in_words(found.sentence, NAMES) == "ben wins: anna forfeits."
    assert (found.tag, found.marked) == ("fault", len(record.actions) // 2 + 1)
    assert (found.mark, in_words(found.why, NAMES)) == ("Forfeit", "anna forfeited by a fault.")
    assert said(forfeited(record, 0, 1)) == "Nobody wins: every seat forfeits."
    three = forfeited(random_game("kleftis", 3, 1), 0)
    assert said(three).endswith(" anna forfeits.")
    assert ending(forfeited(random_game("kleftis", 3, 1), 0, 1)).tag == "fault"
