"""Who comes out ahead in a match that must be decided.

Two rules, in this order:

1. A tie across the border between those who go on and those who do not is
   broken by **extra boards**, played by all the match's entrants one at a time
   until the border is clear or the tournament's limit is reached. The first
   extra board on which tied entrants differ decides between them.
2. Entrants still tied after that are ranked by their **seed**, better first.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from arena.results import Match, MatchResult

MAX_EXTRA_BOARDS = 100_000

Standing = tuple[Fraction, ...]
"""An entrant's score in a match and then on its extra boards, oldest first; compares as they rank."""


def standing_by_entrant(match: Match, result: MatchResult) -> dict[int, Standing]:
    """What each entrant of a match is ranked by.

    Raises:
        ValueError: the result is not of this match's entrants.
    """
    if sorted(result.entrants) != sorted(match.entrants):
        raise ValueError(
            f"the result of {match.label} is of entrants {result.entrants}, its entrants are {match.entrants}"
        )
    rows = zip(result.scores, *result.extra, strict=True)
    return dict(zip(result.entrants, rows, strict=True))


def needs_extra_board(match: Match, result: MatchResult, max_extra: int) -> bool:
    """Whether one more extra board is to be played (rule 1).

    Args:
        match: the match; one without `qualify` never needs one.
        result: its result so far, all regular games over.
        max_extra: how many extra boards a match may have.
    """
    if match.qualify is None or match.qualify >= len(match.entrants) or len(result.extra) >= max_extra:
        return False
    best_first = sorted(standing_by_entrant(match, result).values(), reverse=True)
    return best_first[match.qualify - 1] == best_first[match.qualify]


def ranked(match: Match, result: MatchResult, seeds: Mapping[int, int]) -> tuple[int, ...]:
    """The match's entrants, best first: by score, then extra boards in turn, then seed (rules 1 and 2).

    Args:
        match: the match.
        result: its result, extra boards included.
        seeds: the seed number of each entrant; lower is better.
    """
    by_seed = sorted(match.entrants, key=seeds.__getitem__)
    return tuple(sorted(by_seed, key=standing_by_entrant(match, result).__getitem__, reverse=True))
