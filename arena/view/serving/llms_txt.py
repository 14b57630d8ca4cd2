"""Two texts for language models: `/llms.txt` lists what they can read, `/llms-full.txt` has all about bots.

https://llmstxt.org describes the first.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response

from arena.games import GAMES
from arena.view.serving.cache import Answer, Cache, answer
from arena.view.serving.site import Site

_TEXT = "text/plain; charset=utf-8"


class LlmsTxt:
    """The two texts. A process of its own writes the whole one once, because the page knows nothing of bots.

    Args:
        site: the pages of the league.
        program: the command of that process, which writes the text to its standard output.
    """

    def __init__(self, site: Site, program: Sequence[str]) -> None:
        self._site = site
        self._program = program
        self._kept: Cache[str] = Cache(1)

    async def links(self, request: Request) -> Response:
        """The addresses, in Markdown."""
        return await self._site.beside(request, "llms.txt", "", {"games": tuple(GAMES)}, _TEXT)

    async def whole(self, request: Request) -> Response:
        """The whole text."""
        return (await self._kept.ask("llms-full.txt", self._make)).response(request)

    def _make(self) -> Answer:
        done = subprocess.run(self._program, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True)
        return answer(done.stdout, _TEXT)
