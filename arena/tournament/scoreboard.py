"""Computes standings, brackets and advancing entrants from the results and rulings of a tournament.

The scoreboard holds the only tally of the tournament. Nothing here depends on the
order in which results came.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from arena.formats.bracket import Bracket
from arena.formats.elimination import needs_extra_board
from arena.formats.format import ResultsMissing, Round, Stage
from arena.formats.seating import Seatings, SeatingsInBlocks
from arena.formats.seeding import apart
from arena.results import BoardResult, GameKey, GameResult, Match, MatchKey, MatchResult, Ranking
from arena.standings.table import final_ranking, merged, ranking, seed_order, standings
from arena.standings.tally import Tally
from arena.standings.values import Final, Row
from arena.table.deal import deal_key
from arena.tournament.effects import Effects
from arena.tournament.plan import Plan


class Scoreboard:
    """The results of a tournament and what follows from them.

    Args:
        plan: the tournament.
        effects: the effects of all rulings about it.

    Attributes:
        plan, effects: as given.
        entrants, withdrawn, void, paused, ended, contained, lacking: those of the effects.
        tally: the counted results.
        stages: the stages that have begun, in order.
        comparison: the questions of a comparison with their results; a null object in other tournaments.
    """

    def __init__(self, plan: Plan, effects: Effects) -> None:
        self.plan = plan
        self.effects = effects
        self.entrants = effects.entrants
        self.withdrawn, self.void = effects.withdrawn, effects.void
        self.paused, self.ended = effects.paused, effects.ended
        self.contained, self.lacking = effects.contained, effects.lacking
        self.tally = Tally(plan.games, plan.boards, effects.left_out, effects.added, timed=plan.endless)
        self.stages: list[Stage] = []
        self.comparison = plan.stages[0].comparison(plan.games, self.withdrawn)

    def deal_key(self, tournament_key: bytes) -> bytes:
        """The deal key, from the tournament's key and the bytes of the bots."""
        return deal_key(tournament_key, self.effects.given)

    def tell_board(self, board: BoardResult) -> None:
        """Counts the results of a board, unless it is void. Raises ValueError as a Tally."""
        which = (MatchKey(*board[:3]), board.game, board.board)
        if not self.void.has(*which):
            planned = board._replace(board=self.void.planned(*which))
            self.tally.add_board(planned)
            self.comparison.add_board(board.match, board.game, board.round, planned.places)

    def tell(self, result: GameResult) -> None:
        """The same for a game."""
        key = result.key
        if not self.void.has_game(key):
            board = self.void.planned(key.match_key, key.game, key.board)
            self.tally.add(result._replace(key=key._replace(board=board)))
            places = tuple([result.seats[key.seating.index(each)].place for each in range(len(key.seating))])
            self.comparison.add_board(key.match, key.game, key.round, [(key.rotation, places)])

    def tell_luck(self, key: GameKey, luck: float) -> None:
        """Counts the luck of a match's first entrant in a game, unless the game is void."""
        if not self.void.has_game(key):
            self.comparison.add_luck(key.match, key.game, key.round, key.rotation, luck)

    @property
    def over(self) -> bool:
        """Whether the whole tournament is over, or was ended."""
        return self.ended or (len(self.stages) == len(self.plan.stages) and self.is_over(self.stages[-1]))

    def is_over(self, stage: Stage) -> bool:
        """Whether all matches of a stage are decided, or not needed."""
        if stage.endless or self.comparison.lacks_luck:
            return False
        if self.tally.matches_finished(stage.number) < self.matches(stage):
            return self.comparison.is_over(stage.round_count, self._given_up(stage))
        return stage.extra_boards == 0 or all(
            self.is_decided(match) for round_ in self.rounds(stage) for match in round_.matches
        )

    @property
    def may_go_on(self) -> bool:
        """Whether added boards could still answer an open question of a comparison."""
        if self.comparison.settled or self.ended:
            return False
        gone = self._given_up(self.stages[0])
        return any(
            not study.settled and gone.isdisjoint(study.contest.matches) for study in self.comparison.studies
        )

    def _given_up(self, stage: Stage) -> set[int]:
        """The numbers of the matches of a comparison that are not played any more in any round."""
        if not self.withdrawn or not self.plan.stages[stage.number].compares:
            return set()
        first = stage.round(0, {})
        assert first is not None
        return {match.key.match for match in first.matches if self.is_given_up(match)}

    def matches(self, stage: Stage) -> int:
        """How many matches a stage has, as far as known."""
        further = 0
        if stage.may_need_more and self.tally.matches_finished(stage.number) >= stage.match_count:
            further = stage.further_matches(self.results(stage))
        return stage.match_count + further

    def results(self, stage: Stage) -> Mapping[MatchKey, MatchResult]:
        """The results of a stage's finished matches; those of an endless stage grow with the tally."""
        return self.tally.live_results if stage.endless else self.tally.results(stage.number)

    def results_for_pairing(self, stage: Stage) -> Mapping[MatchKey, MatchResult]:
        """The results that a stage reads to pair its rounds."""
        return self.results(stage) if stage.depends_on_results else {}

    def rounds(self, stage: Stage) -> Iterator[Round]:
        """The rounds of a stage that can be paired so far."""
        results = self.results_for_pairing(stage)
        for number in range(stage.round_count):
            try:
                round_ = stage.round(number, results)
            except ResultsMissing:
                return
            if round_ is None:
                return
            yield round_
            # The next pairings depend on the extra boards.
            if stage.depends_on_results and not all(map(self.is_decided, round_.matches)):
                return

    def begun_rounds(self, stage: Stage, most: int) -> list[Round]:
        """The last rounds, at most so many, of an endless stage, with the matches that have begun."""
        tables: dict[int, dict[int, tuple[int, ...]]] = {}
        for key, entrants in self.tally.begun(self.tally.rounds_begun - most):
            tables.setdefault(key.round, {})[key.match] = entrants
        rounds = []
        for number in sorted(tables):
            label = f"round {number + 1}"
            matches = [
                Match(MatchKey(stage.number, number, match), entrants, f"{label}, match {match + 1}")
                for match, entrants in sorted(tables[number].items())
            ]
            rounds.append(Round(label, tuple(matches), ()))
        return rounds

    def bracket(self, stage: Stage) -> Bracket | None:
        """The bracket of a stage, if it has one; a tied match is over when its extra boards are."""
        if stage.endless:
            return None
        results = self.results(stage)
        if not self.ended:
            matches = (match for round_ in self.rounds(stage) for match in round_.matches)
            results = {
                match.key: results[match.key]
                for match in matches
                if match.key in results and self.is_decided(match)
            }
        return stage.bracket(results)

    def standings(self, stage: Stage | None = None) -> tuple[Row, ...]:
        """The standings of a stage, or of the whole tournament."""
        if stage is None:
            return standings(self.tally, range(self.entrants))
        if stage.groups:
            return merged(self.group_standings(stage), stage.entrants)
        return self._standings(stage, stage.entrants)

    def group_standings(self, stage: Stage) -> tuple[tuple[Row, ...], ...]:
        """The standings of each group of a stage."""
        return tuple(self._standings(stage, group.entrants) for group in stage.groups)

    def _standings(self, stage: Stage, entrants: Sequence[int]) -> tuple[Row, ...]:
        return standings(self.tally, entrants, stage.number, stage.tie_breaks, swiss=stage.pairs_by_score)

    def final(self) -> tuple[Final, ...]:
        """The final ranking, or the ranking so far."""
        return final_ranking([self.ranking(stage) for stage in self.stages])

    def ranking(self, stage: Stage) -> Ranking:
        """The ranking of a stage, best first; entrants that share a place are together."""
        return stage.placing(self.results(stage)) or ranking(self.standings(stage))

    def advancing(self, stage: Stage) -> tuple[int, ...]:
        """The entrants that go on to the next stage, as it stands, best seed first; empty after the last."""
        number = stage.number + 1
        if number == len(self.plan.stages):
            return ()
        format_ = self.plan.stages[number]
        ranked = self._ranked(stage)
        # Withdrawn entrants go on only if there are not enough others.
        gone = [entrant for entrant in ranked if self.effects.is_gone(entrant, stage.number)]
        if stage.groups and gone:  # the others of the group move up
            tables = [
                sorted(rows, key=lambda row: row.entrant in gone) for rows in self.group_standings(stage)
            ]
            ranked = tuple(row.entrant for row in merged(tables, stage.entrants))
        best = ([entrant for entrant in ranked if entrant not in gone] + gone)[: format_.entrants]
        if not stage.groups:
            return tuple(best)
        group_of = {each: number for number, group in enumerate(stage.groups) for each in group.entrants}
        return apart(best, group_of, format_.stage(number, range(len(best))).sections())

    def _ranked(self, stage: Stage) -> tuple[int, ...]:
        """All entrants of a stage in seed order for the next one; equals keep their order."""
        placing = stage.placing(self.results(stage))
        if placing is not None:
            return tuple(entrant for group in placing for entrant in group)
        return seed_order(self.standings(stage), stage.entrants)

    def shape(self, number: int) -> Stage:
        """A stage with the first entrants of all: for questions that do not depend on who they are."""
        format_ = self.plan.stages[number]
        return format_.stage(number, range(format_.entrants), {}, self.effects.changes.get(number, ()))

    def seatings(self, stage: Stage) -> Seatings:
        """The seatings of the games of a stage.

        Added boards have a list of their own, so that the seatings of the others do
        not change. If the pairings depend on results, the planned list goes on
        instead, as for extra boards.
        """
        boards, rule = self.plan.boards, self.plan.seating
        planned = stage.seatings(boards, rule)
        added = self.effects.added.get(stage.number)
        if not added or stage.depends_on_results:
            return planned
        return SeatingsInBlocks(
            [(boards, planned), *((more, stage.seatings(more, rule)) for _, more in added)]
        )

    def is_decided(self, match: Match) -> bool:
        """Whether a match is finished and needs no extra board."""
        stage = self.stages[match.key.stage]
        if not stage.extra_boards or match.key in self.tally.walkovers or self.is_walkover(match):
            return True
        result = self.tally.result(match.key)
        return result is not None and not needs_extra_board(match, result, stage.extra_boards)

    def is_walkover(self, match: Match) -> bool:
        """Whether a match of two is a walkover because an entrant is withdrawn."""
        return self._lacks_entrant(match) and not self._can_be_given_up(match) and len(match.entrants) == 2

    def is_given_up(self, match: Match) -> bool:
        """Whether a match of a comparison or a ladder is not played any more: an entrant is withdrawn."""
        return self._lacks_entrant(match) and self._can_be_given_up(match)

    def _can_be_given_up(self, match: Match) -> bool:
        format_ = self.plan.stages[match.key.stage]
        return format_.compares or format_.endless

    def _lacks_entrant(self, match: Match) -> bool:
        return any(self.effects.is_gone(entrant, match.key.stage) for entrant in match.entrants)
