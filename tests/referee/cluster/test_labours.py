"""The statistics of workers in words."""

from __future__ import annotations

from arena.referee.cluster_statistics import ClusterStatistics, WorkerStatistics
from arena.report.live_text import cluster_line, cluster_lines

WORKERS = [
    WorkerStatistics("a:1", True, 1200, 12, 0.912),
    WorkerStatistics("b:1", True, 900, 10, 0.5),
    WorkerStatistics("b:2", False, 3, 1, 0),
]
LABOURS = ClusterStatistics(WORKERS, 8, 31.25, 40)


def test_it_is_one_line_meanwhile_and_a_table_at_the_end():
    assert cluster_line(LABOURS) == "2 workers, 8 batches, 31.2 games/s"
    assert [line.split() for line in cluster_lines(LABOURS)][2:] == [
        ["a:1", "1200", "12", "91"],
        ["b:1", "900", "10", "50"],
        ["1", "lost", "3", "1"],
        ["here", "40"],
    ]
