"""Checks and compares names that people type: safe to print, same to a reader, likely meant."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Collection

NAME_LIMIT = 40
"""The most characters of a name."""

_VERSION = re.compile(r" v[0-9]+( \([0-9]+\))?\Z", re.I)

HOST_NAME, IPV6 = r"[0-9A-Za-z._-]+", r"[0-9A-Fa-f:.]+"
"""Regular expressions for what is dialled: the name or IPv4 address of a host, and an IPv6 address."""


def did_you_mean(word: str, valid: Collection[str]) -> str:
    """The end of an error about an unknown `word`: the likely meaning, if any, and all valid ones."""
    close = difflib.get_close_matches(word, valid, n=1)
    hint = f"did you mean {close[0]}? " if close else ""
    return f"{hint}valid: {', '.join(valid) or 'none'}"


def name_problem(name: str, length: int = NAME_LIMIT) -> str | None:
    """Why a text cannot be printed safely as a name on one line, or None.

    Control characters, line ends and the invisible characters that turn the writing
    direction are refused: a name goes to terminals and web pages unchanged.
    """
    if not 1 <= len(name) <= length:
        return f"must have 1 to {length} characters"
    if not name.isprintable():
        return "must have printable characters only"
    if name != name.strip():
        return "must not begin or end with a space"
    return None


def is_host(text: str) -> bool:
    """Whether a text is a host's name or address that means the same to all who compare or resolve it.

    The system's resolver ends a name at the character U+0000, and Python replaces letters of other scripts.
    """
    return re.fullmatch(f"{HOST_NAME}|{IPV6}", text) is not None


def without_version(name: str) -> str:
    """The name of a bot by the name of one of its versions: `walker` by `walker v3` or `walker v3 (2)`.

    A ladder calls the versions of a bot so. Another name is given back as it is.
    """
    found = _VERSION.search(name)
    return name if found is None else name[: found.start()]


def same_name(name: str) -> str:
    """A form that is equal for names that read the same but for letter case and Unicode variants."""
    return unicodedata.normalize("NFKC", name).casefold()
