"""Turns Kleftis into numbers for training: an action is its card, and the kind of group that it joins.

The running number and the owner of a group change from game to game and mean
nothing, so an action is numbered without them. A card can join a group
in five ways, each of which at most one group on the table allows:

* 0: above: as the upper end of the run (or single card) that ends right below it;
* 1: below: as the lower end of the run (or single card) that begins right above it;
* 2, 3, 4: to its equals: to the set (or single card) of its rank whose first
  card by number is the first, second or third of its other suits.

Building and stealing have the same number: the table shows whose group it is.
To secure is a subset of at most eight groups (K15), the securable
ones in the order of their running numbers, that is, of their age: bit i stands for
the i-th group, and the observation's field `slot` says which cards it has.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from arena.cards import ACE, DECK, KING, Card, Suit, card
from arena.games.kleftis import SUBSET_LIMIT, secure_choices
from arena.games.kleftis_values import Build, Group, Observation, Play, Secure, Steal
from arena.rl.encoding import Arrays, Encoding, Field, by_seat, cards, from_seat, number, seats

WAYS: Final = 5
FIRST_JOIN: Final = len(DECK)
FIRST_SECURE: Final = FIRST_JOIN + WAYS * len(DECK)
ALL: Final = FIRST_SECURE + (1 << SUBSET_LIMIT)
"""The number for securing all groups, if there are more than eight."""
BEYOND: Final = SUBSET_LIMIT + 1
"""The slot of groups that only `ALL` secures."""


def way_of(joining: Card, cards: Sequence[Card]) -> int:
    """The number of the way in which a card joins a group that it may join."""
    if cards[0].rank == joining.rank:
        others = [suit for suit in Suit if suit is not joining.suit]
        return 2 + others.index(min(cards).suit)  # type: ignore[arg-type]  # there are no jokers
    first, last = cards[0].rank, cards[-1].rank
    # K17: to 2-...-K the ace joins low; a single ace is below a two and above a king
    if first == joining.rank + 1 or (joining.rank == KING and first == ACE and len(cards) == 1):
        return 1
    assert last + 1 == joining.rank or (last == KING and joining.rank == ACE)
    return 0


class KleftisEncoding(Encoding):
    """c - 1 plays card c, 52 + 5 (c - 1) + w joins it in way w, 312 + b secures the bits b, 568 all."""

    game = "kleftis"
    phases = ("main", "secure", "over")
    actions = ALL + 1

    def own_fields(self) -> dict[str, Field]:
        count = self.seats
        return {
            "to_act": seats(count, "the seat to act"),
            "hand": cards("the own hand, by card number less 1"),
            "lying": Field((count, 52), "by seat, the cards of its open groups"),
            "group": Field((52,), "for each card of an open group its lowest card's number, else 0", 52),
            "in_run": Field((52,), "the cards of runs"),
            "in_set": Field((52,), "the cards of sets"),
            "touched": Field((52,), "the cards of the group touched this turn"),
            "slot": Field(
                (52,),
                "for cards that may be secured now their group's bit plus 1; 9: only with all",
                BEYOND,
            ),
            "hand_sizes": by_seat(count, "by seat, the cards in each hand", 52),
            "secured": Field((count,), "by seat, the cards secured", 52),
            "stock": number("the cards left in the stock", 52),
        }

    def meaning(self, number: int) -> str:
        if number < FIRST_JOIN:
            return f"play {card(number + 1)}"
        if number < FIRST_SECURE:
            place, way = divmod(number - FIRST_JOIN, WAYS)
            return f"add {DECK[place]} {_WAY_TEXTS[way]}"
        if number == ALL:
            return "secure all groups"
        bits = number - FIRST_SECURE
        slots = [str(bit) for bit in range(SUBSET_LIMIT) if bits >> bit & 1]
        return f"secure the groups of bits {' '.join(slots)}" if slots else "secure nothing"

    def number_in(self, seen: Observation, action: Play | Build | Steal | Secure) -> int:
        if isinstance(action, Play):
            return action.card - 1
        if isinstance(action, Secure):
            slots = self._slots(seen)
            bits = [slots[number] - 1 for number in action.groups]
            return ALL if SUBSET_LIMIT in bits else FIRST_SECURE + sum(1 << bit for bit in bits)
        cards = next(
            group.cards
            for dashboard in seen.dashboards
            for group in dashboard.groups
            if group.group == action.group
        )
        return FIRST_JOIN + WAYS * (action.card - 1) + way_of(action.card, cards)

    def _slots(self, seen: Observation) -> dict[int, int]:
        """The slot of each group that the seat may secure now, by its running number."""
        if seen.phase != "secure" or seen.to_act != seen.seat or seen.seat is None:
            return {}
        least = 1 if self.options.secure_single else 2  # K2
        groups = {
            group.group: len(group.cards)
            for group in seen.dashboards[seen.seat].groups
            if len(group.cards) >= least and not group.touched
        }
        with_bits = secure_choices(groups)[-1].groups
        if len(groups) > SUBSET_LIMIT:  # the last choice but one secures all that have bits
            with_bits = secure_choices(groups)[-2].groups
        slots = dict.fromkeys(groups, BEYOND)
        slots.update({number: slot for slot, number in enumerate(with_bits, 1)})
        return slots

    def fill(self, seen: Observation, arrays: Arrays) -> None:
        assert seen.seat is not None
        slots = self._slots(seen)
        for place, dashboard in enumerate(from_seat(seen.seat, seen.dashboards)):
            arrays["secured"][place] = dashboard.secured
            for group in dashboard.groups:
                _fill_group(group, place, slots.get(group.group, 0) * (place == 0), arrays)


def _fill_group(group: Group, place: int, slot: int, arrays: Arrays) -> None:
    rows: dict[str, Any] = {"group": min(group.cards), "touched": group.touched, "slot": slot}
    if len(group.cards) > 1:
        rows["in_set" if group.cards[0].rank == group.cards[1].rank else "in_run"] = 1
    for lying in group.cards:
        arrays["lying"][place, lying - 1] = 1
        for name, value in rows.items():
            arrays[name][lying - 1] = value


_WAY_TEXTS: Final = (
    "on top of the run that ends right below it",
    "beneath the run that begins right above it",
    "to its equals that begin with the first of its other suits",
    "to its equals that begin with the second of its other suits",
    "to its equals that begin with the third of its other suits",
)
