"""Settings for all tests."""

from __future__ import annotations

import os
import signal
import sys
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadFileScheduling

from arena.link import use_library_settings
from tests.bot.serving import bot as bot
from tests.examples import DEEP, THOROUGH
from tests.installed import installed as installed
from tests.installed import installed_engine as installed_engine

use_library_settings()  # what the tests dial in this process is dialled as the command does it

# How fast a machine is at the moment is not a property under test.
for name, count in (("quick", THOROUGH // 4), ("thorough", THOROUGH), ("deep", THOROUGH * DEEP)):
    settings.register_profile(
        name, max_examples=count, deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
settings.load_profile("thorough" if os.environ.get("CI") else "quick")

# The rules in Python play in all tests but those that ask for the engine (`tests/native.py`).
os.environ["ARENA_ENGINE"] = "python"

# What is compiled is kept: the tests start the arena and its bots some thousand times.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# A shell lets what it runs in the background ignore Ctrl-C, nohup a closed terminal,
# and whatever they start inherits it.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# Campaigns: kills by the dozen, floods, thousands of drawn cases, builds in other languages, tours with a
# browser, clusters. `pytest -m campaign` runs them, and `pytest FILE`; `pytest` leaves them out.
CAMPAIGNS = (
    "bots/test_hawk.py", "bots/test_languages.py", "bots/test_secret_joining.py",
    "cluster/test_cluster.py", "cluster/test_network.py", "cluster/test_worker_sitting.py",
    "cli/test_other_systems.py", "comparison/test_calibration.py", "comparison/test_luck.py",
    "faults",
    "link/local/test_containment.py", "link/lobby/test_door_floods.py",
    "link/streams/test_mutated_messages.py", "link/wire/test_native_lockstep.py",
    "page/test_browser.py", "page/test_explained_games.py", "page/test_feed.py", "page/test_friendly.py",
    "page/test_seat.py",
    "runner/night/test_contributions.py", "runner/night/test_floods.py", "runner/night/test_joining.py",
    "runner/night/test_lobby_crowd.py", "runner/night/test_referee_trouble.py",
    "runner/night/test_stopping.py", "runner/leagues/test_steered.py",
    "sampling/test_exact.py", "sampling/test_likelihood.py", "sampling/test_native_likelihood.py",
    "sampling/test_nur_mut_walk.py",
    "standings/test_calibration.py", "standings/test_every_result.py",
    "test_followed_pages.py", "test_installed_engine.py",
)  # fmt: skip
SHARE_INSTALLED = (  # these use the arena that is installed in a clone, and the bots that are built there
    "bots/test_hawk.py", "bots/test_languages.py", "bots/test_secret_joining.py",
    "test_followed_pages.py", "test_installed_engine.py",
)  # fmt: skip
HERE = Path(__file__).parent

_MOST_WORKERS = 4  # each starts processes by the dozen


def pytest_configure(config: pytest.Config) -> None:
    """Leaves the campaigns out where nothing is asked for."""
    if not config.option.markexpr and not _is_part(config):
        config.option.markexpr = "not campaign"


def _is_part(config: pytest.Config) -> bool:
    """Whether tests are named by path or word."""
    return bool(config.option.keyword) or config.args_source is pytest.Config.ArgsSource.ARGS


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """The suite and the campaigns run on all processors; what is named by path or word in one process."""
    if _is_part(config):
        return 0
    return min(_MOST_WORKERS, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the campaigns."""
    for item in items:
        if _is_campaign(item.path):
            item.add_marker(pytest.mark.campaign)


class _ByFile(LoadFileScheduling):  # type: ignore[misc]  # pytest-xdist has no types
    """Keeps the tests of a file in one process, and all those that share the installed arena."""

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        return "installed" if file.removeprefix("tests/") in SHARE_INSTALLED else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> _ByFile:
    """Spreads the tests over the processes."""
    return _ByFile(config, log)


@cache
def _is_campaign(path: Path) -> bool:
    """Whether all that stands there is a campaign."""
    return any(path.is_relative_to(HERE / place) for place in CAMPAIGNS)
