"""The option `--cluster`, and what it needs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

import click

from arena.cluster.address import Unreachable, require_cluster
from arena.report.cluster_text import cluster_lines
from arena.runner.night.settings import CannotRun
from arena.runner.sitting.sitting import Elsewhere


def _where(ctx: click.Context, parameter: click.Parameter, where: str | None) -> str | None:
    if where is not None:
        try:
            require_cluster(where)
        except Unreachable as problem:
            raise CannotRun(str(problem)) from None
    return where


cluster_option = click.option(
    "--cluster",
    metavar="ADDRESS",
    callback=_where,
    help="Play on the workers of the dask scheduler at ADDRESS, or in N processes here: local:N.",
)


@contextlib.contextmanager
def playing_on(where: str | None, tables: int, say: Callable[[str], None]) -> Iterator[Elsewhere | None]:
    """The cluster that was asked for, None where none was, as long as the context is entered.

    Args:
        where: as it was given.
        tables: how many games are played at once by a worker.
        say: called with a line for people.

    Raises CannotRun.
    """
    if where is None:
        yield None
        return
    from arena.cluster.cluster import cluster  # only here: it takes long to load

    say(f"connecting to the cluster {where} ...")
    with contextlib.ExitStack() as stack:
        try:
            there = stack.enter_context(cluster(where, tables, say))
        except Unreachable as problem:
            raise CannotRun(str(problem)) from None
        try:
            yield there
        finally:
            cluster_statistics = there.cluster_statistics()
            if cluster_statistics.at_home or any(worker.games for worker in cluster_statistics.workers):
                say("\n".join(("what was played where", *cluster_lines(cluster_statistics))))
