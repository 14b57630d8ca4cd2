"""The views of a tournament's progress: first view, brackets, schedule, rulings, and the projector."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from arena.formats.bracket import Bracket, BracketMatch
from arena.games import GAMES
from arena.league.store.reading import Wanted
from arena.league.summary import StageSummary, Summary
from arena.referee.night.control import state_of
from arena.report.bracket_text import final_by_seed, match_note
from arena.report.live_text import cluster_line
from arena.report.standings_text import first_place_words
from arena.report.tables import percent
from arena.results import MatchKey
from arena.table.deal import pledges_digest
from arena.text import estimate_text, joined, one_line
from arena.tournament.rulings import Show, read_ruling
from arena.view.league.snapshot import Snapshot, headline, isolated
from arena.view.pictures.emblem import emblem_of
from arena.view.views.faces import emblems, emblems_by_name, marks
from arena.view.views.games import listed
from arena.view.views.standings import comparison_values, curve, ladder_of, rating_strips, stage_tables
from arena.view.views.view import Ask, Values

_MATCHES = 100  # how many matches of a round are shown
_ROWS = 10  # rows of a list on the projector
_FOLDED = 20  # how many finished rounds are shown, folded


def tournament_values(snapshot: Snapshot | None) -> Values:
    """The values about a tournament that every template gets, such as its headline and its progress."""
    values: Values = {
        "snapshot": snapshot,
        "headline": headline(snapshot),
        "names": (),
        "emblems": (),
        "marks": (),
        "emblem_of": emblem_of,
        "summary": None,
        "absent": frozenset(),
    }
    values |= {"text": "", "played": 0, "left": 0, "share": 0.0, "time_left": None}
    values |= {"staged": False, "shown_at": None}
    if snapshot is None:
        return values
    summary = snapshot.summary
    values |= {"names": snapshot.names, "summary": summary, "text": snapshot.text}
    values |= {"emblems": emblems(snapshot), "marks": marks(snapshot)}
    values["emblem_of"] = emblems_by_name([snapshot.tournament])
    if summary is not None:
        played, left = summary.games, summary.games_left
        values |= {
            "absent": summary.absent,
            "played": played,
            "left": 0 if snapshot.finished else left,
            "share": round(100 * played / max(1, played + left), 1),
            "time_left": None if summary.time_left is None else estimate_text(summary.time_left),
        }
        values |= _what_follows(snapshot, len(summary.stages))
    return values


def _what_follows(snapshot: Snapshot, stages: int) -> Values:
    """Whether the host shows the results from now on, and when further ones are shown, in ms since 1970.

    `stages` is how many have begun.
    """
    first = snapshot.plan.reveal
    if first is None or snapshot.finished or stages <= first:
        return {}
    shows = [
        (ruling, datetime.fromisoformat(each.decided) + timedelta(seconds=ruling.countdown))
        for each in snapshot.decisions
        if isinstance(ruling := read_ruling(each.ruling), Show)
    ]
    now = datetime.now(UTC)
    if any(ruling.rest and at <= now for ruling, at in shows):
        return {}
    coming = min((at for _, at in shows if at > now), default=None)
    return {
        "staged": True,
        "left": 0,
        "time_left": None,
        "shown_at": coming and int(coming.timestamp() * 1000),
    }


def home(ask: Ask) -> Values:
    """Running and next matches, the top, and the last results; at the end the podium and the deals' key."""
    snapshot, summary = ask.snapshot, ask.snapshot.summary
    cluster = None if snapshot.finished else state_of(ask.reader.path).cluster_statistics
    waiting = [each for each in snapshot.schedule if not each.over]
    given = summary and summary.contributed
    return {
        **comparison_values(snapshot.compared),
        "results": listed(ask, Wanted(), 5),
        "cluster": cluster and cluster_line(cluster),
        "tables": stage_tables(ask),
        "ladder": ladder_of(ask),
        "now": waiting[0] if waiting and summary is not None else None,
        **podium_values(snapshot, summary),
        "pledges": pledges_digest(given.pledged).hex() if given else "",
    }


def podium_values(snapshot: Snapshot, summary: Summary | None) -> Values:
    """The podium with scores, or how the final decided it; whether it is certain; and who comes next.

    All empty before the end.
    """
    podium = summary.podium if summary else ()
    if summary is None or not podium:
        return {"podium": (), "scores_of": {}, "decided_by": "", "behind": (), "first_place": ""}
    brackets = [stage.bracket for stage in summary.stages if stage.bracket is not None]
    scored = [] if brackets else [row for row in summary.rows if row.score is not None]
    return {
        "podium": podium,
        "scores_of": {row.entrant: percent(row.score) for row in scored},
        "decided_by": _decided_by(snapshot, brackets[-1]) if brackets else "",
        "behind": summary.placed[len(podium) :],
        "first_place": first_place_words(
            summary, lambda each: isolated(one_line(summary.tournament.entrants[each].name))
        ),
    }


def _decided_by(snapshot: Snapshot, bracket: Bracket) -> str:
    """How the final of two ended, in words; empty if play did not decide it."""
    final = bracket.rounds[-1].matches[-1]
    if final.walkover or len(final.slots) != 2:
        return ""
    won = next((slot for slot in final.slots if slot.goes_on), None)
    lost = next((slot for slot in final.slots if slot.goes_on is False), None)
    if won is None or lost is None or won.score is None or lost.score is None or lost.entrant is None:
        return ""
    other, scores = isolated(snapshot.names[lost.entrant]), f"{percent(won.score)} to {percent(lost.score)}"
    if final_by_seed(bracket):
        return f"tied the final with {other}, {scores}: the better seed wins"
    if won.extra:
        return f"won the final against {other} on extra board {len(won.extra)}, after {scores}"
    return f"won the final against {other}, {scores}"


def bracket(ask: Ask) -> Values:
    """Each bracket, and where its matches lead."""
    summary = ask.snapshot.summary
    stages = summary.stages if summary is not None else ()
    paused = summary is not None and summary.paused
    return {
        "brackets": [
            {
                "title": stage.title,
                "seats": stage.stage.seats,
                "bracket": stage.bracket,
                "leads": _leads(stage.bracket),
                "parts": _parts(stage.bracket),
                "by_seed": final_by_seed(stage.bracket),
                "notes": _notes(stage, over=ask.snapshot.finished, paused=paused),
                "candidates": None,
            }
            for stage in reversed(stages)
            if stage.bracket is not None
        ],
        "planned": summary is not None and len(summary.plan.stages) > len(stages),
        "coming": _coming(summary) if summary is not None and not ask.snapshot.finished else None,
    }


def _coming(summary: Summary) -> Values | None:
    """The next bracket before its entrants are known: by seed, and who would play in it now."""
    begun = len(summary.stages)
    for number, planned in enumerate(summary.plan.stages[begun:], begun):
        stage = planned.stage(number, range(planned.entrants))
        drawn = stage.bracket({})
        if drawn is not None:
            last = summary.stages[-1]
            rows = () if number > begun or last.groups else last.rows
            return {
                "bracket": drawn,
                "seats": stage.seats,
                "leads": _leads(drawn),
                "parts": _parts(drawn),
                "notes": {},
                "candidates": [row.entrant for row in rows if row.score is not None][: planned.entrants],
            }
    return None


def _parts(bracket: Bracket) -> list[Values]:
    """The rounds of a bracket; those of a double elimination in three parts."""
    losers = [each for each in bracket.rounds if each.label.startswith("losers")]
    if not losers:
        return [{"title": "", "rounds": bracket.rounds}]
    first = bracket.rounds.index(losers[0])
    return [
        {"title": "Winners", "rounds": bracket.rounds[:first]},
        {"title": "Losers", "rounds": losers},
        {"title": "Grand final", "rounds": bracket.rounds[first + len(losers) :]},
    ]


def _notes(stage: StageSummary, *, over: bool, paused: bool) -> dict[MatchKey | None, str]:
    """By match: what its scores do not say, such as that it was won without play, or how far it is."""
    assert stage.bracket is not None
    third = [stage.bracket.third_place] if stage.bracket.third_place else []
    matches = [match for round_ in stage.bracket.rounds for match in round_.matches] + third
    return {match.key: match_note(match, stage.begun, over=over, paused=paused) for match in matches}


def _final(brackets: Sequence[Values]) -> str:
    """The name of the final that is paired and not over; empty if there is none."""
    if not brackets:
        return ""
    final = brackets[0]["bracket"].rounds[-1].matches[-1]
    if final.key is None or any(slot.goes_on is not None for slot in final.slots):
        return ""
    return str(final.key)


def _leads(bracket: Bracket) -> dict[MatchKey, dict[int, tuple[str, str]]]:
    """For each match and place, the short name and the label of the match to which it leads."""
    leads: dict[MatchKey, dict[int, tuple[str, str]]] = {}
    third = [bracket.third_place] if bracket.third_place else []
    for match in [match for round_ in bracket.rounds for match in round_.matches] + third:
        for slot in match.slots:
            if slot.origin is not None:
                key = bracket.rounds[slot.origin.round].matches[slot.origin.match].key
                if key is not None:
                    leads.setdefault(key, {})[slot.origin.place] = _short_label(match), match.label
    return leads


def _short_label(match: BracketMatch) -> str:
    """A match of a bracket in a few letters: `S1` for semi-final 1, `F` for the final."""
    words = match.label.replace("-", " ").split()
    letters = "".join(word[0].upper() for word in words if not word.isdecimal() and word != "final")
    return f"{letters or 'F'}{words[-1] if words[-1].isdecimal() else ''}"


def schedule(ask: Ask) -> Values:
    """The running rounds, the coming ones, and the finished ones."""
    rounds = ask.snapshot.schedule
    over = [each for each in rounds if each.over]
    waiting = [each for each in rounds if not each.over]
    present = [each for each in waiting if each is waiting[0] or any(view.begun for view in each.matches)]
    following = [each for each in waiting if each not in present]
    return {
        "over": over[: -_FOLDED - 1 : -1],
        "earlier": max(0, len(over) - _FOLDED),
        "most": _MATCHES,
        "present": present,
        "following": following[:5],
        "coming": max(0, len(following) - 5) + ask.snapshot.coming,
    }


def decisions(ask: Ask) -> Values:
    """The rulings of the host and of the tournament's rules."""
    return {
        "decided": [
            {"what": one_line(read_ruling(each.ruling).words(ask.snapshot.names)), "stored": each,
             "when": datetime.fromisoformat(each.decided)}
            for each in reversed(ask.snapshot.decisions)
        ],
    }  # fmt: skip


def screen(ask: Ask) -> Values:
    """The tables through which the projector cycles."""
    values = home(ask) | bracket(ask)
    snapshot, summary = ask.snapshot, ask.snapshot.summary
    begins = summary is not None and not summary.games and not snapshot.finished
    return values | {
        "expected": joined([GAMES[game].title for game in summary.plan.games]) if summary and begins else "",
        "pages": [] if begins else [
            {"title": title, "name": name, "rows": rows[first : first + _ROWS]}
            for title, name, rows in _ranked(ask, values["tables"])
            for first in range(0, len(rows), _ROWS)
        ],
        "strips": rating_strips(summary.ratings) if summary else [],
        "curve": curve(snapshot, values["tables"]),
        "moment": values["results"][0] if values["results"] else None,
        "final": _final(values["brackets"]),
    }  # fmt: skip


def _ranked(ask: Ask, tables: Sequence[Values]) -> list[tuple[str, str | None, Sequence[Values]]]:
    """The lists of the projector: title, name of the group, and rows. After a bracket the final ranking."""
    summary, finished = ask.snapshot.summary, ask.snapshot.finished
    if summary is None or not tables:
        return []
    plain = {"change": 0, "bar": 0, "score": "", "cut": False}
    if (ladder := ladder_of(ask)) is not None:
        title = "Final standings" if finished else tables[0]["title"]
        return [(title, None, [plain | row | {"rank": row["place"]} for row in ladder["rows"]])]
    if finished and tables[0]["bracket"]:
        final = [{"entrant": line.entrant, "rank": line.place, **plain} for line in summary.final]
        return [("Final ranking", None, final)]
    title = "Final standings" if finished else tables[0]["title"]
    return [(title, each["name"], each["rows"]) for each in tables[0]["tables"]]
