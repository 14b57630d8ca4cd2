"""`Line` finds the sockets of gRPC's connections."""

from __future__ import annotations

import fcntl
import os
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from arena.link.streams.flood import Line

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX")
LOOK = "import fcntl, sys; fcntl.lockf(open(sys.argv[1], 'r+'), fcntl.LOCK_EX | fcntl.LOCK_NB)"


@pytest.fixture
def connection(tmp_path) -> Iterator[tuple[str, socket.socket, socket.socket]]:
    """An address, and both ends of a connection to it."""
    path = f"{tmp_path}/bot.sock"
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as ours:
        listener.bind(path)
        listener.listen()
        ours.connect(path)
        theirs, _ = listener.accept()
        with theirs:
            yield f"unix:{path}", ours, theirs


def test_it_tells_what_waits_and_hangs_up(connection):
    address, ours, theirs = connection
    line = Line(address)
    assert line.unread() == 0
    theirs.sendall(b"seven..")
    assert line.unread() == 7
    line.hang_up()
    assert theirs.recv(1) == b""
    assert ours.recv(10) == b"seven.."


def test_a_connection_is_one_line_s(connection):
    address, _, theirs = connection
    theirs.sendall(b"x")
    first, second = Line(address), Line(address)
    assert (first.unread(), second.unread()) == (1, 0)
    first.close()
    assert second.unread() == 1
    second.close()


def test_looking_for_it_leaves_other_files_alone(connection, tmp_path):
    address, *_ = connection
    path = tmp_path / "league"
    with path.open("w") as league:
        fcntl.lockf(league, fcntl.LOCK_EX)
        before = len(os.listdir("/dev/fd"))
        line = Line(address)
        line.unread()
        line.close()
        assert len(os.listdir("/dev/fd")) == before
        done = subprocess.run([sys.executable, "-c", LOOK, path], capture_output=True, check=False)
        assert b"BlockingIOError" in done.stderr  # still locked


def test_nobody_there_is_nothing(tmp_path):
    line = Line(f"unix:{tmp_path}/nobody")
    assert line.unread() == 0
    line.hang_up()


NO_FILES_LEFT = """
import os, resource
from arena.link.local.supervisor import descendants
from arena.link.streams.flood import Line
line = Line("unix:/nowhere")
resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))
try:
    while True:
        os.dup(0)
except OSError:
    print(line.unread(), descendants(os.getpid()))
"""


def test_where_no_file_can_be_opened_any_more_nothing_is_found():
    said = subprocess.run([sys.executable, "-c", NO_FILES_LEFT], capture_output=True, text=True)
    assert said.stdout == "0 set()\n", said.stderr
