"""A request for a view of the page, and the error where what it asks for is not there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from arena.page.league_reader import LeagueReader
from arena.page.snapshot import Snapshot

Values = dict[str, Any]
"""What a template is filled with."""


class Missing(LookupError):
    """What was asked for is not there; the text is one sentence."""


class Ask(NamedTuple):
    """What a view is asked for: of which league, how it stands, and the words of its address."""

    reader: LeagueReader
    snapshot: Snapshot
    query: Mapping[str, str]


def entrant_of(snapshot: Snapshot, number: str) -> int:
    """The entrant with a number, from 1, as addresses have it. Raises Missing."""
    if not number.isdecimal() or len(number) > 6 or not 1 <= int(number) <= len(snapshot.names):
        raise Missing("There is no such bot.")
    return int(number) - 1
