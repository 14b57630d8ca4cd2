"""What people follow a night with elsewhere: the feed, the event for calendars, and link previews."""

from __future__ import annotations

import re
import struct
import urllib.request
import xml.etree.ElementTree as ET
import zlib
from datetime import datetime

import pytest

from arena.league.store import League
from arena.view.pictures.emblem import emblem_of
from arena.view.pictures.preview import HEIGHT, WIDTH, preview
from tests.patience import PATIENCE
from tests.view.served import HOSTILE, NAMES, RIGHT_TO_LEFT, begin, played, served

ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    with served(played(tmp_path_factory.mktemp("follow") / "night.league")) as found:
        yield found


def test_the_feed_tells_the_end_and_every_round(page):
    text, headers = page.answer("/feed.atom", host="localhost", x_forwarded_proto="https")
    assert headers["Content-Type"] == "application/atom+xml"
    feed = ET.fromstring(text)
    entries = feed.findall(f"{ATOM}entry")
    assert [entry.findtext(f"{ATOM}title") for entry in entries][1:] == [
        "Final is over", "Semi-finals is over", "Round 3 is over", "Round 2 is over", "Round 1 is over",
    ]  # fmt: skip
    assert entries[0].findtext(f"{ATOM}title", "").endswith("wins.")
    ids = [each.findtext(f"{ATOM}id", "") for each in (feed, *entries)]
    assert len(set(ids)) == 7
    assert all(each.startswith("urn:bot-arena:") for each in ids)
    times = [datetime.fromisoformat(each.findtext(f"{ATOM}updated", "")) for each in (feed, *entries)]
    assert times == sorted(times, reverse=True)
    links = [each.get("href", "") for each in feed.iter(f"{ATOM}link")]
    assert all(each.startswith("https://localhost/") for each in links)
    assert HOSTILE in "".join(feed.itertext())
    for link in links:
        page.get(link.removeprefix("https://localhost"))


def test_a_night_that_is_over_offers_its_recap_as_a_file(page, tmp_path):
    link = '<a href="/nights/1/recap.html" download>'
    assert link.replace("/nights/1", "") in page.get("/")
    assert link in page.get("/nights/1/")
    text, headers = page.answer("/nights/1/recap.html")
    assert headers["Content-Disposition"] == 'attachment; filename="recap.html"'
    assert text.count('<article class="still">') == 3
    with League.create_or_open(tmp_path / "running.league") as league:
        begin(league)
    with served(tmp_path / "running.league") as running:
        assert "recap.html" not in running.get("/")
        assert "when a night is over" in running.get("/recap.html", code=404)


def test_the_calendar_has_the_night(page):
    text, headers = page.answer("/nights/1/night.ics")
    assert headers["Content-Type"].startswith("text/calendar")
    assert all(len(line.encode()) <= 75 for line in text.split("\r\n"))
    lines = text.replace("\r\n ", "").split("\r\n")
    event = dict(line.split(":", 1) for line in lines if line)
    assert event["SUMMARY"] == "Night <b>one</b>"
    assert re.fullmatch(r"\d{8}T\d{6}Z", event["DTSTART"])
    assert event["DTSTART"] <= event["DTEND"]
    assert event["URL"] == f"{page.url}/nights/1/"
    assert any(name in event["DESCRIPTION"] for name in NAMES)


def test_a_link_has_a_title_a_sentence_and_a_picture(page):
    text = page.get("/standings")
    found = dict(re.findall(r'<meta property="og:(\w+)" content="([^"]*)">', text))
    title = re.search(r"<title>(.*)</title>", text)
    described = re.search(r'<meta name="description" content="([^"]*)">', text)
    assert title is not None
    assert described is not None
    assert found["title"] == title[1] == "Standings · \u2068Night &lt;b&gt;one&lt;/b&gt;\u2069"
    assert found["description"] == described[1]
    assert "wins." in found["description"]
    assert '<meta name="twitter:card" content="summary">' in text  # the rest it takes from og
    assert found["image"] == f"{page.url}/picture.png"


def test_programs_that_look_at_every_site_find_what_they_look_for(page):
    text, headers = page.answer("/favicon.ico")
    assert headers["Content-Type"].startswith("image/svg+xml")
    assert text.startswith("<svg")
    assert "Disallow: /host\n" in page.get("/robots.txt")
    for path in ("/", "/assets/page.css", "/robots.txt", "/games"):
        for encoding in ("identity", "gzip"):
            request = urllib.request.Request(page.url + path, headers={"Accept-Encoding": encoding})
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                assert answer.headers.get_all("Vary") in (None, ["Accept-Encoding"]), path


@pytest.mark.parametrize("names", [(), ("a",), (RIGHT_TO_LEFT, "b", "c"), ("a", "b", "c", "d")])
def test_the_picture_is_a_png_of_its_size(names):
    data = preview([emblem_of(name) for name in names])
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", data[16:24]) == (WIDTH, HEIGHT)
    place, kinds, pixels = 8, [], b""
    while place < len(data):
        (size,) = struct.unpack(">I", data[place : place + 4])
        kind, body = data[place + 4 : place + 8], data[place + 8 : place + 8 + size]
        assert zlib.crc32(kind + body) == struct.unpack(">I", data[place + 8 + size : place + 12 + size])[0]
        kinds.append(kind)
        pixels += body if kind == b"IDAT" else b""
        place += 12 + size
    assert kinds == [b"IHDR", b"PLTE", b"IDAT", b"IEND"]
    assert len(zlib.decompress(pixels)) == HEIGHT * (WIDTH + 1)
