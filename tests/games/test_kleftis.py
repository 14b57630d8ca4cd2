"""Kleftis: the vectors of its rules, every option, and its events."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.cards import DECK, Card, card
from arena.games.game import SPECTATOR, IllegalAction, Outcome, WrongOption
from arena.games.kleftis import GAME, next_starter, secure_choices
from arena.games.kleftis_groups import group_words, groups_made
from arena.games.kleftis_values import (
    Build,
    Built,
    Counted,
    Dashboard,
    Dealt,
    Drew,
    Group,
    Play,
    Played,
    Secure,
    Secured,
    Steal,
    Stole,
)
from tests.games.boards import deck_starting, keyed, parse_cards, scripted

NOTHING = Secure(())


def cards(text):
    return tuple(parse_cards(text))


def one(text):
    return parse_cards(text)[0]


def new(board, seats, options, starter=0):
    return GAME.new(board, seats, options, starter)


def start(*hands, stock="", starter=0, **options):
    """A deal of these hands, the starter's first, with these cards on top of the stock."""
    dealt = " ".join(" ".join(row) for row in zip(*(hand.split() for hand in hands), strict=True))
    deck = deck_starting(f"{dealt} {stock}")
    return new(scripted(deck), len(hands), GAME.parse_options(options), starter)


def play(state, *actions):
    """Applies the actions for the seat to act, and returns the public events."""
    told = []
    for action in actions:
        told += [happening.public for happening in state.apply(state.to_act[0], action)]
    return told


def dashboard(state, seat):
    return {group.group: group.cards for group in state.observation(SPECTATOR).dashboards[seat].groups}


# ---- groups


def is_group(held):
    """Whether cards form a set or a run, written down independently of the rules module."""
    if len({c.rank for c in held}) == 1:
        return True
    if len({c.suit for c in held}) > 1:
        return False
    for ranks in ({c.rank for c in held}, {14 if c.rank == 1 else c.rank for c in held}):
        if max(ranks) - min(ranks) == len(held) - 1:
            return True
    return False


@pytest.mark.parametrize("text", ["8♥ 8♠", "3♣ 4♣ 5♣ 6♣", "A♣ 2♣ 3♣", "Q♣ K♣ A♣"])
def test_groups_that_can_be_made(text):
    *held, last = cards(text)
    assert groups_made(tuple(held))[last] == cards(text)


@pytest.mark.parametrize(
    ("held", "joined", "fits"),
    [
        ("K♣ A♣", "2♣", False),
        ("A♣ 2♣", "K♣", False),
        ("K♣ A♣", "Q♣", True),
        ("A♣ 2♣ 3♣", "K♣", False),
        ("8♥ 8♠", "9♥", False),
        ("8♥", "9♠", False),
        ("8♥ 9♥", "8♠", False),
        ("A♣", "2♣", True),
        ("A♣", "K♣", True),
        ("A♣", "3♣", False),
        ("Q♣ K♣ A♣", "2♣", False),
        ("A♣ 2♣ 3♣ 4♣ 5♣ 6♣ 7♣ 8♣ 9♣ 10♣ J♣ Q♣", "K♣", True),
    ],
)
def test_what_fits_K3_K4(held, joined, fits):
    assert (one(joined) in groups_made(cards(held))) is fits


def test_every_group_there_can_be_takes_exactly_the_cards_that_fit_K3_K4():
    reached: set[tuple[Card, ...]] = {(c,) for c in DECK}
    todo = list(reached)
    while todo:
        group = todo.pop()
        made = groups_made(group)
        assert set(made) == {c for c in DECK if c not in group and is_group((*group, c))}
        for joined, grown in made.items():
            assert sorted(grown) == sorted((*group, joined))
            if grown not in reached:
                reached.add(grown)
                todo.append(grown)
    assert len(reached) == 52 + 13 * (12 + 24 + 24) + 4 * sum(15 - length for length in range(2, 14))
    longest = [group for group in reached if len(group) == 13]
    assert len(longest) == 8  # A to K and 2 to A
    assert all(not groups_made(group) for group in longest)


def test_runs_read_from_low_to_high_with_the_ace_at_its_end_K17():
    assert groups_made(cards("A♣"))[one("K♣")] == cards("K♣ A♣")
    assert groups_made(cards("2♣"))[one("A♣")] == cards("A♣ 2♣")
    most = cards("2♣ 3♣ 4♣ 5♣ 6♣ 7♣ 8♣ 9♣ 10♣ J♣ Q♣ K♣")
    assert groups_made(most) == {one("A♣"): (one("A♣"), *most)}


# ---- the turn


LOW = "2♣ 4♦ 6♥ 8♠ 10♣ Q♦ A♥"
HIGH = "3♦ 5♥ 7♠ 9♣ J♦ K♥ 2♠"


def test_the_starter_is_dealt_to_first_and_draws_without_being_asked_K11_K18():
    state = start(LOW, HIGH, stock="7♣ 8♣", starter=1)
    assert state.to_act == (1,)
    assert state.observation(1).hand == tuple(sorted(cards(LOW + " 7♣")))
    dealt = state.opening[1]
    assert dealt.told_to(1) == Dealt(1, tuple(sorted(cards(LOW))), 7)
    assert dealt.told_to(0) == dealt.told_to(SPECTATOR) == Dealt(1, (), 7)
    drew = state.opening[-1]
    assert drew.told_to(1) == Drew(1, one("7♣"))
    assert drew.told_to(0) == drew.told_to(SPECTATOR) == Drew(1, None)
    assert play(state, Play(one("2♣"))) == [Played(1, one("2♣"), 0), Drew(0, None)]
    assert state.observation(0).hand_sizes == (8, 7)
    assert state.observation(SPECTATOR).hand == ()


def test_the_order_of_actions_is_plays_builds_steals_by_card_and_group():
    state = start("8♥ 9♥ 2♣ 2♦ 5♣ J♠ K♦", "8♠ 8♦ 3♣ 9♠ 5♥ J♣ Q♣", stock="A♠ 10♥ 4♠ 6♦ 9♦")
    play(state, Play(one("8♥")), Play(one("3♣")), Play(one("2♣")), Play(one("9♠")))
    assert [str(action) for action in state.legal_actions(0)] == [
        *(f"play {c}" for c in state.observation(0).hand),
        "build 2♦ on group 2",
        "build 9♥ on group 0",
        "steal group 3 from seat 1 with 9♦",
        "steal group 3 from seat 1 with 9♥",
    ]


def test_a_single_card_is_built_on_and_stolen_but_not_secured_K1_K2():
    state = start("8♥ 2♣ 4♦ 6♦ 10♣ Q♦ A♥", "8♠ 9♥ 5♥ 7♠ J♦ K♥ 2♠", stock="3♠ 3♣ J♣")
    play(state, Play(one("8♥")))
    for thief in ("8♠", "9♥"):
        assert Steal(one(thief), 0, 0) in state.legal_actions(1)
    play(state, Play(one("J♦")))
    assert state.to_act == (0,)
    play(state, Play(one("2♣")))
    assert state.observation(0).phase == "main"  # no seat is asked about the lone 8♥
    assert state.to_act == (1,)
    assert play(state, Steal(one("9♥"), 0, 0))[0] == Stole(1, one("9♥"), 0, 0, cards("8♥ 9♥"))
    assert dashboard(state, 0) == {2: cards("2♣")}
    assert dashboard(state, 1) == {1: cards("J♦"), 0: cards("8♥ 9♥")}


def test_a_stolen_group_is_secured_at_the_thief_s_next_turn_at_the_earliest_K5_K6():
    state = start("5♦ 2♣ 4♠ 6♥ 10♣ Q♦ A♥", "5♣ 3♦ 7♠ 9♣ J♦ K♥ 2♠", stock="9♥ 8♣ 7♣ J♠ 3♠")
    play(state, Play(one("5♦")), Steal(one("5♣"), 0, 0))
    assert (state.to_act, state.observation(0).phase) == ((0,), "main")
    play(state, Play(one("2♣")), Play(one("J♦")))
    assert (state.to_act, state.observation(1).phase) == ((1,), "secure")
    assert state.observation(0).dashboards[1] == Dashboard(
        (Group(0, cards("5♦ 5♣"), False), Group(2, cards("J♦"), True)), 0
    )
    assert list(state.legal_actions(1)) == [NOTHING, Secure((0,))]
    assert play(state, Secure((0,))) == [Secured(1, 0, cards("5♦ 5♣")), Drew(0, None)]
    seen = state.observation(SPECTATOR).dashboards[1]
    assert (seen.secured, [group.group for group in seen.groups]) == (2, [2])  # K13
    assert not any(isinstance(action, Steal) and action.group == 0 for action in state.legal_actions(0))


def test_a_group_built_on_this_turn_cannot_be_secured_K5():
    state = start("5♦ 5♣ 5♥ 5♠ 9♣ 9♦ A♥", "2♣ 3♦ 7♠ J♣ J♦ K♥ 2♠", stock="9♥ 8♣ 7♣ J♠ 3♠ 6♠")
    play(state, Play(one("5♦")), Play(one("2♣")))
    assert play(state, Build(one("5♣"), 0))[0] == Built(0, one("5♣"), 0, cards("5♦ 5♣"))
    assert state.to_act == (1,)
    play(state, Play(one("K♥")), Build(one("5♥"), 0))
    assert state.to_act == (1,)
    play(state, Play(one("J♣")), Play(one("9♣")), NOTHING)  # K7: securing is a choice
    assert dashboard(state, 0)[0] == cards("5♦ 5♣ 5♥")


def test_secure_choices_are_all_subsets_nothing_first():
    assert [choice.groups for choice in secure_choices({7: 2, 3: 2, 5: 4})] == [
        (), (3,), (5,), (7,), (3, 5), (3, 7), (5, 7), (3, 5, 7),
    ]  # fmt: skip


def test_with_more_than_eight_groups_the_largest_eight_and_all_K15():
    sizes = dict.fromkeys(range(10, 20), 2) | {12: 5, 19: 3}
    choices = [choice.groups for choice in secure_choices(sizes)]
    offered = (10, 11, 12, 13, 14, 15, 16, 19)
    assert len(choices) == len(set(choices)) == 257
    assert choices[:-1] == [subset for size in range(9) for subset in itertools.combinations(offered, size)]
    assert choices[-1] == tuple(range(10, 20))


def test_no_turn_has_more_than_257_choices_K15():
    state = new(scripted(DECK), 2, GAME.parse_options({"secure_single": True}))
    most = 0
    while state.to_act:
        legal = state.legal_actions(state.to_act[0])
        most = max(most, len(legal))
        play(state, legal[0])
    assert most == 257


# ---- the end


@pytest.mark.parametrize(("seats", "first_without_drawing", "last"), [(2, 39, 1), (3, 32, 0), (4, 25, 3)])
def test_the_stock_runs_out_and_every_card_is_played_K8_K12(seats, first_without_drawing, last):
    state = new(scripted(DECK), seats, GAME.parse_options({}))
    turns, without_drawing = 1, None
    actor = 0
    told = []
    while state.to_act:
        (actor,) = state.to_act
        main = state.observation(actor).phase == "main"
        if main and len(state.observation(actor).hand) < 8 and without_drawing is None:
            without_drawing = turns
        told = play(state, state.legal_actions(actor)[0])
        turns += main
    assert (turns - 1, without_drawing, actor) == (52, first_without_drawing, last)
    assert [type(event) for event in told[-seats:]] == [Counted] * seats
    assert state.outcome.reason == "cards_played"
    assert state.observation(0).to_act is None
    assert state.observation(0).phase == "over"
    with pytest.raises(IllegalAction, match="cannot secure nothing: the game is over"):
        state.apply(last, NOTHING)


def test_the_group_of_the_last_turn_stays_unsecured_K10():
    options = GAME.parse_options({"auto_secure": True, "secure_single": True})
    state = new(scripted(DECK), 2, options)
    while state.to_act:
        play(state, state.legal_actions(state.to_act[0])[0])  # play singles; each is safe a turn later
    assert state.outcome == Outcome((1, 1), (24, 24), "cards_played")


def playout(state, seed, secure=None):
    """Plays at random, but `secure`, if given, at secure decisions; returns the number of decisions.

    `secure` is an index into the choices.
    """
    choices = random.Random(seed)
    decisions = 0
    while state.to_act:
        seat = state.to_act[0]
        legal = state.legal_actions(seat)
        if secure is not None and isinstance(legal[0], Secure):
            state.apply(seat, legal[secure])
        else:
            state.apply(seat, choices.choice(legal))
        assert sorted(state.cards()) == list(DECK)
        decisions += 1
    return decisions


def counts(state):
    return [
        (seen.secured, sum(len(group.cards) for group in seen.groups))
        for seen in state.observation(SPECTATOR).dashboards
    ]


SEEDS = st.integers(0, 2**32)
OPTIONS = st.fixed_dictionaries(
    {
        "secure_single": st.booleans(),
        "auto_secure": st.booleans(),
        "final_secure": st.booleans(),
        "tiebreak": st.sampled_from(["none", "secured"]),
    }
)


@given(SEEDS, st.integers(2, 4), OPTIONS)
def test_random_games_count_secured_less_unsecured_cards(seed, seats, given_options):
    options = GAME.parse_options(given_options)
    state = new(keyed(GAME, options, seed), seats, options, seed % seats)
    decisions = playout(state, seed)
    assert 52 <= decisions <= GAME.max_decisions(seats, options)
    assert options.auto_secure <= (decisions == 52)
    assert sum(map(sum, counts(state))) == 52
    assert state.outcome is not None
    assert state.outcome.points == tuple(secured - left for secured, left in counts(state))


def test_counting():
    assert str(Counted(0, 12, 4)) == "seat 0 counts 12 secured, 4 unsecured: 8"


@given(SEEDS, st.integers(2, 4))
def test_legal_actions_are_exactly_what_fits(seed, seats):
    options = GAME.parse_options({})
    state = new(keyed(GAME, options, seed), seats, options)
    choices = random.Random(seed)
    while state.to_act:
        (seat,) = state.to_act
        legal = state.legal_actions(seat)
        seen = state.observation(seat)
        if seen.phase == "main":
            expected: set[Play | Build | Steal] = {Play(c) for c in seen.hand}
            for owner, board in enumerate(seen.dashboards):
                for group in board.groups:
                    for c in seen.hand:
                        if is_group((*group.cards, c)):
                            build = Build(c, group.group)
                            expected.add(build if owner == seat else Steal(c, owner, group.group))
            assert set(legal) == expected
            assert len(legal) == len(expected)
        else:
            untouched = [g.group for g in seen.dashboards[seat].groups if len(g.cards) > 1 and not g.touched]
            assert len(legal) == 2 ** len(untouched)
        state.apply(seat, choices.choice(legal))


# ---- options


def test_single_cards_may_be_secured_by_option_K2():
    state = start(LOW, HIGH, stock="7♣ 8♣ 9♦", secure_single=True)
    play(state, Play(one("2♣")), Play(one("3♦")), Play(one("4♦")))
    assert list(state.legal_actions(0)) == [NOTHING, Secure((0,))]


def test_everything_is_secured_without_asking_by_option_K7():
    state = start("5♦ 5♣ 9♣ 6♥ 10♣ Q♦ A♥", "3♦ 7♠ J♦ K♥ 2♠ 8♠ 4♥", stock="9♥ 8♣ 7♣ J♠ 3♠", auto_secure=True)
    play(state, Play(one("5♦")), Play(one("K♥")), Build(one("5♣"), 0), Play(one("3♦")))
    told = play(state, Play(one("10♣")))
    assert told == [Played(0, one("10♣"), 3), Secured(0, 0, cards("5♦ 5♣")), Drew(1, None)]
    assert state.to_act == (1,)


@given(SEEDS, st.integers(2, 4), st.booleans())
def test_after_the_last_card_everyone_secures_once_more_by_option_K9(seed, seats, auto):
    options = GAME.parse_options({"final_secure": True, "auto_secure": auto})
    state = new(keyed(GAME, options, seed), seats, options)
    playout(state, seed, secure=-1)
    assert all(len(g.cards) == 1 for seen in state.observation(0).dashboards for g in seen.groups)


def test_the_closing_turns_go_round_from_the_next_seat_and_only_secure_K9():
    options = GAME.parse_options({"final_secure": True, "secure_single": True})
    state = new(scripted(DECK), 3, options)  # seat 0 has the last turn (K12)
    asked = []
    while state.to_act:
        (seat,) = state.to_act
        if not any(state.observation(SPECTATOR).hand_sizes):
            asked.append(seat)
        legal = state.legal_actions(seat)
        play(state, legal[0] if isinstance(legal[0], Play) else legal[-1])
    assert asked == [0, 1, 2, 0]  # the end of the last turn, then the closing round
    assert [left for _, left in counts(state)] == [0, 0, 0]


def test_a_tie_is_shared_or_broken_by_secured_cards_K14():
    shared = broken = 0
    for seed in range(150):
        games = {}
        for tiebreak in ("none", "secured"):
            options = GAME.parse_options({"tiebreak": tiebreak})
            games[tiebreak] = new(keyed(GAME, options, seed), 2, options)
            playout(games[tiebreak], seed)
        (mine, _), (theirs, _) = counts(games["none"])
        first, second = games["none"].outcome.points
        if first == second:
            assert games["none"].outcome.places == (1, 1)
            shared += 1
            if mine != theirs:
                assert games["secured"].outcome.places == ((1, 2) if mine > theirs else (2, 1))
                broken += 1
        else:
            assert games["none"].outcome.places == games["secured"].outcome.places
    assert shared
    assert broken


def test_a_series_adds_up_and_the_start_goes_round_K16():
    assert next_starter(Outcome((1, 2, 3), (0, 0, 0), ""), 2) == 0
    options = GAME.parse_options({"series": 2, "auto_secure": True, "secure_single": True})
    state = new(scripted(DECK), 2, options)
    starters: list[int] = []
    for turn in range(104):
        if turn % 52 == 0:
            starters += state.to_act
        play(state, state.legal_actions(state.to_act[0])[0])
    assert starters == [0, 1]
    assert state.outcome == Outcome((1, 1), (48, 48), "cards_played")


def test_seats():
    assert list(GAME.seats(GAME.parse_options({}))) == [2, 3, 4]
    for seats in (1, 5):
        with pytest.raises(WrongOption, match="2 to 4 seats"):
            new(scripted(DECK), seats, GAME.parse_options({}))
    with pytest.raises(WrongOption, match="must be one of none, secured"):
        GAME.parse_options({"tiebreak": "cards"})


# ---- laws


@given(SEEDS)
def test_a_clone_is_independent(seed):
    options = GAME.parse_options({})
    state = new(keyed(GAME, options, seed), 3, options)
    choices = random.Random(seed)
    for _ in range(choices.randrange(75)):
        if state.to_act:
            state.apply(state.to_act[0], choices.choice(state.legal_actions(state.to_act[0])))
    before = [state.observation(viewer) for viewer in range(3)], state.to_act, state.cards()
    playout(state.clone(), seed)
    assert ([state.observation(viewer) for viewer in range(3)], state.to_act, state.cards()) == before


def test_an_illegal_action_changes_nothing():
    state = start(LOW, HIGH, stock="7♣")
    before = state.observation(0), state.observation(1), state.to_act
    for seat, action in [
        (0, Play(one("3♦"))),
        (0, Build(one("2♣"), 0)),
        (0, Steal(one("2♣"), 1, 0)),
        (0, NOTHING),
        (1, Play(one("3♦"))),
    ]:
        demand = "the table waits for seat 0" if seat else "it may play 2♣, play 7♣, "
        with pytest.raises(IllegalAction, match=f"seat {seat} cannot {action}: {demand}"):
            state.apply(seat, action)
    assert (state.observation(0), state.observation(1), state.to_act) == before


def test_a_bare_number_never_replaces_a_card():
    state = start(LOW, HIGH, stock="7♣")
    play(state, Play(int(one("2♣"))))  # type: ignore[arg-type]  # equal by value, so legal
    assert all(c is card(c) for c in state.cards())


def test_everything_reads_as_text():
    state = start("5♦ 5♣ 9♣ 6♥ 10♣ Q♦ A♥", "5♠ 7♠ J♦ K♥ 2♠ 8♠ 4♥", stock="9♥ 8♣ 7♣ J♠ 3♠")
    told = play(state, Play(one("5♦")), Steal(one("5♠"), 0, 0), Play(one("Q♦")), Play(one("J♦")))
    assert [str(event) for event in told] == [
        "seat 0 plays 5♦ as group 0",
        "seat 1 draws a card",
        "seat 1 steals group 0 from seat 0 with 5♠: 5♦ 5♠",
        "seat 0 draws a card",
        "seat 0 plays Q♦ as group 1",
        "seat 1 draws a card",
        "seat 1 plays J♦ as group 2",
    ]
    assert str(state.observation(1)) == (
        "seat 1 is to secure; 34 cards in the stock\n"
        "seat 0: 7 in hand, 0 secured [1: Q♦]\n"
        "seat 1: 7 in hand, 0 secured [0: 5♦ 5♠] [2*: J♦]\n"
        "seat 1 holds 8♣ 4♥ K♥ 2♠ 7♠ 8♠ J♠"
    )
    assert [str(action) for action in state.legal_actions(1)] == ["secure nothing", "secure group 0"]
    assert str(Secure((0, 2))) == "secure groups 0 2"
    assert str(state.opening[0].full) == "seat 0 is dealt 7 cards: 5♣ 9♣ 10♣ 5♦ Q♦ A♥ 6♥"
    assert str(state.opening[0].public) == "seat 0 is dealt 7 cards"
    assert str(state.opening[-1].full) == "seat 0 draws 9♥"
    assert str(Built(1, one("9♥"), 3, cards("8♥ 9♥"))) == "seat 1 builds 9♥ on group 3: 8♥ 9♥"
    assert str(Secured(1, 3, cards("8♥ 9♥"))) == "seat 1 secures group 3: 8♥ 9♥"


@pytest.mark.parametrize(
    ("held", "words"),
    [
        ("9♦", "9♦"),
        ("9♦ 9♣", "pair of nines"),
        ("J♦ J♣ J♠", "three jacks"),
        ("6♦ 6♣ 6♠ 6♥", "four sixes"),
        ("3♥ 4♥ 5♥", "run 3-4-5 of hearts"),
        ("3♥ 4♥ 5♥ 6♥", "run 3 to 6 of hearts"),
        ("A♣ 2♣", "run A-2 of clubs"),
        ("Q♠ K♠ A♠", "run Q-K-A of spades"),
    ],
)
def test_a_group_is_named_by_its_cards(held, words):
    assert group_words(cards(held)) == words


def test_actions_and_events_name_groups_by_their_cards():
    state = start("9♦ 2♣", "9♣ 3♣", stock="4♥ 5♥ 6♥ 7♥")
    told = []
    for wanted in (Play(one("9♦")), Steal(one("9♣"), 0, 0), Play(one("2♣")), Play(one("3♣")), Secure((0,))):
        seat = state.to_act[0]
        told.append(GAME.words(wanted, seen=state.observation(seat)))
        told += [
            GAME.words(each) for each in play(state, wanted) if each.kind in ("stole", "secured", "played")
        ]
    assert told == [
        "play 9♦", "seat 0 plays 9♦",
        "steal 9♦ from seat 0 with 9♣", "seat 1 steals 9♦ from seat 0 with 9♣: pair of nines",
        "play 2♣", "seat 0 plays 2♣", "play 3♣", "seat 1 plays 3♣",
        "secure the pair of nines", "seat 1 secures the pair of nines",
    ]  # fmt: skip


@given(SEEDS, st.integers(2, 4), OPTIONS)
def test_no_word_for_people_has_the_number_of_a_group(seed, seats, given_options):
    state = new(keyed(GAME, options := GAME.parse_options(given_options), seed), seats, options)
    rng = random.Random(seed)
    while state.to_act:
        seat = state.to_act[0]
        action, seen = rng.choice(state.legal_actions(seat)), state.observation(None)
        events = [happening.full for happening in state.apply(seat, action)]
        words = GAME.words(action, seen=seen)
        assert words == GAME.words(action, events)
        for each in (words, *map(GAME.words, events)):
            assert "group" not in each
