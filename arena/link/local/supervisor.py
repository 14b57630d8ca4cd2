"""The supervisor: starts one bot, watches it, and ends all processes that it started.

It is a process of its own, standard library only, that `supervisor_command` starts. The
first line of its standard input is an `Order` as JSON; other users could read secrets in its
arguments. It starts the command in a new process group,
with restrictions if there are any, and copies its output into the log (`arena.bounded_log`).
It ends the command, its children, and the processes that these have detached,
when its standard input closes (the referee stopped the bot, or died, even by
kill -9), when it gets SIGTERM, when the bot uses more than it may, or when the
command itself ends. It then removes the bot's private folder, and exits with the
command's exit code, or 128 + N if signal N ended it. On SIGUSR1 it makes the bot
crash: it kills the bot at once, without a SIGTERM before.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
import zlib
from pathlib import Path
from typing import NamedTuple

from arena.bounded_log import BoundedLog
from arena.link.local.containment import cgroup, kernel, restrictions, usage
from arena.link.local.containment.activity import Activity, threads_below
from arena.link.local.containment.restrictions import Restrictions
from arena.link.local.containment.starting import CANNOT_START, EXIT_CODE, why_failed, why_not

GRACE = 2.0
"""How long a bot may take to end after SIGTERM, in seconds."""

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_FIRST_UID = 1_600_000_000  # above the users of any system; the process's id is added
_FIRST_BUILD_UID, _BUILD_UIDS = 1_700_000_000, 100_000_000
_LAST_READS = 16  # of 64 KiB each, as much as a pipe may hold
_POLL = 0.5  # seconds between checks whether the bot's usage has to be measured


class Order(NamedTuple):
    """A supervisor's order: the command to run, and its surroundings.

    Attributes:
        command: the program and its arguments.
        folder: where it runs.
        environment: its environment.
        log: the file to which its output is appended; empty for this process's output.
        private: a folder for it alone, which is removed at its end; empty for none.
        processors: the numbers of the processors that it may use; empty to leave the choice to the system.
        restrictions: what it may reach and use; None for no restrictions.
        proxy: the environment of the proxy that is its only way to the network; None for no proxy.
    """

    command: tuple[str, ...]
    folder: str
    environment: dict[str, str]
    log: str = ""
    private: str = ""
    processors: tuple[int, ...] = ()
    restrictions: Restrictions | None = None
    proxy: dict[str, str] | None = None

    def line(self) -> bytes:
        """The order as a line for a supervisor."""
        return json.dumps(self).encode() + b"\n"


def read_order(line: bytes) -> Order:
    """The order in a line."""
    order = Order(*json.loads(line))
    return order._replace(restrictions=Restrictions(*order.restrictions)) if order.restrictions else order


def supervisor_command() -> list[str]:
    """The command that starts a supervisor: this module, in a Python without other packages."""
    root = str(Path(__file__).resolve().parents[3])
    code = (
        f"import sys; sys.path.insert(0, {root!r}); from arena.loading import loaded; "
        "loaded('arena.link.local.supervisor').main()"
    )
    return [sys.executable, "-I", "-S", "-c", code]


def prctl(option: int, value: int) -> None:
    """Sets a Linux process setting. On other systems it does nothing, and only the process group is ended."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def parent_of(pid: int) -> int:
    """The id of a process's parent. Raises OSError if the process is gone; works on Linux only."""
    with open(f"/proc/{pid}/stat", encoding="latin-1") as stat:
        return int(stat.read().rpartition(")")[2].split()[1])


def descendants(ancestor: int) -> set[int]:
    """The ids of all descendants of a process, on Linux; empty elsewhere."""
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


def end(bot: subprocess.Popen[bytes], is_isolated: bool) -> int:
    """Asks the bot to end, then kills it and all descendants of this process."""
    # In namespaces the bot itself is asked: the end of the first process would kill all the others.
    for pid in descendants(bot.pid) if is_isolated else ():
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGTERM)
    if not is_isolated:
        with contextlib.suppress(OSError):
            os.killpg(bot.pid, signal.SIGTERM)
    deadline = time.monotonic() + GRACE
    while bot.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    with contextlib.suppress(OSError):
        os.killpg(bot.pid, signal.SIGKILL)
    bot.kill()  # it may have left its group
    code = bot.wait()  # before the loop below reaps it with all others
    # This process is the reaper of them all, so none is left when it has no children.
    with contextlib.suppress(ChildProcessError):
        while True:
            for pid in threads_below(os.getpid()) or descendants(os.getpid()):
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
            time.sleep(0.005)
    return code


def run(order: Order) -> int:
    """Carries out an order; returns the command's exit code."""
    prctl(_PR_SET_CHILD_SUBREAPER, 1)
    if sys.platform == "linux" and order.processors:
        with contextlib.suppress(OSError):  # they are gone
            os.sched_setaffinity(0, order.processors)
    wake_out, wake_in = os.pipe()
    os.set_blocking(wake_in, False)
    signal.set_wakeup_fd(wake_in, warn_on_full_buffer=False)
    for number in (signal.SIGTERM, signal.SIGCHLD, signal.SIGUSR1):
        signal.signal(number, lambda *_: None)
    log = BoundedLog(order.log) if order.log else open(sys.stdout.fileno(), "ab", buffering=0)  # noqa: SIM115
    limits = order.restrictions and _with_own_uid(order.restrictions, order)
    channel = None
    if order.proxy is not None:
        from arena.link.local.containment import build_proxy  # only here: it loads much, and few need it

        channel = build_proxy.open_for(order.proxy)
    if limits and channel is not None:
        limits = limits._replace(proxy=channel.fileno())
    isolated = limits if limits and limits.isolated else None
    if isolated and (problem := restrictions.refusal(isolated, order.folder)):
        log.write(f"{CANNOT_START}{order.folder}: {problem}\n".encode())
        return EXIT_CODE
    group = restrictions.own_group(isolated) if isolated else None
    try:
        bot = subprocess.Popen(
            restrictions.command_in(isolated, order.folder, order.command) if isolated else order.command,
            cwd=order.folder,
            env=order.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=() if channel is None else (channel.fileno(),),
            preexec_fn=lambda: _become_bot(limits, group),  # safe: this program has no threads and no gRPC
        )
    except (OSError, subprocess.SubprocessError) as error:
        said = str(error)
        if isinstance(error, OSError):
            path = order.environment.get("PATH", os.defpath)
            said = why_not(order.command, order.folder, path, error, contained=limits is not None)
        log.write(f"{CANNOT_START}{order.command[0]}: {said}\n".encode())
        if group is not None:
            group.end()
        return EXIT_CODE
    if channel is not None:
        channel.close()
    assert bot.stdout is not None
    output = bot.stdout.fileno()
    watched = [sys.stdin.fileno(), output, wake_out]
    looked, used = time.monotonic(), limits and usage.Usage(limits, os.getpid())
    activity = Activity(os.getpid(), limits.writable if limits else ())
    peak = usage.Peak(Path(order.log), limits.memory if limits else 0) if order.log else None

    def look() -> str | None:
        """Measures the bot's usage; returns what it uses too much of."""
        activity.note()
        too_much = used.excess() if used else None
        if peak is not None:
            peak.saw(used.memory if used else usage.memory_below(os.getpid()))
        return too_much

    beginning = b""

    def keep(data: bytes) -> None:
        """Keeps what the bot printed."""
        nonlocal beginning
        beginning = beginning or data
        log.write(data)

    while bot.poll() is None:
        ready = select.select(watched, [], [], _POLL)[0]
        if output in ready:
            data = os.read(output, 1 << 16)
            if not data:
                watched.remove(output)
            keep(data)
        if sys.stdin.fileno() in ready and not os.read(sys.stdin.fileno(), 1 << 12):
            look()
            break
        signals = os.read(wake_out, 1 << 12) if wake_out in ready else b""
        if signal.SIGTERM in signals:
            break
        if signal.SIGUSR1 in signals:
            os.killpg(bot.pid, signal.SIGKILL)
        if time.monotonic() - looked >= _POLL:
            looked = time.monotonic()
            is_due = activity.may_matter or (used is not None and used.is_unsure)
            if is_due and (too_much := look()):
                log.write(f"\n[the bot was ended: {too_much}]\n".encode())
                bot.kill()
    by_itself = bot.poll() is not None
    code = end(bot, isolated is not None)
    if group is not None:
        if lacked := group.ran_out():
            log.write(f"\n[the bot was ended: it used more {lacked} than is allowed]\n".encode())
        group.end()
    os.set_blocking(output, False)
    with contextlib.suppress(BlockingIOError):
        for _ in range(_LAST_READS):
            keep(os.read(output, 1 << 16))
    failed = by_itself and code and not beginning.startswith(CANNOT_START.encode())  # which says why
    if failed and (why := why_failed(order.command, order.folder)):
        log.write(f"[{why}]\n".encode())
    return code if code >= 0 else 128 - code


def _with_own_uid(limits: Restrictions, order: Order) -> Restrictions:
    """Restrictions with a uid of its own, if this process may give one.

    A bot shares its uid with nobody, and owns its private folder. A folder is always
    built by the same uid, so that the build owns the files of the last build.
    """
    uid = _FIRST_UID + os.getpid()
    if limits.building:
        uid = _FIRST_BUILD_UID + zlib.crc32(order.folder.encode()) % _BUILD_UIDS
    if os.geteuid() != 0 or not _may_become(uid) or not _finds_all(limits, order):
        return limits
    if order.private:
        os.chown(order.private, uid, uid)
    return limits._replace(uid=uid)


def _finds_all(limits: Restrictions, order: Order) -> bool:
    """Whether another user can reach the command, and may write into its writable folders.

    That user is given the rights to do so if Landlock limits them, and none on older systems.
    """
    if kernel.landlock_abi():
        return True
    program = shutil.which(order.command[0], path=order.environment.get("PATH")) or order.command[0]
    places = [place for path in (order.folder, program) for place in (Path(path), Path(path).resolve())]
    return not limits.overrides and all(
        parent.stat().st_mode & 0o001 for place in places for parent in place.parents
    )


def _may_become(uid: int) -> bool:
    """Whether there is such a uid here: a container may have few."""
    with open("/proc/self/uid_map", encoding="ascii") as ranges:
        return any(int(first) <= uid < int(first) + int(count) for first, _, count in map(str.split, ranges))


def _become_bot(limits: Restrictions | None, group: cgroup.Group | None) -> None:
    if limits is not None:
        try:
            if group is not None:
                group.join()
            if not limits.isolated:
                restrictions.enter(limits)
        except OSError as error:
            os.write(sys.stderr.fileno(), f"the sandbox cannot be made: {error}\n".encode())
            raise
    prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)  # last, because becoming another user undoes it


def _remove(folder: str) -> None:
    """Removes a folder, whatever permissions its owner has set."""
    with contextlib.suppress(OSError, RecursionError):
        shutil.rmtree(folder)
        return
    for command in (["chmod", "-R", "u+rwx", folder], ["rm", "-rf", folder]):
        subprocess.run(command, check=False, stderr=subprocess.DEVNULL)


def main() -> None:
    """Reads an order, carries it out, and exits as the command did."""
    # Unbuffered, because `select` waits for the bytes after the order.
    line = b""
    while not line.endswith(b"\n") and (data := os.read(sys.stdin.fileno(), 1 << 16)):
        line += data
    order = read_order(line)
    try:
        code = run(order)
    finally:
        if order.private:
            _remove(order.private)
    sys.exit(code)
