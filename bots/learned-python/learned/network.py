"""The network: sees each suit with the same eyes, so what it learns of one it knows of all four.

Its input is a table of four suits by what is known of each: which cards of it
are in the hand, just drawn, on offer, thrown away for good, and taken by
others; and a few numbers that are the same for all. Two layers mix what is seen
of a suit with the mean over all suits. Out come a logit for each of the 55
actions - those of discards suit by suit - and how well the seat will do, -1 to 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]

HIDDEN = 48
NO_DISCARD = 3
"""The actions before the discards: draw from the stock, take the discard, end play."""
INPUTS = 5 * 13 + 4


def features(arrays: Mapping[str, NDArray[Any]]) -> Floats:
    """The input for one position: four suits by `INPUTS` numbers, from the environment's arrays."""
    others = arrays["took"][1:].max(axis=0)
    by_card = [arrays["hand"], arrays["drawn"], arrays["top"], arrays["lying"], others]
    by_suit = np.concatenate([flags.reshape(4, 13) for flags in by_card], axis=1)
    same = [
        arrays["phase"][1],
        arrays["stock"][0] / 52,
        min(arrays["discards"][0] / 52, 2),
        min(arrays["stalled"][0] / 8, 2),
    ]
    return np.concatenate([by_suit, np.tile(same, (4, 1))], axis=1).astype(np.float32)


class Layers(NamedTuple):
    """What a pass through the network found, layer by layer: as it goes back for learning."""

    inputs: Floats
    first: Floats
    second: Floats


class Network:
    """The network.

    Args:
        weights: its matrices by name.
    """

    def __init__(self, weights: dict[str, Floats]) -> None:
        self.weights = weights

    @classmethod
    def new(cls, rng: np.random.Generator) -> Network:
        """A network that has learned nothing."""

        def matrix(rows: int, columns: int, scale: float) -> Floats:
            drawn: Floats = rng.standard_normal((rows, columns)) * scale / np.sqrt(rows)
            return drawn.astype(np.float32)

        return cls(
            {
                "own1": matrix(INPUTS, HIDDEN, 1.4), "all1": matrix(INPUTS, HIDDEN, 1.4),
                "bias1": np.zeros(HIDDEN, np.float32),
                "own2": matrix(HIDDEN, HIDDEN, 1), "all2": matrix(HIDDEN, HIDDEN, 1),
                "bias2": np.zeros(HIDDEN, np.float32),
                "discard": matrix(HIDDEN, 13, 0.1), "seen": matrix(INPUTS, 13, 0.1),
                "rest": matrix(HIDDEN, NO_DISCARD, 0.1), "rest_bias": np.zeros(NO_DISCARD, np.float32),
                "value": matrix(HIDDEN, 1, 0.1), "value_bias": np.zeros(1, np.float32),
            }
        )  # fmt: skip

    @classmethod
    def load(cls, path: Path) -> Network:
        """The network that was saved in a file."""
        with np.load(path) as stored:
            return cls({name: stored[name].astype(np.float32) for name in stored.files})

    def save(self, path: Path) -> None:
        """Writes the weights, in half precision, which is enough to play."""
        np.savez_compressed(path, **{name: each.astype(np.float16) for name, each in self.weights.items()})  # type: ignore[arg-type]  # numpy types the names as its own option's

    def evaluate(self, inputs: Floats) -> tuple[Floats, Floats]:
        """The logits of all actions and the value, for each of some positions."""
        logits, values, _ = self.forward(inputs)
        return logits, values

    def forward(self, inputs: Floats) -> tuple[Floats, Floats, Layers]:
        """As `evaluate`, and what `backward` needs."""
        w = self.weights
        first = np.maximum(inputs @ w["own1"] + _mean(inputs) @ w["all1"] + w["bias1"], 0)
        second = np.maximum(first @ w["own2"] + _mean(first) @ w["all2"] + w["bias2"], 0)
        whole = second.mean(axis=1)
        discards = second @ w["discard"] + inputs @ w["seen"]
        rest = whole @ w["rest"] + w["rest_bias"]
        values = (whole @ w["value"] + w["value_bias"])[:, 0]
        logits = np.concatenate([rest, discards.reshape(len(inputs), 52)], axis=1)
        return logits, values, Layers(inputs, first, second)

    def backward(self, layers: Layers, by_logits: Floats, by_values: Floats) -> dict[str, Floats]:
        """The gradient of a loss in the weights, from that in the logits and in the values."""
        w = self.weights
        inputs, first, second = layers
        whole = second.mean(axis=1)
        rest, discards = by_logits[:, :NO_DISCARD], by_logits[:, NO_DISCARD:].reshape(-1, 4, 13)
        values = by_values[:, np.newaxis]
        by_whole = rest @ w["rest"].T + values @ w["value"].T
        by_second = (discards @ w["discard"].T + by_whole[:, np.newaxis] / 4) * (second > 0)
        by_first = (by_second @ w["own2"].T + _mean(by_second @ w["all2"].T)) * (first > 0)
        return {
            "own1": _product(inputs, by_first), "all1": _product(_mean(inputs), _mean(by_first) * 4),
            "bias1": by_first.sum(axis=(0, 1)),
            "own2": _product(first, by_second), "all2": _product(_mean(first), _mean(by_second) * 4),
            "bias2": by_second.sum(axis=(0, 1)),
            "discard": _product(second, discards), "seen": _product(inputs, discards),
            "rest": whole.T @ rest, "rest_bias": rest.sum(axis=0),
            "value": whole.T @ values, "value_bias": values.sum(axis=0),
        }  # fmt: skip


def _mean(by_suit: Floats) -> Floats:
    return np.asarray(by_suit.mean(axis=1, keepdims=True), np.float32)


def _product(left: Floats, right: Floats) -> Floats:
    """The sum over positions and suits of what goes in times what comes back."""
    return np.asarray(np.tensordot(left, right, axes=((0, 1), (0, 1))), np.float32)
