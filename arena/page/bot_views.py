"""The bots of a tournament, one by one, and over the season."""

from __future__ import annotations

from collections.abc import Sequence

from arena.page.league_reader import LeagueReader
from arena.page.snapshot import Snapshot
from arena.page.standings_views import rating_strips
from arena.page.view_request import Ask, Values, entrant_of
from arena.results import FAULT_REASONS, SeatResult
from arena.runner.leagues.stored import record_of
from arena.standings.season import Night, season_table
from arena.store import League
from arena.store.reading import Wanted
from arena.text import one_line

_EVIDENCE = 20  # games with faults that are shown of a bot


def bots(ask: Ask) -> Values:
    """All bots, with what they did."""
    snapshot, summary = ask.snapshot, ask.snapshot.summary
    rows = {} if summary is None else {row.entrant: row for row in summary.rows}
    order = sorted(
        range(len(snapshot.names)), key=lambda each: (snapshot.places.get(each, len(snapshot.names)), each)
    )
    return {"summary": summary, "order": order, "rows": rows, "entrants": snapshot.tournament.entrants}


def bot(ask: Ask, number: str) -> Values:
    """One bot: place, season, results, faults with evidence, latency, versions. Raises Missing."""
    snapshot, summary, reader = ask.snapshot, ask.snapshot.summary, ask.reader
    entrant = entrant_of(snapshot, number)
    tournament = snapshot.tournament.id
    faulty = reader.ask(
        lambda league: _evidence(league, snapshot, Wanted(entrant=entrant, faults=True), entrant)
    )
    rating = None
    if summary is not None:
        rating = next(
            (each for each in rating_strips(summary.ratings) if each["rating"].entrant == entrant), None
        )
    career = _career(reader, snapshot.tournament.entrants[entrant].name)
    return {
        "summary": summary,
        "entrant": entrant,
        "info": snapshot.tournament.entrants[entrant],
        "row": None
        if summary is None
        else next((each for each in summary.rows if each.entrant == entrant), None),
        "rating_strip": rating,
        "matches": _matches_of(snapshot, entrant),
        "evidence": faulty,
        "times": reader.ask(lambda league: list(league.times_by_game(tournament, entrant))),
        "career": career,
        "line": _season_line([each["rating"] for each in career]),
        "gone": next((each for each in summary.withdrawals if each.ruling.entrant == entrant), None)
        if summary
        else None,
    }


def _matches_of(snapshot: Snapshot, entrant: int) -> list[Values]:
    """The last finished matches of an entrant, the latest first."""
    found: list[Values] = []
    for round_ in reversed(snapshot.rounds):
        for match, result, _, decided in round_.matches:
            if result is not None and decided and entrant in match.entrants:
                scores = sorted(zip(result.entrants, result.scores, strict=True), key=lambda each: -each[1])
                found.append(
                    {"round": round_, "label": match.label, "scores": scores, "walkover": result.walkover}
                )
    return found


def _evidence(league: League, snapshot: Snapshot, wanted: Wanted, entrant: int) -> list[Values]:
    """The last games in which an entrant was charged faults, each with what was wrong.

    The words of a fault may tell of a hand, as those of a bot that crashed: they are told with the hands.
    """
    found = []
    for number, result in league.newest_games(snapshot.tournament.id, wanted, _EVIDENCE):
        told = snapshot.shows_hands(result.key)
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
                    {"step": step, "reason": fault.reason, "message": one_line(fault.message) if told else ""}
                    for who, step, fault in record.faults
                    if who == seat
                ],
            }
        )
    return found


def _kinds(seat: SeatResult) -> list[tuple[str, int]]:
    return [(kind, count) for kind, count in zip(FAULT_REASONS, seat.faults, strict=True) if count]


def _career(reader: LeagueReader, name: str) -> list[Values]:
    """The finished tournaments of a league in which a bot of that name took part: version, place, rating."""
    found = []
    for stored in reader.season():
        numbers = [number for number, each in enumerate(stored.entrants) if each.name == name]
        if numbers:
            over = reader.over(stored.id)
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


def season(ask: Ask) -> Values:
    """All tournaments of the league, and the table over those that are finished."""
    stored = ask.reader.tournaments()
    finished = ask.reader.season()
    reader = []
    for each in finished:
        names = [entrant.name for entrant in each.entrants]
        places = {names[entrant]: place for entrant, place in ask.reader.over(each.id).places.items()}
        reader.append(Night(places, {entrant.name: entrant.version for entrant in each.entrants}))
    return {
        "summary": ask.snapshot.summary,
        "one_line": one_line,
        "tournaments": stored,
        "finished": finished,
        "rows": season_table(reader) if reader else (),
    }
