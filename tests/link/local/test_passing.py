"""A bot can pass no open file through a socket, whatever other bots of the same user do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux refuses it")

# As an ordinary user: before it is refused, while two refuse it, while the first has ended, and when the
# second has noticed that; and as another user, to whom it is refused.
PROGRAM = """
import array, os, resource, socket, sys
from arena.link.local.containment.passing import NoPassing

def passes():
    one, other = socket.socketpair()
    try:
        socket.send_fds(one, [b"x"], [0])
    except OSError as error:
        return error.strerror
    return "passes"

def become(uid):
    os.setresuid(uid, uid, uid)
    resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))

uid = int(sys.argv[1])
if uid:
    refusal = NoPassing(uid + 1, 100)
    if not os.fork():
        become(uid + 1)
        print(passes(), flush=True)
        os._exit(0)
    os.wait()
become(uid or os.getuid())
print(passes())
first, second = NoPassing(0, 100), NoPassing(0, 100)
print(passes())
del first
print(passes())
second.renew()
print(passes())
"""


def test_open_files_are_passed_to_nobody():
    own = 0 if os.geteuid() else 1_500_000_000 + 2 * os.getpid()  # where no other program interferes
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(own)],
        cwd=Path(__file__).parents[3], capture_output=True, text=True, timeout=PATIENCE, check=True,
    )  # fmt: skip
    *other, before, with_two, while_none_looks, after = ran.stdout.splitlines()
    refused = "Too many references: cannot splice"
    assert (with_two, after) == (refused, refused)
    assert not own or (other, before, while_none_looks) == ([refused], "passes", "passes")
