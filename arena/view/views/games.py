"""The finished games of a tournament, grouped by match and round."""

from __future__ import annotations

import math
import statistics
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from datetime import datetime

from arena.checkup.analysed import KnownTable, known_tables
from arena.games import GAMES
from arena.league.store import League, UnknownGame
from arena.league.store.analyses import AnalysesUnreadable
from arena.league.store.reading import Swing, Wanted
from arena.league.stored import record_of
from arena.league.traveller import SWING_GAMES, AtTable, swung, traveller
from arena.report.analysis_text import hundredths
from arena.report.game_log import ONLOOKER
from arena.results import GameKey, MatchKey, read_game_key, read_match_key
from arena.table.record import BrokenRecord, first_position
from arena.view.league.snapshot import MatchView, RoundView, Snapshot
from arena.view.pictures.how_to import signs_in
from arena.view.pictures.moments import ending, in_words
from arena.view.views.view import Ask, Missing, Values, entrant_of

_MATCHES = 12  # how many matches a page lists
_RUN = 20  # how many games of each match such a page shows, as dots
_GAMES = 50  # how many games of one match a page lists
_ROUNDS = 300  # how many rounds a person can choose from
_SWINGS = 5  # how many of the boards whose tables differ most are listed
_FEW = 4  # of fewer games of a kind none is called the longest or the closest


def games(ask: Ask) -> Values:
    """The finished games by match, the newest match first, with filters; or the games of one match."""
    wanted = _wanted(ask)
    tournament = ask.snapshot.tournament.id
    total = ask.reader.ask(lambda league: league.count_games(tournament, wanted))
    listed_by = ask.reader.ask(lambda league: league.count_matches(tournament, wanted))
    if listed_by == 1:
        [(key, _)] = ask.reader.ask(lambda league: league.newest_matches(tournament, wanted, 1))
        wanted = _within(wanted, key)
    alone = wanted.match is not None
    listed_by = total if alone else listed_by
    most = _GAMES if alone else _MATCHES
    asked = ask.query.get("page", "1")
    pages = max(1, -(-listed_by // most))
    page = min(max(1, int(asked)), pages) if asked.isdecimal() and len(asked) < 9 else 1
    matches = [_match_of(wanted)] if alone else None
    return {
        "groups": _groups(ask, wanted, matches, (page - 1) * most),
        "alone": alone,
        "total": total,
        "page": page,
        "pages": pages,
        "kept": {
            key: ask.query[key] for key in ("bot", "game", "round", "faults", "match") if ask.query.get(key)
        },
        "game_ids": ask.snapshot.summary.plan.games if ask.snapshot.summary else (),
        "rounds": [
            (f"{each.stage + 1}.{each.number + 1}", each.label) for each in ask.snapshot.rounds[-_ROUNDS:]
        ],
    }


def board(ask: Ask, key: str) -> Values:
    """What all tables made of the cards of a game. Raises Missing.

    Where they parted, and the deal, are only told once the hands of the game may be shown.
    """
    snapshot, game = ask.snapshot, read_game_key(key)
    if game is None:
        raise Missing("There is no such board.")
    opened = snapshot.shows_hands(game)

    def read(league: League) -> tuple[list[AtTable], list[KnownTable], dict[int, datetime]]:
        tables = traveller(league, snapshot.tournament, game)
        played = moments_for_rounds(league, snapshot, [each.number for each in tables])
        with suppress(AnalysesUnreadable):  # they are computed again when somebody asks
            return tables, known_tables(league, tables) if opened else [], played
        return tables, [], played

    try:
        tables, known, played = ask.reader.ask(read)
    except UnknownGame:
        raise Missing("No table has played this board yet.") from None
    except BrokenRecord:
        raise Missing("The games of this board cannot be read: arena verify LEAGUE says why.") from None
    last = max(range(len(tables)), key=lambda at: _stayed(tables[at]))
    dealt = [
        (GAMES[game.game].words(each.public), " ".join(signs_in(each.full)))
        for each in (first_position(tables[0].record).opening if opened else ())
    ]
    return {
        "game": game.game,
        "words": snapshot.deal_words(game._replace(rotation=0), len(tables[0].result.seats)),
        "round": next((each for each in snapshot.rounds if _is_of(each, game)), None),
        "when": max(played.values(), default=None),
        "tables": tables,
        "known": known,
        "hundredths": hundredths,
        "has_luck": any(each.luck is not None for each in known),
        "opened": opened,
        "dealt": dealt,
        "common": tables[last].result.key,
        "shown_after": snapshot.plan.hands_shown_after,
    }


def swings(ask: Ask, entrant: int | None = None) -> Values:
    """The boards of a tournament whose tables differ most; with an entrant, only boards that it played."""
    snapshot = ask.snapshot

    def read(league: League) -> tuple[list[Swing], dict[int, datetime]]:
        found = swung(league, snapshot.tournament, snapshot.void, _SWINGS, entrant=entrant)
        return found, moments_for_rounds(league, snapshot, [each.last for each in found])

    found, played = ask.reader.ask(read)
    return {
        "swings": [
            {
                "swing": each,
                "game": each.key.game,
                "round": next((round_ for round_ in snapshot.rounds if _is_of(round_, each.key)), None),
                "when": played.get(each.last),
                "words": snapshot.deal_words(each.key, 2),
            }
            for each in found
        ],
        "swing_games": SWING_GAMES,
    }


def moments_for_rounds(league: League, snapshot: Snapshot, numbers: Collection[int]) -> dict[int, datetime]:
    """When games were recorded whose rounds tell people nothing; empty if they tell something."""
    return {} if snapshot.plan.first.numbers_rounds else league.recorded_at(numbers)


def _stayed(table: AtTable) -> float:
    """For how many steps a table was on the common line."""
    return math.inf if table.parted is None else table.parted.step


def _is_of(round_: RoundView, key: GameKey) -> bool:
    return (round_.stage, round_.number) == (key.stage, key.round)


def _wanted(ask: Ask) -> Wanted:
    """A filter for the games that the address asks for. Raises Missing."""
    query, snapshot = ask.query, ask.snapshot
    entrant = entrant_of(snapshot, query["bot"]) if query.get("bot") else None
    game = query.get("game") or None
    if game is not None and snapshot.summary is not None and game not in snapshot.summary.plan.games:
        raise Missing("This game is not played here.")
    faults = bool(query.get("faults"))
    if query.get("match"):
        key = read_match_key(query["match"])
        if key is None:
            raise Missing("There is no such match.")
        return Wanted(entrant, game, key.stage, key.round, faults, key.match)
    stage = round_ = None
    if query.get("round"):
        numbers = query["round"].split(".")
        if len(numbers) != 2 or not all(each.isdecimal() and 0 < int(each) < 10**6 for each in numbers):
            raise Missing("There is no such round.")
        stage, round_ = (int(each) - 1 for each in numbers)
    return Wanted(entrant, game, stage, round_, faults)


def _match_of(wanted: Wanted) -> tuple[MatchKey, int]:
    assert wanted.stage is not None
    assert wanted.round is not None
    assert wanted.match is not None
    return MatchKey(wanted.stage, wanted.round, wanted.match), _GAMES


def _groups(
    ask: Ask, wanted: Wanted, matches: Sequence[tuple[MatchKey, int]] | None, skipped: int
) -> list[Values]:
    """The matches by their rounds, each with its score and its games; all that a late bot plays is one round.

    Where rounds tell people nothing, the matches come by the day of their last game.

    Args:
        ask: the request.
        wanted: the filter.
        matches: the match whose games are listed; None for all that have such games.
        skipped: how many of the newest games of that match, or of the newest matches, are left out.
    """
    tournament = ask.snapshot.tournament.id
    alone = matches is not None
    if matches is None:
        matches = ask.reader.ask(lambda league: league.newest_matches(tournament, wanted, _MATCHES, skipped))
    known = {view.match.key: (round_, view) for round_ in ask.snapshot.rounds for view in round_.matches}
    groups: dict[tuple[int, int], Values] = {}
    for key, count in matches:
        most = _GAMES if alone else _RUN
        found = listed(ask, _within(wanted, key), most, skipped if alone else 0, known)[::-1]
        if not found:
            continue
        _mark(found)
        if alone:
            for game in found:
                game |= _told(ask, game["number"])
        round_, view = known.get(key, (None, None))
        late = round_.newcomer if round_ else None
        day = None
        if late is not None:
            title = key.stage, -1 - late
        elif ask.snapshot.plan.first.numbers_rounds:
            title = key.stage, key.round
        else:
            day = found[-1]["recorded"].astimezone()
            title = key.stage, day.toordinal()
        group = groups.setdefault(title, {"key": title, "round": round_, "day": day, "matches": []})
        group["matches"].append(
            {
                "key": str(key),
                "view": view,
                "label": short_label(view.match.label) if view else "",
                "lines": _lines(view, found),
                "games": found,
                "count": count,
            }
        )
    return [*groups.values()]


def _within(wanted: Wanted, key: MatchKey) -> Wanted:
    return wanted._replace(stage=key.stage, round=key.round, match=key.match)


def short_label(label: str) -> str:
    """The name of a match within its round, such as `match 2` of `round 3, match 2`."""
    return label.split(", ")[-1]


def _lines(view: MatchView | None, found: Sequence[Values]) -> list[Values]:
    """The entrants of a match with their scores, the better first."""
    entrants = view.match.entrants if view else sorted({seat.entrant for seat in found[0]["seats"]})
    scores = dict(zip(view.result.entrants, view.result.scores, strict=True)) if view and view.result else {}
    lines = [{"entrant": entrant, "score": scores.get(entrant)} for entrant in entrants]
    best = view.best if view else ()
    return sorted(lines, key=lambda line: (line["entrant"] not in best, -(line["score"] or 0)))


def _told(ask: Ask, number: int) -> Values:
    """The marked action of a game, and why it is remarkable; empty if its record is damaged."""
    game = ask.reader.ask(lambda league: league.game(number))
    view = None if ask.snapshot.shows_hands(game.result.key) else ONLOOKER
    try:
        told = ending(record_of(game), view)
    except BrokenRecord:
        return {}
    names = [ask.snapshot.names[seat.entrant] for seat in game.result.seats]
    return {"marked": told.marked, "mark": told.mark, "why": in_words(told.why, names)}


def _mark(found: Sequence[Values]) -> None:
    """Marks what makes a game of a match worth opening: its faults, or that it is the closest or longest."""
    for game in found:
        if game["faults"]:
            game["tags"].append("fault")
    by_game: dict[str, list[Values]] = {}
    for game in found:
        by_game.setdefault(game["game"], []).append(game)
    for alike in by_game.values():
        if len(alike) < _FEW:
            continue
        longest = max(alike, key=lambda game: game["decisions"])
        if longest["decisions"] > 1.5 * statistics.median(game["decisions"] for game in alike):
            longest["tags"].append("longest")
        closest, next_one = sorted(alike, key=lambda game: game["margin"])[:2]
        if closest["margin"] < next_one["margin"]:
            closest["tags"].append("closest")


def listed(
    ask: Ask,
    wanted: Wanted,
    most: int,
    skipped: int = 0,
    known: Mapping[MatchKey, tuple[RoundView, MatchView]] | None = None,
) -> list[Values]:
    """At most `most` wanted games, the newest first, after the `skipped` newest ones."""
    tournament = ask.snapshot.tournament.id
    found = ask.reader.ask(lambda league: league.newest_games(tournament, wanted, most, skipped))
    at = ask.reader.ask(lambda league: league.recorded_at([number for number, _ in found]))
    if known is None:
        known = {view.match.key: (round_, view) for round_ in ask.snapshot.rounds for view in round_.matches}
    return [
        {
            "number": number,
            "key": str(result.key),
            "game": result.key.game,
            "match": known[result.key.match_key][1].match.label if result.key.match_key in known else "",
            "words": ask.snapshot.deal_words(result.key, len(result.seats)),
            "void": ask.snapshot.void.has_game(result.key),
            "seats": sorted(result.seats, key=lambda seat: seat.place),
            "faults": sum(sum(seat.faults) for seat in result.seats),
            "decisions": sum(seat.decisions for seat in result.seats),
            "margin": result.margin,
            "recorded": at[number],
            "tags": [],
            "marked": None,
            "mark": "",
            "why": "",
        }
        for number, result in found
    ]
