"""An analysed game for the browser: the expected scores over time, and the decisions that were mistakes."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from arena.checkup.analysed import Analysed
from arena.report.analysis_text import better_text, hundredths, note_of
from arena.text import one_line
from arena.view.pictures.replay import parts_of


def explained(
    analysed: Analysed, actions: int, seats: Collection[int], marked: int | None = None
) -> dict[str, Any]:
    """What an analysis found, as plain data. Scores are in hundredths.

    Args:
        analysed: the game.
        actions: the number of its actions.
        seats: the seats whose decisions are shown. What made the results follows from the cards of all seats,
            so it is shown if they are all of them.
        marked: the step that the replay marks, if there is one: the scores of all actions are told there.
    """
    judged = [(seat, each) for seat in sorted(seats) for each in analysed.decisions[seat]]
    mistakes = [found for found in judged if found[1].verdict == "mistake"]
    mistakes.sort(key=lambda found: (-found[1].cost, found[1].ply))
    there = next((each for _, each in judged if each.ply + 1 == marked), None)
    return {
        "last": actions,
        "by": sorted({each.by for _, each in judged}),
        "seats": [_seat(analysed, seat, len(seats) == len(analysed.names)) for seat in sorted(seats)],
        "mistakes": [
            {
                "ply": each.ply,
                "seat": seat,
                "fault": each.fault.replace("_", " "),
                "choice": parts_of(one_line(each.choice.words)),
                "better": parts_of(one_line(better_text(each))),
                "score": 100 * each.choice.score,
            }
            for seat, each in mistakes
        ],
        "note": note_of([each for _, each in judged]),
        "marked": there
        and {
            "best": there.best,
            "verdict": there.verdict,
            "tried": [[hundredths(each.score), hundredths(each.error)] for each in there.tried],
        },
    }


def _seat(analysed: Analysed, seat: int, whole: bool) -> dict[str, Any]:
    decisions, source = analysed.decisions[seat], analysed.sources[seat]
    effects = (source.deal, source.luck, source.own, source.others)
    return {
        "seat": seat,
        "points": [
            [each.ply, round(100 * each.choice.score, 1), round(100 * each.choice.error, 1)]
            for each in decisions
        ],
        "result": 100 * source.score,
        "score": hundredths(source.score),
        "sources": [hundredths(effect, sign=True) for effect in effects] if whole else [],
        "error": hundredths(source.error),
        "decisions": len(decisions),
        "mistakes": sum(each.verdict == "mistake" for each in decisions),
        "unsure": sum(each.verdict == "cannot tell" for each in decisions),
        "cost": hundredths(sum(each.cost for each in decisions)),
    }
