"""All standings of a tournament, computed anew from the games in the league file."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from datetime import datetime

from arena.formats.bracket import Bracket
from arena.formats.drawing import bracket
from arena.formats.knockout import Knockout
from arena.formats.stage import Ranking, Stage
from arena.runner import stages
from arena.runner.tallying import tally_of
from arena.runner.tournament_file import TournamentFile, parse_tournament
from arena.standings.crosstable import crosstable
from arena.standings.final import final_ranking
from arena.standings.rating import ratings
from arena.standings.table import ranking, standings
from arena.standings.tally import Tally
from arena.standings.values import Crosstable, Final, Rating, Row
from arena.store import League, StoredTournament


@dataclasses.dataclass(frozen=True, slots=True)
class StageSummary:
    """How one stage stands.

    Attributes:
        stage: the format, with its entrants in seed order.
        rows: the standings, best first.
        crosstable: everybody against everybody, in the order of the rows.
        bracket: the bracket of a knockout, else None.
        played, matches: how many of the stage's matches are over, and how many there are.
    """

    stage: Stage
    rows: tuple[Row, ...]
    crosstable: Crosstable
    bracket: Bracket | None
    played: int
    matches: int


@dataclasses.dataclass(frozen=True, slots=True)
class Summary:
    """How a tournament stands.

    Attributes:
        tournament: what the league file says of it.
        file: its tournament file, without the bots.
        games: how many games are stored.
        stages: the stages that have begun, in order.
        rows: the standings over all stages, best first: what each entrant did.
        final: the final ranking, or the ranking so far.
        ratings: a rating per entrant over all games, in the order of `final`.
        game_ratings: the same for each game, by its id.
    """

    tournament: StoredTournament
    file: TournamentFile
    games: int
    stages: tuple[StageSummary, ...]
    rows: tuple[Row, ...]
    final: tuple[Final, ...]
    ratings: tuple[Rating, ...]
    game_ratings: dict[str, tuple[Rating, ...]]


def summarize(
    league: League, tournament: int, at: datetime | None = None, *, bootstrap: bool = True
) -> Summary:
    """Everything about a tournament of a league, finished or running. Raises UnknownTournament.

    Where a moment `at` is given, as it stood then. Without `bootstrap` the
    ratings have no intervals, which take most of the time (see `ratings`).
    """
    info = league.tournament(tournament)
    if at is not None and (info.finished is None or info.finished > at):
        info = info._replace(finished=None, key=None)
    file = parse_tournament(info.file_text, info.file_path, find_bots=False)
    tally = tally_of(league, tournament, file, at)
    everyone = tuple(range(len(info.entrants)))
    begun = _stages(file, tally, everyone)
    final = final_ranking([_ranking(stage, tally) for stage in begun])
    order = tuple(line.entrant for line in final)
    overall = ratings(tally.all_groups(), order, bootstrap=bootstrap)
    return Summary(
        tournament=info,
        file=file,
        games=tally.played,
        stages=tuple(_stage_summary(stage, tally) for stage in begun),
        rows=standings(tally, everyone),
        final=final,
        ratings=overall,
        game_ratings={
            game: overall if len(file.games) == 1 else ratings(tally.groups[game], order, bootstrap=bootstrap)
            for game in file.games
        },
    )


def final_places(league: League, tournament: int) -> tuple[Final, ...]:
    """The final ranking of a tournament alone. Raises UnknownTournament."""
    info = league.tournament(tournament)
    file = parse_tournament(info.file_text, info.file_path, find_bots=False)
    tally = tally_of(league, tournament, file)
    begun = _stages(file, tally, range(len(info.entrants)))
    return final_ranking([_ranking(stage, tally) for stage in begun])


def _stages(file: TournamentFile, tally: Tally, everyone: Sequence[int]) -> list[Stage]:
    """The stages that have begun: a stage begins when all matches of the one before are over."""
    begun: list[Stage] = []
    entrants = everyone
    for number, spec in enumerate(file.stages):
        stage = stages.build(spec, number, entrants)
        begun.append(stage)
        if number + 1 == len(file.stages) or tally.matches_finished(number) < stage.match_count:
            break
        entrants = stages.seeds_after(stage, tally)
    return begun


def _ranking(stage: Stage, tally: Tally) -> Ranking:
    if isinstance(stage, Knockout):
        return stage.placing(tally.results(stage.number))
    return ranking(standings(tally, stage.entrants, stage.number))


def _stage_summary(stage: Stage, tally: Tally) -> StageSummary:
    rows = standings(tally, stage.entrants, stage.number)
    return StageSummary(
        stage=stage,
        rows=rows,
        crosstable=crosstable(tally, [row.entrant for row in rows], stage.number),
        bracket=bracket(stage, tally.results(stage.number)) if isinstance(stage, Knockout) else None,
        played=tally.matches_finished(stage.number),
        matches=stage.match_count,
    )
