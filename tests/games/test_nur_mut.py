"""Nur Mut: the rulings, one by one, and its events."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.games.game import SPECTATOR, Action, Event, IllegalAction, State, Viewer, WrongOption
from arena.games.nur_mut import GAME
from arena.games.nur_mut_actions import COURAGE, PASS, TRY, TUCK
from arena.games.nur_mut_values import Card, ChoosePile, Face, Place
from tests.examples import examples
from tests.games.boards import keyed, scripted

numbers = st.integers(0, 2**64 - 1)
FILLING = "1/1"  # fits no pile of 3 4 9


def card(text: str) -> Card:
    front, _, back = text.partition("/")
    faces = {str(face): face for face in Face}
    return Card(faces[front], faces[back] if back else Face.HIDDEN)


def start(
    *decks: str, piles: str = "3/3 4/4 9/9", picks: Sequence[int] = (), starter: int = 0, **options: Any
) -> State:
    """A game in which each seat has the cards of its text on top, first on top, and filling below.

    All cards are dealt front up; `picks` are the draws after dealing.
    """
    parsed = GAME.parse_options(options)
    hidden = parsed.model == "one"
    filling = "1" if hidden else FILLING
    seats = len(decks)
    dealt = [(text.split() + [filling] * 10)[:10] for text in decks]
    deck = [dealt[(starter + place) % seats][place // seats] for place in range(10 * seats)]
    centre = piles.split()
    fronts = [] if hidden else [0] * (len(deck) + len(centre))
    board = scripted([card(text) for text in deck + centre], [*fronts, *picks])
    return GAME.new(board, seats, parsed, starter)


def play(state: State, *actions: Action) -> list[Event]:
    """Plays the actions, each for the seat that is to act; returns the events of the last one."""
    told: list[Event] = []
    for action in actions:
        told = [happening.public for happening in state.apply(state.to_act[0], action)]
    return told


def legal(state: State) -> list[Any]:
    return list(state.legal_actions(state.to_act[0]))


def seen(state: State, viewer: Viewer = SPECTATOR) -> Any:
    return state.observation(viewer)


def tops(state: State) -> str:
    return " ".join(map(str, seen(state).piles))


def log(events: Sequence[Event]) -> list[str]:
    return list(map(str, events))


# --- the cards: M1, M3, M4, M5 ------------------------------------------------------------------------


def test_the_standard_deck_of_model_two() -> None:
    deck = GAME.deck(GAME.Options())
    assert len(deck) == 81
    assert list(map(str, deck[:4])) == ["1/2", "1/2", "1/3", "1/3"]
    assert list(map(str, deck[70:])) == ["8/9", "8/9", *(f"J/{number}" for number in range(1, 10))]
    faces = Counter(face for each in deck for face in each)
    assert faces == {Face(number): 17 for number in range(1, 10)} | {Face.JOKER: 9}


def test_the_standard_deck_of_model_one() -> None:
    deck = GAME.deck(GAME.parse_options({"model": "one"}))
    assert Counter(map(str, deck)) == {str(number): 8 for number in range(1, 10)} | {"J": 9}
    assert list(map(str, deck))[7:9] == ["1", "2"]


def test_the_lowest_number_shortens_the_deck() -> None:
    deck = GAME.deck(GAME.parse_options({"min_value": 4}))
    assert len(deck) == 6 * 5 + 6
    assert {face for each in deck for face in each} == {Face(number) for number in range(4, 11)}
    assert len(GAME.deck(GAME.parse_options({"model": "one", "min_value": 4}))) == 9 * 6


def test_a_deck_of_one_s_own() -> None:
    texts = ["3/7", "J/4", "J/J", *["1/2"] * 20]
    options = GAME.parse_options({"deck": texts})
    assert list(map(str, GAME.deck(options))) == texts
    assert GAME.seats(options) == range(2, 3)
    one = GAME.parse_options({"model": "one", "deck": ["3", "J"] * 12})
    assert list(map(str, GAME.deck(one))) == ["3", "J"] * 12


@pytest.mark.parametrize(
    ("given_options", "message"),
    [
        ({"deck": ["1/2"] * 22 + ["1/10"]}, "'1/10' is not a card of model two: write front/back"),
        ({"deck": ["1/2"] * 22 + ["3"]}, "'3' is not a card of model two"),
        ({"deck": ["1/2"] * 22 + ["1/2/3"]}, "'1/2/3' is not a card of model two"),
        ({"deck": ["1/2"] * 22 + ["?/3"]}, "'?/3' is not a card"),
        ({"deck": ["3"] * 22 + ["3/4"], "model": "one"}, "'3/4' is not a card of model one: write one face"),
        ({"deck": ["3/4"] * 22 + ["2/4"], "min_value": 3}, "'2/4' is not a card .* a face is 3 to 9 or J"),
        ({"deck": ["1/2"] * 22}, "2 seats needs a deck of at least 23 cards .* this one has 22"),
        ({"min_value": 6}, "at least 23 cards .* this one has 16"),
        ({"min_value": 0}, "min_value = 0: must be at least 1"),
        ({"min_value": 10}, "min_value = 10: must be at least 1 and at most 9"),
        ({"model": "three"}, "must be one of two, one"),
        ({"stall": 0}, "must be at least 1"),
        ({"max_turns": 0}, "must be at least 1"),
        ({"rounds": 0}, "must be at least 1"),
        ({"courage": True}, "has no option 'courage'"),
    ],
)
def test_wrong_options(given_options: dict[str, Any], message: str) -> None:
    with pytest.raises(WrongOption, match=message):
        GAME.parse_options(given_options)


def test_the_deck_limits_the_seats() -> None:
    assert GAME.seats(GAME.Options()) == range(2, 8)
    options = GAME.parse_options({"deck": ["1/2"] * 33})
    board = keyed(GAME, options, 0)
    assert GAME.new(board, 3, options).to_act == (0,)
    with pytest.raises(WrongOption, match=r"4 seats needs a deck of at least 43 cards .* this one has 33"):
        GAME.new(board, 4, options)
    for seats in (1, 8):
        with pytest.raises(WrongOption, match=f"2 to 7 seats, not {seats}"):
            GAME.new(board, seats, options)


# --- dealing: M6, M24, M25 ----------------------------------------------------------------------------


def test_dealing_starts_with_the_starter_and_turns_cards_as_drawn() -> None:
    deck = [Card(Face(place % 9 + 1), Face.JOKER) for place in range(24)]
    state = GAME.new(scripted(deck, [0, 0, 1] + [0] * 20), 2, GAME.Options(), starter=1)
    assert state.to_act == (1,)
    assert log([happening.public for happening in state.opening]) == [
        "seat 0 is dealt 10 cards",
        "seat 1 is dealt 10 cards",
        "seat 0's deck shows 2",
        "seat 1's deck shows 1",
        "pile 0 starts with 3",
        "pile 1 starts with 4",
        "pile 2 starts with 5",
    ]
    assert log(play(state, TUCK))[-1] == "seat 1's deck shows J"  # the third card, dealt back up
    assert sorted(state.cards()) == sorted(deck)


def test_a_starting_joker_is_replaced() -> None:
    state = start("", "", piles="3/3 J/1 4/4 9/9 8/8")
    assert tops(state) == "3 4 9"
    assert log([happening.public for happening in state.opening])[-4:] == [
        "pile 0 starts with 3",
        "a joker comes up for pile 1 and is set aside",
        "pile 1 starts with 4",
        "pile 2 starts with 9",
    ]
    assert len(state.cards()) == 25


@pytest.mark.parametrize("model", ["two", "one"])
def test_jokers_start_piles_where_no_number_is_left(model: str) -> None:
    piles = "J 7 J J" if model == "one" else "J/1 7/7 J/2 J/3"
    state = start("1/1" if model == "two" else "1", "", piles=piles, model=model)
    assert tops(state) == "7 J J"
    if model == "two":
        assert legal(state) == [PASS, Place(1), Place(2), COURAGE]
        assert seen(state).to_act == 0
        play(state, Place(1))
        assert tops(state) == "7 1 J"
    else:
        play(state, TRY)
        assert legal(state) == [ChoosePile(1), ChoosePile(2)]


# --- an ordinary turn: M7, M8, M9, M12 ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("piles", "top", "fitting"),
    [
        ("3 4 9", "2", (0,)),
        ("3 4 9", "4", (0,)),
        ("3 4 9", "3", (1,)),
        ("3 4 9", "5", (1,)),
        ("3 4 9", "8", (2,)),
        ("3 4 9", "J", (0, 1, 2)),
        ("3 4 9", "1", ()),
        ("3 4 9", "6", ()),
        ("3 4 9", "7", ()),
        ("3 4 9", "9", ()),
        ("9 9 7", "8", (0, 1, 2)),
        ("5 5 5", "5", ()),
        ("1 1 1", "9", ()),
        ("9 9 9", "1", ()),
    ],
)
def test_what_fits(piles: str, top: str, fitting: tuple[int, ...]) -> None:
    two_faced = " ".join(f"{face}/{face}" for face in piles.split())
    state = start(f"{top}/1", "", piles=two_faced)
    assert legal(state) == [PASS, *(map(Place, fitting) if fitting else [TUCK]), COURAGE]
    flipped = start(f"1/{top}", "", piles=two_faced, picks=[0] * 30)
    one = start(top, "", piles=piles, model="one", picks=[0] * 30)
    play(flipped, COURAGE)
    play(one, TRY)
    for tried in (flipped, one):
        if len(fitting) > 1:
            assert legal(tried) == list(map(ChoosePile, fitting))
        else:
            assert seen(tried).phase == "turn"
            assert seen(tried).deck_sizes[0] == (9 if fitting else 11 if tried is flipped else 10)


def test_placing_lays_the_visible_face_and_ends_the_turn() -> None:
    state = start("8/1 6/2", "1/1")
    assert log(play(state, Place(2))) == ["seat 0 lays 8 on pile 2 (place)", "seat 0's deck shows 6"]
    assert state.to_act == (1,)
    assert seen(state).pile_sizes == (1, 1, 2)
    assert seen(state).top_faces == (Face.SIX, Face.ONE)
    assert seen(state).deck_sizes == (9, 10)


def test_tucking_puts_the_card_under_the_deck_as_it_lies() -> None:
    state = start("6/1 7/2", "1/1", stall=100)
    assert log(play(state, TUCK)) == ["seat 0 tucks 6", "seat 0's deck shows 7"]
    assert state.to_act == (1,)
    for _ in range(9):
        play(state, PASS, TUCK)
    assert log(play(state, PASS, TUCK))[-1] == "seat 0's deck shows 7"
    assert seen(state).deck_sizes == (10, 10)


def test_a_card_that_fits_cannot_be_tucked() -> None:
    state = start("8/1", "1/1")
    with pytest.raises(IllegalAction, match="seat 0 cannot tuck the top card: it may pass, "):
        state.apply(0, TUCK)
    with pytest.raises(IllegalAction, match="seat 1 cannot pass: the table waits for seat 0"):
        state.apply(1, PASS)


def test_a_visible_joker_may_be_placed_passed_or_flipped_but_not_tucked() -> None:
    state = start("J/6 8/8", "1/1", picks=[0] * 11)
    assert legal(state) == [PASS, Place(0), Place(1), Place(2), COURAGE]
    other = state.clone()
    assert log(play(state, Place(1))) == [
        "seat 0 lays J on pile 1 (place)",
        "seat 0 lays 8 on pile 1 (cover)",
        "seat 0's deck shows 1",
    ]
    assert state.to_act == (1,)
    assert log(play(other, COURAGE))[:2] == [
        "seat 0 flips 6",
        "seat 0 takes pile 2 (1 card) and shuffles its deck",
    ]


# --- courage: M10, M11, M13, M15-M19, M26 -------------------------------------------------------------


def test_successful_courage_earns_a_fresh_choice() -> None:
    state = start("1/8 7/5 6/1", "1/1")
    assert log(play(state, COURAGE)) == [
        "seat 0 flips 8",
        "seat 0 lays 8 on pile 2 (courage)",
        "seat 0's deck shows 7",
    ]
    assert state.to_act == (0,)
    assert legal(state) == [PASS, Place(2), COURAGE]
    assert seen(state).turns == 0
    play(state, COURAGE)
    assert tops(state) == "3 5 8"
    assert legal(state) == [PASS, Place(1), COURAGE]
    play(state, Place(1))
    assert state.to_act == (1,)
    assert seen(state).turns == 1


def test_option_chain_courage_only() -> None:
    state = start("1/8 7/5", "1/1", chain_courage_only=True)
    assert TUCK in legal(state)
    play(state, COURAGE)
    assert legal(state) == [PASS, COURAGE]
    play(state, PASS)
    assert legal(state) == [PASS, TUCK, COURAGE]


def test_a_whole_deck_can_go_in_one_turn() -> None:
    faces = "8787878787"
    state = start(" ".join(f"1/{face}" for face in faces), "1/1", piles="1/1 1/1 9/9")
    play(state, *[COURAGE] * 9)
    assert state.to_act == (0,)
    play(state, COURAGE)
    assert state.outcome == ((1, 2), (0, -10), "deck_empty")
    assert seen(state).phase == "over"
    assert seen(state).to_act is None
    assert seen(state).turns == 1
    assert seen(state).top_faces == (Face.HIDDEN, Face.ONE)


def test_a_flipped_card_that_fits_several_piles() -> None:
    state = start("2/2", "1/8 6/6", piles="9/9 7/7 7/7", starter=1)
    assert log(play(state, COURAGE)) == ["seat 1 flips 8"]
    assert legal(state) == [ChoosePile(0), ChoosePile(1), ChoosePile(2)]
    view = seen(state, 0)
    assert (view.phase, view.seat, view.to_act, view.flipped) == ("choose_pile", 0, 1, Face.EIGHT)
    # it stays on its deck, so that the card below is not seen
    assert view.deck_sizes == (10, 10)
    assert view.top_faces == (Face.TWO, Face.EIGHT)
    play(state, ChoosePile(1))
    assert tops(state) == "9 8 7"
    assert seen(state).flipped is None
    assert state.to_act == (1,)


def test_a_flipped_joker_is_laid_covered_and_ends_the_turn() -> None:
    state = start("1/J 9/1", "1/1")
    play(state, COURAGE)
    assert legal(state) == [ChoosePile(0), ChoosePile(1), ChoosePile(2)]
    assert log(play(state, ChoosePile(1)))[:2] == [
        "seat 0 lays J on pile 1 (courage)",
        "seat 0 lays 9 on pile 1 (cover)",
    ]
    assert tops(state) == "3 9 9"
    assert seen(state).deck_sizes == (8, 10)
    assert state.to_act == (1,)


def test_a_joker_is_covered_until_a_number_shows() -> None:
    state = start("1/J J/5 2/5", "1/1")
    play(state, COURAGE, ChoosePile(2))
    assert tops(state) == "3 4 2"
    assert seen(state).pile_sizes == (1, 1, 4)
    assert seen(state).deck_sizes == (7, 10)
    assert state.to_act == (1,)


def test_option_joker_replay() -> None:
    state = start("1/J 9/1", "1/1", joker_replay=True)
    play(state, COURAGE, ChoosePile(1))
    assert state.to_act == (0,)
    assert seen(state).turns == 0
    placed = start("J/1 9/1", "1/1", joker_replay=True)
    play(placed, Place(1))  # only courage is rewarded
    assert placed.to_act == (1,)


def test_failed_courage_takes_the_highest_pile_and_the_next_seat_refills_it() -> None:
    # the orientations drawn turn the first two cards and the pile's, mixed in last, their backs up
    picks = [1, 1] + [0] * 8 + [1]
    state = start("1/6 1/6", "J/1 8/2 7/1", piles="3/3 4/4 9/2", picks=picks, stall=100)
    assert log(play(state, COURAGE)) == [
        "seat 0 flips 6",
        "seat 0 takes pile 2 (1 card) and shuffles its deck",
        "seat 0's deck shows 6",
        "seat 1 lays J on pile 2 (refill)",
        "seat 1 lays 8 on pile 2 (cover)",
        "seat 1's deck shows 7",
    ]
    assert tops(state) == "3 4 8"
    assert seen(state).deck_sizes == (11, 8)
    assert state.to_act == (0,)  # M18 with two seats: the same again
    assert seen(state).turns == 1
    assert log(play(state, TUCK))[-1] == "seat 0's deck shows 6"
    for _ in range(8):
        play(state, PASS, TUCK)
    assert log(play(state, PASS, TUCK))[-1] == "seat 0's deck shows 2"


def test_who_plays_after_a_refill() -> None:
    state = start("1/6", "1/1", "2/2", picks=[0] * 11)
    play(state, COURAGE)
    assert tops(state) == "3 4 1"
    assert state.to_act == (2,)


@pytest.mark.parametrize(("pick", "taken"), [(0, 0), (1, 2)])
def test_chance_decides_between_equally_high_piles(pick: int, taken: int) -> None:
    state = start("1/6", "1/1", piles="9/9 4/4 9/9", picks=[pick] + [0] * 11)
    assert f"seat 0 takes pile {taken} (1 card) and shuffles its deck" in log(play(state, COURAGE))
    assert tops(state) == ("1 4 9" if taken == 0 else "9 4 1")


def test_each_failure_of_a_seat_has_its_own_chance() -> None:
    asked: list[tuple[str, int, int]] = []

    class Asked:
        deck = (card("1/6"), card("1/1")) * 10 + (card("9/9"),) * 3

        def deal(self, number: int) -> Asked:
            return self

        def chance(self, purpose: str, seat: int, count: int) -> Any:
            asked.append((purpose, seat, count))
            return scripted([], [0] * 99).chance(purpose, seat, count)

    state = GAME.new(Asked(), 2, GAME.Options())
    twin = state.clone()
    play(state, COURAGE, COURAGE, PASS, COURAGE)
    assert asked == [
        ("orientation", 0, 0),
        ("highest", 0, 0),
        ("reshuffle", 0, 0),
        ("highest", 0, 1),
        ("reshuffle", 0, 1),
        ("reshuffle", 1, 0),
    ]
    asked.clear()
    play(twin, COURAGE)
    assert asked == [("highest", 0, 0), ("reshuffle", 0, 0)]


# --- the end: M14, M19, M22, M23 ----------------------------------------------------------------------

ALMOST = "J/1 J/1 J/1 J/1 J/1 J/1 J/1 J/1 5/1"
"""Placed on a pile, all nine cards go at once and one is left."""


def test_laying_the_last_card_wins_in_every_way() -> None:
    placed = start(f"{ALMOST} 6/8", "1/1", "1/1")
    play(placed, Place(0), PASS, PASS, Place(0))
    assert placed.outcome == ((1, 2, 2), (0, -10, -10), "deck_empty")
    assert placed.to_act == ()
    assert placed.legal_actions(0) == ()
    with pytest.raises(IllegalAction, match="seat 1 cannot pass: the game is over"):
        placed.apply(1, PASS)

    courage = start(f"{ALMOST} 1/8", "1/1")
    play(courage, Place(0), PASS, COURAGE)
    assert courage.outcome is not None
    assert tops(courage) == "5 4 8"

    joker = start(f"{ALMOST} 1/J", "1/1", joker_replay=True)
    play(joker, Place(0), PASS, COURAGE, ChoosePile(2))
    assert joker.outcome == ((1, 2), (0, -10), "deck_empty")
    assert tops(joker) == "5 4 J"


def test_a_deck_that_empties_while_covering_wins() -> None:
    state = start(" ".join(["J/1"] * 10), "1/1")
    play(state, Place(2))
    assert state.outcome == ((1, 2), (0, -10), "deck_empty")
    assert seen(state).pile_sizes == (1, 1, 11)


@pytest.mark.parametrize("last", ["7/1", "J/1"])
def test_a_refiller_with_one_card_wins(last: str) -> None:
    state = start(f"{ALMOST} {last}", "1/7", picks=[0] * 20)
    play(state, Place(0))
    assert seen(state).deck_sizes == (1, 10)
    play(state, COURAGE)
    assert state.outcome == ((1, 2), (0, -11), "deck_empty")


def test_the_last_turn_ends_the_game_and_the_fewest_cards_win() -> None:
    state = start("8/1", "1/1", "4/1", max_turns=1)
    play(state, Place(2), PASS, PASS)
    assert state.outcome == ((1, 2, 2), (-9, -10, -10), "turn_limit")
    assert seen(state).turns == 3
    tied = start("1/1", "1/1", max_turns=1)
    play(tied, PASS, PASS)
    assert tied.outcome == ((1, 1), (-10, -10), "turn_limit")


def test_a_series_adds_up_the_cards_left_and_moves_the_start() -> None:
    options = GAME.parse_options({"rounds": 3, "max_turns": 1})
    deck = [card("8/1"), card("1/1")] * 10 + [card("3/3"), card("4/4"), card("9/9")]
    state = GAME.new(scripted(deck, [0] * 69), 2, options)
    assert seen(state).deals == 3
    play(state, Place(2))
    told = log(play(state, PASS))
    assert told[:2] == [
        "seat 1 passes",
        "deal 0 ends: seat 0 place 1 (-9 points), seat 1 place 2 (-10 points); seat 1 starts the next",
    ]
    assert "seat 1's deck shows 8" in told
    assert state.to_act == (1,)
    play(state, Place(2), PASS)
    assert seen(state).scores == (-19, -19)
    assert state.to_act == (0,)
    play(state, PASS, PASS)
    assert state.outcome == ((1, 1), (-29, -29), "turn_limit")


# --- what forces courage: M20, M21, M27 ---------------------------------------------------------------


def test_after_all_have_passed_the_first_must_show_courage() -> None:
    state = start("8/2 6/2", "1/1")
    play(state, PASS, PASS)
    assert (seen(state).passes, seen(state).stalled) == (2, 2)
    assert legal(state) == [COURAGE]
    play(state, COURAGE)
    assert (seen(state).passes, seen(state).stalled) == (0, 0)
    assert legal(state) == [PASS, TUCK, COURAGE]  # and then chooses freely


def test_a_pass_after_successful_courage_is_not_a_pass() -> None:
    state = start("1/8 1/1", "1/1")
    play(state, COURAGE, PASS, PASS)
    assert seen(state).passes == 1
    assert legal(state) == [PASS, TUCK, COURAGE]
    play(state, PASS)
    assert legal(state) == [COURAGE]


def test_tucking_breaks_a_run_of_passes() -> None:
    state = start("1/1", "1/1", "1/1")
    play(state, PASS, PASS, TUCK)
    assert (seen(state).passes, seen(state).stalled) == (0, 3)
    assert TUCK in legal(state)
    play(state, PASS, PASS, PASS)
    assert legal(state) == [COURAGE]


@pytest.mark.parametrize("stall", [1, 3])
def test_turns_without_a_card_laid_force_courage(stall: int) -> None:
    state = start("1/6", "1/6", picks=[0] * 20, stall=stall)
    for _ in range(2 * stall):
        assert TUCK in legal(state)
        play(state, TUCK)
    assert legal(state) == [COURAGE]


@pytest.mark.parametrize("failing", [True, False])
def test_any_card_laid_ends_the_stall(failing: bool) -> None:
    back = 6 if failing else 8
    state = start(f"1/{back} 1/1", "6/6 1/1", picks=[0] * 20, stall=1)
    play(state, PASS)
    assert seen(state).stalled == 1
    play(state, TUCK)
    assert legal(state) == [COURAGE]
    play(state, COURAGE)
    assert seen(state).stalled == 0
    assert len(legal(state)) == 3
    if not failing:
        play(state, TUCK)  # ends a turn in which a card was laid
        assert seen(state).stalled == 0


# --- model one ----------------------------------------------------------------------------------------


def test_model_one_hides_the_decks() -> None:
    state = start("8 6 J", "1", piles="3 4 9", model="one")
    assert [happening.public.kind for happening in state.opening] == ["dealt"] * 2 + ["pile_started"] * 3
    assert legal(state) == [PASS, TRY, COURAGE]
    assert seen(state).top_faces == (Face.HIDDEN, Face.HIDDEN)


def test_model_one_try() -> None:
    state = start("8 6 J 7", "1", piles="3 4 9", model="one")
    assert log(play(state, TRY)) == ["seat 0 flips 8", "seat 0 lays 8 on pile 2 (place)"]
    assert state.to_act == (1,)
    assert log(play(state, TRY)) == ["seat 1 flips 1", "seat 1 tucks 1"]
    assert state.to_act == (0,)
    assert seen(state).stalled == 1
    assert seen(state).top_faces == (Face.HIDDEN, Face.HIDDEN)
    play(state, TRY, PASS)
    assert log(play(state, TRY)) == ["seat 0 flips J"]
    assert seen(state).top_faces == (Face.JOKER, Face.HIDDEN)
    assert log(play(state, ChoosePile(0))) == [
        "seat 0 lays J on pile 0 (place)",
        "seat 0 lays 7 on pile 0 (cover)",
    ]
    assert state.to_act == (1,)


def test_model_one_courage() -> None:
    state = start("8 6", "J 7", piles="3 4 9", model="one", stall=100)
    play(state, COURAGE)
    assert state.to_act == (0,)
    assert legal(state) == [PASS, TRY, COURAGE]
    assert log(play(state, COURAGE)) == [
        "seat 0 flips 6",
        "seat 0 takes pile 2 (2 cards) and shuffles its deck",
        "seat 1 lays J on pile 2 (refill)",
        "seat 1 lays 7 on pile 2 (cover)",
    ]
    assert seen(state).deck_sizes == (11, 8)
    # the shuffle left the order: the flipped card, the deck, then the pile from its top down
    flips = [log(play(state, TRY))[0]]
    for _ in range(10):
        play(state, PASS)
        flips += log(play(state, TRY))[:1]
    assert flips == [f"seat 0 flips {face}" for face in (6, 1, 1, 1, 1, 1, 1, 1, 1, 8, 9)]


def test_model_one_chain_and_force() -> None:
    state = start("8", "1", piles="3 4 9", model="one", chain_courage_only=True)
    play(state, PASS, PASS)
    assert legal(state) == [COURAGE]
    play(state, COURAGE)
    assert legal(state) == [PASS, COURAGE]


# --- what is told and what is not ---------------------------------------------------------------------


class Watcher:
    """Keeps what the events tell, and nothing else."""

    def __init__(self, seats: int) -> None:
        self.decks = [0] * seats
        self.tops = [Face.HIDDEN] * seats
        self.piles: list[list[Face]] = [[], [], []]

    def watch(self, event: Any) -> None:
        match event.kind:
            case "dealt":
                self.decks[event.seat] = event.count
            case "pile_started":
                self.piles[event.pile] = [event.face]
            case "top_shown":
                self.tops[event.seat] = event.face
            case "flipped":
                self.tops[event.seat] = event.face
            case "tucked":
                self.tops[event.seat] = Face.HIDDEN
            case "laid":
                self.decks[event.seat] -= 1
                self.tops[event.seat] = Face.HIDDEN
                self.piles[event.pile].append(event.face)
            case "took_pile":
                assert event.count == len(self.piles[event.pile])
                self.decks[event.seat] += event.count
                self.tops[event.seat] = Face.HIDDEN
                self.piles[event.pile] = []


@examples(60)
@given(number=numbers, model=st.sampled_from(["two", "one"]), seats=st.integers(2, 7))
def test_the_events_tell_all_that_can_be_seen(number: int, model: str, seats: int) -> None:
    rng = random.Random(number)
    options = GAME.parse_options({"model": model, "joker_replay": rng.random() < 0.5})
    state = GAME.new(keyed(GAME, options, number), seats, options, rng.randrange(seats))
    watcher = Watcher(seats)
    happenings = list(state.opening)
    while True:
        for happening in happenings:
            assert happening.private is None
            watcher.watch(happening.public)
        view = seen(state)
        assert view.piles == tuple(pile[-1] for pile in watcher.piles)
        assert view.pile_sizes == tuple(map(len, watcher.piles))
        assert view.deck_sizes == tuple(watcher.decks)
        assert view.top_faces == tuple(watcher.tops)
        if not state.to_act:
            break
        seat = state.to_act[0]
        assert seen(state, seat) == view._replace(seat=seat)
        happenings = list(state.apply(seat, rng.choice(state.legal_actions(seat))))
    assert min(view.deck_sizes) == 0


@examples(60)
@given(number=numbers, seats=st.integers(2, 7))
def test_faces_that_lie_out_of_sight_change_nothing_that_is_shown(number: int, seats: int) -> None:
    """Two deals that agree in the faces in sight look the same, and a pass or a placement tells no more."""
    rng = random.Random(number)

    def deal(shown: list[Face]) -> State:
        def face() -> Face:
            return Face(rng.randint(1, 10))

        decks = [Card(top, face()) for top in shown[:seats]]
        decks += [Card(face(), face()) for _ in range(9 * seats)]
        piles = [Card(top, face()) for top in shown[seats:]]
        rest = [Card(face(), face()) for _ in range(rng.randint(0, 5))]
        board = scripted([*decks, *piles, *rest], [0] * (10 * seats + 3))
        return GAME.new(board, seats, GAME.Options())

    shown = [Face(rng.randint(1, 9)) for _ in range(seats + 3)]
    one, other = deal(shown), deal(shown)
    assert list(one.opening) == list(other.opening)
    for seat in range(seats):
        assert legal(one) == legal(other)
        assert seen(one) == seen(other)
        if len(legal(one)) > 1 and isinstance(legal(one)[1], Place) and rng.random() < 0.5:
            # the card below comes in sight only after the one above is laid
            assert play(one, legal(one)[1])[0] == play(other, legal(other)[1])[0]
            break
        assert play(one, PASS) == play(other, PASS)
        assert one.to_act == ((seat + 1) % seats,)


def test_readable_texts() -> None:
    state = start("1/J 6/6", "2/2")
    assert log(legal(state)) == ["pass", "tuck the top card", "courage"]
    assert str(seen(state)) == (
        "seat 0 is to act; turns played 0, passes 0, without a card laid 0\n"
        "piles: 0: 3 (1), 1: 4 (1), 2: 9 (1)\n"
        "decks: 0: 1 (10), 1: 2 (10)"
    )
    play(state, COURAGE)
    assert str(seen(state)).startswith("seat 0 has flipped J by courage and chooses a pile;")
    assert str(legal(state)[2]) == "lay the flipped card on pile 2"


def test_the_bound_on_decisions() -> None:
    assert GAME.max_decisions(2, GAME.Options()) == 1000 * 38
    assert GAME.max_decisions(3, GAME.parse_options({"rounds": 2, "max_turns": 10})) == 2 * 30 * 56


@examples(30)
@given(number=numbers, model=st.sampled_from(["two", "one"]), seats=st.integers(2, 7))
def test_bots_that_only_pass_still_finish(number: int, model: str, seats: int) -> None:
    """The default action, chosen always, ends by M20 long before the last turn."""
    options = GAME.parse_options({"model": model})
    state = GAME.new(keyed(GAME, options, number), seats, options)
    while state.to_act:
        state.apply(state.to_act[0], state.legal_actions(state.to_act[0])[0])
    assert state.outcome is not None
    assert state.outcome.reason == "deck_empty"
