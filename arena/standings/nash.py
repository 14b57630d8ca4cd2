"""The Nash average of bots: the score of each against the mix of bots from which none takes more than half.

The mix is a Nash equilibrium of the symmetric game in which two players choose a bot each: how often a
player should choose which one. Of several equilibria it is the one of greatest entropy (D. Balduzzi,
K. Tuyls, J. Perolat, T. Graepel, "Re-evaluating evaluation", NeurIPS 2018). So a bot that is entered twice
shares its weight with its copy, and the scores of the others stay the same.

**The computation.** With a reward of T times the entropy of its mix, each player chooses each bot in
proportion to exp(margin / T): its margin is what it scores above one half against the mix. As T falls to 0
these mixes approach the equilibrium of greatest entropy. T is halved again and again, and the equations are
solved each time by Newton's method, with steps that are halved until the error falls. Their Jacobian is
1 - AM / T for the antisymmetric margins A and the covariance M of the choice. The eigenvalues of AM are
imaginary, so the Jacobian is never singular.
"""

from __future__ import annotations

import numpy as np

from arena.standings.elimination import Floats

TOLERANCE = 1e-6
"""No bot scores more than this above one half against the mix (for fewer than 22,000 bots)."""
_COLDEST = 1e-7  # T; the largest margin is at most T times the entropy
_EXACT = 1e-6  # of the logits
_MOST_STEPS = 100  # at each T; a few are enough
_LEAST_STEP = 1e-6


def equilibrium(margins: Floats) -> Floats:
    """The weight of each bot in the mix, to TOLERANCE; they sum to 1.

    Args:
        margins: what the row scores above one half against the column; antisymmetric, from -1/2 to 1/2.
    """
    logits: Floats = np.zeros(len(margins))
    coldness = 1.0
    while coldness * _COLDEST < 1:
        coldness = min(coldness * 2, 1 / _COLDEST)
        logits = _solved(margins * coldness, logits)
    return _mix(logits)


def _solved(margins: Floats, logits: Floats) -> Floats:
    """The logits that equal the margins against their own mix, from a first guess."""
    mix = _mix(logits)
    error = margins @ mix - logits
    for _ in range(_MOST_STEPS):
        if np.abs(error).max() < _EXACT:
            break
        covariance = np.diag(mix) - np.outer(mix, mix)
        step = np.linalg.solve(np.eye(len(mix)) - margins @ covariance, error)
        part = 1.0
        while part > _LEAST_STEP:
            further = logits + part * step
            its_mix = _mix(further)
            its_error = margins @ its_mix - further
            if its_error @ its_error < (1 - part / 2) * (error @ error):
                break
            part /= 2
        else:
            break  # rounding is all that is left
        logits, mix, error = further, its_mix, its_error
    return logits


def _mix(logits: Floats) -> Floats:
    weights = np.exp(logits - logits.max())
    mix: Floats = weights / weights.sum()
    return mix
