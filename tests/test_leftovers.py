"""Tests that are killed leave no folders behind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tests.referee.nights import wait_for

ROOT = Path(__file__).parents[1]
SERVES = "from tests.bots_for_tests import served_address; print(served_address()[5:], flush=True); input()"
PROBES = """
from tests.link.local.probing import own_folder
with own_folder() as place:
    print(place / "x", flush=True)
    input()
"""


def killed(program: str) -> Path:
    """The folder that a program has made, which is killed."""
    process = subprocess.Popen(
        [sys.executable, "-c", program], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline()).parent
        assert folder.exists()
        process.kill()
        process.wait(PATIENCE)
    return folder


def test_the_folder_of_a_served_bot_goes_with_the_process_that_asked_for_it():
    folder = killed(SERVES)
    wait_for(lambda: not folder.exists())


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="this system does not list processes so")
def test_the_folder_of_a_probe_goes_when_another_one_begins():
    first = killed(PROBES)
    second = killed(PROBES)
    assert not first.exists()
    killed(PROBES)
    assert not second.exists()
