"""Runs one bot and sees to it that nothing of it is left behind.

    python supervisor.py LOG PRIVATE PROCESSORS COMMAND [ARG ...]

A program of its own, standard library only. It starts the command in a new
process group, copies what it prints into the file LOG up to a limit, and ends
all of it - the process, its children, and what these have detached - when the
supervisor's standard input closes (the referee stopped the bot, or died, even by
kill -9), when it gets SIGTERM, or when the command itself ends. It then removes
the folder PRIVATE, in which the bot had its socket, and exits with the
command's exit code, or 128 + N if signal N ended it. On SIGUSR1 it makes the
bot crash: it is killed at once, without a SIGTERM before. PROCESSORS are the
numbers of those that the bot may use, with commas between; none where that is
left to the system.
"""

import contextlib
import ctypes
import os
import select
import shutil
import signal
import subprocess
import sys
import time

LOG_LIMIT = 1 << 20
"""How much of a bot's output is kept, in bytes; the rest is read and dropped."""

GRACE = 2.0
"""How long a bot may take to end after SIGTERM, in seconds."""

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_CANNOT_START = 127


def prctl(option: int, value: int) -> None:
    """A Linux process setting; elsewhere nothing, and then only the process group is ended."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def parent_of(pid: int) -> int:
    """The id of a process's parent. Raises OSError where it is gone, or no system tells (Linux does)."""
    with open(f"/proc/{pid}/stat", encoding="latin-1") as stat:
        return int(stat.read().rpartition(")")[2].split()[1])


def descendants(ancestor: int) -> set[int]:
    """The ids of all processes below one, where the system tells (Linux)."""
    parents: dict[int, int] = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc/self") else ():
        if name.isdigit():
            with contextlib.suppress(OSError):
                parents[int(name)] = parent_of(int(name))
    found: set[int] = set()
    frontier = {ancestor}
    while frontier:
        frontier = {pid for pid, parent in parents.items() if parent in frontier} - found
        found |= frontier
    return found


def end(bot: "subprocess.Popen[bytes]") -> int:
    """Asks the bot to end, then makes it and all that is below this process end."""
    with contextlib.suppress(OSError):
        os.killpg(bot.pid, signal.SIGTERM)
    deadline = time.monotonic() + GRACE
    while bot.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    with contextlib.suppress(OSError):
        os.killpg(bot.pid, signal.SIGKILL)
    bot.kill()  # for one that has left its group
    code = bot.wait()  # before all others are reaped below, and its exit code with them
    while left := descendants(os.getpid()):
        for pid in left:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(0.005)
    return code


def use_processors(numbers: str) -> None:
    """Lets this process and what it starts use these processors, whatever its parent keeps to."""
    if sys.platform == "linux" and numbers:
        with contextlib.suppress(OSError):  # they are not there any more
            os.sched_setaffinity(0, map(int, numbers.split(",")))


def run(log_path: str, processors: str, command: list[str]) -> int:
    """Runs the command to its end; returns the exit code."""
    prctl(_PR_SET_CHILD_SUBREAPER, 1)
    use_processors(processors)
    wake_out, wake_in = os.pipe()
    os.set_blocking(wake_in, False)
    signal.set_wakeup_fd(wake_in, warn_on_full_buffer=False)
    for number in (signal.SIGTERM, signal.SIGCHLD, signal.SIGUSR1):
        signal.signal(number, lambda *_: None)
    with open(log_path, "ab", buffering=0) as log:
        try:
            bot = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                # Safe here: this program has no threads and no gRPC.
                preexec_fn=lambda: prctl(_PR_SET_PDEATHSIG, signal.SIGKILL),
            )
        except OSError as error:
            log.write(f"cannot start {command[0]}: {error.strerror}\n".encode())
            return _CANNOT_START
        assert bot.stdout is not None
        output = bot.stdout.fileno()
        watched = [sys.stdin.fileno(), output, wake_out]
        room = LOG_LIMIT - log.tell()
        while bot.poll() is None:
            ready = select.select(watched, [], [])[0]
            if output in ready:
                data = os.read(output, 1 << 16)
                if not data:
                    watched.remove(output)
                if room > 0:
                    log.write(data[:room])
                    room -= len(data)
                    if room <= 0:
                        log.write(b"\n[the log is full; the rest is dropped]\n")
            if sys.stdin.fileno() in ready and not os.read(sys.stdin.fileno(), 1 << 12):
                break
            signals = os.read(wake_out, 1 << 12) if wake_out in ready else b""
            if signal.SIGTERM in signals:
                break
            if signal.SIGUSR1 in signals:
                os.killpg(bot.pid, signal.SIGKILL)
        code = end(bot)
        os.set_blocking(output, False)
        with contextlib.suppress(BlockingIOError):
            log.write(os.read(output, 1 << 16)[: max(0, room)])
        return code if code >= 0 else 128 - code


if __name__ == "__main__":
    try:
        code = run(sys.argv[1], sys.argv[3], sys.argv[4:])
    finally:
        shutil.rmtree(sys.argv[2], ignore_errors=True)
    sys.exit(code)
