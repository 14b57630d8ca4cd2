"""What each view of the page is filled with. No HTML here, and no rules of games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any, NamedTuple

from arena.formats.bracket import Bracket, BracketMatch
from arena.page.look import Look
from arena.page.nights import Nights
from arena.page.standings_views import crosstables, rating_strips, stage_tables
from arena.report.bracket_text import final_by_seed
from arena.report.decision_text import alteration_text
from arena.results import FAULT_REASONS, GameResult, MatchKey, SeatResult
from arena.runner.leagues.records import record_of
from arena.standings.season import Night, season_table
from arena.store import League
from arena.store.lists import Wanted
from arena.text import one_line
from arena.tournament.decisions import (
    Admit,
    Annul,
    Contain,
    Contribute,
    Decision,
    End,
    Extend,
    Go,
    Pause,
    Withdraw,
    read_decision,
)

Values = dict[str, Any]

PAGE = 50
"""How many games a page lists."""

_EVIDENCE = 20  # games with faults that are shown of a bot
_MATCHES = 100  # matches of a round, or of a bot, that are shown
_ROUNDS = 300  # rounds among which one may choose
_FOLDED = 20  # rounds that are over and are shown, folded


class Missing(LookupError):
    """What was asked for is not there; the text is one sentence."""


class Ask(NamedTuple):
    """What a view is asked for: of which league, how it stands, and the words of its address."""

    nights: Nights
    look: Look
    query: Mapping[str, str]


def home(ask: Ask) -> Values:
    """What runs, what is next, the top, the last results; at the end the podium and the key of the deals."""
    look, summary = ask.look, ask.look.summary
    values: Values = {"text": look.text, "results": _listed(ask, Wanted(), 5), "summary": summary}
    if summary is None:
        return values
    waiting = [each for each in look.rounds if not each.over]
    values |= {
        "tables": stage_tables(look, summary, ask.nights.places_before(look.tournament.id)),
        "now": waiting[0] if waiting else None,
        "podium": [line for line in summary.final if line.place <= 3] if look.finished else [],
        **_progress(look),
    }
    return values


def standings(ask: Ask) -> Values:
    """All tables, and the ratings."""
    look, summary = ask.look, ask.look.summary
    if summary is None:
        return {"text": look.text, "summary": None}
    return {
        "summary": summary,
        "tables": stage_tables(look, summary, ask.nights.places_before(look.tournament.id)),
        "strips": rating_strips(summary.ratings),
        "final": summary.final,
        **_progress(look),
    }


def game_standings(ask: Ask, game: str) -> Values:
    """How everybody stands in one game. Raises Missing."""
    summary = ask.look.summary
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
    summary = ask.look.summary
    return {"summary": summary, "crosstables": [] if summary is None else crosstables(ask.look, summary)}


def bracket(ask: Ask) -> Values:
    """Each bracket, with who goes where."""
    summary = ask.look.summary
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
    """The round that is played, those to come, and those that are over."""
    look = ask.look
    over = [each for each in look.rounds if each.over]
    present = [each for each in look.rounds if not each.over]
    return {
        "summary": look.summary,
        "over": over[: -_FOLDED - 1 : -1],
        "earlier": max(0, len(over) - _FOLDED),
        "most": _MATCHES,
        "present": present[:1],
        "following": present[1:6],
        "coming": max(0, len(present) - 6) + look.coming,
        **_progress(look),
    }


def _progress(look: Look) -> Values:
    """How far it is, and how long it will take."""
    summary = look.summary
    if summary is None:
        return {}
    played, left = summary.games, summary.games_left
    time_left = None
    if played and left and not look.finished and not summary.paused:
        spent = datetime.now(UTC) - look.tournament.started
        time_left = _span(spent / played * left)
    return {
        "played": played,
        "left": 0 if look.finished else left,
        "share": round(100 * played / max(1, played + left), 1),
        "time_left": time_left,
    }


def _span(span: timedelta) -> str:
    minutes = round(span.total_seconds() / 60)
    if minutes < 1:
        return "under a minute"
    if minutes < 60:
        return f"about {minutes} min"
    return f"about {minutes // 60} h {minutes % 60:02} min"


def games(ask: Ask) -> Values:
    """The games that are over, newest first, with filters."""
    look = ask.look
    wanted = _wanted(ask)
    total = ask.nights.ask(lambda league: league.count_games(look.tournament.id, wanted))
    page = _number(ask.query.get("page", "1"))
    pages = max(1, -(-total // PAGE))
    page = min(page, pages)
    kept = {key: ask.query[key] for key in ("bot", "game", "round", "faults") if ask.query.get(key)}
    return {
        "summary": look.summary,
        "results": _listed(ask, wanted, PAGE, (page - 1) * PAGE),
        "total": total,
        "page": page,
        "pages": pages,
        "kept": kept,
        "game_ids": _game_ids(look),
        "rounds": [(f"{each.stage + 1}.{each.number + 1}", each.label) for each in look.rounds[-_ROUNDS:]],
    }


def _game_ids(look: Look) -> list[str]:
    return list(look.summary.plan.games) if look.summary else []


def _number(text: str) -> int:
    return max(1, int(text)) if text.isdecimal() and len(text) < 9 else 1


def _wanted(ask: Ask) -> Wanted:
    """Which games the address asks for. Raises Missing."""
    query, look = ask.query, ask.look
    entrant = None
    if query.get("bot"):
        entrant = entrant_of(look, query["bot"])
    game = query.get("game") or None
    if game is not None and look.summary is not None and game not in look.summary.plan.games:
        raise Missing("This game is not played here.")
    stage = round_ = None
    if query.get("round"):
        numbers = query["round"].split(".")
        if len(numbers) != 2 or not all(each.isdecimal() and 0 < int(each) < 10**6 for each in numbers):
            raise Missing("There is no such round.")
        stage, round_ = (int(each) - 1 for each in numbers)
    return Wanted(entrant, game, stage, round_, bool(query.get("faults")))


def entrant_of(look: Look, number: str) -> int:
    """The entrant with a number, from 1, as addresses have it. Raises Missing."""
    if not number.isdecimal() or len(number) > 6 or not 1 <= int(number) <= len(look.names):
        raise Missing("There is no such bot.")
    return int(number) - 1


def _listed(ask: Ask, wanted: Wanted, most: int, skipped: int = 0) -> list[Values]:
    tournament = ask.look.tournament.id
    found = ask.nights.ask(lambda league: league.newest_games(tournament, wanted, most, skipped))
    labels = {(each.stage, each.number): each.label for each in ask.look.rounds}
    return [_result(number, result, labels) for number, result in found]


def _result(number: int, result: GameResult, labels: Mapping[tuple[int, int], str]) -> Values:
    key = result.key
    return {
        "number": number,
        "key": str(key),
        "game": key.game,
        "label": labels.get((key.stage, key.round), f"round {key.round + 1}"),
        "reason": result.reason,
        "seats": sorted(result.seats, key=lambda seat: seat.place),
        "faults": sum(sum(seat.faults) for seat in result.seats),
    }


def bots(ask: Ask) -> Values:
    """All bots, with what they did."""
    look, summary = ask.look, ask.look.summary
    rows = {} if summary is None else {row.entrant: row for row in summary.rows}
    order = sorted(range(len(look.names)), key=lambda each: (look.places.get(each, len(look.names)), each))
    return {"summary": summary, "order": order, "rows": rows, "entrants": look.tournament.entrants}


def bot(ask: Ask, number: str) -> Values:
    """One bot: place, season, results, faults with evidence, latency, versions. Raises Missing."""
    look, summary, nights = ask.look, ask.look.summary, ask.nights
    entrant = entrant_of(look, number)
    tournament = look.tournament.id
    faulty = nights.ask(
        lambda league: _evidence(league, tournament, Wanted(entrant=entrant, faults=True), entrant)
    )
    rating = None
    if summary is not None:
        rating = next(
            (each for each in rating_strips(summary.ratings) if each["rating"].entrant == entrant), None
        )
    career = _career(nights, look.tournament.entrants[entrant].name)
    return {
        "summary": summary,
        "entrant": entrant,
        "info": look.tournament.entrants[entrant],
        "row": None
        if summary is None
        else next((each for each in summary.rows if each.entrant == entrant), None),
        "rating_strip": rating,
        "matches": _matches_of(look, entrant),
        "evidence": faulty,
        "times": nights.ask(lambda league: list(league.times_by_game(tournament, entrant))),
        "career": career,
        "line": _season_line([each["rating"] for each in career]),
        "gone": next((each for each in summary.withdrawals if each.decision.entrant == entrant), None)
        if summary
        else None,
    }


def _matches_of(look: Look, entrant: int) -> list[Values]:
    """The last finished matches of an entrant, the latest first."""
    found: list[Values] = []
    for round_ in reversed(look.rounds):
        for match, result, _ in round_.matches:
            if result is not None and entrant in match.entrants:
                scores = sorted(zip(result.entrants, result.scores, strict=True), key=lambda each: -each[1])
                found.append(
                    {"round": round_, "label": match.label, "scores": scores, "walkover": result.walkover}
                )
    return found


def _evidence(league: League, tournament: int, wanted: Wanted, entrant: int) -> list[Values]:
    """The last games in which an entrant was charged faults, each with what was wrong."""
    found = []
    for number, result in league.newest_games(tournament, wanted, _EVIDENCE):
        seat = next(seat for seat, each in enumerate(result.seats) if each.entrant == entrant)
        record = record_of(league.game(number))
        found.append(
            {
                "key": str(result.key),
                "game": result.key.game,
                "seat": seat,
                "forfeit": result.seats[seat].forfeit,
                "kinds": _kinds(result.seats[seat]),
                "faults": [
                    {"step": step, "reason": fault.reason, "message": one_line(fault.message)}
                    for who, step, fault in record.faults
                    if who == seat
                ],
            }
        )
    return found


def _kinds(seat: SeatResult) -> list[tuple[str, int]]:
    return [(kind, count) for kind, count in zip(FAULT_REASONS, seat.faults, strict=True) if count]


def _career(nights: Nights, name: str) -> list[Values]:
    """The finished tournaments of a league in which a bot of that name took part: version, place, rating."""
    found = []
    for stored in nights.tournaments():
        numbers = [number for number, each in enumerate(stored.entrants) if each.name == name]
        if stored.finished is not None and numbers:
            over = nights.over(stored.id)
            found.append(
                {
                    "tournament": stored,
                    "version": stored.entrants[numbers[0]].version,
                    "place": over.places.get(numbers[0]),
                    "rating": over.ratings.get(numbers[0]),
                    "of": len(stored.entrants),
                }
            )
    return found


def _season_line(ratings: Sequence[float | None]) -> str:
    """The ratings of some tournaments as points of a line in a box of 100 by 40; empty for fewer than two."""
    known = [(number, rating) for number, rating in enumerate(ratings) if rating is not None]
    if len(known) < 2:
        return ""
    low, high = min(rating for _, rating in known), max(rating for _, rating in known)
    width, height = known[-1][0] - known[0][0], max(high - low, 1.0)
    return " ".join(
        f"{3 + 94 * (number - known[0][0]) / width:.1f},{36 - 32 * (rating - low) / height:.1f}"
        for number, rating in known
    )


def decisions(ask: Ask) -> Values:
    """What the host, or the rules of the tournament, decided."""
    look = ask.look
    return {
        "summary": look.summary,
        "decided": [
            {"what": decision_words(read_decision(each.decision), look.names), "stored": each,
             "when": datetime.fromisoformat(each.decided)}
            for each in reversed(look.decisions)
        ],
    }  # fmt: skip


def decision_words(decision: Decision, names: tuple[str, ...]) -> str:
    """A decision as a sentence without its full stop."""
    match decision:
        case Withdraw():
            left = ", and this stage is scored without it" if decision.annulled else ""
            return f"{names[decision.entrant]} plays no more{left}"
        case Pause():
            return "No further games begin"
        case Go():
            return "It goes on"
        case End():
            return "It ends here; what is left is not played"
        case Contribute():
            return "The bots have put their bytes into the deals"
        case Admit() | Extend() | Annul() | Contain():
            return one_line(alteration_text(decision))


def season(ask: Ask) -> Values:
    """All tournaments of the league, and the table over those that are finished."""
    stored = ask.nights.tournaments()
    finished = [each for each in stored if each.finished is not None]
    nights = []
    for each in finished:
        names = [entrant.name for entrant in each.entrants]
        places = {names[entrant]: place for entrant, place in ask.nights.over(each.id).places.items()}
        nights.append(Night(places, {entrant.name: entrant.version for entrant in each.entrants}))
    return {
        "summary": ask.look.summary,
        "one_line": one_line,
        "tournaments": stored,
        "finished": finished,
        "rows": season_table(nights) if nights else (),
    }


def screen(ask: Ask) -> Values:
    """What the projector goes through."""
    values = home(ask) | bracket(ask)
    summary = ask.look.summary
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
        }
    )
