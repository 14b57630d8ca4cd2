"""Notices on the page of an author, and from the API."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest

from arena.hosting.database import Database
from arena.hosting.pages.author_data import AuthorData, First
from arena.hosting.pages.mounted import site_of
from arena.hosting.pages.standing import Standing
from arena.hosting.place import Place
from arena.league.store import League
from arena.league.summary import final_places
from arena.view.listening import listening
from arena.view.serving.server import Start
from tests.hosting.pages.standing import Author, Club, standing
from tests.referee.simulation import simulate
from tests.view.hosted import post


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Club]:
    with standing(tmp_path_factory.mktemp("club")) as club:
        yield club


def tell(club: Club, name: str, text: str) -> None:
    with Database(club.place.database, writer=True) as database:
        account = database.account_called(name)
        assert account is not None
        database.tell(account.id, "refused", text, text, "/submissions/heron/1")


def page_of(author: Author) -> str:
    return str(author.page.get("/authors", Cookie=f"arena=author:{author.token}"))


def test_a_notice_is_new_on_the_page_until_it_was_shown(club: Club) -> None:
    ada, bob = club.author("Ada"), club.author("Bob")
    assert ">new</span>" not in page_of(ada)
    tell(club, "Ada", "heron <1> is refused: it does not start.")
    for new in (1, 0):
        shown = page_of(ada)
        assert "heron &lt;1&gt; is refused: it does not start." in shown
        assert shown.count(">new</span>") == new
    tell(club, "Ada", "heron 2 is refused.")
    shown = page_of(ada)
    assert shown.count(">new</span>") == 1
    assert shown.index("heron 2 is refused.") < shown.index("heron &lt;1&gt;")
    assert "heron" not in page_of(bob)


def test_every_page_says_how_many_notices_are_new_to_the_person_who_asks(club: Club) -> None:
    kim, lee = club.author("Kim"), club.author("Lee")
    pages = ("/", "/standings", "/bots", "/environment")

    def new(author: Author | None) -> set[tuple[str, ...]]:
        """The numbers in the navigation of each page."""
        cookie = f"arena=author:{author.token}" if author else ""
        return {
            tuple(re.findall(r"(\d+)<span class=\"sr\"> new</span>", club.page.get(path, Cookie=cookie)))
            for path in pages
        }

    assert new(None) == new(kim) == {()}
    for number in range(2):
        tell(club, "Kim", f"swan {number} is refused.")
    tell(club, "Lee", "gull is refused.")
    assert new(kim) == {("2", "2", "2")}  # on a wide screen, and on a phone the menu and the link in it
    assert new(lee) == {("1", "1", "1")}
    assert new(None) == {()}
    assert "> new</span>" not in page_of(kim)  # which shows them
    assert new(kim) == {()}
    assert new(lee) == {("1", "1", "1")}


def test_a_feed_has_an_address_of_its_own_which_can_be_renewed(club: Club) -> None:
    ada = club.author("Ada")
    tell(club, "Ada", "heron <3> is refused.")
    first = urlsplit(ada.ask("POST", "/api/feed")["url"]).path
    feed = ElementTree.fromstring(club.page.get(first))
    titles = [each.text for each in feed.iter("{http://www.w3.org/2005/Atom}title")]
    assert titles[:2] == ["Club <b>league</b>: notices to Ada", "heron <3> is refused."]
    links = [each.get("href") for each in feed.iter("{http://www.w3.org/2005/Atom}link")]
    assert links[:2] == [f"{club.page.url}/authors", f"{club.page.url}/submissions/heron/1"]
    secret = first.removeprefix("/notices/").removesuffix(".atom")
    Author(club.page, secret).ask("GET", "/api/me", 401)  # it opens nothing else
    second = urlsplit(ada.ask("POST", "/api/feed")["url"]).path
    club.page.get(first, 404)
    club.page.get(second)
    club.page.get("/notices/x.atom", 404)


def test_the_page_finds_out_which_bot_has_the_first_place(tmp_path: Path) -> None:
    place = Place(tmp_path)
    with Database(place.database, writer=True) as database:
        for name in ("heron", "swan"):
            database.add_version(
                database.add_bot(database.add_account(name.title(), "author"), name), "", 1, ""
            )
    with listening("127.0.0.1:0") as listener:
        data = AuthorData(Standing(site_of(place, Start(listener), ()), place, ""))
        assert data.first() is None
        season = 'name = "Season"\ngames = ["nyuri"]\n[[stage]]\nformat = "ladder"\n'
        with League.create_or_open(place.league) as league:
            names, bots = ["greedy", "heron v1", "swan v1"], [place.house, place.bot(1), place.bot(2)]
            simulate(league, season, 3, finish=False, at_most=120, names=names, folders=bots)
            first = final_places(league, 1)[0].entrant
        assert data.first() == First(1, *[("", "greedy"), ("heron", "heron"), ("swan", "swan")][first])


def test_a_webhook_is_set_tried_and_removed_on_the_page(club: Club) -> None:
    eve = club.author("Eve")
    cookie = f"arena=author:{eve.token}"
    answer, _ = post(club.page, "/authors/webhook", 200, cookie, url=" https://hooks.example/x?key=word ")
    (secret,) = re.findall(r'class="token">([\w-]+)<', answer)
    assert "Notices to Eve go to hooks.example from now on." in answer
    assert "key=word" not in answer
    with Database(club.place.database, writer=True) as database:
        (receiver,) = database.receiving()
        assert receiver.secret == secret
        database.change_receiver(receiver.account, problem="hooks.example answers 500")
    shown = page_of(eve)
    assert secret not in shown
    assert "The last notice did not reach your webhook: hooks.example answers 500." in shown
    post(club.page, "/authors/webhook-test", 303, cookie)
    assert eve.ask("GET", "/api/notices")["notices"][0]["text"] == "This is a test of the webhook of Eve."
    post(club.page, "/authors/webhook", 200, cookie)
    assert eve.ask("GET", "/api/notices")["webhook"] == ""
    post(club.page, "/authors/webhook-test", 409, cookie)
    answer, _ = post(club.page, "/authors/webhook", 409, cookie, url="https://10.0.0.1/")
    assert "this address is not public: give one such as https://hooks.example.org/arena" in answer
