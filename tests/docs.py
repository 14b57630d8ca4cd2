"""The documentation as tests read it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT = Path(__file__).parents[1]
DOCS = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").glob("*.md"))

WIDTH: Final = 120
"""The most characters in a line of prose."""

_ITEM: Final = re.compile(r" *(?:[*-]|\d+\.) +")
_WORD: Final = re.compile(r"(?:`[^`]*`|[^\s`])+")  # code between backticks is not divided
_STARTS_A_BLOCK: Final = re.compile(r"(?:[*+-]|\d+\.|#+|>|\||=+)$")  # a word that may not begin a line


def text_of(page: str) -> str:
    return (ROOT / page).read_text("utf-8")


def filled(text: str) -> str:
    """A page whose paragraphs and items are filled: no word fits the line before its own.

    Tables, headings, blocks of code, indented code, pictures and comments stay as they are.
    """
    lines: list[str] = []
    paragraph: list[str] = []
    code = False

    def end() -> None:
        if paragraph:
            lines.extend(_fill(paragraph))
            paragraph.clear()

    for line in text.splitlines():
        fence = line.lstrip().startswith("```")
        indented_code = line.startswith("    ") and not paragraph and not _ITEM.match(line)
        if fence or code or indented_code or not line.strip() or re.match(r"#|<|!\[| *\|", line):
            end()
            lines.append(line)
            code ^= fence
            continue
        if _ITEM.match(line):
            end()
        paragraph.append(line)
    end()
    return "\n".join(lines) + "\n"


def _fill(paragraph: list[str]) -> Iterator[str]:
    item = _ITEM.match(paragraph[0])
    indent = item.end() if item else len(paragraph[0]) - len(paragraph[0].lstrip())
    line = paragraph[0][:indent]
    begun = False
    for word in _words(" ".join(paragraph)[indent:]):
        longer = f"{line} {word}" if begun else line + word
        if begun and len(longer) > WIDTH:
            yield line
            longer = " " * indent + word
        line, begun = longer, True
    yield line


def _words(text: str) -> list[str]:
    """The words of a paragraph; what would begin a list or a heading stays with the word before it."""
    words: list[str] = []
    for word in _WORD.findall(text):
        if words and _STARTS_A_BLOCK.match(word):
            words[-1] += f" {word}"
        else:
            words.append(word)
    return words
