"""Two texts for language models: `/llms.txt` lists what they can read, `/llms-full.txt` has all about bots.

https://llmstxt.org describes the first.
"""

from __future__ import annotations

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response

from arena.games import GAMES
from arena.view.serving.cache import Answer, Cache, answer
from arena.view.serving.site import Site

_TEXT = "text/plain; charset=utf-8"


class LlmsTxt:
    """The two texts.

    Args:
        site: the pages of the league.
        make: makes the whole one; called once, in a thread.
    """

    def __init__(self, site: Site, make: Callable[[], str]) -> None:
        self._site = site
        self._make = make
        self._kept: Cache[str] = Cache(1)

    async def links(self, request: Request) -> Response:
        """The addresses, in Markdown."""
        return await self._site.beside(request, "llms.txt", "", {"games": tuple(GAMES)}, _TEXT)

    async def whole(self, request: Request) -> Response:
        """The whole text."""
        return (await self._kept.ask("llms-full.txt", self._whole)).response(request)

    def _whole(self) -> Answer:
        return answer(self._make().encode(), _TEXT)
