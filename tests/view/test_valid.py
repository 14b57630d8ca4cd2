"""Every page is valid HTML, by the checker of the W3C (the npm package vnu-jar, which runs on Java)."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.hosting.pages.standing import standing
from tests.installed import require
from tests.patience import PATIENCE
from tests.view.served import played, served

CHECKER = "vnu-jar@26.9.27"
OF_A_NIGHT = (
    "/", "/standings", "/standings/nyuri", "/crosstable", "/bracket", "/schedule", "/games",
    "/games?bot=2&faults=1", "/bots", "/bots/2", "/decisions", "/season", "/screen", "/tables", "/host",
    "/seat", "/games/1.1.1/nyuri/1.1", "/games/1.1.1/kleftis/1.1", "/nights/1/",
)  # fmt: skip
OF_A_STANDING_LEAGUE = (
    "/", "/bots", "/season", "/environment", "/nights-to-come", "/login", "/tables", "/screen",
)  # fmt: skip


@pytest.fixture(scope="module")
def checker(tmp_path_factory) -> Path:
    """The checker's jar."""
    require("java", "typescript")
    folder = tmp_path_factory.mktemp("checker")
    npm = shutil.which("npm")
    assert npm is not None
    subprocess.run([npm, "install", "--silent", "--prefix", folder, CHECKER], check=True, timeout=PATIENCE)
    jar: Path
    (jar,) = folder.glob("node_modules/vnu-jar/build/dist/vnu.jar")
    return jar


def problems(checker: Path, pages: Path) -> list[str]:
    """What the checker says of the HTML files in a folder."""
    done = subprocess.run(
        ["java", "-jar", checker, "--format", "json", "--exit-zero-always", "--skip-non-html", pages],
        capture_output=True, text=True, timeout=PATIENCE, check=True,
    )  # fmt: skip
    said = json.loads(done.stderr)["messages"]
    return [f"{Path(each['url']).name}: {each['message']} ({each.get('extract', '')})" for each in said]


def keep(folder: Path, path: str, text: str) -> None:
    """Writes a page into a file that is named like its address."""
    assert text.startswith("<!doctype html>"), path
    name = "".join(each if each.isalnum() else "-" for each in path)
    (folder / f"{name}.html").write_text(text, "utf-8")


def test_every_page_is_valid(checker, tmp_path):
    pages, folder = tmp_path / "pages", tmp_path / "club"
    pages.mkdir()
    folder.mkdir()
    with served(played(tmp_path / "night.league")) as page:
        for path in OF_A_NIGHT:
            keep(pages, path, page.get(path))
        keep(pages, "/nowhere", page.get("/nowhere", 404))
    with standing(folder) as club:
        for path in (*OF_A_STANDING_LEAGUE, f"/join/{club.invitation('Bob')}"):
            keep(pages, f"league{path}", club.page.get(path))
        token = urlencode({"token": club.author("Ada").token})
        _, told = club.page.answer("/login", 303, token.encode())
        keep(pages, "/authors", club.page.get("/authors", Cookie=told["Set-Cookie"].partition(";")[0]))
    assert problems(checker, pages) == []
