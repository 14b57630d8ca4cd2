"""An isolated bot: in namespaces and a control group of its own, before it takes on its restrictions."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence

from arena.link.local.containment import cgroup, namespaces
from arena.link.local.containment.enter import command_of
from arena.link.local.containment.restrictions import Walls


def refusal(walls: Walls, folder: str) -> str | None:
    """Why what lies in a folder cannot be run apart, for people; None where it can."""
    if not walls.uid or walls.overrides or os.stat(folder).st_mode & 0o005 == 0o005:
        return None
    return (
        "its folder may be read by this user alone, and at level strict it is run as another one, "
        "without rights: let everybody read it (chmod -R go+rX)"
    )


def command_in(walls: Walls, folder: str, command: Sequence[str]) -> list[str]:
    """The command that runs another one apart, in a folder."""
    network = walls.network and walls.gate < 0
    return namespaces.inside(
        command_of(walls, command), folder, walls.readable, walls.writable, network, walls.disk
    )


def own_group(walls: Walls) -> cgroup.Group | None:
    """A control group for it, where one can be had."""
    places = cgroup.places()
    if places is None:
        return None
    # What it keeps in memory as files counts too.
    limits = cgroup.Limits(walls.memory + walls.disk, walls.threads, walls.processors)
    with contextlib.suppress(OSError):  # somebody else has changed what there was
        return cgroup.Group(places, limits)
    return None
