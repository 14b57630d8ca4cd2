"""What other machines do for a tournament, in words."""

from __future__ import annotations

from collections.abc import Iterator

from arena.report.layout import WIDTH, counted
from arena.report.text_table import Column, name_column, table
from arena.runner.cluster_statistics import ClusterStatistics
from arena.text import one_line


def cluster_line(cluster_statistics: ClusterStatistics) -> str:
    """What they do at the moment."""
    here = sum(worker.here for worker in cluster_statistics.workers)
    return f"{counted(here, 'worker')}, {counted(cluster_statistics.batches, 'batch', 'batches')}, " + (
        f"{cluster_statistics.rate:.1f} games/s"
    )


def cluster_lines(cluster_statistics: ClusterStatistics, width: int = WIDTH) -> Iterator[str]:
    """What each of them has done; those that were lost together."""
    here = [worker for worker in cluster_statistics.workers if worker.here]
    lost = [worker for worker in cluster_statistics.workers if not worker.here]
    names = [one_line(worker.name) for worker in here]
    games, batches = [worker.games for worker in here], [worker.batches for worker in here]
    busy = [f"{100 * worker.busy:.0f}" for worker in here]
    if lost:
        names.append(f"{len(lost)} that were lost")
        games.append(sum(worker.games for worker in lost))
        batches.append(sum(worker.batches for worker in lost))
        busy.append("")
    if cluster_statistics.at_home:
        names.append("here")
        games.append(cluster_statistics.at_home)
        batches.append(0)
        busy.append("")
    columns = [
        name_column("worker", names),
        Column("games", list(map(str, games))),
        Column("batches", [str(number or "") for number in batches]),
        Column("busy %", busy),
    ]
    yield from table(columns, width)
