"""Tables of texts that fit a terminal. Cells are printed as they are: nothing is taken for a number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from arena.report.layout import cells, shortened, wrapped
from arena.text import one_line

_GAP = 2  # the cells between two columns


class Column(NamedTuple):
    """A column of a table.

    Attributes:
        heading: what stands above it.
        texts: its cells, from top to bottom.
        left: whether they stand at the left.
        short: the heading where there is little room; empty where it is never shortened.
        meaning: what a legend says of the short heading; the heading, if empty.
        least: to how many cells of the terminal its texts may be cut; 0 where they are never cut.
    """

    heading: str
    texts: Sequence[str]
    left: bool = False
    short: str = ""
    meaning: str = ""
    least: int = 0

    @property
    def width(self) -> int:
        """How many cells of the terminal it takes."""
        return max(map(cells, (self.heading, *self.texts)))


def name_column(heading: str, names: Sequence[str]) -> Column:
    """A column of names, which are cut only as a last resort."""
    return Column(heading, names, left=True, least=10)


def table(columns: Sequence[Column], width: int) -> Iterator[str]:
    """The lines of a table, and below it a legend of the headings where they had to be shortened.

    Where it is too wide all the same it is split into blocks, each of which begins with the names.
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
        legend = dict.fromkeys(f"{column.short}: {column.meaning or column.heading}" for column in short)
        yield from wrapped("; ".join(legend), width)


def split_table(first: Sequence[Column], columns: Sequence[Column], width: int) -> Iterator[str]:
    """The lines of a table, which where it is too wide is closed up, and then split into blocks.

    Args:
        first: the columns that each block begins with.
        columns: the others, none of which is ever cut.
        width: the cells of a line.
    """
    first, columns = [*map(_printable, first)], [*map(_printable, columns)]
    gap = _GAP if _width([*first, *columns]) <= width else 1
    widest = max(column.width for column in columns) + gap
    first = _cut(first, max(width - len(columns) * widest, width // 3), gap)
    in_block = max((width - _width(first, gap)) // widest, 1)
    blocks = -(-len(columns) // in_block)
    in_block = -(-len(columns) // blocks)  # all about equally wide
    for start in range(0, len(columns), in_block):
        if start:
            yield ""
        yield from _lines(_cut([*first, *columns[start : start + in_block]], width, gap), gap)


def _printable(column: Column) -> Column:
    return column._replace(texts=[*map(one_line, column.texts)])


def _width(columns: Sequence[Column], gap: int = _GAP) -> int:
    return sum(column.width for column in columns) + gap * (len(columns) - 1)


def _cut(columns: Sequence[Column], width: int, gap: int = _GAP) -> list[Column]:
    """The columns with texts cut, the widest first, until they fit or no text may be cut more."""
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
    import tabulate  # only here, for it loads much

    tabulate.MIN_PADDING = 0  # a heading needs no room beside it
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
