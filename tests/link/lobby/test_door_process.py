"""A door that is killed is started again, and nobody who changes tokens waits for that."""

from __future__ import annotations

import os
import signal
import threading
from itertools import pairwise
from pathlib import Path

from arena.link.lobby.door_process import DoorProcess
from tests.referee.nights import wait_for


def opened(folder: Path, digests: list[str]) -> DoorProcess:
    place = folder / "lobby"
    place.mkdir()
    door = DoorProcess(str(place / "lobby.sock"), digests, lambda _: None, lambda _, size: None)
    door.open("127.0.0.1:0", None)
    return door


def kill(door: DoorProcess) -> None:
    """Kills the door, and waits until that is known."""
    process = door._process
    assert process is not None
    os.kill(process.pid, signal.SIGKILL)
    wait_for(lambda: door._process is not process)


def test_a_door_that_keeps_dying_is_started_again_and_tokens_change_meanwhile(tmp_path: Path) -> None:
    digests = [f"{number:064}" for number in range(4)]
    door = opened(tmp_path, digests[:1])
    try:
        for old, new in pairwise(digests):
            there = door.liveness_check()
            kill(door)
            door.change([old], new)  # whether the next door has started or not
            assert not there()
            wait_for(lambda: door._process is not None)
            assert door.liveness_check()()
        assert door._digests == digests[-1:]
    finally:
        door.close()


def test_a_door_that_was_just_killed_can_be_closed(tmp_path: Path) -> None:
    door = opened(tmp_path, [])
    kill(door)
    door.close()
    wait_for(lambda: not any(thread.name == "arena-door" for thread in threading.enumerate()))
