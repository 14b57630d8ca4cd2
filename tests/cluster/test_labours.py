"""What workers do, as people read it."""

from __future__ import annotations

from arena.report.labours_text import labours_line, labours_lines
from arena.runner.labours import Labour, Labours

WORKERS = [
    Labour("a:1", True, 1200, 12, 0.912),
    Labour("b:1", True, 900, 10, 0.5),
    Labour("b:2", False, 3, 1, 0),
]
LABOURS = Labours(WORKERS, 8, 31.25, 40)


def test_it_is_one_line_meanwhile_and_a_table_at_the_end():
    assert labours_line(LABOURS) == "2 workers, 8 batches, 31.2 games/s"
    assert [line.split() for line in labours_lines(LABOURS)][2:] == [
        ["a:1", "1200", "12", "91"],
        ["b:1", "900", "10", "50"],
        ["1", "that", "were", "lost", "3", "1"],
        ["here", "40"],
    ]
