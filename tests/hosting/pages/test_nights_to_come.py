"""The page of a standing league's nights, and the countdown to the next one."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

from arena.hosting.database import Database, Night
from arena.hosting.nights import file_of
from arena.hosting.place import Place
from tests.view.served import HOSTILE, played, served

DUE = (datetime.now(UTC) + timedelta(days=3)).replace(microsecond=0)
NIGHT = Night(HOSTILE, DUE.isoformat(), "awaited", None, "")


def standing(folder: Path) -> Place:
    place = Place(folder)
    played(place.league)
    place.tournaments.mkdir()
    return place


def test_nights_are_counted_down_and_their_entrants_named(tmp_path):
    place = standing(tmp_path)
    with (
        Database(place.database, writer=True) as database,
        served(place.league, standing=tmp_path) as page,
    ):
        shown = page.get("/nights-to-come")
        assert "The host has set no night." in shown
        assert "will be here" in shown
        assert "data-until" not in page.get("/")
        database.put_night(NIGHT)
        until = f'data-until="{int(DUE.timestamp() * 1000)}"'
        shown = page.get("/nights-to-come")
        assert until in shown
        words = re.sub("<.*?>", "", shown)
        assert f"{DUE.astimezone():%A %H:%M %Z}" in words, "the time of the host's machine, with its zone"
        assert "&lt;script&gt;document" in shown
        assert HOSTILE not in shown
        assert "The versions that are active shortly before" in shown
        for path in ("/", "/screen"):  # also where the page was made before the night was known
            assert until in page.get(path)
        written = {"begins": NIGHT.due, "entrants": [{"name": "Ada's bot"}, {"name": "Grace"}]}
        file_of(place, NIGHT).write_text(json.dumps(written | {"trust": {"demanded": False}}))
        database.put_night(NIGHT._replace(state="frozen"))
        shown = page.get("/nights-to-come")
        assert "2 entrants: <bdi>Ada&#39;s bot</bdi>, <bdi>Grace</bdi>" in shown
        database.put_night(NIGHT._replace(state="playing"))
        assert "played now" in page.get("/nights-to-come")
        assert until not in page.get("/")
        database.put_night(NIGHT._replace(state="played", tournament=1))
        assert 'href="/nights/1/"' in page.get("/nights-to-come")
        database.put_night(NIGHT._replace(state="failed", reason="/home/ada/league/friday.toml: secret"))
        shown = page.get("/nights-to-come")
        assert "could not be played" in shown
        assert "secret" not in shown


def test_a_league_that_is_not_standing_has_no_such_page(tmp_path):
    with served(played(tmp_path / "league.arena")) as page:
        page.get("/nights-to-come", code=404)
        assert "nights-to-come" not in page.get("/")
