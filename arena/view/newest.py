"""A dictionary that keeps its newest entries: nothing that strangers ask for is kept for ever."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Newest(dict[Key, Value]):
    """A dictionary of so many entries at most; a new entry, or one that is set again, drops the oldest.

    Args:
        most: how many it has at most.
    """

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def __setitem__(self, key: Key, value: Value) -> None:
        """Sets an entry, which is the newest one then."""
        self.pop(key, None)
        while len(self) >= self._most:
            del self[next(iter(self))]
        super().__setitem__(key, value)
