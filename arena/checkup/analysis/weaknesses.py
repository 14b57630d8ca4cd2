"""The weaknesses of a bot in one game: what it always or never does, and what else it often does wrong.

The rows are chosen by what they cost, so the largest of many sums would look worse than it is. Their margins
allow for all sums that were looked at: each may be wrong in an equal part of 5 % (Bonferroni), so all margins
of a bot hold together.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from arena.checkup.analysis.decision import DOUBT, Decision
from arena.standings.student import quantile

HABIT: Final = 0.95
"""What a bot does in this share of the decisions in which it can is its habit."""
_FEW = 10  # decisions that a habit needs at least

FEW_GAMES: Final = 5
"""Of fewer games no margin is told."""


class Weakness(NamedTuple):
    """What a bot often does where something else is better.

    Attributes:
        game: the game's id.
        habit: what the bot always does or never does in this game, in words, such as `never chooses steal`;
            empty if the decisions have no more than `difference` in common.
        difference: what it does, and instead of what (`Decision.difference`); of a habit, what cost
            most in it.
        decisions: how often something else looked better in this way.
        mistakes: how many of these decisions were mistakes (`Decision.verdict`).
        cost: the sum of their costs, in scores.
        error: the margin of error of the sum, from the differences between all games of this kind; None for
            few games. The margins of all weaknesses of a bot hold together.
    """

    game: str
    habit: str
    difference: str
    decisions: int
    mistakes: int
    cost: float
    error: float | None


def weaknesses_of(games: Mapping[str, Sequence[Sequence[Decision]]]) -> list[Weakness]:
    """The weaknesses of a bot, the most expensive first. Each decision counts in one of them.

    Args:
        games: by the game's id, what the bot decided itself in each of its games.
    """
    found = {game: _found_in(played) for game, played in games.items()}
    doubt = DOUBT / max(1, sum(sums for _, sums in found.values()))
    weaknesses = [
        _weakness(game, each, len(games[game]), doubt) for game, (rows, _) in found.items() for each in rows
    ]
    return sorted(weaknesses, key=lambda weakness: -weakness.cost)


def margin_of_sum(values: Sequence[float], doubt: float = DOUBT) -> float | None:
    """The margin of error of a sum over games, which it exceeds with the probability `doubt`.

    It is Student's, from the differences between the games; None for few games.
    """
    count = len(values)
    if count < FEW_GAMES:
        return None
    return quantile(doubt / 2, count - 1) * statistics.stdev(values) * math.sqrt(count)


class _Found(NamedTuple):
    """A row: its habit, and its decisions with the numbers of their games."""

    habit: str
    decisions: Sequence[tuple[int, Decision]]


def _found_in(played: Sequence[Sequence[Decision]]) -> tuple[list[_Found], int]:
    """The rows of one game, and how many different sums of costs were looked at.

    The rows are the habits that explain most of the costs, then what is left.
    """
    decisions = [each for game in played for each in game]
    left = [(game, each) for game, own in enumerate(played) for each in own if each.difference]
    habits = [*_habits_of_kinds(decisions), *_habits_of_places(decisions)]
    rows: list[_Found] = []
    sums: set[frozenset[tuple[int, int]]] = set()  # each: the games and plies of its decisions
    while habits:
        of_habits = [[found for found in left if habit.explains(found[1])] for habit in habits]
        sums |= {frozenset((game, each.ply) for game, each in explained) for explained in of_habits}
        costs = [sum(each.cost for _, each in explained) for explained in of_habits]
        most = costs.index(max(costs))
        habit = habits.pop(most)
        if of_habits[most]:
            rows.append(_Found(habit.name, of_habits[most]))
        left = [found for found in left if not habit.explains(found[1])]
    groups: dict[str, list[tuple[int, Decision]]] = {}
    for found in left:
        groups.setdefault(found[1].difference, []).append(found)
    return [*rows, *(_Found("", alike) for alike in groups.values())], len(sums - {frozenset()}) + len(groups)


def _weakness(game: str, found: _Found, games: int, doubt: float) -> Weakness:
    costs: dict[str, float] = {}
    by_game = [0.0] * games
    for number, decision in found.decisions:
        costs[decision.difference] = costs.get(decision.difference, 0.0) + decision.cost
        by_game[number] += decision.cost
    mistakes = sum(decision.verdict == "mistake" for _, decision in found.decisions)
    most = max(costs, key=lambda difference: costs[difference])
    error = margin_of_sum(by_game, doubt)
    return Weakness(game, found.habit, most, len(found.decisions), mistakes, sum(by_game), error)


class _Habit(NamedTuple):
    """What a bot always does or never does, and whether that explains why another action is better."""

    name: str
    explains: Callable[[Decision], bool]


def _habits_of_kinds(decisions: Sequence[Decision]) -> Iterator[_Habit]:
    """The kinds of actions that a bot always or never chooses where it can choose among kinds."""
    kinds = sorted({each.kind for decision in decisions for each in decision.tried})
    chosen: dict[str, list[bool]] = {}
    for decision in decisions:
        choices = {each.kind for each in decision.tried}
        if len(choices) > 1:
            for kind in choices:
                chosen.setdefault(kind, []).append(decision.choice.kind == kind)
    for kind in kinds:
        if _is_habit(chosen.get(kind, ()), False):
            yield _Habit(f"never chooses {_named_among(kind, kinds)}", partial(_misses, kind))
    for kind in kinds:
        if _is_habit(chosen.get(kind, ()), True):
            yield _Habit(f"always chooses {_named_among(kind, kinds)}", partial(_chooses, kind))


def _misses(kind: str, decision: Decision) -> bool:
    return decision.better.kind == kind != decision.choice.kind


def _chooses(kind: str, decision: Decision) -> bool:
    return decision.choice.kind == kind != decision.better.kind


def _habits_of_places(decisions: Sequence[Decision]) -> Iterator[_Habit]:
    """The kinds of which a bot always chooses the first action, or the last, in the game's order."""
    places: dict[str, list[tuple[bool, bool]]] = {}
    for decision in decisions:
        kind = _stem(decision.choice.kind)
        alike = [index for index, each in enumerate(decision.tried) if _stem(each.kind) == kind]
        if len(alike) > 1:
            ends = decision.chosen == alike[0], decision.chosen == alike[-1]
            places.setdefault(kind, []).append(ends)
    for kind, chosen in places.items():
        for name, ends in zip(("first", "last"), zip(*chosen, strict=True), strict=True):
            if _is_habit(ends, True):
                yield _Habit(f"always chooses the {name} {kind} listed", partial(_is_among, kind))


def _is_among(kind: str, decision: Decision) -> bool:
    """Whether the chosen action and the better one are both of a kind."""
    return _stem(decision.choice.kind) == kind == _stem(decision.better.kind)


def _is_habit(found: Sequence[bool], value: bool) -> bool:
    """Whether nearly all of enough decisions are so."""
    return len(found) >= _FEW and found.count(value) >= HABIT * len(found)


def _stem(kind: str) -> str:
    """A kind, whatever it leaves empty."""
    return kind.partition(" without ")[0]


def _named_among(kind: str, kinds: Iterable[str]) -> str:
    """A kind, told from one that leaves something empty: `place with guard`."""
    lacks = [
        other.removeprefix(f"{kind} without ") for other in kinds if other.startswith(f"{kind} without ")
    ]
    return f"{kind} with {lacks[0]}" if lacks else kind
