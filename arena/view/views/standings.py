"""The views of standings: tables of stages, ratings, crosstables, and the findings of a comparison."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from itertools import zip_longest

from arena.games import GAMES
from arena.league.compared import Answer, Compared, ComparisonSummary, RaceSummary
from arena.league.summary import LadderSummary, StageSummary, Summary, Unplaced
from arena.report.comparison_text import (
    OVERALL,
    against_first,
    doubt_words,
    error_words,
    finding_words,
    racer_state,
)
from arena.report.standings_text import (
    BY_RATING,
    CERTAIN,
    EXPECTED,
    PROVISIONAL,
    TIE_BREAKS,
    certain_place,
    unfinished_words,
    unseating_words,
)
from arena.report.tables import percent, percent_interval, so_far
from arena.standings.values import Crosstable, Rating, Row
from arena.text import counted, one_line
from arena.view.league.history import Walkover, game_history
from arena.view.league.snapshot import Snapshot, isolated
from arena.view.views.games import swings
from arena.view.views.history import plots, sparks, told
from arena.view.views.view import Ask, Missing, Values

_BOARDS = 10
"""So many of the boards that would unseat the winner are listed."""


def standings(ask: Ask) -> Values:
    """All tables, and the ratings."""
    summary = _summary_of(ask)
    return {
        **comparison_values(ask.snapshot.compared),
        "tables": stage_tables(ask),
        "ladder": ladder_of(ask),
        "strips": [] if summary is None else rating_strips(summary.ratings),
        "final": [] if summary is None else summary.ranked,
        "certain": {} if summary is None else certain_words(summary),
        "by_rating": BY_RATING.capitalize(),
        "unseating": None if summary is None else _unseating(ask.snapshot, summary),
        **swings(ask),
    }


def certain_words(summary: Summary) -> dict[int, str]:
    """Between which places each entrant certainly is, in words."""
    return {each: certain_place(found, " to ") for each, found in summary.certain_places.items()}


def _unseating(snapshot: Snapshot, summary: Summary) -> Values | None:
    """What would unseat the winner: a sentence without its full stop, the first boards, and how many more."""
    found = summary.unseating
    if found is None:
        return None
    shown, more = found.boards[:_BOARDS], len(found.boards[_BOARDS:])
    return {
        "words": unseating_words(summary, lambda each: isolated(snapshot.names[each])),
        "boards": [
            {
                "key": board,
                "words": f"{GAMES[board.game].title}, match {board.match_key}, "
                f"{snapshot.deal_parts(board, 2)[0]}",
            }
            for board in shown
        ],
        "more": counted(more, "other") if more else "",
    }


def ladder_of(ask: Ask) -> Values | None:
    """The table of the ladder that is shown; None of another tournament."""
    summary = _summary_of(ask)
    return ladder_table(summary) if isinstance(summary, LadderSummary) else None


def _summary_of(ask: Ask) -> Summary | None:
    """The standings; of an ended ladder, with the intervals that its snapshot may lack."""
    summary = ask.snapshot.summary
    if ask.snapshot.finished and isinstance(summary, LadderSummary):
        return ask.reader.over(ask.snapshot.tournament.id).ladder or summary
    return summary


def game_standings(ask: Ask, game: str) -> Values:
    """The standings in one game. Raises Missing."""
    summary = ask.snapshot.summary
    if summary is None or game not in summary.plan.games:
        raise Missing("This game is not played here.")
    number = summary.plan.games.index(game)
    scores = {row.entrant: row.games[number] for row in summary.rows}
    known = {entrant: each.score for entrant, each in scores.items() if each.score is not None}
    ordered = sorted(score for entrant, score in known.items() if entrant not in summary.absent)
    ranks = {
        entrant: 1 + len(ordered) - bisect_right(ordered, score)
        for entrant, score in known.items()
        if entrant not in summary.absent
    }
    rows = [(ranks.get(entrant), entrant, each) for entrant, each in scores.items()]
    last = len(rows) + 1
    rows.sort(key=lambda row: (row[0] or last, row[1]))
    return {
        "game": game,
        "rows": rows,
        "strips": rating_strips(summary.game_ratings[game]),
        "ladder": isinstance(summary, LadderSummary),
        **_lines_in(ask, summary, game),
    }


def _lines_in(ask: Ask, summary: Summary, game: str) -> Values:
    """The history of the last stage with a table, in one game alone."""
    stages = summary.followed_stages
    if not stages:
        return {"plots": (), "told": None, "stage": None}
    stage, snapshot = stages[-1], ask.snapshot
    walkovers = [
        Walkover(match.key, match.entrants, max(zip(result.scores, result.entrants, strict=True))[1])
        for round_ in snapshot.rounds
        for match, result, *_ in round_.matches
        if result is not None and match.key.stage == stage.stage.number and match.key in snapshot.unplayed
    ]
    shown = frozenset(stage.stage.entrants) - summary.absent
    history = ask.reader.ask(
        lambda league: game_history(league, snapshot.tournament.id, stage.stage, game, walkovers, shown)
    )
    return {
        "plots": plots(history)[:1],
        "told": told(history, places=False) if history else None,
        "stage": stage,
    }


def crosstable(ask: Ask) -> Values:
    """Everybody against everybody, for each stage whose format has a table."""
    tables: list[Values] = []
    for stage in reversed(ask.snapshot.summary.stages if ask.snapshot.summary else ()):
        if stage.bracket is not None:
            continue
        parts: list[tuple[str | None, Crosstable]] = [(each.name, each.crosstable) for each in stage.groups]
        parts = parts or [(None, stage.crosstable)]
        tables += [
            {"title": f"Stage {stage.stage.number + 1}: {stage.title}", "group": name, "table": table}
            for name, table in parts
            if len(table.entrants) > 1
        ]
    return {"crosstables": tables}


def stage_tables(ask: Ask) -> list[Values]:
    """The standings of each stage that has begun, the latest first; none of a comparison."""
    summary = ask.snapshot.summary
    return [] if summary is None else [_stage_table(ask, summary, each) for each in reversed(summary.stages)]


def curve(snapshot: Snapshot, stages: Sequence[Values]) -> Values | None:
    """The latest of the tables of `stage_tables` with lines of scores; of groups, that of the best entrant.

    None without any.
    """
    best = min(snapshot.places, key=snapshot.places.__getitem__, default=None)
    drawn = [
        table | {"title": stage["title"]} for stage in stages for table in stage["tables"] if table["plots"]
    ]
    own = [table for table in drawn if any(row["entrant"] == best for row in table["rows"])]
    return next(iter(own or drawn), None)


def ladder_table(summary: LadderSummary) -> Values:
    """The table of a ladder, by expected score, without withdrawn entrants."""
    matches = {row.entrant: row.matches for row in summary.rows}
    ratings = {rating.entrant: rating for rating in summary.ratings}
    certain = certain_words(summary)
    return {
        "rows": [
            {
                "place": "–" if entrant in summary.unplaced else place,
                "certain": certain.get(entrant, ""),
                "entrant": entrant,
                "name": one_line(summary.tournament.entrants[entrant].name),
                "score": percent(share.score),
                "interval": percent_interval(share.low, share.high).replace("..", " to "),
                "rating": ratings[entrant],
                "played": matches[entrant],
                "standing": summary.unplaced.get(entrant, ""),
            }
            for place, (entrant, share) in enumerate(summary.there, 1)
        ],
        "gone": len(summary.gone),
        "expected": EXPECTED,
        "certain": CERTAIN if certain else "",
        "provisional": PROVISIONAL if Unplaced.PROVISIONAL in summary.unplaced.values() else "",
    }


def _stage_table(ask: Ask, summary: Summary, stage: StageSummary) -> Values:
    last = stage.stage.number == len(summary.plan.stages) - 1
    groups: list[tuple[str | None, Sequence[Row]]] = [(each.name, each.rows) for each in stage.groups]
    return {
        "title": f"Stage {stage.stage.number + 1}: {stage.title}",
        "over": f"{so_far(stage.played, stage.matches, 'match', 'matches')} over",
        "advances": 0 if last else len(stage.advancing),
        "games": summary.plan.games,
        "bracket": stage.bracket is not None,
        "duels": any(row.wins or row.draws or row.losses for row in stage.rows),
        "tie_breaks": [
            (code, TIE_BREAKS[code])
            for code in dict.fromkeys(item.code for row in stage.rows for item in row.tie_breaks)
        ],
        "tables": [
            {"name": name, "rows": _rows(ask, summary, stage, rows)} | _lines_of(ask, stage, name)
            for name, rows in groups or [(None, stage.rows)]
        ],
    }


def _lines_of(ask: Ask, stage: StageSummary, group: str | None) -> Values:
    """The history of a table as lines, as a table of values, and as sparklines."""
    history = ask.snapshot.histories.get((stage.stage.number, group), ())
    return {
        "id": f"lines-{stage.stage.number + 1}-{group or ''}",
        "plots": plots(history),
        "told": told(history) if history else None,
        "sparks": sparks(history),
    }


def _rows(ask: Ask, summary: Summary, stage: StageSummary, rows: Sequence[Row]) -> list[Values]:
    snapshot, last = ask.snapshot, stage is summary.stages[-1]
    before = ask.reader.ranks_before(snapshot.tournament.id) if last else {}
    gone = {item.ruling.entrant for item in summary.withdrawals}
    present = last and not snapshot.finished
    line = _line(rows, stage) if present else None
    shown: list[Values] = []
    for row, below in zip_longest(rows, [each.entrant for each in rows[1:]]):
        was = before.get((stage.stage.number, row.entrant))
        shown.append(
            {
                "entrant": row.entrant,
                "rank": "–" if row.score is None or row.entrant in summary.absent else row.rank,
                "change": 0
                if was is None or row.score is None or row.entrant in summary.absent
                else was - row.rank,
                "score": percent(row.score),
                "bar": round(100 * float(row.score or 0), 1),
                "games": [(each.game, percent(each.score)) for each in row.games],
                "wdl": f"{row.wins}-{row.draws}-{row.losses}",
                "played": row.matches,
                "unfinished": unfinished_words(row),
                "of": _of(snapshot, row) if present else row.matches,
                "faults": sum(row.faults),
                "forfeits": row.forfeits,
                "gone": row.entrant in gone,
                "cut": row.entrant in stage.advancing and below is not None and below not in stage.advancing,
                "need": None if line is None else _need(snapshot, row, line),
            }
        )
    return shown


def _of(snapshot: Snapshot, row: Row) -> int:
    """The number of matches of an entrant in all, as far as it is known."""
    return max(row.matches, int(snapshot.matches_of.get(row.entrant, Fraction(row.matches))))


def _line(rows: Sequence[Row], stage: StageSummary) -> Row | None:
    """The last row that goes on at present, or the leader if nobody goes on: the aim of the others."""
    scored = [row for row in rows if row.score is not None]
    on = [row for row in scored if row.entrant in stage.advancing]
    if not scored or (on and len(on) == len(scored)):
        return None
    return on[-1] if on else scored[0]


def _need(snapshot: Snapshot, row: Row, line: Row) -> Values | None:
    """The wins that an entrant behind the line needs to reach the line's present score."""
    if row.score is None or line.score is None or row.entrant == line.entrant or row.rank < line.rank:
        return None
    of = _of(snapshot, row)
    left = of - row.matches
    if left <= 0 or row.score >= line.score:
        return None
    share = (line.score * of - row.total) / (of - row.weight)
    return {"whom": line.entrant, "left": left, "share": percent(share) if share <= 1 else None}


def rating_strips(ratings: Sequence[Rating]) -> list[Values]:
    """Ratings with the places of their dots and intervals on a strip from 0 to 100."""
    ends = [end for each in ratings for end in (each.low, each.rating, each.high) if end is not None]
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    width = max(high - low, 1.0)

    def at(value: float | None) -> float | None:
        return None if value is None else round(3 + 94 * (value - low) / width, 2)

    ranked = sorted(ratings, key=lambda each: -(each.rating if each.rating is not None else float("-inf")))
    return [
        {"rating": each, "dot": at(each.rating), **_interval(at(each.low), at(each.high))} for each in ranked
    ]


def _interval(low: float | None, high: float | None) -> Values:
    """The ends of an interval on a strip; one end may be open."""
    if low is None and high is None:
        return {"low": None, "high": None}
    return {"low": 0.0 if low is None else low, "high": 100.0 if high is None else high}


def comparison_values(summary: ComparisonSummary | None) -> Values:
    """The pairs of a comparison with their questions, or the race for the best; and what may be wrong."""
    if summary is None:
        return {"pairs": [], "race": None}
    return {
        "pairs": [_pair(summary, pair) for pair in summary.pairs] if summary.race is None else [],
        "race": None if summary.race is None else _race(summary, summary.race),
        "errors": error_words(summary),
    }


def _race(summary: ComparisonSummary, race: RaceSummary) -> Values:
    """The bots of a race, the best ones first, and what is known of the first one's score against each."""
    known = against_first(summary, race)
    return {
        "first": race.racers[0].bot,
        "racers": [
            {
                "entrant": each.bot,
                "score": percent(each.score),
                "rounds": each.rounds,
                "state": racer_state(each, race.finding),
                "left": each.left,
                "known": _on_strip(*known[each.bot][1:4]) if each.bot in known else None,
            }
            for each in race.racers
        ],
        "warnings": [words for pair in summary.shown_pairs if (words := doubt_words(pair))],
    }


def _pair(summary: ComparisonSummary, pair: Compared) -> Values:
    names = [one_line(entrant.name) for entrant in summary.tournament.entrants]
    return {
        "one": names[pair.one],
        "other": names[pair.other],
        "rows": [_row(summary, pair, answer) for answer in pair.answers],
        "warning": doubt_words(pair),
    }


def _row(summary: ComparisonSummary, pair: Compared, answer: Answer) -> Values:
    said = finding_words(summary, pair, answer)
    return {
        "game": GAMES[answer.game].title if answer.game else OVERALL.capitalize(),
        **_on_strip(*answer.estimate[1:4]),
        "boards": answer.estimate.boards,
        "wdl": f"{answer.won}-{answer.level}-{answer.lost}",
        "open": answer.finding is None,
        "said": f"{said[:1].upper()}{said[1:]}.",
    }


def _on_strip(score: float | None, low: float, high: float) -> Values:
    """A score with its interval, from 0 to 100 %."""
    return {
        "dot": None if score is None else round(100 * score, 2),
        "low": round(100 * low, 2),
        "high": round(100 * high, 2),
        "score": percent(score),
        "interval": f"{percent(low)} to {percent(high)}",
    }
