"""The process that dials in for a person: its messages to the page, and its time limits."""

from __future__ import annotations

import random
import re
from types import SimpleNamespace
from typing import Any

import pytest

from arena.bot.chair import Over
from arena.cards import card
from arena.games import GAMES
from arena.games.game import Outcome
from arena.league.store import League
from arena.seat.messages import Choice, FromSeat
from arena.seat.person import PersonsChair, end_of, main
from arena.seat.targets import cards_of
from arena.table.deal import KeyedBoard
from arena.view.pictures.games import new_picture


class Pipe:
    """Keeps the messages to the page."""

    def __init__(self) -> None:
        self.told: list[FromSeat] = []

    def tell(self, message: FromSeat) -> None:
        self.told.append(message)


def turn_of(number: int, time_left: float) -> Any:
    return SimpleNamespace(number=number, time_left=time_left, actions=["draw", "leave", "place"])


def test_a_choice_is_for_its_turn_alone():
    pipe = Pipe()
    chair = PersonsChair(pipe)  # type: ignore[arg-type]  # all that it uses
    for turn, action in ((6, 1), (7, 3), (7, -1), (7, 2)):
        chair.indices.put(Choice(kind="choice", turn=turn, action=action))
    assert str(chair.chosen(turn_of(7, 60))) == "place"
    assert pipe.told == []


def test_a_turn_whose_time_is_over_is_given_up_and_said():
    pipe = Pipe()
    chair = PersonsChair(pipe)  # type: ignore[arg-type]  # all that it uses
    assert chair.chosen(turn_of(3, -0.2)) is None
    assert pipe.told == [{"kind": "late", "turn": 3}]


def test_where_nobody_waits_for_guests_that_is_said(tmp_path, monkeypatch, capfdbinary):
    League.create_or_open(tmp_path / "night.league").close()
    monkeypatch.setattr(
        "sys.stdin", SimpleNamespace(buffer=SimpleNamespace(readline=lambda: b'{"token": "x"}\n'))
    )
    main(str(tmp_path / "night.league"))
    assert b"no tournament here waits for guests" in capfdbinary.readouterr().out


A_CARD = re.compile("|".join(sorted((re.escape(str(card(each))) for each in range(1, 55)), reverse=True)))


@pytest.mark.parametrize("game", GAMES)
def test_the_cards_of_an_action_are_those_that_its_words_name(game):
    rules, choices = GAMES[game], random.Random(7)
    options = rules.Options()
    state: Any = rules.new(KeyedBoard(bytes(32), rules.deck(options)), rules.seats(options)[0], options, 0)
    asked = 0
    while state.to_act:
        actions = state.legal_actions(state.to_act[0])
        for action in actions:
            assert [str(card(each)) for each in cards_of(action)] == A_CARD.findall(str(action))
            asked += bool(cards_of(action))
        state.apply(state.to_act[0], choices.choice(actions))
    assert asked or game == "nur-mut"  # whose cards have no suits


@pytest.mark.parametrize(
    ("seat", "places", "points", "say", "own"),
    [
        (0, (1, 2), (19, -19), ["You", " win 19 to -19"], "You win"),
        (1, (1, 2), (19, -19), [0, " wins 19 to -19"], "You finish 2nd with -19"),
        (
            0,
            (1, 1),
            (7, 7),
            ["You", " and ", 1, " share the first place with 7"],
            "You share the first place",
        ),
        (
            3,
            (1, 1, 1, 4),
            (7, 7, 7, 2),
            [0, ", ", 1, " and ", 2, " share the first place with 7"],
            "You finish 4th with 2",
        ),
        (0, (1, 2), (-26, -26), ["You", " win the tie at -26 each, by a coin"], "You win"),
        (1, (2, 3, 1), (4, 2, 4), [2, " wins the tie at 4 each, by a coin"], "You finish 3rd with 2"),
    ],
)
def test_the_end_is_said_in_a_sentence(seat, places, points, say, own):
    end = end_of(seat, Over(Outcome(places, points, "cards_played")), tie_rule=", by a coin")
    assert (end["say"], end["own"]) == (say, own)


@pytest.mark.parametrize(
    ("seat", "forfeits", "places", "points", "say"),
    [
        (0, (1,), (1, 2), (-26, -26), ["You", " win: ", 1, " forfeits"]),
        (0, (1,), (1, 2), (-26, 40), ["You", " win: ", 1, " forfeits"]),
        (1, (1,), (1, 2), (7, 7), [0, " wins: ", "you", " forfeit"]),
        (0, (1, 2), (1, 2, 2), (7, 7, 7), ["You", " win: ", 1, " and ", 2, " forfeit"]),
        (2, (1, 2), (1, 2, 2), (7, 7, 7), [0, " wins: ", "you", " and ", 1, " forfeit"]),
        (0, (0, 1), (1, 1), (7, 7), ["Nobody wins: every seat forfeits"]),
        (0, (2,), (1, 2, 3), (7, 5, 7), ["You", " win with 7"]),
        (0, (2,), (1, 2, 3), (7, 7, 7), ["You", " win the tie at 7 each, by a coin"]),
    ],
)
def test_no_rule_decides_against_a_seat_that_forfeits(seat, forfeits, places, points, say):
    end = end_of(seat, Over(Outcome(places, points, "cards_played"), forfeits), tie_rule=", by a coin")
    assert end["say"] == say


@pytest.mark.parametrize(
    ("game", "options", "series", "rule"),
    [
        ("kleftis", {"tiebreak": "secured"}, False, "more secured cards"),
        ("kleftis", {"tiebreak": "secured"}, True, "a further deal"),
        ("kleftis", {}, False, "a forfeit"),
        ("forty-one", {}, False, "the better worst card"),
        ("nur-mut", {}, False, "a forfeit"),
    ],
)
def test_it_is_named_what_breaks_a_tie(game, options, series, rule):
    picture = new_picture(game, 2, GAMES[game].Options(**options))
    assert picture.by_tie_rule(series=series) == f", by {rule}"
