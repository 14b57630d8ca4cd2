"""The picture of a night for link previews: the emblems of the best bots on a podium, as a PNG.

It has no text: programs that show it show the title of the page beside it.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from typing import Final

from arena.view.pictures.emblem import COLOURS, Emblem

WIDTH: Final = 1200
HEIGHT: Final = 630

_STEPS = ((500, 250), (200, 330), (800, 390))  # left and top of the first, second and third step
_STEP_WIDTH = 200
_SQUARE = 32  # pixels of a square of an emblem
_FELT, _STEP, _EDGE = "#D5E3D8", "#FFFDF8", "#7A5A00"
_PALETTE = (_FELT, _STEP, _EDGE, *COLOURS)


def preview(emblems: Sequence[Emblem]) -> bytes:
    """The picture, a PNG of `WIDTH` by `HEIGHT` pixels.

    Args:
        emblems: those of the best bots, the first one first; at most three are shown.
    """
    rows = [bytearray(WIDTH) for _ in range(HEIGHT)]

    def fill(left: int, top: int, width: int, height: int, colour: int) -> None:
        for row in rows[top : top + height]:
            row[left : left + width] = bytes([colour]) * width

    for emblem, (left, top) in zip(emblems, _STEPS, strict=False):
        fill(left, top, _STEP_WIDTH, HEIGHT - top, 1)
        fill(left, top, _STEP_WIDTH, 8, 2)
        for column, row in emblem.squares:
            x, y = left + 20 + column * _SQUARE, top - 190 + row * _SQUARE
            fill(x, y, _SQUARE, _SQUARE, 3 + emblem.hue)
    return _png(rows)


def _png(rows: Sequence[bytearray]) -> bytes:
    """A PNG of one byte a pixel, each a number in `_PALETTE` (RFC 2083)."""
    head = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 3, 0, 0, 0)
    colours = b"".join(bytes.fromhex(colour[1:]) for colour in _PALETTE)
    pixels = zlib.compress(b"".join(b"\0" + row for row in rows))
    parts = [(b"IHDR", head), (b"PLTE", colours), (b"IDAT", pixels), (b"IEND", b"")]
    chunks = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)
