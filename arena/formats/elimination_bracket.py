"""The bracket of an elimination with what its results so far say of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.formats.bracket import Bracket, BracketMatch, BracketRound, Origin, Slot
from arena.formats.deciding import ranked
from arena.formats.elimination_layout import From, Source, TableAt
from arena.results import Match

if TYPE_CHECKING:  # which makes its bracket by this module
    from arena.formats.elimination import Elimination, Results


def bracket(stage: Elimination, results: Results) -> Bracket:
    """The whole elimination; matches that are not over yet are in it, rounds that are not needed are not."""
    return _Maker(stage, results).bracket()


class _Maker:
    """A bracket being made, in the order in which it is drawn."""

    def __init__(self, stage: Elimination, results: Results) -> None:
        self._stage = stage
        self._results = results
        self._came = stage.came(results)
        self._origins: dict[Source, Origin] = {}  # where each entrant is drawn last

    def bracket(self) -> Bracket:
        """The bracket."""
        layout, needed = self._stage.layout, self._stage.rounds_needed(self._came)
        rounds: list[BracketRound] = []
        for label, items in layout.drawn:
            shown = [item for item in items if not isinstance(item, TableAt) or item.round < needed]
            if shown:
                matches = [self._drawn(item) for item in shown]
                for number, item in enumerate(shown):
                    self._leave(item, len(rounds), number)
                rounds.append(BracketRound(label, tuple(matches)))
        third = None if layout.third_place is None else self._match(layout.third_place)
        return Bracket(tuple(rounds), third, self._stage.winner(self._came))

    def _drawn(self, item: TableAt | Source) -> BracketMatch:
        if isinstance(item, TableAt):
            return self._match(item)
        slot = self._slot(item)
        return BracketMatch(None, "bye", (slot._replace(goes_on=None if slot.entrant is None else True),))

    def _match(self, at: TableAt) -> BracketMatch:
        plan = self._stage.plan(at)
        slots = [self._slot(source) for source in plan.sources]
        match = self._stage.match(at, self._came)
        return BracketMatch(self._stage.key(at), plan.label, self._played(match, slots))

    def _slot(self, source: Source) -> Slot:
        entrant = self._came.get(source)
        seed = None if entrant is None else self._stage.seeds[entrant]
        return Slot(entrant, seed, self._origins.get(source))

    def _leave(self, item: TableAt | Source, round_: int, number: int) -> None:
        """Notes where those are drawn who come from a match or a bye."""
        if isinstance(item, TableAt):
            for place in range(len(self._stage.plan(item).sources)):
                self._origins[From(*item, place)] = Origin(round_, number, place + 1)
        else:
            self._origins[item] = Origin(round_, number, 1)

    def _played(self, match: Match | None, slots: list[Slot]) -> tuple[Slot, ...]:
        """The slots with what their entrants did, if the match is over."""
        if match is None or match.key not in self._results:
            return tuple(slots)
        result = self._results[match.key]
        order = ranked(match, result, self._stage.seeds)
        filled = []
        for slot in slots:
            assert slot.entrant is not None  # the match has been played
            assert match.qualify is not None
            at = result.entrants.index(slot.entrant)
            place = order.index(slot.entrant) + 1
            filled.append(
                slot._replace(
                    score=result.scores[at],
                    extra=tuple(scores[at] for scores in result.extra),
                    place=place,
                    goes_on=place <= match.qualify,
                )
            )
        return tuple(filled)
