"""The emblem of a bot: a small pattern in one of twelve hues, made from the bot's name or by its author."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import groupby
from typing import Final, NamedTuple

from arena.face import SIDE, hue_of, squares_of
from arena.league.store import StoredTournament
from arena.names import without_version
from arena.text import one_line

COLOURS: Final = (
    "#965960", "#925E4C", "#83653F", "#6E6D3E", "#55724A", "#38765E",
    "#167775", "#0B758A", "#357095", "#5C6996", "#7B618A", "#8F5A77",
)  # fmt: skip
"""The hues on light ground, as page.css has them: one lightness and one chroma (CIE LCh: L 45, C 27)."""

_HALF = 3  # columns that are chosen; the others mirror them
_CORNERS = ((0, 0), (SIDE - 1, SIDE - 1), (SIDE - 1, 0), (0, SIDE - 1))
_VARIED = 48  # variations of an emblem: the least number that 12 hues and 16 sets of corners divide
_STEP = 5  # hues between two variations: neighbours differ little, and in 12 steps each hue comes once
_FEWEST, _MOST = 6, 10  # filled squares of the chosen columns, so that no pattern is empty or full


class Emblem(NamedTuple):
    """An emblem.

    Attributes:
        hue: the number of its hue, from 0, in `COLOURS`.
        squares: the filled squares of its pattern, each a column and a row from 0 to 4.
    """

    hue: int
    squares: tuple[tuple[int, int], ...]

    @property
    def drawn(self) -> tuple[int, str]:
        """The hue and the path, for a browser."""
        return self.hue, self.path

    @property
    def path(self) -> str:
        """The pattern as the path of an SVG image in a box of 5 by 5."""
        path = ""
        for row in range(SIDE):
            filled = [(column, row) in self.squares for column in range(SIDE)]
            column = 0
            for kind, run in groupby(filled):
                width = len([*run])
                path += f"M{column} {row}h{width}v1h-{width}z" if kind else ""
                column += width
        return path


@lru_cache(4096)
def emblem_of(name: str, drawn: str = "") -> Emblem:
    """The emblem of a bot.

    Args:
        name: its name; the emblem that is made from it is the same in every tournament, and symmetrical from
            left to right.
        drawn: the emblem that its author has drawn (see `arena.face`), which is shown instead; may be empty.
    """
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()
    hue = digest[0] % len(COLOURS)
    if squares := squares_of(drawn):
        chosen = hue_of(drawn)
        return Emblem(hue if chosen is None else chosen, squares)
    number = int.from_bytes(digest[1:], "big")
    while not _FEWEST <= (number & (1 << SIDE * _HALF) - 1).bit_count() <= _MOST:
        number >>= 1
    made = (
        (column, row)
        for row in range(SIDE)
        for column in range(SIDE)
        if number >> row * _HALF + min(column, SIDE - 1 - column) & 1
    )
    return Emblem(hue, tuple(made))


def emblems_of(bots: Iterable[tuple[str, str]]) -> list[Emblem]:
    """The emblems of the entrants of a tournament, all different.

    The first entrant with an emblem has it as it is; for each other bot with the same one its hue and its
    corners are changed. Versions of one bot (see `without_version`) may have the same.

    Args:
        bots: for each entrant, in order, its name and the emblem that its author has drawn; may be empty.
    """
    owners: dict[Emblem, str] = {}
    found = []
    for name, drawn in bots:
        owner, own = without_version(name), emblem_of(name, drawn)
        free = (each for each in _variations(own) if owners.setdefault(each, owner) == owner)
        found.append(next(free, own))
    return found


def emblems_in(tournament: StoredTournament) -> list[Emblem]:
    """The emblem of each entrant of a tournament; see `emblems_of`."""
    both = zip(tournament.entrants, tournament.faces, strict=True)
    return emblems_of((one_line(entrant.name), face.emblem) for entrant, face in both)


def _variations(emblem: Emblem) -> Iterator[Emblem]:
    """An emblem, and others made from it, all different."""
    yield emblem
    for number in range(1, _VARIED):
        changed = {corner for at, corner in enumerate(_CORNERS) if number >> at & 1}
        squares = changed.symmetric_difference(emblem.squares)
        if squares:
            yield Emblem(
                (emblem.hue + _STEP * number) % len(COLOURS),
                tuple(sorted(squares, key=lambda each: each[::-1])),
            )
