"""The bots of a tournament, and the season of its league."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from fractions import Fraction
from typing import Final

from arena.league.store import League
from arena.league.store.reading import Wanted
from arena.league.stored import calibration_in, ladders_of, record_of, season_of
from arena.report.analysis_text import calibration_json
from arena.report.standings_text import certain_place
from arena.report.tables import percent
from arena.report.tournaments import rating_notes
from arena.results import MatchKey, SeatResult
from arena.standings.season import season_table
from arena.text import one_line
from arena.view.league.history import MOST_ENTRANTS
from arena.view.league.reader import LeagueReader
from arena.view.league.snapshot import Snapshot
from arena.view.views.faces import emblems_by_name
from arena.view.views.games import moments_for_rounds, swings
from arena.view.views.history import Band, band, ratings_plot, ratings_told
from arena.view.views.standings import ladder_of, ladder_table, rating_strips
from arena.view.views.titles import titles_of
from arena.view.views.view import Ask, Missing, Values, entrant_of

_EVIDENCE = 20  # how many games with faults a bot's page shows
_MATCHES = 40  # how many matches a bot's page shows with their games
_GAMES = 1000  # how many games are read for them
_ESTIMATED = 200  # how many of its last games tell how well its own estimates hold
_SORTS: Final = {"place": "place", "score": "-score", "rating": "-rating", "faults": "-faults", "ms": "ms"}
"""By what bots are sorted, and how at first: a minus is for the highest first."""


def bots(ask: Ask) -> Values:
    """All bots with their results, sorted as the address asks: `?sort=-faults` is by faults, the most first.

    Bots without a value come last, and last of all those without a decision. Raises Missing.
    """
    snapshot, summary = ask.snapshot, ask.snapshot.summary
    rows = {} if summary is None else {row.entrant: row for row in summary.rows}
    ratings = {} if summary is None else {rating.entrant: rating for rating in summary.ratings}
    asked = ask.query.get("sort") or "place"
    by = asked.removeprefix("-")
    if by not in _SORTS:
        raise Missing("The bots cannot be sorted by that.")

    def value(entrant: int) -> float | Fraction | None:
        row = rows.get(entrant)
        if row is None or not row.decisions:
            return None
        return {
            "place": snapshot.places.get(entrant),
            "score": row.score,
            "rating": ratings[entrant].rating,
            "faults": sum(row.faults),
            "ms": None if ask.reader.private else row.time_per_decision,
        }[by]

    values = {entrant: value(entrant) for entrant in range(len(snapshot.names))}
    known = [entrant for entrant in values if values[entrant] is not None]
    last = len(snapshot.names)
    known.sort(key=lambda each: (snapshot.places.get(each, last), each))
    known.sort(key=lambda each: values[each] or 0, reverse=asked.startswith("-"))
    unknown = [entrant for entrant in values if values[entrant] is None]
    unknown.sort(key=lambda each: (snapshot.places.get(each, last), each))
    return {
        "order": known + unknown,
        "private": ask.reader.private,
        "rows": rows,
        "ratings": ratings,
        "entrants": snapshot.tournament.entrants,
        "sort": asked,
        "sorts": {each: first if asked != first else _reversed(first) for each, first in _SORTS.items()},
    }


def _reversed(sort: str) -> str:
    return sort.removeprefix("-") if sort.startswith("-") else f"-{sort}"


def bot(ask: Ask, number: str) -> Values:
    """One bot: place, rating and season, results, faults with evidence, times, versions. Raises Missing."""
    snapshot, summary, reader = ask.snapshot, ask.snapshot.summary, ask.reader
    entrant = entrant_of(snapshot, number)
    info = snapshot.tournament.entrants[entrant]
    career = _career(reader, info.name)
    strips = rating_strips(summary.ratings) if summary else []
    rows = summary.rows if summary else ()
    row = next((each for each in rows if each.entrant == entrant), None)
    ladder = ladder_of(ask)
    scores = {each["entrant"]: each["score"] for each in ladder["rows"]} if ladder else {}
    withdrawals = summary.withdrawals if summary else ()
    matches = _matches_of(snapshot, entrant)

    def read(league: League) -> tuple[dict[MatchKey, list[tuple[SeatResult, ...]]], dict[MatchKey, datetime]]:
        games, last = _games_by_match(league, snapshot, entrant)
        when = moments_for_rounds(league, snapshot, last.values())
        return games, {match: when[number] for match, number in last.items() if number in when}

    games, played = reader.ask(read)
    for each in matches[:_MATCHES]:
        each |= {"games": games.get(each["key"], ()), "when": played.get(each["key"])}
    return {
        "entrant": entrant,
        "private": reader.private,
        "info": info,
        "row": row,
        "score": scores.get(entrant) if ladder or row is None else percent(row.score),
        "expected": ladder["expected"] if ladder else "",
        "rating_strip": next((each for each in strips if each["rating"].entrant == entrant), None),
        "matches": matches[:_MATCHES],
        "earlier": matches[_MATCHES:],
        "evidence": reader.ask(lambda league: _evidence(league, snapshot, entrant)),
        "times": reader.ask(lambda league: list(league.times_by_game(snapshot.tournament.id, entrant))),
        "estimates": estimates(reader, snapshot, entrant) if snapshot.plan.show_thoughts else None,
        "career": career[::-1],
        "band": _band(career),
        "titles": titles_of(reader, reader.ask(season_of), info.name, lambda each: each.name),
        **swings(ask, entrant),
        "gone": next((each for each in withdrawals if each.ruling.entrant == entrant), None),
    }


def estimates(reader: LeagueReader, snapshot: Snapshot, entrant: int) -> Values | None:
    """How well an entrant's own estimates in its last games hold, as data; None if it gave none.

    Only games whose hands are shown are looked at. Who may see what bots thought is asked before.
    """

    def read(league: League) -> Values | None:
        newest = league.newest_games(snapshot.tournament.id, Wanted(entrant=entrant), _ESTIMATED)
        games = (
            (number, result, result.seat_of(entrant))
            for number, result in newest
            if snapshot.shows_hands(result.key) and not snapshot.void.has_game(result.key)
        )
        return calibration_json(calibration_in(league, games))

    return reader.ask(read)


def _band(career: Sequence[Values]) -> Band | None:
    """The rating over the tournaments of a bot."""
    return band(
        [str(each["tournament"].id) for each in career],
        [
            (None, None, None) if rating is None else (rating.rating, rating.low, rating.high)
            for rating in (each["rating"] for each in career)
        ],
        [each["version"] for each in career],
    )


def _matches_of(snapshot: Snapshot, entrant: int) -> list[Values]:
    """The finished matches of an entrant, the latest first."""
    found: list[Values] = []
    for round_ in reversed(snapshot.rounds):
        for view in round_.matches:
            match, result = view.match, view.result
            if result is not None and view.decided and entrant in match.entrants:
                scores = dict(zip(result.entrants, result.scores, strict=True))
                mine, best = scores.pop(entrant), view.best
                found.append(
                    {
                        "key": match.key,
                        "round": f"{match.key.stage + 1}.{match.key.round + 1}",
                        "round_label": round_.label,
                        "label": match.label,
                        "score": mine,
                        "others": sorted(scores.items(), key=lambda each: -each[1]),
                        "outcome": "lost" if entrant not in best else "won" if len(best) == 1 else "level",
                        "walkover": view.walkover,
                        "games": (),
                    }
                )
    return found


def _games_by_match(
    league: League, snapshot: Snapshot, entrant: int
) -> tuple[dict[MatchKey, list[tuple[SeatResult, ...]]], dict[MatchKey, int]]:
    """The seats of the last games of an entrant, in the order in which they ended, and the last, by match."""
    newest = league.newest_games(snapshot.tournament.id, Wanted(entrant=entrant), _GAMES)
    found: dict[MatchKey, list[tuple[SeatResult, ...]]] = {}
    last: dict[MatchKey, int] = {}
    for number, result in reversed(newest):
        found.setdefault(result.key.match_key, []).append(result.seats)
        last[result.key.match_key] = number
    if len(newest) == _GAMES:  # earlier games of its match may be missing
        del found[newest[-1][1].key.match_key]
    return found, last


def _evidence(league: League, snapshot: Snapshot, entrant: int) -> list[Values]:
    """The last games in which an entrant was charged faults, with the words of each fault.

    The words of a fault may tell a hand, such as the last words of a bot that crashed. So they are shown when
    the hands are.
    """
    found = []
    wanted = Wanted(entrant=entrant, faults=True)
    games = league.newest_games(snapshot.tournament.id, wanted, _EVIDENCE)
    when = moments_for_rounds(league, snapshot, [number for number, _ in games])
    for number, result in games:
        told = snapshot.shows_hands(result.key)
        seat = result.seat_of(entrant)
        record = record_of(league.game(number))
        found.append(
            {
                "key": str(result.key),
                "game": result.key.game,
                "when": when.get(number),
                "round": next(
                    (
                        each.label
                        for each in snapshot.rounds
                        if (each.stage, each.number) == (result.key.stage, result.key.round)
                    ),
                    f"round {result.key.round + 1}",  # an early one of a ladder
                ),
                "others": [each.entrant for each in result.seats if each.entrant != entrant],
                "seat": seat,
                "forfeit": result.seats[seat].forfeit,
                "faults": [
                    {"step": step, "reason": fault.reason, "message": one_line(fault.message) if told else ""}
                    for who, step, fault in record.faults
                    if who == seat
                ],
            }
        )
    return found


def _career(reader: LeagueReader, name: str) -> list[Values]:
    """The finished tournaments of a league in which a bot of that name took part: version, place, rating."""
    found = []
    for stored in reader.ask(season_of):
        numbers = [number for number, each in enumerate(stored.entrants) if each.name == name]
        if numbers:
            over = reader.over(stored.id)
            found.append(
                {
                    "tournament": stored,
                    "version": stored.entrants[numbers[0]].version,
                    "place": over.places.get(numbers[0]),
                    "rating": over.ratings.get(numbers[0]),
                    "of": len(over.places),
                }
            )
    return found


def season(ask: Ask) -> Values:
    """All tournaments of the league, the standings of its season, and the ratings of the bots."""
    finished = ask.reader.ask(season_of)
    nights, rated = ask.reader.season()
    rows = season_table(nights) if nights else ()
    ratings = []
    for each in finished:
        over = ask.reader.over(each.id)
        ratings.append({each.entrants[at].name: rating.rating for at, rating in over.ratings.items()})
    tournaments = ask.reader.tournaments()
    emblem_of = emblems_by_name(tournaments)
    averages = [rated.nash.get(rated.last[row.name]) for row in rows]
    labels = [str(each.id) for each in finished]
    lines = {at: [each.get(row.name) for each in ratings] for at, row in enumerate(rows[:MOST_ENTRANTS])}
    ladders = [*ladders_of(each for each in reversed(tournaments) if each.finished)]
    last = ask.reader.over(ladders[0].id).ladder if ladders else None
    return {
        "tournaments": tournaments,
        "ladders": [each.id for each in ladders],
        "ladder": None if last is None else ladder_table(last),
        "finished": finished,
        "rows": rows,
        "rated": [rated.of(row.name) for row in rows],
        "nash": [percent(each and each.score) for each in averages] if any(averages) else None,
        "certain": {bot: certain_place(found, " to ") for bot, found in rated.certain_places().items()},
        "notes": [*rating_notes(rated)] if rows else [],
        "names": [one_line(row.name) for row in rows],
        "emblems": [emblem_of(row.name) for row in rows],
        "plots": ratings_plot(labels, lines),
        "told": ratings_told(labels, lines),
    }
