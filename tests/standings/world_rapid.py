"""The FIDE Women's World Rapid Championship 2024, as it was published."""

from fractions import Fraction
from pathlib import Path

_LINES = [
    line
    for line in Path(__file__).with_name("womens_world_rapid_2024.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]
FINAL = [[Fraction(value) for value in line.split("; ")[1:]] for line in _LINES if ";" in line]
"""Points, BH-C1 and BH of each player, best first."""


def _game(text: str) -> tuple[int, int, str]:
    pair, what = text.split()
    one, other = pair.split("-")
    return int(one) - 1, int(other) - 1, what


ROUNDS = [list(map(_game, line.split(", "))) for line in _LINES if ";" not in line]
"""The games of each round: two players by their place in the end, and what the first took: 1, = or 0."""
