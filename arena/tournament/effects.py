"""The combined effects of all rulings: withdrawn entrants, void boards, added boards and cycles, pauses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from arena.formats.format import Change
from arena.results import GameKey, MatchKey

_FRESH = 1_000_000
"""The number of the first fresh board, above all planned ones."""


_Board = tuple[MatchKey, str, int]
"""A board of a match in one game."""


class VoidBoard(NamedTuple):
    """An annulled board of a match, in one game, and the board that replaces it.

    Attributes:
        stage, round, match, game, board: the board, as in a GameKey.
        fresh: the number of the fresh board that is played instead, with the
            same seating.
    """

    stage: int
    round: int
    match: int
    game: str
    board: int
    fresh: int


class VoidBoards:
    """The annulled boards of a tournament."""

    def __init__(self) -> None:
        self._void: dict[_Board, int] = {}  # with the numbers of their replacements
        self._in_place_of: dict[_Board, int] = {}  # the planned numbers of these replacements
        self._of_rounds: set[tuple[int, int, str, int]] = set()  # the void boards without their matches

    @property
    def next_fresh(self) -> int:
        """The number of the next fresh board."""
        return _FRESH + len(self._in_place_of)

    def add(self, boards: Iterable[VoidBoard]) -> None:
        """Annuls boards."""
        for stage, round_, match, game, board, fresh in boards:
            key = MatchKey(stage, round_, match)
            self._void[key, game, board] = fresh
            self._of_rounds.add((stage, round_, game, board))
            self._in_place_of[key, game, fresh] = self.planned(key, game, board)

    def has(self, match: MatchKey, game: str, board: int) -> bool:
        """Whether a board is void."""
        return (match, game, board) in self._void

    def has_game(self, key: GameKey) -> bool:
        """Whether a game is on a void board."""
        return self.has(key.match_key, key.game, key.board)

    def has_at_a_table(self, key: GameKey) -> bool:
        """Whether a board of a round is void in any of its matches."""
        return (key.stage, key.round, key.game, key.board) in self._of_rounds

    def planned(self, match: MatchKey, game: str, board: int) -> int:
        """The planned number of a board, which may be a fresh one."""
        return self._in_place_of.get((match, game, board), board)

    def played(self, match: MatchKey, game: str, board: int) -> int:
        """The number of the board that is played for a planned one: itself, or its last replacement."""
        while (fresh := self._void.get((match, game, board))) is not None:
            board = fresh
        return board


class WithdrawnAt(NamedTuple):
    """When an entrant was withdrawn: the stage, and its first round without the entrant."""

    stage: int
    round: int


class Effects:
    """The combined effects of all rulings about a tournament; each ruling adds its own (`Ruling.add_to`).

    Args:
        entrants: how many entrants there were at the beginning.

    Attributes:
        first_entrants: how many entrants there were at the beginning.
        entrants: how many there are, including late ones.
        rulings: how many rulings there are.
        withdrawn: the withdrawn entrants, in the order in which they left.
        left_out: by stage, the withdrawn entrants that are left out of its scores.
        void: the void boards.
        changes: by stage, its late entrants and added cycles, in order.
        added: by stage, the boards that were added to its matches: from which round on, and how many.
        tables: at how many tables each instance of an entrant may play at once, if the host has limited it.
        paused: whether no further games begin.
        ended: whether the host ended the tournament early.
        contained: the sandbox level of each entrant's bot, as far as noted.
        lacking: the parts of these levels that the machine did not have.
        shown: the matches that the host has shown, of those that it shows.
        shows_all: whether all else is shown as soon as it is played.
        given: the bytes that bots have put into the deals, by the numbers of their entrants.
    """

    def __init__(self, entrants: int) -> None:
        self.first_entrants = self.entrants = entrants
        self.rulings = 0
        self.withdrawn: dict[int, WithdrawnAt] = {}
        self.left_out: dict[int, set[int]] = {}
        self.void = VoidBoards()
        self.changes: dict[int, list[Change]] = {}
        self.added: dict[int, list[tuple[int, int]]] = {}
        self.tables: dict[int, int] = {}
        self.paused = self.ended = False
        self.contained: tuple[str, ...] = ()
        self.lacking: tuple[str, ...] = ()
        self.shown: set[MatchKey] = set()
        self.shows_all = False
        self.given: Mapping[int, bytes] = {}

    def is_gone(self, entrant: int, stage: int) -> bool:
        """Whether an entrant was withdrawn before the end of a stage."""
        gone = self.withdrawn.get(entrant)
        return gone is not None and gone.stage <= stage

    def gone_from(self, stage: int) -> dict[int, int]:
        """The entrants that are no longer paired in a stage, with their first rounds of absence."""
        return {
            entrant: gone.round if gone.stage == stage else 0
            for entrant, gone in self.withdrawn.items()
            if gone.stage <= stage
        }
