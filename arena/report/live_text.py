"""The state of a running tournament as text: top of the table, `arena watch`, workers of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from arena.comparison.comparison import Comparison, Study
from arena.comparison.question import Finding, Question
from arena.games import GAMES
from arena.league.summary import LadderSummary, Summary, Unplaced, ladder_of
from arena.referee.cluster_statistics import ClusterStatistics
from arena.report.bracket_text import bracket_lines
from arena.report.comparison_text import OVERALL, race_columns
from arena.report.standings_text import fault_words, score_notes, standings_columns
from arena.report.tables import (
    WIDTH,
    Column,
    name_column,
    percent,
    percent_interval,
    shortened,
    so_far,
    table,
    wrapped,
)
from arena.results import read_game_key
from arena.standings.values import Row, Share
from arena.text import counted, estimate_text, joined, one_line, span_text
from arena.tournament.course import Course
from arena.tournament.courses import ComparisonCourse, LadderCourse

if TYPE_CHECKING:  # it takes long to load
    from arena.referee.night.night_now import Awaited, NightNow

_HEAD = 2  # lines of a table's heading
_LEADERS = 3
_AWAY = {"coming": "is expected", "lost": "lost the connection", "gone": "does not come"}


def _rows(course: Course) -> Sequence[Row]:
    """The standings of the last stage that has begun, best first."""
    stages = {key.stage for key, _ in course.tally.begun()}
    begun = [stage for stage in course.stages if stage.number in stages]
    if not begun:
        return []
    stage = begun[-1]
    rows = course.standings(stage)
    placing = stage.placing(course.results(stage))
    if placing is None:
        return rows
    of = {row.entrant: row for row in rows}
    placed: list[Row] = []
    for group in placing:
        rank = len(placed) + 1
        placed += [of[entrant]._replace(rank=rank) for entrant in group]
    return placed


def live_lines(course: Course, names: Sequence[str], height: int, width: int = WIDTH) -> list[str]:
    """The top of the table; no lines before the first game.

    Args:
        course: the tournament.
        names: the names of all entrants, by number.
        height: the most lines.
        width: the cells of a line.
    """
    if isinstance(course, ComparisonCourse):
        return comparison_lines(course.comparison, names, height, width)
    rows, columns_of = _standings(course, names)
    room = height - _HEAD
    if len(rows) > room:
        room -= 1  # for the line that counts the others
    if room < 1 or not any(row.matches or row.unfinished for row in rows):
        return []
    shown, others = rows[:room], len(rows[room:])
    columns = columns_of(shown)
    if any(sum(row.faults) for row in shown):
        columns.append(Column("faults", [str(sum(row.faults)) for row in shown]))
    return [*table(columns, width), *[f"and {others} more"] * bool(others)]


def _standings(
    course: Course, names: Sequence[str]
) -> tuple[Sequence[Row], Callable[[Sequence[Row]], list[Column]]]:
    """The rows of the table, best first, and a function that makes the columns of some of them."""
    rows = _rows(course)
    if isinstance(course, LadderCourse) and rows:
        ladder = ladder_of(course, intervals=False)
        shares = dict(ladder.there)
        return _in_order(rows, shares), partial(
            _ladder_columns, shares=shares, names=names, unplaced=ladder.unplaced
        )
    return rows, partial(_stage_columns, course=course, names=names)


def leaders(course: Course, names: Sequence[str]) -> str:
    """The leaders in a few words; empty before a game is over."""
    best: Iterable[tuple[int, float | Fraction | None]]
    match course:
        case ComparisonCourse():
            return comparison_words(course.comparison, names)
        case LadderCourse():
            ladder = ladder_of(course, intervals=False)
            best = ((each, share.score) for each, share in ladder.there if each not in ladder.unplaced)
        case _:
            best = ((row.entrant, row.score) for row in _rows(course) if row.score is not None)
    return ", ".join(f"{names[entrant]} {percent(score)}" for entrant, score in islice(best, _LEADERS))


def _in_order(rows: Iterable[Row], entrants: Iterable[int]) -> list[Row]:
    """The rows of these entrants, in this order."""
    of = {row.entrant: row for row in rows}
    return [of[entrant] for entrant in entrants]


def _stage_columns(rows: Sequence[Row], course: Course, names: Sequence[str]) -> list[Column]:
    totals = course.tally.totals()
    absent = [row.entrant for row in rows if not totals.of(row.entrant).decisions]
    return standings_columns(rows, names, absent=absent)


def _ladder_columns(
    rows: Sequence[Row],
    shares: Mapping[int, Share],
    names: Sequence[str],
    unplaced: Mapping[int, Unplaced],
) -> list[Column]:
    """The columns of a ladder's table.

    Args:
        rows: the rows of its first entrants, best first.
        shares: the expected scores of the entrants.
        names: the names of all entrants, by number.
        unplaced: the entrants that have no place, and why.
    """
    order = [row.entrant for row in rows]
    return [
        Column("#", ["-" if entrant in unplaced else str(at) for at, entrant in enumerate(order, 1)]),
        name_column("bot", [names[entrant] for entrant in order]),
        Column("played", [str(row.matches) for row in rows]),
        Column("score", [percent(shares[entrant].score) for entrant in order]),
        Column("", [unplaced.get(entrant, "") for entrant in order], left=True),
    ]


def comparison_lines(
    comparison: Comparison, names: Sequence[str], height: int, width: int = WIDTH
) -> list[str]:
    """A row for each question: the score so far, and the expected number of boards to an answer.

    Args:
        comparison: the comparison.
        names: the names of all entrants, by number.
        height: the most lines; the first rows that fit are shown.
        width: the cells of a line.
    """
    if comparison.race is not None:
        racers = comparison.racers()
        shown_racers, others = racers[: max(0, height - _HEAD - 1)], max(0, len(racers) - height + _HEAD + 1)
        if not shown_racers or not comparison.race.rounds:
            return []
        lines = table(race_columns(shown_racers, comparison.race.finding, names), width)
        return [*lines, *[f"and {others} more"] * bool(others)]
    rows = [
        (_pair_name(study, names), title, question, boards)
        for study in comparison.studies
        for title, question, boards in _questions(study)
    ]
    shown, others = rows[: max(0, height - _HEAD - 1)], max(0, len(rows) - height + _HEAD + 1)
    if not shown or not any(question.scores for _, _, question, _ in shown):
        return []
    estimates = [question.estimate(boards) for _, _, question, boards in shown]
    columns = [
        name_column("pair", [pair for pair, *_ in shown]),
        Column("game", [title for _, title, *_ in shown], left=True),
        Column("score", [percent(each.score) for each in estimates]),
        Column("interval", [percent_interval(each.low, each.high) for each in estimates]),
        Column("boards", [str(each.boards) for each in estimates]),
        Column("found", [_found(question) for _, _, question, _ in shown], left=True),
    ]
    return [*table(columns, width), *[f"and {others} more"] * bool(others)]


def comparison_words(comparison: Comparison, names: Sequence[str]) -> str:
    """The state of the first pair in a few words; empty before a board is complete."""
    if (race := comparison.race) is not None:
        left = [f"{names[each.bot]} {percent(each.score)}" for each in comparison.racers() if each.left]
        return f"{len(left)} may be best after {counted(race.rounds, 'round')}: {', '.join(left)}"
    study = comparison.studies[0]
    words = []
    for title, question, boards in _questions(study):
        estimate = question.estimate(boards)
        if estimate.score is not None:
            words.append(
                f"{title} {percent(estimate.score)} ({percent(estimate.low)} to {percent(estimate.high)}; "
                f"{_found(question)})"
            )
    return f"{_pair_name(study, names)}: {', '.join(words)}" if words else ""


def _questions(study: Study) -> Iterator[tuple[str, Question, int]]:
    """The questions of a pair, with the number of boards for each."""
    if study.overall is not None:
        yield OVERALL, study.overall, study.overall.boards_needed or len(study.overall.scores)
    for game, question in study.games.items():
        yield GAMES[game].title, question, study.counted(game)


def _pair_name(study: Study, names: Sequence[str]) -> str:
    return f"{names[study.contest.one]} - {names[study.contest.other]}"


def _found(question: Question) -> str:
    match question.finding:
        case Finding.BETTER:
            return "better"
        case Finding.WORSE:
            return "worse"
        case Finding.NO_DIFFERENCE:
            return "no difference"
    expected = question.boards_expected()
    return "open" if expected is None else f"open, about {max(expected - len(question.scores), 1):,} more"


def watch_text(summary: Summary, width: int = WIDTH) -> str:
    """The state of a tournament and of its current stage.

    Args:
        summary: the tournament.
        width: the cells of a line.
    """
    return "\n".join(_watch_lines(summary, width))


def _watch_lines(summary: Summary, width: int) -> Iterator[str]:
    names = [one_line(entrant.name) for entrant in summary.tournament.entrants]
    yield f"{one_line(summary.plan.name)}: {_progress(summary)}"
    stage = summary.stages[-1]
    matches = so_far(stage.played, stage.matches, "match", "matches")
    yield f"stage {stage.stage.number + 1} of {len(summary.plan.stages)}: {stage.title}, {matches} over"
    yield ""
    if stage.bracket is not None:
        over = summary.tournament.finished is not None
        yield from bracket_lines(stage.bracket, names, stage.begun, width, over=over, paused=summary.paused)
        yield ""
    for group in stage.groups:
        yield f"Group {group.name}"
        yield from _stage_table(summary, group.rows, names, width)
        yield ""
    if not stage.groups:
        yield from _stage_table(summary, stage.rows, names, width)
    for item in summary.withdrawals:
        because = f" ({one_line(item.reason)})" if item.reason else ""
        yield from wrapped(f"{names[item.ruling.entrant]} was withdrawn{because}", width)


def now_lines(night: NightNow, height: int, width: int = WIDTH) -> list[str]:
    """What a run knows of this moment: who is not here, at how many tables is played, and who thinks there.

    Args:
        night: the run; no lines if none plays.
        height: the most lines; tables that have no room are only counted.
        width: the cells of a line.
    """
    if not night.plays:
        return []
    names = [one_line(bot.name) for bot in night.bots]
    lines = [
        f"{name} {_AWAY[bot.state]} ({span_text(bot.seconds)})"
        for name, bot in zip(names, night.bots, strict=True)
        if bot.state in _AWAY and not (night.next and bot.state == "gone")  # which may be a hidden withdrawal
    ]
    thinking: dict[int, list[Awaited]] = {}
    for turn in night.awaited:
        thinking.setdefault(turn.table, []).append(turn)
    if running := max(night.tables, len(thinking)):  # a run tells none whose results are hidden
        lines.append(counted(running, "game is", "games are") + " being played")
    for number, turns in sorted(thinking.items()):
        key = read_game_key(turns[0].game)
        if key is not None:
            who = joined([names[turn.entrant] for turn in turns])
            verb = "thinks" if len(turns) == 1 else "think"
            longest = span_text(max(turn.seconds for turn in turns))
            lines.append(f"  table {number}: {GAMES[key.game].title}, game {key}, {who} {verb} ({longest})")
    if len(lines) > height:
        lines[max(height - 1, 0) :] = ["  ..."][: max(height, 0)]
    return [shortened(line, width) for line in lines]


def _progress(summary: Summary) -> str:
    if summary.tournament.finished is not None:
        why = f" early: {summary.ended}" if summary.ended else " early" if summary.ended is not None else ""
        return f"ended{why}, {counted(summary.games, 'game')}"
    share = so_far(summary.games, summary.total)
    if summary.paused:
        return f"{share}, paused"
    if summary.time_left is None:
        return share
    return f"{share}, {estimate_text(summary.time_left)} to go"


def _stage_table(summary: Summary, rows: Sequence[Row], names: list[str], width: int) -> Iterator[str]:
    gone = summary.gone
    names = [name + " (gone)" * (entrant in gone) for entrant, name in enumerate(names)]
    notes: Iterable[str] = ()
    if isinstance(summary, LadderSummary):
        shares = dict(summary.there)
        rows = _in_order(rows, shares)
        columns, notes = _ladder_columns(rows, shares, names, summary.unplaced), score_notes(summary)
    else:
        columns = standings_columns(rows, names, duels=False, absent=summary.absent)
    if any(row.forfeits for row in rows):
        columns.append(Column("forfeits", [str(row.forfeits or "") for row in rows]))
    faults = [fault_words(row.faults) for row in rows]
    if any(faults):
        columns.append(Column("faults", faults, left=True, least=10))
    yield from table(columns, width)
    for note in notes:
        yield from wrapped(note, width)


def cluster_line(statistics: ClusterStatistics) -> str:
    """The current state of the workers, in a line."""
    here = sum(worker.here for worker in statistics.workers)
    return f"{counted(here, 'worker')}, {counted(statistics.batches, 'batch', 'batches')}, " + (
        f"{statistics.rate:.1f} games/s"
    )


def cluster_lines(statistics: ClusterStatistics) -> Iterator[str]:
    """A table of the workers, with all lost ones in one row."""
    here = [worker for worker in statistics.workers if worker.here]
    lost = [worker for worker in statistics.workers if not worker.here]
    names = [one_line(worker.name) for worker in here]
    games, batches = [worker.games for worker in here], [worker.batches for worker in here]
    busy = [f"{100 * worker.busy:.0f}" for worker in here]
    if lost:
        names.append(f"{len(lost)} lost")
        games.append(sum(worker.games for worker in lost))
        batches.append(sum(worker.batches for worker in lost))
        busy.append("")
    if statistics.at_home:
        names.append("here")
        games.append(statistics.at_home)
        batches.append(0)
        busy.append("")
    columns = [
        name_column("worker", names),
        Column("games", list(map(str, games))),
        Column("batches", [str(number or "") for number in batches]),
        Column("busy %", busy),
    ]
    yield from table(columns, WIDTH)
