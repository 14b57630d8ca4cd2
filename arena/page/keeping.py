"""Answers that are kept for those who ask the same."""

from __future__ import annotations

import threading
from collections.abc import Hashable
from typing import Generic, TypeVar

Asked = TypeVar("Asked", bound=Hashable)


class Kept(Generic[Asked]):
    """The last answers, each by what was asked. Its methods may be called in any thread.

    Args:
        most: how many are kept; the oldest are forgotten.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._answers: dict[Asked, bytes] = {}

    def get(self, asked: Asked) -> bytes | None:
        """What was answered to that, if it is kept."""
        with self._lock:
            return self._answers.get(asked)

    def put(self, asked: Asked, answer: bytes) -> None:
        """Keeps an answer."""
        with self._lock:
            while len(self._answers) >= self._most:
                self._answers.pop(next(iter(self._answers)))
            self._answers[asked] = answer
