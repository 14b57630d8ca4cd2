"""The weaknesses of a bot in one game: what it always or never does, and what else it often does wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Final, NamedTuple

from arena.checkup.analysis.decision import Decision

HABIT: Final = 0.95
"""What a bot does in this share of the decisions in which it can is its habit."""
_FEW = 10  # decisions that a habit needs at least


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
    """

    game: str
    habit: str
    difference: str
    decisions: int
    mistakes: int
    cost: float


def weaknesses_in(game: str, decisions: Sequence[Decision]) -> Iterator[Weakness]:
    """The weaknesses of a bot in one game: the habits that explain most of the costs, then what is left."""
    left = [decision for decision in decisions if decision.difference]
    habits = [*_habits_of_kinds(decisions), *_habits_of_places(decisions)]
    while habits:
        costs = [sum(each.cost for each in left if habit.explains(each)) for habit in habits]
        habit = habits.pop(costs.index(max(costs)))
        if explained := [each for each in left if habit.explains(each)]:
            yield _weakness(game, habit.name, explained)
        left = [each for each in left if not habit.explains(each)]
    groups: dict[str, list[Decision]] = {}
    for decision in left:
        groups.setdefault(decision.difference, []).append(decision)
    for alike in groups.values():
        yield _weakness(game, "", alike)


def _weakness(game: str, habit: str, decisions: Sequence[Decision]) -> Weakness:
    costs: dict[str, float] = {}
    for decision in decisions:
        costs[decision.difference] = costs.get(decision.difference, 0.0) + decision.cost
    mistakes = sum(decision.verdict == "mistake" for decision in decisions)
    most = max(costs, key=lambda difference: costs[difference])
    return Weakness(game, habit, most, len(decisions), mistakes, sum(costs.values()))


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
