"""The analysis of one game: its decisions, the expected score over the game, and luck and play in the result."""

from __future__ import annotations

import dataclasses
import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from arena.analysis.decision import DOUBT, PHASES, Decision, judge
from arena.analysis.trials import greedy_trial
from arena.analysis.turns import turns_of
from arena.comparison.luck import SAMPLES, choices_from, futures_of, played_out, scores_of
from arena.games import GAMES
from arena.games.game import Seat, State
from arena.policies import GREEDY
from arena.sampling import SAMPLERS
from arena.standings.student import quantile
from arena.table.record import Record, first_position

WORLDS: Mapping[str, int] = {"kleftis": 128, "nyuri": 32, "forty-one": 256, "nur-mut": 128, "hyrule": 256}
"""The most fresh worlds for a decision if nothing else is asked for, so that a game takes half a minute."""
USUAL_WORLDS = 64
"""The same for the games of packages."""


class CannotAnalyse(ValueError):
    """A game cannot be analysed; the text says in one sentence why."""


class Source(NamedTuple):
    """What made a seat's result, each as a part of the score; all parts add up to the score less an even share.

    Attributes:
        score: the result, from 0 to 1.
        deal: what the seat would have got with these cards if all had played greedily, less an even share.
        luck: what the later cards added to the choices of all, against their mean effect.
        own: the mean effect of the seat's own choices that were not greedy.
        others: that of the choices of the others.
        forfeits: the effect of forfeits on the places.
        error: the margin of error of `luck`, and of `own` and `others` together.
    """

    score: float
    deal: float
    luck: float
    own: float
    others: float
    forfeits: float
    error: float


@dataclasses.dataclass(frozen=True, slots=True)
class SeatAnalysis:
    """What was found about a seat in a game.

    Attributes:
        seat: the seat.
        decisions: its decisions, in order.
    """

    seat: Seat
    decisions: tuple[Decision, ...]

    @property
    def curve(self) -> list[tuple[int, float, float]]:
        """The expected score of the seat after each of its decisions: the ply, the score, its margin of error."""
        return [(each.ply, each.choice.score, each.choice.error) for each in self.decisions]


def worlds_for(game: str) -> int:
    """The most fresh worlds for a decision in a game if nothing else is asked for."""
    return WORLDS.get(game, USUAL_WORLDS)


def require_analysable(game: str) -> None:
    """Raises CannotAnalyse if a game has no sampler or no greedy policy, as the games of some packages."""
    title = GAMES[game].title
    if game not in SAMPLERS:
        raise CannotAnalyse(f"{title} cannot be analysed: its package brings no sampler of positions")
    if game not in GREEDY:
        raise CannotAnalyse(f"{title} cannot be analysed: its package brings no greedy policy")


def decisions_of(
    record: Record, seat: Seat, most: int, seed: str = "", state: State | None = None
) -> Iterator[Decision]:
    """The judged decisions of a seat, one after another.

    The worlds of a decision follow from the seed and from all that the seat was told, and from nothing else. So a
    card that the seat could not know changes nothing.

    Args:
        record: the game.
        seat: the seat.
        most: the most fresh worlds for a decision.
        seed: any text.
        state: the first position, if it is not that of the record's board; it is played on.

    Raises CannotAnalyse; BrokenRecord as `replay` does.
    """
    require_analysable(record.game)
    for turn in turns_of(record, seat, state):
        worlds_from = hashlib.sha256(f"arena analysis 1\n{seed}\n{turn.told.hex()}".encode()).digest()
        trial = greedy_trial(turn, record.game, record.options, worlds_from)
        yield judge(turn, trial, PHASES[3 * turn.ply // len(record.actions)], most)


def sources_of(record: Record) -> list[Source]:
    """What made each seat's result, as `arena.comparison.luck` tells luck and play apart.

    Raises CannotAnalyse; BrokenRecord as `replay` does.
    """
    require_analysable(record.game)
    seats = range(record.seats)
    state = first_position(record)
    greedily = played_out(state.clone())
    played = list(greedily)
    own, others, spread = [0.0] * record.seats, [0.0] * record.seats, [0.0] * record.seats
    for choice in choices_from(state, record, futures_of(record)):
        effects = list(choice.there)
        for seat in seats:
            values = [effect[seat] for effect in effects]
            mean = sum(values) / SAMPLES
            played[seat] += choice.here[seat]
            (own if seat == choice.seat else others)[seat] += mean
            spread[seat] += sum((value - mean) ** 2 for value in values) / (SAMPLES - 1) / SAMPLES
    scores = scores_of(record.outcome)
    even = 0.5
    return [
        Source(
            score=scores[seat],
            deal=greedily[seat] - even,
            luck=played[seat] - greedily[seat] - own[seat] - others[seat],
            own=own[seat],
            others=others[seat],
            forfeits=scores[seat] - played[seat],
            error=quantile(DOUBT / 2, SAMPLES - 1) * math.sqrt(spread[seat]),
        )
        for seat in seats
    ]


def data_of(decisions: Sequence[Decision]) -> list[dict[str, Any]]:
    """Decisions as JSON knows them."""
    return [decision.as_data() for decision in decisions]
