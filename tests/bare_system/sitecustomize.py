"""Takes from Python what only POSIX systems have, for every process that has this folder on its PYTHONPATH.

`sys.platform` stays as it is: what is under test has to look for what it uses.
"""

import _socket
import importlib.abc
import os
import signal
import sys

MODULES = ("fcntl", "grp", "pwd", "resource", "termios", "tty")
CALLS = {
    os: ("fork", "forkpty", "getpgid", "killpg", "sched_getaffinity", "sched_setaffinity", "setsid"),
    signal: ("SIGHUP", "SIGUSR1", "SIGUSR2"),
    _socket: ("AF_UNIX", "socketpair"),  # below `socket`, which is not imported yet
}


class Missing(importlib.abc.MetaPathFinder):
    """Finds none of these modules."""

    def find_spec(self, name, path=None, target=None):
        if name in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r} (POSIX only)", name=name)


for module in MODULES:
    sys.modules.pop(module, None)
sys.meta_path.insert(0, Missing())
for owner, names in CALLS.items():
    for name in names:
        if hasattr(owner, name):
            delattr(owner, name)
        if name in getattr(owner, "__all__", ()):  # os has it
            owner.__all__.remove(name)
