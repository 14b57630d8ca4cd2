"""What the decisions of a bot have in common: what they cost by category, and its weaknesses."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from arena.checkup.analysis.decision import Decision
from arena.checkup.analysis.game import Source
from arena.checkup.analysis.weaknesses import Weakness, margin_of_sum, weaknesses_of

DEAREST: Final = 10
"""How many of the most expensive decisions are listed."""


class JudgedSeat(NamedTuple):
    """A bot's part in a game.

    Attributes:
        key: the key of the game.
        game: the game's id.
        seat: the bot's seat.
        names: the name of each seat's bot.
        decisions: its decisions.
        source: what made its result.
    """

    key: str
    game: str
    seat: int
    names: tuple[str, ...]
    decisions: tuple[Decision, ...]
    source: Source


class Cost(NamedTuple):
    """What the decisions of a category cost a bot.

    Attributes:
        name: the category.
        games: the games in which it had such decisions.
        decisions: their number.
        mistakes: how many of them were mistakes (`Decision.verdict`).
        cost: the sum of their costs, in scores.
        error: the margin of error of the sum, from the differences between games; None for few games.
        share: the sum as a share of the scores that the better actions would have brought, from 0 to 1. It
            compares bots better than the cost: a bot that is far behind has little left to lose.
    """

    name: str
    games: int
    decisions: int
    mistakes: int
    cost: float
    error: float | None
    share: float


class BotAnalysis(NamedTuple):
    """What was found about a bot.

    Attributes:
        name: the bot.
        played: its games.
    """

    name: str
    played: Sequence[JudgedSeat]

    def own(self) -> list[tuple[JudgedSeat, Decision]]:
        """The decisions that the bot made itself: no default actions that were played for it."""
        return [(each, decision) for each in self.played for decision in each.decisions if not decision.fault]

    def faults(self) -> Cost:
        """What the default actions cost that were played for it."""
        found = [(each, decision) for each in self.played for decision in each.decisions if decision.fault]
        return _cost("faults", found)

    def total(self) -> Cost:
        """What its decisions cost."""
        return _cost("all", self.own())

    def by_game(self) -> list[Cost]:
        """What they cost by game."""
        return self._by(lambda played, _: played.game)

    def by_phase(self) -> list[Cost]:
        """What they cost by game and phase."""
        return self._by(lambda played, decision: f"{played.game}, {decision.phase}")

    def by_kind(self) -> list[Cost]:
        """What they cost by game and the kind of action that was chosen, the most expensive first."""
        return sorted(
            self._by(lambda played, decision: f"{played.game}, {decision.choice.kind}"),
            key=lambda cost: -cost.cost,
        )

    def by_seats(self) -> list[Cost]:
        """What they cost by game and size of table."""
        return self._by(lambda played, _: f"{played.game}, {len(played.names)} seats")

    def _by(self, category: Callable[[JudgedSeat, Decision], str]) -> list[Cost]:
        groups: dict[str, list[tuple[JudgedSeat, Decision]]] = {}
        for played, decision in self.own():
            groups.setdefault(category(played, decision), []).append((played, decision))
        return [_cost(name, found) for name, found in groups.items()]

    def weaknesses(self) -> list[Weakness]:
        """Its weaknesses (`weaknesses_of`)."""
        games: dict[str, list[list[Decision]]] = {}
        for played in self.played:
            own = [decision for decision in played.decisions if not decision.fault]
            games.setdefault(played.game, []).append(own)
        return weaknesses_of(games)

    def dearest(self) -> list[tuple[JudgedSeat, Decision]]:
        """The most expensive decisions that were mistakes."""
        wrong = [found for found in self.own() if found[1].verdict == "mistake"]
        return sorted(wrong, key=lambda found: -found[1].cost)[:DEAREST]

    def sources(self) -> Source | None:
        """What made its results, on average; None without games."""
        if not self.played:
            return None
        count = len(self.played)
        *parts, errors = zip(*(each.source for each in self.played), strict=True)
        means = [sum(part) / count for part in parts]
        return Source._make([*means, math.sqrt(sum(each * each for each in errors)) / count])


def _cost(name: str, found: Iterable[tuple[JudgedSeat, Decision]]) -> Cost:
    games: dict[tuple[str, int], float] = {}
    decisions = mistakes = 0
    expected = 0.0
    for played, decision in found:
        decisions += 1
        mistakes += decision.verdict == "mistake"
        place = played.key, played.seat
        games[place] = games.get(place, 0.0) + decision.cost
        expected += decision.choice.score + max(decision.cost, 0.0)
    error = margin_of_sum([*games.values()])
    cost = sum(games.values())
    share = max(cost, 0.0) / expected if expected else 0.0
    return Cost(name, len(games), decisions, mistakes, cost, error, share)
