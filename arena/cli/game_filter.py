"""Which games of a league `arena replay` is to show."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple, Self

import click

from arena.names import did_you_mean, same_name
from arena.results import FAULT_REASONS, GameResult, MatchKey, SeatResult, read_match_key

ANY_FAULT = "any"
FORFEIT = "forfeit"


class GameFilter(NamedTuple):
    """What a game has to be like; what is empty or None does not matter.

    Attributes:
        bots: the numbers of entrants that all played in it.
        match: the match that it is of.
        game: the id of its game.
        fault: a kind of fault, `any`, or `forfeit`, that was charged to one of the
            bots or, where none are given, to anybody.
    """

    bots: frozenset[int] = frozenset()
    match: MatchKey | None = None
    game: str | None = None
    fault: str | None = None

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        games: Collection[str],
        bots: Sequence[str],
        match: str | None,
        game: str | None,
        fault: str | None,
    ) -> Self:
        """The filter that options describe, in a tournament of these entrants and games.

        Raises BadParameter where there is nothing of such a name.
        """
        key = None if match is None else read_match_key(match)
        if match is not None and key is None:
            raise click.BadParameter(f"{match!r} is no match such as 1.3.2", param_hint="--match")
        return cls(
            frozenset(_found(bot, names, "--bot") for bot in bots),
            key,
            None if game is None else list(games)[_found(game, list(games), "--game")],
            None if fault is None else _fault(fault),
        )

    def fits(self, result: GameResult) -> bool:
        """Whether a game is like that."""
        if self.match not in (None, result.key.match_key) or self.game not in (None, result.key.game):
            return False
        seats = [seat for seat in result.seats if seat.entrant in self.bots]
        if len(seats) < len(self.bots):
            return False
        return self.fault is None or any(map(self._is_at_fault, seats or result.seats))

    def _is_at_fault(self, seat: SeatResult) -> bool:
        if self.fault == ANY_FAULT:
            return any(seat.faults)
        if self.fault == FORFEIT:
            return seat.forfeit
        return bool(faults_of(seat).get(str(self.fault)))


def faults_of(seat: SeatResult) -> dict[str, int]:
    """The faults of a seat by their kinds, without zeros."""
    return {kind: count for kind, count in zip(FAULT_REASONS, seat.faults, strict=True) if count}


def _fault(text: str) -> str:
    """The kind of fault that a text names, written with hyphens, spaces or as in the protocol."""
    kinds = (ANY_FAULT, FORFEIT, *FAULT_REASONS)
    return kinds[_found(text.replace("-", "_").replace(" ", "_"), kinds, "--fault")]


def _found(text: str, valid: Sequence[str], option: str) -> int:
    for number, each in enumerate(valid):
        if same_name(each) == same_name(text):
            return number
    raise click.BadParameter(f"there is no {text!r}; {did_you_mean(text, valid)}", param_hint=option)
