"""Teaches the network by playing against itself: `python -m learned.train` in the bot's folder.

Proximal policy optimisation with generalised advantages, on one processor and
in numpy alone. Writes `weights.npz` and, where matplotlib is installed, `curve.svg`; the
same seed gives the same weights on the same machine.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.policies import greedy
from arena.rl import raw_env
from arena.rl.environment import GameEnv
from learned.network import Floats, Network, features

FOLDER = Path(__file__).parents[1]
TABLES = 64  # played side by side, so that the network is asked for many positions at once
BATCH = 8192  # decisions, at least, between two lessons
PASSES = 3
PART = 1024  # decisions whose gradients are added up
RATE = 2e-3  # of learning; it falls to nothing along a line
CLIP = 0.2
TRACE = 0.95  # how far back what came out is credited to a decision
ENTROPY = 0.01
LONGEST_NORM = 0.5
TRIED_EVERY = 10  # lessons


class Decisions(NamedTuple):
    """Decisions that were made, one below the other, and what came of them."""

    inputs: Floats
    masks: NDArray[np.bool_]
    chosen: NDArray[np.int64]
    chances: Floats  # the logarithm of how likely each choice was
    advantages: Floats
    results: Floats


def chances_of(logits: Floats, masks: NDArray[np.bool_]) -> Floats:
    """The logarithm of the chance of each action; that of an illegal one is very low."""
    legal = np.where(masks, logits, -1e9)
    legal -= legal.max(axis=1, keepdims=True)
    return np.asarray(legal - np.log(np.exp(legal).sum(axis=1, keepdims=True)), np.float32)


class Story:
    """What one seat of a game decided, until the game is over."""

    def __init__(self) -> None:
        self.inputs: list[Floats] = []
        self.masks: list[NDArray[np.bool_]] = []
        self.chosen: list[int] = []
        self.chances: list[float] = []
        self.values: list[float] = []

    def told(self, reward: float) -> Decisions:
        """The decisions, judged by the reward that the game ended with."""
        values = np.array([*self.values, reward], np.float32)
        steps = np.diff(values)
        advantages = np.zeros_like(steps)
        later = 0.0
        for place in reversed(range(len(steps))):
            later = advantages[place] = steps[place] + TRACE * later
        return Decisions(
            np.stack(self.inputs), np.stack(self.masks), np.array(self.chosen),
            np.array(self.chances, np.float32), advantages, advantages + values[:-1],
        )  # fmt: skip


def self_play(network: Network, seed: int, rng: np.random.Generator) -> Iterator[Decisions]:
    """Games of the network against itself, for ever: the decisions of each seat when its game is over."""
    tables = [raw_env("forty-one") for _ in range(TABLES)]
    for number, table in enumerate(tables):
        table.reset(seed=f"{seed} {number}")
    stories: list[dict[str, Story]] = [{} for _ in tables]
    while True:
        seen = [table.observe(table.agent_selection) for table in tables]
        inputs = np.stack([features(each["observation"]) for each in seen])
        masks = np.stack([each["action_mask"] for each in seen]).astype(bool)
        logits, values = network.evaluate(inputs)
        chances = chances_of(logits, masks)
        drawn = np.exp(chances).cumsum(axis=1) > rng.random((TABLES, 1)) * 0.999999
        chosen = (drawn & masks).argmax(axis=1)
        for number, table in enumerate(tables):
            action = int(chosen[number])
            story = stories[number].setdefault(table.agent_selection, Story())
            story.inputs.append(inputs[number])
            story.masks.append(masks[number])
            story.chosen.append(action)
            story.chances.append(float(chances[number, action]))
            story.values.append(float(values[number]))
            table.step(action)
            if table.outcome is not None:
                for agent, ended in stories[number].items():
                    yield ended.told(table.rewards[agent])
                stories[number] = {}
                table.reset()


class Teacher:
    """Changes a network's weights along gradients (Adam)."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.steps = 0
        self.means = {name: np.zeros_like(each) for name, each in network.weights.items()}
        self.squares = {name: np.zeros_like(each) for name, each in network.weights.items()}

    def teach(self, made: Decisions, rate: float) -> None:
        """Makes what went better than expected more likely, within bounds."""
        count = len(made.chosen)
        logits, values, layers = self.network.forward(made.inputs)
        chances = chances_of(logits, made.masks)
        likely = np.exp(chances)
        rows = np.arange(count)
        ratio = np.exp(chances[rows, made.chosen] - made.chances)
        bounded = np.where(made.advantages > 0, ratio > 1 + CLIP, ratio < 1 - CLIP)
        push = np.where(bounded, 0, ratio * made.advantages)[:, np.newaxis]
        by_logits = push * likely
        by_logits[rows, made.chosen] -= push[:, 0]
        spread = -(likely * np.where(made.masks, chances, 0)).sum(axis=1, keepdims=True)
        by_logits += ENTROPY * likely * (np.where(made.masks, chances, 0) + spread)
        by_values = values - made.results
        self._step(self.network.backward(layers, by_logits / count, by_values / count), rate)

    def _step(self, gradient: dict[str, Floats], rate: float) -> None:
        norm = float(np.sqrt(sum(float((each**2).sum()) for each in gradient.values())))
        shorter = min(1.0, LONGEST_NORM / (norm + 1e-9))
        self.steps += 1
        for name, each in gradient.items():
            mean, square = self.means[name], self.squares[name]
            mean += 0.1 * (each * shorter - mean)
            square += 0.001 * ((each * shorter) ** 2 - square)
            step = (mean / (1 - 0.9**self.steps)) / (np.sqrt(square / (1 - 0.999**self.steps)) + 1e-8)
            self.network.weights[name] -= rate * step


def joined(parts: Sequence[Decisions]) -> Decisions:
    """All decisions in one."""
    return Decisions(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def some(made: Decisions, places: NDArray[np.int64]) -> Decisions:
    """The decisions at these places."""
    columns: list[Any] = [column[places] for column in made]
    return Decisions(*columns)


def train(seed: int, lessons: int, heard: Callable[[int, int, Network], None]) -> Network:
    """Trains a network.

    Args:
        seed: all chance follows from it.
        lessons: how many batches it plays and learns from.
        heard: told the lesson's number, from 1, the decisions so far and the network after each.
    """
    rng = np.random.default_rng(seed)
    network = Network.new(rng)
    teacher = Teacher(network)
    games = self_play(network, seed, rng)
    decisions = 0
    for lesson in range(lessons):
        parts: list[Decisions] = []
        while sum(len(part.chosen) for part in parts) < BATCH:
            parts.append(next(games))
        made = joined(parts)
        decisions += len(made.chosen)
        made = made._replace(advantages=(made.advantages - made.advantages.mean()) / made.advantages.std())
        for _ in range(PASSES):
            order = rng.permutation(len(made.chosen))
            for part in np.array_split(order, len(order) // PART):
                teacher.teach(some(made, part), RATE * (1 - lesson / lessons))
        heard(lesson + 1, decisions, network)
    return network


def score(network: Network, other: Callable[[GameEnv, np.random.Generator], int], boards: int) -> float:
    """The network's share of games won, a tie half, each board being played from both seats."""
    table = raw_env("forty-one")
    rng = np.random.default_rng(0)
    total = 0.0
    for board in range(boards):
        for own in table.possible_agents:
            table.reset(seed=f"trial {board}")
            while table.outcome is None:
                if table.agent_selection != own:
                    table.step(other(table, rng))
                    continue
                seen = table.observe(own)
                logits, _ = network.evaluate(features(seen["observation"])[np.newaxis])
                table.step(int(np.where(seen["action_mask"], logits[0], -np.inf).argmax()))
            total += (table.rewards[own] + 1) / 2
    return total / (2 * boards)


def by_chance(table: GameEnv, rng: np.random.Generator) -> int:
    """Any legal action."""
    return int(rng.choice(list(table.legal())))


def by_hand(table: GameEnv, rng: np.random.Generator) -> int:
    """What `greedy` does."""
    legal = table.legal()
    action = greedy(table.seen(table.agent_selection), list(legal.values()))
    return next(number for number, other in legal.items() if other == action)


class Point(NamedTuple):
    """How good the network was, after so many decisions and seconds, as shares of games won."""

    decisions: int
    seconds: float
    random: float
    greedy: float


def draw(curve: Sequence[Point], path: Path) -> None:
    """Draws how the network learned."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "learned", "svg.fonttype": "none"})
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 3.6), layout="constrained")
    decisions = [point.decisions / 1000 for point in curve]
    axes.plot(decisions, [100 * point.random for point in curve], label="against random")
    axes.plot(decisions, [100 * point.greedy for point in curve], label="against greedy")
    axes.axhline(50, color="grey", linewidth=0.8, linestyle=":")
    axes.set(xlabel="decisions played against itself, thousands", ylabel="games won, %", ylim=(0, 100))
    axes.legend(loc="lower right")
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="All chance follows from it.")
    parser.add_argument("--lessons", type=int, default=120, help="Batches to play and to learn from.")
    parser.add_argument("--trials", type=int, default=100, help="Boards on which it is tried, now and then.")
    parser.add_argument("--into", type=Path, default=FOLDER, help="The folder for weights.npz and curve.svg.")
    given = parser.parse_args()
    drawn = find_spec("matplotlib") is not None
    if not drawn:
        print("There will be no curve.svg: to draw it, pip install matplotlib.", flush=True)
    began = time.process_time()
    curve: list[Point] = []

    def heard(lesson: int, decisions: int, network: Network) -> None:
        if lesson % TRIED_EVERY and lesson != given.lessons:
            return
        spent = time.process_time() - began
        scores = [score(network, other, given.trials) for other in (by_chance, by_hand)]
        curve.append(Point(decisions, spent, *scores))
        print(
            f"lesson {lesson:3}, {decisions:9,} decisions, {spent:4.0f} s of CPU: "
            f"{curve[-1].random:6.1%} against random, {curve[-1].greedy:6.1%} against greedy",
            flush=True,
        )

    train(given.seed, given.lessons, heard).save(given.into / "weights.npz")
    if drawn:
        draw(curve, given.into / "curve.svg")


if __name__ == "__main__":
    main()
