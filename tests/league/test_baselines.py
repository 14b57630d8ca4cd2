"""Comparisons that try several baselines to take luck away, and those of before, which had one."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.comparison.baseline import SAMPLES
from arena.engine import SWITCH, NeedsEngine, engine
from arena.formats.comparison import ComparisonFormat
from arena.league.interchange import export_lines, import_lines
from arena.league.store import League
from arena.league.stored import course_of, luck_in, lucks_wanted, plan_of, require_luck
from arena.league.verification import Verification
from arena.tournament.courses import new_course
from arena.tournament.effects import Effects
from arena.tournament.rulings import End
from tests.league.damaged import edit
from tests.native import native as native
from tests.native import native_folder as native_folder
from tests.referee.simulation import simulate

BEFORE = Path(__file__).parents[1] / "golden" / "less_luck.jsonl"
"""An export of `arena compare --less-luck` of the version that had one baseline."""
LUCKS_BEFORE = {1: 0.0625, 3: 0.0625, 5: 0.0, 7: 1.0625, 9: 0.5625, 10: 0.0}
"""The lucks that it kept, by the numbers of the games."""
TEXT = """
name = "x"
games = ["forty-one", "hyrule"]
[[stage]]
format = "comparison"
less_luck = true
cap = 2
"""


def problems(path: Path) -> list[str]:
    with League.read(path) as league:
        return [problem.what for problem in Verification(league).problems() if problem]


def format_in(path: Path) -> ComparisonFormat:
    with League.read(path) as league:
        (format_,) = plan_of(league.tournament(1)).stages
    assert isinstance(format_, ComparisonFormat)
    return format_


@pytest.fixture
def played(tmp_path: Path, native: object) -> Path:
    """A finished comparison that tries all baselines, with all its lucks."""
    path = tmp_path / "x.league"
    with League.create_or_open(path) as league:
        simulate(league, TEXT, 2, finish=False)
        wanted = lucks_wanted(league, course_of(league, 1), 1)
        assert {baseline for _, baseline in wanted} == set(SAMPLES)
        games = {number: league.game(number) for number, _ in wanted}
        league.keep_lucks(
            {
                (number, baseline): luck_in(games[number].result.key, games[number].record, baseline)
                for number, baseline in wanted
            }
        )
        assert lucks_wanted(league, course_of(league, 1), 1) == []
        league.record_ruling(1, End().to_json(), "")
        league.finish_tournament(1)
    return path


def test_a_comparison_of_before_comes_in_with_the_lucks_of_then(tmp_path: Path) -> None:
    path = tmp_path / "before.league"
    with BEFORE.open(encoding="utf-8") as lines:
        import_lines(lines, BEFORE.name, path, lambda games: None)
    assert problems(path) == []
    assert format_in(path).baselines == ("greedy",)
    with League.read(path) as league:
        assert {(number, by): luck for number, _, by, luck in league.lucks(1)} == {
            (number, "greedy"): luck for number, luck in LUCKS_BEFORE.items()
        }


def test_the_lucks_by_all_baselines_are_verified_and_exported(played: Path, tmp_path: Path) -> None:
    assert format_in(played).baselines == tuple(SAMPLES)
    assert problems(played) == []
    with League.read(played) as league:
        lines, kept = list(export_lines(league)), sorted(luck for *_, luck in league.lucks(1))
    again = tmp_path / "again.league"
    import_lines(lines, "x", again, lambda games: None)
    with League.read(again) as league:
        assert sorted(luck for *_, luck in league.lucks(1)) == kept
    for table in ("luck", "thoughtful_luck"):
        edit(played, f"UPDATE {table} SET luck = luck + .25 WHERE game = (SELECT max(game) FROM {table})")
    assert problems(played) == ["its luck is not that of its record"] * 2


def test_what_needs_the_engine_is_refused_without_it(
    played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with League.read(played) as league:
        lines = list(export_lines(league))
    monkeypatch.setenv(SWITCH, "python")
    engine.cache_clear()
    assert ComparisonFormat.of(2, 2, less_luck=True).baselines == ("greedy",)
    with pytest.raises(NeedsEngine, match=f"only the native engine has: leave {SWITCH} out"):
        problems(played)
    with League.read(played) as league, pytest.raises(NeedsEngine):
        require_luck(new_course(plan_of(league.tournament(1)), Effects(2)))
    with pytest.raises(NeedsEngine):
        import_lines(lines, "x", tmp_path / "again.league", lambda games: None)
    assert not (tmp_path / "again.league").exists()


def test_a_baseline_of_a_later_arena_is_named() -> None:
    values = ComparisonFormat.of(2, 2, less_luck=True).to_values()
    with pytest.raises(ValueError, match="by the baseline clever: update arena"):
        ComparisonFormat.from_values({**values, "baselines": ["greedy", "clever"]})
