"""What all rulings mean together for a tournament: who is withdrawn, what is void, paused or added."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from arena.formats.format import Change
from arena.results import GameKey, MatchKey

_FRESH = 1_000_000
"""Fresh boards are numbered from here on, above all that a tournament can have."""


_Board = tuple[MatchKey, str, int]
"""A board of a match in one game."""


class VoidBoard(NamedTuple):
    """A board of a match, in one game, that counts no more, and the number of the board in its place.

    Attributes:
        stage, round, match, game, board: which board, as in a GameKey.
        fresh: the number, above all others, of the board that is played instead;
            the seating is the same.
    """

    stage: int
    round: int
    match: int
    game: str
    board: int
    fresh: int


class VoidBoards:
    """The boards of a tournament that were annulled."""

    def __init__(self) -> None:
        self._void: dict[_Board, int] = {}  # with the numbers of the boards in their places
        self._in_place_of: dict[_Board, int] = {}  # of these boards, the numbers that were planned

    @property
    def next_fresh(self) -> int:
        """The number of the next fresh board."""
        return _FRESH + len(self._in_place_of)

    def add(self, boards: Iterable[VoidBoard]) -> None:
        """Boards are void."""
        for stage, round_, match, game, board, fresh in boards:
            key = MatchKey(stage, round_, match)
            self._void[key, game, board] = fresh
            self._in_place_of[key, game, fresh] = self.planned(key, game, board)

    def has(self, match: MatchKey, game: str, board: int) -> bool:
        """Whether a board counts no more."""
        return (match, game, board) in self._void

    def has_game(self, key: GameKey) -> bool:
        """Whether a game counts no more."""
        return self.has(key.match_key, key.game, key.board)

    def planned(self, match: MatchKey, game: str, board: int) -> int:
        """The number that was planned for a board that may be a fresh one."""
        return self._in_place_of.get((match, game, board), board)

    def played(self, match: MatchKey, game: str, board: int) -> int:
        """The number of the board that is played for a planned one: its own, or that in its place."""
        while (fresh := self._void.get((match, game, board))) is not None:
            board = fresh
        return board


class WithdrawnAt(NamedTuple):
    """When an entrant was withdrawn: the stage, and the first round for which it is not paired there."""

    stage: int
    round: int


class Effects:
    """What all rulings about a tournament mean together; each adds to it (`Ruling.apply`).

    Args:
        entrants: how many there were when it began.

    Attributes:
        first_entrants: how many there were when it began.
        entrants: how many there are, those included that came late.
        withdrawn: the entrants that play no more, in the order in which they left.
        left_out: by stage, those of them that are left out of its scores.
        void: the boards that count no more.
        changes: by stage, what was added to it, in order.
        added: by stage, the boards that were added to its matches: from which round on, and how many.
        paused: whether no further games begin.
        ended: whether the host ended it before it was over.
        contained: by entrant the level at which its bot is contained, as far as that was noted.
        lacking: what the machine did not have of these levels.
        given: the bytes that bots have put into the deals, by the numbers of their entrants.
    """

    def __init__(self, entrants: int) -> None:
        self.first_entrants = self.entrants = entrants
        self.withdrawn: dict[int, WithdrawnAt] = {}
        self.left_out: dict[int, set[int]] = {}
        self.void = VoidBoards()
        self.changes: dict[int, list[Change]] = {}
        self.added: dict[int, list[tuple[int, int]]] = {}
        self.paused = self.ended = False
        self.contained: tuple[str, ...] = ()
        self.lacking: tuple[str, ...] = ()
        self.given: Mapping[int, bytes] = {}

    def is_gone(self, entrant: int, stage: int) -> bool:
        """Whether an entrant was withdrawn by the time a stage was over."""
        gone = self.withdrawn.get(entrant)
        return gone is not None and gone.stage <= stage

    def gone_from(self, stage: int) -> dict[int, int]:
        """Who is not paired any more in a stage, and from which of its rounds on."""
        return {
            entrant: gone.round if gone.stage == stage else 0
            for entrant, gone in self.withdrawn.items()
            if gone.stage <= stage
        }
