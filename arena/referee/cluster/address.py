"""Checks the address of a cluster as people write it, without loading dask."""

from __future__ import annotations

import importlib.util
import re

from arena.text import installing

MOST_LOCAL = 256
"""How many processes a cluster on this machine may have."""

_LOCAL = re.compile(r"local:(\d{1,9})")
_ADDRESS = re.compile(r"(?:(?:tcp|tls|ws|wss)://)?(?:\[[0-9A-Fa-f:.]+\]|[^\s/:]+):(\d{1,5})")


class Unreachable(Exception):
    """The cluster cannot be used; the text is one sentence with the remedy."""


def local_workers(where: str) -> int:
    """The N of `local:N`, the number of processes on this machine; 0 for an address."""
    local = _LOCAL.fullmatch(where)
    return int(local[1]) if local else 0


def require_cluster(where: str) -> None:
    """Raises Unreachable if dask is not installed, or `where` is neither an address nor local:N."""
    if importlib.util.find_spec("distributed") is None:
        raise Unreachable(
            f"--cluster needs dask: {installing('cluster')} in a clone of the arena, or leave it out"
        )
    if _LOCAL.fullmatch(where):
        good = 1 <= local_workers(where) <= MOST_LOCAL
    else:
        address = None if where.startswith("local:") else _ADDRESS.fullmatch(where)
        good = address is not None and 1 <= int(address[1]) < 1 << 16
    if not good:
        raise Unreachable(
            f"--cluster is the address of a dask scheduler, such as tls://10.0.0.1:8786, or local:N with N "
            f"from 1 to {MOST_LOCAL}, not {where!r}"
        )
