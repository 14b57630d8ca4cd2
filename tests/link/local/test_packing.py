"""Packing a bot's folder."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest

from arena.kits import kits_folder
from arena.link.local.bot_manifest import BotManifestError
from arena.link.local.packing import CannotPack, content_hash, pack

BUILT = '[build]\ncommand = ["make"]\n'


def bot_with(folder: Path, *names: str, build: str = "", **texts: str) -> Path:
    folder.mkdir()
    (folder / "bot.toml").write_text(f'name = "b"\n{build}[run]\ncommand = ["./b"]\n')
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    for name, text in texts.items():
        (folder / f".{name}").write_text(text)
    return folder


def names_in(path: Path) -> list[str]:
    with zipfile.ZipFile(path) as archive:
        return archive.namelist()


def packed_names(folder: Path, tmp_path: Path) -> set[str]:
    pack(folder, tmp_path / "b.zip")
    return set(names_in(tmp_path / "b.zip")) - {"bot.toml", ".arenaignore", ".gitignore"}


def test_the_same_content_gives_the_same_zip_whatever_the_times_and_the_order(tmp_path):
    one = bot_with(tmp_path / "one", "a", "b/c", "b.d")
    other = bot_with(tmp_path / "other", "b.d", "b/c", "a")
    os.utime(other / "a", (0, 0))
    first, second = pack(one, tmp_path / "1.zip"), pack(other, tmp_path / "2.zip")
    assert first == second
    assert (tmp_path / "1.zip").read_bytes() == (tmp_path / "2.zip").read_bytes()
    assert first.size == (tmp_path / "1.zip").stat().st_size
    assert names_in(tmp_path / "1.zip") == ["a", "b.d", "b/c", "bot.toml"]


@pytest.mark.parametrize("change", ["bytes", "name", "executable"])
def test_any_change_changes_the_content(tmp_path, change):
    folder = bot_with(tmp_path / "b", "a")
    before = pack(folder, tmp_path / "1.zip").content
    if change == "bytes":
        (folder / "a").write_text("A")
    elif change == "name":
        (folder / "a").rename(folder / "A")
    else:
        (folder / "a").chmod(0o755)
    assert pack(folder, tmp_path / "2.zip").content != before


def test_the_unpacked_folder_has_the_content_of_the_packed_one(tmp_path):
    folder = bot_with(tmp_path / "b", "a", "x/y/z")
    (folder / "a").chmod(0o755)
    packed = pack(folder, tmp_path / "b.zip")
    with zipfile.ZipFile(tmp_path / "b.zip") as archive:
        for info in archive.infolist():
            (tmp_path / "out" / archive.extract(info, tmp_path / "out")).chmod(info.external_attr >> 16)
    assert content_hash(tmp_path / "out") == packed.content


def test_caches_and_the_results_of_a_build_are_left_out(tmp_path):
    names = (
        ".git/HEAD",
        "x/__pycache__/a.pyc",
        "target/release/b",
        "node_modules/m",
        ".arena-build",
        "src/a",
    )
    assert packed_names(bot_with(tmp_path / "b", *names, build=BUILT), tmp_path) == {"src/a"}
    ready = bot_with(tmp_path / "ready", *names)
    assert packed_names(ready, tmp_path) == {"src/a", "target/release/b", "node_modules/m"}


@pytest.mark.parametrize(
    ("lines", "left"),
    [
        ("*.log", {"a", "x/b", "x/y/d", "[z]"}),
        ("# a\n\n/b.log", {"a", "x/b", "x/c.log", "x/y/d", "[z]"}),
        ("x/", {"a", "b.log", "[z]"}),
        ("a/", {"a", "b.log", "x/b", "x/c.log", "x/y/d", "[z]"}),
        ("*.log\n!c.log", {"a", "x/b", "x/c.log", "x/y/d", "[z]"}),
        ("x/*", {"a", "b.log", "[z]"}),
        ("**/d", {"a", "b.log", "x/b", "x/c.log", "[z]"}),
        ("x/**", {"a", "b.log", "[z]"}),
        ("x/**/d", {"a", "b.log", "x/b", "x/c.log", "[z]"}),
        ("?", {"b.log", "[z]"}),
        ("[!a]", {"a", "b.log", "[z]"}),
        ("[a-b]", {"b.log", "x/c.log", "x/y/d", "[z]"}),
        (r"\[z\]", {"a", "b.log", "x/b", "x/c.log", "x/y/d"}),
    ],
)
def test_arenaignore_reads_as_a_gitignore(tmp_path, lines, left):
    folder = bot_with(tmp_path / "b", "a", "b.log", "x/b", "x/c.log", "x/y/d", "[z]", arenaignore=lines)
    assert packed_names(folder, tmp_path) == left


def test_a_default_can_be_taken_in_again(tmp_path):
    folder = bot_with(tmp_path / "b", "target/a", build=BUILT, arenaignore="!target/")
    assert packed_names(folder, tmp_path) == {"target/a"}


def test_a_built_bot_leaves_out_what_its_gitignore_names_unless_there_is_an_arenaignore(tmp_path):
    folder = bot_with(tmp_path / "b", "bot", "a", build=BUILT, gitignore="bot")
    assert packed_names(folder, tmp_path) == {"a"}
    (folder / ".arenaignore").write_text("a")
    assert packed_names(folder, tmp_path) == {"bot"}
    ready = bot_with(tmp_path / "ready", "bot", gitignore="bot")
    assert packed_names(ready, tmp_path) == {"bot"}


def test_the_target_of_a_link_is_packed(tmp_path):
    folder = bot_with(tmp_path / "b", "a")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "c").write_text("c")
    (folder / "to").symlink_to("../out")
    assert packed_names(folder, tmp_path) == {"a", "to/c"}
    with pytest.raises(CannotPack, match="neither a file nor a folder"):
        content_hash(folder)


def test_what_cannot_be_packed_is_said_with_the_remedy(tmp_path):
    folder = bot_with(tmp_path / "b")
    (folder / "gone").symlink_to("nowhere")
    with pytest.raises(CannotPack, match=r"gone cannot be read: .*leave it out with \.arenaignore"):
        pack(folder, tmp_path / "b.zip")
    (folder / ".arenaignore").write_text("gone\npipe\n")
    os.mkfifo(folder / "pipe")
    pack(folder, tmp_path / "b.zip")
    (folder / ".arenaignore").write_text("gone\n")
    with pytest.raises(CannotPack, match="pipe is neither"):
        pack(folder, tmp_path / "b.zip")
    (folder / ".arenaignore").write_text("gone\npipe\n*.toml")
    with pytest.raises(CannotPack, match=r"leaves out bot\.toml"):
        pack(folder, tmp_path / "b.zip")
    (tmp_path / "empty").mkdir()
    with pytest.raises(BotManifestError):
        pack(tmp_path / "empty", tmp_path / "b.zip")


def test_a_folder_that_links_to_itself_is_refused(tmp_path):
    folder = bot_with(tmp_path / "b")
    (folder / "me").symlink_to(".")
    with pytest.raises(CannotPack):
        pack(folder, tmp_path / "b.zip")


def test_what_folders_behind_links_multiply_is_refused(tmp_path):
    bot = bot_with(tmp_path / "b")
    for number in range(12):
        (tmp_path / f"{number}").mkdir()
        for name in "ab":
            (tmp_path / f"{number}" / name).symlink_to(tmp_path / f"{number + 1}")
    (tmp_path / "12").mkdir()
    (tmp_path / "12/file").touch()
    (bot / "many").symlink_to(tmp_path / "0")
    for as_is in (False, True):
        with pytest.raises(CannotPack, match="more than 1,000 files"):
            pack(bot, tmp_path / "b.zip", as_is=as_is, most_files=1000)


def test_a_folder_that_is_too_deep_is_refused(tmp_path):
    bot = bot_with(tmp_path / "b", "/".join("d" * 201))
    for as_is in (False, True):
        with pytest.raises(CannotPack, match="more than 100 folders in each other"):
            pack(bot, tmp_path / "b.zip", as_is=as_is)


def test_a_folder_with_too_many_bytes_is_refused(tmp_path):
    bot = bot_with(tmp_path / "b", "a")
    (bot / "a").write_bytes(bytes(3 << 20))
    with pytest.raises(CannotPack, match="more than 2 MiB"):
        pack(bot, tmp_path / "b.zip", most_bytes=2 << 20)
    pack(bot, tmp_path / "b.zip", most_bytes=4 << 20)


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="there is no file that nobody can read")
def test_what_cannot_be_read_is_one_sentence(tmp_path):
    bot = bot_with(tmp_path / "b")
    (bot / "memory").symlink_to("/proc/self/mem")
    for as_is in (False, True):
        with pytest.raises(CannotPack, match="memory cannot be read"):
            pack(bot, tmp_path / "b.zip", as_is=as_is)


@pytest.mark.parametrize("example", [path.name for path in kits_folder().iterdir() if path.is_dir()])
def test_every_example_can_be_packed_and_is_small(tmp_path, example):
    assert pack(kits_folder() / example, tmp_path / "b.zip").size < 10 << 20
