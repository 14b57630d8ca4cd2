"""How well a bot's own estimates of its score hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean, pvariance
from typing import Final, NamedTuple

BANDS: Final = 5
"""The estimates are told in so many bands of the same width."""


class Band(NamedTuple):
    """The estimates in a band: their number, their mean, and the mean score of their games."""

    estimates: int
    estimate: float
    score: float


class Calibration(NamedTuple):
    """How well the estimates of a bot hold. Errors are mean squared differences to the score; 0 is best.

    Attributes:
        games: the games with estimates.
        first: the error of the first estimate of each game.
        last: the error of the last one.
        plain: the error of a bot that always says the mean score of these games.
        bands: the estimates by their size, the lowest first; bands without any are left out.
    """

    games: int
    first: float
    last: float
    plain: float
    bands: tuple[Band, ...]


def calibration_of(games: Iterable[tuple[Sequence[float], float]]) -> Calibration | None:
    """How well estimates hold; None if there are none.

    Args:
        games: for each game the bot's estimates, the oldest first, and its score, from 0 to 1.
    """
    told = [(estimates, score) for estimates, score in games if estimates]
    if not told:
        return None
    bands: dict[int, list[tuple[float, float]]] = {}
    for estimates, score in told:
        for estimate in estimates:
            bands.setdefault(min(int(estimate * BANDS), BANDS - 1), []).append((estimate, score))
    return Calibration(
        len(told),
        fmean((estimates[0] - score) ** 2 for estimates, score in told),
        fmean((estimates[-1] - score) ** 2 for estimates, score in told),
        pvariance([score for _, score in told]),
        tuple(Band(len(band), *map(fmean, zip(*band, strict=True))) for _, band in sorted(bands.items())),
    )
