"""What `arena` exits with."""

from __future__ import annotations

FAILED = 1
"""The work found a failure, such as a bot that never came."""

WRONG_USE = 2
"""A command, a file or a name that cannot be used."""

INTERRUPTED = 130
"""Ended by Ctrl-C, SIGTERM or SIGHUP."""
