"""Rulings: what the host or the rules add to a tournament. Each kind is one class, listed here."""

from __future__ import annotations

import json
from collections.abc import Iterable

from arena.tournament.effects import Effects
from arena.tournament.rulings.admit import Admit
from arena.tournament.rulings.annul import Annul
from arena.tournament.rulings.extend import Extend
from arena.tournament.rulings.noted import Contain, Contribute
from arena.tournament.rulings.pause import End, Go, Pause
from arena.tournament.rulings.ruling import Ruling
from arena.tournament.rulings.withdraw import Withdraw

KINDS: dict[str, type[Ruling]] = {
    each.kind: each for each in (Pause, Go, Withdraw, Admit, Annul, Extend, End, Contain, Contribute)
}
"""All kinds, in the order in which the page offers them."""


class WrongRuling(ValueError):
    """A stored text that is no ruling."""


def read_ruling(text: str) -> Ruling:
    """The ruling that was stored as this text. Raises WrongRuling."""
    try:
        values = json.loads(text)
        return KINDS[values["kind"]].from_values(values)
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError):
        raise WrongRuling(f"{text[:200]!r} is no decision that this version knows") from None


def effects_of(entrants: int, rulings: Iterable[Ruling]) -> Effects:
    """What all rulings mean together, for a tournament that began with so many entrants."""
    effects = Effects(entrants)
    for ruling in rulings:
        ruling.apply(effects)
    return effects
