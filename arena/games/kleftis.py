"""Kleftis: gather sets and runs, steal the groups of others, and secure your own in time.

The rules, with the rulings K1 to K18 cited here, are in `rules/kleftis.md`.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from bisect import insort
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any, Final, Self

from arena.cards import DECK, Card
from arena.games.game import (
    Action,
    Board,
    Deal,
    Event,
    Game,
    Happening,
    Outcome,
    Seat,
    State,
    Viewer,
    WrongOption,
    in_order_of,
    option,
    places_by,
)
from arena.games.kleftis_groups import (
    BIT,
    OpenGroup,
    cards_of,
    group_words,
    groups_made,
    open_group,
    place_of,
    the_group,
)
from arena.games.kleftis_values import (
    Build,
    Built,
    Counted,
    Dashboard,
    Dealt,
    Drew,
    Group,
    Observation,
    Play,
    Played,
    Secure,
    Secured,
    Steal,
    Stole,
)
from arena.games.series import SeriesPlan, points, start_series

HAND_SIZE: Final = 7
SUBSET_LIMIT: Final = 8
"""The most groups whose subsets are all offered at a secure decision (K15)."""


@dataclasses.dataclass(frozen=True, slots=True)
class KleftisOptions:
    """The options of Kleftis."""

    secure_single: bool = option(False, "K2: a single card may be secured")
    auto_secure: bool = option(False, "K7: everything that can be secured is secured without asking")
    final_secure: bool = option(False, "K9: after the last card every seat gets one turn to secure")
    tiebreak: str = option("none", "K14: how a tie is broken", choices=("none", "secured"))
    series: int = option(1, "K16: deals played in a row at one table", low=1, high=100)


KleftisAction = Play | Build | Steal | Secure

# Equal values are made once, so that a legal action is usually found by identity.
_PLAY: Final = {played: Play(played) for played in DECK}
_build_action = functools.cache(Build)
_steal_action = functools.cache(Steal)
_by_card_and_group = itemgetter(Steal._fields.index("card"), Steal._fields.index("group"))


@functools.cache
def _drew(seat: Seat, drawn: Card) -> Happening:
    return Happening(Drew(seat, None), Drew(seat, drawn), (seat,))


@functools.cache
def _played(seat: Seat, played: Card, number: int) -> Happening:
    return Happening(Played(seat, played, number))


@functools.lru_cache(maxsize=4096)
def _subsets(groups: tuple[int, ...]) -> tuple[Secure, ...]:
    return tuple(
        Secure(subset) for size in range(len(groups) + 1) for subset in itertools.combinations(groups, size)
    )


def secure_choices(groups: Mapping[int, int]) -> Sequence[Secure]:
    """The choices of a secure decision: subsets by their size, then by their numbers, nothing first.

    Args:
        groups: the groups that may be secured: number of the group to its number of cards.
    """
    every = tuple(sorted(groups))
    if len(every) <= SUBSET_LIMIT:
        return _subsets(every)
    largest = sorted(every, key=lambda group: -groups[group])[:SUBSET_LIMIT]  # K15; lowest number first
    return (*_subsets(tuple(sorted(largest))), Secure(every))


class KleftisState(State):
    """One position of a deal of Kleftis (see `GAME.new`)."""

    # _hands are sorted; _stock is drawn from its end. _legal is never changed in place.
    # _touched is the group that got a card this turn, _closing the closing turns to come (K9).
    __slots__ = (
        "_closing", "_dashboards", "_group_count", "_hands", "_legal", "_options", "_outcome", "_seat",
        "_secured", "_securing", "_stock", "_touched",
    )  # fmt: skip

    def __init__(self, deal: Deal, seats: int, options: KleftisOptions, starter: Seat) -> None:
        dealt = seats * HAND_SIZE
        self._options = options
        self._hands: list[list[Card]] = [[] for _ in range(seats)]
        for seat in range(seats):  # one card at a time, beginning with the starter
            self._hands[(starter + seat) % seats] = sorted(deal.deck[seat:dealt:seats])
        self._stock: list[Card] = list(reversed(deal.deck[dealt:]))
        self._dashboards: list[list[OpenGroup]] = [[] for _ in range(seats)]
        self._secured: list[tuple[Card, ...]] = [()] * seats
        self._group_count = 0
        self._touched: int | None = None
        self._closing = seats if options.final_secure else 0
        self._securing = False
        self._outcome: Outcome | None = None
        opening = [
            Happening(Dealt(seat, (), HAND_SIZE), Dealt(seat, tuple(hand), HAND_SIZE), (seat,))
            for seat, hand in enumerate(self._hands)
        ]
        self._start_turn(starter, opening)
        self.opening = opening

    @classmethod
    def as_seen(
        cls,
        seen: Observation,
        options: KleftisOptions,
        starter: Seat,
        hands: list[list[Card]],
        stock: list[Card],
        secured: list[tuple[Card, ...]],
        group_count: int,
    ) -> Self:
        """The position with the observation `seen` and these hidden cards.

        Args:
            seen: any viewer's observation of a game that is not over.
            options: the game's options.
            starter: the seat that started the deal.
            hands: the hand of each seat, in card-number order.
            stock: the next card last.
            secured: the cards that each seat has secured.
            group_count: the groups begun so far.
        """
        assert seen.to_act is not None, "the game is over"
        seats = len(hands)
        state = object.__new__(cls)
        state._options, state._hands, state._stock = options, hands, stock
        state._secured, state._group_count = secured, group_count
        state._dashboards = [
            [open_group(group.group, group.cards) for group in dashboard.groups]
            for dashboard in seen.dashboards
        ]
        touched = [
            group.group for dashboard in seen.dashboards for group in dashboard.groups if group.touched
        ]
        state._touched = touched[0] if touched else None
        state._seat, state.to_act = seen.to_act, (seen.to_act,)
        state._securing = seen.phase == "secure"
        state._closing = seats if options.final_secure else 0  # K9
        if not (seen.stock or any(seen.hand_sizes) or touched):  # each of the 52 turns spends a card
            first = (starter + len(DECK)) % seats
            state._closing = seats - 1 - (seen.to_act - first) % seats
        state._outcome = None
        state.opening = ()
        state._legal = secure_choices(state._securable()) if state._securing else state._main_actions()
        return state

    def legal_actions(self, seat: Seat) -> Sequence[KleftisAction]:
        return self._legal if seat == self._seat else ()

    def apply(self, seat: Seat, action: Action) -> Sequence[Happening]:
        chosen: KleftisAction = self._listed(seat, action)
        told: list[Happening] = []
        if isinstance(chosen, Secure):
            self._secure(chosen.groups, told)
            self._end_turn(told)
            return told
        self._hands[seat].remove(chosen.card)
        if isinstance(chosen, Play):
            told.append(self._play(chosen))
        elif isinstance(chosen, Build):
            told.append(self._build(chosen))
        else:
            told.append(self._steal(chosen))
        self._offer_secure(told)
        return told

    def _start_turn(self, seat: Seat, told: list[Happening]) -> None:
        self._seat = seat
        self.to_act = (seat,)
        self._securing = False
        hand = self._hands[seat]
        if self._stock:  # K8
            drawn = self._stock.pop()
            insort(hand, drawn)
            told.append(_drew(seat, drawn))
        self._legal: Sequence[KleftisAction] = self._main_actions()

    def _main_actions(self) -> Sequence[KleftisAction]:
        seat = self._seat
        hand = self._hands[seat]
        held = sum([BIT[card] for card in hand])
        builds = [
            _build_action(card, number)
            for number, _, joining in self._dashboards[seat]
            if (fitting := joining & held)
            for card in cards_of(fitting)
        ]
        steals = [
            _steal_action(card, owner, number)
            for owner, groups in enumerate(self._dashboards)
            if owner != seat
            for number, _, joining in groups
            if (fitting := joining & held)
            for card in cards_of(fitting)
        ]
        builds.sort()
        steals.sort(key=_by_card_and_group)
        return [*[_PLAY[card] for card in hand], *builds, *steals]

    def _play(self, action: Play) -> Happening:
        card = action.card
        number = self._touched = self._group_count
        self._group_count += 1
        self._dashboards[self._seat].append(open_group(number, (card,)))
        return _played(self._seat, card, number)

    def _build(self, action: Build) -> Happening:
        own = self._dashboards[self._seat]
        place = place_of(action.group, own)
        cards = groups_made(own[place].cards)[action.card]
        own[place] = open_group(action.group, cards)
        self._touched = action.group
        return Happening(Built(self._seat, action.card, action.group, cards))

    def _steal(self, action: Steal) -> Happening:
        theirs = self._dashboards[action.owner]
        cards = groups_made(theirs.pop(place_of(action.group, theirs)).cards)[action.card]
        self._dashboards[self._seat].append(open_group(action.group, cards))
        self._touched = action.group
        return Happening(Stole(self._seat, action.card, action.owner, action.group, cards))

    def _securable(self) -> Mapping[int, int]:
        """The groups that the seat to act may secure: number of the group to its number of cards."""
        least = 1 if self._options.secure_single else 2  # K2
        touched = self._touched
        return {
            number: len(cards)
            for number, cards, _ in self._dashboards[self._seat]
            if len(cards) >= least and number != touched  # K5, K6
        }

    def _offer_secure(self, told: list[Happening]) -> None:
        groups = self._securable()
        if not groups:
            self._end_turn(told)
        elif self._options.auto_secure:  # K7
            self._secure(groups, told)
            self._end_turn(told)
        else:
            self._securing = True
            self._legal = secure_choices(groups)

    def _secure(self, numbers: Mapping[int, int] | Sequence[int], told: list[Happening]) -> None:
        seat = self._seat
        secured = [group for group in self._dashboards[seat] if group.number in numbers]
        self._dashboards[seat] = [group for group in self._dashboards[seat] if group.number not in numbers]
        for group in sorted(secured):
            self._secured[seat] += group.cards
            told.append(Happening(Secured(seat, group.number, group.cards)))  # K13

    def _end_turn(self, told: list[Happening]) -> None:
        self._touched = None
        seat = (self._seat + 1) % len(self._hands)
        if self._stock or self._hands[seat]:
            self._start_turn(seat, told)
        elif self._closing:  # all hands are empty (K9)
            self._closing -= 1
            self._seat = seat
            self.to_act = (seat,)
            self._offer_secure(told)
        else:
            self._count(told)

    def _count(self, told: list[Happening]) -> None:
        self.to_act = ()
        self._legal = ()
        secured = list(map(len, self._secured))
        unsecured = [sum(len(group.cards) for group in groups) for groups in self._dashboards]  # K10
        scores = tuple(kept - left for kept, left in zip(secured, unsecured, strict=True))
        by_secured = self._options.tiebreak == "secured"  # K14
        places = places_by(list(zip(scores, secured, strict=True)) if by_secured else scores)
        self._outcome = Outcome(places, scores, "cards_played")
        told += [
            Happening(Counted(seat, kept, left))
            for seat, (kept, left) in enumerate(zip(secured, unsecured, strict=True))
        ]

    def observation(self, viewer: Viewer) -> Observation:
        over, touched = self._outcome is not None, self._touched
        return Observation(
            phase="over" if over else "secure" if self._securing else "main",
            seat=viewer,
            to_act=None if over else self._seat,
            hand=() if viewer is None else tuple(self._hands[viewer]),
            hand_sizes=tuple(map(len, self._hands)),
            dashboards=tuple(
                [
                    Dashboard(
                        tuple([Group(number, cards, number == touched) for number, cards, _ in groups]),
                        len(secured),
                    )
                    for groups, secured in zip(self._dashboards, self._secured, strict=True)
                ]
            ),
            stock=len(self._stock),
        )

    @property
    def outcome(self) -> Outcome | None:
        return self._outcome

    def clone(self) -> Self:
        twin = object.__new__(type(self))
        twin.opening, twin.to_act = self.opening, self.to_act
        twin._closing = self._closing
        twin._dashboards = [groups.copy() for groups in self._dashboards]
        twin._group_count = self._group_count
        twin._hands = [hand.copy() for hand in self._hands]
        twin._legal = self._legal
        twin._options = self._options
        twin._outcome = self._outcome
        twin._seat = self._seat
        twin._secured = self._secured.copy()
        twin._securing = self._securing
        twin._stock = self._stock.copy()
        twin._touched = self._touched
        return twin

    def redrawn(self, board: Board) -> Self:
        twin = self.clone()
        twin._stock = in_order_of(board.deal(0).deck, self._stock)
        return twin

    def cards(self) -> list[Card]:
        held = [*itertools.chain(*self._hands, *self._secured), *self._stock]
        return held + [card for groups in self._dashboards for group in groups for card in group.cards]


def next_starter(outcome: Outcome, starter: Seat) -> Seat:
    """In a series the start goes round (K16)."""
    return (starter + 1) % len(outcome.places)


def _joined(event: Built | Stole) -> str:
    """The group that a card joined, in words."""
    return the_group(tuple(each for each in event.cards if each != event.card))


def _made(event: Built | Stole) -> str:
    """What a single card becomes as another one joins it; of larger groups that goes without saying."""
    return f": {group_words(event.cards)}" if len(event.cards) == 2 else ""


def _groups_of(told: Sequence[Event]) -> dict[int, str]:
    """The groups that an action names, in words by their numbers, from the events that follow from it."""
    return {
        event.group: the_group(event.cards) if isinstance(event, Secured) else _joined(event)
        for event in reversed(told)  # a group that grows may be secured at once
        if isinstance(event, Built | Stole | Secured)
    }


def _groups_in(seen: Any) -> dict[int, str]:
    """The groups of a position, in words by their numbers."""
    seen = getattr(seen, "current", seen)  # the current deal of a series
    return {group.group: the_group(group.cards) for board in seen.dashboards for group in board.groups}


class Kleftis(Game):
    """The rules of Kleftis."""

    id = "kleftis"
    title = "Kleftis"
    Options = KleftisOptions
    values = "arena.games.kleftis_values"
    sampler = "arena.sampling.kleftis:KleftisSampler"
    greedy = "arena.policies.kleftis:choose"
    encoding = "arena.rl.kleftis:KleftisEncoding"
    picture = "arena.view.pictures.games:KleftisPicture"
    usual_decisions = 38
    luck_baselines = ("greedy", "thoughtful")

    def seats(self, options: KleftisOptions) -> range:
        """2 to 4 seats."""
        return range(2, 5)

    def deck(self, options: KleftisOptions) -> Sequence[Card]:
        """The 52 cards."""
        return DECK

    def new(self, board: Board, seats: int, options: KleftisOptions, starter: Seat = 0) -> State:
        """The first position: seven cards each, and the starter's first draw (K11)."""
        if seats not in self.seats(options):
            raise WrongOption(f"{self.id} is for 2 to 4 seats, not {seats}")
        plan = SeriesPlan(deals=options.series, tie_breaks=0, score=points, next_starter=next_starter)
        return start_series(
            plan, lambda deal, first: KleftisState(deal, seats, options, first), board, seats, starter
        )

    def words(self, value: Action | Event, told: Sequence[Event] = (), seen: Any = None) -> str:
        """It names a group by its cards: its number means nothing to people who see no numbers."""
        match value:
            case Played():
                return f"seat {value.seat} plays {value.card}"
            case Built():
                return f"seat {value.seat} builds {value.card} on {_joined(value)}{_made(value)}"
            case Stole():
                taken = f"{_joined(value)} from seat {value.owner} with {value.card}"
                return f"seat {value.seat} steals {taken}{_made(value)}"
            case Secured():
                return f"seat {value.seat} secures {the_group(value.cards)}"
        groups = _groups_of(told) if seen is None else _groups_in(seen)
        match value:
            case Build() if value.group in groups:
                return f"build {value.card} on {groups[value.group]}"
            case Steal() if value.group in groups:
                return f"steal {groups[value.group]} from seat {value.owner} with {value.card}"
            case Secure(groups=(_, *_)) if groups:
                return f"secure {' and '.join(groups[group] for group in value.groups)}"
        return str(value)

    def max_decisions(self, seats: int, options: KleftisOptions) -> int:
        """Two actions for each card of the deck, in each deal of the series.

        Every turn spends one card of the hand, no card comes back to a hand, and
        all are spent: 52 turns, each of one main action and at most one to secure.
        In its first turn a seat has only the group just touched, and so
        nothing to secure. With `final_secure` every seat may secure once more.
        """
        return options.series * (2 * len(DECK) - (0 if options.final_secure else seats))


GAME: Final = Kleftis()
