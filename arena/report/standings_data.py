"""The standings of a tournament as data: plain values for JSON, rows of a spreadsheet, and Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from arena.formats.bracket import Bracket, BracketMatch, Slot
from arena.league.summary import LadderSummary, StageSummary, Summary
from arena.report.standings_text import (
    board_text,
    certain_columns,
    islands_of,
    places,
    rating_of,
    standings_columns,
    unseating_words,
)
from arena.report.tables import (
    Column,
    decimal,
    exact,
    interval,
    markdown_table,
    name_column,
    rating_text,
    rounded,
    spreadsheet,
)
from arena.results import FAULT_REASONS
from arena.standings.certain import Places
from arena.standings.values import Crosstable, Cycle, Encounters, NashAverage, Rating, Row, Share
from arena.table.deal import pledges_digest
from arena.text import counted, one_line

_SIGNS = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|~])")


def summary_json(summary: Summary) -> dict[str, Any]:
    """All standings of a tournament. Scores have the exact fraction beside the number.

    The `tie_breaks` of a row are a list with the code of each, in the order of use; a code may be there
    twice. `certain_places` are the best and the last place of an entrant (`Summary.certain_places`), or null.
    `unseating` has the fewest boards without which another bot, the `rival`, has a higher score than the
    winner (`Scoreboard.unseating`); the `rival` is null if no 100 boards do that, and `unseating` if that is
    not computed. `tie_break_edition` is the edition of FIDE's C.07 by which tie-breaks are computed. An
    unfinished match counts as far as it is played; `unfinished` has these games. Every entrant has a `place`
    and a `rank` by the rules, also one with 0 `decisions`, for which texts and pages show none.
    """
    names = [entrant.name for entrant in summary.tournament.entrants]
    key = summary.tournament.key
    ratings = {rating.entrant: rating for rating in summary.ratings}
    order = [line.entrant for line in summary.final]
    shares = dict(zip(order, summary.shares, strict=True))
    certain = summary.certain_places
    return {
        "tournament": summary.plan.name,
        "finished": summary.tournament.finished is not None,
        "games_played": summary.games,
        "commitment": summary.tournament.key_commitment,
        "key": None if key is None else key.hex(),
        "shared_cards": summary.plan.shared_cards,
        "tie_break_edition": summary.plan.tie_break_edition,
        "contributed": _contributed(summary, names),
        "entrants": [
            {"name": entrant.name, "bot": entrant.bot, "version": entrant.version, "author": entrant.author}
            for entrant in summary.tournament.entrants
        ],
        "final": [
            {
                "place": line.place,
                "name": names[line.entrant],
                "rating": rating_json(ratings[line.entrant]),
                "nash": nash_json(summary.nash.get(line.entrant)),
                "score": _share(shares[line.entrant]),
                "certain_places": certain.get(line.entrant),
                **_standing(summary, line.entrant),
            }
            for line in summary.final
        ],
        "unseating": _unseating(summary, names),
        "rating_of": rating_of(summary),
        "rating_notes": notes_json(summary.ratings, summary.cycles, names),
        "game_ratings": {
            game: {
                names[rating.entrant]: {
                    **rating_json(rating),
                    "nash": nash_json(summary.game_nash[game].get(rating.entrant)),
                }
                for rating in game_ratings
            }
            for game, game_ratings in summary.game_ratings.items()
        },
        "game_rating_notes": {
            game: notes_json(game_ratings, summary.game_cycles[game], names)
            for game, game_ratings in summary.game_ratings.items()
        },
        "game_scores": {
            game: {names[entrant]: _share(share) for entrant, share in zip(order, game_shares, strict=True)}
            for game, game_shares in summary.game_shares.items()
        },
        "standings": [_row(row, names) for row in summary.rows],
        "ended_early": summary.ended,
        "paused": summary.paused,
        "games_left": summary.games_left,
        "withdrawn": [
            {
                "name": names[item.ruling.entrant],
                "stage": item.ruling.stage + 1,
                "left_out_of_its_scores": item.ruling.annulled,
                "reason": item.reason,
                "at": item.at,
            }
            for item in summary.withdrawals
        ],
        "altered": [
            {
                "kind": item.ruling.kind,
                **item.ruling.alteration(),
                "reason": item.reason,
                "at": item.at,
            }
            for item in summary.alterations
        ],
        "stages": [_stage(stage, summary, names) for stage in summary.stages],
    }


def _standing(summary: Summary, entrant: int) -> dict[str, Any]:
    """Whether an entrant of a ladder has a place, in a word, and which; nothing of another tournament."""
    if not isinstance(summary, LadderSummary):
        return {}
    return {"standing": summary.unplaced.get(entrant, "ranked")}


def _unseating(summary: Summary, names: Sequence[str]) -> dict[str, Any] | None:
    found = summary.unseating
    if found is None:
        return None
    return {
        "winner": names[found.winner],
        "rival": None if found.rival is None else names[found.rival],
        "boards": [*map(board_text, found.boards)],
        "of": found.of,
    }


def _contributed(summary: Summary, names: Sequence[str]) -> dict[str, Any] | None:
    """The contributions of the bots; their bytes are shown together with the key."""
    contributed, shown = summary.contributed, summary.tournament.key is not None
    if contributed is None:
        return None
    given = contributed.given if shown else {}
    return {
        "pledges": {names[entrant]: pledge.hex() for entrant, pledge in contributed.pledged.items()},
        "pledges_digest": pledges_digest(contributed.pledged).hex(),
        "bytes": {names[entrant]: each.hex() for entrant, each in given.items()},
    }


def _stage(stage: StageSummary, summary: Summary, names: Sequence[str]) -> dict[str, Any]:
    return {
        "stage": stage.stage.number + 1,
        "format": summary.plan.stages[stage.stage.number].id,
        "seats": summary.plan.stages[stage.stage.number].seats,
        "matches": stage.matches or 0,
        "matches_played": stage.played,
        "standings": [_row(row, names) for row in stage.rows],
        "crosstable": _crosstable(stage.crosstable, names),
        "groups": [
            {
                "name": group.name,
                "standings": [
                    {**_row(row, names), "advances": row.entrant in stage.advancing} for row in group.rows
                ],
                "crosstable": _crosstable(group.crosstable, names),
            }
            for group in stage.groups
        ],
        "bracket": None if stage.bracket is None else _bracket(stage.bracket, names),
    }


def _crosstable(table: Crosstable, names: Sequence[str]) -> dict[str, Any]:
    return {
        names[entrant]: {
            names[other]: _encounters(cell)
            for other, cell in zip(table.entrants, cells, strict=True)
            if cell is not None
        }
        for entrant, cells in zip(table.entrants, table.cells, strict=True)
    }


def _row(row: Row, names: Sequence[str]) -> dict[str, Any]:
    return {
        "rank": row.rank,
        "name": names[row.entrant],
        "matches": row.matches,
        "unfinished": None if row.unfinished is None else row.unfinished._asdict(),
        "score": _score(row.score),
        "total": exact(row.total),
        "games": {game.game: {"games": game.games, "score": _score(game.score)} for game in row.games},
        "wins": row.wins,
        "draws": row.draws,
        "losses": row.losses,
        "tie_breaks": [{"code": item.code, **exact(item.value)} for item in row.tie_breaks],
        "forfeits": row.forfeits,
        "faults": dict(zip(FAULT_REASONS, row.faults, strict=True)),
        "decisions": row.decisions,
        "time_us": row.time,
    }


def _score(score: Fraction | None) -> dict[str, Any] | None:
    return None if score is None else exact(score)


def _encounters(cell: Encounters) -> dict[str, Any]:
    return {"games": cell.games, "score": _score(cell.score)}


def rating_json(rating: Rating) -> dict[str, Any]:
    """A rating with its interval as plain data."""
    return {
        "rating": rounded(rating.rating, 1),
        "low": rounded(rating.low, 1),
        "high": rounded(rating.high, 1),
        "groups": rating.groups,
        "bound": rating.bound,
        "anchor": rating.anchor,
    }


def nash_json(average: NashAverage | None) -> dict[str, float] | None:
    """A Nash average as plain data; None for none, as in a table without a cycle."""
    if average is None:
        return None
    return {"score": round(average.score, 6), "weight": round(average.weight, 6)}


def _share(share: Share) -> dict[str, Any]:
    return {name: rounded(value, 6) for name, value in share._asdict().items()}


def notes_json(ratings: Sequence[Rating], cycles: Sequence[Cycle], names: Sequence[str]) -> dict[str, Any]:
    """The limits of the ratings: sets of entrants that no games connect, and cycles."""
    return {
        "unconnected": [[names[entrant] for entrant in island] for island in islands_of(ratings)],
        "cycles": [
            {
                "names": [names[entrant] for entrant in cycle.entrants],
                "scores": [round(score, 6) for score in cycle.scores],
            }
            for cycle in cycles
        ],
    }


def _bracket(bracket: Bracket, names: Sequence[str]) -> dict[str, Any]:
    return {
        "rounds": [
            {"label": round_.label, "matches": [_match(match, names) for match in round_.matches]}
            for round_ in bracket.rounds
        ],
        "third_place": None if bracket.third_place is None else _match(bracket.third_place, names),
        "winner": None if bracket.winner is None else names[bracket.winner],
    }


def _match(match: BracketMatch, names: Sequence[str]) -> dict[str, Any]:
    slots = [_slot(slot, names) for slot in match.slots]
    return {"label": match.label, "walkover": match.walkover, "slots": slots}


def _slot(slot: Slot, names: Sequence[str]) -> dict[str, Any]:
    return {
        "name": None if slot.entrant is None else names[slot.entrant],
        "seed": slot.seed,
        "score": _score(slot.score),
        "extra": [_score(score) for score in slot.extra],
        "place": slot.place,
        "goes_on": slot.goes_on,
    }


def summary_rows(summary: Summary) -> Iterator[list[str]]:
    """A row of headings, then a row per entrant, in the order of the final ranking; scores are from 0 to 1.

    The rating is of all games pooled. If `bound` is `above`, there is only a `low`; if it is `below`, only a
    `high`. `overall` is the mean of the games' scores over all boards, with its interval. Of an
    entrant's unfinished matches `unfinished_played` games of `unfinished_of` are played, and count. Its place
    is certainly from `certain_best` to `certain_last` (`Summary.certain_places`).
    """
    certain = summary.certain_places
    ratings = {rating.entrant: rating for rating in summary.ratings}
    rows = {row.entrant: row for row in summary.rows}
    return spreadsheet(
        [
            _cells(
                line.place,
                one_line(summary.tournament.entrants[line.entrant].name),
                rows[line.entrant],
                ratings[line.entrant],
                share,
                certain.get(line.entrant),
            )
            for line, share in zip(summary.final, summary.shares, strict=True)
        ]
    )


def _cells(
    place: int, name: str, row: Row, rating: Rating, share: Share, certain: Places | None
) -> dict[str, object]:
    best, last = certain or ("", "")
    return {
        "place": place,
        "name": name,
        "matches": row.matches,
        "score": decimal(row.score),
        **{each.game: decimal(each.score) for each in row.games},
        "wins": row.wins,
        "draws": row.draws,
        "losses": row.losses,
        "rating": decimal(rating.rating, 1),
        "low": decimal(rating.low, 1),
        "high": decimal(rating.high, 1),
        **dict(zip(FAULT_REASONS, row.faults, strict=True)),
        "forfeits": row.forfeits,
        "decisions": row.decisions,
        "time_us": row.time,
        "bound": rating.bound,
        "overall": decimal(share.score),
        "overall_low": decimal(share.low),
        "overall_high": decimal(share.high),
        "unfinished_played": row.unfinished.played if row.unfinished else 0,
        "unfinished_of": row.unfinished.of if row.unfinished else 0,
        "certain_best": best,
        "certain_last": last,
    }


def summary_markdown(summary: Summary) -> str:
    """Each stage's standings and the final ranking in Markdown; signs in names are escaped."""
    return "\n".join(_lines(summary)) + "\n"


def escaped(text: str) -> str:
    """A text with all signs that mean something in Markdown escaped."""
    return _SIGNS.sub(r"\\\1", one_line(text))


def _lines(summary: Summary) -> Iterator[str]:
    names = [escaped(entrant.name) for entrant in summary.tournament.entrants]
    state = "" if summary.tournament.finished else ", not finished"
    yield f"# {escaped(summary.plan.name)}"
    yield ""
    yield f"{counted(len(names), 'entrant')}, {counted(summary.games, 'game')}{state}"
    for stage in summary.stages:
        yield ""
        yield f"## Stage {stage.stage.number + 1}: {stage.title}"
        for group in stage.groups:
            yield ""
            yield f"### Group {escaped(group.name)}"
            yield from _standings(summary, stage, group.rows, names)
        if not stage.groups:
            yield from _standings(summary, stage, stage.rows, names)
    yield ""
    yield "## Final ranking" if summary.tournament.finished else "## Ranking so far"
    ratings = {rating.entrant: rating for rating in summary.ratings}
    order = [ratings[line.entrant] for line in summary.final]
    yield ""
    yield from markdown_table(
        [
            Column("place", places(summary)),
            *certain_columns(summary.certain_places, [line.entrant for line in summary.final]),
            name_column("bot", [names[line.entrant] for line in summary.final]),
            Column("rating", [*map(rating_text, order)]),
            Column("95% interval", [*map(interval, order)]),
        ]
    )
    if words := unseating_words(summary, names.__getitem__):
        yield ""
        yield f"{words}."


def _standings(
    summary: Summary, stage: StageSummary, rows: Sequence[Row], names: Sequence[str]
) -> Iterator[str]:
    games = summary.plan.games if len(summary.plan.games) > 1 else ()
    yield ""
    yield from markdown_table(
        standings_columns(rows, names, games, duels=stage.stage.seats == 2, absent=summary.absent)
    )
