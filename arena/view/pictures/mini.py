"""Makes mini-tables: the two or three things that tell how a game stands, from its picture for onlookers.

A group of cards has `cards` (numbers as in the picture; 0 is a back, `null` an empty place) and a `text`. It
may have the `seat` whose emblem stands before the text, the index of the card with a `ring`, and the `tone`
of the ring.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from arena.text import counted
from arena.view.pictures.games import Places

_MOST = 5  # cards of a group
_BACK = 0

Group = dict[str, Any]


class Mini(NamedTuple):
    """A mini-table.

    Attributes:
        middle: the groups of cards.
        numbers: by seat, the number that decides the places; None where onlookers do not know it.
        left: how much is left of the deal: cards, in the unit of the game.
        lowest_wins: whether a lower number is better.
        faces: `numbers` for the cards of Nur Mut; else empty.
    """

    middle: Sequence[Group]
    numbers: Sequence[int | None]
    left: int = 0
    lowest_wins: bool = False
    faces: str = ""

    @property
    def lead(self) -> float:
        """How decided the game looks, 0 to 1: the best seat's lead, as a share of the two best numbers."""
        known = sorted((each for each in self.numbers if each is not None), reverse=not self.lowest_wins)
        if len(known) < 2:
            return 0.5
        return abs(known[0] - known[1]) / max(1, abs(known[0]) + abs(known[1]))


def mini_of(game: str, seats: int, picture: Places) -> Mini:
    """The mini-table of a picture; of a game without a picture of its own it has no cards."""
    return _MINIS.get(game, _plain)(seats, picture)


def deal_of(picture: Places) -> tuple[int, int]:
    """Which deal of how many is played, from 1."""
    words = str(picture.get("deal", "deal 1 of 1")).split()
    return int(words[1]), int(words[3])


def _group(cards: Sequence[int | None], text: str = "", **more: int | str | None) -> Group:
    """A group of cards; `more` are its seat, ring and tone."""
    told = {key: value for key, value in more.items() if value is not None}
    return {"cards": list(cards), "text": text, **told}


def _each(seats: int, picture: Places, place: str) -> list[Any]:
    return [picture[f"{place}.{seat}"] for seat in range(seats)]


def _nyuri(seats: int, picture: Places) -> Mini:
    claimed = {claim["owner"] for claim in picture["claims"]}
    piles = []
    for seat, pile in enumerate(_each(seats, picture, "pile")):
        text = str(picture[f"worth.{seat}"]) if pile else ""
        ring = len(pile) - 1 if pile and seat in claimed else None
        piles.append(_group(pile or [None], text, seat=seat, ring=ring, tone="claim"))
    stock = _group([_BACK], f"{picture['stock']} left")
    middle = [piles[0], stock, *piles[1:]] if seats == 2 else [*piles, stock]
    return Mini(middle, _each(seats, picture, "total"), picture["stock"])


def _forty_one(seats: int, picture: Places) -> Mini:
    scores = _each(seats, picture, "score")
    if picture["open"]:
        middle = [
            _group(picture[f"hand.{seat}"] or [None], picture[f"suit.{seat}"] or "", seat=seat)
            for seat in range(seats)
        ]
    else:
        last = [each["card"] for each in picture["discards"] if not each["taken"]][-3:]
        ring = len(last) - 1 if picture["takable"] and last else None
        text = "takable" if picture["takable"] else "discards"
        middle = [_group([_BACK], f"{picture['stock']} left"), _group(last or [None], text, ring=ring)]
    return Mini(middle, scores, picture["stock"])


def _nur_mut(seats: int, picture: Places) -> Mini:
    middle = []
    for pile in range(3):
        size, took = picture[f"size.{pile}"], picture["took"] == pile
        ring = 0 if took else None
        middle.append(_group([picture[f"pile.{pile}"]], counted(size, "card"), ring=ring, tone="steal"))
    left = _each(seats, picture, "left")
    return Mini(middle, left, min(left), lowest_wins=True, faces="numbers")


def _kleftis(seats: int, picture: Places) -> Mini:
    middle = []
    for seat, groups in enumerate(_each(seats, picture, "groups")):
        stolen = [each for each in groups if each["from"] is not None]
        cards = max((each["cards"] for each in stolen or groups), key=len, default=[None])[-_MOST:]
        ring = len(cards) - 1 if stolen else None
        middle.append(_group(cards, f"{picture[f'safe.{seat}']} safe", seat=seat, ring=ring, tone="steal"))
    left = picture["stock"] + sum(_each(seats, picture, "count"))
    return Mini(middle, _each(seats, picture, "points"), left)


def _hyrule(seats: int, picture: Places) -> Mini:
    middle = []
    for seat, card in enumerate(_each(seats, picture, "slot")):
        ring, tone = 0 if picture["best"] == seat else None, "win" if picture["won"] == seat else None
        middle.append(_group([card], seat=seat, ring=ring, tone=tone))
    return Mini(middle, _each(seats, picture, "captured"), sum(_each(seats, picture, "count")))


def _plain(seats: int, picture: Places) -> Mini:
    scores = picture.get("scores") or [None] * seats
    return Mini([], [each if isinstance(each, int) else None for each in scores])


_MINIS: Final[Mapping[str, Callable[[int, Places], Mini]]] = {
    "nyuri": _nyuri,
    "forty-one": _forty_one,
    "nur-mut": _nur_mut,
    "kleftis": _kleftis,
    "hyrule": _hyrule,
}
