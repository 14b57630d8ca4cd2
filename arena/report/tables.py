"""Formats text, numbers and columns for terminals, Markdown and spreadsheets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from arena.standings.values import Crosstable, Rating
from arena.text import counted, one_line

WIDTH = 80
"""The cells of a line, unless another width is given."""

NAME_IN_TEXT = 40
"""The cells of a name in a sentence."""

_FORMULA = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")  # its beginnings; the last four are wide ones
_NUMBER = re.compile(r"[-+]?[0-9]+(\.[0-9]+)?(e[-+][0-9]+)?")
_ELLIPSIS = "…"
_GAP = 2  # the cells between two columns


def percent(score: Fraction | float | None) -> str:
    """A score from 0 to 1 in percent with one decimal; `-` for none."""
    return "-" if score is None else f"{float(score) * 100:.1f}"


def percent_interval(low: float | None, high: float | None) -> str:
    """The ends of an interval of scores, in percent; `-` for none."""
    return "-" if low is None or high is None else f"{percent(low)}..{percent(high)}"


def so_far(played: int, of: int | None, one: str = "game", many: str = "") -> str:
    """How much is played, such as `7 of 10 games`, or `7 games` if there is no end of them (`of` is None).

    `one`, `many`: as for `counted`.
    """
    return counted(played, one, many) if of is None else f"{played} of {counted(of, one, many)}"


def rounded(value: float | None, decimals: int) -> float | None:
    """A number for JSON; None for none."""
    return None if value is None else round(value, decimals)


def decimal(value: Fraction | float | None, decimals: int = 6) -> str:
    """A number for a spreadsheet; empty for none."""
    return "" if value is None else f"{float(value):.{decimals}f}"


def exact(value: Fraction) -> dict[str, Any]:
    """A fraction for JSON: the number, and the fraction itself."""
    return {"value": round(float(value), 6), "exact": str(value)}


def whole_percent(score: Fraction | None) -> str:
    """A score in percent without decimals, for a crosstable."""
    return "-" if score is None else f"{float(score) * 100:.0f}"


def games_a_pair(table: Crosstable) -> str:
    """How many games the pairs of a crosstable have played: `10 games a pair`, `2 to 10 games a pair`."""
    met = [cell.games for row in table.cells for cell in row if cell is not None]
    fewest, most = min(met, default=0), max(met, default=0)
    return f"{f'{fewest} to ' if fewest < most else ''}{counted(most, 'game')} a pair"


def season_score(score: Fraction | None) -> str:
    """A score of a season, which is added up, with two decimals; `-` for none."""
    return "-" if score is None else f"{float(score):.2f}"


def short(value: Fraction) -> str:
    """A fraction as a number with at most two decimals."""
    return f"{float(value):.2f}".rstrip("0").rstrip(".")


def rating_text(rating: Rating) -> str:
    """The estimate, rounded; `-` for none."""
    return "-" if rating.rating is None else f"{rating.rating:.0f}"


def interval(rating: Rating) -> str:
    """The interval's ends, rounded, or the bound in place of a rating; `-` for none."""
    if rating.low is not None and rating.high is not None:
        return f"{rating.low:.0f}..{rating.high:.0f}"
    bound = rating.low if rating.bound == "above" else rating.high
    return "-" if bound is None else f"{rating.bound} {bound:.0f}"


def cells(text: str) -> int:
    """The width of a printable text in cells of a terminal: 0 for a combining accent, 2 for a kanji."""
    if text.isascii():
        return len(text)
    from wcwidth import wcswidth  # only here: its tables take long to load

    width = wcswidth(text)
    return len(text) if width < 0 else width


def padded(text: str, width: int) -> str:
    """The text padded with spaces to a width in cells."""
    return text + " " * (width - cells(text))


def shortened(text: str, width: int) -> str:
    """The text in at most so many cells: if it is too long, its beginning, an ellipsis and its end."""
    if cells(text) <= width:
        return text
    tail = _end(text, (width - 1) // 3)
    head = _beginning(text, width - 1 - cells(tail))
    return f"{head}{_ELLIPSIS}{tail}"


def wrapped(text: str, width: int, indent: str = "") -> Iterator[str]:
    """The text in lines that break between words; only a word that is wider than a line is cut.

    Args:
        text: words; spaces before the first are kept.
        width: the most cells of a line.
        indent: the beginning of the lines after the first.
    """
    line = text[: len(text) - len(text.lstrip())]
    for word in text.split():
        longer = f"{line} {word}" if line.strip() else f"{line}{word}"
        if line.strip() and cells(longer) > width:
            yield line
            longer = f"{indent}{word}"
        line = shortened(longer, width)
    yield line


def fitting(line: str, width: int, indent: str) -> str:
    """The line as it is if it fits, else broken between words."""
    return line if cells(line) <= width else "\n".join(wrapped(line, width, indent))


def _beginning(text: str, width: int) -> str:
    return next((text[:end] for end in range(len(text), 0, -1) if cells(text[:end]) <= width), "")


def _end(text: str, width: int) -> str:
    return next((text[start:] for start in range(len(text)) if cells(text[start:]) <= width), "")


class Column(NamedTuple):
    """A column of a table.

    Attributes:
        heading: its heading.
        texts: its cells, from top to bottom.
        left: whether they are aligned to the left.
        short: the heading if there is little room; empty if it is never shortened.
        least: the width, in cells of the terminal, to which its texts may be cut; 0 if they are never cut.
    """

    heading: str
    texts: Sequence[str]
    left: bool = False
    short: str = ""
    least: int = 0

    @property
    def width(self) -> int:
        """Its width in cells of the terminal."""
        return max(map(cells, (self.heading, *self.texts)))


def name_column(heading: str, names: Sequence[str]) -> Column:
    """A column of names, which are cut only as a last resort."""
    return Column(heading, names, left=True, least=10)


def table(columns: Sequence[Column], width: int) -> Iterator[str]:
    """The lines of a table, and a legend below it if headings had to be shortened.

    A table that is still too wide is split into blocks, each of which begins with the names.
    """
    columns = [*map(_printable, columns)]
    short = []
    if _width(columns) > width:
        short = [column for column in columns if column.short]
        columns = [column._replace(heading=column.short or column.heading) for column in columns]
    fitted = _cut(columns, width)
    if _width(fitted) <= width:
        yield from _lines(fitted, _GAP)
    else:
        lead = 1 + next((at for at, column in enumerate(columns) if column.least), 0)
        yield from split_table(columns[:lead], _cut(columns[lead:], 0), width)
    if short:
        legend = dict.fromkeys(f"{column.short}: {column.heading}" for column in short)
        yield from wrapped("; ".join(legend), width)


def split_table(first: Sequence[Column], columns: Sequence[Column], width: int) -> Iterator[str]:
    """The lines of a table. If it is too wide it gets less space between columns, and then is split into
    blocks.

    Args:
        first: the first columns of each block.
        columns: the others, none of which is ever cut.
        width: the cells of a line.
    """
    first, columns = [*map(_printable, first)], [*map(_printable, columns)]
    gap = _GAP if _width([*first, *columns]) <= width else 1
    widest = max(column.width for column in columns) + gap
    first = _cut(first, max(width - len(columns) * widest, width // 3), gap)
    in_block = max((width - _width(first, gap)) // widest, 1)
    blocks = -(-len(columns) // in_block)
    in_block = -(-len(columns) // blocks)  # all blocks about equally wide
    for start in range(0, len(columns), in_block):
        if start:
            yield ""
        yield from _lines(_cut([*first, *columns[start : start + in_block]], width, gap), gap)


def _printable(column: Column) -> Column:
    return column._replace(texts=[*map(one_line, column.texts)])


def _width(columns: Sequence[Column], gap: int = _GAP) -> int:
    return sum(column.width for column in columns) + gap * (len(columns) - 1)


def _cut(columns: Sequence[Column], width: int, gap: int = _GAP) -> list[Column]:
    """The columns with texts cut, the widest first, until they fit or no text may be cut further."""
    widths = [column.width for column in columns]
    least = [max(column.least, cells(column.heading)) if column.least else width for column in columns]
    while sum(widths) + gap * (len(columns) - 1) > width:
        spare = [(widths[at], at) for at in range(len(columns)) if widths[at] > least[at]]
        if not spare:
            break
        widths[max(spare)[1]] -= 1
    return [
        column._replace(texts=[shortened(text, most) for text in column.texts]) if column.least else column
        for column, most in zip(columns, widths, strict=True)
    ]


def _lines(columns: Sequence[Column], gap: int) -> Iterator[str]:
    import tabulate  # only here, because it loads much

    tabulate.MIN_PADDING = 0  # nothing stands beside a heading
    between = " " * gap
    row = tabulate.DataRow("", between, "")
    text = tabulate.tabulate(
        [*zip(*(column.texts for column in columns), strict=True)],
        headers=[column.heading for column in columns],
        tablefmt=tabulate.TableFormat(
            None, tabulate.Line("", "-", between, ""), None, None, row, row, padding=0, with_header_hide=None
        ),
        disable_numparse=True,
        colalign=["left" if column.left else "right" for column in columns],
        preserve_whitespace=True,
    )
    return (line.rstrip() for line in text.split("\n"))


def markdown_table(columns: Sequence[Column]) -> Iterator[str]:
    """The lines of a table in Markdown, from escaped cells."""
    heading = [column.heading for column in columns]
    sides = [":---" if column.left else "---:" for column in columns]
    for row in (heading, sides, *zip(*(column.texts for column in columns), strict=True)):
        yield f"| {' | '.join(row)} |"


def spreadsheet(rows: Sequence[Mapping[str, object]], headings: Sequence[str] = ()) -> Iterator[list[str]]:
    """The rows of a spreadsheet, the first of which has the headings; None is an empty cell.

    An apostrophe stands before a text that a spreadsheet would take for a formula, such as =1+1.

    Args:
        rows: the cells of each row, by their headings.
        headings: the headings, if there may be no row.
    """
    headings = [*rows[0]] if rows else [*headings]
    yield headings
    for row in rows:
        yield ["" if row[heading] is None else _cell(str(row[heading])) for heading in headings]


def _cell(text: str) -> str:
    """A text as a spreadsheet shows it, even if it looks like a formula."""
    return f"'{text}" if text.startswith(_FORMULA) and not _NUMBER.fullmatch(text) else text
