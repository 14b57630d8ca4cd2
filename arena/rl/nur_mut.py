"""Turns Nur Mut into numbers for training: ten actions; visible faces, sizes of decks and piles, counters."""

from __future__ import annotations

from arena.games.nur_mut_actions import CHOICES, COURAGE, PASS, PLACES, TRY, TUCK
from arena.games.nur_mut_values import PILES, Face, Observation
from arena.rl.encoding import Arrays, Encoding, Field, Listed, by_seat, cards, from_seat, number, seats, write

_FACES = len(Face)


class NurMutEncoding(Encoding):
    """0 passes, 1 tucks, 2 + p places on pile p, 5 tries, 6 is courage, 7 + p lays the flipped card on p."""

    game = "nur-mut"
    phases = ("turn", "choose_pile", "over")
    listed = Listed((PASS, TUCK, *PLACES, TRY, COURAGE, *CHOICES))
    deal_options = ("rounds",)
    actions = len(listed.actions)

    def own_fields(self) -> dict[str, Field]:
        count = self.seats
        most = 10 * count + PILES
        return {
            "to_act": seats(count, "the seat to act"),
            "piles": Field((PILES, _FACES), "by pile, its top face: 1 to 9, joker, hidden"),
            "tops": Field((count, _FACES), "by seat, the upper face of its deck's top card"),
            "flipped": cards("the flipped face, where a pile is chosen for it", _FACES),
            "pile_sizes": Field((PILES,), "by pile, its cards", most, fill=write),
            "deck_sizes": by_seat(count, "by seat, the cards of its deck", most),
            "passes": number("pure passes in a row", count),
            "stalled": number("turns in a row in which no card was laid", self.options.stall * count),
            "turns": number("turns played", self.options.max_turns * count),
            "again": number("whether the seat to act has laid a card by courage in this turn"),
            "by_courage": number("whether the flipped card was flipped by courage"),
        }

    def fill(self, seen: Observation, arrays: Arrays) -> None:
        assert seen.seat is not None
        for pile, face in enumerate(seen.piles):
            arrays["piles"][pile, face - 1] = 1
        for place, face in enumerate(from_seat(seen.seat, seen.top_faces)):
            arrays["tops"][place, face - 1] = 1
