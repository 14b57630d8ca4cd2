"""Did a change help? A version of a bot against its predecessor, of the same tournament.

The two never meet. So each board of the new version is paired with a board of the predecessor against the
same opponent in the same game: the first with the first, the second with the second. A pair's score is 1 if
the new version won everything on its board and the predecessor nothing on its own, and a half if both did
equally well. If neither is better, no bet on these scores pays on average, whichever opponents the new
version meets. So the interval (`arena.comparison.betting`) holds however often an author looks.

Pairs use only a part of the games. The difference of the ratings uses all of them, and holds for one look: so
it is told only beside a finding that it does not contradict.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from arena.comparison.comparison import first_score
from arena.comparison.question import LEVEL, Estimate, Finding, Precision, estimate, finding_of
from arena.results import BoardResult, GameResult, board_of
from arena.standings.difference import difference
from arena.standings.tally import DuplicateGroup
from arena.standings.values import Difference

PRECISION: Final = Precision(error=0.05, margin=0.05)
"""The precision of the answer: as `arena compare` asks about all games."""

_VERDICTS = {
    Finding.BETTER: "is better than",
    Finding.WORSE: "is worse than",
    Finding.NO_DIFFERENCE: "plays about as well as",
}


class Change(NamedTuple):
    """A new version against its predecessor.

    Attributes:
        pairs: the mean score of the pairs of boards, with its interval; above a half if the new version is
            better.
        finding: what the pairs show; None as long as that is open.
        rating: how much higher the new version's rating is; None if the results do not bound it.
    """

    pairs: Estimate
    finding: Finding | None
    rating: Difference | None

    def sentence(self, new: str, old: str) -> str:
        """What is known, with one verdict; `new` and `old` name the versions, such as "version 3"."""
        known, rating = self.pairs, self.rating
        if known.score is None:
            return f"Nobody can say yet whether {new} is better than {old}: they have no opponent in common."
        many = "1 pair" if known.boards == 1 else f"{known.boards} pairs"
        shown = (
            f"{_percent(known.score)} in {many} of boards against the same opponents "
            f"(95 %: {_percent(known.low)} to {_percent(known.high)}; 50 % is level)"
        )
        if rating is not None and self._agrees(rating):
            shown += f", rating {rating.value:+.0f} (95 %: {rating.low:+.0f} to {rating.high:+.0f})"
        if self.finding is None:
            return f"It is open whether {new} is better than {old}: {shown}."
        begun = f"{new} {_VERDICTS[self.finding]} {old}"
        return f"{begun[0].upper()}{begun[1:]}: {shown}."

    def _agrees(self, rating: Difference) -> bool:
        """Whether the difference of the ratings says what the finding says."""
        if self.finding is Finding.BETTER:
            return rating.low > 0
        return self.finding is Finding.WORSE and rating.high < 0


def change(boards: Iterable[BoardResult], groups: Mapping[DuplicateGroup, int], new: int, old: int) -> Change:
    """Compares a new version with its predecessor.

    Args:
        boards: the boards of the tournament, at tables of two seats, in the order of their rounds.
        groups: the duplicate groups of all games, for the ratings.
        new, old: the entrants.
    """
    known = estimate(paired_scores(boards, new, old), PRECISION, anytime=True)
    return Change(known, finding_of(known, PRECISION), difference(groups, new, old))


def boards_of(games: Iterable[GameResult]) -> list[BoardResult]:
    """The boards of some games at tables of two seats, in the order of their first games."""
    boards: dict[tuple[object, ...], BoardResult] = {}
    for board in map(board_of, games):
        before = boards.get(board[:5])
        boards[board[:5]] = board._replace(places=(*before.places, *board.places)) if before else board
    return [*boards.values()]


def paired_scores(boards: Iterable[BoardResult], new: int, old: int) -> list[float]:
    """The scores of the pairs of complete boards, from 0 to 1; above a half the new version did better."""
    scores = defaultdict[tuple[int, str], tuple[list[float], list[float]]](lambda: ([], []))
    for board in boards:
        own = set(board.entrants) & {new, old}
        if len(own) != 1 or len(board.places) < len(board.entrants):
            continue
        (who,) = own
        position = board.entrants.index(who)
        opponent = board.entrants[1 - position]
        score = sum(
            first_score((places[position], places[1 - position])) for _, places in board.places
        ) / len(board.places)
        scores[opponent, board.game][who == old].append(score)
    return [
        LEVEL + (later - earlier) / 2
        for of_new, of_old in scores.values()
        for later, earlier in zip(of_new, of_old, strict=False)
    ]


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
