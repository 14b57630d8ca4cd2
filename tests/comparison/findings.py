"""All findings of a comparison with their boards, for tests to compare."""

from __future__ import annotations

from arena.comparison.comparison import Comparison


def findings(comparison: Comparison) -> list[object]:
    """All that was found, and over which boards."""
    race = comparison.race
    ended = race and (race.finding, race.named, race.rounds, comparison.racers())
    return [ended] + [
        (
            [(question.finding, question.boards_needed) for question in study.questions],
            [study.counted(game) for game in comparison.games],
            [question.estimate(study.counted(game)) for game, question in study.games.items()],
            study.overall and study.overall.estimate(study.overall.boards_needed),
        )
        for study in comparison.studies
    ]
