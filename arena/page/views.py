"""What each view of the page is filled with. No HTML here, and no rules of games."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from fractions import Fraction

from arena.formats.bracket import Bracket, BracketMatch
from arena.page.comparison_views import comparison_pairs
from arena.page.game_views import listed
from arena.page.snapshot import Snapshot
from arena.page.standings_views import crosstables, rating_strips, stage_tables
from arena.page.view_request import Ask, Missing, Values
from arena.report.bracket_text import final_by_seed
from arena.report.live_text import cluster_line
from arena.results import MatchKey
from arena.runner.night.control_client import state_of
from arena.store.reading import Wanted
from arena.text import one_line
from arena.tournament.rulings import read_ruling

_MATCHES = 100  # matches of a round, or of a bot, that are shown
_FOLDED = 20  # rounds that are over and are shown, folded


def home(ask: Ask) -> Values:
    """What runs, what is next, the top, the last results; at the end the podium and the key of the deals."""
    snapshot, summary = ask.snapshot, ask.snapshot.summary
    values: Values = {
        "text": snapshot.text,
        "pairs": comparison_pairs(snapshot.compared),
        "results": listed(ask, Wanted(), 5),
        "summary": summary,
    }
    cluster_statistics = None if snapshot.finished else state_of(ask.reader.path).cluster_statistics
    values["cluster"] = cluster_statistics and cluster_line(cluster_statistics)
    if summary is None:
        return values
    waiting = [each for each in snapshot.schedule if not each.over]
    values |= {
        "tables": stage_tables(snapshot, summary, ask.reader.ranks_before(snapshot.tournament.id)),
        "now": waiting[0] if waiting else None,
        "podium": [line for line in summary.final if line.place <= 3] if snapshot.finished else [],
        **_progress(snapshot),
    }
    return values


def standings(ask: Ask) -> Values:
    """All tables, and the ratings."""
    snapshot, summary = ask.snapshot, ask.snapshot.summary
    if summary is None:
        return {"text": snapshot.text, "pairs": comparison_pairs(snapshot.compared), "summary": None}
    return {
        "summary": summary,
        "tables": stage_tables(snapshot, summary, ask.reader.ranks_before(snapshot.tournament.id)),
        "strips": rating_strips(summary.ratings),
        "final": summary.final,
        **_progress(snapshot),
    }


def game_standings(ask: Ask, game: str) -> Values:
    """How everybody stands in one game. Raises Missing."""
    summary = ask.snapshot.summary
    if summary is None or game not in summary.plan.games:
        raise Missing("This game is not played here.")
    number = summary.plan.games.index(game)
    rows = [(row.entrant, row.games[number]) for row in summary.rows]
    rows.sort(key=lambda each: -(each[1].score if each[1].score is not None else Fraction(-1)))
    return {
        "summary": summary,
        "game": game,
        "rows": rows,
        "strips": rating_strips(summary.game_ratings[game]),
    }


def crosstable(ask: Ask) -> Values:
    """Everybody against everybody."""
    summary = ask.snapshot.summary
    return {"summary": summary, "crosstables": [] if summary is None else crosstables(ask.snapshot, summary)}


def bracket(ask: Ask) -> Values:
    """Each bracket, with who goes where."""
    summary = ask.snapshot.summary
    stages = [] if summary is None else [each for each in summary.stages if each.bracket is not None]
    return {
        "summary": summary,
        "brackets": [
            {
                "title": stage.title,
                "seats": stage.stage.seats,
                "bracket": stage.bracket,
                "leads": _leads(stage.bracket),
                "by_seed": final_by_seed(stage.bracket, stage.stage.extra_boards),
            }
            for stage in reversed(stages)
            if stage.bracket is not None
        ],
        "planned": summary is not None and len(summary.plan.stages) > len(summary.stages),
    }


def _final(brackets: Sequence[Values]) -> str:
    """The final that is paired and not over, as a match is named; empty where there is none."""
    if not brackets:
        return ""
    final = brackets[0]["bracket"].rounds[-1].matches[-1]
    if final.key is None or any(slot.goes_on is not None for slot in final.slots):
        return ""
    return ".".join(str(number + 1) for number in final.key)


def _leads(bracket: Bracket) -> dict[MatchKey, dict[int, str]]:
    """For each match, by place, the short name of the match that it leads to."""
    leads: dict[MatchKey, dict[int, str]] = {}
    third = [bracket.third_place] if bracket.third_place else []
    for match in [match for round_ in bracket.rounds for match in round_.matches] + third:
        for slot in match.slots:
            if slot.origin is not None:
                key = bracket.rounds[slot.origin.round].matches[slot.origin.match].key
                if key is not None:
                    leads.setdefault(key, {})[slot.origin.place] = short_label(match)
    return leads


def short_label(match: BracketMatch) -> str:
    """A match of a bracket in a few letters: `S1` for semi-final 1, `F` for the final."""
    words = match.label.replace("-", " ").split()
    letters = "".join(word[0].upper() for word in words if not word.isdecimal() and word != "final")
    return f"{letters or 'F'}{words[-1] if words[-1].isdecimal() else ''}"


def schedule(ask: Ask) -> Values:
    """The rounds that are played, those to come, and those that are over."""
    snapshot = ask.snapshot
    rounds = snapshot.schedule
    over = [each for each in rounds if each.over]
    waiting = [each for each in rounds if not each.over]
    present = [each for each in waiting if each is waiting[0] or any(view.begun for view in each.matches)]
    following = [each for each in waiting if each not in present]
    return {
        "summary": snapshot.summary,
        "over": over[: -_FOLDED - 1 : -1],
        "earlier": max(0, len(over) - _FOLDED),
        "most": _MATCHES,
        "present": present,
        "following": following[:5],
        "coming": max(0, len(following) - 5) + snapshot.coming,
        **_progress(snapshot),
    }


def _progress(snapshot: Snapshot) -> Values:
    """How far it is, and how long it will take."""
    summary = snapshot.summary
    if summary is None:
        return {}
    played, left = summary.games, summary.games_left
    return {
        "played": played,
        "left": 0 if snapshot.finished else left,
        "share": round(100 * played / max(1, played + left), 1),
        "time_left": None if summary.time_left is None else _span(summary.time_left),
    }


def _span(seconds: float) -> str:
    minutes = round(seconds / 60)
    if minutes < 1:
        return "under a minute"
    if minutes < 60:
        return f"about {minutes} min"
    return f"about {minutes // 60} h {minutes % 60:02} min"


def decisions(ask: Ask) -> Values:
    """What the host, or the rules of the tournament, decided."""
    snapshot = ask.snapshot
    return {
        "summary": snapshot.summary,
        "decided": [
            {"what": one_line(read_ruling(each.decision).words(snapshot.names)), "stored": each,
             "when": datetime.fromisoformat(each.decided)}
            for each in reversed(snapshot.decisions)
        ],
    }  # fmt: skip


def screen(ask: Ask) -> Values:
    """What the projector goes through."""
    values = home(ask) | bracket(ask)
    summary = ask.snapshot.summary
    rows = values["tables"][0]["tables"] if summary is not None and values["tables"] else []
    pages = [
        {"name": table["name"], "rows": table["rows"][first : first + 10], "first": first}
        for table in rows
        for first in range(0, len(table["rows"]), 10)
    ]
    nothing: Values = {"podium": [], "now": None, "tables": [], "played": 0, "left": 0, "time_left": None}
    return (
        nothing
        | values
        | {
            "pages": pages,
            "strips": rating_strips(summary.ratings) if summary else [],
            "moment": values["results"][0] if values["results"] else None,
            "final": _final(values["brackets"]),
        }
    )
