"""Repeated messages are limited to a few lines."""

from __future__ import annotations

import threading

from arena.link.lobby.lobby import Repeats


def test_the_first_of_each_kind_is_told_at_once_and_the_rest_summed_up():
    lines: list[str] = []
    summed_up = threading.Event()

    def say(line: str) -> None:
        lines.append(line)
        if "more" in line:
            summed_up.set()

    told = Repeats(say, period=0.05)
    for _ in range(2001):
        told.tell("one", "a wrong token")
    told.tell("other", "no hello")
    assert lines[0] == "a wrong token"
    assert "no hello" in lines
    assert summed_up.wait(60)
    told.close()
    counts = [int(line.split("(")[1].split()[0].replace(",", "")) for line in lines if "more" in line]
    assert sum(counts) == 2000
    assert len(lines) == 2 + len(counts)


def test_what_is_left_is_told_in_the_end():
    lines: list[str] = []
    told = Repeats(lines.append, period=1000.0)
    for number in range(3):
        told.tell("kind", f"sentence {number}")
    assert lines == ["sentence 0"]
    told.close()
    assert lines == ["sentence 0", "sentence 2 (2 more in the last 1000 s)"]


def test_after_a_quiet_time_it_is_told_at_once_again():
    lines: list[str] = []
    told = Repeats(lines.append, period=0.05)
    told.tell("kind", "it happened")
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.join(60)
    told.tell("kind", "it happened")
    told.close()
    assert lines == ["it happened"] * 2
