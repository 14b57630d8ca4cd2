"""What workers do, as people read it: of the command that plays, and beside the league for all others."""

from __future__ import annotations

import os

from arena.report.labours_text import labours_line, labours_lines
from arena.runner.labours import Labour, Labours, forget_labours, keep_labours, labours_beside

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


def test_others_read_it_beside_the_league_as_long_as_somebody_plays(tmp_path):
    league = tmp_path / "night.league"
    assert labours_beside(league) is None
    keep_labours(league, LABOURS)
    assert labours_beside(league) == LABOURS
    (kept,) = tmp_path.iterdir()
    os.utime(kept, (1, 1))  # whoever kept it was killed
    assert labours_beside(league) is None
    kept.write_text("[[")
    assert labours_beside(league) is None
    forget_labours(league)
    assert list(tmp_path.iterdir()) == []


def test_where_it_cannot_be_kept_nobody_minds(tmp_path):
    keep_labours(tmp_path / "gone" / "night.league", LABOURS)
    forget_labours(tmp_path / "gone" / "night.league")
