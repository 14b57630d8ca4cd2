"""The base of knockout and double elimination: a layout of tables, and the results that fill it.

The source of each entrant of a table is a seed, or a place at an earlier table. So a format is only a layout:
the pairings, the eliminations and the ranking follow from the layout and the results.

Two rules rank the entrants of a match, in this order:

1. A tie across the border between entrants that go on and entrants that do not is broken by **extra boards**.
   All entrants of the match play them, one board at a time, until the border is clear or the tournament's
   limit is reached. The first extra board on which tied entrants differ decides between them.
2. Entrants that are still tied are ranked by their **seed**, the better one first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import groupby

from arena.formats.bracket import (
    Bracket,
    BracketMatch,
    BracketRound,
    From,
    Layout,
    Origin,
    Slot,
    Source,
    TableAt,
    TablePlan,
)
from arena.formats.format import Results, ResultsMissing, Round, Stage
from arena.results import Match, MatchKey, MatchResult, Ranking

MAX_EXTRA_BOARDS = 100_000

Came = dict[Source, int]
"""The entrant of a source; None while it is not decided."""

Standing = tuple[Fraction, ...]
"""An entrant's score in a match and then on its extra boards, oldest first; a larger one ranks first."""


def standing_by_entrant(match: Match, result: MatchResult) -> dict[int, Standing]:
    """The standing of each entrant of a match, by which it is ranked.

    Raises:
        ValueError: the result is not of this match's entrants.
    """
    if sorted(result.entrants) != sorted(match.entrants):
        raise ValueError(
            f"the result of {match.label} is of entrants {result.entrants}, its entrants are {match.entrants}"
        )
    rows = zip(result.scores, *result.extra, strict=True)
    return dict(zip(result.entrants, rows, strict=True))


def needs_extra_board(match: Match, result: MatchResult, max_extra: int) -> bool:
    """Whether one more extra board is to be played (rule 1).

    Args:
        match: the match; one without `qualify` never needs one.
        result: its result so far, all regular games over.
        max_extra: how many extra boards a match may have.
    """
    if match.qualify is None or match.qualify >= len(match.entrants) or len(result.extra) >= max_extra:
        return False
    best_first = sorted(standing_by_entrant(match, result).values(), reverse=True)
    return best_first[match.qualify - 1] == best_first[match.qualify]


def ranked(match: Match, result: MatchResult, seeds: Mapping[int, int]) -> tuple[int, ...]:
    """The match's entrants, best first: by score, then extra boards in turn, then seed (rules 1 and 2).

    Args:
        match: the match.
        result: its result, extra boards included.
        seeds: the seed number of each entrant; lower is better.
    """
    by_seed = sorted(match.entrants, key=seeds.__getitem__)
    return tuple(sorted(by_seed, key=standing_by_entrant(match, result).__getitem__, reverse=True))


class Elimination(Stage):
    """A stage with a layout.

    Args:
        number, entrants, least, remedy: see `Stage`.
        make_layout: makes the layout for so many entrants.
        seats: the size of a table.
        extra_boards: how many extra boards may break a tie in a match.

    Attributes:
        layout: the layout.
        seeds: the seed number of each entrant, from 1.
    """

    depends_on_results = True

    def __init__(
        self,
        number: int,
        entrants: Sequence[int],
        least: int,
        remedy: str,
        make_layout: Callable[[int], Layout],
        seats: int,
        extra_boards: int,
    ) -> None:
        super().__init__(number, entrants, least, remedy)
        self.layout = make_layout(len(self.entrants))
        self.seats = seats
        self.extra_boards = extra_boards
        self.seeds = {entrant: seed for seed, entrant in enumerate(entrants, 1)}
        tables = [table for round_ in self.layout.rounds for table in round_.tables]
        self._leading_on = {source for table in tables for source in table.sources}

    @property
    def round_count(self) -> int:
        return len(self.layout.rounds)

    @property
    def match_count(self) -> int:
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
        """All entrants ranked, best first; those that share a place are in seed order.

        Score and extra boards rank the entrants of the final; a tie for the first place is decided by seed.
        The match for the third place is ranked in the same way. Other entrants that went out in the same
        round share a place. While matches are missing, the entrants that are still in share the first place.
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
        """The bracket of the stage with its results so far; rounds that are not needed are left out."""
        came = self.came(results)
        needed = self.rounds_needed(came)
        origins: dict[Source, Origin] = {}  # the last match in which each entrant is drawn
        rounds: list[BracketRound] = []
        for label, items in self.layout.drawn:
            shown = [item for item in items if not isinstance(item, TableAt) or item.round < needed]
            if not shown:
                continue
            matches = [self._drawn(item, came, results, origins) for item in shown]
            for number, item in enumerate(shown):
                if isinstance(item, TableAt):
                    for place in range(len(self.plan(item).sources)):
                        origins[From(*item, place)] = Origin(len(rounds), number, place + 1)
                else:
                    origins[item] = Origin(len(rounds), number, 1)
            rounds.append(BracketRound(label, tuple(matches)))
        third = self.layout.third_place
        return Bracket(
            tuple(rounds),
            None if third is None else self._drawn(third, came, results, origins),
            self.winner(came),
        )

    def _drawn(
        self, item: TableAt | Source, came: Came, results: Results, origins: Mapping[Source, Origin]
    ) -> BracketMatch:
        """A match or a bye of the bracket, with its result if it is over."""
        at = item if isinstance(item, TableAt) else None
        sources = (item,) if not isinstance(item, TableAt) else self.plan(item).sources
        slots = tuple(
            Slot(
                entrant := came.get(source),
                None if entrant is None else self.seeds[entrant],
                origins.get(source),
            )
            for source in sources
        )
        if at is None:
            return BracketMatch(
                None, "bye", tuple(slot._replace(goes_on=slot.entrant is not None or None) for slot in slots)
            )
        match = self.match(at, came)
        result = None if match is None else results.get(match.key)
        if match is not None and result is not None:
            slots = tuple(self._filled(slot, match, result) for slot in slots)
        return BracketMatch(
            self.key(at), self.plan(at).label, slots, walkover=result is not None and result.walkover
        )

    def _filled(self, slot: Slot, match: Match, result: MatchResult) -> Slot:
        """A slot with its entrant's result in a finished match."""
        assert slot.entrant is not None
        assert match.qualify is not None
        at = result.entrants.index(slot.entrant)
        place = ranked(match, result, self.seeds).index(slot.entrant) + 1
        return slot._replace(
            score=result.scores[at],
            extra=tuple(scores[at] for scores in result.extra_played),
            place=place,
            goes_on=place <= match.qualify,
        )

    def sections(self) -> list[list[frozenset[int]]]:
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
        """The entrants by their places at tables, as far as the results decide them."""
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
        """The plan of a table."""
        return self.layout.rounds[at.round].tables[at.table]

    def key(self, at: TableAt) -> MatchKey:
        """The key of a table's match."""
        return MatchKey(self.number, *at)

    def rounds_needed(self, came: Came) -> int:
        """How many rounds are needed, as far as that is known."""
        return self.round_count

    def winner(self, came: Came) -> int | None:
        """The winner of the stage; None while it is not decided."""
        last = self.rounds_needed(came) - 1
        prizes = [table.prize for table in self.layout.rounds[last].tables]
        return came.get(From(last, prizes.index(1), 0))

    def _is_over(self, number: int, came: Came) -> bool:
        """Whether all matches of a round are over."""
        return all(From(number, table, 0) in came for table in range(len(self.layout.rounds[number].tables)))

    def _out(self, number: int, came: Came) -> tuple[int, ...]:
        """The entrants that went out in a finished round."""
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
