"""The state of a running tournament as text: top of the table, `arena watch`, workers of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from arena.comparison.comparison import Comparison, Study
from arena.comparison.question import Finding, Question
from arena.games import GAMES
from arena.league.summary import StageSummary, Summary, ladder_of
from arena.referee.cluster_statistics import ClusterStatistics
from arena.report.bracket_text import bracket_lines
from arena.report.comparison_text import OVERALL, race_columns
from arena.report.standings_text import EXPECTED, PROVISIONAL, fault_words, standings_columns
from arena.report.tables import WIDTH, Column, name_column, percent, percent_interval, table, wrapped
from arena.standings.values import Row, Share
from arena.text import counted, estimate_text, one_line
from arena.tournament.course import Course

_HEAD = 2  # lines of a table's heading
_LEADERS = 3


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
    if course.plan.compares:
        return comparison_lines(course.comparison, names, height, width)
    rows = _rows(course)
    ladder = ladder_of(course, intervals=False) if course.plan.endless and rows else None
    if ladder is not None:
        of = {row.entrant: row for row in rows}
        rows = [of[entrant] for entrant, _ in ladder.there]
    room = height - _HEAD
    if len(rows) > room:
        room -= 1  # for the line that counts the others
    if room < 1 or not any(row.matches or row.unfinished for row in rows):
        return []
    shown, others = rows[:room], len(rows[room:])
    if ladder is not None:
        columns = _ladder_columns(ladder.there[:room], shown, names, ladder.standing)
    else:
        totals = course.tally.totals()
        absent = [row.entrant for row in shown if not totals.of(row.entrant).decisions]
        columns = standings_columns(shown, names, absent=absent)
    if any(sum(row.faults) for row in shown):
        columns.append(Column("faults", [str(sum(row.faults)) for row in shown]))
    return [*table(columns, width), *[f"and {others} more"] * bool(others)]


def leaders(course: Course, names: Sequence[str]) -> str:
    """The leaders in a few words; empty before a game is over."""
    if course.plan.compares:
        return comparison_words(course.comparison, names)
    if course.plan.endless:
        ladder = ladder_of(course, intervals=False)
        best = [each for each in ladder.there if not ladder.standing(each[0])][:_LEADERS]
        return ", ".join(f"{names[entrant]} {percent(share.score)}" for entrant, share in best)
    played = (row for row in _rows(course) if row.score is not None)
    return ", ".join(f"{names[row.entrant]} {percent(row.score)}" for row in islice(played, _LEADERS))


def _ladder_columns(
    there: Sequence[tuple[int, Share]],
    rows: Sequence[Row],
    names: Sequence[str],
    standing: Callable[[int], str],
) -> list[Column]:
    """The columns of a ladder's table.

    Args:
        there: entrants with their expected scores, best first.
        rows: rows of the standings with these entrants.
        names: the names of all entrants, by number.
        standing: why an entrant has no place.
    """
    matches = {row.entrant: row.matches for row in rows}
    order = [entrant for entrant, _ in there]
    return [
        Column("#", ["-" if standing(entrant) else str(at) for at, entrant in enumerate(order, 1)]),
        name_column("bot", [names[entrant] for entrant in order]),
        Column("played", [str(matches[entrant]) for entrant in order]),
        Column("score", [percent(share.score) for _, share in there]),
        Column("", [standing(entrant) for entrant in order], left=True),
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
    yield f"stage {stage.stage.number + 1} of {len(summary.plan.stages)}: {stage.title}, " + _matches(stage)
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


def _progress(summary: Summary) -> str:
    played, left = summary.games, summary.games_left
    if summary.tournament.finished is not None:
        why = f" early: {summary.ended}" if summary.ended else " early" if summary.ended is not None else ""
        return f"ended{why}, {counted(played, 'game')}"
    share = f"{played} of {counted(played + left, 'game')}"
    if summary.plan.endless:
        share = counted(played, "game")
    if summary.paused:
        return f"{share}, paused"
    if summary.time_left is None:
        return share
    return f"{share}, {estimate_text(summary.time_left)} to go"


def _matches(stage: StageSummary) -> str:
    if stage.stage.endless:
        return f"{counted(stage.played, 'match', 'matches')} over"
    return f"{stage.played} of {counted(stage.matches, 'match', 'matches')} over"


def _stage_table(summary: Summary, rows: Sequence[Row], names: list[str], width: int) -> Iterator[str]:
    gone = summary.gone
    names = [name + " (gone)" * (entrant in gone) for entrant, name in enumerate(names)]
    if summary.plan.endless:
        of = {row.entrant: row for row in rows}
        there = [
            (line.entrant, share)
            for line, share in zip(summary.final, summary.shares, strict=True)
            if line.entrant not in gone
        ]
        rows = [of[entrant] for entrant, _ in there]
        columns = _ladder_columns(there, rows, names, summary.standing)
    else:
        columns = standings_columns(rows, names, duels=False, absent=summary.absent)
    if any(row.forfeits for row in rows):
        columns.append(Column("forfeits", [str(row.forfeits or "") for row in rows]))
    faults = [fault_words(row.faults) for row in rows]
    if any(faults):
        columns.append(Column("faults", faults, left=True, least=10))
    yield from table(columns, width)
    if summary.plan.endless:
        yield from wrapped(EXPECTED, width)
        if summary.provisional - gone:
            yield from wrapped(PROVISIONAL, width)


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
