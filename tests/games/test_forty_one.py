"""Forty-one: the vectors of its rules, every option, and its events."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.cards import ACE, DECK, card
from arena.games.forty_one import GAME, card_value, hand_values, next_starter, rotated_starter
from arena.games.forty_one_values import (
    Dealt,
    Discard,
    Discarded,
    DrawStock,
    DrewStock,
    EndPlay,
    PlayEnded,
    Shown,
    TakeDiscard,
    TookDiscard,
)
from arena.games.game import SPECTATOR, IllegalAction, Outcome, WrongOption
from arena.games.series import WIN
from tests.games.boards import deck_starting, keyed, parse_cards, scripted

DRAW, TAKE, END = DrawStock(), TakeDiscard(), EndPlay()


def one(text):
    return parse_cards(text)[0]


def start(deck_text, seats=2, starter=0, **options):
    return GAME.new(scripted(deck_starting(deck_text)), seats, GAME.parse_options(options), starter)


def interleave(*hands):
    """The beginning of a deck that deals these hands, the starter's first."""
    return " ".join(" ".join(cards) for cards in zip(*(hand.split() for hand in hands), strict=True))


def play(state, *actions):
    told = []
    for action in actions:
        told += state.apply(state.to_act[0], action)
    return told


def discard(text):
    return Discard(one(text))


def score(text):
    return sum(hand_values(parse_cards(text)))


# ---- scoring


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        ("K♠ 3♦ 9♥ 8♥", 4),
        ("K♠ 3♠ 9♥ 8♥", 4),
        ("A♣ 2♦ 3♥ 5♠", 1),
        ("7♠ 9♦ 10♥ 2♥", -4),
        ("7♠ 9♠ 10♥ 2♥", 4),
        ("A♥ K♥ J♥ 10♥", 41),
        ("K♣ 6♣ 5♣ 4♣", 25),
        ("A♠ Q♠ 10♠ 4♦", 27),
        ("J♥ 10♥ 7♥ 4♣", 23),
        ("A♠ K♠ 8♠ 6♦", 23),
        ("A♣ A♦ A♥ A♠", -22),
        ("10♣ 10♦ 10♥ 10♠", -20),
        ("A♣ K♣ 2♦ 3♦", 16),
        ("2♣ 3♣ 4♣ 5♣", 14),
    ],
)
def test_scores(hand, expected):
    assert score(hand) == expected


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("J♣ 10♣ 7♣ 6♣", "A♦ K♦ 7♦ 5♦"),
        ("J♥ 10♥ 7♥ 4♣", "A♠ K♠ 8♠ 6♦"),
        ("K♣ Q♣ 7♣ 5♣", "A♦ 10♦ 6♦ 5♦"),
    ],
)
def test_equal_scores_compare_from_the_worst_card_up_F11(better, worse):
    assert score(better) == score(worse)
    assert hand_values(parse_cards(better)) > hand_values(parse_cards(worse))


def test_court_cards_and_tens_are_equal_so_hands_can_tie_fully_F11():
    assert hand_values(parse_cards("K♣ Q♣ 7♣ 5♣")) == hand_values(parse_cards("J♦ 10♦ 7♦ 5♦"))


def test_of_two_suits_with_the_same_score_the_better_values_count_F12():
    assert hand_values(parse_cards("K♣ 2♣ 7♦ 5♦")) == (-7, -5, 2, 10)


def test_the_extremes_over_all_hands():
    # An independent count: the best suit's points twice, less all points.
    values = [11 if c.rank == ACE else min(c.rank, 10) for c in DECK]
    suits = [(c - 1) // 13 for c in DECK]
    scores: Counter[int] = Counter()
    for hand in itertools.combinations(range(52), 4):
        per_suit = [0, 0, 0, 0]
        for number in hand:
            per_suit[suits[number]] += values[number]
        scores[2 * max(per_suit) - sum(per_suit)] += 1
    assert sum(scores.values()) == 270_725
    assert (min(scores), max(scores), scores[41]) == (-22, 41, 16)


@given(st.lists(st.sampled_from(DECK), min_size=4, max_size=4, unique=True))
def test_the_score_is_the_best_that_any_suit_gives_F10(hand):
    by_suit = [sum(card_value(c) * (1 if c.suit == suit else -1) for c in hand) for suit in range(4)]
    values = hand_values(hand)
    assert sum(values) == max(by_suit)
    assert list(values) == sorted(values)
    if len({c.suit for c in hand}) <= 2:
        assert sum(values) >= 0


# ---- the deal and the turn


def test_cards_are_dealt_one_at_a_time_beginning_with_the_starter():
    state = start("A♣ 2♣ 3♣ 4♣ 5♣ 6♣ 7♣ 8♣ 9♣ 10♣ J♣ Q♣ K♣", seats=3, starter=1)
    assert state.to_act == (1,)
    assert state.observation(1).hand == tuple(parse_cards("A♣ 4♣ 7♣ 10♣"))
    assert state.observation(2).hand == tuple(parse_cards("2♣ 5♣ 8♣ J♣"))
    assert state.observation(0).hand == tuple(parse_cards("3♣ 6♣ 9♣ Q♣"))
    happening = state.opening[1]
    assert happening.told_to(1) == Dealt(1, tuple(parse_cards("A♣ 4♣ 7♣ 10♣")), 4)
    assert happening.told_to(0) == happening.told_to(SPECTATOR) == Dealt(1, (), 4)
    (drew,) = play(state, state.legal_actions(1)[0])
    assert drew.told_to(1) == DrewStock(1, one("K♣"))
    assert drew.told_to(0) == drew.told_to(SPECTATOR) == DrewStock(1, None)


MIXED = interleave("A♣ 2♦ 3♥ 4♠", "5♣ 6♦ 7♥ 8♠")


def test_the_first_turn_can_only_draw_from_the_stock_F2():
    assert list(start(MIXED).legal_actions(0)) == [DRAW]


def test_a_drawn_card_may_be_discarded_and_comes_first_F4():
    state = start(MIXED + " 9♣")
    play(state, DRAW)
    assert [a.card.text for a in state.legal_actions(0)] == ["9♣", "A♣", "2♦", "3♥", "4♠"]
    assert state.observation(0).drawn == one("9♣")
    assert state.observation(0).hand == tuple(parse_cards("A♣ 9♣ 2♦ 3♥ 4♠"))
    assert state.observation(1).drawn is None
    assert state.observation(1).hand_sizes == (5, 4)


def test_a_taken_card_may_not_be_discarded_in_that_turn_F4():
    state = start(MIXED + " 9♣")
    told = play(state, DRAW, discard("9♣"), TAKE)
    assert [h.public for h in told[1:]] == [Discarded(0, one("9♣")), TookDiscard(1, one("9♣"))]
    assert [a.card.text for a in state.legal_actions(1)] == ["5♣", "6♦", "7♥", "8♠"]
    with pytest.raises(IllegalAction, match="seat 1 cannot discard 9♣: it may discard 5♣, discard 6♦, "):
        state.apply(1, discard("9♣"))
    play(state, discard("5♣"), DRAW, discard("A♣"), DRAW)
    assert discard("9♣") in state.legal_actions(1)  # on a later turn


def test_discards_and_who_took_them_are_on_view_F3():
    state = start(MIXED + " 9♣", starter=1)
    play(state, DRAW, discard("9♣"), TAKE, discard("5♣"))
    for viewer in (0, 1, SPECTATOR):
        seen = state.observation(viewer)
        assert seen.discards == tuple(parse_cards("9♣ 5♣"))
        assert (seen.taken, seen.starter, seen.stock, seen.stalled) == ((True, False), 1, 43, 1)
    assert state.observation(SPECTATOR).hand == ()


def test_only_the_last_discard_can_be_taken():
    state = start(MIXED + " 9♣ 10♣")
    play(state, DRAW, discard("9♣"), DRAW, discard("10♣"))
    (took, *_) = play(state, TAKE)
    assert took.public == TookDiscard(0, one("10♣"))


def test_the_order_of_actions_at_the_start_of_a_turn():
    state = start(interleave("A♣ 2♦ 3♥ 4♠", "5♣ 6♣ 7♣ 8♣"))
    play(state, DRAW, discard("4♠"))
    assert list(state.legal_actions(1)) == [DRAW, TAKE, END]


# ---- ending


def test_four_of_a_suit_may_stop_on_the_first_turn_F5():
    state = start(interleave("2♣ 3♣ 4♣ 5♣", "A♠ Q♠ 10♠ 4♦"))
    assert list(state.legal_actions(0)) == [DRAW, END]
    told = [h.public for h in play(state, END)]
    assert told == [
        PlayEnded(0),
        Shown(0, tuple(parse_cards("2♣ 3♣ 4♣ 5♣")), 14),
        Shown(1, tuple(parse_cards("4♦ A♠ 10♠ Q♠")), 27),
    ]
    assert state.outcome == Outcome((2, 1), (14, 27), "stopped")  # F6: no bonus for stopping
    assert state.to_act == ()
    assert state.legal_actions(0) == ()
    assert state.observation(0).phase == "over"
    with pytest.raises(IllegalAction, match="seat 0 cannot draw from the stock: the game is over"):
        state.apply(0, DRAW)


def test_a_suit_completed_by_the_discard_waits_for_the_next_turn_F5():
    state = start(interleave("A♣ 2♣ 3♣ 4♠", "5♣ 6♦ 7♥ 8♠") + " 9♣")
    play(state, DRAW, discard("4♠"))
    assert END not in state.legal_actions(1)
    with pytest.raises(IllegalAction):
        state.apply(0, END)
    play(state, DRAW, discard("5♣"))
    assert END in state.legal_actions(0)


def test_min_stop_score_F5():
    hands = interleave("2♣ 3♣ 4♣ 5♣", "A♠ Q♠ 10♠ 4♦")
    assert END in start(hands, min_stop_score=14).legal_actions(0)
    assert END not in start(hands, min_stop_score=15).legal_actions(0)


def drain(state):
    """Draws and discards the drawn card until the stock is empty."""
    while state.observation(SPECTATOR).stock:
        play(state, DRAW)
        play(state, state.legal_actions(state.to_act[0])[0])


@pytest.mark.parametrize("min_stop_score", [0, 41])
def test_at_an_empty_stock_a_seat_takes_or_ends_whatever_it_holds_F7_F8(min_stop_score):
    state = start(MIXED, min_stop_score=min_stop_score)
    drain(state)
    assert state.to_act == (0,)
    assert list(state.legal_actions(0)) == [TAKE, END]
    play(state, TAKE, discard("A♣"))
    assert list(state.legal_actions(1)) == [TAKE, END]
    play(state, END)
    assert state.outcome.reason == "stock_empty"


@pytest.mark.parametrize("seats", [2, 3])
def test_turns_without_a_draw_end_play_F9(seats):
    state = start("A♣", seats=seats, stall=2)
    turns = 2 * seats
    play(state, DRAW)
    play(state, state.legal_actions(0)[0])
    for turn in range(turns):
        assert state.observation(SPECTATOR).stalled == turn
        play(state, TAKE)
        told = play(state, state.legal_actions(state.to_act[0])[0])
    assert [type(h.public) for h in told] == [Discarded, PlayEnded, *[Shown] * seats]
    assert told[1].public == PlayEnded(None)
    assert state.outcome.reason == "stalled"


def test_a_draw_starts_the_count_of_F9_again():
    state = start(MIXED, stall=1)
    play(state, DRAW, discard("A♣"), TAKE, discard("5♣"), DRAW)
    assert state.observation(0).stalled == 0
    play(state, discard("2♦"), TAKE, discard("6♦"))
    assert state.outcome is None


def test_a_full_tie_is_shared_F13():
    state = start(interleave("K♣ Q♣ 7♣ 5♣", "J♦ 10♦ 7♦ 5♦"))
    play(state, END)
    assert state.outcome == Outcome((1, 1), (32, 32), "stopped")


def test_places_follow_F11_where_scores_are_equal():
    state = start(interleave("A♦ K♦ 7♦ 5♦", "J♣ 10♣ 7♣ 6♣", "2♥ 3♥ 4♥ 5♥"), seats=3)
    play(state, END)
    assert state.outcome == Outcome((2, 1, 3), (33, 33, 14), "stopped")


# ---- seats, options, series


def test_seats_F1():
    assert list(GAME.seats(GAME.parse_options({}))) == [2, 3, 4]
    assert list(GAME.seats(GAME.parse_options({"players": 6}))) == [2, 3, 4, 5, 6]
    for seats in (1, 5):
        with pytest.raises(WrongOption, match="2 to 4 seats"):
            start("A♣", seats=seats)
    assert len(start("A♣", seats=6, players=6).observation(0).hand_sizes) == 6
    with pytest.raises(WrongOption):
        GAME.parse_options({"players": 7})


def test_the_winner_starts_the_next_deal_F13_F14():
    assert next_starter(Outcome((3, 1, 2), (0, 0, 0), ""), 0) == 1
    tied = Outcome((1, 3, 1), (0, 0, 0), "")
    assert [next_starter(tied, starter) for starter in range(3)] == [0, 2, 2]
    assert [rotated_starter(tied, starter) for starter in range(3)] == [1, 2, 0]


# The first to act has four of a suit and may stop, but the other seat wins.
LOSING_STOP = interleave("2♣ 3♣ 4♣ 5♣", "A♠ Q♠ 10♠ 4♦")


@pytest.mark.parametrize(
    ("options", "starters", "scores"),
    [
        ({}, [0, 1, 0], (WIN, 2 * WIN)),  # the winner of each deal starts the next, and loses it
        ({"fixed_rotation": True}, [0, 1, 0], (WIN, 2 * WIN)),
        ({"cumulative": True}, [0, 1, 0], (14 + 27 + 14, 27 + 14 + 27)),
    ],
)
def test_a_series_F14_F15(options, starters, scores):
    state = start(LOSING_STOP, series=3, **options)
    for starter in starters:
        assert state.to_act == (starter,)
        play(state, END)
    assert state.outcome == Outcome((2, 1), scores, "stopped")


def test_fixed_rotation_ignores_who_won_F14():
    hands = interleave("2♣ 3♣ 4♣ 5♣", "A♠ K♥ 9♦ 4♦", "A♥ K♦ 8♦ Q♠")  # the starter wins
    by_winner = start(hands, seats=3, series=2)
    play(by_winner, END)
    assert by_winner.to_act == (0,)
    rotated = start(hands, seats=3, series=2, fixed_rotation=True)
    play(rotated, END)
    assert rotated.to_act == (1,)


# ---- laws


def random_playout(state, choices):
    decisions = 0
    while state.to_act:
        legal = state.legal_actions(state.to_act[0])
        assert len(set(legal)) == len(legal)
        state.apply(state.to_act[0], choices.choice(legal))
        assert sorted(state.cards()) == list(DECK)
        decisions += 1
    return decisions


@given(st.integers(0, 2**32), st.integers(2, 6), st.integers(1, 3))
def test_random_games_end_within_the_bound_and_keep_every_card(seed, seats, stall):
    options = GAME.parse_options({"players": 6, "stall": stall})
    state = GAME.new(keyed(GAME, options, seed), seats, options, seed % seats)
    assert random_playout(state, random.Random(seed)) <= GAME.max_decisions(seats, options)
    assert state.outcome is not None
    assert min(state.outcome.places) == 1


@given(st.integers(0, 2**32))
def test_a_clone_is_independent(seed):
    options = GAME.parse_options({})
    state = GAME.new(keyed(GAME, options, seed), 3, options)
    choices = random.Random(seed)
    for _ in range(choices.randrange(40)):
        if state.to_act:
            state.apply(state.to_act[0], choices.choice(state.legal_actions(state.to_act[0])))
    before = [state.observation(viewer) for viewer in (0, 1, 2)], state.to_act, state.cards()
    random_playout(state.clone(), choices)
    assert ([state.observation(viewer) for viewer in (0, 1, 2)], state.to_act, state.cards()) == before


def test_a_bare_number_never_replaces_a_card():
    state = start(MIXED + " 9♣")
    play(state, DRAW, Discard(int(one("A♣"))))  # type: ignore[arg-type]  # equal by value, so legal
    assert state.observation(0).discards[0] is one("A♣")
    assert all(c is card(c) for c in state.cards())


def test_an_illegal_action_changes_nothing():
    state = start(MIXED)
    before = state.observation(0), state.observation(1), state.to_act
    for seat, action in [(0, TAKE), (0, END), (0, discard("A♣")), (1, DRAW)]:
        with pytest.raises(IllegalAction):
            state.apply(seat, action)
    assert (state.observation(0), state.observation(1), state.to_act) == before


def test_everything_reads_as_text():
    state = start(MIXED + " 9♣")
    told = play(state, DRAW, discard("9♣"), TAKE)
    assert str(told[0].full) == "seat 0 draws 9♣ from the stock"
    assert str(told[0].public) == "seat 0 draws a card from the stock"
    assert str(told[1].public) == "seat 0 discards 9♣"
    assert str(told[2].public) == "seat 1 takes the discard 9♣"
    assert [str(h.full) for h in state.opening[:1]] == ["seat 0 is dealt 4 cards: A♣ 2♦ 3♥ 4♠"]
    assert [str(a) for a in (DRAW, TAKE, END, discard("9♣"))] == [
        "draw from the stock", "take the discard", "end play", "discard 9♣",
    ]  # fmt: skip
    assert str(state.observation(1)) == (
        "seat 1 is to discard; 43 cards in the stock; turns without a draw from it: 1\n"
        "discards from seat 0 on: 9♣ (taken)\n"
        "seat 1 holds 5♣ 9♣ 6♦ 7♥ 8♠, just drawn 9♣"
    )
    assert str(PlayEnded(None)) == "play ends: too many turns without a draw from the stock"
    assert str(PlayEnded(2)) == "seat 2 ends play"
    assert str(Shown(1, tuple(parse_cards("A♣ K♣ J♣ 10♣")), 41)) == "seat 1 shows A♣ K♣ J♣ 10♣: 41"
