"""What a bot holds counts, wherever the system tells it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.link.local.containment import usage
from arena.link.local.containment.restrictions import Restrictions
from arena.link.local.containment.usage import Usage

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or bool(usage.missing()), reason="only Linux tells what a process uses"
)

MIB = 1 << 20
PRELUDE = """
    import ctypes, mmap, os, resource, select, socket, sys, threading, time
    libc = ctypes.CDLL(None, use_errno=True)
    kept = []
    def wait():
        print("ready", flush=True)
        time.sleep(1000)
    def file(size):
        kept.append(open("gone", "w+b", buffering=0))
        kept[-1].write(bytes(size))
        os.unlink("gone")
        return kept[-1].fileno()
    def behind_an_ended_first_thread():
        threading.Thread(target=lambda: (ended(), wait())).start()
        libc.syscall(ctypes.c_long(EXIT), 0)  # of this thread alone
    def ended():
        while open("/proc/self/stat").read().rpartition(")")[2].split()[0] != "Z":
            time.sleep(0.001)
""".replace("EXIT", str({"x86_64": 60, "aarch64": 93}.get(os.uname().machine, 60)))

HELD = {
    "memory": ("of memory", "kept.append(bytearray(b'x') * (48 << 20))\nwait()"),
    "memory of a process whose first thread has ended": (
        "of memory", "kept.append(bytearray(b'x') * (48 << 20))\nbehind_an_ended_first_thread()",
    ),
    "open files of a process whose first thread has ended": (
        "in files", "file(12 << 20)\nbehind_an_ended_first_thread()",
    ),
    "mapped files of a process whose first thread has ended": (
        "in files",
        "libc.mmap(None, ctypes.c_size_t(12 << 20), 1, 2, file(12 << 20), ctypes.c_long(0))\n"
        "kept.pop().close()\nbehind_an_ended_first_thread()",
    ),
    "sockets of a process whose first thread has ended": (
        "of memory", "kept.extend(socket.socketpair() for _ in range(60))\nbehind_an_ended_first_thread()",
    ),
    "shared memory that is in no process's tables": (
        "of memory",
        "kept.append(mmap.mmap(-1, 48 << 20))\nkept[-1].write(bytes(48 << 20))\n"
        "kept[-1].madvise(mmap.MADV_DONTNEED)\nwait()",
    ),
    "entries of epoll sets": (
        "entries",
        "watched = [os.dup(0) for _ in range(900)]\nwatched = [os.pipe()[0]] + watched\n"
        "for place in watched[1:]: os.dup2(watched[0], place)\n"
        "for _ in range(12):\n"
        "    kept.append(select.epoll())\n"
        "    for place in watched: kept[-1].register(place)\n"
        "wait()",
    ),
    "locks of records": (
        "entries",
        "import fcntl\nfile(1)\n"
        "for place in range(21_000, 0, -2): fcntl.lockf(kept[0], fcntl.LOCK_EX, 1, place)\nwait()",
    ),
    "files of the system that are open": (
        "of memory", "kept.extend(open('/proc/self/stat') for _ in range(48))\nwait()",
    ),
    "mappings": (
        "of memory",
        "kept.append(mmap.mmap(-1, 50_000 << 12, flags=mmap.MAP_PRIVATE))\n"
        "start = ctypes.addressof(ctypes.c_char.from_buffer(kept[-1]))\n"
        "for page in range(0, 50_000, 2): libc.mprotect(ctypes.c_long(start + (page << 12)), 4096, 0)\n"
        "wait()",
    ),
    "its own program": (
        "in files",
        "import shutil\nshutil.copy('/bin/sleep', 'gone')\nopen('gone', 'ab').write(bytes(12 << 20))\n"
        "child = os.fork() or os.execv('gone', ['gone', '1000'])\n"
        "while 'gone' not in os.readlink(f'/proc/{child}/exe'): time.sleep(0.001)\n"
        "os.unlink('gone')\nwait()",
    ),
}  # fmt: skip


@contextmanager
def started(folder: Path, program: str) -> Iterator[int]:
    """Runs a program below a process, whose id it gives, and waits until the program is ready."""
    (folder / "bot.py").write_text(textwrap.dedent(PRELUDE) + program)
    with subprocess.Popen(
        ["sh", "-c", f"{sys.executable} bot.py; :"],
        cwd=folder, text=True, start_new_session=True, stdout=subprocess.PIPE,
    ) as parent:  # fmt: skip
        try:
            assert parent.stdout is not None
            assert parent.stdout.readline() == "ready\n"
            yield parent.pid
        finally:
            os.killpg(parent.pid, signal.SIGKILL)


def limits(folder: Path) -> Restrictions:
    """More than a Python needs, and less than what the programs hold."""
    return Restrictions((), (str(folder),), False, 40 * MIB, 8 * MIB, 100, 8, locks=True)


@pytest.mark.parametrize("what", HELD)
def test_what_a_bot_holds_counts(tmp_path, what):
    words, program = HELD[what]
    with started(tmp_path, program) as parent:
        found = Usage(limits(tmp_path), parent).excess()
    assert found is not None
    assert words in found


def test_a_bot_that_holds_little_uses_not_too_much(tmp_path):
    with started(tmp_path, "behind_an_ended_first_thread()") as parent:
        used = Usage(limits(tmp_path), parent)
        assert used.excess() is None
        assert used.memory > 4 * MIB
