"""The rulings that only the rules add: how bots are contained, and their bytes for the deals."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

from arena.table.deal import CONTRIBUTION_BYTES, pledge_of, pledges_digest
from arena.text import counted
from arena.tournament.effects import Contributed, Effects
from arena.tournament.plan import Plan
from arena.tournament.rulings.ruling import Ruling
from arena.tournament.so_far import SoFar


@dataclasses.dataclass(frozen=True)
class Contain(Ruling):
    """How the bots are contained that the referee starts, from here on.

    Attributes:
        levels: of each entrant, in their order, the level; empty for a bot that runs elsewhere.
        lacking: what the machine did not have of these levels, for people.
    """

    levels: tuple[str, ...]
    kind: str = "contain"
    lacking: tuple[str, ...] = ()

    def problems(self, so_far: SoFar) -> Iterator[str]:
        if len(self.levels) != so_far.course.entrants:
            yield f"it is about {len(self.levels)} bots, and there were {so_far.course.entrants}"

    def apply(self, effects: Effects) -> None:
        effects.contained, effects.lacking = self.levels, self.lacking

    def values(self) -> dict[str, Any]:
        values = super().values()
        if not self.lacking:
            del values["lacking"]  # as the releases write it that do not know of it
        return values

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Self:
        levels = tuple(map(str, values["levels"]))
        lacking = tuple(map(str, values.get("lacking", ())))
        return super().from_values({**values, "levels": levels, "lacking": lacking})

    def words(self, names: Sequence[str]) -> str:
        levels = Counter(filter(None, self.levels))
        told = ", ".join(f"{counted(count, 'bot')} at level {level}" for level, count in levels.items())
        less = f", as far as the machine could, which lacked {', '.join(self.lacking)}"
        return f"contained: {told}{less if self.lacking else ''}"

    def alteration(self) -> dict[str, Any]:
        return {"levels": list(self.levels), "lacking": list(self.lacking)}


@dataclasses.dataclass(frozen=True)
class Contribute(Ruling):
    """What the bots have put into the deals, before the first game (see `arena.table.deal`).

    Attributes:
        pledges: of each entrant that was there at the beginning, in their order,
            its pledge in hexadecimal; empty for one that pledged nothing.
        contributions: the bytes themselves, likewise; empty also where they did not come.
    """

    pledges: tuple[str, ...]
    contributions: tuple[str, ...]
    kind: str = "contribute"

    @property
    def contributed(self) -> Contributed:
        """The pledges and the bytes by the numbers of their entrants."""
        return Contributed(_present(self.pledges), _present(self.contributions))

    def problems(self, so_far: SoFar) -> Iterator[str]:
        if not so_far.is_beginning:
            yield "it is not the first thing after the beginning of the tournament"
        entrants = so_far.effects.first_entrants
        if not len(self.pledges) == len(self.contributions) == entrants:
            yield f"it is not about the {entrants} entrants that there were"
        pledged, given = self.contributed
        for number, each in given.items():
            if len(each) != CONTRIBUTION_BYTES or pledge_of(each) != pledged.get(number):
                yield f"the bytes of entrant {number} are not those that it had pledged"

    def apply(self, effects: Effects) -> None:
        effects.contributed = self.contributed

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Self:
        texts = {
            name: tuple(bytes.fromhex(value).hex() for value in values[name])
            for name in ("pledges", "contributions")
        }
        return super().from_values({**values, **texts})

    def words(self, names: Sequence[str]) -> str:
        return "The bots have put their bytes into the deals"

    def lines(self, names: Sequence[str], because: str, plan: Plan) -> list[str]:
        pledged, given = self.contributed
        return [
            f"{len(given)} of {counted(len(self.pledges), 'bot')} put bytes of their own into the deals",
            f"digest of the pledges for that: sha256 {pledges_digest(pledged).hex()}",
        ]


def _present(values: Sequence[str]) -> dict[int, bytes]:
    return {number: bytes.fromhex(value) for number, value in enumerate(values) if value}
