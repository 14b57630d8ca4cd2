"""Says where each legal action happens on the table, so that a person can play with the cards.

An action uses cards of the hand, and touches places of the picture (`arena/view/pictures/games.py`), such as
`stock` or `pile.1`. A group of Kleftis is `group.N`, wherever it lies. The browser lights these places.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, NamedTuple

from arena.cards import Card, format_cards
from arena.games.forty_one import hand_values
from arena.games.kleftis_groups import group_words, groups_made, the_group
from arena.games.nur_mut_values import Face
from arena.games.nyuri_values import worth
from arena.text import one_line
from arena.view.pictures.games import Parts
from arena.view.pictures.replay import parts_of


class Move(NamedTuple):
    """An action as a person plays it.

    Attributes:
        verb: what it does, in one word; empty if the game has no places to play to.
        targets: the places that it touches.
        say: the action as a sentence without its full stop, with what follows from it.
    """

    verb: str
    targets: tuple[str, ...]
    say: Parts


def move_of(game: str, action: Any, seen: Any) -> Move:
    """The action of a seat on its table.

    Args:
        game: the game's id. An action of a game of another package touches no place.
        action: one of the seat's legal actions.
        seen: the observation of the seat.
    """
    if game not in _MOVES:
        text = one_line(str(action))
        return Move("", (), parts_of(text[:1].upper() + text[1:]))
    return _MOVES[game](action, getattr(seen, "current", seen))  # the current deal of a series


def asked(game: str, verbs: Collection[str]) -> str:
    """What a person is asked for, by the verbs of the legal actions; empty if a verb has no words."""
    words = _ASKED.get(game, {})
    if not verbs or not all(verb in words for verb in verbs):
        return ""
    *others, last = (words[verb] for verb in words if verb in verbs)
    text = f"{', '.join(others)} or {last}" if others else last
    return text[:1].upper() + text[1:]


def cards_of(value: object) -> list[int]:
    """The numbers of the cards in an action, or in a field of one."""
    if isinstance(value, Card):
        return [int(value)]
    return [card for each in value for card in cards_of(each)] if isinstance(value, tuple) else []


def _nyuri(action: Any, seen: Any) -> Move:
    own = f"pile.{seen.seat}"
    match action.kind:
        case "leave":
            return Move("leave", (own,), ["Leave your pile in place"])
        case "place":
            cards = [action.base] if action.guard is None else [action.base, action.guard]
            guarded = "" if action.guard is None else f" guarded by {action.guard}"
            return Move("place", (own,), [f"Place {action.base}{guarded}: worth {worth(cards)}"])
        case "steal":
            owner, cards = action.owner, action.cards
            claims = [claim.cards for claim in seen.claims if claim.owner == owner]
            bar = worth(claims[-1] if claims else [card for card in seen.piles[owner] if card is not None])
            say: Parts = ["Steal from ", owner, f" with {format_cards(cards)}: {worth(cards)} beats {bar}"]
            return Move("steal", (f"pile.{owner}",), say)
    return Move("draw", ("stock",), ["Draw a card"])


def _forty_one(action: Any, seen: Any) -> Move:
    match action.kind:
        case "draw_stock":
            return Move("draw", ("stock",), ["Draw from the stock"])
        case "take_discard":
            return Move("take", ("discards",), [f"Take the discard {seen.discards[-1]}"])
        case "discard":
            kept = sum(hand_values([card for card in seen.hand if card != action.card]))
            return Move("discard", ("discards",), [f"Discard {action.card}: you keep {kept}"])
    return Move("end", (), [f"End play with {sum(hand_values(list(seen.hand)))}"])


def _nur_mut(action: Any, seen: Any) -> Move:
    own, top = f"top.{seen.seat}", _face(seen.top_faces[seen.seat])
    match action.kind:
        case "place" | "choose_pile":
            say = f"Lay your {top} on the {_face(seen.piles[action.pile])} of pile {action.pile}"
            return Move("lay", (own, f"pile.{action.pile}"), [say])
        case "tuck":
            return Move("tuck", (own,), [f"Tuck your {top} under your deck"])
        case "try_top":
            return Move("try", (own,), ["Try the top card: it is laid if it fits"])
        case "courage":
            return Move("courage", (own,), ["Courage: flip your top card"])
    return Move("pass", (), ["Pass"])


def _face(face: Face) -> str:
    return "joker" if face is Face.JOKER else str(face)


def _kleftis(action: Any, seen: Any) -> Move:
    groups = {group.group: group.cards for board in seen.dashboards for group in board.groups}
    match action.kind:
        case "play":
            return Move("play", (f"groups.{seen.seat}",), [f"Play {action.card} as a new group"])
        case "build":
            cards = groups[action.group]
            made = group_words(groups_made(cards)[action.card])
            say: Parts = [f"Build {action.card} on {the_group(cards)}: {made}"]
            return Move("build", (f"group.{action.group}",), say)
        case "steal":
            cards = groups[action.group]
            made = group_words(groups_made(cards)[action.card])
            say = [f"Steal {the_group(cards)} from ", action.owner, f" with {action.card}: {made}"]
            return Move("steal", (f"group.{action.group}",), say)
    if not action.groups:
        return Move("secure", (), ["Secure nothing"])
    cards = [groups[group] for group in action.groups]
    words = f"Secure {' and '.join(map(the_group, cards))}: {sum(map(len, cards))} cards"
    return Move("secure", tuple(f"group.{group}" for group in action.groups), [words])


def _hyrule(action: Any, seen: Any) -> Move:
    if action.kind == "swap":
        return Move(
            "swap", ("stock",), [f"Swap {action.card} for a card of the stock, and the next player leads"]
        )
    hidden = " face down" if seen.phase == "seal" else ""
    return Move("play", (f"slot.{seen.seat}",), [f"Play {action.card}{hidden}"])


_ASKED: Final[Mapping[str, Mapping[str, str]]] = {
    "nyuri": {
        "place": "place a pile",
        "leave": "leave your pile",
        "draw": "draw a card",
        "steal": "steal a pile",
    },
    "forty-one": {
        "draw": "draw from the stock",
        "take": "take the discard",
        "discard": "discard a card",
        "end": "end play",
    },
    "nur-mut": {
        "lay": "lay your card on a pile",
        "tuck": "tuck it under your deck",
        "try": "try your top card",
        "courage": "show courage",
        "pass": "pass",
    },
    "kleftis": {
        "play": "play a card",
        "build": "build on a group",
        "steal": "steal a group",
        "secure": "secure groups",
    },
    "hyrule": {"play": "play a card", "swap": "swap a card"},
}

_MOVES: Final[Mapping[str, Callable[[Any, Any], Move]]] = {
    "nyuri": _nyuri,
    "forty-one": _forty_one,
    "nur-mut": _nur_mut,
    "kleftis": _kleftis,
    "hyrule": _hyrule,
}
