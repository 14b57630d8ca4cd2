"""The referee's threads stay on one processor while it plays; its bots do not."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest
import trio

from arena.link.local.process import running_bot
from arena.processes.tuning import stay_on_one_processor
from tests.bots_for_tests import bot_folder, manifest
from tests.patience import PATIENCE

SEVERAL = sys.platform == "linux" and len(os.sched_getaffinity(0)) > 1

pytestmark = pytest.mark.skipif(not SEVERAL, reason="needs Linux and two processors")


def processors_of_threads() -> set[frozenset[int]]:
    return {frozenset(os.sched_getaffinity(int(name))) for name in os.listdir("/proc/self/task")}


def test_all_threads_keep_to_one_processor_as_long_as_asked():
    before = frozenset(os.sched_getaffinity(0))
    idle = threading.Event()
    thread = threading.Thread(target=idle.wait)
    thread.start()
    seen: set[int] = set()

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(stay_on_one_processor, 0.01)
            with trio.fail_after(PATIENCE):
                for confined in (True, False, True):
                    while len(together := processors_of_threads()) > 1 or confined != (together != {before}):
                        await trio.sleep(0.001)
                    if confined:
                        [here] = together
                        assert len(here) == 1
                        seen.update(here)
            nursery.cancel_scope.cancel()

    try:
        trio.run(main)
        assert seen <= before
        assert processors_of_threads() == {before}
    finally:
        idle.set()
        thread.join()


def test_a_bot_may_use_all_processors(tmp_path: Path):
    everywhere = sorted(os.sched_getaffinity(0))
    log = tmp_path / "log"
    folder = bot_folder(tmp_path, "bot", [sys.executable, "-c", "import os; print(os.sched_getaffinity(0))"])

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(stay_on_one_processor)
            with trio.fail_after(PATIENCE):
                while len(os.sched_getaffinity(0)) > 1:
                    await trio.sleep(0.001)
                async with running_bot(manifest(folder), log, processors=everywhere) as bot:
                    await bot.wait()
            nursery.cancel_scope.cancel()

    trio.run(main)
    assert log.read_text().strip() == str(set(everywhere))
