"""Namespaces: runs a bot by bubblewrap (`bwrap`), so that it sees only its part of the system.

Inside, the bot is a user without rights. It sees only its own processes, has no network,
shares no memory or queue with other programs, and finds only the files that it may read.
Other files that it writes are kept in memory, up to a limit, and are gone with it. The
restrictions (`arena.link.local.containment.restrictions`) are entered inside.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import PurePath

SCRATCH = "/tmp"
"""The folder inside that is kept in memory and is gone with the bot."""

_PROGRAM = "bwrap"
_LINKS = 40  # as many as the kernel follows
_TRIED_FOR = 60.0  # seconds; on a busy, slow machine it takes more than ten

# Of /sys only what runtimes read about processors and memory; the rest describes the machine.
_SYS = ("/sys/devices/system/cpu", "/sys/devices/system/node", "/sys/kernel/mm")
_MADE = ("/proc", "/dev", "/sys", SCRATCH)  # made anew inside
_MOUNTED = ("--proc", "/proc", "--dev", "/dev")


@cache
def missing() -> tuple[str, ...]:
    """Why this system has no namespaces, for people; empty if it has them."""
    program = shutil.which(_PROGRAM)
    if program is None:
        return ("bubblewrap (install the package of that name)",)
    try:
        tried = subprocess.run(
            [program, *_own(network=False), "--ro-bind", "/", "/", *_MOUNTED, "--", "true"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_TRIED_FOR,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return (f"namespaces of its own for a bot ({error})",)
    said = tried.stderr.strip().partition("\n")[0]
    return () if tried.returncode == 0 else (f"namespaces of its own for a bot ({said})",)


def inside(
    command: Sequence[str],
    folder: str,
    readable: Iterable[str],
    writable: Iterable[str],
    network: bool,
    scratch: int,
) -> list[str]:
    """The command that runs another command in namespaces of its own.

    Args:
        command: the command to run inside.
        folder: the folder in which it runs.
        readable: files and folders that it sees, and may read.
        writable: files and folders that it sees, and may write.
        network: whether it has this machine's network.
        scratch: how much it may keep in `SCRATCH`, in bytes.
    """
    arguments = [*_own(network), *_MOUNTED]
    arguments += ["--perms", "1777", "--size", str(scratch), "--tmpfs", SCRATCH]
    for path in _SYS:
        arguments += ["--ro-bind-try", path, path]
    shown: set[str] = set()
    for path in sorted(set(readable)):
        for kind, place, target in _ways(path, shown):
            arguments += [*_folders_to(place, shown), kind, target, place]
            shown.add(place)
    for path in sorted(set(writable)):
        # A link may lead anywhere.
        if not _is_made(path) and not os.path.islink(path) and os.path.exists(path):
            arguments += [*_folders_to(path, shown), "--bind", path, path]
    arguments += ["--remount-ro", "/", "--chdir", folder]
    return [shutil.which(_PROGRAM) or _PROGRAM, *arguments, "--", *command]


def _own(network: bool) -> list[str]:
    """The namespaces to make; no user namespace under root, which gives the bot a uid of its own instead."""
    arguments = [
        "--unshare-ipc",
        "--unshare-pid",
        "--unshare-uts",
        "--unshare-cgroup-try",
        "--die-with-parent",
    ]
    if not network:
        arguments.append("--unshare-net")
    if os.geteuid() != 0:
        return [*arguments, "--unshare-user", "--cap-drop", "ALL"]
    kept = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP", "CAP_DAC_OVERRIDE", "CAP_DAC_READ_SEARCH")
    arguments += ["--cap-drop", "ALL"]
    return [*arguments, *(word for capability in kept for word in ("--cap-add", capability))]


def _ways(path: str, shown: set[str]) -> Iterator[tuple[str, str, str]]:
    """The mounts that make a path visible: links on the way stay links, and their targets are bound."""
    for _ in range(_LINKS):
        link = _first_link(path)
        if link is None:
            if not _is_made(path) and not _is_below(path, shown) and os.path.exists(path):
                yield "--ro-bind", path, path
            return
        target = os.readlink(link)
        if not _is_below(link, shown) and not _is_made(link):
            yield "--symlink", link, target
        rest = os.path.relpath(path, link)
        path = os.path.normpath(os.path.join(os.path.dirname(link), target, rest))


def _folders_to(path: str, shown: set[str]) -> Iterator[str]:
    """Makes the folders that lead to a path, with permission for everybody to pass."""
    for folder in reversed([str(parent) for parent in PurePath(path).parents][:-1]):
        if not _is_below(folder, shown):
            yield from ("--perms", "0755", "--dir", folder)


def _first_link(path: str) -> str | None:
    at = "/"
    for name in path.split("/")[1:]:
        at = os.path.join(at, name)
        if os.path.islink(at):
            return at
    return None


def _is_below(path: str, shown: set[str]) -> bool:
    """Whether a path is visible already, as part of a visible folder."""
    while path != "/":
        if path in shown:
            return True
        path = os.path.dirname(path)
    return False


def _is_made(path: str) -> bool:
    return any(path == made or path.startswith(f"{made}/") for made in _MADE if made != SCRATCH)
