"""What the host can decide about a tournament at one moment: what makes no sense is not offered."""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple

from arena.formats.format import MoreCycles, TooLate
from arena.tournament.course import Course
from arena.tournament.rulings import Admit, Extend, Newcomer, Withdraw


class Choices(NamedTuple):
    """What the host can decide.

    Attributes:
        admits: whether a late bot can enter.
        cycle: how many games one more cycle adds; 0 if none can be added.
        cycles: the word for cycles.
        board: how many games one more board a match adds; 0 if none can be added.
        withdrawn: the entrants that are withdrawn.
        withdraws: whether one more entrant can be withdrawn.
        paused: whether no further games begin; None if that is not known.
    """

    admits: bool
    cycle: int
    cycles: str
    board: int
    withdrawn: frozenset[int]
    withdraws: bool
    paused: bool | None


UNKNOWN = Choices(True, 0, "cycles", 0, frozenset(), True, None)
"""What can be offered while the page cannot tell how the tournament stands."""


def choices_of(course: Course) -> Choices:
    """What the host can decide about a tournament as it stands."""
    try:
        Admit.of(course, Newcomer("", "join"))
        admits = not course.over
    except TooLate:
        admits = False
    cycle = Extend.of(course, cycles=1).refusal(course) is None
    longer = Extend.of(course, boards=1)  # by a cycle, where a board is one
    board = longer.boards > 0 and longer.refusal(course) is None
    return Choices(
        admits,
        games_of_cycles(course, 1) if cycle else 0,
        f"{course.plan.stages[course.stages[-1].number].cycle_word}s",
        games_of_boards(course, 1) if board else 0,
        frozenset(course.effects.withdrawn),
        Withdraw.leaves_enough(course.plan, course.effects),
        course.effects.paused,
    )


def games_of_cycles(course: Course, cycles: int) -> int:
    """How many games more cycles add to the present stage."""
    stage, plan = course.stages[-1], course.plan
    changes = course.effects.changes.get(stage.number, ())
    added = sum(more for _, more in course.effects.added.get(stage.number, ()))
    longer = plan.stages[stage.number].stage(
        stage.number, range(plan.stages[stage.number].entrants), {}, [*changes, MoreCycles(cycles)]
    )
    seats = longer.seat_count - course.shape(stage.number).seat_count
    return seats * (plan.boards + added) * len(plan.games)


def games_of_boards(course: Course, boards: int) -> int:
    """How many games more boards a match add to the present stage."""
    stage = course.stages[-1]
    first = Extend.of(course, boards=boards).round
    before = sum(
        len(match.entrants) for round_ in islice(course.rounds(stage), first) for match in round_.matches
    )
    return boards * (stage.seat_count - before) * len(course.plan.games)
