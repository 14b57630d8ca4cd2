"""A log keeps its beginning and its end, is never too long, and each writer goes on after the last one."""

from __future__ import annotations

import errno
import os
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.bounded_log import (
    HEAD,
    LOG_LIMIT,
    TAIL,
    BoundedLog,
    LogNotWritable,
    end_of,
    require_writable,
    written,
)
from tests.examples import examples

SIZES = st.lists(st.integers(0, 3 * LOG_LIMIT // 2), min_size=1, max_size=5)


def lines(size: int, number: int) -> bytes:
    """So many bytes of numbered lines, which differ from those of another number."""
    line = f"{number} a line of a log, as long as many lines are\n".encode()
    return (line * (size // len(line) + 1))[:size]


@examples(40)
@given(sizes=SIZES)
def test_the_beginning_and_the_end_are_kept(tmp_path_factory, sizes):
    path = tmp_path_factory.mktemp("log") / "log"
    whole = b""
    for number, size in enumerate(sizes):
        log = BoundedLog(path)
        log.write(part := lines(size, number))
        log.close()
        whole += part
        kept = path.read_bytes()
        assert len(kept) <= LOG_LIMIT
        assert written(path) == len(whole)
        if len(whole) <= LOG_LIMIT:
            assert kept == whole
        else:
            (mark,) = re.finditer(rb"\n\[\.+ ([0-9,]+) bytes are left out here \.+\]\n", kept)
            beginning, end = kept[: mark.start()], kept[mark.end() :]
            assert beginning == whole[:HEAD]
            assert whole.endswith(end)
            assert len(end) > TAIL - 100
            assert len(beginning) + len(end) + int(mark[1].replace(b",", b"")) == len(whole)


@pytest.mark.parametrize("number", [",", ",,1", "9" * 30, "0"])
def test_a_mark_that_a_bot_writes_itself_breaks_nothing(tmp_path, number):
    path = tmp_path / "log"
    path.write_bytes(b"x" * HEAD + f"\n[{f' {number} bytes are left out here ':.^66}]\n".encode())
    assert written(path) >= HEAD
    log = BoundedLog(path)
    log.write(b"x" * (2 * LOG_LIMIT) + b"\nthe reason\n")
    log.close()
    assert end_of(path, 12) == "\nthe reason\n"
    assert path.stat().st_size <= LOG_LIMIT


def test_a_log_of_one_endless_line_keeps_its_end_too(tmp_path):
    log = BoundedLog(tmp_path / "log")
    log.write(b"x" * (3 * LOG_LIMIT) + b"\nthe reason\n")
    log.close()
    assert end_of(tmp_path / "log", TAIL) == "x" * (TAIL - 12) + "\nthe reason\n"


def test_a_log_that_is_not_there_has_no_end(tmp_path):
    assert (written(tmp_path / "log"), end_of(tmp_path / "log", 100)) == (0, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only Linux has a full device")
def test_a_full_disk_ends_no_writer():
    log = BoundedLog("/dev/full")
    with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
        os.write(log._file.fileno(), b"x")
    assert log.write(b"x") == 0
    log.close()


def test_a_log_that_cannot_be_written_is_named(tmp_path):
    require_writable(tmp_path / "night.logs" / "bot.log")
    assert (tmp_path / "night.logs" / "bot.log").read_bytes() == b""
    (tmp_path / "file").write_text("")
    with pytest.raises(LogNotWritable, match=r"cannot be kept in .*file/bot\.log: .* or move .*/file away$"):
        require_writable(tmp_path / "file" / "bot.log")
