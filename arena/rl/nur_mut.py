"""Nur Mut: ten actions; the faces that show, the sizes of decks and piles, and the counters."""

from __future__ import annotations

from arena.games.game import Action
from arena.games.nur_mut_actions import CHOICES, COURAGE, PASS, PLACES, TRY, TUCK
from arena.games.nur_mut_values import PILES, Face, Observation
from arena.rl.encoding import Arrays, Encoding, Field, Listed, from_seat

_LISTED = Listed((PASS, TUCK, *PLACES, TRY, COURAGE, *CHOICES))
_FACES = len(Face)


class NurMutEncoding(Encoding):
    """0 passes, 1 tucks, 2 + p places on pile p, 5 tries, 6 is courage, 7 + p lays the flipped card on p."""

    game = "nur-mut"
    phases = ("turn", "choose_pile", "over")
    actions = len(_LISTED.actions)

    def most_deals(self) -> int:
        return int(self.options.rounds)

    def own_fields(self) -> dict[str, Field]:
        seats = self.seats
        cards = 10 * seats + PILES
        return {
            "to_act": Field((seats,), "the seat to act"),
            "piles": Field((PILES, _FACES), "by pile, its top face: 1 to 9, joker, hidden"),
            "tops": Field((seats, _FACES), "by seat, the upper face of its deck's top card"),
            "flipped": Field((_FACES,), "the flipped face, where a pile is chosen for it"),
            "pile_sizes": Field((PILES,), "by pile, its cards", cards),
            "deck_sizes": Field((seats,), "by seat, the cards of its deck", cards),
            "passes": Field((1,), "pure passes in a row", seats),
            "stalled": Field((1,), "turns in a row in which no card was laid", self.options.stall * seats),
            "turns": Field((1,), "turns played", self.options.max_turns * seats),
            "again": Field((1,), "whether the seat to act has laid a card by courage in this turn"),
            "by_courage": Field((1,), "whether the flipped card was flipped by courage"),
        }

    def meaning(self, number: int) -> str:
        return str(_LISTED.actions[number])

    def number_in(self, seen: Observation, action: Action) -> int:
        return _LISTED.places[action]

    def fill(self, seen: Observation, arrays: Arrays) -> None:
        assert seen.seat is not None
        if seen.to_act is not None:
            arrays["to_act"][(seen.to_act - seen.seat) % self.seats] = 1
        for pile, face in enumerate(seen.piles):
            arrays["piles"][pile, face - 1] = 1
        for place, face in enumerate(from_seat(seen.seat, seen.top_faces)):
            arrays["tops"][place, face - 1] = 1
        if seen.flipped is not None:
            arrays["flipped"][seen.flipped - 1] = 1
        arrays["pile_sizes"][:] = seen.pile_sizes
        arrays["deck_sizes"][:] = from_seat(seen.seat, seen.deck_sizes)
        for name in ("passes", "stalled", "turns", "again", "by_courage"):
            arrays[name][0] = getattr(seen, name)
