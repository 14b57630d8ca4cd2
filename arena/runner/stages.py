"""From what the tournament file says of a stage to the format that pairs it, and to who comes out best."""

from __future__ import annotations

from collections.abc import Sequence

from arena.formats.knockout import Knockout
from arena.formats.movement import Movement
from arena.formats.round_robin import RoundRobin
from arena.formats.stage import Stage
from arena.results import Match
from arena.runner import tournament_file as spec
from arena.standings.table import seed_order, standings
from arena.standings.tally import Tally


def build(stage: spec.Stage, number: int, ranked: Sequence[int]) -> Stage:
    """The format of a stage.

    Args:
        stage: what the file says of it.
        number: its number in the tournament, from 0.
        ranked: all entrants of the stage before, best first; the best enter.
    """
    entrants = tuple(ranked[: stage.entrants])
    if isinstance(stage, spec.Knockout):
        return Knockout(number, entrants, stage.seats, stage.qualify, stage.third_place)
    if stage.seats == 2:
        return RoundRobin(number, entrants, stage.cycles)
    return Movement(number, entrants, stage.seats, stage.cycles)


def extra_boards(stages: Sequence[spec.Stage], match: Match) -> int:
    """How many extra boards may break a tie in a match."""
    stage = stages[match.key.stage]
    return stage.extra_boards if isinstance(stage, spec.Knockout) else 0


def seeds_after(stage: Stage, tally: Tally) -> tuple[int, ...]:
    """All entrants of a finished stage as seeds of the next, best first; equals keep their order."""
    if isinstance(stage, Knockout):
        return tuple(entrant for group in stage.placing(tally.results(stage.number)) for entrant in group)
    return seed_order(standings(tally, stage.entrants, stage.number), stage.entrants)
