"""What another part of the arena adds to the pages: a seat, the control room, a standing league.

The page names no such part. An extension is a package with `templates` and, if it has any, `assets`; its
addresses are added where a page is composed (`arena/cli/composed.py`). A template with the name of one of the
page's own stands in its place, and may extend it as `view/NAME`. So the page's templates have blocks, and
small templates, that an extension fills.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from starlette.requests import Request


class Link(NamedTuple):
    """A link of the navigation.

    Attributes:
        address: where it leads.
        text: its text.
        views: the templates at which it is marked, without `.html`.
    """

    address: str
    text: str
    views: Sequence[str]


class Extension(NamedTuple):
    """An extension of the pages.

    Attributes:
        package: the package with the templates and the assets.
        main: its links beside those of the most important views.
        more: its links in the menu.
        unlisted: beginnings of its addresses that search engines leave out.
        values: values that its templates get, in all pages.
        new: for threads, how much is new to the person who asks, by the addresses of its links.
    """

    package: str
    main: Sequence[Link] = ()
    more: Sequence[Link] = ()
    unlisted: Sequence[str] = ()
    values: Mapping[str, Any] = MappingProxyType({})
    new: Callable[[Request], Mapping[str, int]] = lambda request: {}
