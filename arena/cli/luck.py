"""The option `--less-luck`."""

from __future__ import annotations

import click

from arena.formats.comparison import ComparisonFormat
from arena.tournament.plan import Plan

ONLY_SETTLED = (
    "--less-luck is for a comparison whose number of boards was settled beforehand (arena compare --boards N)"
)

less_luck_option = click.option(
    "--less-luck",
    is_flag=True,
    help=("Also show results with luck taken away, if that helps; takes up to half a second a game."),
)


def require_settled(plan: Plan) -> None:
    """Raises UsageError where luck cannot be taken away."""
    (format_, *_) = plan.stages
    if not isinstance(format_, ComparisonFormat) or format_.stops:
        raise click.UsageError(ONLY_SETTLED)
