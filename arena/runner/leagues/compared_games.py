"""The games of a stored comparison: what each bot did in them, and how they went."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from arena.comparison.comparison import REPEATED
from arena.comparison.luck import luck_of
from arena.link.wire.records import decode_record
from arena.results import FAULT_REASONS, GameResult
from arena.store import League
from arena.tournament.course import Course


class Conducted(NamedTuple):
    """What a bot did in the games that tell of a pair, in one game or in all.

    Attributes:
        games: how many they were, those included that do not count.
        points: the game's own points, on average over those that count; None in all games together.
        decisions: the turns it was asked.
        time: the time it took for them, in microseconds.
        faults: how many of each kind were charged, by FAULT_REASONS' order.
        forfeits: how many games it forfeited.
    """

    games: int
    points: float | None
    decisions: int
    time: int
    faults: tuple[int, ...]
    forfeits: int


class _Sheet:
    """What an entrant did in the games of a match, in one game."""

    __slots__ = ("decisions", "faults", "forfeits", "games", "points", "time")

    def __init__(self) -> None:
        self.games = self.decisions = self.time = self.forfeits = 0
        self.faults = [0] * len(FAULT_REASONS)
        self.points: dict[int, int] = {}  # by round


class Sheets:
    """One pass over the games: what each entrant did in each match and game, and where the records are."""

    def __init__(self, course: Course) -> None:
        self._void = course.void
        self._sheets: dict[tuple[int, int, str], _Sheet] = {}
        self.results: dict[tuple[int, str, int], list[tuple[int, GameResult]]] = {}

    def add(self, number: int, result: GameResult) -> None:
        """A game, with its number in the league."""
        key = result.key
        for seat in result.seats:
            sheet = self._sheets.setdefault((key.match, seat.entrant, key.game), _Sheet())
            sheet.games += 1
            sheet.decisions += seat.decisions
            sheet.time += seat.time
            sheet.forfeits += seat.forfeit
            sheet.faults = [one + more for one, more in zip(sheet.faults, seat.faults, strict=True)]
            sheet.points[key.round] = sheet.points.get(key.round, 0) + seat.points
        self.results.setdefault((key.match, key.game, key.round), []).append((number, result))

    def conducted(self, matches: Iterable[int], entrant: int, game: str, counted: int) -> Conducted:
        """What an entrant did in the games of some matches."""
        sheets = [
            sheet for match in matches if (sheet := self._sheets.get((match, entrant, game))) is not None
        ]
        points = [sum(sheet.points.get(round_, 0) for sheet in sheets) for round_ in range(counted)]
        seats = [len(self.results.get((match, game, 0), ())) for match in matches]
        return Conducted(
            sum(sheet.games for sheet in sheets),
            sum(points) / (counted * seats[0]) if counted and seats[0] else None,
            sum(sheet.decisions for sheet in sheets),
            sum(sheet.time for sheet in sheets),
            tuple(map(sum, zip(*(sheet.faults for sheet in sheets), strict=True)))
            if sheets
            else (0,) * len(FAULT_REASONS),
            sum(sheet.forfeits for sheet in sheets),
        )

    def charged(self, entrant: int) -> tuple[int, ...]:
        """The faults of an entrant in all games, and its forfeits."""
        sheets = [
            (*sheet.faults, sheet.forfeits) for (_, who, _), sheet in self._sheets.items() if who == entrant
        ]
        return tuple(map(sum, zip((0,) * (len(FAULT_REASONS) + 1), *sheets, strict=True)))


class Plays:
    """How games were played, action by action, which their records say."""

    def __init__(self, league: League, sheets: Sheets, course: Course) -> None:
        self._league = league
        self._results = sheets.results
        self._matches = course.comparison.matches

    def alike(self, matches: Sequence[int], game: str, round_: int) -> bool:
        """Whether the games of a board went the same way, whichever of the two sat at a place.

        Of one match these are all its games; of two the games of the same rotation.
        """
        played = [self._games(match, game, round_) for match in matches]
        return all(
            all(_may_be_alike(games[0][1], other[1]) for other in games)
            and self._same(number for number, _ in games)
            for games in (played if len(played) == 1 else zip(*played, strict=True))
        )

    def repeated(self, match: int, game: str) -> tuple[int, int]:
        """How many boards were played twice, and how many of them the same way again."""
        pairs = [*self._pairs(match, game)]
        return len(pairs), sum(
            all(self._same(number for number, _ in games) for games in zip(*pair, strict=True))
            for pair in pairs
        )

    def _pairs(self, match: int, game: str) -> Iterator[tuple[list[tuple[int, GameResult]], ...]]:
        for round_ in range(REPEATED):
            played = [self._games(each, game, round_) for each in (match, self._matches + match)]
            if played[0] and len(played[0]) == len(played[1]):
                yield tuple(played)

    def _games(self, match: int, game: str, round_: int) -> list[tuple[int, GameResult]]:
        """The games of a board, by rotation, each with its number."""
        return sorted(self._results.get((match, game, round_), []), key=lambda item: item[1].key.rotation)

    def luck(self, match: int, game: str, round_: int) -> float:
        """The mean luck of a match's first entrant over the games of a board."""
        games = self._games(match, game, round_)
        return sum(
            luck_of(decode_record(self._league.game(number).record))[result.key.seating.index(0)]
            for number, result in games
        ) / len(games)

    def _same(self, numbers: Iterable[int]) -> bool:
        """Whether games, by their numbers, are the same action by action."""
        actions = (decode_record(self._league.game(number).record).actions for number in numbers)
        first = next(actions)
        return all(other == first for other in actions)


def _may_be_alike(one: GameResult, other: GameResult) -> bool:
    """Whether two games on a board came out the same for every seat, without a look at their records."""
    return [(seat.place, seat.points, seat.decisions) for seat in one.seats] == [
        (seat.place, seat.points, seat.decisions) for seat in other.seats
    ]
