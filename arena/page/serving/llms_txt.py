"""`/llms.txt`: all that a language model needs to write a bot."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response

from arena.page.serving.cache import Answer, Cache, answer


class LlmsTxt:
    """The text, which a process of its own writes once, because the page knows nothing of bots.

    Args:
        program: the command of that process, which writes the text to its standard output.
    """

    def __init__(self, program: Sequence[str]) -> None:
        self._program = program
        self._kept: Cache[str] = Cache(1)

    async def answered(self, request: Request) -> Response:
        """The answer to a browser, or to an assistant."""
        return (await self._kept.ask("llms.txt", self._make)).response(request)

    def _make(self) -> Answer:
        done = subprocess.run(self._program, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True)
        return answer(done.stdout, "text/plain; charset=utf-8")
