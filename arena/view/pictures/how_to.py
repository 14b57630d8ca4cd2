"""How to play a game, in short, for people at the table.

The words are the section "In short" of the game's page of rules, so `arena games GAME` prints them too. It
has the goal as a paragraph, a turn as a numbered list, a paragraph that begins with "Scoring:", and the words
of the table as a list. The cards drawn beside the steps of a turn come from the game's picture.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

from arena.cards import ALL_CARDS, SUIT_SYMBOLS, Card
from arena.games import GAMES
from arena.games.nur_mut_values import Face
from arena.games.pages import rules_page
from arena.view.pictures.games import PICTURES

_SECTION: Final = re.compile(r"^## In short\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_SCORING: Final = "Scoring: "
_WORD: Final = re.compile(r"\*\*(.+?)\*\*: (.*)")
_NUMBERS: Final = {each.text: int(each) for each in ALL_CARDS}


class StepOfTurn(NamedTuple):
    """A step of a turn in words, and the cards drawn beside it (see `cards_of`)."""

    text: str
    cards: str


class HowTo(NamedTuple):
    """How to play a game.

    Attributes:
        goal: what a player wants, a sentence.
        turn: the steps of a turn.
        scoring: what counts.
        words: the words that the table uses, each with its meaning.
    """

    goal: str
    turn: tuple[StepOfTurn, ...]
    scoring: str
    words: tuple[tuple[str, str], ...]


@cache
def how_to(game: str) -> HowTo | None:
    """How to play a game; None if its page of rules has no section "In short"."""
    found = _SECTION.search(rules_page(GAMES[game]) or "") if game in GAMES else None
    if found is None:
        return None
    goal, scoring, steps, words = [], "", [], []
    for block in found[1].strip().split("\n\n"):
        if block.startswith("1. "):
            steps = [_line(each) for each in re.split(r"^\d\. ", block, flags=re.MULTILINE)[1:]]
        elif block.startswith("* "):
            words = [_line(each) for each in re.split(r"^\* ", block, flags=re.MULTILINE)[1:]]
        elif block.startswith(_SCORING):
            scoring = _line(block.removeprefix(_SCORING))
        else:
            goal.append(_line(block))
    scenes = PICTURES[game].scenes if game in PICTURES else ()
    return HowTo(
        " ".join(goal),
        tuple(
            StepOfTurn(text, cards_of(scenes[number]) if number < len(scenes) else "")
            for number, text in enumerate(steps)
        ),
        scoring[:1].upper() + scoring[1:],
        tuple((word[1], word[2]) for each in words if (word := _WORD.fullmatch(each))),
    )


def cards_of(scene: str) -> str:
    """A scene for the browser: cards as their numbers, and other signs as they are.

    Args:
        scene: cards such as `9s` or `10h`, `n5` for a number of Nur Mut, `back`, `brown` for its back, and
            other signs, with blanks between them.
    """
    return " ".join(map(_sign, scene.split()))


def _sign(text: str) -> str:
    suit = "cdhs".find(text[-1])
    return str(_NUMBERS.get(text[:-1] + SUIT_SYMBOLS[suit], text) if suit >= 0 else _NUMBERS.get(text, text))


def signs_in(value: object) -> list[str]:
    """The cards in an event, or in a part of one, for the browser; see `cards_of`."""
    match value:
        case Card():
            return [str(int(value))]
        case Face():
            return [f"n{int(value)}"]
        case tuple():
            return [sign for part in value for sign in signs_in(part)]
    return []


def _line(text: str) -> str:
    return " ".join(text.split())
