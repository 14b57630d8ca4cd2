"""Reads TOML files strictly: refuses unknown keys and wrong types, and replaces nothing silently.

A file becomes a `Section` whose methods each take one value out and check it. Every
error is one sentence that names the file, the place in it, the fault and
the remedy.
"""

from __future__ import annotations

import re
import reprlib
import tomllib
from collections.abc import Collection, Mapping
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn, cast

from arena.names import NAME_LIMIT, did_you_mean, name_problem

_TYPES: dict[type, str] = {
    bool: "true or false",
    int: "a whole number",
    str: "a text in quotes",
    datetime: "a date and a time, such as 2026-12-01T19:00:00",
    list: "a list in [ ]",
    dict: "a table",
}
_BACKSLASH = (
    "in double quotes a backslash begins an escape: write a Windows path with forward slashes, "
    "or in single quotes"
)
_ESCAPED = frozenset("\b\t\n\f\r\x1b")  # what a Windows path in double quotes may hold without a warning
_AT_LINE = re.compile(r"\(at line ([0-9]+), column [0-9]+\)")
_UNQUOTED = re.compile(r"\s*[\w.\"'-]+\s*=\s*\[?\s*(?![\s\"'\[{])([^,\]#]*)")
# The texts and comments of a TOML file. Outside of them only keys have many words with dots between them.
_ASIDE = re.compile(
    r'"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*(?:"{3,5}|\Z)|'
    r"'''[^']*(?:'(?!'')[^']*)*(?:'{3,5}|\Z)|"
    r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"?|'
    r"'[^'\n]*+'?|#[^\n]*+",
    re.DOTALL,
)
_MOST_PARTS = 20  # of a dotted key; tomllib takes time that grows with the square of them
_LONG_KEY = re.compile(rf'(?<![\w"-])(?:[\w"-]++[ \t]*+\.[ \t]*+){{{_MOST_PARTS}}}')
_short = reprlib.Repr()
_short.maxstring = _short.maxother = 60
_UNITS = {"MiB": 1 << 20, "GiB": 1 << 30, "MB": 10**6, "GB": 10**9}
_SIZE = re.compile(r"([0-9]{1,7}) ?(MiB|GiB|MB|GB)")


def show(value: object) -> str:
    """A value of a file as quoted in an error: on one line, harmless, and not too long."""
    try:
        return _short.repr(value)
    except ValueError:  # Python writes no number of so many digits
        return "a number of thousands of digits"


class WrongFile(ValueError):
    """A file cannot be used; the text says in one sentence where and why."""


def read_text(path: Path, error: type[WrongFile]) -> str:
    """The text of the file; raises `error` if it cannot be read or is not UTF-8."""
    try:
        return path.read_text(encoding="utf-8-sig")  # some editors put a mark before the text
    except FileNotFoundError:
        raise error(f"{path}: there is no such file") from None
    except OSError as problem:
        raise error(f"{path}: cannot be read: {problem.strerror or problem}") from None
    except UnicodeDecodeError as problem:
        line = problem.object.count(b"\n", 0, problem.start) + 1
        raise error(f"{path}: line {line} is not a text in UTF-8: save the file as UTF-8") from None
    except ValueError as problem:  # a path that no file can have
        raise error(f"{path}: cannot be read: {problem}") from None


def parse(text: str, path: Path, error: type[WrongFile]) -> Section:
    """The top table of a TOML text; `path` names it in errors, which are of class `error`."""
    if key := _LONG_KEY.search(_ASIDE.sub('"', text)):
        raise error(
            f"{path}: the key that begins with {show(key[0])} has more than {_MOST_PARTS} parts: "
            "no table is nested so deeply"
        )
    try:
        values = tomllib.loads(text)
    except ValueError as problem:  # says line and column
        raise error(f"{path}: not valid TOML: {problem}{_toml_remedy(text, str(problem))}") from None
    except RecursionError:
        raise error(f"{path}: not valid TOML: values are nested too deeply") from None
    return Section(values, str(path), error)


def _toml_remedy(text: str, problem: str) -> str:
    """The likely remedy for a TOML text that cannot be parsed; empty if there is none."""
    if problem.startswith(("Unescaped '\\'", "Invalid hex value")):
        return f"; {_BACKSLASH}"
    if problem.startswith("Illegal character '\\n'"):
        return "; a text ends, on its line, with the quote with which it began"
    at = _AT_LINE.search(problem)
    if at is None or not problem.startswith(("Invalid value", "Expected newline or end of document")):
        return ""
    value = _UNQUOTED.match(text.splitlines()[int(at[1]) - 1])
    if value is None or not value[1].strip():
        return ""
    word = value[1].strip()
    if word.lower() in ("true", "false"):
        return f"; write {word.lower()}, in small letters"
    return f'; a text needs quotes: "{show(word)[1:-1]}"'


class Section:
    """One table of a TOML file.

    Args:
        values: its keys and values.
        place: the file and the place in it, for errors.
        error: the class of the errors raised.
        outermost: the table of the whole file, for a table in it.
    """

    __slots__ = ("_error", "_outermost", "_place", "_valid", "_values")

    def __init__(
        self, values: Mapping[str, Any], place: str, error: type[WrongFile], outermost: Section | None = None
    ) -> None:
        self._values, self._place, self._error, self._outermost = values, place, error, outermost
        self._valid: Collection[str] = ()

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def values(self) -> Mapping[str, Any]:
        """The keys and values of the table, unchecked."""
        return self._values

    def fail(self, problem: str) -> NoReturn:
        """Raises the file's error class with the place of this table before `problem`."""
        raise self._error(f"{self._place}: {problem}")

    def only(self, *valid: str, meant: Mapping[str, str] = MappingProxyType({})) -> None:
        """Refuses other keys than these; `meant` has the right keys for likely wrong ones."""
        self._valid = valid
        for key, value in self._values.items():
            if key not in valid:
                if self._outermost and key in self._outermost._valid and not isinstance(value, dict):
                    self.fail(
                        f"unknown key {show(key)}; being a key of the whole file, "
                        "it belongs above the first [table]"
                    )
                self.fail(f"unknown key {show(key)}; {did_you_mean(meant.get(key, key), valid)}")

    def text(self, key: str, default: str | None = None) -> str:
        """A text; with no default it must be given."""
        return str(self._take(key, str, default))

    def name(self, key: str, default: str | None = None, *, length: int = NAME_LIMIT) -> str:
        """A text that can be printed on one line (see `name_problem`), or the default."""
        name = self.text(key, default)
        problem = name_problem(name, length)
        if problem and name != default:
            remedy = f"; {_BACKSLASH}" if _ESCAPED & set(name) else ""
            self.fail(f"{key} {problem}, not {show(name)}{remedy}")
        return name

    def flag(self, key: str, default: bool) -> bool:
        """True or false."""
        return bool(self._take(key, bool, default))

    def number(self, key: str, default: int | None, low: int, high: int) -> int:
        """A whole number from `low` to `high`; with no default it must be given."""
        number = int(self._take(key, int, default))
        if not low <= number <= high:
            self.fail(f"{key} must be from {low} to {high}, not {show(number)}")
        return number

    def decimal(self, key: str, default: float, low: float, high: float) -> float:
        """A number from `low` to `high`, whole or not."""
        number = self._values.get(key, default)
        if type(number) not in (int, float) or not low <= number <= high:
            self.fail(f"{key} must be a number from {low:g} to {high:g}, not {show(number)}")
        return float(number)

    def size(self, key: str, default: int) -> int:
        """A number of bytes, written as "512MiB" or "2GiB"."""
        if key not in self:
            return default
        found = _SIZE.fullmatch(text := self.text(key))
        if found is None:
            self.fail(f'{key} must be a size such as "512MiB" or "2GiB", not {show(text)}')
        return int(found[1]) * _UNITS[found[2]]

    def choice(self, key: str, valid: Collection[str], default: str | None = None) -> str:
        """One of the texts `valid`; with no default it must be given."""
        word = self.text(key, default)
        if word not in valid:
            self.fail(f"unknown {key} {show(word)}; {did_you_mean(word, valid)}")
        return word

    def moment(self, key: str) -> datetime:
        """A date with a time of day; without an offset from UTC it is in this machine's time zone."""
        return cast(datetime, self._take(key, datetime, None)).astimezone()

    def texts(self, key: str, default: Collection[str] | None = None) -> tuple[str, ...]:
        """A list of texts, none of them empty; with no default it must be given."""
        items = self._take(key, list, None if default is None else list(default))
        for item in items:
            if not isinstance(item, str) or not item:
                self.fail(f"{key} must hold texts in quotes, not {show(item)}")
        return tuple(items)

    def choices(self, key: str, valid: Collection[str]) -> tuple[str, ...]:
        """A list of different texts of `valid`, at least one; all of them if the key is not given."""
        words = self.texts(key, valid)
        if not words:
            self.fail(f"{key} must name at least one; valid: {', '.join(valid)}")
        for number, word in enumerate(words):
            if word not in valid:
                self.fail(f"unknown entry {show(word)} in {key}; {did_you_mean(word, valid)}")
            if word in words[:number]:
                self.fail(f"{key} names {word} twice; once is enough")
        return words

    def table(self, key: str) -> Section:
        """A table in this one; empty if it is not given."""
        return Section(
            self._take(key, dict, {}), f"{self._place}: [{key}]", self._error, self._outermost or self
        )

    def tables(self, key: str, default: Collection[Mapping[str, Any]] = ()) -> list[Section]:
        """The tables of a list, at least one, each called by its number, from 1."""
        if isinstance(self._values.get(key), dict):
            self.fail(f"{key} must be written [[{key}]], in two brackets, not [{key}]: there can be several")
        items = self._take(key, list, list(default))
        if not items or not all(isinstance(item, dict) for item in items):
            self.fail(f"{key} must be given as one or more [[{key}]] tables")
        return [
            Section(item, f"{self._place}: {key} {number}", self._error, self._outermost or self)
            for number, item in enumerate(items, start=1)
        ]

    def called(self, name: str) -> Section:
        """The same table with a name added to its place."""
        return Section(self._values, f'{self._place} "{name}"', self._error, self._outermost)

    def _take(self, key: str, wanted: type, default: Any) -> Any:
        if key not in self._values:
            if default is None:
                self.fail(f"{key} is missing; it must be {_TYPES[wanted]}")
            return default
        value = self._values[key]
        if type(value) is not wanted:
            self.fail(f"{key} must be {_TYPES[wanted]}, not {show(value)}")
        return value
