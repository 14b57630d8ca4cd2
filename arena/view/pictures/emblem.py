"""The emblem of a bot: a small pattern in one of twelve hues, made from the bot's name or by its author."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from itertools import groupby
from typing import Final, NamedTuple

from arena.face import SIDE, hue_of, squares_of

COLOURS: Final = (
    "#965960", "#925E4C", "#83653F", "#6E6D3E", "#55724A", "#38765E",
    "#167775", "#0B758A", "#357095", "#5C6996", "#7B618A", "#8F5A77",
)  # fmt: skip
"""The hues on light ground, as page.css has them: one lightness and one chroma (CIE LCh: L 45, C 27)."""

_HALF = 3  # columns that are chosen; the others mirror them
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
