"""Hostile zips are refused with a sentence, and nothing is written outside the folder."""

from __future__ import annotations

import contextlib
import io
import stat
import struct
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import pytest

from arena.hosting.unpacking import BadUpload, unpack
from arena.link.local.packing import content_hash, pack
from arena.names import same_name

MANIFEST = 'name = "b"\n[run]\ncommand = ["true"]\n'
MOST = 1 << 20


def zipped(path: Path, *entries: tuple[str | zipfile.ZipInfo, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bot.toml", MANIFEST)
        for name, data in entries:
            archive.writestr(name, data)
    return path


def special(name: str, mode: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = 3, mode << 16
    return info


@pytest.mark.parametrize(
    "name",
    ["../out", "/etc/out", "a/../../out", "a/./b", "a//b", "a\\b", "x" * 300, "/".join("a" * 150), ".."],
)
def test_a_name_that_leads_out_or_is_too_long_is_refused(tmp_path: Path, name: str) -> None:
    upload = zipped(tmp_path / "u.zip", (name, b"x"))
    with pytest.raises(BadUpload, match="name"):
        unpack(upload, tmp_path / "bot", MOST)
    assert {path.name for path in tmp_path.iterdir()} == {"u.zip", "bot"}


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFIFO, stat.S_IFSOCK])
def test_links_and_devices_are_refused(tmp_path: Path, kind: int) -> None:
    upload = zipped(tmp_path / "u.zip", (special("a", kind | 0o777), b"/etc/passwd"))
    with pytest.raises(BadUpload, match=r"link|neither"):
        unpack(upload, tmp_path / "bot", MOST)


@pytest.mark.parametrize(
    "names",
    [("a", "A"), ("a", "a/b"), ("a/b", "a"), ("bot.toml",), ("é", "e\u0301"), ("x/A", "X/b"), ("d/", "d")],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_clashing_names_are_refused(tmp_path: Path, names: tuple[str, ...]) -> None:
    upload = zipped(tmp_path / "u.zip", *((name, b"") for name in names))
    with pytest.raises(BadUpload, match="same"):
        unpack(upload, tmp_path / "bot", MOST)


def test_setuid_is_dropped_and_execution_kept(tmp_path: Path) -> None:
    upload = zipped(tmp_path / "u.zip", (special("a", stat.S_IFREG | 0o6755), b"x"))
    unpack(upload, tmp_path / "bot", MOST)
    assert stat.S_IMODE((tmp_path / "bot/a").stat().st_mode) == 0o755
    assert stat.S_IMODE((tmp_path / "bot/bot.toml").stat().st_mode) == 0o644


def test_bombs_are_refused_by_total_and_by_ratio(tmp_path: Path) -> None:
    upload = zipped(tmp_path / "u.zip", *((f"z{number}", bytes(20 << 20)) for number in range(4)))
    with pytest.raises(BadUpload, match="unpacks to more"):
        unpack(upload, tmp_path / "total", MOST)
    with pytest.raises(BadUpload, match="unpacks to more"):
        unpack(upload, tmp_path / "ratio", 1 << 40)


def test_a_hundred_thousand_files_are_refused_before_the_directory_is_read(tmp_path: Path) -> None:
    upload = zipped(tmp_path / "u.zip", *((str(number), b"") for number in range(20_001)))
    with pytest.raises(BadUpload, match="more than 20,000 files"):
        unpack(upload, tmp_path / "bot", MOST)


def _remarked(name: str) -> zipfile.ZipInfo:
    """An entry with 60,000 bytes that a program may add."""
    info = zipfile.ZipInfo(name)
    info.extra = b"\xfe\xca\0\0" * 15_000
    return info


LONG_WHEN_NORMALISED = "\ufdfa" * 6  # 18 characters each
EXPENSIVE: list[tuple[list[str | zipfile.ZipInfo], str]] = [
    ([f"{number}/{'/'.join([LONG_WHEN_NORMALISED] * 90)}" for number in range(20)], "write its characters"),
    ([LONG_WHEN_NORMALISED * 3], "write its characters"),
    ([f"{number}/{'/'.join('a' * 98)}/a" for number in range(220)], "more than 20,000 folders"),
    ([_remarked(f"{number}") for number in range(80)], "more than 4 MiB in all"),
]
"""Small zips that would take long, or make much, and why each is refused."""


@contextlib.contextmanager
def normalised() -> Iterator[list[str]]:
    """The names that are normalised in the context."""
    names: list[str] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code is same_name.__code__:
            names.append(frame.f_locals["name"])

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield names
    finally:
        sys.setprofile(before)


@pytest.mark.parametrize(("names", "reason"), EXPENSIVE)
def test_a_zip_that_would_cost_more_than_it_weighs_is_refused_before_anything_is_made(
    tmp_path: Path, names: list[str | zipfile.ZipInfo], reason: str
) -> None:
    upload = zipped(tmp_path / "u.zip", *((name, b"") for name in names))
    with normalised() as found, pytest.raises(BadUpload, match=reason):
        unpack(upload, tmp_path / "bot", MOST)
    assert not list((tmp_path / "bot").iterdir())
    assert sum(map(len, found)) <= upload.stat().st_size


def test_each_character_of_a_name_is_normalised_once(tmp_path: Path) -> None:
    upload = zipped(tmp_path / "u.zip", ("/".join("abcdefgh"), b""))
    with normalised() as found:
        unpack(upload, tmp_path / "bot", MOST)
    assert sorted(found) == sorted(["bot.toml", *"abcdefgh"])


def test_entries_that_overlap_are_refused(tmp_path: Path) -> None:
    upload = zipped(tmp_path / "u.zip", *((str(number), bytes(100)) for number in range(3)))
    data = bytearray(upload.read_bytes())
    at = -1
    while (at := data.find(b"PK\x01\x02", at + 1)) >= 0:
        data[at + 20 : at + 24] = struct.pack("<L", len(data) // 3)  # its packed size
    upload.write_bytes(data)
    with pytest.raises(BadUpload, match="overlap"):
        unpack(upload, tmp_path / "bot", MOST)


def _flag(data: bytes, flag: int) -> bytes:
    """Sets a flag in each entry of a zip."""
    changed = bytearray(data)
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(signature)
        while at >= 0:
            changed[at + offset : at + offset + 2] = struct.pack("<H", flag)
            at = data.find(signature, at + 1)
    return bytes(changed)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data[: len(data) // 2],
        lambda data: b"",
        lambda data: b"no zip" * 100,
        lambda data: data.replace(b"aaaa", b"\xff\xfe\xfd\xfc"),
        lambda data: _flag(data, 1),
        lambda data: _flag(data.replace(b"aaaa", b"\xff\xfe\xfd\xfc"), 0x800),
        lambda data: data[:-8] + b"\xff" * 8,
        lambda data: data[40:],
    ],
)
def test_broken_zips_end_in_a_sentence_or_a_folder(tmp_path: Path, spoil: Callable[[bytes], bytes]) -> None:
    upload = zipped(tmp_path / "u.zip", ("aaaa", b"some bytes"))
    upload.write_bytes(spoil(upload.read_bytes()))
    with contextlib.suppress(BadUpload):
        unpack(upload, tmp_path / "bot", MOST)
    assert {path.name for path in tmp_path.iterdir()} == {"u.zip", "bot"}


def test_every_single_wrong_byte_ends_in_a_sentence_or_a_folder(tmp_path: Path) -> None:
    whole = zipped(tmp_path / "u.zip", ("a/b", b"some bytes")).read_bytes()
    (tmp_path / "bots").mkdir()
    for at in range(len(whole)):
        data = bytearray(whole)
        data[at] ^= 0xFF
        upload = tmp_path / "wrong.zip"
        upload.write_bytes(data)
        with contextlib.suppress(BadUpload):
            unpack(upload, tmp_path / "bots" / str(at), MOST)
    assert {path.name for path in tmp_path.iterdir()} == {"u.zip", "wrong.zip", "bots"}


def test_other_compressions_are_refused(tmp_path: Path) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("bot.toml", MANIFEST)
    (tmp_path / "u.zip").write_bytes(data.getvalue())
    with pytest.raises(BadUpload, match="compressed"):
        unpack(tmp_path / "u.zip", tmp_path / "bot", MOST)


def test_a_zip_of_the_folder_itself_is_taken(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "u.zip", "w") as archive:
        archive.writestr("mine/", "")
        archive.writestr("mine/bot.toml", MANIFEST)
        archive.writestr("__MACOSX/mine/._bot.toml", "x")
    unpack(tmp_path / "u.zip", tmp_path / "bot", MOST)
    assert [path.name for path in (tmp_path / "bot").iterdir()] == ["bot.toml"]


def test_what_is_packed_is_unpacked_with_the_same_content(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    (folder / "sub").mkdir(parents=True)
    (folder / "bot.toml").write_text(MANIFEST)
    (folder / "sub/é.sh").write_text("x")
    (folder / "sub/é.sh").chmod(0o755)
    packed = pack(folder, tmp_path / "u.zip")
    unpack(tmp_path / "u.zip", tmp_path / "bot", MOST)
    assert content_hash(tmp_path / "bot") == packed.content
