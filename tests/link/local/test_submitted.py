"""Submitted folders are input: harmful ones are refused, real ones are not."""

from __future__ import annotations

import os
import re
import shutil
import socket
import sys
from pathlib import Path

import pytest
import trio

from arena.kits import proto_folder
from arena.link.local import build as building
from arena.link.local import submitted
from arena.link.local.bot_manifest import BotManifestError, read_bot_manifest
from arena.link.local.build import BuildError, build, build_all
from arena.link.local.containment.readable import readable
from arena.link.local.ignored import STAMP
from arena.link.local.sandbox import TRUSTED, Level, Sandbox
from arena.link.local.submitted import problem_in
from tests.arena_command import arena
from tests.bots_for_tests import bot_folder

BOTS = Path(__file__).parents[3] / "bots"
CONTAINED = Sandbox(Level.BASIC)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = bot_folder(tmp_path, "bot", ["python", "bot.py"])
    (place / "src").mkdir()
    return place


def found(folder: Path, *, trusted: bool = False, most: int = submitted.MOST) -> str | None:
    return problem_in(folder, ["python", "bot.py"], trusted, most)


@pytest.mark.parametrize("bot", sorted(path.parent.name for path in BOTS.glob("*/bot.toml")))
def test_the_example_bots_are_fit_with_all_that_their_builds_wrote(bot):
    manifest = read_bot_manifest(BOTS / bot)
    assert problem_in(manifest.folder, (*manifest.command, *manifest.build), trusted=False) is None


@pytest.fixture
def copied_proto(tmp_path: Path) -> Path:
    """A copy of the protocol, as a clone has it beside an arena that is installed elsewhere."""
    return shutil.copytree(proto_folder(), tmp_path / "clone" / "proto")


def test_a_link_to_the_same_protocol_elsewhere_is_fit_and_may_be_read(folder, copied_proto):
    (folder / "proto").symlink_to(copied_proto)
    assert found(folder) is None
    assert str(copied_proto) in readable(["python"], folder)


@pytest.mark.parametrize("change", ["more", "other", "less", "link", "home"])
def test_a_link_to_anything_but_the_protocol_is_refused(folder, copied_proto, tmp_path, change):
    file = copied_proto / "arena" / "v1" / "bot.proto"
    (tmp_path / "bot.proto").write_bytes(file.read_bytes())
    if change == "more":
        (copied_proto / "secret").touch()
    elif change == "other":
        file.write_text("other")
    else:
        file.unlink()
    if change == "link":
        file.symlink_to(tmp_path / "bot.proto")
    (folder / "proto").symlink_to(tmp_path if change == "home" else copied_proto)
    assert "proto is a symbolic link to " in (found(folder) or "")
    assert str(copied_proto) not in readable(["python"], folder)


def test_what_toolchains_leave_is_fit(folder):
    (folder / ".venv" / "bin").mkdir(parents=True)
    (folder / ".venv" / "bin" / "python").symlink_to("/usr/bin/python3")
    (folder / ".venv" / "bin" / "python3").symlink_to("python")
    (folder / ".venv" / "bin" / "own").symlink_to(Path(sys.executable).resolve())
    (folder / ".venv" / "lib64").symlink_to("lib")
    package = folder / "node_modules" / "a" / "node_modules" / "b" / "é 東京 👩‍🔬.js"
    package.parent.mkdir(parents=True)
    package.write_text("")
    (folder / "node_modules" / ".bin").mkdir()
    (folder / "node_modules" / ".bin" / "b").symlink_to("../a/node_modules/b/é 東京 👩‍🔬.js")
    (folder / "node_modules" / "itself").symlink_to("..")
    (folder / "node_modules" / "loop").symlink_to("loop")
    (folder / ".#lock").symlink_to("ada@host.123:456")
    (folder / "shared").mkdir()
    (folder / "shared").chmod(0o2775)
    assert found(folder) is None


@pytest.mark.parametrize(
    "target", ["/etc/shadow", "..", "../other/bot.toml", "/proc/kmsg", "/dev/zero", "/nowhere"]
)
def test_a_link_out_of_the_folder_is_refused_but_where_its_author_is_trusted(folder, target):
    (folder / "src" / "data").symlink_to(os.path.join(folder, target))
    problem = found(folder) or ""
    assert problem.startswith("src/data is a symbolic link to ")
    assert "put what the bot needs into its folder" in problem
    assert found(folder, trusted=True) is None


def test_pipes_sockets_and_devices_are_refused(folder):
    os.mkfifo(folder / "src" / "pipe")
    assert found(folder, trusted=True) == "src/pipe is a named pipe, not a file: take it out of the folder"
    (folder / "src" / "pipe").unlink()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "sock"))
    assert found(folder) == "sock is a socket, not a file: take it out of the folder"
    (folder / "sock").unlink()
    if os.geteuid() == 0:
        os.mknod(folder / "null", 0o20666, os.makedev(1, 3))
        assert found(folder) == "null is a device, not a file: take it out of the folder"


@pytest.mark.parametrize("mode", [0o4755, 0o2755])
def test_setuid_is_refused(folder, mode):
    (folder / "src" / "tool").write_text("")
    (folder / "src" / "tool").chmod(mode)
    assert "src/tool would run as another user" in (found(folder) or "")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (b"a\nb", "a\\nb"),
        (b"a\x1b[2Jb", "a\\x1b[2Jb"),
        ("a\u202eb".encode(), "a\\u202eb"),
        (b"a\x9b2J", "a\\udc9b2J"),
        (b"a\xff", "a\\udcff"),
        ("a\u2028b".encode(), "a\\u2028b"),
    ],
)
def test_names_that_mislead_are_refused_and_shown_harmlessly(folder, name, shown):
    with open(os.path.join(os.fsencode(folder), b"src", name), "wb"):
        pass
    problem = found(folder, trusted=True) or ""
    assert f"src/{shown}" in problem
    assert problem.isprintable()
    assert problem.endswith("rename it")


def test_too_many_files_are_refused_but_where_trusted(folder):
    for number in range(20):
        (folder / "src" / str(number)).touch()
    assert "more than 20 files, the last of them in src" in (found(folder, most=20) or "")
    assert found(folder, most=20, trusted=True) is None
    assert found(folder) is None


def test_too_much_in_small_files_is_refused_but_where_trusted(folder):
    for number in range(submitted.MOST_SMALL // submitted.SMALL):
        (folder / "src" / str(number)).touch()
        os.truncate(folder / "src" / str(number), submitted.SMALL)  # which takes no room on the disk
    assert "small files have more than 1 GiB" in (found(folder) or "")
    assert found(folder, trusted=True) is None
    (folder / "src" / "0").unlink()
    assert found(folder) is None


def test_folders_that_are_too_deep_are_refused_but_where_trusted(folder):
    (folder / "d" / Path(*"d" * submitted.DEEPEST)).mkdir(parents=True)
    assert f"more than {submitted.DEEPEST} folders deep" in (found(folder) or "")
    assert found(folder, trusted=True) is None


def test_nothing_is_built_before_all_are_looked_through(tmp_path):
    good, bad = (bot_folder(tmp_path, name, ["./made"]) for name in ("good", "bad"))
    with (good / "bot.toml").open("a") as file:
        file.write('[build]\ncommand = ["touch", "made"]\n')
    os.mkfifo(bad / "pipe")
    bots = [(read_bot_manifest(place), TRUSTED) for place in (good, bad)]
    with pytest.raises(BuildError, match=r"bad cannot be used as it is: in .*bad pipe is a named pipe"):
        trio.run(build_all, bots, lambda line: None)
    assert not (good / "made").exists()


def test_the_stamp_of_a_build_is_no_link(folder, tmp_path):
    precious = tmp_path / "precious"
    precious.write_text("kept")
    (folder / STAMP).symlink_to(precious)
    with (folder / "bot.toml").open("a") as file:
        file.write('[build]\ncommand = ["true"]\n')
    with pytest.raises(BuildError, match=STAMP):
        trio.run(build, read_bot_manifest(folder), lambda line: None)
    assert precious.read_text() == "kept"


@pytest.mark.parametrize("kind", ["pipe", "link", "device", "large"])
def test_a_bot_toml_that_is_no_file_of_the_folder_is_not_read(tmp_path, kind):
    folder = tmp_path / "bot"
    folder.mkdir()
    path = folder / "bot.toml"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "large":
        path.touch()
        os.truncate(path, 1 << 40)
    else:
        (tmp_path / "else.toml").write_text('name = "x"\n[run]\ncommand = "x"\n')
        path.symlink_to(tmp_path / "else.toml" if kind == "link" else "/dev/zero")
    with pytest.raises(BotManifestError, match=r"bot\.toml: it "):
        read_bot_manifest(folder)


def test_sources_behind_links_that_turn_in_circles_are_read_once(folder):
    (folder / "src" / "a.c").write_text("a")
    for name in "xyz":
        (folder / "src" / name).symlink_to(".")
    before = building.fingerprint(folder, ["make"], ["src/**", "**/*.nothing"])
    assert before is not None
    (folder / "src" / "a.c").write_text("b")
    assert building.fingerprint(folder, ["make"], ["src/**", "**/*.nothing"]) != before
    with pytest.raises(building.TooMuch, match="among more than 3 names"):
        building.fingerprint(folder, ["make"], ["**"], most_names=3)


def test_sources_that_lie_too_deep_are_told_in_a_sentence(folder):
    with pytest.raises(building.TooMuch, match="lie too deep"):
        building.fingerprint(folder, ["true"], ["a/" * 2000])


def test_a_stamp_of_no_end_is_not_read_to_it(folder):
    stamp = folder / STAMP
    stamp.write_text('{"sources": "x", "made": []}')
    with stamp.open() as file:
        assert building._is_fresh(file, "x", folder)
    os.truncate(stamp, 1 << 40)
    with stamp.open() as file:
        assert not building._is_fresh(file, "x", folder)


def test_sources_of_no_end_are_not_read_to_it(folder):
    (folder / "src" / "endless").touch()
    os.truncate(folder / "src" / "endless", 1 << 40)
    with pytest.raises(building.TooMuch, match="match files of more than 1 MiB"):
        building.fingerprint(folder, ["true"], ["src"], most_bytes=1 << 20)


def test_sources_that_are_too_much_are_told_in_a_sentence(folder):
    for number in range(400):
        (folder / "src" / f"{number}.c").touch()
    patterns = ["src/*.c"] * 260  # each of them looks at all names once more
    with (folder / "bot.toml").open("a") as file:
        file.write(f'[build]\ncommand = ["true"]\nsources = {patterns}\n')
    with pytest.raises(BuildError, match="are looked for among more than 100,000 names: name only what"):
        trio.run(build, read_bot_manifest(folder), lambda line: None)


@pytest.mark.parametrize("command", ["run", "check-bot"])
def test_the_commands_say_it_in_a_sentence(folder, tmp_path, command):
    os.mkfifo(folder / "src" / "pipe")
    if command == "check-bot":
        done = arena("check-bot", folder, cwd=tmp_path, code=1)
        assert "src/pipe is a named pipe, not a file: take it out of the folder" in re.sub(
            r"\s+", " ", done.stdout
        )
        return
    entrants = f'[[entrant]]\nbot = "{folder}"\n' * 2
    (tmp_path / "t.toml").write_text(f'name = "t"\n{entrants}')
    done = arena("run", "t.toml", cwd=tmp_path, code=2)
    assert done.stderr.splitlines()[-1].endswith(
        "src/pipe is a named pipe, not a file: take it out of the folder"
    )
