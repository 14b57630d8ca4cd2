"""The example's training runs by one command, is reproducible by its seed, and its gradients are right."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.bots.playing import LEARNED, ROOT
from tests.patience import PATIENCE

FOLDER = ROOT / "bots" / "learned-python"
assert LEARNED  # its folder has been on the path, so its modules are known here
from learned.network import Network  # noqa: E402 - after that
from learned.train import train  # noqa: E402


def test_the_gradient_is_that_of_the_network() -> None:
    """Against differences of what comes out, at some weights of every matrix."""
    rng = np.random.default_rng(1)
    network = Network.new(rng)
    inputs = rng.standard_normal((3, 4, network.weights["own1"].shape[0]))
    by_logits, by_values = rng.standard_normal((3, 55)), rng.standard_normal(3)

    def loss() -> float:
        logits, values = network.evaluate(inputs)
        return float((logits * by_logits).sum() + (values * by_values).sum())

    gradient = network.backward(network.forward(inputs)[2], by_logits, by_values)
    for name, weights in network.weights.items():
        flat = weights.reshape(-1)
        for place in rng.integers(0, flat.size, 3):
            kept, step = flat[place], 5e-3
            flat[place] = kept + step
            above = loss()
            flat[place] = kept - step
            below = loss()
            flat[place] = kept
            slope = (above - below) / (2 * step)
            assert np.isclose(gradient[name].reshape(-1)[place], slope, rtol=0.02, atol=0.02)


@pytest.mark.campaign
def test_training_is_one_command_and_the_same_seed_learns_the_same(tmp_path: Path) -> None:
    printed = trained_into(tmp_path, "-m", "learned.train", "--lessons", "1", "--trials", "1", "--seed", "3")
    assert "against random" in printed
    assert (tmp_path / "curve.svg").read_text().startswith("<?xml")
    train(3, 1, lambda *heard: None).save(tmp_path / "again.npz")
    first, second = (Network.load(tmp_path / f"{name}.npz").weights for name in ("weights", "again"))
    assert all(np.array_equal(first[name], second[name]) for name in first)


def test_without_the_library_for_the_curve_there_is_a_line_at_first_and_no_curve(tmp_path: Path) -> None:
    program = (
        "import runpy, sys\n"
        "sys.modules['matplotlib'] = None\n"
        "runpy.run_module('learned.train', run_name='__main__', alter_sys=True)\n"
    )
    printed = trained_into(tmp_path, "-c", program, "--lessons", "0")
    assert printed.startswith("There will be no curve.svg: to draw it, pip install matplotlib.\n")
    assert not (tmp_path / "curve.svg").exists()


def trained_into(folder: Path, *command: str) -> str:
    """The output of a short training, which stores weights of the network's shape."""
    done = subprocess.run(
        [sys.executable, *command, "--into", str(folder)],
        cwd=FOLDER, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True,
        timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    stored = Network.load(folder / "weights.npz").weights
    assert {name: each.shape for name, each in stored.items()} == {
        name: each.shape for name, each in Network.load(FOLDER / "weights.npz").weights.items()
    }
    return done.stdout
