"""`arena login`, `submit` and `bots`, at a real HTTP server."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import pty
import re
import shlex
import shutil
import signal
import socket
import ssl
import stat
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.games import GAMES
from arena.hosting.client import Client
from arena.hosting.logins import logins_file
from arena.kits import kits_folder
from arena.link.tls.address import fingerprint_of
from tests.arena_command import ARENA, arena
from tests.certificates import Authority
from tests.docs import text_of
from tests.hosting.league_server import Hosted, hosting
from tests.patience import PATIENCE

EXAMPLE = kits_folder() / "random-python"
BOT = "random"
ENTRANT = f'[[entrant]]\nbot = "{EXAMPLE}"\n'


@pytest.fixture
def hosted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hosted]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    with hosting() as server:
        yield server


@pytest.fixture
def author(hosted: Hosted, tmp_path: Path) -> Hosted:
    arena("login", f"{hosted.url}/join/inv1", cwd=tmp_path)
    return hosted


def submitted(tmp_path: Path, *options: str, code: int = 0) -> Any:
    return json.loads(arena("submit", EXAMPLE, "--json", *options, cwd=tmp_path, code=code).stdout)


def test_an_invitation_is_used_and_its_token_kept_for_its_owner_only(hosted, tmp_path):
    said = arena("login", f"{hosted.url}/join/inv1", cwd=tmp_path).stdout
    assert said == f"You are Ada at {hosted.url}. Next: arena submit FOLDER\n"
    assert json.loads(logins_file().read_text()) == {hosted.url: "token-1"}
    assert stat.S_IMODE(logins_file().stat().st_mode) == 0o600
    again = arena("login", f"{hosted.url}/join/inv1", cwd=tmp_path, code=2).stderr
    assert again == "arena: the invitation is used up: ask the host for another\n"
    assert json.loads(logins_file().read_text()) == {hosted.url: "token-1"}


def test_a_token_of_the_page_is_typed_or_read_from_a_file(author, tmp_path):
    for typed, options in (("token-1\n", ()), ("token-1\n", ("--token-file", "-"))):
        logins_file().unlink()
        arena("login", f"{author.url}/", *options, cwd=tmp_path, typed=typed)
        assert json.loads(logins_file().read_text()) == {author.url: "token-1"}
    wrong = arena("login", author.url, cwd=tmp_path, typed="wrong\n", code=2).stderr
    assert "does not know your token: log in again" in wrong
    assert json.loads(logins_file().read_text()) == {author.url: "token-1"}


def test_without_a_terminal_a_token_comes_another_way(author, tmp_path):
    said = arena("login", author.url, cwd=tmp_path, code=2).stderr
    assert "there is no terminal to type the token: set ARENA_AUTHOR_TOKEN, or give a file" in said


def test_without_a_login_a_command_says_what_to_do(hosted, tmp_path):
    assert "you are logged in nowhere: open your invitation" in arena("bots", cwd=tmp_path, code=2).stderr
    said = arena("bots", "--url", hosted.url, cwd=tmp_path, code=2).stderr
    assert said == f"arena: you are not logged in at {hosted.url}: type arena login {hosted.url}\n"


def test_a_machine_that_never_logs_in_has_its_token_in_the_environment(author, tmp_path, monkeypatch):
    logins_file().unlink()
    monkeypatch.setenv("ARENA_URL", author.url)
    monkeypatch.setenv("ARENA_AUTHOR_TOKEN", "token-1")
    assert json.loads(arena("bots", "--json", cwd=tmp_path).stdout) == []


def test_logging_out_makes_the_token_invalid(author, tmp_path):
    arena("logout", cwd=tmp_path)
    assert author.tokens == {}
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
    [version] = author.versions[BOT]
    assert version["note"] == "first"
    assert hashlib.sha256(author.uploads[version["upload"]]).hexdigest() == version["upload"]


def test_json_is_all_that_comes_on_standard_output(author, tmp_path):
    first = submitted(tmp_path)
    assert (first["version"], first["state"], first["same_as"]) == (1, "accepted", None)
    assert [line["step"] for line in first["report"]] == ["unpack", "check", "end"]
    author.uploads.clear()
    same = submitted(tmp_path)
    assert (same["version"], same["state"], same["same_as"]) == (1, "accepted", 1)
    assert len(author.versions[BOT]) == 1
    assert author.uploads == {}  # nothing is sent to learn that


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
    assert len(author.versions[BOT]) == 1


@pytest.mark.parametrize(
    ("key", "files", "said"),
    [
        ("size", {}, "the zip has"),
        ("disk", {}, "unpacks to more than this host allows"),
        ("size", {"Readme": "", "README": ""}, "which some systems hold for the same"),
    ],
)
def test_what_the_host_would_refuse_is_not_sent(author, tmp_path, key, files, said):
    bot = tmp_path / "bot"
    shutil.copytree(EXAMPLE, bot)
    for name, text in files.items():
        (bot / name).write_text(text)
    if len({name.name for name in bot.iterdir()} & files.keys()) < len(files):
        pytest.skip("this file system holds the names for the same")
    if not files:
        limits = {**author.environment["limits"], key: 100}
        author.environment = {**author.environment, "limits": limits}
    assert said in arena("submit", bot, cwd=tmp_path, code=2).stderr
    assert not author.uploads
    assert not author.versions


def test_a_refused_bot_is_exit_code_1_with_the_reason(author, tmp_path):
    author.verdict = lambda upload: "it does not start"
    said = arena("submit", EXAMPLE, cwd=tmp_path, code=1).stdout
    assert said.endswith(f"{BOT} version 1 is refused: it does not start\n")
    assert submitted(tmp_path, code=1)["reason"] == "it does not start"
    submitted(tmp_path, code=1)
    over = submitted(tmp_path, code=1)
    assert over == {
        "bot": BOT,
        "version": None,
        "state": "refused",
        "reason": "you have built 3 times today: try again tomorrow",
    }


def test_an_upload_goes_on_where_the_connection_was_lost(author, tmp_path):
    author.lose_after = 1000
    assert submitted(tmp_path)["state"] == "accepted"
    starts = [path.partition("from=")[2] for path in author.asked if path.startswith("PUT")]
    assert starts == ["0", "1000"]


def test_an_upload_goes_on_after_the_command_was_killed(author, tmp_path):
    author.hold_after = 1000
    with subprocess.Popen([*ARENA, "submit", EXAMPLE], cwd=tmp_path, stderr=subprocess.PIPE) as process:
        assert author.held.wait(PATIENCE)
        process.kill()
    author.release.set()
    assert submitted(tmp_path)["state"] == "accepted"
    starts = [path.partition("from=")[2] for path in author.asked if path.startswith("PUT")]
    assert starts == ["0", "1000"]


def test_an_upload_that_arrived_damaged_is_made_again(author, tmp_path):
    digest = submitted(tmp_path, "--dry-run") and submitted(tmp_path)["upload"]
    author.versions.clear()
    author.uploads[digest] = b"rubbish"
    assert submitted(tmp_path)["state"] == "accepted"
    starts = [path.partition("from=")[2] for path in author.asked if path.startswith("PUT")]
    assert starts == ["0", "7", "0"]


def test_a_page_that_is_busy_is_asked_again(author, tmp_path):
    author.busy = 1
    assert submitted(tmp_path)["state"] == "accepted"


def test_no_wait_returns_as_soon_as_the_version_is_there(author, tmp_path):
    assert submitted(tmp_path, "--no-wait")["state"] == "checking"


def test_a_dry_run_sends_nothing_and_says_what_the_host_has(author, tmp_path):
    said = arena("submit", EXAMPLE, "--dry-run", cwd=tmp_path).stdout
    assert "Club (arena 1.0) plays kleftis\nclock: bank 9s, increment 50ms, move 2s\n" in said
    assert "a bot may ask for 1 GiB of memory" in said
    assert "Python: 3.11" in said
    assert f"arena check-bot {EXAMPLE} --as {author.url}" in said
    logins_file().unlink()
    nobodys = submitted(tmp_path, "--dry-run", "--url", author.url)
    assert nobodys["environment"] == author.environment
    assert not author.uploads
    author.environment = {**author.environment, "limits": {"size": 100}}
    assert submitted(tmp_path, "--dry-run", "--url", author.url, code=1)["fits"] is False


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
    states = iter(("building", "building", "accepted"))
    author.report = lambda version, start: {"state": next(states), "reason": "", "lines": [], "next": 0}
    assert re.search(rb"building .{0,20}0:00:0[0-9]", on_a_terminal(tmp_path))


def test_ctrl_c_while_it_follows_says_that_the_host_goes_on(author, tmp_path):
    author.report = lambda version, start: {"state": "building", "reason": "", "lines": [], "next": 0}
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


def test_versions_are_listed_noted_withdrawn_and_rolled_back(author, tmp_path):
    submitted(tmp_path)
    assert f"{BOT}  Ada" in arena("bots", cwd=tmp_path).stdout
    listed = arena("bots", "list", cwd=tmp_path).stdout
    assert "12.25 [-3, 30.5] ?" in listed
    assert listed.endswith("\n? provisional: not ranked before it has 10 boards in each game\n")
    arena("bots", "withdraw", BOT, cwd=tmp_path)
    assert author.active[BOT] is None
    assert "none" in arena("bots", cwd=tmp_path).stdout
    arena("bots", "activate", BOT, 1, cwd=tmp_path)
    assert author.active[BOT] == 1
    arena("bots", "note", BOT, 1, "quick", cwd=tmp_path)
    assert "quick" in arena("bots", "versions", BOT, cwd=tmp_path).stdout
    assert "quick" in arena("bots", "show", BOT, cwd=tmp_path).stdout
    assert arena("bots", "log", BOT, cwd=tmp_path).stdout == "hello\\x1b[2J\n"
    assert "1.2.3  other     0.5    0" in arena("bots", "games", BOT, cwd=tmp_path).stdout
    assert "accepted" in arena("bots", "report", BOT, 1, cwd=tmp_path).stdout
    for words in (
        ("list",), ("show", BOT), ("versions", BOT), ("log", BOT), ("games", BOT), ("report", BOT, 1),
        ("activate", BOT, 1), ("withdraw", BOT), ("note", BOT, 1, "x"),
    ):  # fmt: skip
        json.loads(arena("bots", *words, "--json", cwd=tmp_path).stdout)
    assert arena("bots", "show", "nobody/x", cwd=tmp_path, code=2).stderr == (
        "arena: there is no bot nobody/x\n"
    )


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
                later.enter_context(hosting(port=port))

        client = Client(f"http://127.0.0.1:{port}", tell=tell)
        assert client.post("/api/join", invitation="inv1")["name"] == "Ada"
    assert re.fullmatch(r"the league does not answer yet; trying for another 5\d s", told[0])


def test_a_certificate_is_trusted_by_its_fingerprint_and_no_other(hosted, tmp_path):
    own = Authority(tmp_path).signed("somebody.else")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(own.certificate, own.key)
    pem = own.certificate.read_text("ascii")
    der = ssl.PEM_cert_to_DER_cert(pem[: pem.index("-----END CERTIFICATE-----") + 25])
    right = fingerprint_of(hashlib.sha256(der).digest())
    with hosting(context) as secure:
        wrong = f"{secure.url}/sha256:{'0' * 64}/join/inv1"
        assert "has another certificate" in arena("login", wrong, cwd=tmp_path, code=2).stderr
        assert "is not trusted" in arena("login", f"{secure.url}/join/inv1", cwd=tmp_path, code=2).stderr
        assert secure.asked == []
        arena("login", f"{secure.url}/{right}/join/inv1", cwd=tmp_path)
        assert submitted(tmp_path)["state"] == "accepted"


def test_a_bot_is_checked_as_the_host_does_it(hosted, tmp_path):
    hosted.environment = {**hosted.environment, "level": "none"}
    said = arena("check-bot", EXAMPLE, "--as", hosted.url, "--quick", "--json", cwd=tmp_path).stdout
    checks = json.loads(said)["checks"]
    played = {each["name"] for each in checks} & {f"plays {game}" for game in GAMES}
    assert played == {"plays kleftis"}
    assert hosted.asked == ["GET /api/environment"]


def test_a_bot_that_asks_for_more_than_the_host_allows_is_told(hosted, tmp_path):
    folder = tmp_path / "greedy"
    folder.mkdir()
    (folder / "bot.toml").write_text('name = "greedy"\n[run]\ncommand = "./b"\n[needs]\nthreads = 3\n')
    said = arena("check-bot", folder, "--as", hosted.url, cwd=tmp_path, code=2).stderr
    assert "greedy asks for 3 threads, and 1 are allowed at Club: ask for less in its bot.toml" in said
    (folder / "bot.toml").write_text('name = "greedy"\ngames = ["nyuri"]\n[run]\ncommand = "./b"\n')
    assert "it plays nyuri" in arena("check-bot", folder, "--as", hosted.url, cwd=tmp_path, code=2).stderr


def test_a_game_that_is_fetched_is_rehearsed(author, tmp_path):
    (tmp_path / "n.toml").write_text(f'name = "n"\ngames = ["nyuri"]\n{ENTRANT}{ENTRANT}')
    arena("run", "n.toml", cwd=tmp_path)
    arena("rehearse", "n.league", "1.1.1/nyuri/1.1", "--seat", 0, "--dump", "own.jsonl", cwd=tmp_path)
    author.session = [json.loads(line) for line in (tmp_path / "own.jsonl").read_text().splitlines()]
    submitted(tmp_path)
    got = arena("bots", "get-game", BOT, "1.2.3/nyuri/1.1", "got.jsonl", cwd=tmp_path).stdout
    assert got == "Now: arena rehearse got.jsonl FOLDER\n"
    said = arena("rehearse", "got.jsonl", EXAMPLE, cwd=tmp_path).stdout
    assert said.startswith("Nyuri, session got.jsonl\nturn    record")
    wrong = arena("bots", "get-game", BOT, "x", "got.txt", cwd=tmp_path, code=2).stderr
    assert "got.txt does not end in .jsonl" in wrong


def test_the_page_for_authors_is_followed_from_top_to_bottom(hosted, tmp_path):
    hosted.environment = {**hosted.environment, "level": "none"}
    (tmp_path / "n.toml").write_text(f'name = "n"\ngames = ["nyuri"]\n{ENTRANT}{ENTRANT}')
    arena("run", "n.toml", cwd=tmp_path)
    arena("rehearse", "n.league", "1.1.1/nyuri/1.1", "--seat", 0, "--dump", "own.jsonl", cwd=tmp_path)
    hosted.session = [json.loads(line) for line in (tmp_path / "own.jsonl").read_text().splitlines()]
    page = text_of("docs/submitting.md").replace(
        "https://arena.example.org/join/INVITATION", "{url}/join/inv1"
    )
    page = page.replace("https://arena.example.org", "{url}").replace(" GAME ", " 1.2.3/nyuri/1.1 ")
    blocks = [
        line for block in re.findall(r"^```\n(.*?)^```$", page, re.M | re.S) for line in block.splitlines()
    ]
    rows = re.findall(r"^\| `(arena [^`]+)`", page, re.M)
    assert len(blocks) == 6
    assert len(rows) == 10
    for line in (*blocks[:4], *rows, *blocks[4:]):
        words = line.replace("{url}", hosted.url).replace("NAME", "my-bot").replace("NUMBER", "1")
        words = words.replace("FILE", "game.jsonl") + " --quick" * ("check-bot" in line)
        arena(*shlex.split(words)[1:], cwd=tmp_path)
    assert hosted.active == {"my-bot": None}  # the rows end with its withdrawal
