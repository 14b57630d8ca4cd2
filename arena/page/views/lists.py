"""The lists of a tournament: its games, its bots, and the season of its league."""

from __future__ import annotations

from collections.abc import Sequence

from arena.page.league.reader import LeagueReader
from arena.page.league.snapshot import Snapshot
from arena.page.views.standings import rating_strips
from arena.page.views.view import Ask, Missing, Values, entrant_of
from arena.runner.leagues.stored import record_of, season_of
from arena.standings.season import Night, season_table
from arena.store import League
from arena.store.reading import Wanted
from arena.text import one_line

_PAGE = 50  # how many games a page lists
_ROUNDS = 300  # how many rounds a person can choose from
_EVIDENCE = 20  # how many games with faults a bot's page shows


def games(ask: Ask) -> Values:
    """The finished games, newest first, with filters."""
    snapshot = ask.snapshot
    wanted = _wanted(ask)
    total = ask.reader.ask(lambda league: league.count_games(snapshot.tournament.id, wanted))
    asked = ask.query.get("page", "1")
    pages = max(1, -(-total // _PAGE))
    page = min(max(1, int(asked)), pages) if asked.isdecimal() and len(asked) < 9 else 1
    kept = {key: ask.query[key] for key in ("bot", "game", "round", "faults") if ask.query.get(key)}
    return {
        "results": listed(ask, wanted, _PAGE, (page - 1) * _PAGE),
        "total": total,
        "page": page,
        "pages": pages,
        "kept": kept,
        "game_ids": snapshot.summary.plan.games if snapshot.summary else (),
        "rounds": [
            (f"{each.stage + 1}.{each.number + 1}", each.label) for each in snapshot.rounds[-_ROUNDS:]
        ],
    }


def _wanted(ask: Ask) -> Wanted:
    """A test for the games that the address asks for. Raises Missing."""
    query, snapshot = ask.query, ask.snapshot
    entrant = entrant_of(snapshot, query["bot"]) if query.get("bot") else None
    game = query.get("game") or None
    if game is not None and snapshot.summary is not None and game not in snapshot.summary.plan.games:
        raise Missing("This game is not played here.")
    stage = round_ = None
    if query.get("round"):
        numbers = query["round"].split(".")
        if len(numbers) != 2 or not all(each.isdecimal() and 0 < int(each) < 10**6 for each in numbers):
            raise Missing("There is no such round.")
        stage, round_ = (int(each) - 1 for each in numbers)
    return Wanted(entrant, game, stage, round_, bool(query.get("faults")))


def listed(ask: Ask, wanted: Wanted, most: int, skipped: int = 0) -> list[Values]:
    """At most `most` wanted games, the newest first, after the `skipped` newest ones."""
    tournament = ask.snapshot.tournament.id
    found = ask.reader.ask(lambda league: league.newest_games(tournament, wanted, most, skipped))
    return [
        {
            "number": number,
            "key": str(result.key),
            "game": result.key.game,
            "seats": sorted(result.seats, key=lambda seat: seat.place),
            "faults": sum(sum(seat.faults) for seat in result.seats),
        }
        for number, result in found
    ]


def bots(ask: Ask) -> Values:
    """All bots, with their results and faults."""
    snapshot, summary = ask.snapshot, ask.snapshot.summary
    rows = {} if summary is None else {row.entrant: row for row in summary.rows}
    order = sorted(
        range(len(snapshot.names)), key=lambda each: (snapshot.places.get(each, len(snapshot.names)), each)
    )
    return {"order": order, "rows": rows, "entrants": snapshot.tournament.entrants}


def bot(ask: Ask, number: str) -> Values:
    """One bot: place, season, results, faults with evidence, latency, versions. Raises Missing."""
    snapshot, summary, reader = ask.snapshot, ask.snapshot.summary, ask.reader
    entrant = entrant_of(snapshot, number)
    info = snapshot.tournament.entrants[entrant]
    career = _career(reader, info.name)
    strips = rating_strips(summary.ratings) if summary else []
    rows = summary.rows if summary else ()
    withdrawals = summary.withdrawals if summary else ()
    return {
        "entrant": entrant,
        "info": info,
        "row": next((each for each in rows if each.entrant == entrant), None),
        "rating_strip": next((each for each in strips if each["rating"].entrant == entrant), None),
        "matches": _matches_of(snapshot, entrant),
        "evidence": reader.ask(lambda league: _evidence(league, snapshot, entrant)),
        "times": reader.ask(lambda league: list(league.times_by_game(snapshot.tournament.id, entrant))),
        "career": career,
        "line": _season_line([each["rating"] for each in career]),
        "gone": next((each for each in withdrawals if each.ruling.entrant == entrant), None),
    }


def _matches_of(snapshot: Snapshot, entrant: int) -> list[Values]:
    """The last finished matches of an entrant, the latest first."""
    found: list[Values] = []
    for round_ in reversed(snapshot.rounds):
        for match, result, _, decided in round_.matches:
            if result is not None and decided and entrant in match.entrants:
                scores = sorted(zip(result.entrants, result.scores, strict=True), key=lambda each: -each[1])
                found.append({"label": match.label, "scores": scores, "walkover": result.walkover})
    return found


def _evidence(league: League, snapshot: Snapshot, entrant: int) -> list[Values]:
    """The last games in which an entrant was charged faults, with the words of each fault.

    The words of a fault may tell a hand, such as the last words of a bot that crashed. So they are shown when
    the hands are.
    """
    found = []
    wanted = Wanted(entrant=entrant, faults=True)
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
    """All tournaments of the league, and the season table."""
    finished = ask.reader.ask(season_of)
    nights = []
    for each in finished:
        names = [entrant.name for entrant in each.entrants]
        places = {names[entrant]: place for entrant, place in ask.reader.over(each.id).places.items()}
        nights.append(Night(places, {entrant.name: entrant.version for entrant in each.entrants}))
    return {
        "tournaments": ask.reader.tournaments(),
        "finished": finished,
        "rows": season_table(nights) if nights else (),
    }
