"""The API of a standing league at a real page: accounts, uploads, versions, and what nobody else sees."""

from __future__ import annotations

import http.client
from urllib.parse import urlsplit

import apsw
import pytest

from arena.hosting.database import Database
from tests.hosting.pages.standing import LEAGUE, Author, Club, digest, standing, submit
from tests.patience import PATIENCE
from tests.referee.nights import wait_for
from tests.view.served import served


@pytest.fixture(scope="module")
def club(tmp_path_factory):
    with standing(tmp_path_factory.mktemp("club")) as found:
        yield found


def test_the_environment_is_public(club):
    found = Author(club.page).ask("GET", "/api/environment")
    assert found["games"] == ["nyuri", "kleftis"]
    assert found["clock"] == {"bank": "60s", "increment": "100ms", "move": "2s"}
    assert found["limits"]["size"] == 1 << 20
    assert "Python" in [each["name"] for each in found["languages"]]


def test_an_invitation_opens_once_and_a_token_until_it_is_replaced(club):
    invitation = club.invitation("Joiner")
    nobody = Author(club.page)
    assert "You are invited" in club.page.get(f"/join/{invitation}")  # a preview of the link uses nothing up
    joined = nobody.ask("POST", "/api/join", 200, {"invitation": invitation})
    assert "is used, too old" in nobody.ask("POST", "/api/join", 409, {"invitation": invitation})["error"]
    author = Author(club.page, joined["token"])
    assert author.ask("GET", "/api/me") == {"name": "Joiner", "role": "author", "bots": []}
    newer = Author(club.page, author.ask("POST", "/api/token", 200, {})["token"])
    assert "log in again" in author.ask("GET", "/api/me", 401)["error"]
    newer.ask("POST", "/api/sign-out", 200, {})
    newer.ask("GET", "/api/me", 401)
    assert "Log in first" in nobody.ask("GET", "/api/me", 401)["error"]


def test_a_version_is_submitted_reported_and_rolled_back(club):
    ada = club.author("Ada")
    assert submit(ada, "walker", b"first", "a note") == {"version": 1, "same_as": None}
    assert submit(ada, "walker", b"first") == {"version": 1, "same_as": 1}
    club.report(club.version_id("walker", 1), "one", "two")
    report = ada.ask("GET", "/api/bots/walker/versions/1/report?from=1")
    assert report["state"] == "received"
    assert [line["text"] for line in report["lines"]] == ["two"]
    assert report["next"] == 2
    nobody = Author(club.page)
    nobody.ask("GET", "/api/bots/walker", 404)  # until a version is accepted
    club.decided("walker", 1)
    submit(ada, "walker", b"second")
    club.decided("walker", 2)
    [row] = [row for row in nobody.ask("GET", "/api/bots") if row["name"] == "walker"]
    assert (row["author"], row["version"], row["rating"]) == ("Ada", 2, None)
    ada.ask("POST", "/api/bots/walker/activate", 200, {"version": 1})
    assert nobody.ask("GET", "/api/bots/walker")["version"] == 1
    ada.ask("POST", "/api/bots/walker/note", 200, {"version": 2, "note": "slow"})
    notes = {each["version"]: each["note"] for each in ada.ask("GET", "/api/bots/walker")["versions"]}
    assert notes == {1: "a note", 2: "slow"}
    ada.ask("POST", "/api/bots/walker/withdraw", 200, {})
    assert nobody.ask("GET", "/api/bots/walker")["version"] is None
    assert "no version 9" in ada.ask("POST", "/api/bots/walker/activate", 409, {"version": 9})["error"]
    assert ada.ask("GET", "/api/bots/walker/log") == {"log": ""}
    assert nobody.ask("GET", "/api/bots/walker/games") == []


def test_an_upload_goes_on_where_it_stopped(club):
    author, data = club.author("Uploader"), bytes(range(256)) * 200
    path, url = f"/api/uploads/{digest(data)}", urlsplit(club.page.url)
    connection = http.client.HTTPConnection(url.hostname, url.port)
    connection.putrequest("PUT", f"{path}?from=0")
    connection.putheader("Authorization", f"Bearer {author.token}")
    connection.putheader("Content-Length", str(len(data)))
    connection.endheaders(data[:10_000])
    connection.close()
    received = author.ask("GET", path)["received"]
    assert received <= 10_000
    author.ask("PUT", f"{path}?from={len(data)}", 409, b"")
    answer = author.ask("PUT", f"{path}?from={received}", 200, data[received:])
    assert answer == {"received": len(data), "complete": True}
    assert author.ask("GET", path) == {"received": len(data)}


def test_a_hung_upload_gives_way_to_the_next_of_the_same_file(club):
    author, data = club.author("Hung"), b"x" * 5000
    path, url = f"/api/uploads/{digest(data)}", urlsplit(club.page.url)
    hung = http.client.HTTPConnection(url.hostname, url.port)
    hung.putrequest("PUT", f"{path}?from=0")
    hung.putheader("Authorization", f"Bearer {author.token}")
    hung.putheader("Content-Length", str(len(data)))
    hung.endheaders(data[:100])
    wait_for(lambda: any(club.place.incoming.glob(f"*-{digest(data)}.part")))
    assert author.ask("PUT", f"{path}?from=0", 200, data)["complete"]
    hung.close()


def test_slow_uploads_of_one_author_hold_up_nobody_else(club):
    slow, other, url = club.author("Slow"), club.author("Quick"), urlsplit(club.page.url)
    hung = []
    for number in range(2):
        connection = http.client.HTTPConnection(url.hostname, url.port)
        connection.putrequest("PUT", f"/api/uploads/{number:064x}?from=0")
        connection.putheader("Authorization", f"Bearer {slow.token}")
        connection.putheader("Content-Length", "1000")
        connection.endheaders(b"x")
        hung.append(connection)
        part = f"*-{number:064x}.part"
        wait_for(lambda part=part: any(club.place.incoming.glob(part)))
    path = f"/api/uploads/{digest(b'data')}?from=0"
    assert "under way already" in slow.ask("PUT", path, 429, b"data")["error"]
    assert other.ask("PUT", path, 200, b"data")["complete"]
    for connection in hung:
        connection.close()


def test_a_damaged_upload_begins_again(club):
    author = club.author("Damaged")
    path = f"/api/uploads/{digest(b'whole')}"
    assert author.ask("PUT", f"{path}?from=0", 200, b"broken") == {"received": 0}
    assert author.ask("GET", path) == {"received": 0}


def test_what_is_too_large_or_wrong_is_refused_in_a_sentence(club):
    author = club.author("Wrong")
    path = f"/api/uploads/{'0' * 64}"
    assert "are allowed" in author.ask("PUT", f"{path}?from=0", 413, bytes((1 << 20) + 1))["error"]
    author.ask("PUT", "/api/uploads/..%2Fx?from=0", 404, b"")
    assert "SHA-256" in author.ask("GET", "/api/uploads/x", 400)["error"]
    assert "number of bytes" in author.ask("PUT", f"{path}?from=-1", 400, b"")["error"]
    assert "JSON object" in author.ask("POST", "/api/bots/x/activate", 400, b"[")["error"]
    assert "a number, version" in author.ask("POST", "/api/bots/x/activate", 400, {})["error"]
    assert (
        "has not arrived"
        in author.ask("POST", "/api/bots/x/versions", 409, {"upload": "0" * 64, "size": 1})["error"]
    )
    assert "too long" in author.ask("POST", "/api/bots/x/withdraw", 413, bytes(20_000))["error"]
    author.ask("GET", "/api/nothing", 404)


def test_a_cookie_changes_nothing_for_another_site(club):
    author = club.author("Cookie")
    cookie, nobody = f"arena=author:{author.token}", Author(club.page)
    nobody.ask("GET", "/api/me", 200, Cookie=cookie)
    for origin in ({}, {"Origin": "http://elsewhere.example"}, {"Origin": "null"}):
        for more in ({}, {"Authorization": "Basic YTpi"}):  # which a browser sends by itself
            club.page.answer("/api/token", 403, b"{}", Cookie=cookie, **origin, **more)
    assert nobody.ask("PUT", "/api/uploads", 200, b"x", Cookie=cookie, Origin=club.page.url) == {
        "upload": digest(b"x"), "received": 1, "complete": True,
    }  # fmt: skip


def test_guessing_tokens_soon_waits(tmp_path):
    with standing(tmp_path) as club:
        nobody = Author(club.page)
        codes = set()
        for number in range(25):
            try:
                nobody.ask("POST", "/api/join", 429, {"invitation": f"guess{number}"})
                codes.add(429)
            except AssertionError:
                codes.add(409)
        assert codes == {409, 429}


def test_without_a_host_process_reading_works_and_deciding_says_so(tmp_path):
    club = Club(tmp_path)
    invitation = club.invitation("Ada")
    with served(club.place.league, no_host=True, standing=tmp_path) as page:
        assert (
            "does not run" in Author(page).ask("POST", "/api/join", 503, {"invitation": invitation})["error"]
        )
        assert Author(page).ask("GET", "/api/bots") == []
        assert "The ladder begins by itself as soon as two bots can play" in page.get("/")


def test_a_request_without_a_length_is_not_read_to_its_end(club):
    """A stranger sends it in portions, and does not end it: the answer comes as soon as it is too long."""
    url = urlsplit(club.page.url)
    for path in ("/api/join", "/login"):
        connection = http.client.HTTPConnection(url.hostname, url.port, timeout=PATIENCE)
        connection.putrequest("POST", path)
        connection.putheader("Transfer-Encoding", "chunked")
        connection.endheaders()
        connection.send(b"%x\r\n%s\r\n" % (20_000, bytes(20_000)))
        with connection.getresponse() as answer:
            assert answer.status == 413
        connection.close()


def test_uploads_that_are_not_submitted_do_not_pile_up(club):
    author = club.author("Hoarder")
    for number in range(10):
        author.ask("PUT", f"/api/uploads/{digest(bytes([number]))}?from=0", 200, bytes([number]))
    account = author.ask("GET", "/api/me")["name"]
    with Database(club.place.database) as database:
        found = database.account_called(account)
    assert found is not None
    assert len(list(club.place.incoming.glob(f"{found.id}-*"))) == 4
    assert author.ask("GET", f"/api/uploads/{digest(bytes([9]))}") == {"received": 1}


def test_behind_a_proxy_the_page_answers_by_its_name_outside(tmp_path):
    names = ("bots.example.org", "BOTS.example.org:443", "localhost", "elsewhere.example")
    with standing(tmp_path, f'url = "https://bots.example.org"\n{LEAGUE}') as club:
        assert [club.page.any("/bots", Host=name)[0] for name in names] == [200, 200, 200, 421]


@pytest.mark.parametrize("name", ["steps", "explained", "nobody"])
def test_an_error_of_a_page_is_a_page_whatever_the_bot_is_called(club, name):
    for path in (f"/bots/{name}", f"/submissions/{name}/1"):
        code, text, headers = club.page.any(path, Authorization=f"Bearer {club.author(path).token}")
        assert (code, headers.get_content_type()) == (404, "text/html")
        assert "There is no such bot." in text


def test_many_bots_are_read_by_as_few_queries_as_one(club, request):
    asked: list[str] = []

    def note(cursor: apsw.Cursor, query: str, values: object) -> bool:
        asked.append(query)
        return True

    def hook(connection: apsw.Connection) -> None:
        connection.exec_trace = note

    def queries() -> int:
        asked.clear()
        Author(club.page).ask("GET", "/api/bots")
        return len(asked)

    apsw.connection_hooks.append(hook)
    request.addfinalizer(lambda: apsw.connection_hooks.remove(hook))
    before = queries()
    assert before > 0
    with Database(club.place.database, writer=True) as database:
        author = database.add_account("Many", "author")
        for number in range(20):
            bot = database.add_bot(author, f"many{number}")
            for _ in range(number % 3):
                database.change_version(database.add_version(bot, "0" * 64, 1, ""), state="accepted")
        assert database.versions_by_bot() == {
            bot.id: versions for bot in database.bots() if (versions := database.versions(bot.id))
        }
    assert queries() == before
    assert len(Author(club.page).ask("GET", "/api/bots")) >= 13
