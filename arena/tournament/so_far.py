"""The state of a tournament when a ruling was made, against which a verification checks the ruling.

The verification reads results and rulings in the order in which they were stored.
The memory grows with the matches, but not with the games.
"""

from __future__ import annotations

from collections import Counter

from arena.formats.format import Progress, Stage
from arena.results import GameResult, MatchKey
from arena.tournament.course import Course
from arena.tournament.effects import Effects, VoidBoards
from arena.tournament.plan import Plan


class SoFar:
    """The games and rulings of a tournament up to some entry of the hash chain.

    Args:
        plan: the tournament.
        entrants: how many entrants there were at the beginning.
        void: all boards that are void in the end.

    Attributes:
        plan: as given.
        effects: the effects of the rulings so far; after a change to it call `follow`.
        course: a course with these rulings and without results.
    """

    def __init__(self, plan: Plan, entrants: int, void: VoidBoards) -> None:
        self.plan = plan
        self.effects = Effects(entrants)
        self.course = Course(plan, self.effects)
        self._ruled = False
        self._void_in_the_end = void
        self._games = Counter[MatchKey]()  # that count at this point
        self._begun = 0  # how many rounds of the first stage there are up to the last one with a game
        self._void_later = Counter[tuple[MatchKey, str, int]]()  # those on boards that are void later
        self._players: dict[MatchKey, tuple[int, ...]] = {}

    def add(self, result: GameResult) -> None:
        """Adds a stored game."""
        key = result.key
        self._games[key.match_key] += 1
        if key.stage == 0:
            self._begun = max(self._begun, key.round + 1)
        self._players.setdefault(key.match_key, tuple(seat.entrant for seat in result.seats))
        if self._void_in_the_end.has_game(key):
            self._void_later[key.match_key, key.game, key.board] += 1

    def follow(self) -> None:
        """Makes a new course after a ruling was added to the effects."""
        self._ruled = True
        self.course = Course(self.plan, self.effects)
        for board in [board for board in self._void_later if self.effects.void.has(*board)]:
            self._games[board[0]] -= self._void_later.pop(board)

    @property
    def is_beginning(self) -> bool:
        """Whether there are no games and rulings yet."""
        return not self._games and not self._ruled

    def progress(self, stage: Stage) -> Progress:
        """The least progress of the first stage by the stored games, without walkovers."""
        begun, over = self._begun, 0
        if not stage.depends_on_results:
            while over < begun and (round_ := stage.round(over, {})) is not None:
                if not all(self._is_over(match.key) for match in round_.matches):
                    break
                over += 1
        return Progress(over, begun)

    def begun_after(self, stage: int, round_: int | None) -> bool:
        """Whether a game of a later stage was played or, for a round, of a later round of this stage."""
        return any(
            key.stage > stage or (round_ is not None and key.stage == stage and key.round > round_)
            for key, games in self._games.items()
            if games
        )

    def matches_played(self, stage: int, entrant: int) -> int:
        """How many matches of a stage an entrant had finished."""
        return sum(
            key.stage == stage and entrant in players and self._is_over(key)
            for key, players in self._players.items()
        )

    def _is_over(self, key: MatchKey) -> bool:
        """Whether a match was played to its end, without regard to extra boards."""
        games = self.course.tally.boards_of(key) * len(self.plan.games) * len(self._players.get(key, ()))
        return 0 < games <= self._games[key]
