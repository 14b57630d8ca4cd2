"""The arena's sockets fit wherever TMPDIR leads, or a sentence names TMPDIR."""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.temporary import NoFolder, short_place, temporary_folder


@pytest.fixture
def long_folder(tmp_path, monkeypatch) -> Path:
    folder: Path = tmp_path / ("x" * 100)
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def listen_in(folder: str, name: str) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{folder}/{name}")


@pytest.fixture
def short_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        yield Path(folder)


@pytest.mark.parametrize("relative", [False, True])
@pytest.mark.parametrize("length", [30, 60, 77, 78, 90, 100])
def test_a_socket_fits_into_a_temporary_folder(short_folder, monkeypatch, length, relative):
    """Whether TMPDIR is relative or not: Python 3.12 and later make the whole path of it."""
    monkeypatch.chdir(short_folder)
    folder = short_folder / ("x" * (length - len(f"{short_folder}/")))
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", folder.name if relative else str(folder))
    with temporary_folder() as private:
        assert os.stat(private).st_mode & 0o077 == 0
        assert Path(private).parent.samefile(folder) == (length <= 77)
        listen_in(private, "lobby.sock")
    assert not os.path.exists(private)


def test_a_socket_fits_into_a_folder_inside_the_place(long_folder):
    name = "arena-build-12345678"
    assert len(f"{short_place(name)}/{name}/arena-12345678/lobby.sock") <= 103


def test_without_a_short_folder_tmpdir_is_named(long_folder):
    with pytest.raises(NoFolder, match=r"let TMPDIR name a folder with at most 77 bytes in its path"):
        temporary_folder(others=[str(long_folder), "/no/such/folder"])
