"""What the host, or a rule, may decide as a tournament stands: the decisions, and which make no sense."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import NamedTuple

from arena.formats.changes import TooLate
from arena.formats.round_robin import MAX_CYCLES
from arena.formats.stage import Stage
from arena.results import MatchKey
from arena.tournament.course import Course
from arena.tournament.decisions import Admit, Annul, Decision, End, Extend, Go, Pause, VoidBoard, Withdraw
from arena.tournament.plan import MAX_BOARDS
from arena.tournament.scoreboard import half_of_matches


def refusal(course: Course, decision: Decision) -> str | None:
    """Why a decision makes no sense, the end of a sentence about the tournament; None where it does."""
    if course.over and not (course.may_go_on and isinstance(decision, Extend | End | Annul)):
        return "is over"
    match decision:
        case Withdraw() if decision.entrant in course.withdrawn:
            return "is without it already: it was withdrawn before"
        case Withdraw() if len(course.withdrawn) + 2 >= course.entrants:
            return "would be left with one entrant; end it instead"
        case Annul() if not course.tally.has_begun(MatchKey(*decision.boards[0][:3])):
            return "has played nothing of that, so there is nothing to annul"
        case Extend() if course.comparison is None and decision.cycles > MAX_CYCLES:
            return f"cannot have more than {MAX_CYCLES} cycles added at once"
        case Extend() if course.comparison is not None and decision.cycles > MAX_BOARDS:
            return f"cannot have more than {MAX_BOARDS} boards added at once"
        case Extend() if course.comparison is not None:
            return "has answered all its questions" if course.comparison.settled else None
        case Extend() if decision.cycles and not course.plan.stages[decision.stage].can_be_longer:
            return f"has no cycles in its stage {decision.stage + 1}, so it cannot have more"
        case Extend() if decision.cycles == decision.boards == 0:
            return "would be as long as it is"
        case Extend() if decision.boards:
            return _refusal_of_boards(course, decision)
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


def _refusal_of_boards(course: Course, decision: Extend) -> str | None:
    """The same for more boards."""
    stage = course.stages[decision.stage]
    matches = [match.key for match in list(course.rounds(stage))[decision.round].matches]
    if max(map(course.tally.boards_of, matches)) + decision.boards > MAX_BOARDS:
        return f"would have more than {MAX_BOARDS} boards a match, which is the most"
    if any(map(course.tally.has_extra, matches)):
        return "breaks a tie by extra boards at the moment; ask again when its next round has begun"
    return None


def extension(course: Course, cycles: int = 0, boards: int = 0) -> Extend:
    """What so many more cycles, or boards a match, of the stage that is being played would mean."""
    stage = course.stages[-1]
    round_ = 0
    if course.comparison is not None:  # each of whose rounds is a board
        return Extend(stage.number, cycles + boards)
    if boards and stage.depends_on_results:
        round_ = sum(1 for _ in course.rounds(stage)) - 1
    return Extend(stage.number, cycles, boards=boards, round=round_)


class Newcomer(NamedTuple):
    """A bot that is to be admitted: what `Admit` says of it."""

    name: str
    how: str
    source: str = ""
    version: str = ""
    author: str = ""


def admission(course: Course, newcomer: Newcomer) -> Admit:
    """What it would mean that a bot comes now. Raises TooLate."""
    if len(course.stages) > 1:
        raise TooLate("is past its first stage, and into the later ones one comes by how one came out")
    (stage,) = course.stages
    since = course.plan.stages[0].late_from(stage, course.progress(stage))
    return Admit(course.entrants, *newcomer, since=since)


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
    if course.comparison is not None:
        return _annulment_of_round(course, match, games)
    numbers = count(course.void.next_fresh)
    return Annul(
        tuple(
            VoidBoard(*key, game, course.void.played(key, game, board), next(numbers))
            for key, game, board in void
        )
    )


def _annulment_of_round(course: Course, match: MatchKey, games: Sequence[str]) -> Annul:
    """The same in a comparison, whose matches of a round are on the same boards, and go on so."""
    round_ = course.stages[match.stage].round(match.round, {})
    assert round_ is not None
    matches = sorted((other.key for other in round_.matches), key=match.__ne__)  # that one first
    return Annul(
        tuple(
            VoidBoard(*key, game, course.void.played(key, game, 0), fresh)
            for fresh, game in enumerate(games, course.void.next_fresh)
            for key in matches
        )
    )


def _boards_of(course: Course, match: MatchKey) -> range:
    """The numbers of the boards that are planned of a match, with the extra ones, also one that may run."""
    result = course.tally.result(match)
    extra = len(result.extra) + 1 if result and course.stages[match.stage].extra_boards else 0
    return range(course.tally.boards_of(match) + extra)


def _paired(course: Course, stage: Stage) -> Iterator[MatchKey]:
    """The matches of a stage that may have begun: also those of which a game runs, but none is over."""
    for round_ in course.rounds(stage):
        for match in round_.matches:
            yield match.key
