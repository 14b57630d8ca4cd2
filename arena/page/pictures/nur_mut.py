"""Nur Mut: three piles, what fits on them, and everybody's deck."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from arena.games.game import Event
from arena.games.nur_mut_actions import FITS
from arena.games.nur_mut_values import HIGHEST, PILES, Face
from arena.page.pictures.picture import Picture, Places, Sight


class NurMutPicture(Picture):
    """See `Picture`."""

    tones: ClassVar[Mapping[str, str]] = {"flipped": "courage", "took_pile": "steal", "deal_ended": "win"}

    def __init__(self, seats: int, options: object) -> None:
        super().__init__(seats, options)
        self._took: int | None = None
        self._flipped: int | None = None

    def begin_step(self) -> None:
        self._took = self._flipped = None

    def tell(self, event: Event) -> None:
        if event.kind == "took_pile":
            self._took = event.pile  # type: ignore[attr-defined]  # of this kind
        elif event.kind == "flipped":
            self._flipped = event.seat  # type: ignore[attr-defined]  # of this kind

    def places(self, sight: Sight) -> Places:
        seen = sight.public
        highest = max(seen.piles)
        places: Places = {}
        for pile, (face, size) in enumerate(zip(seen.piles, seen.pile_sizes, strict=True)):
            places[f"pile.{pile}"] = int(face)
            places[f"size.{pile}"] = size
            places[f"fits.{pile}"] = [each for each in range(1, HIGHEST + 1) if FITS[each][face]]
            places[f"high.{pile}"] = face == highest
        lower = self._lower(sight)
        for seat, (face, size) in enumerate(zip(seen.top_faces, seen.deck_sizes, strict=True)):
            places[f"top.{seat}"] = None if face is Face.HIDDEN else int(face)
            places[f"left.{seat}"] = size
            places[f"lower.{seat}"] = lower[seat]
        places["flipped"] = self._flipped
        places["took"] = self._took
        places["act"] = seen.to_act
        return places

    def _lower(self, sight: Sight) -> list[int | None]:
        """The lower face of each deck's top card, where all is shown and it has one."""
        if sight.state is None:
            return [None] * self.seats
        cards = sight.state.cards()  # the decks, each with its top card last, and then the piles
        lower: list[int | None] = []
        end = 0
        for face, size in zip(sight.public.top_faces, sight.public.deck_sizes, strict=True):
            end += size
            known = size and face is not Face.HIDDEN
            top = cards[end - 1] if known else None
            under = None if top is None else top.back if top.front is face else top.front
            lower.append(None if under is None or under is Face.HIDDEN else int(under))
        assert end + sum(sight.public.pile_sizes) <= len(cards), f"{PILES} piles follow the decks"
        return lower
