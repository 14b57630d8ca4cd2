"""Nyuri: every ruling and vector, every option, and the edges of a deal."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.cards import DECK, Card
from arena.games.game import SPECTATOR, Action, IllegalAction, State, WrongOption
from arena.games.nyuri import GAME, NyuriState
from arena.games.nyuri_actions import DRAW, LEAVE, card_set, draw_and_steals, placements
from arena.games.nyuri_values import (
    VALUES,
    Claim,
    Claimed,
    Counted,
    Dealt,
    Drew,
    Left,
    Overbid,
    Penalty,
    Pile,
    Place,
    Placed,
    Skipped,
    Steal,
    Stole,
    worth,
)
from arena.games.series import WIN, DealEnded
from tests.games.boards import ScriptedBoard, keyed, parse_cards, scripted

OPTIONS = GAME.Options()


def cards(text: str) -> tuple[Card, ...]:
    return tuple(parse_cards(text))


def card(text: str) -> Card:
    return parse_cards(text)[0]


def board(
    hands: Sequence[str], stock: str = "", starter: int = 0, picks: Sequence[int] = ()
) -> ScriptedBoard:
    """A board that deals these hands; `stock` is drawn first, then all other cards."""
    held = [parse_cards(hand) for hand in hands]
    assert all(len(hand) == 7 for hand in held)
    turns = held[starter:] + held[:starter]
    deck = [hand[i] for i in range(7) for hand in turns] + parse_cards(stock)
    return scripted(deck + [other for other in DECK if other not in deck], picks)


def dealt(
    *hands: str, stock: str = "", starter: int = 0, picks: Sequence[int] = (), **options: object
) -> Any:
    """A game in which the seats hold these hands."""
    made = board(hands, stock, starter, picks)
    return GAME.new(made, len(hands), GAME.parse_options(options), starter)


def place(base: str, guard: str | None = None) -> Place:
    return Place(card(base), None if guard is None else card(guard))


def steal(owner: int, shown: str) -> Steal:
    return Steal(owner, cards(shown))


def play(state: State, *actions: Action) -> list[Any]:
    """Plays actions, each by the seat that is to act, and returns the events in full."""
    events: list[Any] = []
    for action in actions:
        events += [happening.full for happening in state.apply(state.to_act[0], action)]
    return events


def play_defaults(state: State) -> list[Any]:
    """Plays the default action to the end of the game."""
    events: list[Any] = []
    while state.to_act:
        events += play(state, state.legal_actions(state.to_act[0])[0])
    return events


def steals(hand: str, pile: str, *claims: str) -> list[str]:
    """The steals from a hand for the pile of seat 0, on which seat 1 and others have claims."""
    made = [Claim(seat, 0, cards(claim)) for seat, claim in enumerate(claims, 1)]
    listed = draw_and_steals(3, card_set(cards(hand)), [cards(pile), (), (), ()], made)
    assert listed[0] == DRAW
    return [" ".join(map(str, action.cards)) for action in listed[1:] if isinstance(action, Steal)]


# --- which cards steal which pile ---------------------------------------------------------------------


def test_the_values_of_the_cards() -> None:
    assert [VALUES[each] for each in DECK[:13]] == [14, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]
    assert worth(cards("8♣ 10♣ J♣")) == 29


@pytest.mark.parametrize(
    ("pile", "shown", "legal"),
    [
        ("A♣", "7♣ 8♣", True),
        ("K♣ A♣", "8♣ 10♣ J♣", True),
        ("10♣", "4♣ 7♣", True),
        ("10♣", "2♣ 3♣ 6♣", False),  # N3: three cards, total 10
        ("J♦", "2♦ 3♦ 7♦", True),
        ("4♠ 6♠", "J♠", True),
        ("4♠ 6♠", "2♠ 3♠ 7♠", False),
        ("4♠ 7♠", "J♠", False),  # N4: equal
        ("4♠ 7♠", "Q♠", True),
        ("A♣", "6♣ 8♣", False),  # N4: equal
        ("9♥", "2♠ 8♥", False),  # N2: another suit
        ("2♥", "A♥", True),
    ],
)
def test_what_steals_a_pile(pile: str, shown: str, legal: bool) -> None:
    assert (shown in steals(shown, pile)) == legal


def test_no_single_card_steals_an_ace_and_sixteen_triples_steal_king_and_ace() -> None:
    assert not [shown for shown in steals("2♣ 3♣ 4♣ 5♣ 6♣ 7♣ 8♣ 9♣ 10♣ J♣ Q♣ K♣", "A♣") if " " not in shown]
    found = steals("2♣ 3♣ 4♣ 5♣ 6♣ 7♣ 8♣ 9♣ 10♣ J♣ Q♣", "K♣ A♣")
    assert len(found) == 16
    assert all(shown.count(" ") == 2 for shown in found)


def test_every_pile_can_be_stolen_by_the_rest_of_its_suit() -> None:
    clubs = DECK[:13]
    piles = [action for action in placements(card_set(clubs), (), False) if isinstance(action, Place)]
    assert len(piles) == 91
    for base, guard, _ in piles:
        pile = (base,) if guard is None else (base, guard)
        rest = [each for each in clubs if each not in pile]
        assert len(draw_and_steals(1, card_set(rest), [pile, ()], [])) > 1


def test_a_claim_must_be_beaten_by_a_higher_sum() -> None:  # N7
    assert steals("2♦ 7♦ 10♦", "8♦", "9♦") == ["10♦", "2♦ 10♦", "7♦ 10♦"]
    assert steals("2♦ 7♦ 10♦", "8♦", "9♦", "4♦ 6♦") == ["2♦ 10♦", "7♦ 10♦"]
    assert steals("A♦ 2♦ 3♦ 4♦ 5♦", "8♦", "J♦") == [
        "A♦",
        "A♦ 2♦",
        "A♦ 3♦",
        "A♦ 4♦",
        "A♦ 5♦",
    ]  # N3: the pile counts


some_cards = st.lists(st.sampled_from(DECK), unique=True, max_size=14)


@given(st.permutations(DECK), st.integers(0, 14), st.lists(st.integers(0, 2), min_size=3, max_size=3))
def test_the_list_of_steals_is_what_the_rules_say_in_order(
    deck: list[Card], size: int, sizes: list[int]
) -> None:
    hand, rest = deck[:size], deck[size:]
    piles: list[tuple[Card, ...]] = []
    for wanted in sizes:
        base = rest.pop()
        guards = [each for each in rest if each.suit is base.suit and VALUES[each] > VALUES[base]]
        piles.append(((base,), (base, *guards[:1]))[wanted - 1] if wanted else ())
    expected: list[Action] = [DRAW]
    for owner in (0, 2):
        sets = [shown for count in (1, 2, 3) for shown in itertools.combinations(sorted(hand), count)]
        expected += [
            Steal(owner, shown)
            for shown in sets
            if piles[owner]
            and all(each.suit is piles[owner][0].suit for each in shown)
            and worth(shown) > worth(piles[owner])
            and (len(shown) < 3 or worth(piles[owner]) > 10)
        ]
    assert draw_and_steals(1, card_set([*hand, *piles[1]]), piles, []) == expected


# --- placing ------------------------------------------------------------------------------------------


@given(some_cards, st.booleans(), st.booleans())
def test_the_list_of_placements_is_what_the_rules_say_in_order(
    held: list[Card], has_pile: bool, reuse_base: bool
) -> None:
    pile: tuple[Card, ...] = ()
    if has_pile and held:
        base = held[0]
        pile = (base, *[each for each in held if each.suit is base.suit and VALUES[each] > VALUES[base]][:1])
    expected = [
        Place(base, guard)
        for base in sorted(held)
        for guard in (None, *sorted(held))
        if guard is None or (guard.suit is base.suit and VALUES[guard] > VALUES[base])
    ]
    if pile and reuse_base:
        expected.remove(Place(pile[0], pile[1] if len(pile) == 2 else None))
    elif pile:
        expected = [action for action in expected if action.base != pile[0]]
    assert placements(card_set(held), pile, reuse_base) == ([LEAVE] if pile else []) + expected


def test_a_guard_is_of_the_suit_and_higher() -> None:
    listed = placements(card_set(cards("9♣ 5♣ J♦")), (), False)
    assert listed == [place("5♣"), place("5♣", "9♣"), place("9♣"), place("J♦")]
    assert placements(card_set(cards("K♥ A♥")), (), False) == [place("A♥"), place("K♥"), place("K♥", "A♥")]


def test_the_base_picked_up_is_not_the_new_base() -> None:  # N12
    assert placements(card_set(cards("5♣ 9♣")), cards("5♣"), False) == [LEAVE, place("9♣")]
    assert placements(card_set(cards("3♣ 5♣ 9♣")), cards("5♣ 9♣"), False) == [
        LEAVE, place("3♣"), place("3♣", "5♣"), place("3♣", "9♣"), place("9♣"),
    ]  # fmt: skip
    assert placements(card_set(cards("5♣")), cards("5♣"), False) == [LEAVE]


def test_reuse_base_allows_the_base_but_not_the_same_pile() -> None:  # N12, N20
    assert placements(card_set(cards("5♣ 9♣")), cards("5♣"), True) == [LEAVE, place("5♣", "9♣"), place("9♣")]
    assert placements(card_set(cards("5♣ 9♣")), cards("5♣ 9♣"), True) == [LEAVE, place("5♣"), place("9♣")]
    state = dealt("5♣ 9♣ 2♥ 3♥ 4♥ 5♥ 6♥", "2♦ 3♦ 4♦ 5♦ 6♦ 7♦ 8♦", reuse_base=True)
    play(state, place("5♣"), DRAW, place("2♦"), DRAW)
    assert play(state, place("5♣", "9♣"))[0] == Placed(0, card("5♣"), card("9♣"), cards("5♣"))


CLUBS_AND_HEARTS = "5♣ 9♣ 2♥ 3♥ 4♥ 5♥ 6♥"
DIAMONDS = "2♦ 3♦ 4♦ 5♦ 6♦ 7♦ 8♦"


def test_a_new_pile_takes_the_old_one_back() -> None:
    state = dealt(CLUBS_AND_HEARTS, DIAMONDS, stock="K♠ Q♠")
    assert play(state, place("5♣", "9♣")) == [Placed(0, card("5♣"), card("9♣"), ())]
    play(state, DRAW, place("2♦"), DRAW)
    assert play(state, place("9♣")) == [Placed(0, card("9♣"), None, cards("5♣ 9♣"))]
    seen = state.observation(0)
    assert seen.hand == cards("5♣ 2♥ 3♥ 4♥ 5♥ 6♥ Q♠")
    assert seen.piles == (Pile(card("9♣"), None), Pile(card("2♦"), None))
    play(state, DRAW)
    assert play(state, LEAVE) == [Left(1)]


# --- windows and claims -------------------------------------------------------------------------------

A = "8♦ 2♣ 3♣ 4♣ 5♣ 6♣ 7♣"
B = "9♦ 2♥ 3♥ 4♥ 5♥ 6♥ 7♥"
C = "2♦ 7♦ 10♦ 3♠ 4♠ 5♠ 6♠"


def test_the_highest_claim_gets_the_pile_and_the_other_draws() -> None:  # N7, N8
    state = dealt(A, B, C, stock="K♠")
    assert play(state, place("8♦"), steal(0, "9♦"))[1:] == [Claimed(1, 0, cards("9♦"))]
    assert state.observation(2).claims == (Claim(1, 0, cards("9♦")),)
    assert steal(0, "2♦ 7♦") not in state.legal_actions(2)
    assert play(state, steal(0, "10♦")) == [
        Claimed(2, 0, cards("10♦")),
        Overbid(1, 0),
        Drew(1, card("K♠")),
        Stole(2, 0, cards("8♦"), cards("10♦")),
    ]
    seen = state.observation(SPECTATOR)
    assert (seen.phase, seen.placer, seen.claims, seen.stalled) == ("place", 1, (), 0)
    assert seen.hand_sizes == (6, 8, 8)
    assert state.observation(1).hand == cards("9♦ 2♥ 3♥ 4♥ 5♥ 6♥ 7♥ K♠")  # N6: shown cards are kept


def test_an_instant_steal_cannot_be_outbid() -> None:  # N7
    state = dealt(A, B, C, contest="instant")
    assert play(state, place("8♦"), steal(0, "9♦"))[1:] == [Stole(1, 0, cards("8♦"), cards("9♦"))]
    assert state.observation(1).hand_sizes == (6, 8, 7)
    assert state.observation(2).claims == ()
    assert state.legal_actions(2) == [DRAW]


def test_any_pile_but_ones_own_may_be_stolen() -> None:  # N11
    state = dealt(A, B, C)
    play(state, place("8♦"), DRAW, DRAW)
    play(state, place("2♥"), DRAW)
    assert steal(1, "3♥") not in state.legal_actions(0)
    play(state, DRAW)
    assert state.observation(2).piles == (Pile(card("8♦"), None), Pile(card("2♥"), None), Pile(None, None))
    play(state, place("3♠"), DRAW)
    assert state.to_act == (1,)
    assert {action.owner for action in state.legal_actions(1)[1:]} == {0}


def test_one_window_resolves_claims_in_their_order() -> None:
    state = dealt(
        "8♦ J♥ 3♣ 4♣ 5♣ 6♣ 7♣", "9♦ 2♥ 3♥ 4♥ 5♥ 6♥ 7♥", "10♦ 9♥ 2♠ 3♠ 4♠ 5♠ 6♠", "10♥ J♦ 7♠ 8♠ 9♠ 10♠ J♠"
    )
    play(state, place("8♦"), DRAW, DRAW, DRAW, place("2♥"))
    assert state.to_act == (2,)
    events = play(state, steal(0, "10♦"), steal(1, "10♥"), steal(1, "J♥"))
    assert [event for event in events if not isinstance(event, Claimed)] == [
        Stole(2, 0, cards("8♦"), cards("10♦")),
        Overbid(3, 1),
        Drew(3, events[5].card),
        Stole(0, 1, cards("2♥"), cards("J♥")),
    ]


# --- the penalty for three cards ----------------------------------------------------------------------

OWNER = "K♣ A♣ 2♥ 3♥ 4♥ 5♥ 6♥"
THIEF = "8♣ 10♣ J♣ 2♠ 3♠ 4♠ 5♠"


@pytest.mark.parametrize(("pick", "lost"), [(0, "8♣"), (3, "2♠"), (7, "K♣"), (8, "A♣")])
def test_three_cards_cost_a_blind_pick_from_the_whole_hand(pick: int, lost: str) -> None:  # N13
    state = dealt(OWNER, THIEF, picks=[pick])
    play(state, place("K♣", "A♣"))
    assert state.observation(0).hand_sizes == (5, 7)
    happenings = state.apply(1, steal(0, "8♣ 10♣ J♣"))
    assert [happening.full for happening in happenings] == [
        Claimed(1, 0, cards("8♣ 10♣ J♣")),
        Stole(1, 0, cards("K♣ A♣"), cards("8♣ 10♣ J♣")),
        Penalty(1, 0, card(lost)),
    ]
    assert happenings[-1].told_to(0) == happenings[-1].told_to(1) == Penalty(1, 0, card(lost))
    assert happenings[-1].told_to(SPECTATOR) == happenings[-1].told_to(2) == Penalty(1, 0, None)
    assert state.observation(0).hand_sizes == (6, 8)
    assert card(lost) in state.observation(0).hand


def test_a_claim_that_loses_costs_no_penalty() -> None:  # N13
    state = dealt("J♣ 2♥ 3♥ 4♥ 5♥ 6♥ 7♥", "2♣ 3♣ 7♣ 2♠ 3♠ 4♠ 5♠", "Q♣ K♣ 2♦ 3♦ 4♦ 5♦ 6♦")
    events = play(state, place("J♣"), steal(0, "2♣ 3♣ 7♣"), steal(0, "K♣"))
    assert not [event for event in events if isinstance(event, Penalty)]
    assert Overbid(1, 0) in events


class Asked(ScriptedBoard):
    """A board that notes which chance events were asked for."""

    def __init__(self, other: ScriptedBoard, picks: Sequence[int]) -> None:
        super().__init__(other.deck, picks)
        self.asked: list[tuple[str, int, int]] = []

    def chance(self, purpose: str, seat: int, count: int) -> Any:
        self.asked.append((purpose, seat, count))
        return super().chance(purpose, seat, count)


def test_each_penalty_has_its_own_chance() -> None:  # N13
    asked = Asked(board(["J♣ J♦ K♥ 2♠ 3♠ 4♠ 5♠", "2♣ 3♣ 7♣ 2♦ 3♦ 7♦ 9♥"]), [7, 6])
    state = GAME.new(asked, 2, OPTIONS)
    play(state, place("J♣"), steal(0, "2♣ 3♣ 7♣"), place("9♥"), DRAW, place("J♦"), steal(0, "2♦ 3♦ 7♦"))
    assert asked.asked == [("penalty", 1, 0), ("penalty", 1, 1)]


# --- spent cards, and a seat without any --------------------------------------------------------------


def test_spent_cards_leave_the_game_and_those_of_lost_claims_stay() -> None:  # N6
    state = dealt(A, B, C, spend_cards=True)
    play(state, place("8♦"), steal(0, "9♦"), steal(0, "7♦ 10♦"))
    seen = state.observation(SPECTATOR)
    assert seen.spent == cards("7♦ 10♦")
    assert seen.hand_sizes == (6, 8, 6)
    assert card("9♦") in state.observation(1).hand
    assert "spent: 7♦ 10♦" in str(seen)
    assert sorted(state.cards()) == list(DECK)


@pytest.mark.parametrize("contest", ["open", "instant"])
def test_no_seat_runs_out_of_cards_that_it_does_not_spend(contest: str) -> None:  # N16
    options = GAME.parse_options({"contest": contest})
    for seed in range(80):
        rng = random.Random(seed)
        state: Any = GAME.new(keyed(GAME, options, seed), 2 + seed % 2, options)
        while state.to_act:
            (seat,) = state.to_act
            legal = state.legal_actions(seat)
            dear = [action for action in legal if isinstance(action, Steal) and len(action.cards) == 3]
            large = [action for action in legal if isinstance(action, Place) and action.guard]
            told = state.apply(seat, rng.choice(rng.choice((dear, large)) or legal))
            assert not any(isinstance(happening.public, Skipped) for happening in told)


def test_a_seat_without_hand_and_pile_is_skipped_and_its_window_runs() -> None:  # N16
    state = dealt("J♣ J♦ K♥ 2♠ 3♠ 4♠ 5♠", "2♣ 3♣ 7♣ 2♦ 3♦ 7♦ 9♥", picks=[4, 0], spend_cards=True, stall=50)
    play(state, place("J♣"), steal(0, "2♣ 3♣ 7♣"), place("9♥"), steal(1, "K♥"), place("J♦"))
    assert play(state, steal(0, "2♦ 3♦ 7♦"))[-2:] == [Penalty(1, 0, card("J♦")), Skipped(1)]
    seen = state.observation(1)
    assert (seen.phase, seen.placer, seen.hand) == ("steal", 1, ())
    assert state.to_act == (0,)
    assert state.legal_actions(0) == [DRAW]
    play(state, DRAW, place("2♠"))
    assert state.legal_actions(1) == [DRAW]
    play(state, DRAW)
    assert (state.to_act, len(state.legal_actions(1))) == ((1,), 1)


# --- how a deal ends ----------------------------------------------------------------------------------


def test_the_last_card_ends_play_at_once() -> None:  # N14; seven seats leave a stock of three
    state = NyuriState(keyed(GAME, OPTIONS, 1).deal(0), 7, OPTIONS, 0)
    events = play_defaults(state)
    assert [event.kind for event in events] == ["placed", "drew", "drew", "drew", "counted"]
    assert events[-1] == Counted((7, 8, 8, 8, 7, 7, 7))  # N15
    assert state.outcome == ((4, 1, 1, 1, 4, 4, 4), (7, 8, 8, 8, 7, 7, 7), "stock_empty")  # N18
    assert state.observation(3).phase == "over"
    assert state.legal_actions(4) == ()
    with pytest.raises(IllegalAction, match="seat 4 cannot draw: the game is over"):
        state.apply(4, DRAW)


def rigged(hands: Sequence[str], stock: str, **options: object) -> NyuriState:
    """A deal whose deck is cut short: it holds only the hands and this stock."""
    made = board(hands)
    made.deck = made.deck[: 7 * len(hands)] + parse_cards(stock)
    return NyuriState(made.deal(0), len(hands), GAME.parse_options(options), 0)


def test_claims_made_before_the_last_card_are_settled_without_draws() -> None:  # N14
    state = rigged([A, B, C, "8♣ 9♣ 10♣ J♣ Q♣ K♣ A♣"], "A♠")
    play(state, place("8♦"), steal(0, "9♦"), steal(0, "10♦"))
    assert play(state, DRAW) == [
        Drew(3, card("A♠")),
        Overbid(1, 0),
        Stole(2, 0, cards("8♦"), cards("10♦")),
        Counted((6, 7, 8, 8)),
    ]
    assert state.outcome == ((4, 3, 1, 1), (6, 7, 8, 8), "stock_empty")


def test_the_stock_may_end_while_claims_are_settled() -> None:  # N8, N14
    state = rigged([A, B, C, "J♦ 9♣ 10♣ J♣ Q♣ K♣ A♣"], "A♠")
    play(state, place("8♦"), steal(0, "9♦"), steal(0, "10♦"))
    assert play(state, steal(0, "J♦"))[1:] == [
        Overbid(1, 0),
        Drew(1, card("A♠")),
        Overbid(2, 0),
        Stole(3, 0, cards("8♦"), cards("J♦")),
        Counted((6, 8, 7, 8)),
    ]
    assert state.outcome is not None


def test_the_placer_may_draw_the_last_card() -> None:  # N10, N14: 31 cards, three a window
    state = GAME.new(keyed(GAME, OPTIONS, 2), 3, GAME.parse_options({"placer_draws": True}))
    assert [event.kind for event in play(state, state.legal_actions(0)[0])] == ["placed", "drew"]
    assert state.to_act == (1,)
    events = play_defaults(state)
    assert [event.kind for event in events[-3:]] == ["left", "drew", "counted"]
    assert events[-2].seat == 1  # the placer of the eleventh window
    assert state.outcome == ((2, 1, 2), (17, 18, 17), "stock_empty")


def test_two_seats_that_only_steal_are_stopped() -> None:  # N17
    state = dealt("2♣ 5♣ 9♣ 2♥ 3♥ 4♥ 5♥", "3♣ 6♣ 10♣ 2♦ 3♦ 4♦ 5♦", stall=2)
    play(state, place("2♣"), steal(0, "3♣"), place("2♦"), DRAW)
    assert state.observation(SPECTATOR).stalled == 0  # a draw starts the count again
    play(state, place("2♥"), DRAW, LEAVE, DRAW, place("5♣"), steal(0, "6♣"), place("3♣"))
    assert state.outcome is None
    assert play(state, steal(1, "9♣"))[-1].kind == "counted"
    assert state.outcome is not None
    assert state.outcome.reason == "stalled"
    assert sorted(state.cards()) == list(DECK)


def test_three_seats_are_not_stopped() -> None:  # N17 is for two seats
    state = dealt(A, B, C, stall=1)
    play(state, place("8♦"), steal(0, "9♦"), steal(0, "10♦"), place("2♥"))
    assert state.outcome is None


def test_the_bounds() -> None:
    bounds = [GAME.max_decisions(seats, OPTIONS) for seats in range(2, 7)]
    assert bounds == [3040, 93, 48, 30, 18]
    assert GAME.max_decisions(2, GAME.parse_options({"placer_draws": True})) == 76
    assert GAME.max_decisions(4, GAME.parse_options({"series": 4, "replay": 2})) == 6 * 48


# --- series -------------------------------------------------------------------------------------------


def test_the_start_goes_round_in_a_series() -> None:  # N19
    options = GAME.parse_options({"series": 3})
    events = play_defaults(GAME.new(keyed(GAME, options, 3), 3, options, starter=1))
    assert [event.next_starter for event in events if isinstance(event, DealEnded)] == [2, 0, None]
    first = [event for event in events if isinstance(event, Dealt)]
    assert [event.seat for event in first] == [2, 0, 1, 0, 1, 2]


def test_a_tie_is_replayed_up_to_the_limit() -> None:  # N18: four seats that all draw are equal
    options = GAME.parse_options({"replay": 2})
    state = GAME.new(keyed(GAME, options, 4), 4, options)
    events = play_defaults(state)
    assert sum(isinstance(event, DealEnded) for event in events) == 3
    assert state.outcome == ((1, 1, 1, 1), (WIN // 4,) * 4, "stock_empty")
    state = GAME.new(keyed(GAME, options, 4), 3, options)
    events = play_defaults(state)  # 31 cards, two a window: one seat has more
    assert sum(isinstance(event, DealEnded) for event in events) == 1


# --- what is told and seen ----------------------------------------------------------------------------


def test_the_deal_begins_with_the_starter() -> None:
    state = dealt(A, B, C, starter=1)
    assert state.to_act == (1,)
    assert [happening.public for happening in state.opening] == [Dealt(seat, (), 7) for seat in (1, 2, 0)]
    assert state.opening[2].told_to(0) == Dealt(0, tuple(sorted(parse_cards(A))), 7)
    assert state.opening[2].told_to(1) == Dealt(0, (), 7)
    for seat, hand in enumerate((A, B, C)):
        assert state.observation(seat).hand == tuple(sorted(parse_cards(hand)))


def test_a_drawn_card_is_told_to_its_seat_only() -> None:
    state = dealt(A, B, C, stock="K♠")
    play(state, place("8♦"))
    (happening,) = state.apply(1, DRAW)
    assert [happening.told_to(viewer) for viewer in (0, 1, 2, SPECTATOR)] == [
        Drew(1, None), Drew(1, card("K♠")), Drew(1, None), Drew(1, None),
    ]  # fmt: skip


def test_the_observation_of_a_spectator_shows_no_hand() -> None:
    seen = dealt(A, B, C).observation(SPECTATOR)
    assert (seen.seat, seen.hand, seen.hand_sizes, seen.stock) == (None, (), (7, 7, 7), 31)
    assert "hand of" not in str(seen)


def test_an_illegal_action_changes_nothing() -> None:
    state = dealt(A, B, C)
    many = len(state.legal_actions(0))
    with pytest.raises(IllegalAction, match=f"seat 0 cannot draw: it may place .* or {many - 14} more$"):
        state.apply(0, DRAW)
    play(state, place("8♦"))
    before = [state.observation(seat) for seat in range(3)]
    for seat, action in [(1, steal(0, "10♦")), (1, place("9♦")), (0, LEAVE), (2, DRAW), (9, DRAW)]:
        demand = "it may draw, " if seat == 1 else "the table waits for seat 1"
        with pytest.raises(IllegalAction, match=f"seat {seat} cannot {action}: {demand}"):
            state.apply(seat, action)
    assert [state.observation(seat) for seat in range(3)] == before


def test_an_equal_action_of_plain_numbers_counts_as_the_listed_one() -> None:
    state = dealt(A, B, C)
    state.apply(0, Place(int(card("8♦")), None))  # type: ignore[arg-type]
    assert str(state.observation(1).piles[0]) == "8♦"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (LEAVE, "leave"),
        (DRAW, "draw"),
        (place("5♣", "A♣"), "place 5♣ guarded by A♣"),
        (steal(2, "7♣ 8♣"), "steal from seat 2 with 7♣ 8♣"),
        (Dealt(1, (), 7), "seat 1 is dealt 7 cards"),
        (Dealt(1, cards("7♣ 8♣"), 2), "seat 1 is dealt 7♣ 8♣"),
        (Placed(1, card("5♣"), None, ()), "seat 1 places 5♣"),
        (
            Placed(1, card("5♣"), card("9♣"), cards("2♦")),
            "seat 1 takes back 2♦ and places 5♣ guarded by 9♣",
        ),
        (Left(1), "seat 1 leaves its pile in place"),
        (Skipped(1), "seat 1 has no card to place"),
        (Drew(1, None), "seat 1 draws a card"),
        (Drew(1, card("K♠")), "seat 1 draws K♠"),
        (Claimed(1, 2, cards("7♣ 8♣")), "seat 1 claims the pile of seat 2 with 7♣ 8♣"),
        (Overbid(1, 2), "seat 1 is outbid for the pile of seat 2"),
        (Stole(1, 2, cards("A♣"), cards("7♣ 8♣")), "seat 1 steals A♣ from seat 2 with 7♣ 8♣"),
        (Penalty(1, 2, card("8♣")), "seat 2 draws 8♣ from the hand of seat 1"),
        (Penalty(1, 2, None), "seat 2 draws a card from the hand of seat 1"),
        (Counted((7, 8)), "the count: seat 0 7, seat 1 8"),
    ],
)
def test_the_texts(value: Any, text: str) -> None:
    assert str(value) == text


def test_the_text_of_an_observation() -> None:
    state = dealt(A, B, C)
    play(state, place("8♦"), steal(0, "9♦"))
    assert str(state.observation(2)) == (
        "seat 2 is to draw or steal: window of seat 0, 31 cards in the stock, 1 steal turns without a draw\n"
        "seat 0: pile 8♦, 6 cards in hand\n"
        "seat 1: pile -, 7 cards in hand\n"
        "seat 2: pile -, 7 cards in hand\n"
        "seat 1 claims seat 0's with 9♦\n"
        "hand of seat 2: 2♦ 7♦ 10♦ 3♠ 4♠ 5♠ 6♠"
    )


# --- options ------------------------------------------------------------------------------------------


def test_the_numbers_of_seats() -> None:  # N1
    assert list(GAME.seats(OPTIONS)) == [2, 3, 4]
    assert list(GAME.seats(GAME.parse_options({"players": 6}))) == [2, 3, 4, 5, 6]
    with pytest.raises(WrongOption, match="nyuri is for 2 to 4 seats, not 5"):
        GAME.new(keyed(GAME, OPTIONS, 0), 5, OPTIONS)


@pytest.mark.parametrize(
    "given_options",
    [
        {"players": 7},
        {"players": 1},
        {"contest": "closed"},
        {"stall": 0},
        {"series": 0},
        {"replay": -1},
        {"x": 1},
    ],
)
def test_wrong_options(given_options: dict[str, object]) -> None:
    with pytest.raises(WrongOption, match="nyuri"):
        GAME.parse_options(given_options)
