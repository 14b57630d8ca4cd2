"""All standings of a tournament, computed anew from the games in the league file."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from arena.formats.bracket import Bracket
from arena.formats.drawing import bracket
from arena.formats.knockout import Knockout
from arena.formats.stage import Ranking, Stage
from arena.runner import stages
from arena.runner.tournament_file import TournamentFile, parse_tournament
from arena.standings.crosstable import crosstable
from arena.standings.final import final_ranking
from arena.standings.rating import ratings
from arena.standings.table import standings_table
from arena.standings.tally import StageTotals, Tally
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
