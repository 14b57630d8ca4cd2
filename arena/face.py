"""The face of a bot: an emblem that its author has drawn, and the language that it is written in.

Both decorate its name, and nothing is decided by them. An emblem is a text: five rows of five characters,
each on a line of its own, `#` for a filled square and `.` for an empty one; a last line may name one of
twelve colours. Pages and terminals draw these squares, so nothing that an author sends is passed on as it is.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from arena.names import name_problem

SIDE: Final = 5
"""The squares in a row and in a column of an emblem."""

COLOUR_NAMES: Final = (
    "red", "orange", "gold", "olive", "green", "jade",
    "teal", "cyan", "blue", "indigo", "purple", "pink",
)  # fmt: skip
"""The names of the hues, in the order of their numbers."""


class Face(NamedTuple):
    """What decorates the name of a bot.

    Attributes:
        language: the programming language, up to 40 printable characters; may be empty.
        emblem: its author's emblem, as text; empty if it has none of its own.
    """

    language: str = ""
    emblem: str = ""

    @property
    def cleaned(self) -> Face:
        """The same without what cannot be shown."""
        return Face(
            "" if name_problem(self.language) else self.language,
            self.emblem if squares_of(self.emblem) else "",
        )


NO_FACE: Final = Face()


def squares_of(emblem: str) -> tuple[tuple[int, int], ...]:
    """The filled squares of an emblem, each a column and a row from 0 to 4; empty if it is not an emblem."""
    rows, colour = emblem.split("\n")[:SIDE], emblem.split("\n")[SIDE:]
    right = len(rows) == SIDE and all(len(row) == SIDE and set(row) <= set("#.") for row in rows)
    if not right or (colour and (len(colour) > 1 or colour[0] not in COLOUR_NAMES)):
        return ()
    return tuple((x, y) for y, row in enumerate(rows) for x, square in enumerate(row) if square == "#")


def in_blocks(emblem: str) -> str:
    """An emblem for a terminal: three lines of half blocks."""
    rows = [*emblem.split("\n")[:SIDE], "." * SIDE]
    blocks = {"..": " ", "#.": "▀", ".#": "▄", "##": "█"}
    return "\n".join(
        "".join(blocks[upper + lower] for upper, lower in zip(*pair, strict=True))
        for pair in zip(rows[::2], rows[1::2], strict=True)
    )


def hue_of(emblem: str) -> int | None:
    """The number of the colour that an emblem names; None if it names none."""
    colour = emblem.rpartition("\n")[2]
    return COLOUR_NAMES.index(colour) if colour in COLOUR_NAMES else None
