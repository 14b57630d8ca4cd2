"""Settings for all tests."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadFileScheduling, Scheduling, WorkStealingScheduling
from xdist.workermanage import WorkerController

from arena.link.local.containment import namespaces
from tests.bot.serving import bot as bot
from tests.examples import DEEP, THOROUGH
from tests.installed import installed as installed
from tests.installed import installed_engine as installed_engine

# How fast a machine is at the moment is not a property under test. The same cases are drawn each time, so
# that the same is said of the same code; the deep run draws new ones.
PROFILES = {"quick": THOROUGH // 4, "ci": THOROUGH // 2, "thorough": THOROUGH, "deep": THOROUGH * DEEP}
for name, count in PROFILES.items():
    settings.register_profile(
        name,
        max_examples=count,
        derandomize=name != "deep",
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
settings.load_profile("ci" if os.environ.get("CI") else "quick")

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
    "referee/cluster/test_cluster.py", "referee/cluster/test_network.py",
    "referee/cluster/test_worker_sitting.py",
    "cli/test_other_systems.py", "comparison/test_calibration.py", "comparison/test_luck.py",
    "faults/", "hosting/test_followed.py",
    "link/local/test_containment.py", "link/lobby/test_door_floods.py",
    "link/streams/test_mutated_messages.py", "link/wire/test_native_lockstep.py",
    "seat/test_friendly.py", "seat/test_seat.py", "view/test_browser.py", "view/test_explained_games.py",
    "view/test_feed.py", "view/test_valid.py", "rl/test_training_page.py",
    "referee/night/test_contributions.py", "referee/night/test_floods.py", "referee/night/test_joining.py",
    "referee/night/test_lobby_crowd.py", "referee/night/test_referee_trouble.py",
    "referee/night/test_stopping.py", "league/test_steered.py",
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

_ENGINE = {"native", "native_folder"}  # the fixtures that build it
_NO_CAMPAIGN = "not campaign"
_MOST_WORKERS = 4  # each starts processes by the dozen


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Leaves the campaigns out where nothing is asked for, before the number of processes is asked for."""
    if not config.option.markexpr and not _is_part(config):
        config.option.markexpr = _NO_CAMPAIGN


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leaves files out that hold nothing but campaigns, where there is no campaign: nothing imports them."""
    return True if config.option.markexpr == _NO_CAMPAIGN and _is_campaign(collection_path) else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Looks for no garbage while tests are collected, nor later in what was collected: that takes seconds."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
        gc.set_threshold(20_000, 20, 20)


def _is_part(config: pytest.Config) -> bool:
    """Whether tests are named by path or word."""
    return bool(config.option.keyword) or config.args_source is pytest.Config.ArgsSource.ARGS


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """The suite and the campaigns run on all processors; what is named by path or word in one process.

    One process more than processors, since tests also wait; two more with the campaigns, which wait longer.
    """
    if _is_part(config):
        return 0
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2
    return min(_MOST_WORKERS, processors + 1 + bool(config.option.markexpr != _NO_CAMPAIGN))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the campaigns: whole files, and what needs the native engine, which is built for minutes.

    What takes longest comes first, so that no process has nothing to do in the end.
    """
    for item in items:
        if _is_campaign(item.path) or not _ENGINE.isdisjoint(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.campaign)
    longest = {
        item.path: 0 if _name(item.path) in SHARE_INSTALLED else 1
        for item in items
        if item.get_closest_marker("campaign") is not None
    }
    items.sort(key=lambda item: longest.get(item.path, 2))


class _ByFile(LoadFileScheduling):  # type: ignore[misc]  # pytest-xdist has no types
    """Keeps the tests of a file in one process, and all those that share the installed arena."""

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        return "installed" if file.removeprefix("tests/") in SHARE_INSTALLED else file

    def remove_node(self, node: WorkerController) -> str | None:
        """Hands on what a process that ended has not run, and returns the test that ended it.

        The scheduler of pytest-xdist hands on that test too, and it ends the next process.
        """
        left = {
            file: rest
            for file, tests in self.assigned_work.pop(node).items()
            if (rest := {test: done for test, done in tests.items() if not done})
        }
        if not left:
            return None
        first = next(iter(left.values()))
        ended_it: str = next(iter(first))
        del first[ended_it]
        self.workqueue.update({file: rest for file, rest in left.items() if rest})
        for other in self.nodes:
            self._reschedule(other)
        return ended_it

    def schedule(self) -> None:
        """Gives all processes work: a new one two files, since it runs a test when it knows the next."""
        super().schedule()
        for node in self.nodes:
            self._reschedule(node)

    def _reschedule(self, node: WorkerController) -> None:
        """Gives a process work, unless it is so new that it has not said which tests it knows."""
        if node in self.registered_collections:
            super()._reschedule(node)


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Scheduling:
    """Spreads the suite test by test, so that no long file is left for one process, and campaigns by file."""
    if config.option.markexpr == _NO_CAMPAIGN:
        return WorkStealingScheduling(config, log)
    config.option.loadscopereorder = False  # the files come in the order above
    return _ByFile(config, log)


@cache
def _is_campaign(path: Path) -> bool:
    """Whether all that stands there is a campaign."""
    return _name(path).startswith(CAMPAIGNS)


def _name(path: Path) -> str:
    return str(path).removeprefix(f"{HERE}/")


@pytest.fixture
def without_bubblewrap(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine on whose search path there is no bubblewrap, and nothing else."""
    monkeypatch.setenv("PATH", "/nowhere")
    namespaces.missing.cache_clear()
    yield
    namespaces.missing.cache_clear()
