"""A plot of a comparison: the scores with their intervals, and the estimates after each board."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import fontManager

from arena.comparison.question import Finding, Question
from arena.games import GAMES
from arena.league.compared import Answer, ComparisonSummary
from arena.report.comparison_text import racer_state, turned
from arena.report.tables import shortened
from arena.text import one_line

_WIDTH, _ROW, _PANEL = 7.2, 0.34, 1.7  # inches: of the figure, of a row of scores, of a panel's height
_COLUMNS = 3  # the most panels
_POINTS = 120  # the most boards at which a running interval is computed
_COLOURS = {
    Finding.BETTER: "#17663A",
    Finding.WORSE: "#B3261E",
    Finding.NO_DIFFERENCE: "#0B5C8A",
    None: "#5A574F",
}
_MARKERS = {Finding.BETTER: ">", Finding.WORSE: "<", Finding.NO_DIFFERENCE: "D", None: "o"}
_WORDS = {
    Finding.BETTER: "better",
    Finding.WORSE: "worse",
    Finding.NO_DIFFERENCE: "no difference",
    None: "open",
}
_FONTS = ("Noto Sans CJK JP", "Noto Sans JP", "IPAexGothic", "Hiragino Sans", "Yu Gothic")
"""Fonts for letters that the usual font lacks, in order of preference."""

_NAME = 38  # cells of a name
_STYLE: Final[dict[Any, Any]] = {
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "svg.fonttype": "none",
    "svg.hashsalt": "arena",
}


def draw(summary: ComparisonSummary, path: Path) -> None:
    """Draws a comparison into a file; the end of its name gives the kind: .svg, .png or .pdf.

    Raises OSError if it cannot be written.
    """
    there = {font.name for font in fontManager.ttflist}
    family = ["DejaVu Sans", *(font for font in _FONTS if font in there)]
    with mpl.rc_context({**_STYLE, "font.family": family}), warnings.catch_warnings():
        # Letters that no installed font has are drawn as boxes; in an SVG they are still text.
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        figure = _figure(summary)
        kind = path.suffix.lower()
        metadata = {"Date": None} if kind == ".svg" else {"CreationDate": None} if kind == ".pdf" else {}
        figure.savefig(path, dpi=200, metadata=metadata)


class _Line(NamedTuple):
    """A question: its name, its answer with the scores of the bot that the part is about, and the state."""

    name: str
    answer: Answer
    state: str


class _Part(NamedTuple):
    """A part of the figure: its title, the bot whose scores it shows, and the questions."""

    title: str
    bot: str
    lines: Sequence[_Line]


def _parts(summary: ComparisonSummary) -> list[_Part]:
    """The parts of the plot: one for each pair. A race has a single part, with the pairs of the first bot."""
    names = [
        shortened(one_line(entrant.name), _NAME).replace("$", r"\$")
        for entrant in summary.tournament.entrants
    ]
    if (race := summary.race) is None:
        return [
            _Part(
                f"{names[pair.one]} against {names[pair.other]}",
                names[pair.one],
                [_Line(_title(answer), answer, _WORDS[answer.finding]) for answer in pair.answers],
            )
            for pair in summary.pairs
        ]
    first = race.racers[0].bot
    states = {each.bot: racer_state(each, race.finding) for each in race.racers}
    lines = []
    for pair in summary.shown_pairs:
        answer, other = pair.answers[0], pair.other
        if other == first:
            scores = tuple(1 - score for score in answer.scores)
            answer, other = answer._replace(scores=scores, estimate=turned(answer.estimate)), pair.one
        lines.append(_Line(names[other], answer, states[other]))
    return [_Part(f"{names[first]} against each other bot", names[first], lines)]


def _figure(summary: ComparisonSummary) -> Figure:
    parts = _parts(summary)
    panels = [max(1, -(-len(part.lines) // _COLUMNS)) for part in parts]
    heights: list[float] = []
    for part, rows in zip(parts, panels, strict=True):
        heights += [0.75 + _ROW * len(part.lines), 0.45 + _PANEL * rows]
    figure = Figure(figsize=(_WIDTH, sum(heights)), layout="constrained")
    places = figure.subfigures(2 * len(parts), 1, height_ratios=heights, squeeze=False)[:, 0]
    for at, part in enumerate(parts):
        _draw_scores(places[2 * at].subplots(), summary, part)
        axes = places[2 * at + 1].subplots(panels[at], _COLUMNS, sharey=True, squeeze=False).flat
        for number, ax in enumerate(axes):
            if number < len(part.lines):
                _draw_course(ax, summary, part.lines[number], first=number % _COLUMNS == 0)
            else:
                ax.set_axis_off()
    return figure


def _title(answer: Answer) -> str:
    return "all games" if answer.game is None else GAMES[answer.game].title


def _draw_scores(ax: Axes, summary: ComparisonSummary, part: _Part) -> None:
    """A row for each question: the mean score with its interval, the boards and the state."""
    _reference(ax.axvline, ax.axvspan, summary)
    for row, (_, answer, state) in enumerate(part.lines):
        known = answer.estimate
        if known.score is None:
            continue
        colour = _COLOURS[answer.finding]
        ax.plot([100 * known.low, 100 * known.high], [row, row], color=colour, linewidth=1.4)
        ax.plot([100 * known.score], [row], _MARKERS[answer.finding], color=colour, markersize=5)
        unit = "rounds" if answer.game is None else "boards"
        ax.annotate(
            f"{100 * known.score:.1f} %, {known.boards} {unit}: {state}",
            (1.01, row),
            xycoords=("axes fraction", "data"),
            va="center",
            color=colour,
        )
    ax.set_yticks(range(len(part.lines)), [line.name for line in part.lines])
    ax.set_ylim(len(part.lines) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    ax.set_xlim(0, 100)
    ax.set_xlabel(f"score of {part.bot} in %, with {_kind(summary, [line.answer for line in part.lines])}")
    ax.set_title(part.title, loc="left", fontweight="bold")


def _kind(summary: ComparisonSummary, answers: Sequence[Answer]) -> str:
    levels = sorted({100 - 100 * answer.error for answer in answers})
    text = " and ".join(f"{level:g} %" for level in levels)
    return f"{text} intervals" + (" that hold at any time" if summary.format_.stops else "")


def _draw_course(ax: Axes, summary: ComparisonSummary, line: _Line, *, first: bool) -> None:
    """The running mean and its interval after each board."""
    answer = line.answer
    boards = len(answer.scores)
    steps = (
        sorted({max(1, round(boards * (step + 1) / _POINTS)) for step in range(_POINTS)}) if boards else []
    )
    rule = summary.format_.rule
    question = Question(rule.overall if answer.game is None else rule.game, stops=rule.stops)
    for score in answer.scores:
        question.add(score)
    known = [question.estimate(step) for step in steps]
    _reference(ax.axhline, ax.axhspan, summary)
    colour = _COLOURS[answer.finding]
    ax.fill_between(
        steps,
        [100 * each.low for each in known],
        [100 * each.high for each in known],
        color=colour,
        alpha=0.18,
        linewidth=0,
    )
    ax.plot(steps, [100 * (each.score or 0) for each in known], color=colour, linewidth=1.2)
    if answer.after is not None and answer.after <= boards:
        ax.axvline(answer.after, color=colour, linewidth=0.8, linestyle=":")
    ax.set_ylim(0, 100)
    ax.set_xlim(0, max(boards, 1))
    ax.set_title(line.name, loc="left")
    ax.set_xlabel("rounds" if answer.game is None else "boards")
    if first:
        ax.set_ylabel("score in %")


def _reference(line: Callable[..., object], span: Callable[..., object], summary: ComparisonSummary) -> None:
    """Marks the even score, and the differences around it that do not matter."""
    margin = summary.format_.margin
    span(50 - margin, 50 + margin, color="#ECE7DC", linewidth=0, zorder=0)
    line(50, color="#7B7667", linewidth=0.8, zorder=0.5)
