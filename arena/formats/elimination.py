"""What a knockout and a double elimination share: tables laid out beforehand, and who comes to sit there.

Each entrant of a table is a seed or who took some place at an earlier table.
So all there is of a format is its layout; who plays, who is out and how all
stand follows from that and the results.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby

from arena.formats import elimination_bracket
from arena.formats.bracket import Bracket
from arena.formats.deciding import ranked, standing_by_entrant
from arena.formats.elimination_layout import From, Layout, Source, TableAt, TablePlan
from arena.formats.stage import Ranking, ResultsMissing, Round, Stage
from arena.results import Match, MatchKey, MatchResult

Results = Mapping[MatchKey, MatchResult]

Came = dict[Source, int]
"""Who that is, as far as it is decided."""


class Elimination(Stage):
    """A stage that is laid out beforehand.

    Args:
        number: the stage's number in the tournament, from 0.
        entrants: who takes part, best seed first.
        layout: the stage.
        seats: the size of a table.
        extra_boards: how many further boards may break a tie in a match.

    Attributes:
        layout: the same.
        seeds: the seed number of each entrant, from 1.
    """

    depends_on_results = True

    def __init__(
        self, number: int, entrants: tuple[int, ...], layout: Layout, seats: int, extra_boards: int
    ) -> None:
        self.number = number
        self.entrants = entrants
        self.layout = layout
        self.seats = seats
        self.extra_boards = extra_boards
        self.seeds = {entrant: seed for seed, entrant in enumerate(entrants, 1)}
        tables = [table for round_ in layout.rounds for table in round_.tables]
        self._leading_on = {source for table in tables for source in table.sources}

    @property
    def round_count(self) -> int:
        """How many rounds there are."""
        return len(self.layout.rounds)

    @property
    def match_count(self) -> int:
        """How many matches there are in all."""
        return sum(len(round_.tables) for round_ in self.layout.rounds)

    @property
    def seat_count(self) -> int:
        """How many seats all matches have together."""
        return sum(len(table.sources) for round_ in self.layout.rounds for table in round_.tables)

    def round(self, number: int, results: Results) -> Round | None:
        """Round `number`, from 0; None past the last that is needed.

        Raises:
            ResultsMissing: a match of an earlier round is not over.
        """
        if not 0 <= number < self.round_count:
            return None
        label, tables, byes = self.layout.rounds[number]
        came = self.came(results)
        matches = [self.match(TableAt(number, table), came) for table in range(len(tables))]
        known = tuple([match for match in matches if match is not None])
        if len(known) < len(tables) or any(bye not in came for bye in byes):
            raise ResultsMissing(f"{label}: an earlier round is not over")
        if number >= self.rounds_needed(came):
            return None
        return Round(label, known, self._by_seed(came[bye] for bye in byes))

    def placing(self, results: Results) -> Ranking:
        """All entrants ranked, best first; those who share a place in seed order.

        The final is ranked by score and extra boards, and its winner also by
        seed; so is the match for the third place. Others who went out in the
        same round share a place. While matches are missing, those who are
        still in it share the first place.
        """
        came = self.came(results)
        last = self.rounds_needed(came) - 1
        current = next((number for number in range(last) if not self._is_over(number, came)), last)
        out = [self._out(number, came) for number in range(current)]
        if current == last:
            groups = self._prizes(last, came, results)
        else:
            gone = {entrant for group in out for entrant in group}
            groups = [tuple(entrant for entrant in self.entrants if entrant not in gone)]
        groups += [group for group in reversed(out) if group]
        return tuple(self._by_seed(group) for group in groups)

    def bracket(self, results: Results) -> Bracket:
        """The whole stage with what the results say of it; matches that are not over yet included."""
        return elimination_bracket.bracket(self, results)

    def sections(self) -> list[list[frozenset[int]]]:
        """See `Stage`."""
        reach: dict[Source, frozenset[int]] = {
            seed: frozenset([entrant]) for seed, entrant in enumerate(self.entrants)
        }
        rounds = []
        for number, round_ in enumerate(self.layout.rounds):
            sections = []
            for table, plan in enumerate(round_.tables):
                sections.append(frozenset().union(*(reach[source] for source in plan.sources)))
                for place in range(len(plan.sources)):
                    reach[From(number, table, place)] = sections[-1]
            rounds.append(sections)
        return rounds

    def came(self, results: Results) -> Came:
        """Who came where, as far as the results decide it."""
        came: Came = dict(enumerate(self.entrants))
        for number, round_ in enumerate(self.layout.rounds):
            for table in range(len(round_.tables)):
                match = self.match(TableAt(number, table), came)
                if match is not None and match.key in results:
                    for place, entrant in enumerate(ranked(match, results[match.key], self.seeds)):
                        came[From(number, table, place)] = entrant
        return came

    def match(self, at: TableAt, came: Came) -> Match | None:
        """The match of a table; None while its entrants are not decided."""
        plan = self.plan(at)
        entrants = tuple([came[source] for source in plan.sources if source in came])
        if len(entrants) < len(plan.sources):
            return None
        return Match(self.key(at), entrants, plan.label, plan.qualify)

    def plan(self, at: TableAt) -> TablePlan:
        """What is planned at a table."""
        return self.layout.rounds[at.round].tables[at.table]

    def key(self, at: TableAt) -> MatchKey:
        """The key of a table's match."""
        return MatchKey(self.number, *at)

    def rounds_needed(self, came: Came) -> int:
        """How many rounds are played, as far as that is known."""
        return self.round_count

    def winner(self, came: Came) -> int | None:
        """Who won the stage; None while that is not decided."""
        last = self.rounds_needed(came) - 1
        prizes = [table.prize for table in self.layout.rounds[last].tables]
        return came.get(From(last, prizes.index(1), 0))

    def _is_over(self, number: int, came: Came) -> bool:
        """Whether all matches of a round are over."""
        return all(From(number, table, 0) in came for table in range(len(self.layout.rounds[number].tables)))

    def _out(self, number: int, came: Came) -> tuple[int, ...]:
        """Who went out in a round, which is over."""
        places = [
            From(number, table, place)
            for table, plan in enumerate(self.layout.rounds[number].tables)
            for place in range(len(plan.sources))
        ]
        return tuple(came[place] for place in places if place not in self._leading_on)

    def _prizes(self, number: int, came: Came, results: Results) -> list[tuple[int, ...]]:
        """The entrants of the last round in groups that share a place, best first."""
        tables = self.layout.rounds[number].tables
        groups: list[tuple[int, ...]] = []
        for table in sorted(range(len(tables)), key=lambda table: tables[table].prize or 0):
            match = self.match(TableAt(number, table), came)
            if match is not None and match.key in results:
                groups += self._places(match, results[match.key])
            else:
                groups.append(tuple(came[source] for source in tables[table].sources if source in came))
        return groups

    def _places(self, match: Match, result: MatchResult) -> list[tuple[int, ...]]:
        """The match's entrants in groups that share a place; the winner is always alone."""
        winner, *others = ranked(match, result, self.seeds)
        reached = standing_by_entrant(match, result)
        return [(winner,), *(tuple(group) for _, group in groupby(others, key=reached.__getitem__))]

    def _by_seed(self, entrants: Iterable[int]) -> tuple[int, ...]:
        return tuple(sorted(entrants, key=self.seeds.__getitem__))
