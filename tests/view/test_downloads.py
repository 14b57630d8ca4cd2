"""The download of a finished tournament: made once if a visitor asks for it, kept, and of nothing hidden."""

from __future__ import annotations

import gzip
import io
import re
import zipfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import trio

from arena.league.downloads import LINES, TABLES, download_path
from arena.league.interchange import export_lines
from arena.league.store import League
from arena.view.serving.server import ComposedPage
from tests.patience import PATIENCE
from tests.referee.simulation import simulate
from tests.view.every_view import ask, composed

NIGHT = 'name = "Night"\ngames = ["hyrule"]\nboards = 1\n'
FORM = b"make=1"


@pytest.fixture
def league(tmp_path: Path) -> Path:
    """A finished tournament, and one that is played."""
    path = tmp_path / "l.league"
    with League.create_or_open(path) as store:
        simulate(store, NIGHT, 3)
        simulate(store, NIGHT, 3, at_most=3, finish=False)
    return path


def looked_at(path: Path, look: Callable[[ComposedPage], Awaitable[Any]]) -> None:
    """Looks at the page of a league that makes downloads."""

    async def run() -> None:
        with composed(path) as page, trio.fail_after(PATIENCE):
            async with trio.open_nursery() as nursery:
                (work,) = [work for where, work in page.background if where == "downloads"]
                nursery.start_soon(work)
                await look(page)
                nursery.cancel_scope.cancel()

    trio.run(run)


async def made(page: ComposedPage, address: str) -> str:
    """The page of a download that is made, when it is there."""
    answer = await ask(page, address, form=FORM)
    assert (answer.code, answer.headers["location"]) == (303, address)
    while "refresh" in (answer := await ask(page, address)).headers:
        assert "are being made" in answer.text
        await trio.sleep(0.05)
    return answer.text


def test_a_visitor_has_the_files_made_once_and_gets_what_the_command_writes(league):
    async def look(page: ComposedPage) -> None:
        assert "Make the files" in (await ask(page, "/nights/1/download")).text
        assert (await ask(page, f"/nights/1/download/{LINES}")).code == 404
        text = await made(page, "/nights/1/download")
        files = re.findall(r'href="(/nights/1/download/[a-z.]+)".*?KiB.*?<time', text)
        lines = await ask(page, files[-1])
        assert lines.headers["content-disposition"] == 'attachment; filename="Night.jsonl.gz"'
        with League.read(league) as store:
            expected = [*export_lines(store, 1, only_public=True)]
        assert gzip.decompress(lines.body).decode().splitlines() == expected
        pytest.importorskip("pyarrow")
        tables = zipfile.ZipFile(io.BytesIO((await ask(page, files[0])).body))
        assert {"README.md", "games.parquet", "decisions.parquet"} < {*tables.namelist()}
        kept = download_path(league, page.reader.tournaments()[0], LINES)
        before = kept.stat()
        await made(page, "/nights/1/download")
        assert kept.stat() == before
        assert len([*kept.parent.iterdir()]) == len((LINES, TABLES))

    looked_at(league, look)


def test_nothing_is_made_of_a_tournament_that_is_played(league):
    async def look(page: ComposedPage) -> None:
        for address in ("/download", "/nights/2/download"):
            assert "when the tournament is over" in (await ask(page, address)).text
            assert (await ask(page, address, form=FORM)).code == 404
            assert (await ask(page, f"{address}/{LINES}")).code == 404
        assert not download_path(league, page.reader.tournaments()[1], LINES).parent.exists()

    looked_at(league, look)


def test_if_the_files_cannot_be_made_the_page_and_the_terminal_say_so(league):
    told: list[str] = []

    async def look(page: ComposedPage) -> None:
        page.reader.say = told.append
        download_path(league, page.reader.tournaments()[0], LINES).parent.write_text("in the way")
        text = await made(page, "/nights/1/download")
        assert "could not be made" in text
        assert "Make the files" in text
        assert str(league.parent) not in text

    looked_at(league, look)
    assert "File exists" in "".join(told)
