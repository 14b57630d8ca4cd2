"""How requests are decided: who may do what, quotas, and what a kill leaves."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import pytest
import trio
import trio.testing

from arena.hosting.database import Database
from arena.hosting.place import Place
from arena.hosting.queue import in_turn, waits
from arena.hosting.requests import Refused, decide, decide_alone, host_lock, serve
from arena.hosting.settings import Limits, Settings, parse_settings
from arena.kits import kits_folder

SETTINGS = parse_settings('name = "Club"\nsandbox = "none"\n', Path("/league/league.toml"))


class League:
    """A league without a host process: requests are decided here."""

    def __init__(self, folder: Path, database: Database) -> None:
        self.place, self.database = Place(folder), database
        self.settings: Settings = SETTINGS._replace(limits=Limits(reserve=0))
        self.place.incoming.mkdir()

    def ask(self, kind: str, account: int | None = None, **values: Any) -> dict[str, Any]:
        answer = decide(self.place, self.settings, self.database, {"ask": kind, "account": account, **values})
        if "refused" in answer:
            raise Refused(answer["refused"])
        done: dict[str, Any] = answer["done"]
        return done

    def author(self, name: str) -> int:
        joined = self.ask("join", invitation=self.ask("invite", name=name)["invitation"])
        account: int = joined["account"]
        return account

    def upload(self, account: int, content: bytes) -> str:
        name = hashlib.sha256(content).hexdigest()
        (self.place.incoming / f"{account}-{name}.zip").write_bytes(content)
        return name

    def submit(self, account: int, bot: str, content: bytes) -> dict[str, Any]:
        return self.ask("submit", account, bot=bot, upload=self.upload(account, content), size=1, note="")

    def accept(self, version: int) -> None:
        self.place.bot(version).mkdir()
        with self.database.transaction():
            self.database.change_version(version, state="accepted")


@pytest.fixture
def league(tmp_path: Path) -> Iterator[League]:
    with Database(tmp_path / "host.db", writer=True) as database:
        yield League(tmp_path, database)


def test_an_invitation_works_once(league: League) -> None:
    invitation = league.ask("invite", name="Ada")["invitation"]
    token = league.ask("join", invitation=invitation)["token"]
    owner = league.database.owner_of(token, "token")
    assert owner is not None
    assert owner.name == "Ada"
    with pytest.raises(Refused, match="used, too old or wrong"):
        league.ask("join", invitation=invitation)


def test_who_brings_the_token_may_use_the_invitation_again(league: League) -> None:
    invitation, token = league.ask("invite", name="Ada")["invitation"], "t" * 32
    joined = league.ask("join", invitation=invitation, token=token)
    assert (joined["name"], joined["token"]) == ("Ada", token)
    assert league.ask("join", invitation=invitation, token=token) == joined
    assert [kind for _, _, kind, _ in league.database.audit(100)] == ["join", "invite"]
    with pytest.raises(Refused, match="used, too old or wrong"):
        league.ask("join", invitation=invitation, token="u" * 32)
    league.ask("sign-out", joined["account"])
    with pytest.raises(Refused, match="used, too old or wrong"):
        league.ask("join", invitation=invitation, token=token)


@pytest.mark.parametrize("token", ["", "t" * 31, "t" * 101, "t" * 31 + "é", 3, None])
def test_a_token_that_is_easy_to_guess_is_refused(league: League, token: object) -> None:
    with pytest.raises(Refused, match="token must be"):
        league.ask("join", invitation=league.ask("invite", name="Ada")["invitation"], token=token)


def test_nobody_takes_the_secret_of_another_account(league: League) -> None:
    invitations = [league.ask("invite", name=name)["invitation"] for name in ("Ada", "Bob", "Eve")]
    league.ask("join", invitation=invitations[0], token="t" * 32)
    for token in ("t" * 32, invitations[1]):
        with pytest.raises(Refused, match="another account"):
            league.ask("join", invitation=invitations[2], token=token)
    assert league.ask("join", invitation=invitations[1])["name"] == "Bob"


def test_another_invitation_stops_the_lost_token(league: League) -> None:
    token = league.ask("join", invitation=league.ask("invite", name="Ada")["invitation"])["token"]
    again = league.ask("invite", name="ADA")["invitation"]
    assert league.database.owner_of(token, "token") is None
    assert league.ask("join", invitation=again)["name"] == "Ada"


def test_authors_neither_invite_nor_revoke(league: League) -> None:
    ada = league.author("Ada")
    for kind in ("invite", "revoke"):
        with pytest.raises(Refused, match="only a host"):
            league.ask(kind, ada, name="Bob")


def test_a_submission_is_kept_and_the_same_file_is_said_to_be_so(league: League) -> None:
    ada = league.author("Ada")
    done = league.submit(ada, "heron", b"one")
    assert (done["version"], done["same_as"]) == (1, None)
    assert (league.place.submission(done["id"]) / "upload.zip").read_bytes() == b"one"
    assert league.submit(ada, "heron", b"one")["same_as"] == 1
    assert league.submit(ada, "heron", b"two")["version"] == 2


def test_what_a_killed_host_process_left_is_written_anew(league: League) -> None:
    ada = league.author("Ada")
    folder = league.place.submission(1)  # its version was never stored
    folder.mkdir(parents=True)
    (folder / "upload.zip").write_bytes(b"old")
    assert league.submit(ada, "heron", b"new")["id"] == 1
    assert (folder / "upload.zip").read_bytes() == b"new"


def test_a_bot_belongs_to_its_author(league: League) -> None:
    ada, bob = league.author("Ada"), league.author("Bob")
    league.submit(ada, "heron", b"one")
    with pytest.raises(Refused, match="another author has a bot called heron"):
        league.submit(bob, "HERON", b"mine")
    for kind, values in (
        ("withdraw", {}),
        ("activate", {"version": 1}),
        ("note", {"version": 1, "note": "x"}),
    ):
        with pytest.raises(Refused, match="you have no bot"):
            league.ask(kind, bob, bot="heron", **values)


def test_a_bot_that_was_only_ever_refused_takes_no_place(league: League) -> None:
    ada = league.author("Ada")
    league.settings = league.settings._replace(limits=Limits(bots=1, reserve=0))
    refused = league.submit(ada, "hreon", b"one")["id"]
    with pytest.raises(Refused, match="you have 1 bot,"):
        league.submit(ada, "heron", b"one")
    with league.database.transaction():
        league.database.change_version(refused, state="refused")
    league.submit(ada, "heron", b"one")
    with pytest.raises(Refused, match="you have 1 bot,"):
        league.submit(ada, "hreon", b"two")


def test_the_names_of_the_bots_of_the_host_are_taken(league: League) -> None:
    league.settings = league.settings._replace(house=(kits_folder() / "greedy-python",))
    with pytest.raises(Refused, match="a bot of the host is called Greedy"):
        league.submit(league.author("Ada"), "Greedy", b"one")


@pytest.mark.parametrize(
    ("limits", "problem"),
    [
        (Limits(bots=1, reserve=0), "you have 1 bot,"),
        (Limits(builds=1, reserve=0), "you submitted 1 version in"),
        (Limits(size=2, reserve=0), "the file has 3 bytes"),
        (Limits(disk=5, reserve=0), "your versions fill"),
        (Limits(reserve=1 << 60), "the disk of the host is full"),
    ],
)
def test_quotas(league: League, limits: Limits, problem: str) -> None:
    ada = league.author("Ada")
    league.submit(ada, "heron", b"one")
    league.settings = league.settings._replace(limits=limits)
    with pytest.raises(Refused, match=problem):
        league.submit(ada, "swan", b"two")
    assert len(league.database.bots()) == 1


@pytest.mark.parametrize("name", ["", "x" * 31, "a\nb", " a", "heron v1", "Heron V12", "heron v1 (2)"])
def test_names_of_bots(league: League, name: str) -> None:
    with pytest.raises(Refused, match="cannot be the name of a bot"):
        league.submit(league.author("Ada"), name, b"one")


def test_only_accepted_versions_play_and_can_be_rolled_back(league: League) -> None:
    ada = league.author("Ada")
    first, second = league.submit(ada, "heron", b"one"), league.submit(ada, "heron", b"two")
    with pytest.raises(Refused, match="version 1 of heron is received"):
        league.ask("activate", ada, bot="heron", version=1)
    league.accept(first["id"])
    league.accept(second["id"])
    for number in (2, 1):
        league.ask("activate", ada, bot="heron", version=number)
        assert [version.number for _, version, _ in league.database.active()] == [number]
    league.ask("withdraw", ada, bot="heron")
    assert league.database.active() == []
    with pytest.raises(Refused, match="has no version 3"):
        league.ask("activate", ada, bot="heron", version=3)


def test_a_revoked_account_can_do_nothing_and_its_bots_play_no_more(league: League) -> None:
    ada = league.author("Ada")
    version = league.submit(ada, "heron", b"one")["id"]
    league.accept(version)
    league.ask("activate", ada, bot="heron", version=1)
    league.ask("revoke", name="ada")
    assert league.database.active() == []
    with pytest.raises(Refused, match="this account is closed"):
        league.ask("token", ada)
    with pytest.raises(Refused, match="is revoked"):
        league.ask("invite", name="Ada")


@pytest.mark.parametrize(
    "asked",
    [
        {"ask": "fly"},
        {"ask": "join", "invitation": 3},
        {"ask": "submit", "account": 99, "bot": "heron"},
        {"ask": "submit", "account": None, "bot": "heron"},
        {"ask": "invite", "account": None, "name": "x" * 300},
        {"ask": "invite", "account": None, "name": "\ud800"},
        {"ask": "join", "invitation": "\ud800"},
    ],
)
def test_bad_requests_are_refused(league: League, asked: dict[str, Any]) -> None:
    assert "refused" in decide(league.place, league.settings, league.database, asked)
    assert league.database.accounts() == []


def test_the_audit_trail_has_no_secrets(league: League) -> None:
    invitation = league.ask("invite", name="Ada")["invitation"]
    joined = league.ask("join", invitation=invitation)
    token = league.ask("token", joined["account"])["token"]
    trail = json.dumps(league.database.audit(100))
    assert not any(secret in trail for secret in (invitation, joined["token"], token))
    assert [kind for _, _, kind, _ in league.database.audit(100)] == ["token", "join", "invite"]


def test_without_a_host_process_the_command_decides(tmp_path: Path) -> None:
    place = Place(tmp_path)
    assert decide_alone(place, SETTINGS, "invite", name="Ada")["url"].startswith(
        "http://127.0.0.1:8000/join/"
    )
    with host_lock(place), pytest.raises(Refused, match="does not answer: stop it, and try again"):
        decide_alone(place, SETTINGS, "invite", patience=0, name="Bob")


def test_the_command_decides_when_a_host_process_that_ends_has_gone(tmp_path: Path) -> None:
    place = Place(tmp_path)
    with ExitStack() as ending:
        ending.enter_context(host_lock(place))
        done = decide_alone(place, SETTINGS, "invite", pause=lambda seconds: ending.close(), name="Ada")
    assert "/join/" in done["url"]


def test_the_command_waits_until_a_host_process_that_starts_hears(tmp_path: Path) -> None:
    place = Place(tmp_path)

    async def opened(decided: Any, task_status: trio.TaskStatus[None]) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(serve, place, decided)
            await trio.testing.wait_all_tasks_blocked()
            task_status.started()

    async def starts() -> dict[str, Any]:
        with host_lock(place), Database(place.database, writer=True) as database:
            async with trio.open_nursery() as nursery:
                heard: list[Any] = []

                def decided(asked: Any) -> dict[str, Any]:
                    heard.append(asked)
                    return decide(place, SETTINGS, database, asked)

                def pause(seconds: float) -> None:
                    if not place.socket.exists():
                        trio.from_thread.run(nursery.start, opened, decided)

                asked = partial(decide_alone, place, SETTINGS, "invite", pause=pause, name="Ada")
                done: dict[str, Any] = await trio.to_thread.run_sync(asked)
                assert [each["name"] for each in heard] == ["Ada"]
                nursery.cancel_scope.cancel()
        return done

    assert "/join/" in trio.run(starts)["url"]


def test_a_transaction_that_only_reads_at_first_keeps_other_writers_out(league: League) -> None:
    with Database(league.place.database, writer=True) as other:
        other._db.set_busy_timeout(0)
        with league.database.transaction():
            assert league.database.accounts() == []
            with pytest.raises(apsw.BusyError), other.transaction():
                pass
            league.database.add_account("Ada", "author")
        with other.transaction():
            other.add_account("Bob", "author")
    assert [account.name for account in league.database.accounts()] == ["Ada", "Bob"]


def test_a_request_is_refused_while_another_connection_writes(league: League) -> None:
    league.database._db.set_busy_timeout(0)
    with Database(league.place.database, writer=True) as other, other.transaction():
        other.add_account("Bob", "author")
        with pytest.raises(Refused, match="try again"):
            league.ask("invite", name="Ada")
    assert league.ask("invite", name="Ada")["invitation"]


def test_an_author_with_many_versions_keeps_nobody_waiting(league: League) -> None:
    ada, bob = league.author("Ada"), league.author("Bob")
    many = [league.submit(ada, "heron", bytes([number]))["id"] for number in range(3)]
    one = league.submit(bob, "swan", b"swan")["id"]
    assert [version.id for version in in_turn(league.database)] == [one, *many]
    assert [version.id for version in in_turn(league.database, [many[1]])] == [one]
    assert [version.id for version in in_turn(league.database, [one])] == many


def test_an_author_is_told_the_place_of_a_version_in_the_queue_and_what_is_before_it(league):
    ada, bob = league.author("Ada"), league.author("Bob")
    first, second, third = (league.submit(ada, "heron", bytes([number]))["id"] for number in range(3))
    swan = league.submit(bob, "swan", b"swan")["id"]

    def told(id: int) -> str:
        return waits(league.database, league.database.version(id))

    assert told(swan) == "1st in the queue", "who has submitted less comes first"
    assert told(first) == "2nd in the queue; behind 1 submission of other authors"
    assert told(third) == "4th in the queue; behind your own submission of heron, version 2"
    league.database.change_version(swan, state="building")
    assert told(swan) == ""
    assert told(first) == "1st in the queue; behind 1 build of other authors"
    league.database.change_version(first, state="checking")
    assert told(second) == "1st in the queue; behind your own build of heron, version 1"
    assert told(third) == "2nd in the queue; behind your own build of heron, version 1"
    nightjar = league.submit(league.author("Cy"), "nightjar", b"")["id"]
    assert told(nightjar) == "1st in the queue; behind 2 builds of other authors"
