"""The builder: in the test's process with real bots, and as the host process starts it, with real kills."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from arena.hosting.builder import BUSY, Heard, built_problem, limit_met, main
from arena.hosting.database import Database
from arena.hosting.place import Place
from arena.hosting.report import Result, read_result
from arena.link.local.bot_manifest import read_bot_manifest
from arena.link.local.packing import pack
from tests.patience import PATIENCE

EXAMPLE = Path(__file__).parents[2] / "bots" / "greedy-python"
LIMITS: dict[str, Any] = {"level": "basic", "games": ["nyuri"], "thorough": False}


def submitted(place: Place, bot: Path, name: str) -> int:
    place.folder.mkdir(exist_ok=True)
    with Database(place.database, writer=True) as database, database.transaction():
        ada = database.account_called("Ada")
        account = ada.id if ada else database.add_account("Ada", "author")
        known = database.bot_called(name)
        id = database.add_version(known.id if known else database.add_bot(account, name), "00", 1, "")
    place.submission(id).mkdir(parents=True)
    pack(bot, place.submission(id) / "upload.zip")
    return id


def words(place: Place, id: int, **limits: Any) -> list[str]:
    return [str(place.folder), str(id), json.dumps({**LIMITS, **limits})]


def started(place: Place, id: int, **limits: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-m", "arena.hosting.builder", *words(place, id, **limits)])


def made(place: Place, id: int, **limits: Any) -> Result:
    assert main(words(place, id, **limits)) == 0
    result = read_result(place.submission(id))
    assert result is not None
    return result


def bot_of(folder: Path, build: str = "", run: str = "exit 1") -> Path:
    folder.mkdir()
    text = f'name = "b"\n[run]\ncommand = ["sh", "-c", "{run}"]\n'
    (folder / "bot.toml").write_text(
        text + (f'[build]\ncommand = ["sh", "-c", "{build}"]\n' if build else "")
    )
    return folder


def test_the_example_is_accepted_and_read_only(tmp_path: Path) -> None:
    place = Place(tmp_path / "league")
    id = submitted(place, EXAMPLE, _name(EXAMPLE))
    result = made(place, id)
    lines = [json.loads(line) for line in (place.submission(id) / "report.jsonl").read_text().splitlines()]
    assert result.state == "accepted", lines
    assert (result.language, len(result.content)) == ("python", 64)
    assert lines[-1]["text"] == "accepted"
    assert not any("✓" in line["text"] for line in lines), "the level of a line says what came of it"
    assert not (place.bot(id) / "bot.toml").stat().st_mode & 0o222
    with Database(place.database, writer=True) as database, database.transaction():
        database.change_version(id, state="accepted", content=result.content)
    again = made(place, submitted(place, EXAMPLE, _name(EXAMPLE)))
    assert (again.state, "same as version 1" in again.reason) == ("refused", True)


def _name(bot: Path) -> str:
    return read_bot_manifest(bot).name


@pytest.mark.parametrize(
    ("build", "submitted_as", "limits", "reason"),
    [
        ("echo no; exit 1", "b", {}, 'it fails check 1, "builds"'),
        ("", "b", {}, 'it fails check 2, "starts"'),
        ("", "other", {}, "submitted as other"),
        ("sleep 1000", "b", {"build_time": 0.2}, "build took more than 0.2 s"),
        ("", "b", {"games": ["hyrule"], "memory": 1 << 20}, "asks for"),
        ("head -c 9000000 /dev/zero > large; sleep 1000", "b", {"disk": 1 << 20}, "more than 3 MiB while"),
        ("head -c 9000000 /dev/zero > $HOME/large; sleep 1000", "b", {"disk": 1 << 20}, "more than 3 MiB"),
    ],
)
def test_a_bot_that_is_not_fit_is_refused(
    tmp_path: Path, build: str, submitted_as: str, limits: dict[str, Any], reason: str
) -> None:
    place = Place(tmp_path / "league")
    id = submitted(place, bot_of(tmp_path / "b", build), submitted_as)
    result = made(place, id, **limits)
    assert (result.state, reason in result.reason) == ("refused", True), result
    report = (place.submission(id) / "report.jsonl").read_text()
    assert "builds" not in result.reason or "starts" not in report, "what was not built is not checked"
    assert not any(place.folder.glob("caches/*/large"))  # so the next build does not fail for it


def test_the_report_tells_what_a_build_prints_while_it_runs(tmp_path: Path) -> None:
    place = Place(tmp_path / "league")
    id = submitted(place, bot_of(tmp_path / "b", "echo compiling in $PWD; exit 1"), "b")
    made(place, id)
    told = [json.loads(line) for line in (place.submission(id) / "report.jsonl").read_text().splitlines()]
    texts = [line["text"] for line in told if line["step"] == "build"]
    assert "| compiling in the bot's folder" in texts
    assert texts.index("| compiling in the bot's folder") < texts.index(
        next(text for text in texts if "expected:" in text)
    )


def test_of_a_long_output_the_report_tells_a_line_now_and_then() -> None:
    told: list[str] = []
    moment = 0.0
    heard = Heard(told.append, lambda: moment)
    for number in range(1000):
        heard.hear(f"line {number}")
    assert told == [f"line {number}" for number in range(20)]
    for number in range(10_000):
        moment += 1
        heard.hear(f"later {number}")
    assert told[20:22] == ["later 1", "later 3"]
    assert len(told) == 500


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (MemoryError(), "1 GiB of memory"),
        (ExceptionGroup("", [OSError(), ExceptionGroup("", [MemoryError()])]), "1 GiB of memory"),
        (RecursionError(), "nested too deeply"),
        (OSError(), None),
        (ExceptionGroup("", [OSError()]), None),
    ],
)
def test_an_error_says_whether_the_builder_met_a_limit(error: Exception, reason: str | None) -> None:
    met = limit_met(error)
    assert (met is None) if reason is None else (reason in (met or ""))


def test_what_a_killed_builder_left_is_removed_and_the_version_refused(tmp_path: Path) -> None:
    place = Place(tmp_path / "league")
    id = submitted(place, bot_of(tmp_path / "b"), "b")
    scratch = tmp_path / "arena-build-1"
    scratch.mkdir()
    (place.submission(id) / "scratch").write_text(str(scratch))
    (place.bot(id) / "sub").mkdir(parents=True)
    (place.bot(id) / "sub/large").write_bytes(bytes(1 << 20))
    (place.bot(id) / "sub").chmod(0)
    assert main([*words(place, id), "it took too long"]) == 0
    result = read_result(place.submission(id))
    assert result is not None
    assert (result.state, result.reason, result.disk < 1 << 20) == ("refused", "it took too long", True)
    assert not place.bot(id).exists()
    assert not scratch.exists()
    assert "refused: it took too long" in (place.submission(id) / "report.jsonl").read_text()


def test_a_missing_upload_is_the_hosts_trouble(tmp_path: Path) -> None:
    place = Place(tmp_path / "league")
    id = submitted(place, bot_of(tmp_path / "b"), "b")
    (place.submission(id) / "upload.zip").unlink()
    assert made(place, id).state == "trouble"


def test_a_killed_builder_leaves_nothing_running_and_is_begun_anew(tmp_path: Path) -> None:
    place = Place(tmp_path / "league")
    word = f"86{os.getpid()}"
    id = submitted(place, bot_of(tmp_path / "b", f"touch begun; sleep {word}"), "b")
    running = started(place, id)
    _until(lambda: (place.bot(id) / "begun").exists())
    scratch = Path((place.submission(id) / "scratch").read_text())
    assert scratch.is_dir()
    assert main(words(place, id)) == BUSY
    running.kill()
    running.wait()
    _until(lambda: not _running(word))
    assert read_result(place.submission(id)) is None
    assert made(place, id, build_time=1.0).state == "refused"
    assert not scratch.exists()


@pytest.mark.campaign
@pytest.mark.parametrize("text", ["unpacking", "there is nothing to build", "plays nyuri"])
def test_a_builder_that_is_killed_in_a_step_is_begun_anew(tmp_path: Path, text: str) -> None:
    place = Place(tmp_path / "league")
    id = submitted(place, EXAMPLE, _name(EXAMPLE))
    report = place.submission(id) / "report.jsonl"
    running = started(place, id)
    _until(lambda: report.exists() and text in report.read_text())
    running.kill()
    running.wait()
    assert read_result(place.submission(id)) is None
    assert made(place, id).state == "accepted"
    assert not (place.submission(id) / "scratch").exists()


def _until(done: Any) -> None:
    deadline = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _running(word: str) -> bool:
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if path.read_bytes().split(b"\0")[:2] == [b"sleep", word.encode()]:
                return True
        except OSError:
            continue
    return False


@pytest.mark.campaign
def test_ten_at_once(tmp_path: Path) -> None:
    place = Place(tmp_path / "league")
    ids = []
    for number in range(10):
        bot = bot_of(tmp_path / str(number), f"echo {number} > made")
        ids.append(submitted(place, bot, "b"))
    builders = [started(place, id) for id in ids]
    assert [builder.wait(PATIENCE) for builder in builders] == [0] * 10
    for number, id in enumerate(ids):
        assert (place.bot(id) / "made").read_text() == f"{number}\n"
        assert not (place.submission(id) / "scratch").exists()


BUILT = [
    ("ln -sf {victim} .arena-build", "", "symbolic link"),
    ("mkfifo pipe", "", "pipe is a named pipe"),
    ("echo [needs] >> bot.toml; echo network = true >> bot.toml", "", "its build changes bot.toml"),
    ("echo [ >> bot.toml", "", "its build changes bot.toml"),
    ("ln -s /usr/share data", 'writable = ["data"]', "data is no folder when it is built"),
]
"""Builds, what the manifest needs, and why what they leave may not play."""


def bot_with_build(folder: Path, build: str, needs: str) -> Path:
    shutil.copytree(EXAMPLE, folder, symlinks=True)
    more = f"\n[build]\ncommand = {json.dumps(['sh', '-c', build])}\n"
    more += f"[needs]\n{needs}\n" if needs else ""
    (folder / "bot.toml").write_text((folder / "bot.toml").read_text() + more)
    return folder


@pytest.mark.parametrize(("build", "needs", "reason"), BUILT)
def test_what_a_build_leaves_is_checked_as_what_was_submitted(
    tmp_path: Path, build: str, needs: str, reason: str
) -> None:
    bot = bot_with_build(tmp_path / "bot", "true", needs)
    manifest = read_bot_manifest(bot)
    assert built_problem(bot, manifest, trusted=False) is None
    subprocess.run(["sh", "-c", build.format(victim=tmp_path / "victim")], cwd=bot, check=True)
    assert reason in (built_problem(bot, manifest, trusted=False) or "")


@pytest.mark.campaign
def test_a_build_that_leaves_what_may_not_play_is_refused(tmp_path: Path) -> None:
    place, victim = Place(tmp_path / "league"), tmp_path / "victim"
    victim.write_text("precious")
    build, needs, reason = BUILT[0]
    bot = bot_with_build(tmp_path / "bot", build.format(victim=victim), needs)
    result = made(place, submitted(place, bot, _name(bot)))
    assert (result.state, reason in result.reason) == ("refused", True), result
    assert victim.read_text() == "precious"
