"""Kleftis: everybody's groups in the open, and what is secured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from arena.page.pictures.picture import Picture, Places, Sight, of_hands


class KleftisPicture(Picture):
    """See `Picture`."""

    tones: ClassVar[Mapping[str, str]] = {
        "stole": "steal",
        "secured": "secured",
        "counted": "win",
        "deal_ended": "win",
    }
    untold: ClassVar[str] = "secures nothing"

    def __init__(self, seats: int, options: object) -> None:
        super().__init__(seats, options)
        self._stolen: dict[int, int] = {}  # groups that were stolen since the last card was laid: from whom
        self._secured: dict[int, list[dict[str, Any]]] = {}

    def tell(self, event: Any) -> None:
        match event.kind:
            case "dealt":
                self._secured.clear()
                self._stolen.clear()
            case "played" | "built":
                self._stolen.clear()
            case "stole":
                self._stolen = {event.group: event.owner}
            case "secured":
                cards = list(map(int, event.cards))
                self._secured.setdefault(event.seat, []).append({"group": event.group, "cards": cards})

    def places(self, sight: Sight) -> Places:
        seen = sight.public
        places = of_hands(sight)
        for seat, board in enumerate(seen.dashboards):
            places[f"groups.{seat}"] = [
                {
                    "group": group.group,
                    "cards": list(map(int, group.cards)),
                    "touched": group.touched,
                    "from": self._stolen.get(group.group),
                }
                for group in board.groups
            ]
            places[f"safe.{seat}"] = board.secured
            places[f"secured.{seat}"] = list(self._secured.get(seat, ()))
            places[f"points.{seat}"] = board.secured - sum(len(group.cards) for group in board.groups)
        places["stock"] = seen.stock
        places["act"] = seen.to_act
        return places
