"""Times that people type."""

from __future__ import annotations

import click

from arena.runner.tournament_file import parse_duration


def duration_of(text: str, option: str, at_least: int = 1) -> int:
    """The nanoseconds that an option says, such as "20s". Raises BadParameter where it does not."""
    nanoseconds = parse_duration(text)
    if nanoseconds is None or nanoseconds < at_least:
        raise click.BadParameter(f'{text!r} is no time such as "20s" or "100ms"', param_hint=option)
    return nanoseconds
