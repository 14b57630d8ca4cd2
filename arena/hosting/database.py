"""The database of a standing league: accounts, their secrets, bots, versions, and what happened.

The host process is its only writer; the page and the commands read it. Of secrets only hashes are stored, but
for the addresses of webhooks and the secrets that sign what they get.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, Self, TypeVar

import apsw

from arena.names import same_name
from arena.text import one_line

_Row = TypeVar("_Row")
Role = Literal["author", "host"]
Secret = Literal["invitation", "token"]
State = Literal["received", "building", "checking", "accepted", "refused"]

UNDER_WAY: Final = ("received", "building", "checking")
"""The states of a version that is neither accepted nor refused yet."""

INVITED: Final = timedelta(days=14)
"""How long an invitation can be used."""

_BUSY = 5000  # milliseconds to wait for another connection's lock
_SCHEMA = (
    """
    CREATE TABLE account (
        id      INTEGER PRIMARY KEY,
        name    TEXT NOT NULL,
        same    TEXT NOT NULL UNIQUE,    -- the name as `same_name` compares it
        role    TEXT NOT NULL CHECK (role IN ('author', 'host')),
        created TEXT NOT NULL,           -- all times are UTC, ISO 8601
        revoked TEXT
    ) STRICT;
    CREATE TABLE secret (                -- an account has at most one of each kind
        account INTEGER NOT NULL REFERENCES account,
        kind    TEXT NOT NULL CHECK (kind IN ('invitation', 'token')),
        digest  BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
        created TEXT NOT NULL,
        expires TEXT,
        PRIMARY KEY (account, kind)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE bot (
        id      INTEGER PRIMARY KEY,
        account INTEGER NOT NULL REFERENCES account,
        name    TEXT NOT NULL,
        same    TEXT NOT NULL UNIQUE,
        created TEXT NOT NULL,
        active  INTEGER REFERENCES version  -- the version that plays; NULL while none does
    ) STRICT;
    CREATE TABLE version (
        id       INTEGER PRIMARY KEY,
        bot      INTEGER NOT NULL REFERENCES bot,
        number   INTEGER NOT NULL,          -- from 1, for each bot
        upload   TEXT NOT NULL,             -- the SHA-256 of the file that was sent, in hex
        content  TEXT,                      -- the hash of its files, as `pack` gives it, once unpacked
        size     INTEGER NOT NULL,          -- bytes of the file that was sent
        disk     INTEGER NOT NULL,          -- bytes that its folder has now
        note     TEXT NOT NULL,
        state    TEXT NOT NULL CHECK (state IN ('received', 'building', 'checking', 'accepted', 'refused')),
        reason   TEXT NOT NULL,             -- why it is refused
        created  TEXT NOT NULL,
        decided  TEXT,
        UNIQUE (bot, number)
    ) STRICT;
    CREATE TABLE night (                    -- the next time of each night, and the earlier ones
        name       TEXT NOT NULL,
        due        TEXT NOT NULL,           -- when it is to begin
        state      TEXT NOT NULL CHECK (
            state IN ('awaited', 'frozen', 'playing', 'played', 'skipped', 'failed')
        ),
        tournament INTEGER,                 -- its id in the league file, once it has begun
        reason     TEXT NOT NULL,
        PRIMARY KEY (name, due)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE audit (
        number  INTEGER PRIMARY KEY,
        at      TEXT NOT NULL,
        account INTEGER REFERENCES account, -- who asked; NULL for the host at the terminal
        what    TEXT NOT NULL,              -- the kind of request
        about   TEXT NOT NULL               -- JSON, without secrets
    ) STRICT;
    """,
    """
    CREATE TABLE notice (
        id      INTEGER PRIMARY KEY,
        account INTEGER REFERENCES account, -- whom it tells; NULL for all hosts
        at      TEXT NOT NULL,
        kind    TEXT NOT NULL,
        about   TEXT NOT NULL,              -- what is told once
        text    TEXT NOT NULL,              -- a sentence
        path    TEXT NOT NULL               -- of the page that says more
    ) STRICT;
    CREATE UNIQUE INDEX told_once ON notice (ifnull(account, 0), kind, about);
    CREATE TABLE receiver (                 -- where the notices to an account go, besides its page
        account INTEGER PRIMARY KEY REFERENCES account,
        seen    INTEGER NOT NULL DEFAULT 0,  -- the last notice that its page has shown
        feed    BLOB UNIQUE,                 -- the digest of the secret in the address of its feed
        url     TEXT NOT NULL DEFAULT '',    -- of its webhook; empty for none
        secret  TEXT NOT NULL DEFAULT '',    -- signs what the webhook gets
        sent    INTEGER NOT NULL DEFAULT 0,  -- the last notice that the webhook got
        tries   INTEGER NOT NULL DEFAULT 0,  -- how often the next one was sent in vain
        again   TEXT NOT NULL DEFAULT '',    -- when it is sent again
        problem TEXT NOT NULL DEFAULT ''     -- why the webhook got nothing at last
    ) STRICT;
    """,
    """
    CREATE TABLE challenge (
        id       INTEGER PRIMARY KEY,
        account  INTEGER NOT NULL REFERENCES account,  -- who asked for it
        version  INTEGER NOT NULL REFERENCES version,  -- the version that challenges
        against  INTEGER REFERENCES version,           -- the challenged one; NULL for a bot of the host
        names    TEXT NOT NULL,                        -- of both, JSON
        games    TEXT NOT NULL,                        -- their ids, JSON
        boards   INTEGER NOT NULL,                     -- the most of each game
        state    TEXT NOT NULL CHECK (state IN ('asked', 'playing', 'over', 'failed')),
        reason   TEXT NOT NULL,                        -- why it failed
        created  TEXT NOT NULL,
        ended    TEXT,
        report   TEXT NOT NULL                         -- JSON; empty before the first look
    ) STRICT;
    """,
)
_KEPT: Final = 200  # notices to an account


class NewerDatabase(Exception):
    """A newer arena wrote the database; the text is one sentence with the remedy."""


class Account(NamedTuple):
    """A person who may submit bots, or a host."""

    id: int
    name: str
    role: Role
    created: str
    revoked: str | None


class Bot(NamedTuple):
    """A bot of an author.

    Attributes:
        account: the id of its author's account.
        active: the id of the version that plays; None while none does.
    """

    id: int
    account: int
    name: str
    created: str
    active: int | None


class Version(NamedTuple):
    """A version of a bot, as it was submitted; the columns of the table `version`."""

    id: int
    bot: int
    number: int
    upload: str
    content: str | None
    size: int
    disk: int
    note: str
    state: State
    reason: str
    created: str
    decided: str | None


class Night(NamedTuple):
    """A night that is awaited, is played or is over; the columns of the table `night`."""

    name: str
    due: str
    state: Literal["awaited", "frozen", "playing", "played", "skipped", "failed"]
    tournament: int | None
    reason: str


class Notice(NamedTuple):
    """What an author or the hosts are told; columns of the table `notice`."""

    id: int
    at: str
    kind: str
    text: str
    path: str


class Receiver(NamedTuple):
    """Where the notices to an account go, besides its page; columns of the table `receiver`."""

    account: int
    seen: int = 0
    url: str = ""
    secret: str = ""
    sent: int = 0
    tries: int = 0
    again: str = ""
    problem: str = ""


class Challenge(NamedTuple):
    """A match that an author asked for; the columns of the table `challenge`."""

    id: int
    account: int
    version: int
    against: int | None
    names: str
    games: str
    boards: int
    state: Literal["asked", "playing", "over", "failed"]
    reason: str
    created: str
    ended: str | None
    report: str


def now() -> str:
    """The time as it is stored: UTC, ISO 8601, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def a_day_ago() -> str:
    """The time 24 hours ago, as it is stored."""
    return (datetime.now(UTC) - timedelta(days=1)).isoformat(timespec="seconds")


def digest(secret: str) -> bytes:
    """The stored form of a secret, which itself is long and random: its SHA-256."""
    return hashlib.sha256(secret.encode()).digest()


DISK_ERRORS: Final = (OSError, apsw.FullError, apsw.IOError, apsw.CantOpenError)
"""What is raised while the disk is full or fails."""


class Database:
    """The database; a connection of one thread at a time. A context manager, which closes it.

    Args:
        path: the file.
        writer: whether the connection may write; then the file is made or migrated.

    Raises NewerDatabase; FileNotFoundError if a reader finds no file.
    """

    def __init__(self, path: Path, writer: bool = False) -> None:
        if not writer and not path.is_file():
            raise FileNotFoundError(f"there is no database {path}")
        flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if writer else 0)
        if writer and not path.exists():
            path.touch(0o600)
        self._db = apsw.Connection(str(path), flags=flags)
        self._db.set_busy_timeout(_BUSY)
        if writer:
            self._db.pragma("journal_mode", "wal")
            self._db.pragma("synchronous", "full")
            self._db.pragma("foreign_keys", True)
        version = self._db.pragma("user_version")
        if version > len(_SCHEMA):
            self._db.close()
            raise NewerDatabase(f"a newer arena wrote {path}; install that one")
        if writer:
            with self.transaction():
                for step in _SCHEMA[self._db.pragma("user_version") :]:
                    self._db.execute(step)
                self._db.pragma("user_version", len(_SCHEMA))
        else:
            self._db.pragma("query_only", True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection."""
        self._db.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All that is written within is written at once, durably, or not at all.

        It begins by waiting for other writers, so what is read within is still so when something is written.
        """
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._db.execute("COMMIT")
        finally:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")

    def backup(self, to: Path) -> None:
        """Copies the database, as it is at one moment, into a new file."""
        with apsw.Connection(str(to)) as copy, copy.backup("main", self._db, "main") as pages:
            while not pages.done:
                pages.step(1000)
        copy.close()

    # --- Accounts ---

    def accounts(self) -> list[Account]:
        """All accounts, the oldest first."""
        return [Account(*row) for row in self._db.execute(f"{_ACCOUNT} ORDER BY id")]

    def account(self, id: int) -> Account | None:
        """An account by its id."""
        return self._one(Account, f"{_ACCOUNT} WHERE id = ?", id)

    def account_called(self, name: str) -> Account | None:
        """An account by its name, in any spelling that reads the same."""
        return self._one(Account, f"{_ACCOUNT} WHERE same = ?", same_name(name))

    def owner_of(self, secret: str, kind: Secret) -> Account | None:
        """The account that a secret opens; None for a wrong, used, expired or revoked one."""
        return self._one(
            Account,
            f"{_ACCOUNT} JOIN secret ON secret.account = account.id WHERE digest = ? AND kind = ? "
            "AND revoked IS NULL AND (expires IS NULL OR expires > ?)",
            digest(secret), kind, now(),
        )  # fmt: skip

    def has_secret(self, account: int, kind: Secret) -> bool:
        """Whether an account has a secret of a kind."""
        found = self._db.execute("SELECT 1 FROM secret WHERE account = ? AND kind = ?", (account, kind))
        return found.fetchone() is not None

    def add_account(self, name: str, role: Role) -> int:
        """Adds an account; returns its id. The name must be new."""
        return self._insert("account", name=name, same=same_name(name), role=role, created=now())

    def give_secret(self, account: int, kind: Secret, secret: str = "") -> str:
        """Gives an account a secret, by default a new one, in place of its last of that kind; returns it."""
        secret = secret or secrets.token_urlsafe(24)
        expires = (
            (datetime.now(UTC) + INVITED).isoformat(timespec="seconds") if kind == "invitation" else None
        )
        self._db.execute(
            "INSERT OR REPLACE INTO secret VALUES (?, ?, ?, ?, ?)",
            (account, kind, digest(secret), now(), expires),
        )
        return secret

    def forget_secrets(self, account: int, kind: Secret | None = None) -> None:
        """Deletes the secrets of an account, all or those of one kind."""
        self._db.execute("DELETE FROM secret WHERE account = ? AND kind = ifnull(?, kind)", (account, kind))

    def revoke(self, account: int) -> None:
        """Closes an account: its secrets stop working. Its bots are withdrawn by the caller."""
        self._db.execute("UPDATE account SET revoked = ? WHERE id = ?", (now(), account))
        self.forget_secrets(account)
        self._db.execute("DELETE FROM receiver WHERE account = ?", (account,))

    # --- Bots and versions ---

    def bots(self, account: int | None = None) -> list[Bot]:
        """All bots, or those of one account, by name."""
        where = "WHERE account = ifnull(?, account) ORDER BY same"
        return [Bot(*row) for row in self._db.execute(f"{_BOT} {where}", (account,))]

    def bot(self, id: int) -> Bot | None:
        """A bot by its id."""
        return self._one(Bot, f"{_BOT} WHERE id = ?", id)

    def bot_called(self, name: str) -> Bot | None:
        """A bot by its name, in any spelling that reads the same."""
        return self._one(Bot, f"{_BOT} WHERE same = ?", same_name(name))

    def add_bot(self, account: int, name: str) -> int:
        """Adds a bot; returns its id. The name must be new."""
        return self._insert("bot", account=account, name=name, same=same_name(name), created=now())

    def activate(self, bot: int, version: int | None) -> None:
        """Says which version of a bot plays; None for none."""
        self._db.execute("UPDATE bot SET active = ? WHERE id = ?", (version, bot))

    def versions(self, bot: int) -> list[Version]:
        """All versions of a bot, the newest first."""
        return [
            Version(*row)
            for row in self._db.execute(f"{_VERSION} WHERE bot = ? ORDER BY number DESC", (bot,))
        ]

    def versions_by_bot(self) -> dict[int, list[Version]]:
        """All versions, by the id of the bot that has any, the newest first."""
        found: dict[int, list[Version]] = {}
        for row in self._db.execute(f"{_VERSION} ORDER BY number DESC"):
            version = Version(*row)
            found.setdefault(version.bot, []).append(version)
        return found

    def version(self, id: int) -> Version | None:
        """A version by its id."""
        return self._one(Version, f"{_VERSION} WHERE id = ?", id)

    def author_of(self, version: int | None) -> int | None:
        """The account of the author of a version; None for a bot of the host, which has none."""
        row = self._db.execute(
            "SELECT account FROM version JOIN bot ON bot.id = version.bot WHERE version.id = ?", (version,)
        ).fetchone()
        return None if row is None else int(row[0])

    def under_way(self) -> list[Version]:
        """The versions that are neither accepted nor refused, the oldest first."""
        marks = ", ".join("?" * len(UNDER_WAY))
        return [
            Version(*row)
            for row in self._db.execute(f"{_VERSION} WHERE state IN ({marks}) ORDER BY id", UNDER_WAY)
        ]

    def active(self) -> list[tuple[Bot, Version, Account]]:
        """The bots that play, each with its version and its author, by the id of the version."""
        found = []
        rows: list[tuple[int, int, int]] = self._db.execute(  # type: ignore[assignment]  # so the schema says
            "SELECT bot.id, active, account FROM bot JOIN account ON account.id = bot.account "
            "WHERE active IS NOT NULL AND revoked IS NULL ORDER BY active"
        ).fetchall()
        for row in rows:
            bot, version, account = self.bot(row[0]), self.version(row[1]), self.account(row[2])
            assert bot is not None
            assert version is not None
            assert account is not None
            found.append((bot, version, account))
        return found

    def submitted_since(self, account: int, time: str) -> int:
        """How many versions an account has submitted since a time."""
        return self._number(
            "SELECT count(*) FROM version JOIN bot ON bot.id = version.bot "
            "WHERE account = ? AND version.created >= ?",
            account, time,
        )  # fmt: skip

    def disk_of(self, account: int) -> int:
        """How many bytes the versions of an account have on the disk."""
        return self._number(
            "SELECT ifnull(sum(disk), 0) FROM version JOIN bot ON bot.id = version.bot WHERE account = ?",
            account,
        )

    def add_version(self, bot: int, upload: str, size: int, note: str) -> int:
        """Adds the next version of a bot, in the state `received`; returns its id."""
        number = self._number("SELECT 1 + ifnull(max(number), 0) FROM version WHERE bot = ?", bot)
        return self._insert(
            "version", bot=bot, number=number, upload=upload, size=size, disk=size, note=note,
            state="received", reason="", created=now(),
        )  # fmt: skip

    def change_version(self, id: int, **columns: str | int | None) -> None:
        """Changes columns of a version."""
        names = ", ".join(f"{name} = ?" for name in columns)
        self._db.execute(f"UPDATE version SET {names} WHERE id = ?", (*columns.values(), id))

    # --- Nights ---

    def nights(self) -> list[Night]:
        """The next time of each night, and all earlier ones, the oldest first."""
        return [Night(*row) for row in self._db.execute("SELECT * FROM night ORDER BY due, name")]

    def put_night(self, night: Night) -> None:
        """Adds or changes a night."""
        self._db.execute("INSERT OR REPLACE INTO night VALUES (?, ?, ?, ?, ?)", night)

    def forget_night(self, name: str, due: str) -> None:
        """Deletes a night that league.toml no longer has."""
        self._db.execute("DELETE FROM night WHERE name = ? AND due = ?", (name, due))

    # --- Notices ---

    def tell(self, account: int | None, kind: str, about: str, text: str, path: str) -> None:
        """Gives a notice to an account, or with None to all hosts, once for each kind and what it is about.

        Only the newest notices are kept.
        """
        row = (account, now(), kind, about, one_line(text), path)
        self._db.execute(
            "INSERT OR IGNORE INTO notice (account, at, kind, about, text, path) VALUES (?, ?, ?, ?, ?, ?)",
            row,
        )
        self._db.execute(
            "DELETE FROM notice WHERE account IS ?1 AND id <= "
            "(SELECT id FROM notice WHERE account IS ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)",
            (account, _KEPT),
        )

    def notices(self, account: int, after: int = 0) -> list[Notice]:
        """The notices to an account, to a host's also those to all hosts, the newest first."""
        rows = self._db.execute(
            "SELECT notice.id, at, kind, text, path FROM notice JOIN account ON account.id = ?1 "
            "WHERE notice.id > ?2 AND (account = ?1 OR (account IS NULL AND role = 'host')) "
            "ORDER BY notice.id DESC",
            (account, after),
        )
        return [Notice(*row) for row in rows]

    def new_notices(self, account: int) -> int:
        """How many notices to an account its page has not shown yet."""
        return len(self.notices(account, self.receiver(account).seen))

    def receiver(self, account: int) -> Receiver:
        """Where the notices to an account go."""
        return self._one(Receiver, f"{_RECEIVER} WHERE account = ?", account) or Receiver(account)

    def receiving(self) -> list[Receiver]:
        """Those with a webhook."""
        return [Receiver(*row) for row in self._db.execute(f"{_RECEIVER} WHERE url <> ''")]

    def change_receiver(self, account: int, **columns: str | int | bytes) -> None:
        """Changes columns of where the notices to an account go."""
        self._db.execute("INSERT OR IGNORE INTO receiver (account) VALUES (?)", (account,))
        names = ", ".join(f"{name} = ?" for name in columns)
        self._db.execute(f"UPDATE receiver SET {names} WHERE account = ?", (*columns.values(), account))

    def reader_of(self, feed: str) -> Account | None:
        """The account whose feed has a secret in its address."""
        where = "JOIN receiver ON receiver.account = account.id WHERE feed = ?"
        return self._one(Account, f"{_ACCOUNT} {where}", digest(feed))

    # --- Challenges ---

    def challenges(self, account: int | None, last: int) -> list[Challenge]:
        """The last challenges that an account asked for or whose bots were challenged, the newest first.

        None for those of all accounts.
        """
        query = (
            "SELECT * FROM challenge WHERE ? IN (account, (SELECT account FROM version JOIN bot "
            "ON bot.id = version.bot WHERE version.id = against)) OR ?1 IS NULL ORDER BY id DESC LIMIT ?"
        )
        return [Challenge(*row) for row in self._db.execute(query, (account, last))]

    def open_challenges(self) -> list[Challenge]:
        """The challenges that are neither over nor failed, the oldest first."""
        query = "SELECT * FROM challenge WHERE ended IS NULL ORDER BY id"
        return [Challenge(*row) for row in self._db.execute(query)]

    def challenged_since(self, account: int, time: str) -> int:
        """How many challenges an account has asked for since a time, and those before that are open yet."""
        return self._number(
            "SELECT count(*) FROM challenge WHERE account = ? AND (created >= ? OR ended IS NULL)",
            account, time,
        )  # fmt: skip

    def challenge(self, id: int) -> Challenge | None:
        """A challenge by its id."""
        return self._one(Challenge, "SELECT * FROM challenge WHERE id = ?", id)

    def is_tried(self, version: int) -> bool:
        """Whether a version challenges another one; if so, it does not play by itself when it is accepted."""
        return bool(self._number("SELECT count(*) FROM challenge WHERE version = ?", version))

    def add_challenge(self, **columns: str | int | None) -> int:
        """Adds a challenge that was asked for; returns its id."""
        return self._insert("challenge", **columns, state="asked", reason="", created=now(), report="")

    def change_challenge(self, id: int, **columns: str | None) -> None:
        """Changes columns of a challenge."""
        names = ", ".join(f"{name} = ?" for name in columns)
        self._db.execute(f"UPDATE challenge SET {names} WHERE id = ?", (*columns.values(), id))

    def forget_challenges(self, before: str) -> list[int]:
        """Deletes the challenges that ended before a time; returns their ids."""
        gone = self._db.execute("DELETE FROM challenge WHERE ended < ? RETURNING id", (before,))
        return [int(id) for (id,) in gone]

    # --- What happened ---

    def note(self, account: int | None, what: str, about: Mapping[str, Any]) -> None:
        """Adds an entry to the audit trail; `about` must not hold secrets."""
        self._insert(
            "audit", at=now(), account=account, what=what, about=json.dumps(about, ensure_ascii=False)
        )

    def noted(self, what: str, about: Mapping[str, Any]) -> bool:
        """Whether the audit trail has an entry of a kind with exactly this content."""
        text = json.dumps(about, ensure_ascii=False)
        return (
            self._db.execute("SELECT 1 FROM audit WHERE what = ? AND about = ?", (what, text)).fetchone()
            is not None
        )

    def last_noted(self, what: str) -> dict[str, Any] | None:
        """The content of the last entry of a kind in the audit trail; None without one."""
        query = "SELECT about FROM audit WHERE what = ? ORDER BY number DESC LIMIT 1"
        row = self._db.execute(query, (what,)).fetchone()
        return None if row is None else dict(json.loads(str(row[0])))

    def audit(self, last: int) -> list[tuple[str, int | None, str, str]]:
        """The last entries of the audit trail, the newest first: time, account, kind and JSON."""
        return [
            (str(at), None if account is None else int(account), str(what), str(about))
            for at, account, what, about in self._db.execute(
                "SELECT at, account, what, about FROM audit ORDER BY number DESC LIMIT ?", (last,)
            )
        ]

    def _one(self, kind: Callable[..., _Row], query: str, *values: Any) -> _Row | None:
        row = self._db.execute(query, values).fetchone()
        return None if row is None else kind(*row)

    def _number(self, query: str, *values: Any) -> int:
        (found,) = self._db.execute(query, values)
        return int(found[0])

    def _insert(self, table: str, **columns: Any) -> int:
        names, marks = ", ".join(columns), ", ".join("?" * len(columns))
        self._db.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(columns.values()))
        return self._db.last_insert_rowid()


_RECEIVER = "SELECT account, seen, url, secret, sent, tries, again, problem FROM receiver"
_ACCOUNT = "SELECT account.id, name, role, account.created, revoked FROM account"
_BOT = "SELECT id, account, name, created, active FROM bot"
_VERSION = (
    "SELECT id, bot, number, upload, content, size, disk, note, state, reason, created, decided FROM version"
)
