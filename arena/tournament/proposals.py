"""What the host, or a rule, may decide as a tournament stands: the decisions, and which make no sense."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

from arena.formats.stage import Stage
from arena.results import MatchKey
from arena.tournament.course import Course, half_of_matches
from arena.tournament.decisions import Annul, Decision, Extend, Go, Pause, VoidBoard, Withdraw


def refusal(course: Course, decision: Decision) -> str | None:
    """Why a decision makes no sense, the end of a sentence about the tournament; None where it does."""
    if course.over:
        return "is over"
    match decision:
        case Withdraw() if decision.entrant in course.withdrawn:
            return "is without it already: it was withdrawn before"
        case Withdraw() if len(course.withdrawn) + 2 >= course.entrants:
            return "would be left with one entrant; end it instead"
        case Annul() if not course.tally.has_begun(MatchKey(*decision.boards[0][:3])):
            return "has played nothing of that, so there is nothing to annul"
        case Extend() if "cycles" not in course.plan.stages[decision.stage].keys:
            return f"has no cycles in its stage {decision.stage + 1}, so it cannot have more"
        case Pause() if course.paused:
            return "is paused already"
        case Go() if not course.paused:
            return "is not paused"
    return None


def withdrawal(course: Course, entrant: int) -> Withdraw:
    """What the withdrawal of an entrant would mean now (see `Withdraw`)."""
    stage = course.stages[-1]
    annulled, round_ = False, 0
    if stage.pairs_by_score:  # what can be paired may be under way
        round_ = sum(1 for _ in course.rounds(stage))
    if stage.annuls_withdrawn and entrant in stage.entrants:
        annulled = course.tally.matches_played(stage.number, entrant) < half_of_matches(stage, entrant)
    return Withdraw(entrant, stage.number, annulled, round=round_)


def extension(course: Course, cycles: int) -> Extend:
    """What so many more cycles of the stage that is being played would mean."""
    return Extend(course.stages[-1].number, cycles)


def annulment(course: Course, match: MatchKey, games: Sequence[str], boards: Sequence[int] | None) -> Annul:
    """What it would mean that boards of a match are void in some games.

    Args:
        course: the tournament.
        match: the match.
        games: the ids of the games.
        boards: the numbers that were planned for the boards; None for all of the match.
    """
    void = [
        (match, game, board)
        for game in games
        for board in (_boards_of(course, match) if boards is None else boards)
    ]
    stage = course.stages[match.stage]
    if boards is not None:  # whether there are extra boards follows from those before
        extra = range(max(course.plan.boards, max(boards) + 1), len(_boards_of(course, match)))
        void += [(match, game, board) for game in course.plan.games for board in extra]
    for other in course.stages[match.stage :]:
        for key in _paired(course, other):
            later_round = stage.depends_on_results and key.round > match.round
            if key.stage > match.stage or later_round:
                void += [
                    (key, game, board) for game in course.plan.games for board in _boards_of(course, key)
                ]
    numbers = count(course.void.next_fresh)
    return Annul(
        tuple(
            VoidBoard(*key, game, course.void.played(key, game, board), next(numbers))
            for key, game, board in void
        )
    )


def _boards_of(course: Course, match: MatchKey) -> range:
    """The numbers of the boards that are planned of a match, with the extra ones, also one that may run."""
    result = course.tally.result(match)
    extra = len(result.extra) + 1 if result and course.stages[match.stage].extra_boards else 0
    return range(course.plan.boards + extra)


def _paired(course: Course, stage: Stage) -> Iterator[MatchKey]:
    """The matches of a stage that may have begun: also those of which a game runs, but none is over."""
    for round_ in course.rounds(stage):
        for match in round_.matches:
            yield match.key
