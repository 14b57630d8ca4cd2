"""`arena login`, `submit` and `bots`, at the real page of a standing league."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import pty
import re
import shutil
import signal
import socket
import ssl
import stat
import subprocess
import threading
import urllib.request
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from arena.checkup.analysed import RULES
from arena.checkup.analysis.decision import Mistake, mistakes_in
from arena.cli.submitting import PlainStates
from arena.games import GAMES
from arena.hosting.client import Client
from arena.hosting.database import Database, Version
from arena.hosting.logins import logins_file
from arena.hosting.unpacking import unpack
from arena.kits import kits_folder
from arena.league.store import League
from arena.league.store.analyses import Analyses
from arena.link.local.packing import content_hash, pack
from arena.link.local.sandbox import usual
from arena.link.tls.address import fingerprint_of
from arena.text import file_name
from tests.arena_command import ARENA, arena
from tests.certificates import Authority
from tests.hosting.pages.relay import Relay, relaying
from tests.hosting.pages.standing import Author, Club, standing
from tests.hosting.standing_league import until
from tests.patience import PATIENCE
from tests.referee.simulation import simulate
from tests.view.explained import keep_findings

EXAMPLE = kits_folder() / "random-python"
BOT = "random"
SETTINGS = """
name = "Club"
games = ["kleftis"]
house = []
sandbox = "none"
[clock]
bank = "9s"
increment = "50ms"
move = "2s"
[allow]
memory = "1GiB"
threads = 1
[limits]
builds = 3
reserve = "1MiB"
"""
LADDER = 'name = "Season"\ngames = ["nyuri"]\n[[stage]]\nformat = "ladder"\n'
REPORT = (
    ("unpack", "3 files", "info"),
    ("check", "plays \x1b[31mkleftis", "passed"),
    ("end", "admitted", "passed"),
)


class Hosted:
    """A standing league, as its authors reach it by the real page.

    No builder runs: each look at the report of a version adds a line to it, and the next look decides.

    Attributes:
        url: the address.
        club: its folder, and what its host does.
        relay: the way to the page.
        refusal: why versions are refused; empty to accept them.
        building: for how many more looks a version is built; the report has no lines meanwhile.
    """

    def __init__(self, club: Club, relay: Relay) -> None:
        self.url, self.club, self.relay = relay.url, club, relay
        self.refusal, self.building = "", 0
        relay.before = self._look
        relay.broken_off = lambda: until(lambda: self.kept() == 1000)

    def kept(self) -> int:
        """How many bytes of an upload that broke off are there."""
        return sum(path.stat().st_size for path in self.club.place.incoming.glob("*.part"))

    def versions(self) -> list[Version]:
        """The versions of all bots, the newest first."""
        with Database(self.club.place.database) as database:
            return [version for bot in database.bots() for version in database.versions(bot.id)]

    def active(self) -> int | None:
        """The number of the version that plays."""
        with Database(self.club.place.database) as database:
            return next((version.number for _, version, _ in database.active()), None)

    def _look(self, path: str) -> None:
        found = re.fullmatch(rf"/api/bots/{BOT}/versions/(\d+)/report\?.*", path)
        if found is None:
            return
        number, place = int(found[1]), self.club.place
        id = self.club.version_id(BOT, number)
        if self.building:
            self.building -= 1
            self._change(id, state="building")
            return
        lines = place.submission(id) / "report.jsonl"
        there = lines.read_text().count("\n") if lines.exists() else 0
        if there < len(REPORT):
            step, text, level = REPORT[there]
            with lines.open("a") as file:
                at = "2026-01-01T00:00:00+00:00"
                file.write(json.dumps({"at": at, "step": step, "text": text, "level": level}) + "\n")
            self._change(id, state="checking")
        elif not place.bot(id).exists():
            unpack(place.submission(id) / "upload.zip", place.bot(id), 1 << 30)
            self._change(id, content=content_hash(place.bot(id)))
            self.club.decided(BOT, number, self.refusal)

    def _change(self, id: int, **values: str) -> None:
        with Database(self.club.place.database, writer=True) as database, database.transaction():
            database.change_version(id, **values)


@contextlib.contextmanager
def hosting(folder: Path, text: str = SETTINGS) -> Iterator[Hosted]:
    """Such a league with these settings."""
    with standing(folder, text) as club, relaying(club.page.url) as relay:
        yield Hosted(club, relay)


@pytest.fixture
def hosted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hosted]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "league").mkdir()
    with hosting(tmp_path / "league") as found:
        yield found


def link(hosted: Hosted) -> str:
    """A new invitation of Ada."""
    return f"{hosted.url}/join/{hosted.club.invitation('Ada')}"


def token_of(hosted: Hosted) -> str:
    """The token that is kept."""
    kept = json.loads(logins_file().read_text())
    assert list(kept) == [hosted.url]
    return str(kept[hosted.url])


@pytest.fixture
def author(hosted: Hosted, tmp_path: Path) -> Hosted:
    arena("login", link(hosted), cwd=tmp_path)
    return hosted


def changed(hosted: Hosted, before: str, after: str) -> None:
    """Changes a line of league.toml, as the host does."""
    text = hosted.club.place.settings.read_text()
    assert before in text
    hosted.club.place.settings.write_text(text.replace(before, after))


def submitted(tmp_path: Path, *options: str, code: int = 0) -> Any:
    return json.loads(arena("submit", EXAMPLE, "--json", *options, cwd=tmp_path, code=code).stdout)


def test_an_invitation_is_used_and_its_token_kept_for_its_owner_only(hosted, tmp_path):
    invitation = link(hosted)
    said = arena("login", invitation, cwd=tmp_path).stdout
    assert said == f"You are Ada at {hosted.url}. Next: arena submit FOLDER\n"
    token = token_of(hosted)
    assert Author(hosted.club.page, token).ask("GET", "/api/me")["name"] == "Ada"
    assert stat.S_IMODE(logins_file().stat().st_mode) == 0o600
    again = arena("login", invitation, cwd=tmp_path, code=2).stderr
    assert again.startswith("arena: this invitation is used, too old or wrong: ask the host")
    assert token_of(hosted) == token


def test_a_token_of_the_page_is_typed_or_read_from_a_file(author, tmp_path):
    token = token_of(author)
    for options in ((), ("--token-file", "-")):
        logins_file().unlink()
        arena("login", f"{author.url}/", *options, cwd=tmp_path, typed=f"{token}\n")
        assert token_of(author) == token
    wrong = arena("login", author.url, cwd=tmp_path, typed="wrong\n", code=2).stderr
    assert "does not know your token: log in again" in wrong
    assert token_of(author) == token


def test_without_a_terminal_a_token_comes_another_way(author, tmp_path):
    said = arena("login", author.url, cwd=tmp_path, code=2).stderr
    assert "there is no terminal to type the token: set ARENA_AUTHOR_TOKEN, or give a file" in said


def test_without_a_login_a_command_says_what_to_do(hosted, tmp_path):
    assert (
        "you are logged in nowhere: open your invitation"
        in arena("bots", "list", cwd=tmp_path, code=2).stderr
    )
    said = arena("bots", "list", "--url", hosted.url, cwd=tmp_path, code=2).stderr
    assert said == f"arena: you are not logged in at {hosted.url}: type arena login {hosted.url}\n"


def test_a_machine_that_never_logs_in_has_its_token_in_the_environment(author, tmp_path, monkeypatch):
    monkeypatch.setenv("ARENA_URL", author.url)
    monkeypatch.setenv("ARENA_AUTHOR_TOKEN", token_of(author))
    logins_file().unlink()
    assert json.loads(arena("bots", "list", "--json", cwd=tmp_path).stdout) == []


def test_logging_out_makes_the_token_invalid(author, tmp_path):
    known = Author(author.club.page, token_of(author))
    known.ask("GET", "/api/me")
    arena("logout", cwd=tmp_path)
    known.ask("GET", "/api/me", 401)
    assert json.loads(logins_file().read_text()) == {}


def test_a_bot_is_submitted_followed_and_accepted(author, tmp_path):
    done = arena("submit", EXAMPLE, "--note", "first", cwd=tmp_path)
    assert done.stdout.splitlines() == [
        f"{BOT} is version 1: {author.url}/submissions/{BOT}/1",
        "unpack  3 files",
        "check   ✓ plays \\x1b[31mkleftis",
        "end     ✓ admitted",
        f"{BOT} version 1 is accepted",
    ]
    [found] = author.versions()
    assert found.note == "first"
    upload = author.club.place.submission(found.id) / "upload.zip"
    assert hashlib.sha256(upload.read_bytes()).hexdigest() == found.upload


def test_json_is_all_that_comes_on_standard_output(author, tmp_path):
    first = submitted(tmp_path)
    assert (first["version"], first["state"], first["same_as"]) == (1, "accepted", None)
    assert [line["step"] for line in first["report"]] == ["unpack", "check", "end"]
    same = submitted(tmp_path)
    assert (same["version"], same["state"], same["same_as"]) == (1, "accepted", 1)
    assert len(author.versions()) == 1
    assert author.relay.starts == [0]  # nothing is sent to learn that


def test_the_same_content_again_is_said_in_a_sentence_and_whether_it_plays(author, tmp_path):
    arena("submit", EXAMPLE, cwd=tmp_path)
    told = [
        f"the host has this already, as version 1 of {BOT}: nothing new is made",
        f"{BOT} version 1 is accepted",
    ]
    assert arena("submit", EXAMPLE, cwd=tmp_path).stdout.splitlines() == told
    arena("bots", "withdraw", BOT, cwd=tmp_path)
    told.append(f"it does not play; to let it play: arena bots activate {BOT} 1")
    assert arena("submit", EXAMPLE, cwd=tmp_path).stdout.splitlines() == told


def test_what_is_being_built_is_not_built_twice(author, tmp_path):
    assert submitted(tmp_path, "--no-wait")["state"] == "checking"
    assert submitted(tmp_path)["same_as"] == 1
    assert len(author.versions()) == 1


@pytest.mark.parametrize(
    ("key", "files", "said"),
    [
        ("size", {"data": os.urandom(2 << 20)}, "the zip has"),
        ("disk", {"data": bytes(2 << 20)}, "unpacks to more than this host allows"),
        ("size", {"Readme": b"", "README": b""}, "which some systems hold for the same"),
    ],
)
def test_what_the_host_would_refuse_is_not_sent(author, tmp_path, key, files, said):
    bot = tmp_path / "bot"
    shutil.copytree(EXAMPLE, bot)
    for name, content in files.items():
        (bot / name).write_bytes(content)
    if len({name.name for name in bot.iterdir()} & files.keys()) < len(files):
        pytest.skip("this file system holds the names for the same")
    changed(author, "builds = 3\n", f'{key} = "1MiB"\n')
    assert said in arena("submit", bot, cwd=tmp_path, code=2).stderr
    assert author.relay.starts == []
    assert author.versions() == []


def test_a_refused_bot_is_exit_code_1_with_the_reason(author, tmp_path):
    author.refusal = "it does not start"
    said = arena("submit", EXAMPLE, cwd=tmp_path, code=1).stdout
    assert said.endswith(f"{BOT} version 1 is refused: it does not start\n")
    assert submitted(tmp_path, code=1)["reason"] == "it does not start"
    submitted(tmp_path, code=1)
    over = submitted(tmp_path, code=1)
    assert over == {
        "bot": BOT,
        "version": None,
        "state": "refused",
        "reason": "you submitted 3 versions in 24 hours, as many as allowed: come back later.",
    }


def test_an_upload_goes_on_where_the_connection_was_lost(author, tmp_path):
    author.relay.cut_after = 1000
    author.relay.release.set()
    assert submitted(tmp_path)["state"] == "accepted"
    assert author.relay.starts == [0, 1000]


def test_an_upload_goes_on_after_the_command_was_killed(author, tmp_path):
    author.relay.cut_after = 1000
    with subprocess.Popen([*ARENA, "submit", EXAMPLE], cwd=tmp_path, stderr=subprocess.PIPE) as process:
        assert author.relay.held.wait(PATIENCE)
        process.kill()
    author.relay.release.set()
    author.relay.broken_off()
    assert submitted(tmp_path)["state"] == "accepted"
    assert author.relay.starts == [0, 1000]


def test_an_upload_that_arrived_damaged_is_made_again(author, tmp_path):
    incoming = author.club.place.incoming
    incoming.mkdir(exist_ok=True)
    (incoming / f"1-{pack(EXAMPLE, tmp_path / 'x.zip').digest}.part").write_bytes(b"rubbish")
    assert submitted(tmp_path)["state"] == "accepted"
    assert author.relay.starts == [7, 0]


def test_a_page_that_is_busy_is_asked_again(author, tmp_path):
    author.relay.busy = 1
    assert submitted(tmp_path)["state"] == "accepted"


def test_no_wait_returns_as_soon_as_the_version_is_there(author, tmp_path):
    assert submitted(tmp_path, "--no-wait")["state"] == "checking"
    assert author.active() is None


def test_a_dry_run_sends_nothing_and_says_what_the_host_has(author, tmp_path):
    said = arena("submit", EXAMPLE, "--dry-run", cwd=tmp_path).stdout
    assert f"Club (arena {version('bot-arena')}) plays kleftis\n" in said
    assert "\nclock: bank 9s, increment 50ms, move 2s\n" in said
    assert "a bot may ask for 1 GiB of memory" in said
    assert "Python: 3." in said
    assert f"arena check-bot {EXAMPLE} --as {author.url}" in said
    logins_file().unlink()
    nobodys = submitted(tmp_path, "--dry-run", "--url", author.url)
    assert nobodys["environment"] == Client(author.url).get("/api/environment")
    assert author.relay.starts == []
    assert nobodys["fits"] is True
    changed(author, "builds = 3\n", 'size = "1MiB"\n')
    large = tmp_path / "large"
    shutil.copytree(EXAMPLE, large)
    (large / "data").write_bytes(os.urandom(2 << 20))
    told = arena("submit", large, "--dry-run", "--json", "--url", author.url, cwd=tmp_path, code=1)
    assert json.loads(told.stdout)["fits"] is False


def on_a_terminal(tmp_path: Path) -> bytes:
    """What `arena submit` shows on a terminal on standard error; the submission is accepted."""
    leader, follower = pty.openpty()
    with subprocess.Popen(
        [*ARENA, "submit", EXAMPLE], cwd=tmp_path, stderr=follower, stdout=subprocess.PIPE, text=True
    ) as process:
        os.close(follower)
        shown = b""
        try:
            while chunk := os.read(leader, 4096):
                shown += chunk
        except OSError:
            pass  # the other end is closed
        os.close(leader)
        assert process.wait(PATIENCE) == 0
    return shown


def test_a_terminal_shows_a_bar(author, tmp_path):
    shown = on_a_terminal(tmp_path)
    assert b"uploads" in shown
    assert "━".encode() in shown


def test_a_terminal_shows_for_how_long_a_version_has_been_built(author, tmp_path):
    author.building = 2
    assert re.search(rb"is being built .{0,20}0:00:0[0-9]", on_a_terminal(tmp_path))


def test_ctrl_c_while_it_follows_says_that_the_host_goes_on(author, tmp_path):
    author.building = 1000
    with subprocess.Popen(
        [*ARENA, "submit", EXAMPLE], cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert process.stdout.readline().startswith(f"{BOT} is version 1")
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert f"the report is at {author.url}/submissions/{BOT}/1" in said
    assert "Traceback" not in said


def rated(hosted: Hosted) -> Any:
    """What the page says about the bot's rating."""
    [row] = Author(hosted.club.page).ask("GET", "/api/bots")
    return row


def test_versions_are_listed_noted_withdrawn_and_rolled_back(author, tmp_path):
    season(author)
    submitted(tmp_path)
    assert f"{BOT}  Ada" in arena("bots", "list", cwd=tmp_path).stdout
    low, high = until(lambda: rated(author)["interval"])  # the page computes it after the rating
    listed = arena("bots", "list", cwd=tmp_path).stdout
    assert low < (rating := rated(author)["rating"]) < high
    assert f"{rating:.4g} [{low:.4g}, {high:.4g}] ?" in listed
    assert listed.endswith("\n? provisional: not ranked before it has 10 boards in each game\n")
    arena("bots", "withdraw", BOT, cwd=tmp_path)
    assert author.active() is None
    assert "none" in arena("bots", "list", cwd=tmp_path).stdout
    arena("bots", "activate", BOT, 1, cwd=tmp_path)
    assert author.active() == 1
    arena("bots", "note", BOT, 1, "quick", cwd=tmp_path)
    assert "quick" in arena("bots", "versions", BOT, cwd=tmp_path).stdout
    assert "quick" in arena("bots", "show", BOT, cwd=tmp_path).stdout
    assert arena("bots", "log", BOT, cwd=tmp_path).stdout == "hello\\x1b[2J\n"
    games = arena("bots", "games", BOT, cwd=tmp_path).stdout
    assert re.search(r"^1/\S+ +other +(0|1|0\.5) +\d+$", games, re.MULTILINE), games
    assert "accepted" in arena("bots", "report", BOT, 1, cwd=tmp_path).stdout
    for words in (
        ("list",), ("show", BOT), ("versions", BOT), ("log", BOT), ("games", BOT), ("report", BOT, 1),
        ("activate", BOT, 1), ("withdraw", BOT), ("note", BOT, 1, "x"),
    ):  # fmt: skip
        json.loads(arena("bots", *words, "--json", cwd=tmp_path).stdout)
    for words in (("show", "nobody"), ("show", "nobody/x"), ("log", "nobody/x")):
        said = arena("bots", *words, cwd=tmp_path, code=2).stderr
        assert said == "arena: There is no such bot.\n"
    assert Author(author.club.page).ask("GET", "/api/nothing", 404) == {"error": "There is no such page."}


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("club", "is no address of a standing league, such as https://arena.example.org"),
        ("ftp://club", "is no address of a standing league"),
        (f"http://club/sha256:{'0' * 64}", "has to begin with https://"),
        ("http://nowhere.invalid", "does not answer ("),
    ],
)
def test_a_wrong_address_is_one_sentence(hosted, tmp_path, url, sentence):
    said = arena("login", url, cwd=tmp_path, code=2).stderr  # asks for no token
    assert sentence in said
    assert "trying" not in said


@pytest.mark.parametrize(
    "answer",
    [
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
        b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
    ],
)
def test_a_server_that_is_no_league_is_told_at_once(hosted, tmp_path, answer):
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answered() -> None:
            line, _ = server.accept()
            with line:
                line.recv(1 << 16)
                line.sendall(answer)

        thread = threading.Thread(target=answered)
        thread.start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        said = arena("login", url, cwd=tmp_path, code=2).stderr  # asks for no token
        thread.join()
    assert "standing league" in said
    assert "trying" not in said
    assert not logins_file().exists()


def test_a_league_that_is_restarted_is_waited_for(hosted, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with contextlib.ExitStack() as later:
        told = []

        def tell(line: str) -> None:
            told.append(line)
            if len(told) == 1:
                later.enter_context(relaying(hosted.club.page.url, port=port))

        client = Client(f"http://127.0.0.1:{port}", tell=tell)
        assert client.post("/api/join", invitation=hosted.club.invitation("Ada"))["name"] == "Ada"
    assert re.fullmatch(r"the league does not answer yet; trying for another 5\d s", told[0])


def test_a_certificate_is_trusted_by_its_fingerprint_and_no_other(hosted, tmp_path):
    own = Authority(tmp_path).signed("somebody.else")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(own.certificate, own.key)
    pem = own.certificate.read_text("ascii")
    der = ssl.PEM_cert_to_DER_cert(pem[: pem.index("-----END CERTIFICATE-----") + 25])
    right = fingerprint_of(hashlib.sha256(der).digest())
    invitation = hosted.club.invitation("Ada")
    with relaying(hosted.club.page.url, context) as secure:
        wrong = f"{secure.url}/sha256:{'0' * 64}/join/{invitation}"
        assert "has another certificate" in arena("login", wrong, cwd=tmp_path, code=2).stderr
        plain = f"{secure.url}/join/{invitation}"
        assert "is not trusted" in arena("login", plain, cwd=tmp_path, code=2).stderr
        assert secure.asked == []
        arena("login", f"{secure.url}/{right}/join/{invitation}", cwd=tmp_path)
        assert submitted(tmp_path, "--no-wait")["state"] == "received"


def test_a_bot_is_checked_as_the_host_does_it(hosted, tmp_path):
    said = arena("check-bot", EXAMPLE, "--as", hosted.url, "--quick", "--json", cwd=tmp_path).stdout
    checks = json.loads(said)["checks"]
    played = {each["name"] for each in checks} & {f"plays {game}" for game in GAMES}
    assert played == {"plays kleftis"}
    assert hosted.relay.asked == ["GET /api/environment"]


def test_a_bot_that_asks_for_more_than_the_host_allows_is_told(hosted, tmp_path):
    changed(hosted, 'sandbox = "none"', 'sandbox = "basic"')
    folder = tmp_path / "greedy"
    folder.mkdir()
    (folder / "bot.toml").write_text('name = "greedy"\n[run]\ncommand = "./b"\n[needs]\nthreads = 3\n')
    said = arena("check-bot", folder, "--as", hosted.url, cwd=tmp_path, code=2).stderr
    assert "greedy asks for 3 threads, and 1 are allowed at Club: ask for less in its bot.toml" in said
    (folder / "bot.toml").write_text('name = "greedy"\ngames = ["nyuri"]\n[run]\ncommand = "./b"\n')
    assert "it plays nyuri" in arena("check-bot", folder, "--as", hosted.url, cwd=tmp_path, code=2).stderr


def test_a_level_of_the_host_that_the_authors_machine_lacks_is_said_and_no_demand(
    hosted, tmp_path, without_bubblewrap
):
    changed(hosted, 'sandbox = "none"', 'sandbox = "strict"')
    folder = tmp_path / "greedy"
    folder.mkdir()
    (folder / "bot.toml").write_text('name = "greedy"\ngames = ["nyuri"]\n[run]\ncommand = "./b"\n')
    said = arena("check-bot", folder, "--as", hosted.url, cwd=tmp_path, code=2).stderr
    assert 'the league contains bots at level "strict", for which this machine lacks ' in said
    assert f'the bot is checked at level "{usual()}"' in said
    assert "it plays nyuri" in said
    asked = arena("check-bot", folder, "--as", hosted.url, "--sandbox", "strict", cwd=tmp_path, code=2).stderr
    assert 'sandbox "strict" cannot be had on this machine' in asked


def season(hosted: Hosted, text: str = LADDER) -> list[str]:
    """Has a version of the bot play in a season; returns its games."""
    league_file = hosted.club.place.league
    with League.create_or_open(league_file) as league:
        simulate(
            league, text, 2, at_most=18, names=[f"{BOT} v1", "other"], folders=[hosted.club.place.bot(1)]
        )
        games = [str(result.key) for _, result in league.games(1)]
    logs = league_file.with_suffix(".logs")
    logs.mkdir()
    (logs / f"{file_name(f'{BOT} v1')}.log").write_text("hello\x1b[2J")
    return games


def test_a_game_that_is_fetched_is_rehearsed(author, tmp_path):
    [game, *_] = season(author)
    submitted(tmp_path)
    got = arena("bots", "get-game", BOT, f"1/{game}", "got.jsonl", cwd=tmp_path).stdout
    assert got == "Now: arena analyse got.jsonl, or arena rehearse got.jsonl FOLDER\n"
    said = arena("rehearse", "got.jsonl", EXAMPLE, cwd=tmp_path).stdout
    assert said.startswith("Nyuri, session got.jsonl\nturn    record")
    wrong = arena("bots", "get-game", BOT, "x", "got.txt", cwd=tmp_path, code=2).stderr
    assert "got.txt does not end in .jsonl" in wrong


def test_lost_games_are_listed_the_worst_first(author, tmp_path):
    season(author)
    submitted(tmp_path)
    games = json.loads(arena("bots", "games", BOT, "--json", cwd=tmp_path).stdout)
    lost = json.loads(arena("bots", "losses", BOT, "--json", cwd=tmp_path).stdout)
    scores = [game["score"] for game in lost]
    assert lost
    assert sorted(scores) == scores == sorted(game["score"] for game in games if game["score"] < 0.5)[:10]
    text = arena("bots", "losses", BOT, "--most", "1", cwd=tmp_path).stdout
    head, row, hint = text.splitlines()
    assert {str(game["mistakes"]) for game in lost} == {"None"}
    assert head.split() == ["score", "faults", "opponent", "page"]
    assert row.endswith(f"/games/{lost[0]['game'].partition('/')[2]}")
    assert hint.endswith(f"arena bots analyse {BOT}")
    with urllib.request.urlopen(row.split()[-1]) as page:
        assert b"<title>Nyuri, board" in page.read()


def test_the_mistakes_that_an_analysis_of_the_page_found_are_listed(author, tmp_path):
    season(author)
    submitted(tmp_path)
    [worst, *_] = json.loads(arena("bots", "losses", BOT, "--json", cwd=tmp_path).stdout)
    decisions = keep_findings(author.club.place.league, worst["game"].partition("/")[2])
    mistakes = [each for seat in decisions for each in mistakes_in(seat)]
    [again, *_] = json.loads(arena("bots", "losses", BOT, "--json", cwd=tmp_path).stdout)
    assert again["mistakes"]
    assert all(Mistake(**each) in mistakes for each in again["mistakes"])
    assert [each["cost"] for each in again["mistakes"]] == sorted(
        (each["cost"] for each in again["mistakes"]), reverse=True
    )
    text = arena("bots", "losses", BOT, "--most", "1", cwd=tmp_path).stdout
    assert f"\nThe worst of {len(again['mistakes'])} mistakes, in hundredths of a game:\n" in text
    assert f"turn {again['mistakes'][0]['turn']}: " in text
    assert "arena bots analyse" not in text


@pytest.mark.campaign
def test_lost_games_are_judged_as_a_session_that_is_fetched(author, tmp_path):
    season(author, LADDER.replace("nyuri", "nur-mut"))
    submitted(tmp_path)
    how = ("--worlds", "8", "--json")
    [judged] = json.loads(arena("bots", "analyse", BOT, "--most", "1", *how, cwd=tmp_path).stdout)
    arena("bots", "get-game", BOT, judged["key"], "lost.jsonl", cwd=tmp_path)
    assert judged == {
        "key": judged["key"],
        "page": f"{author.url}/games/{judged['key'].partition('/')[2]}",
        **json.loads(arena("analyse", "lost.jsonl", *how, cwd=tmp_path).stdout),
    }


def test_what_an_author_has_analysed_is_kept_and_listed(author, tmp_path, monkeypatch):
    def mistakes() -> Any:
        [lost] = json.loads(arena("bots", "losses", BOT, "--most", "1", "--json", cwd=tmp_path).stdout)
        return lost["mistakes"]

    def analysed() -> str:
        how = ("--most", "1", "--worlds", "8", "--json")
        return arena("bots", "analyse", BOT, *how, cwd=tmp_path).stdout

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    season(author, LADDER.replace("nyuri", "hyrule"))
    submitted(tmp_path)
    assert mistakes() is None
    found = analysed()
    [judged] = json.loads(found)
    costs = [each["cost"] for each in judged["decisions"] if each["verdict"] == "mistake"]
    assert [round(each["cost"], 4) for each in mistakes()] == sorted(costs, reverse=True)
    [file] = (tmp_path / "cache").rglob("analyses")
    kept = file.read_bytes()
    assert analysed() == found
    assert file.read_bytes() == kept  # it is not computed again
    Analyses(file, RULES + 1).close()  # a newer arena may find something else
    assert mistakes() is None


def test_without_a_terminal_each_state_is_told_and_then_now_and_then():
    said: list[str] = []
    time = 0.0
    states = PlainStates(said.append, lambda: time)
    for state in ["received", "received", "building", "building", "checking", "accepted", "accepted"]:
        states.show(state)
        time += 15
    assert said == [
        "the version waits to be built ...",
        "the version is being built ...",
        "the version is being checked ...",
    ]
    del said[:]
    for place in ("2nd in the queue", "2nd in the queue", "2nd in the queue", "1st in the queue"):
        states.show("received", place)
        time += 15
    assert said == [
        "the version waits to be built: 2nd in the queue",
        "the version waits to be built: 2nd in the queue; 30 s so far",
        "the version waits to be built: 1st in the queue; 45 s so far",
    ]
    del said[:]
    for _ in range(5):
        states.show("building")
        time += 15
    assert said == [
        "the version is being built ...",
        "the version is being built: 30 s so far",
        "the version is being built: 60 s so far",
    ]
