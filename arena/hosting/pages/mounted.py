"""The pages of a standing league, as they are mounted beside those of its tournaments."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple
from urllib.parse import urlsplit

from starlette.routing import BaseRoute

from arena.hosting.pages.author_api import AuthorApi
from arena.hosting.pages.author_data import AuthorData, watch_first
from arena.hosting.pages.author_pages import AuthorPages
from arena.hosting.pages.challenges import ChallengePages
from arena.hosting.pages.ladder_news import NOTHING_NEW, LadderNews
from arena.hosting.pages.nights import NightPages, next_night
from arena.hosting.pages.season_bots import BotOf
from arena.hosting.pages.standing import Standing, is_host_of, new_to
from arena.hosting.pages.uploads import Uploads
from arena.hosting.place import Place
from arena.hosting.settings import LeagueFileError, read_settings
from arena.view.extension import Extension, Link
from arena.view.league.reader import LeagueReader
from arena.view.listening import url_for_phones, url_of
from arena.view.proxies import Proxies
from arena.view.serving.games import OwnSeats, nobody
from arena.view.serving.server import Background, Start
from arena.view.serving.site import Site
from arena.view.views.view import Values


def extension(place: Place) -> Extension:
    """What the standing league in a folder adds to the pages, besides its addresses."""
    return Extension(
        "arena.hosting.pages",
        main=(Link("/authors", "My bots", ("authors", "login", "submission", "challenge", "challenges")),),
        more=(
            Link("/nights-to-come", "Nights to come", ("nights_to_come",)),
            Link("/environment", "What the host offers", ("environment",)),
        ),
        unlisted=("/authors", "/challenges", "/join/", "/login", "/notices/"),
        values={"bot_of": BotOf(place), "next_night": None, **NOTHING_NEW},
        new=partial(new_to, place),
    )


class Mounted(NamedTuple):
    """What is mounted beside the pages of a league's tournaments.

    Attributes:
        proxies: the proxies in front of the page that are trusted.
        outside: the name under which such a proxy is reached; empty for none.
        routes: more addresses.
        background: what these need done as long as the page is served.
        is_host: whether a token is that of an account with the role host, for threads; None without accounts.
        own_seats: finds the seats at which bots of the person who asks played.
    """

    proxies: Proxies
    outside: str = ""
    routes: Sequence[BaseRoute] = ()
    background: Background = ()
    is_host: Callable[[str], bool] | None = None
    own_seats: OwnSeats = nobody


def site_of(
    place: Place, start: Start, others: Sequence[Extension], running: Callable[[], int] = int
) -> Site:
    """The site of the league in a folder, with extensions of others; `running` counts the running tables."""

    reader = LeagueReader(place.league, private=True, comes_later=True, say=start.say)
    ladder = LadderNews(reader, place)

    def news() -> Values:
        return {"next_night": next_night(place), **ladder()}

    return Site(
        reader,
        [extension(place), *others],
        name="The league",
        url=url_for_phones(start.listener),
        most_streams=start.most_streams,
        news=news,
        running=running,
        tracebacks=True,
    )


def mounted(site: Site, place: Place, start: Start, proxies: Proxies) -> Mounted:
    """What the league in a folder mounts; `proxies` are trusted if its settings cannot be read."""
    standing = Standing(site, place, url_for_phones(start.listener) or url_of(start.listener))
    data, uploads = AuthorData(standing), Uploads(place)
    routes = [
        *NightPages(site, place).routes(),
        *ChallengePages(standing).routes(),
        *AuthorApi(standing, data, uploads).routes(),
        *AuthorPages(standing, data).routes(),
    ]
    outside = ""
    with contextlib.suppress(LeagueFileError, OSError):  # the pages say so
        settings = read_settings(place)
        outside, proxies = urlsplit(settings.url).hostname or "", settings.proxies
    background: Background = [
        ("earlier ratings", data.compute_past),
        ("the first place", partial(watch_first, data.first, data.tell_first)),
    ]
    return Mounted(proxies, outside, routes, background, partial(is_host_of, place), standing.own_seats)
