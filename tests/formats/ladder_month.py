"""Simulated months of a ladder: `python -m tests.formats.ladder_month --help`.

The strengths of the bots are normal with a standard deviation of 150 Elo, and in each of five games a bot
is stronger or weaker by a further 50. A match is one board of each game, played from both seats, with
independent games. New versions come one after another, 30 Elo better than their predecessors on average, with
a standard deviation of 60. Two bots forfeit every game.

`order` compares ways to pair, with equally many matches in each round. The loss is the Elo that a wrong order
costs a bot: the sum over all pairs in the wrong order of the Elo between the two, divided by the number of
bots. The order is that of a plain fit to all results at the end; the two broken bots do not count.

`others` plays a ladder on a simulated clock, with a few tables. It counts the matches of ordinary bots beside
slow, hanging and crashing ones, and compares them with those beside as many ordinary bots.
"""

from __future__ import annotations

import argparse
import heapq
import math
import random
import time
from collections import deque
from collections.abc import Callable, Sequence
from fractions import Fraction
from statistics import mean, stdev
from typing import NamedTuple

import numpy as np

from arena.formats.ladder_pairing import MOST_PACE, RANKED, WINDOW, Bot, Floats, Pair, Planner
from arena.results import MatchResult

LOGIT = math.log(10) / 400
GAMES, SPREAD, OWN, BROKEN = 5, 150.0, 50.0, 2
NEAR = 35.0
LOOK = 5
"""After so many rounds a fit says how far off the new versions are."""


class Outcome(NamedTuple):
    """What a month gave.

    Attributes:
        loss: the Elo that the wrong order costs a bot at the end.
        matches: the mean number of matches after which the rating of a new version stayed within 35 Elo.
        rounds: the mean number of rounds for it.
        settled: the share of new versions that got there.
        fewest: the fewest matches of a bot that was there all along.
        seconds: CPU seconds for each round, with the simulation itself.
    """

    loss: float
    matches: float
    rounds: float
    settled: float
    fewest: int
    seconds: float


class Month:
    """A month: its bots, their strengths, and the dice.

    Args:
        count: the number of bots at each time.
        rounds: the number of rounds.
        arrivals: the number of new versions.
        seed: decides the rest.
    """

    def __init__(self, count: int, rounds: int, arrivals: int, seed: int) -> None:
        self.random = random.Random(seed)
        self.rounds = rounds
        self.true = [self._games(self.random.gauss(0, SPREAD)) for _ in range(count)]
        self.bots = [Bot(each, "", None, 0, None) for each in range(count)]
        for arrival in range(arrivals):
            since = (arrival + 1) * rounds // (arrivals + 1)
            old = self.random.choice([bot.entrant for bot in self.bots[BROKEN:] if bot.gone is None])
            self.bots[old] = self.bots[old]._replace(gone=since)
            self.true.append(self._games(mean(self.true[old]) + self.random.gauss(30, 60)))
            self.bots.append(Bot(len(self.bots), "", old, since, None))
        self.overall = [mean(games) for games in self.true]
        self.won = np.zeros((len(self.bots), len(self.bots)))
        self.played = np.zeros((len(self.bots), len(self.bots)))
        self.levels: Floats = np.zeros(len(self.bots))

    def _games(self, level: float) -> list[float]:
        return [level + self.random.gauss(0, OWN) for _ in range(GAMES)]

    @property
    def matches(self) -> Floats:
        """The number of matches of each bot."""
        return np.asarray(self.played.sum(axis=1))

    def here(self, number: int) -> list[int]:
        """The bots that may play in a round."""
        return [b.entrant for b in self.bots if b.since <= number and (b.gone is None or number < b.gone)]

    def result(self, one: int, other: int) -> MatchResult:
        """Plays a match."""
        if one < BROKEN or other < BROKEN:
            won = Fraction(1, 2) if max(one, other) < BROKEN else Fraction(int(other < BROKEN))
        else:
            won = Fraction(0)
            for mine, theirs in zip(self.true[one], self.true[other], strict=True):
                chance = 1 / (1 + math.exp((theirs - mine) * LOGIT))
                won += Fraction(sum(self.random.random() < chance for _ in range(2)), 2 * GAMES)
        self.won[one, other] += float(won)
        self.won[other, one] += 1 - float(won)
        self.played[[one, other], [other, one]] += 1
        return MatchResult((one, other), (won, 1 - won))

    def play(self, choose: Choose | None = None, sizes: Sequence[int] = ()) -> tuple[Outcome, list[int]]:
        """Plays the month; also returns the number of matches of each round.

        Args:
            choose: the way to pair; None for that of a ladder.
            sizes: the most matches of each round, for all other ways.
        """
        planner = Planner(self.bots)
        waiting: dict[int, list[tuple[Pair, MatchResult]]] = {}
        found = []
        off: dict[int, tuple[float, int, bool]] = {}  # a new version, when it was last too far off
        began = time.process_time()
        for number in range(self.rounds):
            for pair, result in waiting.pop(number, []):
                planner.use(pair, result)
            pairs = planner.plan(number) if choose is None else choose(self, number, sizes[number])
            found.append(len(pairs))
            for pair in pairs:
                result = self.result(pair.one, pair.other)
                if choose is None:
                    waiting.setdefault(number + WINDOW * pair.pace, []).append((pair, result))
            if number % LOOK == LOOK - 1:
                self.levels = fit(self.won, self.played)
                self._look(number, off)
        seconds = (time.process_time() - began) / self.rounds
        self.levels = fit(self.won, self.played)
        settled = [(matches, rounds) for matches, rounds, far in off.values() if not far]
        always = [bot.entrant for bot in self.bots if bot.since == 0 and bot.gone is None]
        return Outcome(
            self.loss(),
            mean(matches for matches, _ in settled) if settled else math.nan,
            mean(rounds for _, rounds in settled) if settled else math.nan,
            len(settled) / len(off) if off else math.nan,
            int(min(self.matches[always])),
            seconds,
        ), found

    def _look(self, number: int, off: dict[int, tuple[float, int, bool]]) -> None:
        """Notes which new versions are too far off, relative to the ranked bots."""
        here, matches = self.here(number), self.matches
        ranked = [each for each in here if each >= BROKEN and matches[each] >= RANKED]
        if not ranked:
            return
        middle = mean(float(self.levels[each]) - self.overall[each] for each in ranked)
        for each in here:
            if self.bots[each].replaces is not None:
                far = abs(float(self.levels[each]) - self.overall[each] - middle) > NEAR
                matches_off, rounds_off, _ = off.get(each, (0.0, 0, True))
                if far:
                    matches_off, rounds_off = float(matches[each]), number + 1 - self.bots[each].since
                off[each] = (matches_off, rounds_off, far)

    def loss(self) -> float:
        """The Elo that the wrong order costs a bot."""
        there = [each for each in self.here(self.rounds - 1) if each >= BROKEN]
        loss = 0.0
        for place, one in enumerate(there):
            for other in there[:place]:
                apart = self.overall[one] - self.overall[other]
                if apart * (self.levels[one] - self.levels[other]) < 0:
                    loss += abs(apart)
        return loss / len(there)


Choose = Callable[[Month, int, int], list[Pair]]


def fit(won: Floats, played: Floats) -> Floats:
    """The strengths in Elo, by a Bradley-Terry fit with a weak prior."""
    strength = np.zeros(len(won))
    weak = (350 * LOGIT) ** -2
    for _ in range(30):
        chance = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
        known = 2 * GAMES * played * chance * (1 - chance)
        slope = 2 * GAMES * (won - played * chance).sum(axis=1) - strength * weak
        step = np.linalg.solve(np.diag(known.sum(axis=1) + weak) - known, slope)
        strength = strength + np.clip(step, -2, 2)
        if np.abs(step).max() < 1e-6:
            break
    return np.asarray(strength / LOGIT)


def at_random(month: Month, number: int, most: int) -> list[Pair]:
    """Bots at random, each once a round."""
    here = month.here(number)
    month.random.shuffle(here)
    return [Pair(*sorted(here[2 * each : 2 * each + 2])) for each in range(min(most, len(here) // 2))]


def nearest(month: Month, number: int, most: int) -> list[Pair]:
    """The bot with the fewest matches against one of the five nearest by the results so far, and so on."""
    matches, free = month.matches, set(month.here(number))
    pairs: list[Pair] = []
    while len(pairs) < most and len(free) > 1:
        one = min(sorted(free), key=lambda each: (matches[each], month.random.random()))
        free.discard(one)
        level = month.levels[one]
        near = sorted(free, key=lambda each: (abs(month.levels[each] - level), each))[:5]
        other = month.random.choice(near)
        free.discard(other)
        pairs.append(Pair(*sorted((one, other))))
    return pairs


WAYS: dict[str, Choose | None] = {"ladder": None, "random": at_random, "nearest": nearest}


def months(count: int, rounds: int, arrivals: int, seeds: Sequence[int]) -> dict[str, list[Outcome]]:
    """The outcomes of each way to pair, on the same fields."""
    outcomes: dict[str, list[Outcome]] = {way: [] for way in WAYS}
    for seed in seeds:
        sizes: list[int] = []
        for way, choose in WAYS.items():
            outcome, found = Month(count, rounds, arrivals, seed).play(choose, sizes)
            sizes = sizes or found
            outcomes[way].append(outcome)
    return outcomes


class Kind(NamedTuple):
    """A kind of bot on the simulated clock.

    Attributes:
        seconds: the time that it takes for a match.
        broken: whether it forfeits every game; then its opponent takes no time.
    """

    seconds: float
    broken: bool = False


ORDINARY = Kind(2.0)
KINDS = {"slow": Kind(40.0), "hanging": Kind(40.0, True), "crashing": Kind(0.1, True)}


def on_the_clock(kinds: Sequence[Kind], tables: int, length: float, seed: int) -> list[int]:
    """The matches that each bot of a ladder has ended after some simulated seconds.

    A round is planned as in `arena.formats.ladder`: when a table is free, all matches of earlier rounds have
    begun, and those on whose results the round depends are over.
    """
    dice = random.Random(seed)
    levels = [dice.gauss(0, SPREAD) for _ in kinds]
    planner = Planner([Bot(each, "", None, 0, None) for each in range(len(kinds))])
    due: dict[int, list[tuple[Pair, list[MatchResult]]]] = {}
    begin: deque[tuple[Pair, list[MatchResult]]] = deque()
    running: list[tuple[float, int, Pair, list[MatchResult]]] = []
    matches, number, empty, begun, now = [0] * len(kinds), 0, 0, 0, 0.0
    while now <= length:
        while len(running) < tables:
            while not begin and all(result for _, result in due.get(number, [])) and empty < MOST_PACE:
                for pair, result in due.pop(number, []):
                    planner.use(pair, result[0])
                pairs = planner.plan(number)
                for pair in pairs:
                    begin.append((pair, []))
                    due.setdefault(number + WINDOW * pair.pace, []).append(begin[-1])
                empty = 0 if pairs or due else empty + 1
                number += 1
            if not begin:
                break
            pair, result = begin.popleft()
            both = kinds[pair.one], kinds[pair.other]
            broken = any(kind.broken for kind in both)
            taken = sum(kind.seconds for kind in both if kind.broken or not broken)
            begun += 1
            heapq.heappush(running, (now + taken, begun, pair, result))
        if not running:
            break
        now, _, pair, result = heapq.heappop(running)
        both = kinds[pair.one], kinds[pair.other]
        chance = 1 / (1 + 10 ** ((levels[pair.other] - levels[pair.one]) / 400))
        won = Fraction(sum(dice.random() < chance for _ in range(2 * GAMES)), 2 * GAMES)
        broken = any(kind.broken for kind in both)
        if broken:
            won = Fraction(1 + both[1].broken - both[0].broken, 2)
        times = tuple(int(1e6 * kind.seconds) if kind.broken or not broken else 0 for kind in both)
        result.append(MatchResult((pair.one, pair.other), (won, 1 - won), times=times))
        for each in (pair.one, pair.other):
            matches[each] += 1
    return matches


def beside(others: Sequence[Kind], ordinary: int, tables: int, length: float, seed: int) -> tuple[float, int]:
    """The mean and the smallest number of matches of ordinary bots beside some others."""
    found = on_the_clock([*[ORDINARY] * ordinary, *others], tables, length, seed)[:ordinary]
    return mean(found), min(found)


def error(values: Sequence[float]) -> float:
    """The standard error of a mean."""
    return stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan


def say(line: str) -> None:
    """Prints a line at once."""
    print(line, flush=True)


def _order(given: argparse.Namespace) -> None:
    outcomes = months(given.bots, given.rounds, given.arrivals, range(given.seed, given.seed + given.months))
    say(f"{given.bots} bots, {given.rounds} rounds, {given.arrivals} new versions, {given.months} months")
    for way, found in outcomes.items():
        line = f"{way:8}"
        for values in zip(*found, strict=True):
            known = [value for value in values if not math.isnan(value)]
            line += f"  {mean(known):7.3f} ± {error(known):5.3f}"
        say(line)
    say("         loss (Elo a bot), matches and rounds until within 35 Elo, share that got there,")
    say("         fewest matches, CPU seconds a round")
    for way in ("random", "nearest"):
        apart = [
            mine.loss - theirs.loss for mine, theirs in zip(outcomes["ladder"], outcomes[way], strict=True)
        ]
        say(f"loss of ladder - {way}: {mean(apart):.3f} ± {error(apart):.3f} (on the same fields)")


def _others(given: argparse.Namespace) -> None:
    say(f"{given.ordinary} ordinary bots, {given.tables} tables, {given.length:.0f} seconds")
    for count in (1, given.ordinary):
        for name, kind in KINDS.items():
            shares, fewest = [], []
            for seed in range(given.seed, given.seed + given.months):
                run = (given.ordinary, given.tables, given.length, seed)
                without = beside([ORDINARY] * count, *run)
                there = beside([kind] * count, *run)
                shares.append(there[0] / without[0])
                fewest.append(there[1] / without[1])
            say(
                f"{count:3} {name:9} matches of the others {mean(shares):.3f} ± {error(shares):.3f}, "
                f"of the one with the fewest {mean(fewest):.3f} ± {error(fewest):.3f} "
                "of those beside ordinary bots"
            )


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--months", type=int, default=10, help="how many, each with its own dice")
    parser.add_argument("--seed", type=int, default=0, help="the number of the first one")
    commands = parser.add_subparsers(required=True)
    order = commands.add_parser("order", help="the order of the bots, and new versions")
    order.add_argument("--bots", type=int, default=10)
    order.add_argument("--rounds", type=int, default=300)
    order.add_argument("--arrivals", type=int, default=30, help="new versions")
    order.set_defaults(run=_order)
    others = commands.add_parser("others", help="ordinary bots beside slow, hanging and crashing ones")
    others.add_argument("--ordinary", type=int, default=50)
    others.add_argument("--tables", type=int, default=4)
    others.add_argument("--length", type=float, default=3000.0)
    others.set_defaults(run=_others)
    given = parser.parse_args()
    given.run(given)


if __name__ == "__main__":
    main()
