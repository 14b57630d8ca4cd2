"""Bots start before the first game: a few at once, each with its own time limit, and enough of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping

import pytest
import trio
import trio.testing

from arena.league.store import League
from arena.link.local.process import running_bot
from arena.link.streams.dial import BotFault
from arena.referee.sitting.keeper import DESCRIBE_TIMEOUT, LONGEST, exit_code_of, patiently
from tests.arena_command import arena
from tests.bots_for_tests import FIRST, bot_folder, faulty_bot, manifest
from tests.patience import PATIENCE
from tests.processors import on_one_processor
from tests.referee.nights import processes_in, wait_for, write_tournament

NOTES_ITS_START = """
import os, time
from arena.bot.server import BotService

def note(what):
    with open("notes", "a") as notes:
        notes.write(f"{what} {time.monotonic_ns()}\\n")

note("started")
describe = BotService._describe

def describe_and_note(*arguments):
    note("described")
    return describe(*arguments)

BotService._describe = describe_and_note
"""


@pytest.fixture
def one_processor():
    with on_one_processor():
        yield


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no process can be kept on a processor")
def test_no_more_bots_come_up_at_once_than_there_are_processors(tmp_path, one_processor):
    (tmp_path / "noting.py").write_text(NOTES_ITS_START + FIRST)
    command = [sys.executable, str(tmp_path / "noting.py")]
    bots = [bot_folder(tmp_path, f"bot {number}", command) for number in range(2)]
    head = 'games = ["hyrule"]\nsandbox = "none"'  # for they all lie elsewhere, and note in their folders
    path = write_tournament(tmp_path, bots, head)
    arena("run", path, "--seed", "one", cwd=tmp_path)  # with which each is asked what it is only once
    changes = []
    for bot in bots:
        notes = [line.split() for line in (bot / "notes").read_text().splitlines()]
        assert sorted(what for what, _ in notes) == ["described"] * 2 + ["started"] * 2  # of two instances
        changes += [(int(when), what) for what, when in notes]
    assert [what for _, what in sorted(changes)] == ["started", "described"] * 4


@pytest.mark.parametrize("ways", [["exits"], ["exits", "wrong-version"]])
def test_nothing_is_played_where_half_of_the_bots_do_not_come_up(tmp_path, ways):
    bots: list[object] = [faulty_bot(tmp_path, way) for way in ways]
    bots += [f"good {number}" for number in range(len(bots))]
    path = write_tournament(tmp_path, bots, 'games = ["hyrule"]')
    done = arena("run", path, cwd=tmp_path, code=2)
    sentence = done.stderr.splitlines()[-1]
    assert f"{len(bots) // 2} of the {len(bots)} bots to be started or dialled are not there" in sentence
    assert "exits ended with exit code 1 before it listened: no licence key" in sentence
    assert "arena check-bot" in sentence
    with League.read(tmp_path / "tournament.league") as store:
        assert not store.tournaments()
    assert processes_in(tmp_path) == []


def test_a_guest_who_is_awaited_does_not_make_up_for_bots_that_do_not_come_up(tmp_path):
    path = write_tournament(tmp_path, [faulty_bot(tmp_path, "exits")], 'games = ["hyrule"]')
    path.write_text(path.read_text() + '[[entrant]]\nname = "guest"\njoin = true\n')
    done = arena("run", path, "--lobby", "127.0.0.1:0", cwd=tmp_path, code=2)
    assert "1 of the 1 bots to be started or dialled are not there" in done.stderr.splitlines()[-1]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody can tell")
def test_a_bot_does_not_play_with_its_opponents_brain(tmp_path):
    (tmp_path / "first.py").write_text(FIRST)
    socket = tmp_path / "brain.sock"
    program = (
        f"import os, time; os.symlink({str(socket)!r}, os.environ['ARENA_LISTEN'][5:]); time.sleep(1000)"
    )
    thief = bot_folder(tmp_path, "thief", [sys.executable, "-c", program])
    brain = subprocess.Popen([sys.executable, tmp_path / "first.py", "--listen", f"unix:{socket}"])
    try:
        wait_for(socket.exists)
        path = write_tournament(tmp_path, ["local", thief], 'games = ["kleftis"]')
        path.write_text(path.read_text() + f'[[entrant]]\nname = "victim"\naddress = "unix:{socket}"\n')
        done = arena("run", path, "--json", cwd=tmp_path, code=1)
    finally:
        brain.terminate()
        brain.wait(PATIENCE)
    assert (
        "thief has no socket where it was to listen, but a link: it must listen there itself" in done.stderr
    )
    rows = {row["name"]: row for row in json.loads(done.stdout)["standings"]}
    assert rows["thief"]["forfeits"] == 4
    assert rows["victim"]["forfeits"] == rows["local"]["forfeits"] == 0


# --- How long a bot may take ---


async def never() -> None:
    await trio.sleep_forever()


def given_up_after(starved: float) -> float:
    async def main() -> float:
        with pytest.raises(BotFault, match="did not come up") as caught:
            await patiently(never, lambda: starved)
        assert caught.value.reason == "timeout"
        return trio.current_time()

    return trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


def test_a_bot_has_its_time_and_what_it_waited_for_a_processor_but_not_for_ever():
    limit = DESCRIBE_TIMEOUT
    assert given_up_after(0) == limit
    assert given_up_after(7) == limit + 7
    assert given_up_after(1000) == LONGEST


def test_a_stall_of_the_referee_takes_no_time_from_a_bot():
    clock = trio.testing.MockClock()

    async def come_up() -> str:
        for _ in range(3):
            clock.jump(20)  # all that was due meanwhile is due at once
            await trio.testing.wait_all_tasks_blocked()
        return "here"

    async def main() -> None:
        assert await patiently(come_up) == "here"

    trio.run(main, clock=clock)


class Ending:
    """A bot's process that ends after some seconds, and had to wait for a processor."""

    def __init__(self, seconds: float, starved: float) -> None:
        self._seconds, self._starved = seconds, starved

    async def wait(self) -> int:
        await trio.sleep(self._seconds)
        return 3

    def waited(self) -> dict[str, float]:
        return {"before": 100.0}

    def starved(self, since: Mapping[str, float] | None = None) -> float:
        assert since == {"before": 100.0}, "only what it waits from now on counts"
        return self._starved


@pytest.mark.parametrize(
    ("seconds", "starved", "code"), [(0.3, 0, 3), (20, 0, None), (20, 25, 3), (100, 1000, None)]
)
def test_a_crash_is_told_from_a_lost_connection_on_a_busy_machine_too(seconds, starved, code):
    clock = trio.testing.MockClock(autojump_threshold=0)
    assert trio.run(exit_code_of, Ending(seconds, starved), clock=clock) == code


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody can tell")
def test_a_bot_knows_how_long_it_waited_for_a_processor(tmp_path):
    folder = bot_folder(tmp_path, "busy", [sys.executable, "-c", "while True: pass"])
    processor = min(os.sched_getaffinity(0))

    async def main() -> None:
        async with (
            running_bot(manifest(folder), tmp_path / "1.log", processors=[processor]) as one,
            running_bot(manifest(folder), tmp_path / "2.log", processors=[processor]) as two,
        ):
            with trio.fail_after(PATIENCE):
                while min(one.starved(), two.starved()) < 0.2:
                    await trio.sleep(0.05)
            assert one.starved() >= 0.2  # what one has waited, it has waited for good

    trio.run(main)
