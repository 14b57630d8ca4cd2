"""The standings of a tournament as text tables. Names are printed as they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from tabulate import tabulate

from arena.games import GAMES
from arena.report.bracket_text import bracket_lines
from arena.results import FAULT_REASONS
from arena.runner.summary import StageSummary, Summary
from arena.standings.values import Encounters, Rating, Row
from arena.text import one_line

_LEGEND = (
    "score: mean match score in %, from the share of opponents beaten in each game (a tie is half); "
    "rating: Bradley-Terry, 400 points are odds of 10 to 1, with its 95% interval."
)
_SHORT_FAULTS = {"illegal_action": "illegal", "unknown_turn": "unknown"}


def summary_text(summary: Summary) -> str:
    """All tables of a tournament: each stage, the final ranking, faults and times."""
    return "\n".join(_blocks(summary))


def _blocks(summary: Summary) -> Iterator[str]:
    state = "" if summary.tournament.finished else " (paused)" if summary.paused else " (not finished)"
    if summary.ended is not None:
        state = f" (ended early: {summary.ended})" if summary.ended else " (ended early)"
    name, entrants = one_line(summary.plan.name), summary.tournament.entrants
    yield f"{name}{state}: {len(entrants)} entrants, {summary.games} games"
    for stage in summary.stages:
        yield ""
        yield from _stage(summary, stage)
    yield ""
    yield "Final ranking" if summary.tournament.finished else "Ranking so far"
    yield _final(summary)
    for item in summary.withdrawals:
        name, number = summary.tournament.entrants[item.decision.entrant].name, item.decision.stage + 1
        rest = (
            f"it had played less than half of its matches, so stage {number} is scored without it"
            if item.decision.annulled
            else f"what it had left of stage {number} are walkovers"
        )
        because = f" ({one_line(item.reason)})" if item.reason else ""
        yield f"{one_line(name)} was withdrawn{because}: {rest}."
    yield ""
    yield "Faults and times"
    yield _faults(summary)
    yield ""
    yield _LEGEND
    yield f"commitment to the deals: sha256 {summary.tournament.key_commitment}"
    if summary.tournament.key is not None:
        yield f"key of the deals: {summary.tournament.key.hex()}"


def _stage(summary: Summary, stage: StageSummary) -> Iterator[str]:
    seats = f", tables of {stage.stage.seats}" if stage.stage.seats > 2 else ""
    played = "" if stage.played == stage.matches else f", {stage.played} of {stage.matches} matches played"
    yield f"Stage {stage.stage.number + 1}: {stage.title}{seats}{played}"
    if stage.bracket is not None:
        names = [entrant.name for entrant in summary.tournament.entrants]
        yield ""
        yield from bracket_lines(stage.bracket, [*map(one_line, names)])
        yield ""
    yield _standings(summary, stage.rows)
    if len(stage.rows) > 1 and stage.bracket is None:
        yield ""
        yield "Who beat whom (score of the row against the column in %)"
        yield _crosstable(summary, stage)


def _standings(summary: Summary, rows: Sequence[Row]) -> str:
    two_seats = any(row.wins or row.draws or row.losses for row in rows)
    tie_breaks = any(row.tie_breaks for row in rows)
    headers = ["#", "bot", "played", "score", *(GAMES[game].title for game in summary.plan.games)]
    headers += ["W-D-L"] * two_seats + ["tie-breaks"] * tie_breaks
    table = []
    for row in rows:
        cells = [str(row.rank), _name(summary, row.entrant), str(row.matches), percent(row.score)]
        cells += [percent(game.score) for game in row.games]
        if two_seats:
            cells.append(f"{row.wins}-{row.draws}-{row.losses}")
        if tie_breaks:
            cells.append("  ".join(f"{item.code} {short(item.value)}" for item in row.tie_breaks))
        table.append(cells)
    return text_table(headers, table, left=("bot", "tie-breaks"))


def _crosstable(summary: Summary, stage: StageSummary) -> str:
    headers = ["#", "bot", *(str(number + 1) for number in range(len(stage.rows)))]
    rows = [
        [str(number + 1), _name(summary, entrant), *map(_encounter, cells)]
        for number, (entrant, cells) in enumerate(
            zip(stage.crosstable.entrants, stage.crosstable.cells, strict=True)
        )
    ]
    return text_table(headers, rows, left=("bot",))


def _encounter(cell: Encounters | None) -> str:
    return "x" if cell is None else percent(cell.score)


def _final(summary: Summary) -> str:
    ratings = {rating.entrant: rating for rating in summary.ratings}
    entrants = summary.tournament.entrants
    known = [what for what in ("version", "author") if any(getattr(entrant, what) for entrant in entrants)]
    rows = []
    for line in summary.final:
        entrant, rating = entrants[line.entrant], ratings[line.entrant]
        cells = [str(line.place), entrant.name, rating_text(rating), interval(rating)]
        rows.append(cells + [getattr(entrant, what) for what in known])
    return text_table(["place", "bot", "rating", "95% interval", *known], rows, left=("bot", *known))


def _faults(summary: Summary) -> str:
    headers = ["bot", *(_SHORT_FAULTS.get(reason, reason) for reason in FAULT_REASONS)]
    headers += ["forfeits", "decisions", "ms/decision"]
    rows = [
        [
            _name(summary, row.entrant),
            *map(str, row.faults),
            str(row.forfeits),
            str(row.decisions),
            "-" if row.time_per_decision is None else f"{float(row.time_per_decision) / 1000:.2f}",
        ]
        for row in summary.rows
    ]
    return text_table(headers, rows, left=("bot",))


def _name(summary: Summary, entrant: int) -> str:
    return summary.tournament.entrants[entrant].name


def text_table(headers: Sequence[str], rows: Iterable[Sequence[str]], left: Sequence[str]) -> str:
    """A table of texts, printed as they are: nothing that looks like a number is rewritten."""
    align = ["left" if header in left else "right" for header in headers]
    return tabulate(
        [[one_line(cell) for cell in row] for row in rows],
        headers=headers,
        tablefmt="simple",
        disable_numparse=True,
        colalign=align,
        preserve_whitespace=True,
    )


def percent(score: Fraction | None) -> str:
    """A score from 0 to 1 in percent with one decimal; `-` for none."""
    return "-" if score is None else f"{float(score) * 100:.1f}"


def points(score: Fraction | None) -> str:
    """Season points with two decimals; `-` for none."""
    return "-" if score is None else f"{float(score):.2f}"


def short(value: Fraction) -> str:
    """A fraction as a number with at most two decimals."""
    return f"{float(value):.2f}".rstrip("0").rstrip(".")


def rating_text(rating: Rating) -> str:
    """The estimate, rounded; `-` for none."""
    return "-" if rating.rating is None else f"{rating.rating:.0f}"


def interval(rating: Rating) -> str:
    """The interval's ends, rounded; `-` for none."""
    return "-" if rating.low is None or rating.high is None else f"{rating.low:.0f}..{rating.high:.0f}"
