"""The standings of a stage after each of its rounds: who had which score and which rank then."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from arena.formats.format import Stage
from arena.league.store import League
from arena.league.stored import plan_of, stored_effects
from arena.results import MatchKey
from arena.tournament.scoreboard import Scoreboard

MOST_MOMENTS = 30
"""The most moments of a history; a longer stage has one for every few rounds."""

MOST_ENTRANTS = 64
"""The most entrants of a table with a history."""


class Standing(NamedTuple):
    """The rank and the score of an entrant at a moment."""

    rank: int
    score: Fraction


class Moment(NamedTuple):
    """The standings after some rounds.

    Attributes:
        round: the number of rounds, from 1, whose matches count as far as they are played.
        standings: by entrant; an entrant without a game is not in it, and some entrant is.
    """

    round: int
    standings: Mapping[int, Standing]


History = tuple[Moment, ...]
"""The standings of a table, moment by moment."""


class Walkover(NamedTuple):
    """A match of two that was won without play."""

    match: MatchKey
    entrants: tuple[int, ...]
    winner: int


def history(scoreboard: Scoreboard, stage: Stage, entrants: Sequence[int], shown: Collection[int]) -> History:
    """The standings of some entrants of a stage after each of its rounds, as far as there are results.

    The last moment is the present table. The matches that a late entrant plays by itself count with the round
    beside which they are played. As long as only entrants that are not shown have won matches, without play,
    there is no moment. The history is empty if there are more than `MOST_ENTRANTS`.

    Args:
        scoreboard: the results.
        stage: the stage.
        entrants: the entrants of the table, best seed first, such as those of a group.
        shown: those whose standing is told.
    """
    if len(entrants) > MOST_ENTRANTS:
        return ()
    mine = frozenset(entrants)
    with_results = {
        key.round
        for key, each in scoreboard.tally.begun()
        if key.stage == stage.number and mine.intersection(each)
    }
    steps: list[list[int]] = []
    numbers: list[int] = []
    for number in stage.order:
        if number not in with_results:
            continue
        if stage.newcomer(number) is None or not steps:
            steps.append([])
            numbers.append(number + 1)
        steps[-1].append(number)
    every = -(-len(steps) // MOST_MOMENTS) or 1
    last = len(steps) - 1
    moments = []
    for at, grown in enumerate(scoreboard.tally.by_steps(stage.number, steps)):
        if (last - at) % every == 0:
            found = {
                row.entrant: Standing(row.rank, row.score)
                for row in scoreboard.table(stage, entrants, grown)
                if row.score is not None and row.entrant in shown
            }
            if found:
                moments.append(Moment(numbers[at], found))
    return tuple(moments)


def game_history(
    league: League,
    tournament: int,
    stage: Stage,
    game: str,
    walkovers: Collection[Walkover],
    shown: Collection[int],
) -> History:
    """The standings of a stage after each of its rounds in one game alone; empty for a Swiss.

    (In a Swiss a bye counts, which is no result in a game.)

    Args:
        league: the league.
        tournament: the tournament's id.
        stage: a stage of it.
        game: a game of it.
        walkovers: the matches of the stage that were won without play.
        shown: the entrants whose standing is told.
    """
    if stage.pairs_by_score:
        return ()
    plan = plan_of(league.tournament(tournament))
    results = Scoreboard(dataclasses.replace(plan, games=(game,)), stored_effects(league, tournament))
    for key, (one, other), winner in walkovers:
        results.tally.add_walkover(key, (one, other), winner)
    for board in league.boards(tournament, game=game):
        if board.stage == stage.number and not results.tally.result(MatchKey(*board[:3])):
            results.tell_board(board)
    return history(results, stage, stage.entrants, shown)
