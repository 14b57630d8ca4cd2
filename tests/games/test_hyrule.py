"""Hyrule: every ruling and vector, every option, and the edges of a deal."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

from arena.cards import ALL_CARDS, JOKERS, Card, Suit
from arena.games.game import SPECTATOR, IllegalAction, State, WrongOption
from arena.games.hyrule import GAME, next_leader, trick_winner
from arena.games.hyrule_values import Dealt, Play, Played, Swap, Swapped, TrickWon
from arena.games.series import WIN
from tests.games.boards import keyed, parse_cards, scripted

OPTIONS = GAME.Options()
CHANCE = GAME.Options(mode="chance")


def card(text: str) -> Card:
    return parse_cards(text)[0]


def dealt(*hands: str, stock: str = "", tallest: int = 0, **options: object) -> Any:
    """A position in which the seats hold these hands; `stock` is drawn first, then all other cards."""
    cards = [parse_cards(hand) for hand in hands]
    assert all(len(hand) == 7 for hand in cards)
    turns = cards[tallest:] + cards[:tallest]
    deck = [hand[i] for i in range(7) for hand in turns] + parse_cards(stock)
    deck += [other for other in ALL_CARDS if other not in deck]
    return GAME.new(scripted(deck), len(hands), GAME.parse_options(options), tallest)


def play(state: State, *texts: str) -> list[Any]:
    """Plays cards in turn (`-4♣` swaps one) and returns the events in full."""
    events: list[Any] = []
    for text in texts:
        action = Swap(card(text[1:])) if text.startswith("-") else Play(card(text))
        events += [happening.full for happening in state.apply(state.to_act[0], action)]
    return events


# --- winners of tricks --------------------------------------------------------------------------------

ANY_ORDER = [
    # two cards, then three, as in the text of the rules; the winner is the first
    "2♣ 2♠", "2♣ A♣", "A♥ K♦", "JK1 K♥", "5♠ JK1", "2♦ 2♣ 2♠", "6♣ 6♠ 6♥", "8♥ 8♦ 8♠", "K♦ J♦ Q♦",
    # further vectors
    "2♥ K♦ K♣", "10♥ 3♥ K♦ K♣ K♠", "5♦ JK2 K♥", "5♥ JK1 5♦", "5♠ JK2 5♦ 5♣", "5♣ JK1 JK2", "K♥ 5♥",
    "5♥ K♦", "A♣ K♥", "2♠ K♥", "A♦ K♣ K♠", "Q♠ K♥ A♠", "A♣ K♥ K♠",
]  # fmt: skip


@pytest.mark.parametrize("text", ANY_ORDER)
@pytest.mark.parametrize("last_joker", [False, True])
def test_the_winner_does_not_depend_on_the_order_of_play(text: str, last_joker: bool) -> None:
    cards = parse_cards(text)
    for order in itertools.permutations(cards):
        assert trick_winner(order, last_joker=last_joker) is cards[0]


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [("JK1 JK2", "JK1", "JK2"), ("JK2 A♦ JK1", "JK2", "JK1"), ("K♥ JK2 JK1", "JK2", "JK1")],
)
def test_of_two_jokers_the_first_wins_or_by_option_the_last(text: str, first: str, last: str) -> None:
    assert trick_winner(parse_cards(text)) is card(first)
    assert trick_winner(parse_cards(text), last_joker=True) is card(last)


BEATS = {
    Suit.DIAMONDS: (Suit.CLUBS, Suit.SPADES),
    Suit.CLUBS: (Suit.SPADES, Suit.HEARTS),
    Suit.SPADES: (Suit.HEARTS,),
    Suit.HEARTS: (Suit.DIAMONDS,),
}


def test_two_cards_follow_the_table_of_suits_for_all_ranks() -> None:
    for one, other in itertools.permutations(ALL_CARDS, 2):
        if one.suit is None or other.suit is None:
            continue
        wins = one.rank > other.rank if one.suit is other.suit else other.suit in BEATS[one.suit]
        assert (trick_winner([one, other]) is one) == wins


def test_the_winner_is_the_algorithm_of_the_rules_spelled_out() -> None:
    def spelled_out(cards: list[Card]) -> Card:
        fives = [five for suit in "♥♠♣♦" for five in parse_cards("5" + suit) if five in cards]
        jokers = [joker for joker in cards if joker in JOKERS]
        if jokers:
            return (fives + jokers)[0]
        suits = [other.suit for other in cards]
        both = Suit.HEARTS in suits and Suit.DIAMONDS in suits
        line = (Suit.DIAMONDS, Suit.CLUBS, Suit.SPADES, Suit.HEARTS)
        best = Suit.HEARTS if both else next(suit for suit in line if suit in suits)
        return max((other for other in cards if other.suit is best), key=lambda other: other.rank)

    rng = random.Random(41)
    for _ in range(5000):
        cards = rng.sample(ALL_CARDS, rng.randint(2, 7))
        assert trick_winner(cards) is spelled_out(cards)


# --- leaders ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("captured", "tallest", "leader"),
    [
        ([0, 3, 3], 0, 1),
        ([3, 6, 0], 0, 1),
        ([3, 0, 3], 1, 2),
        ([3, 3, 3], 1, 1),
        ([0, 0], 1, 1),
        ([4, 0, 4, 4], 2, 2),
        ([4, 4, 0, 0], 3, 0),
    ],
)
def test_the_leader_has_most_captures_or_sits_nearest_to_the_tallest(
    captured: list[int], tallest: int, leader: int
) -> None:
    assert next_leader(captured, tallest) == leader


@pytest.mark.parametrize(
    ("captured", "last_winner", "leader"),
    [([3, 3, 0], 1, 1), ([3, 3, 0], 2, 0), ([3, 3, 3], 2, 0), ([6, 3, 0], 1, 0)],
)
def test_by_option_the_last_winner_leads_if_some_but_not_all_tie(
    captured: list[int], last_winner: int, leader: int
) -> None:
    assert next_leader(captured, 0, last_winner) == leader


LOW_CLUBS = "A♣ 2♣ 3♣ 4♣ 5♣ 6♣ 7♣"
HEARTS, SPADES = "A♥ 2♥ 3♥ 4♥ 5♥ 6♥ 7♥", "A♠ 2♠ 3♠ 4♠ 5♠ 6♠ 7♠"


@pytest.mark.parametrize(("last_winner", "leader"), [(False, 0), (True, 1)])
def test_the_option_last_winner_is_used_in_play(last_winner: bool, leader: int) -> None:
    state = dealt("K♣ A♣ 3♣ 4♣ 5♣ 6♣ 7♣", "Q♣ 2♣ J♣ 10♣ 9♣ 8♣ K♦", SPADES, last_winner=last_winner)
    assert play(state, "K♣", "2♣", "A♠")[-1] == TrickWon(0, card("K♣"), 3)
    assert play(state, "A♣", "Q♣", "2♠")[-1] == TrickWon(1, card("Q♣"), 3)
    assert state.observation(SPECTATOR).captured == (3, 3, 0)
    assert state.to_act == (leader,)


# --- the course of a deal -----------------------------------------------------------------------------


def test_cards_are_dealt_one_at_a_time_beginning_with_the_tallest() -> None:
    state: Any = GAME.new(scripted(ALL_CARDS), 3, OPTIONS, 1)
    assert state.observation(1).hand == ALL_CARDS[0:21:3]
    assert state.observation(2).hand == ALL_CARDS[1:21:3]
    assert state.observation(0).hand == ALL_CARDS[2:21:3]
    assert state.to_act == (1,)
    assert [happening.public for happening in state.opening] == [
        Dealt(1, (), 7), Dealt(2, (), 7), Dealt(0, (), 7),
    ]  # fmt: skip
    assert state.opening[0].told_to(1) == Dealt(1, ALL_CARDS[0:21:3], 7)
    assert state.opening[0].told_to(2) == Dealt(1, (), 7)


def test_the_opener_may_play_or_swap_and_the_others_only_play() -> None:
    state = dealt(LOW_CLUBS, HEARTS)
    hand = parse_cards(LOW_CLUBS)
    assert state.legal_actions(0) == [*map(Play, hand), *map(Swap, hand)]
    assert state.observation(0).phase == "open"
    assert play(state, "A♣") == [Played(0, card("A♣"))]
    assert state.observation(0).phase == "follow"
    assert state.legal_actions(1) == [*map(Play, parse_cards(HEARTS))]
    assert state.legal_actions(0) == ()
    assert play(state, "7♥") == [Played(1, card("7♥")), TrickWon(0, card("A♣"), 2)]


def test_after_a_swap_the_next_seat_leads_and_the_swapper_plays_last() -> None:
    state = dealt(LOW_CLUBS, HEARTS, SPADES, stock="K♦")
    (swapped,) = state.apply(0, Swap(card("3♣")))
    assert swapped.told_to(0) == Swapped(0, card("3♣"), card("K♦"))
    assert swapped.told_to(1) == swapped.told_to(SPECTATOR) == Swapped(0, card("3♣"), None)
    assert state.to_act == (1,)
    assert state.legal_actions(1) == [*map(Play, parse_cards(HEARTS))]  # H10: one swap a trick
    seen = state.observation(0)
    assert (seen.phase, seen.swapped, seen.leader) == ("follow", True, 0)
    assert (seen.to_act, seen.must_lead) == (1, True)
    assert str(seen).startswith("seat 1 must lead, as seen by seat 0 with ")
    assert seen.hand == tuple(parse_cards("A♣ 2♣ 4♣ 5♣ 6♣ 7♣ K♦"))
    assert seen.hand_sizes == (7, 7, 7)  # H11
    assert (seen.discards, seen.stock) == (tuple(parse_cards("3♣")), 54 - 21 - 1)
    assert play(state, "7♥", "7♠", "K♦")[-1] == TrickWon(1, card("7♥"), 3)
    assert state.observation(SPECTATOR).swapped is False
    assert play(state, "-A♥", "A♠", "A♣", "2♥")[0].kind == "swapped"  # H10: in the next trick again


def test_by_option_no_trick_after_one_with_a_swap_has_a_swap() -> None:
    state = dealt(LOW_CLUBS, HEARTS, SPADES, stock="K♦", no_swap_after_swap=True)
    play(state, "-3♣", "7♥", "7♠", "K♦")
    seen = state.observation(SPECTATOR)  # H10: as the trick before had a swap
    assert (seen.phase, seen.to_act, seen.swapped, seen.no_swap) == ("open", 1, False, True)
    assert "trick: - (seat 1 opens, and may not swap; the tallest is seat 0)" in str(seen)
    assert {action.kind for action in state.legal_actions(1)} == {"play"}
    with pytest.raises(IllegalAction):
        state.apply(1, Swap(card("A♥")))
    play(state, "6♥", "6♠", "A♣")
    assert state.observation(SPECTATOR).no_swap is False  # the trick before had no swap
    assert "swap" in {action.kind for action in state.legal_actions(state.to_act[0])}


def test_by_option_every_second_trick_has_a_swap_at_most() -> None:
    given = GAME.Options(no_swap_after_swap=True)
    for seats in GAME.seats(given):
        state: Any = GAME.new(keyed(GAME, given, seats), seats, given)
        kinds: list[str] = []
        while state.to_act:
            action = state.legal_actions(state.to_act[0])[-1]
            state.apply(state.to_act[0], action)
            kinds.append(action.kind)
        with_swap, without = ["swap", *["play"] * seats], ["play"] * seats
        assert kinds == (with_swap + without) * 3 + with_swap
        assert len(kinds) == GAME.max_decisions(seats, given)


def test_the_trick_names_who_played_what_also_after_a_swap() -> None:
    state = dealt(LOW_CLUBS, HEARTS, SPADES)
    play(state, "-A♣", "A♥", "A♠")
    seen = state.observation(0)
    assert seen.trick == ((1, card("A♥")), (2, card("A♠")))
    assert (seen.to_act, seen.must_lead, seen.leader) == (0, False, 0)


def test_no_swap_from_an_empty_stock() -> None:
    state: Any = GAME.new(scripted(ALL_CARDS), 7, OPTIONS)
    swaps = decisions = 0
    while state.to_act:
        seat = state.to_act[0]
        swap = [action for action in state.legal_actions(seat) if isinstance(action, Swap)]
        opening = state.observation(seat).phase == "open"
        assert bool(swap) == (opening and swaps < 5)
        state.apply(seat, swap[-1] if swap else state.legal_actions(seat)[0])
        swaps += bool(swap)
        decisions += 1
    assert swaps == 5
    assert decisions == GAME.max_decisions(7, OPTIONS) == 54


def test_the_bound_is_reached_by_swapping_whenever_possible() -> None:
    for seats in GAME.seats(OPTIONS):
        state: Any = GAME.new(keyed(GAME, OPTIONS, seats), seats, OPTIONS)
        decisions = 0
        while state.to_act:
            state.apply(state.to_act[0], state.legal_actions(state.to_act[0])[-1])
            decisions += 1
        assert decisions == GAME.max_decisions(seats, OPTIONS)
    assert GAME.max_decisions(4, CHANCE) == 28
    assert GAME.max_decisions(4, GAME.Options(series=3, runoff=2)) == 35 * 5


def test_a_deal_ends_after_seven_tricks_with_the_captures_as_points() -> None:
    state = dealt(LOW_CLUBS, HEARTS)
    for number in range(1, 8):
        assert state.outcome is None
        play(state, f"{number if number > 1 else 'A'}♣", f"{8 - number if number < 7 else 'A'}♥")
    assert state.to_act == ()
    assert state.outcome == ((1, 2), (14, 0), "tricks_played")
    seen = state.observation(1)
    assert (seen.phase, seen.hand, seen.leader) == ("over", (), 0)
    assert len(seen.played) == 14
    with pytest.raises(IllegalAction, match="the game is over"):
        state.apply(0, Play(card("A♣")))


def test_a_tie_is_shared() -> None:
    hands = ("JK1 A♠ 2♠ 3♠ 4♠ 6♠ 7♠", "JK2 A♥ 2♥ 3♥ 4♥ 6♥ 7♥", "A♣ 2♣ 3♣ 4♣ 6♣ 7♣ 8♣")
    state = dealt(*hands)
    play(state, "JK1", "A♥", "A♣")  # seat 0
    play(state, "A♠", "JK2", "2♣")  # seat 1
    play(state, "2♠", "2♥", "3♣")  # seat 2 with all the clubs that follow
    while state.to_act:
        state.apply(state.to_act[0], state.legal_actions(state.to_act[0])[0])
    assert state.outcome == ((2, 2, 1), (3, 3, 15), "tricks_played")


@pytest.mark.parametrize("seat", [0, 1])
def test_refusals_say_what_is_wanted(seat: int) -> None:
    state = dealt(LOW_CLUBS, HEARTS)
    with pytest.raises(IllegalAction, match="waits for seat 0" if seat else "it may play A♣"):
        state.apply(seat, Play(card("9♦")))


# --- chance rules -------------------------------------------------------------------------------------


def test_sealing_shows_nothing_until_all_are_in() -> None:
    state = dealt(LOW_CLUBS, HEARTS, SPADES, mode="chance", tallest=1)
    assert state.to_act == (1, 2, 0)
    assert state.legal_actions(0) == [*map(Play, parse_cards(LOW_CLUBS))]  # no swap
    before = [state.observation(viewer) for viewer in (0, 1, 2, SPECTATOR)]
    assert before[0].phase == "seal"
    assert state.apply(0, Play(card("A♣"))) == ()
    assert state.apply(2, Play(card("A♠"))) == ()
    assert state.to_act == (1,)
    assert state.legal_actions(0) == ()
    assert [state.observation(viewer) for viewer in (0, 1, 2, SPECTATOR)] == before
    with pytest.raises(IllegalAction, match="waits for seat 1"):
        state.apply(0, Play(card("2♣")))
    shown = [happening.public for happening in state.apply(1, Play(card("A♥")))]
    assert shown == [
        Played(1, card("A♥")), Played(2, card("A♠")), Played(0, card("A♣")), TrickWon(0, card("A♣"), 3),
    ]  # fmt: skip
    assert state.to_act == (0, 1, 2)
    assert state.observation(0).hand == tuple(parse_cards(LOW_CLUBS))[1:]


@pytest.mark.parametrize(("rule", "winner"), [("first", 1), ("last", 0)])
def test_two_sealed_jokers_count_from_the_would_be_leader(rule: str, winner: int) -> None:
    state = dealt(
        "JK1 A♣ 2♣ 3♣ 4♣ 6♣ 7♣", "JK2 A♥ 2♥ 3♥ 4♥ 6♥ 7♥", mode="chance", double_joker=rule, tallest=1
    )
    state.apply(0, Play(JOKERS[0]))
    assert state.apply(1, Play(JOKERS[1]))[-1].public == TrickWon(winner, JOKERS[winner], 2)


# --- options and series -------------------------------------------------------------------------------


def test_seats_and_options_are_checked() -> None:
    for seats in (1, 8):
        with pytest.raises(WrongOption, match=f"2 to 7 seats, not {seats}"):
            GAME.new(scripted(ALL_CARDS), seats, OPTIONS)
    with pytest.raises(WrongOption, match="strategy, chance"):
        GAME.parse_options({"mode": "luck"})
    with pytest.raises(WrongOption, match="at least 1"):
        GAME.parse_options({"series": 0})


def play_out(state: State) -> list[Any]:
    events: list[Any] = []
    while state.to_act:
        seat = state.to_act[0]
        events += [happening.public for happening in state.apply(seat, state.legal_actions(seat)[0])]
    return events


def test_in_a_series_the_tallest_goes_round_and_wins_count() -> None:
    options = GAME.parse_options({"series": 4})
    state: Any = GAME.new(keyed(GAME, options, 1), 3, options, 1)
    ends = [event for event in play_out(state) if event.kind == "deal_ended"]
    assert [event.next_starter for event in ends] == [2, 0, 1, None]
    scores = [0, 0, 0]
    for event in ends:
        for seat, place in enumerate(event.places):
            scores[seat] += WIN // event.places.count(1) if place == 1 else 0
    assert state.outcome.points == tuple(scores)


def test_a_run_off_is_played_only_while_the_top_is_tied() -> None:
    options = GAME.parse_options({"runoff": 5})
    numbers = []
    for seed in range(60):
        state: Any = GAME.new(keyed(GAME, options, seed), 3, options)
        ends = [event for event in play_out(state) if event.kind == "deal_ended"]
        tied = [seat for seat, place in enumerate(ends[0].places) if place == 1]
        assert (len(ends) > 1) == (len(tied) > 1)
        assert state.outcome.places.index(1) in tied
        assert len(ends) == 6 or state.outcome.places.count(1) == 1
        numbers.append(len(ends))
    assert max(numbers) > 1


# --- texts --------------------------------------------------------------------------------------------


def test_values_read_as_text() -> None:
    ace, five = parse_cards("A♣ 5♥")
    assert [str(value) for value in (Play(ace), Swap(five))] == ["play A♣", "swap 5♥"]
    assert str(Dealt(2, (), 7)) == "seat 2 is dealt 7 cards"
    assert str(Dealt(2, (ace, five), 2)) == "seat 2 is dealt 2 cards: A♣ 5♥"
    assert str(Played(1, ace)) == "seat 1 plays A♣"
    assert str(Swapped(0, ace, None)) == "seat 0 discards A♣ and draws a card"
    assert str(Swapped(0, ace, five)) == "seat 0 discards A♣ and draws 5♥"
    assert str(TrickWon(0, five, 3)) == "seat 0 wins 3 cards with 5♥"
    state = dealt(LOW_CLUBS, HEARTS, SPADES)
    play(state, "-A♣", "A♥")
    assert str(state.observation(2)) == (
        "seat 2 is to follow, as seen by seat 2 with A♠ 2♠ 3♠ 4♠ 5♠ 6♠ 7♠\n"
        "trick: seat 1 A♥ (seat 0 opens and swapped; the tallest is seat 0)\n"
        "hands 7 6 7; captured 0 0 0; stock 32\n"
        "finished tricks: -; discards: A♣"
    )
    assert "a spectator" in str(state.observation(SPECTATOR))
