"""What a view of the page is asked for, and what is said where that is not there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from arena.page.look import Look
from arena.page.nights import Nights

Values = dict[str, Any]
"""What a template is filled with."""


class Missing(LookupError):
    """What was asked for is not there; the text is one sentence."""


class Ask(NamedTuple):
    """What a view is asked for: of which league, how it stands, and the words of its address."""

    nights: Nights
    look: Look
    query: Mapping[str, str]


def entrant_of(look: Look, number: str) -> int:
    """The entrant with a number, from 1, as addresses have it. Raises Missing."""
    if not number.isdecimal() or len(number) > 6 or not 1 <= int(number) <= len(look.names):
        raise Missing("There is no such bot.")
    return int(number) - 1
