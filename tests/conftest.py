"""Settings for all tests."""

from __future__ import annotations

import os
import signal
import sys
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from arena.link import use_grpc_settings
from tests.examples import DEEP, THOROUGH

use_grpc_settings()  # what the tests dial in this process is dialled as the command does it

# How fast a machine is at the moment is not a property under test.
for name, count in (("quick", THOROUGH // 4), ("thorough", THOROUGH), ("deep", THOROUGH * DEEP)):
    settings.register_profile(
        name, max_examples=count, deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
settings.load_profile("thorough" if os.environ.get("CI") else "quick")

# What is compiled is kept: the tests start the arena and its bots some thousand times.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# A shell lets what it runs in the background ignore Ctrl-C, nohup a closed terminal,
# and whatever they start inherits it.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# What starts processes or takes long; `pytest -m "not slow"` leaves it out. Folders and modules.
SLOW = (
    "bot", "bots", "cli", "cluster/test_cluster.py", "cluster/test_network.py",
    "cluster/test_worker_sitting.py", "faults",
    "formats/test_published_swiss.py", "formats/test_seating.py",
    "games/test_laws.py", "games/test_self_play.py", "games/test_told.py",
    "page/test_browser.py", "page/test_page.py", "page/test_report.py", "page/test_run.py",
    "comparison/test_luck.py",
    "link/test_build.py", "link/test_cage.py", "link/test_door_floods.py",
    "link/test_mutated_messages.py", "link/test_process.py",
    "protocol/test_generated.py", "rl",
    "report/test_widths.py",
    "runner/test_affinity.py", "runner/test_compared_league.py", "runner/test_contained.py",
    "runner/test_contributions.py",
    "runner/test_floods.py", "runner/test_formats.py", "runner/test_host.py",
    "runner/test_identical_bots.py", "runner/test_instances.py", "runner/test_interchange.py",
    "runner/test_joining.py",
    "runner/test_late_bots.py", "runner/test_later_releases.py", "runner/test_steered.py",
    "runner/test_lobby_crowd.py", "runner/test_old_leagues.py", "runner/test_referee_trouble.py",
    "runner/test_resume.py", "runner/test_rooms.py", "runner/test_roster.py", "runner/test_secret_lobby.py",
    "runner/test_slow_seat.py",
    "runner/test_stopping.py",
    "runner/test_tournament.py", "runner/test_verification.py", "runner/test_withdrawal.py",
    "sampling/test_exact.py", "sampling/test_likelihood.py", "sampling/test_told_alone.py",
    "standings/test_calibration.py", "standings/test_every_result.py",
    "store/test_league.py", "store/test_locking.py", "store/test_settling.py",
    "table/test_fair_deals_page.py",
    "test_followed_pages.py", "test_wheel.py",
)  # fmt: skip
HERE = Path(__file__).parent

_MOST_WORKERS = 4  # each starts processes by the dozen


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """The whole suite runs on all processors, file by file; a part of it in one process."""
    if config.option.markexpr or config.option.keyword or config.args_source is pytest.Config.ArgsSource.ARGS:
        return 0
    config.option.dist = "loadfile"
    return min(_MOST_WORKERS, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks what is slow."""
    for item in items:
        if is_slow(item.path):
            item.add_marker(pytest.mark.slow)


@cache
def is_slow(path: Path) -> bool:
    """Whether all that stands there is slow."""
    return any(path.is_relative_to(HERE / place) for place in SLOW)
