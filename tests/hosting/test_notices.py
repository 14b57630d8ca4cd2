"""Notices: what authors and hosts are told, and that each thing is told once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import apsw
import pytest
import trio
from starlette.exceptions import HTTPException

from arena.hosting.database import _SCHEMA, Database, Notice
from arena.hosting.pages.author_data import First, watch_first
from arena.hosting.place import Place
from arena.hosting.report import Result
from tests.hosting.host_here import Host, ends_with, going_on, in_simulated_time


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    with Database(Place(tmp_path).database, writer=True) as database:
        yield Host(tmp_path, database)


def told(database: Database, name: str) -> list[Notice]:
    account = database.account_called(name)
    assert account is not None
    return database.notices(account.id)


def test_an_author_is_told_what_became_of_a_version_and_once(host: Host) -> None:
    async def test() -> None:
        for number, result in enumerate((Result("refused", "it does not start"), Result("accepted")), 1):
            host.build = ends_with(result)
            id = host.submit()
            async with going_on(host.process.submissions):
                await host.decided(id)
            with host.database.transaction():  # a host process that was killed before the database knew
                host.database.change_version(id, state="checking")
            async with going_on(host.process.submissions):
                await host.decided(id)
            assert len(told(host.database, "Ada")) == number

    in_simulated_time(test)
    assert [(each.kind, each.text, each.path) for each in told(host.database, "Ada")] == [
        ("accepted", "heron version 2 is accepted, and plays from now on.", "/submissions/heron/2"),
        ("refused", "heron version 1 is refused: it does not start.", "/submissions/heron/1"),
    ]


def test_an_author_and_the_hosts_are_told_of_a_bot_that_a_host_withdraws(host: Host) -> None:
    def withdrawn_by(account: int | None) -> None:
        host.database.activate(bot, version)
        asked = {"ask": "withdraw", "account": account, "bot": "heron"}
        assert "done" in host.process.decided(asked)

    version, hilda = host.submit(), host.database.add_account("Hilda", "host")
    ada, bot = 1, 1
    withdrawn_by(ada)
    assert told(host.database, "Ada") == told(host.database, "Hilda") == []
    withdrawn_by(hilda)
    text = "heron plays no more: a host withdrew it. Its page lets it play again."
    assert [each.text for each in told(host.database, "Ada")] == [text]
    assert [each.text for each in told(host.database, "Hilda")] == [text]


def test_authors_and_hosts_are_told_who_wins_and_loses_the_first_place(host: Host) -> None:
    def first(season: int, bot: str, name: str = "") -> None:
        asked = {"ask": "first", "account": None, "season": season, "bot": bot, "name": name or bot}
        assert host.process.decided(asked) == {"done": {}}

    host.submit("heron")
    bob = host.database.add_account("Bob", "author")
    host.database.add_bot(bob, "swan")
    host.database.add_account("Hilda", "host")
    for _ in range(2):  # as after an answer that was lost
        first(1, "heron")
    first(1, "swan")
    first(1, "", "greedy")
    first(2, "heron")  # another season
    assert [each.text for each in told(host.database, "Ada")] == [
        "heron has the first place of the ladder.",
        "heron has lost the first place of the ladder to swan.",
        "heron has the first place of the ladder.",
    ]
    assert [(each.kind, each.text) for each in told(host.database, "Bob")] == [
        ("overtaken", "swan has lost the first place of the ladder to greedy."),
        ("first", "swan has the first place of the ladder."),
    ]
    firsts = ["heron", "greedy", "swan", "heron"]
    assert [each.text.split()[0] for each in told(host.database, "Hilda")] == firsts
    asked = {"ask": "first", "account": bob, "season": 2, "bot": "swan", "name": "swan"}
    assert "refused" in host.process.decided(asked)


def test_the_first_place_is_told_after_an_hour_and_again_if_nobody_hears() -> None:
    async def test() -> None:
        found: First | None = None
        told: list[tuple[float, str]] = []
        deaf = 1

        async def tell(first: First) -> None:
            nonlocal deaf
            if deaf:
                deaf -= 1
                raise HTTPException(503)
            told.append((trio.current_time() - begun, first.name))

        begun = trio.current_time()
        async with going_on(partial(watch_first, lambda: found, tell)):
            for at, name in ((0, "heron"), (7000, "swan"), (9000, "heron"), (20_000, "swan"), (30_000, "")):
                await trio.sleep_until(begun + at + 1)
                found = First(1, name, name) if name else None
            await trio.sleep(9000)
        assert told == [(4800, "heron"), (24_000, "swan")]

    in_simulated_time(test)


def test_hosts_are_told_what_authors_are_not(tmp_path: Path) -> None:
    with Database(tmp_path / "host.db", writer=True) as database:
        database.add_account("Ada", "author")
        database.add_account("Hilda", "host")
        database.tell(None, "night-failed", "Friday", "Friday failed.", "/nights-to-come")
        assert told(database, "Ada") == []
        assert [each.text for each in told(database, "Hilda")] == ["Friday failed."]


def test_only_the_newest_notices_are_kept(tmp_path: Path) -> None:
    with Database(tmp_path / "host.db", writer=True) as database:
        ada, bob = (database.add_account(name, "author") for name in ("Ada", "Bob"))
        for number in range(201):
            for account in (ada, bob) if number == 0 else (ada,):
                database.tell(account, "refused", str(number), f"notice {number}", "/")
        assert [each.text for each in database.notices(ada)] == [
            f"notice {each}" for each in range(200, 0, -1)
        ]
        assert len(database.notices(bob)) == 1


def test_a_database_of_an_earlier_version_gets_notices(tmp_path: Path) -> None:
    path = tmp_path / "host.db"
    with apsw.Connection(str(path)) as earlier:
        earlier.execute(_SCHEMA[0])
        earlier.pragma("user_version", 1)
    earlier.close()
    with Database(path) as before:
        assert before.accounts() == []
    with Database(path, writer=True) as database:
        ada = database.add_account("Ada", "author")
        database.tell(ada, "refused", "1", "heron version 1 is refused.", "/")
        assert len(database.notices(ada)) == 1
