"""Plain values for matches, games and their results, shared by pairing, playing, storing and counting.

A **game** is one play from a deal to an outcome; a **match** is the duplicate games
between the same entrants; a **round** is matches of which each entrant plays
at most one; a **stage** is one format; a **tournament** is its stages in order.
Entrants are numbered from 0 in the order of the tournament file, which is
also their first seeding. Stages, rounds, matches, boards and rotations are
numbered from 0, and printed from 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from fractions import Fraction
from functools import lru_cache
from typing import Final, Literal, NamedTuple, Self

TieBreakEdition = Literal[2024, 2026]
"""An edition of the FIDE Handbook's C.07 (Play-Off and Tie-Break Regulations), by the year from which it
holds: from 1 August 2024 and from 1 March 2026. `arena.standings.tiebreaks` says in what they differ."""

LATEST_EDITION: Final[TieBreakEdition] = 2026
"""The edition for new tournaments."""

SharedCards = Literal["round", "match", "none"]
"""The games that have the same cards: those of all matches of a round, of one match, or none."""

FAULT_REASONS = ("timeout", "illegal_action", "unknown_turn", "crash", "disconnect", "protocol")
"""The kinds of fault, as in the protocol's FaultReason."""


Ranking = tuple[tuple[int, ...], ...]
"""Entrants ranked, best first; those that share a place are together, in seed order."""


class MatchKey(NamedTuple):
    """Names a match of a tournament."""

    stage: int
    round: int
    match: int

    def __str__(self) -> str:
        return f"{self.stage + 1}.{self.round + 1}.{self.match + 1}"


class GameKey(NamedTuple):
    """Names a game of a tournament, uniquely.

    Attributes:
        board: the number of the board in its match; extra boards follow the regular ones.
        rotation: by how many seats the entrants are moved round from their
            seats in the board's rotation 0.
        seating: for each seat, from 0, the position in the match of the entrant that
            sits there. Empty in a key that only names
            a game: the other fields are enough for that.
    """

    stage: int
    round: int
    match: int
    game: str
    board: int
    rotation: int
    seating: tuple[int, ...] = ()

    @property
    def special_seating(self) -> tuple[int, ...]:
        """The seating if it does not follow from the rotation; empty if it is the cyclic one.

        This form is hashed and recorded, so that games of two seats, and
        games from before there was a choice, keep their hashes.
        """
        return () if self.seating == cyclic_seating(len(self.seating), self.rotation) else self.seating

    @property
    def match_key(self) -> MatchKey:
        """The match that the game belongs to."""
        return MatchKey(self.stage, self.round, self.match)

    def __str__(self) -> str:
        return f"{self.match_key}/{self.game}/{self.board + 1}.{self.rotation + 1}"


def read_match_key(text: str) -> MatchKey | None:
    """The match that a text such as 1.3.2 names; None for another form."""
    numbers = text.split(".")
    if len(numbers) != 3 or not all(map(_counts, numbers)):
        return None
    return MatchKey(*(int(number) - 1 for number in numbers))


def read_game_key(text: str) -> GameKey | None:
    """The game that a text such as 1.3.2/nyuri/1.2 names; None for another form."""
    match text.split("/"):
        case [match_text, game, deal_text]:
            match_key, deal = read_match_key(match_text), deal_text.split(".")
            if match_key and len(deal) == 2 and all(map(_counts, deal)):
                return GameKey(*match_key, game, int(deal[0]) - 1, int(deal[1]) - 1)
    return None


def _counts(text: str) -> bool:
    """Whether a text is a number from 1 with at most nine digits, such as that of a round or a board."""
    return len(text) < 10 and text.isdecimal() and int(text) > 0


@lru_cache
def cyclic_seating(seats: int, rotation: int) -> tuple[int, ...]:
    """The seating in which the match's entrant i sits at seat (i + rotation) mod seats."""
    return tuple([(seat - rotation) % seats for seat in range(seats)])


class BoardResult(NamedTuple):
    """The results of a match's board, as far as it was played.

    Attributes:
        stage, round, match, game, board: the board, as in a GameKey.
        entrants: the entrants, in the order of the match.
        places: for each finished rotation its number, and the place of
            each entrant in the order of `entrants`.
    """

    stage: int
    round: int
    match: int
    game: str
    board: int
    entrants: tuple[int, ...]
    places: tuple[tuple[int, tuple[int, ...]], ...]


def board_of(result: GameResult) -> BoardResult:
    """A game as the only played one of its board.

    Raises:
        ValueError: the seating is not one of so many seats.
    """
    key, seats, _ = result
    taken = _taken_seats(key.seating)
    if len(taken) != len(seats):
        raise ValueError(f"game {key} has {len(seats)} seats, so {key.seating} cannot be its seating")
    entrants = tuple([seats[seat].entrant for seat in taken])
    return BoardResult(*key[:5], entrants, ((key.rotation, tuple([seats[seat].place for seat in taken])),))


@lru_cache(1 << 14)
def _taken_seats(seating: tuple[int, ...]) -> tuple[int, ...]:
    """The seat of each of a match's entrants; empty if the seating is invalid."""
    positions = range(len(seating))
    return tuple(map(seating.index, positions)) if sorted(seating) == [*positions] else ()


class Conduct(NamedTuple):
    """An entrant's faults, decisions and time in some games of a stage, without the results.

    Attributes:
        games: the number of games.
        forfeits: the games it forfeited.
        faults: how many faults of each kind were charged, in the order of FAULT_REASONS.
        decisions: the turns it was asked.
        time: the time it took for them, in microseconds.
        match: the match that all the games belong to; None for games of several matches.
    """

    stage: int
    entrant: int
    games: int
    forfeits: int
    faults: tuple[int, ...]
    decisions: int
    time: int
    match: MatchKey | None = None


class Results(NamedTuple):
    """Results of some games, as standings count them.

    Attributes:
        boards: the results of the boards, or of some of their rotations.
        conducts: how the entrants played.
        lucks: the luck of the matches' first entrants in games, as far as it is known, by its baseline.
    """

    boards: Iterable[BoardResult]
    conducts: Iterable[Conduct]
    lucks: Iterable[tuple[GameKey, str, float]] = ()

    @classmethod
    def of(cls, game: GameResult) -> Self:
        """Those of one game. Raises ValueError as `board_of`."""
        match = game.key.match_key
        conducts = [
            Conduct(match.stage, entrant, 1, forfeit, faults, decisions, time, match)
            for entrant, _, _, forfeit, faults, decisions, time in game.seats
        ]
        return cls((board_of(game),), conducts)


class SeatResult(NamedTuple):
    """The result of one entrant in one game.

    Attributes:
        entrant: the entrant.
        place: 1 is best; tied seats share a place.
        points: the game's own points.
        forfeit: whether the entrant forfeited the game.
        faults: how many faults of each kind were charged, in the order of FAULT_REASONS.
        decisions: the turns it was asked.
        time: the time that it took for them, in microseconds.
    """

    entrant: int
    place: int
    points: int
    forfeit: bool = False
    faults: tuple[int, ...] = (0,) * len(FAULT_REASONS)
    decisions: int = 0
    time: int = 0


class GameResult(NamedTuple):
    """One finished game: its key, the result of each seat, by seat, and why it ended."""

    key: GameKey
    seats: tuple[SeatResult, ...]
    reason: str

    def seat_of(self, entrant: int) -> int:
        """The seat of an entrant. Raises ValueError if it did not play."""
        return [each.entrant for each in self.seats].index(entrant)

    @property
    def margin(self) -> int:
        """The difference in points between the first and the second place."""
        best, second = sorted((seat.points for seat in self.seats), reverse=True)[:2]
        return best - second


class StoredGame(NamedTuple):
    """A game as a league and an export hold it.

    Attributes:
        tournament: the id of its tournament.
        result: its key and the result of each seat.
        record: the serialized game record.
        times: the serialized thinking times.
        recorded: when it was recorded, in ISO 8601.
    """

    tournament: int
    result: GameResult
    record: bytes
    times: bytes
    recorded: str

    @property
    def moment(self) -> datetime:
        """When it was recorded, in UTC."""
        return datetime.fromisoformat(self.recorded).astimezone(UTC)


def seat_scores(places: Sequence[int]) -> tuple[Fraction, ...]:
    """The score of each seat from the places: the share of opponents beaten, ties half; from 0 to 1."""
    most = 2 * (len(places) - 1)
    return tuple(Fraction(halves(place, places) - 1, most) for place in places)  # each shares its own place


def halves(place: int, others: Iterable[int]) -> int:
    """What a place takes from other places: two for each that is worse, one for each that is the same.

    A score, a point of a crosstable and a reward are all made of these.
    """
    return sum(2 * (place < other) + (place == other) for other in others)


class Match(NamedTuple):
    """A match to be played.

    Attributes:
        key: the match's key.
        entrants: the entrants; a seating names them by their positions here.
        label: its name for people, such as `round 3` or `semi-final 2`.
        qualify: how many entrants go on, so that a tie between these and the others
            is broken by extra boards; None if a tie may stand.
    """

    key: MatchKey
    entrants: tuple[int, ...]
    label: str
    qualify: int | None = None


class MatchResult(NamedTuple):
    """The result of a finished match.

    Attributes:
        entrants: as in the match.
        scores: the mean score of each over the match's regular games, 0 to 1.
        extra: the mean scores over each extra board, oldest first. If a withdrawal decided a tied match, the
            last one was won without play.
        walkover: whether it, or the last extra board, was won without play.
        times: how long each entrant has thought, in microseconds; empty if that does not matter.
    """

    entrants: tuple[int, ...]
    scores: tuple[Fraction, ...]
    extra: tuple[tuple[Fraction, ...], ...] = ()
    walkover: bool = False
    times: tuple[int, ...] = ()

    @property
    def extra_played(self) -> tuple[tuple[Fraction, ...], ...]:
        """The mean scores over each extra board that was played."""
        return self.extra[:-1] if self.walkover else self.extra
