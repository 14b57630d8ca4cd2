"""A tournament without clock and network: a course that gets results and rulings."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

from arena.league.tournament_file import parse_plan
from arena.results import GameKey, GameResult, Results, SeatResult
from arena.tournament.course import Course, Due, MatchOver
from arena.tournament.courses import new_course
from arena.tournament.plan import Plan
from arena.tournament.rulings import Ruling, Withdraw, effects_of, read_ruling

DOUBLE = '[[stage]]\nformat = "double-elimination"\n'
GROUPS = '[[stage]]\nformat = "groups"\ngroups = 2\n'
SWISS = '[[stage]]\nformat = "swiss"\nrounds = 3\n'
STAGES = (
    '[[stage]]\nformat = "round-robin"\n',
    '[[stage]]\nformat = "round-robin"\ncycles = 2\n',
    '[[stage]]\nformat = "knockout"\nextra_boards = 1\n',
    '[[stage]]\nformat = "round-robin"\n[[stage]]\nformat = "knockout"\nadvance = 3\nextra_boards = 2\n',
    'seats = 3\n[[stage]]\nformat = "round-robin"\n[[stage]]\nformat = "knockout"\n',
    '[[stage]]\nformat = "knockout"\n[[stage]]\nformat = "round-robin"\nadvance = 3\n',
    '[[stage]]\nformat = "gauntlet"\nchallengers = 2\n',
    '[[stage]]\nformat = "swiss"\nrounds = 2\n[[stage]]\nformat = "swiss"\nrounds = 2\nadvance = 3\n',
    f"{DOUBLE}extra_boards = 1\n",
    f'{GROUPS}[[stage]]\nformat = "knockout"\nadvance = 4\nextra_boards = 1\n',
    f"{GROUPS}cycles = 2\n{DOUBLE}advance = 3\nextra_boards = 1\n",
    f'{DOUBLE}extra_boards = 0\n[[stage]]\nformat = "knockout"\nadvance = 2\n',
    f'[[stage]]\nformat = "round-robin"\n{DOUBLE}advance = 3\nextra_boards = 2\n',
)


def plan_of(stages: str, entrants: int, boards: int = 1, games: int = 2) -> Plan:
    names = ("nyuri", "hyrule", "kleftis")[:games]
    head = f'name = "x"\ngames = {list(names)}\nboards = {boards}\n'
    return parse_plan(head + stages + "[[entrant]]\n" * entrants, Path("x.toml"))


def played(due: Due, places: Iterable[int] = (), forfeits: Iterable[int] = ()) -> GameResult:
    """A game: the entrant with the lower number comes first, unless its places are given."""
    ranks = tuple(places) or tuple(1 + sorted(due.players).index(player) for player in due.players)
    seats = zip(due.players, ranks, strict=True)
    return GameResult(
        due.key,
        tuple(SeatResult(player, rank, -rank, forfeit=player in forfeits) for player, rank in seats),
        "over",
    )


class Night:
    """A tournament that is played, with everything that was stored of it."""

    def __init__(self, plan: Plan, entrants: int) -> None:
        self.plan, self.entrants = plan, entrants
        self.results: list[GameResult] = []
        self.rulings: list[Ruling] = []
        self.resume()

    def resume(self, playing: Iterable[Due] = ()) -> None:
        """Makes the course anew of what is stored, as after a stop or a ruling."""
        self.course = self.anew(playing)

    def anew(self, playing: Iterable[Due] = ()) -> Course:
        """The course of what is stored."""
        course = new_course(self.plan, effects_of(self.entrants, self.rulings), list(playing))
        for result in self.results:
            course.tell(Results.of(result))
        course.advance_stages()
        return course

    def store(self, result: GameResult) -> None:
        if self.course.expects(result):
            self.results.append(result)
            self.course.add(result)

    def withdraw(self, entrant: int, playing: Iterable[Due] = ()) -> None:
        if entrant not in self.course.effects.withdrawn:
            self.rule(Withdraw.of(self.course, entrant), playing)

    def rule(self, ruling: Ruling, playing: Iterable[Due] = ()) -> None:
        self.rulings.append(read_ruling(ruling.to_json()))
        after = self.course.after(effects_of(self.entrants, self.rulings), list(playing))  # as a run does
        if after is None:
            self.resume(playing)
        else:
            self.course = after
            self.course.advance_stages()

    def finish(self) -> None:
        while due := self.course.take():
            self.store(played(due))

    def standings(self) -> object:
        course = self.course
        return (
            course.over,
            course.final(),
            [(stage.entrants, course.standings(stage), course.results(stage)) for stage in course.stages],
            course.tally.groups,
        )


def counting(night: Night) -> list[GameKey]:
    """The games that were played and count."""
    keys = [result.key for result in night.results if not night.course.effects.void.has_game(result.key)]
    return [key for key in keys if key.stage < len(night.course.stages)]


def scores(night: Night) -> dict[int, Fraction | None]:
    return {row.entrant: row.score for row in night.course.standings(night.course.stages[0])}


def play_matches(night: Night, matches: int) -> None:
    """Plays so many matches to their end."""
    over = 0
    while over < matches:
        due = night.course.take()
        assert due is not None
        night.store(played(due))
        over += sum(isinstance(item, MatchOver) for item in night.course.news())
