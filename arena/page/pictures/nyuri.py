"""Nyuri: guarded piles, claims on them, and the stock."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from arena.games.nyuri_values import Pile, worth
from arena.page.pictures.picture import Picture, Places, Sight, of_hands


def _cards(pile: Pile) -> list[int]:
    return [int(card) for card in pile if card is not None]


class NyuriPicture(Picture):
    """See `Picture`."""

    tones: ClassVar[Mapping[str, str]] = {
        "claimed": "claim", "overbid": "claim", "stole": "steal", "penalty": "steal", "counted": "win",
        "deal_ended": "win",
    }  # fmt: skip

    def places(self, sight: Sight) -> Places:
        seen = sight.public
        places = of_hands(sight)
        for seat, pile in enumerate(seen.piles):
            places[f"pile.{seat}"] = _cards(pile)
            places[f"worth.{seat}"] = worth([card for card in pile if card is not None])
            places[f"total.{seat}"] = seen.hand_sizes[seat] + len(_cards(pile))
        best = {claim.owner: claim for claim in seen.claims}  # a later claim on a pile is always higher
        places["claims"] = [
            {
                "seat": claim.seat,
                "owner": claim.owner,
                "cards": list(map(int, claim.cards)),
                "sum": worth(claim.cards),
                "out": best[claim.owner] is not claim,
            }
            for claim in seen.claims
        ]
        places["placer"] = seen.placer if seen.phase != "over" else None
        places["stock"] = seen.stock
        places["spent"] = list(map(int, seen.spent))
        places["act"] = seen.to_act
        return places
