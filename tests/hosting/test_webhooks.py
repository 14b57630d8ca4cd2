"""Webhooks: what receivers get, which addresses are dialled, and what a hostile receiver can do."""

from __future__ import annotations

import hashlib
import hmac
import json
import socket
import ssl
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import trio

from arena.hosting.database import Database, Notice, Receiver
from arena.hosting.place import Place
from arena.hosting.requests import decide
from arena.hosting.settings import parse_settings
from arena.hosting.webhooks import PAUSES, SIGNATURE, Webhooks, body_of, is_public, url_problem
from arena.link.tls.identity import Identity, kept, server_context
from tests.patience import PATIENCE

CLUB = parse_settings(
    'name = "Club"\nurl = "https://club.example"\nsandbox = "none"\n', Path("/league/league.toml")
)
MOMENT = datetime(2026, 12, 4, 18, 50, tzinfo=UTC)
Answering = Callable[[trio.SSLStream[trio.SocketStream]], Awaitable[None]]


@pytest.fixture(scope="module")
def identity(tmp_path_factory: pytest.TempPathFactory) -> Identity:
    return kept(tmp_path_factory.mktemp("tls"), ["localhost"])


class Sending:
    """The webhooks of a league, whose clock stands still until the test moves it."""

    def __init__(self, place: Place, database: Database, identity: Identity) -> None:
        self.place, self.database, self.identity = place, database, identity
        self.now, self.said = MOMENT, list[str]()
        self.webhooks = self.made()

    def made(self, **changed: Any) -> Webhooks:
        trusted = ssl.create_default_context(cafile=self.identity.certificate)
        usual: dict[str, Any] = {"allowed": lambda address: True, "tls": trusted, "now": lambda: self.now}
        return Webhooks(self.database, CLUB, self.said.append, **{"patience": PATIENCE, **usual, **changed})

    def ask(self, kind: str, account: int, **values: str) -> dict[str, Any]:
        return decide(self.place, CLUB, self.database, {"ask": kind, "account": account, **values})

    def author(self, name: str, url: str) -> tuple[int, str]:
        """An author with a webhook that has got nothing yet; the account, and the secret."""
        account = self.database.add_account(name, "author")
        return account, self.ask("webhook", account, url=url)["done"]["secret"]

    def receiver(self, account: int = 1) -> Receiver:
        return self.database.receiver(account)

    async def send(self) -> None:
        """Sends one notice of each account, if it is due, and waits for what comes of that."""
        with trio.fail_after(PATIENCE):
            async with trio.open_nursery() as nursery:
                self.webhooks.send_due(nursery)


@pytest.fixture
def sending(tmp_path: Path, identity: Identity) -> Iterator[Sending]:
    place = Place(tmp_path)
    with Database(place.database, writer=True) as database:
        yield Sending(place, database, identity)


@asynccontextmanager
async def receiver(identity: Identity, answer: Answering) -> AsyncIterator[str]:
    """A web server at the address that this gives."""

    async def hear(stream: trio.SSLStream[trio.SocketStream]) -> None:
        try:
            await answer(stream)
        except trio.BrokenResourceError:
            pass
        finally:
            await trio.aclose_forcefully(stream)

    context = server_context(identity.certificate, identity.key)
    async with trio.open_nursery() as nursery:
        listeners = await nursery.start(
            lambda task_status: trio.serve_ssl_over_tcp(
                hear, 0, context, host="0.0.0.0", task_status=task_status
            )
        )
        port = listeners[0].transport_listener.socket.getsockname()[1]
        yield f"https://localhost:{port}/hook?key=1"
        nursery.cancel_scope.cancel()


class Inbox:
    """Keeps what it is sent, and answers with a status."""

    def __init__(self, status: str = "204 No Content") -> None:
        self.status, self.got = status, list[tuple[list[str], bytes]]()

    async def __call__(self, stream: trio.SSLStream[trio.SocketStream]) -> None:
        data = b""
        while b"\r\n\r\n" not in data:
            data += await stream.receive_some()
        head, _, body = data.partition(b"\r\n\r\n")
        lines = head.decode().split("\r\n")
        length = next(int(line[15:]) for line in lines if line.startswith("Content-Length:"))
        while len(body) < length:
            body += await stream.receive_some()
        self.got.append((lines, body))
        await stream.send_all(f"HTTP/1.1 {self.status}\r\nContent-Length: 0\r\n\r\n".encode())

    def texts(self) -> list[str]:
        return [json.loads(body)["text"] for _, body in self.got]


def test_a_receiver_gets_each_notice_once_in_order_and_signed(sending: Sending) -> None:
    async def test() -> None:
        inbox = Inbox()
        async with receiver(sending.identity, inbox) as url:
            ada, secret = sending.author("Ada", url)
            sending.database.tell(ada, "refused", "7", "heron version 1 is refused.", "/submissions/heron/1")
            for _ in range(4):
                await sending.send()
                sending.webhooks = sending.made()  # the host process begins anew
        assert inbox.texts() == [
            "Notices to Ada go to localhost from now on.",
            "heron version 1 is refused.",
        ]
        lines, body = inbox.got[1]
        assert lines[0] == "POST /hook?key=1 HTTP/1.1"
        assert f"Host: localhost:{url.split(':')[2].split('/')[0]}" in lines
        signed = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
        assert f"{SIGNATURE}: sha256={signed}" in lines
        told = json.loads(body)
        assert told.pop("at").endswith("+00:00")
        assert told == {
            "league": "Club", "id": 2, "kind": "refused", "text": "heron version 1 is refused.",
            "url": "https://club.example/submissions/heron/1", "sent": "2026-12-04T18:50:00+00:00",
        }  # fmt: skip
        assert sending.receiver().problem == ""

    trio.run(test)


async def hangs(stream: trio.SSLStream[trio.SocketStream]) -> None:
    await trio.sleep_forever()


async def drips(stream: trio.SSLStream[trio.SocketStream]) -> None:
    while True:
        await stream.send_all(b"H")
        await trio.sleep(0.01)


async def never_ends(stream: trio.SSLStream[trio.SocketStream]) -> None:
    while True:
        await stream.send_all(bytes(1 << 16))


async def ends(stream: trio.SSLStream[trio.SocketStream]) -> None:
    await stream.receive_some()


@pytest.mark.parametrize(
    ("answer", "patience", "problem"),
    [
        (hangs, 0.3, "localhost does not answer within 0.3 s"),
        (drips, 0.3, "localhost does not answer within 0.3 s"),
        (never_ends, PATIENCE, "localhost does not answer as a web server does"),
        (Inbox("500 no\r\nX: secret"), PATIENCE, "localhost answers 500"),
        (Inbox("199 \r\n\r\n"), PATIENCE, "localhost answers 199"),
    ],
)
def test_a_hostile_receiver_is_left_and_only_its_status_is_told(
    sending: Sending, answer: Answering, patience: float, problem: str
) -> None:
    async def test() -> None:
        sending.webhooks = sending.made(patience=patience)
        async with receiver(sending.identity, answer) as url:
            sending.author("Ada", url)
            await sending.send()
        assert sending.receiver().problem == problem
        assert sending.receiver().sent == 0

    trio.run(test)


def test_a_receiver_that_ends_the_connection_has_not_got_the_notice(sending: Sending) -> None:
    async def test() -> None:
        async with receiver(sending.identity, ends) as url:
            sending.author("Ada", url)
            await sending.send()
        assert "connection" in sending.receiver().problem or "web server" in sending.receiver().problem
        assert sending.receiver().sent == 0

    trio.run(test)


def test_no_redirection_is_followed(sending: Sending) -> None:
    async def test() -> None:
        inside = Inbox()
        async with receiver(sending.identity, inside) as target:
            outside = Inbox(f"307 Temporary Redirect\r\nLocation: {target}")
            async with receiver(sending.identity, outside) as url:
                sending.author("Ada", url)
                await sending.send()
        assert len(outside.got) == 1
        assert inside.got == []
        assert sending.receiver().problem == "localhost answers 307"

    trio.run(test)


def test_what_is_not_public_is_not_even_dialled(sending: Sending) -> None:
    async def test() -> None:
        sending.webhooks = sending.made(allowed=is_public)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            sending.author("Ada", f"https://localhost:{listener.getsockname()[1]}/")
            await sending.send()
            listener.setblocking(False)
            with pytest.raises(BlockingIOError):
                listener.accept()
        assert sending.receiver().problem == "localhost has no public address"

    trio.run(test)


def test_a_name_that_is_not_known_reads_as_one_of_a_private_network(sending: Sending) -> None:
    async def test() -> None:
        sending.author("Ada", "https://hooks.invalid/")
        await sending.send()
        assert sending.receiver().problem == "hooks.invalid has no public address"

    trio.run(test)


def test_the_addresses_of_a_name_are_checked_each_time(sending: Sending) -> None:
    async def test() -> None:
        inbox, checked, public = Inbox(), list[str](), True

        def allowed(address: str) -> bool:
            checked.append(address)
            return public

        async with receiver(sending.identity, inbox) as url:
            sending.webhooks = sending.made(allowed=allowed)
            sending.author("Ada", url)
            await sending.send()
            public = False
            sending.ask("webhook-test", 1)
            await sending.send()
        assert len(inbox.got) == 1
        assert sending.receiver().problem == "localhost has no public address"
        assert set(checked) <= {"127.0.0.1", "::1"}

    trio.run(test)


def test_a_certificate_must_be_trusted_and_of_the_name(sending: Sending, tmp_path: Path) -> None:
    async def test() -> None:
        inbox, other = Inbox(), kept(tmp_path / "other", [])
        for number, (host, shown) in enumerate((("localhost", other), ("127.0.0.2", sending.identity)), 1):
            async with receiver(shown, inbox) as url:
                account = sending.database.add_account(f"author {number}", "author")
                sending.database.change_receiver(account, url=url.replace("localhost", host), secret="s")
                sending.ask("webhook-test", account)
                await sending.send()
            told = sending.receiver(account).problem
            assert told == f"{host} does not show a valid certificate of its name"
        assert inbox.got == []

    trio.run(test)


def test_a_slow_receiver_holds_nobody_up(sending: Sending) -> None:
    async def test() -> None:
        inbox = Inbox()
        async with receiver(sending.identity, hangs) as slow, receiver(sending.identity, inbox) as url:
            sending.author("Slow", slow)
            ada, _ = sending.author("Ada", url)
            sending.database.tell(ada, "refused", "7", "heron version 1 is refused.", "/")
            with trio.fail_after(PATIENCE):
                async with trio.open_nursery() as nursery:
                    while len(inbox.got) < 2:
                        sending.webhooks.send_due(nursery)
                        await trio.sleep(0.01)
                    nursery.cancel_scope.cancel()
        assert inbox.texts()[1] == "heron version 1 is refused."

    trio.run(test)


def test_waiting_for_the_address_of_a_name_is_not_charged(sending: Sending) -> None:
    async def test() -> None:
        sending.webhooks = sending.made(patience=0)
        sending.author("Ada", "https://hooks.invalid/")
        await sending.send()
        assert sending.receiver().problem == "hooks.invalid has no public address"

    trio.run(test)


def test_names_that_are_slow_to_look_up_hold_nobody_up_for_ever(sending: Sending) -> None:
    async def test() -> None:
        inbox, late, asked = Inbox(), threading.Event(), list[str]()

        def slow(host: str, *how: Any, **more: Any) -> Any:
            if not host.endswith(".slow.invalid"):
                return socket.getaddrinfo(host, *how, **more)
            asked.append(host)
            late.wait()
            raise socket.gaierror

        sending.webhooks = sending.made(look_up=slow)
        async with receiver(sending.identity, inbox) as url:
            names = [f"{number}.slow.invalid" for number in range(30)]
            for name in names:
                sending.author(name, f"https://{name}/")
            ada, _ = sending.author("Ada", url)
            with trio.fail_after(PATIENCE):
                async with trio.open_nursery() as nursery:
                    for _ in range(3):  # no author has two names looked up at once
                        sending.webhooks.send_due(nursery)
                        await trio.sleep(0)
                    late.set()
        assert sorted(asked) == sorted(names)
        assert len(inbox.got) == 1
        assert (sending.receiver(ada).tries, sending.receiver(ada).problem) == (0, "")

    trio.run(test)


def test_what_fails_is_tried_ever_later_and_then_given_up(sending: Sending) -> None:
    async def test() -> None:
        inbox = Inbox("503 busy")
        async with receiver(sending.identity, inbox) as url:
            sending.author("Ada", url)
            for tries, pause in enumerate(PAUSES, 1):
                await sending.send()
                sending.now += timedelta(seconds=pause - 1)
                await sending.send()  # not yet
                assert len(inbox.got) == tries
                sending.now += timedelta(seconds=1)
            await sending.send()
            told = sending.receiver()
            assert told.problem == "localhost answers 503, so the webhook was removed"
            assert (told.url, told.secret) == ("", "")
            sending.now += timedelta(days=9)
            await sending.send()
            assert len(inbox.got) == len(PAUSES) + 1
            inbox.status = "200 OK"
            sending.ask("webhook", 1, url=url)
            await sending.send()
            assert sending.receiver().problem == ""

    trio.run(test)


def test_what_was_set_meanwhile_stays(sending: Sending) -> None:
    async def test() -> None:
        async def answer(stream: trio.SSLStream[trio.SocketStream]) -> None:
            sending.ask("webhook", 1, url="https://other.example/")
            await inbox(stream)

        inbox = Inbox("500 no")
        async with receiver(sending.identity, answer) as url:
            sending.author("Ada", url)
            await sending.send()
        told = sending.receiver()
        assert (told.url, told.tries, told.problem) == ("https://other.example/", 0, "")

    trio.run(test)


def test_an_author_cannot_make_the_host_flood_anybody(sending: Sending) -> None:
    async def test() -> None:
        inbox = Inbox()
        async with receiver(sending.identity, inbox) as url:
            sending.author("Ada", url)
            for _ in range(30):
                sending.ask("webhook-test", 1)
                sending.ask("webhook", 1, url=url)
                await sending.send()
        assert len(inbox.got) == 20

    trio.run(test)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.9.9.9", "0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1",
        "169.254.169.254", "100.64.0.1", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255",
        "192.0.2.1", "198.18.0.1", "198.51.100.7", "203.0.113.9", "::", "::1", "fe80::1", "fe80::1%lo",
        "fec0::1", "fc00::1", "fd12:3456::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
        "::ffff:169.254.169.254", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::1",
        "2002:7f00:1::", "2001:0:7f00:1::", "2001:db8::1",
    ],
)  # fmt: skip
def test_an_address_that_is_not_of_the_internet_is_refused(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["1.1.1.1", "8.8.8.8", "172.32.0.1", "2606:4700:4700::1111"])
def test_an_address_of_the_internet_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "url",
    [
        "http://hooks.example/", "hooks.example", "https://", "https:///x", "https://hooks.example:0/",
        "https://hooks.example:99999/", "https://user:word@hooks.example/", "https://@hooks.example/",
        "https://hooks.example/#part", "https://hooks.example/\r\nX: y", "https://hooks.example/a b",
        "https://höoks.example/", "https://127.0.0.1/", "https://[::1]/", "https://[::ffff:10.0.0.1]/",
        "https://10.0.0.1:8443/", "ftp://hooks.example/", "https://hooks.example\\@127.0.0.1/", "x" * 501,
        "https://[/", "https://hooks.example/" + "x" * 500, "file:///etc/passwd",
    ],
)  # fmt: skip
def test_what_is_no_address_of_a_webhook_is_refused_in_a_sentence(sending: Sending, url: str) -> None:
    ada = sending.database.add_account("Ada", "author")
    answer = sending.ask("webhook", ada, url=url)
    assert answer["refused"].startswith("this address ")
    assert answer["refused"].endswith("give one such as https://hooks.example.org/arena")
    assert sending.database.receiving() == []


def test_names_cannot_ping_or_link_where_discord_and_slack_show_them() -> None:
    text = "heron <!channel> @everyone [win](https://evil.example) & **more** is refused."
    notice = Notice(3, "2026-12-04T18:50:00+00:00", "refused", text, "/submissions/heron/1")
    for host in ("discord.com", "discordapp.com"):
        told = json.loads(body_of(host, notice, CLUB, MOMENT))
        assert told["allowed_mentions"] == {"parse": []}
        assert r"\[win\]\(https\://evil.example\)" in told["content"]
        assert told["content"].endswith("\n<https://club.example/submissions/heron/1>")
    told = json.loads(body_of("hooks.slack.com", notice, CLUB, MOMENT))
    assert list(told) == ["text"]
    assert "&lt;!channel&gt;" in told["text"]
    assert "&amp; **more**" in told["text"]
    long = notice._replace(text="*" * 1000)
    assert len(json.loads(body_of("discord.com", long, CLUB, MOMENT))["content"]) <= 2000


def test_the_webhook_is_removed_with_the_word_of_its_owner_and_with_the_account(sending: Sending) -> None:
    ada, _ = sending.author("Ada", "https://hooks.example/")
    bob, _ = sending.author("Bob", "https://hooks.example/")
    assert url_problem("https://hooks.example/") is None
    assert sending.ask("webhook", ada, url="")["done"] == {"host": "", "secret": ""}
    assert "refused" in sending.ask("webhook-test", ada)
    assert [each.account for each in sending.database.receiving()] == [bob]
    with sending.database.transaction():
        sending.database.revoke(bob)
    assert sending.database.receiving() == []
