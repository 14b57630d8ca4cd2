"""Notices on the page of an author, and from the API."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from arena.hosting.database import Database
from tests.hosting.pages.standing import Author, Club, standing


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
    assert "Notices" not in page_of(ada)
    tell(club, "Ada", "heron <1> is refused: it does not start.")
    for new in (1, 0):
        shown = page_of(ada)
        assert "heron &lt;1&gt; is refused: it does not start." in shown
        assert shown.count(">new</span>") == new
    tell(club, "Ada", "heron 2 is refused.")
    shown = page_of(ada)
    assert shown.count(">new</span>") == 1
    assert shown.index("heron 2 is refused.") < shown.index("heron &lt;1&gt;")
    assert "Notices" not in page_of(bob)
