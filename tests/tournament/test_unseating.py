"""What would unseat the winner of a tournament, beside the standings without these boards."""

from __future__ import annotations

import random
from collections.abc import Collection
from fractions import Fraction

import pytest

from arena.results import BoardResult, GameKey
from arena.standings.table import standings
from arena.standings.tally import Tally
from arena.tournament.change import boards_of
from tests.tournament.night import GROUPS, Night, plan_of, play_matches, played

ROUND_ROBIN = '[[stage]]\nformat = "round-robin"\n'
KNOCKOUT = '[[stage]]\nformat = "knockout"\n'
BY_SCORE = {
    "round robin": (ROUND_ROBIN, 5, ()),
    "with walkovers": (ROUND_ROBIN, 4, (3,)),
    "tables of three": (f"seats = 3\n{ROUND_ROBIN}", 5, ()),
    "gauntlet": ('[[stage]]\nformat = "gauntlet"\nchallengers = 2\n', 5, ()),
    "Swiss": ('[[stage]]\nformat = "swiss"\nrounds = 3\n', 6, ()),
    "last of two stages": (f"{KNOCKOUT}{ROUND_ROBIN}advance = 3\n", 4, ()),
}
"""Stages, how many entrants there are, and which of them are withdrawn after four matches."""


def night_of(stages: str, entrants: int, leave: Collection[int] = (), seed: int = 1) -> Night:
    """A night that is over, with random results."""
    rng = random.Random(seed)
    night = Night(plan_of(stages, entrants, boards=2), entrants)
    for matches in (4, None):
        while night.course.tally.matches_finished(0) != matches and (due := night.course.take()):
            night.store(played(due, rng.sample(range(1, len(due.players) + 1), len(due.players))))
        for entrant in leave:
            night.withdraw(entrant)
    assert night.course.over
    return night


def scores_without(night: Night, boards: list[BoardResult], out: Collection[GameKey]) -> dict[int, Fraction]:
    """The scores in the last stage without some boards, as the arena counts unfinished matches."""
    stage = night.course.stages[-1]
    tally = Tally(night.plan.games, night.plan.boards)
    for key in night.course.tally.walkovers:
        walkover = night.course.tally.result(key)
        assert walkover is not None
        one, other = walkover.entrants
        tally.add_walkover(key, (one, other), one if walkover.scores[0] else other)
    for board in boards:
        if GameKey(*board[:5], 0) not in out:
            tally.add_board(board)
    rows = standings(tally, stage.entrants, stage.number, stage.tie_breaks, swiss=stage.pairs_by_score)
    return {row.entrant: row.score for row in rows if row.score is not None}


@pytest.mark.parametrize(("stages", "entrants", "leave"), BY_SCORE.values(), ids=BY_SCORE)
def test_without_these_boards_another_is_ahead_by_the_standings(stages, entrants, leave):
    unseated = 0
    for seed in range(6):
        night = night_of(stages, entrants, leave, seed)
        boards = boards_of(night.results)
        found = night.course.unseating(boards)
        assert found is not None
        in_last = [GameKey(*board[:5], 0) for board in boards if board.stage == len(night.course.stages) - 1]
        assert found.of == len(in_last)
        assert found.winner == night.course.final()[0].entrant
        scores = [scores_without(night, boards, out) for out in ((), found.boards, found.boards[1:])]
        ahead = [max(each.values()) > each[found.winner] for each in scores]
        assert ahead == [False, bool(found.boards), False]
        if len(found.boards) > 1:
            single = [scores_without(night, boards, [board]) for board in in_last]
            assert all(max(each.values()) == each[found.winner] for each in single)
        unseated += bool(found.boards)
        assert not {board.match_key for board in found.boards} & night.course.tally.walkovers.keys()
    assert unseated


def test_where_boards_do_not_weigh_the_same_or_scores_do_not_rank_it_is_not_computed():
    for stages in (KNOCKOUT, GROUPS):
        night = night_of(stages, 4)
        assert night.course.unseating(boards_of(night.results)) is None
    night = Night(plan_of(ROUND_ROBIN, 4, boards=2), 4)
    play_matches(night, 2)
    due = night.course.take()
    assert due is not None
    night.store(played(due))
    assert night.course.unseating(boards_of(night.results)) is None
