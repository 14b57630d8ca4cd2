"""A standing league is crawled as nobody, as each author and as the host: who sees what is private."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, urlsplit

import pytest

from arena.hosting.database import Database
from arena.hosting.place import Place
from arena.league.store import EntrantInfo, League, TournamentInfo
from arena.league.tournament_file import parse_plan
from arena.link.wire.messages import decode_record, encode_record
from arena.table.deal import commitment
from arena.text import file_name
from arena.tournament.courses import new_course
from arena.tournament.effects import Effects
from tests.referee.simulation import KEY, play_game
from tests.view.served import Served, served

pytestmark = pytest.mark.campaign

AUTHORS = ("Ada", "Bob")
GAMES = 30
LADDER = 'name = "Season"\ngames = ["nyuri", "hyrule"]\nboards = 1\n[[stage]]\nformat = "ladder"\n'
SETTINGS = 'name = "Club"\nsandbox = "none"\ngames = ["nyuri", "hyrule"]\n'
KINDS = ("note", "reason", "report", "log", "fault", "hidden")
LINK = re.compile(r'(?:href|src|data-report|data-steps)="([^"#]+)')
STARTS = (
    "/", "/bots", "/authors", "/login", "/environment", "/nights-to-come", "/standings", "/crosstable",
    "/schedule", "/games", "/games?faults=1", "/season", "/screen", "/tables", "/host", "/seat", "/feed.atom",
    "/llms.txt", "/llms-full.txt", "/robots.txt",
    "/nights/1/bots", "/nights/1/bots?sort=-faults", "/api/me", "/api/bots", "/api/environment",
)  # fmt: skip


def marker(author: str, kind: str) -> str:
    """A word that stands in a private matter of an author, and nowhere else."""
    return f"{author}-{kind}-9f3c"


class Club(NamedTuple):
    """A served standing league, the token of each person, and what each has seen of it: texts by address."""

    page: Served
    tokens: dict[str, str]
    seen: dict[str, dict[str, str]]


def with_words(game, names):
    """A game in which the words of each fault name the bot's author."""
    record = decode_record(game.record)
    faults = []
    for seat, action, fault in record.faults:
        author = names[game.result.seats[seat].entrant].split("bot")[0]
        faults.append((seat, action, fault._replace(message=f"last words: {marker(author, 'fault')}")))
    return game._replace(record=encode_record(record._replace(faults=tuple(faults))))


def play_season(path: Path, bots: dict[str, Path]) -> None:
    """A ladder that is under way, of bots with their folders."""
    names = list(bots)
    text = LADDER + "[[entrant]]\n" * len(names)
    plan = parse_plan(text, Path("season.toml"))
    infos = tuple(EntrantInfo(name, str(folder), name[-1], name[:3]) for name, folder in bots.items())
    with League.create_or_open(path) as league:
        info = TournamentInfo(
            plan.name, Path("/season.toml"), text, KEY, commitment(KEY), infos, plan.to_json()
        )
        number, course = league.start_tournament(info), new_course(plan, Effects(len(names)))
        for _ in range(GAMES):
            due = course.take()
            assert due is not None
            game = with_words(play_game(plan, due), names)
            league.record_games(number, [game])
            course.add(game.result)


@pytest.fixture(scope="module")
def club(tmp_path_factory):
    place = Place(tmp_path_factory.mktemp("club"))
    place.settings.write_text(SETTINGS)
    tokens, playing = {}, {}
    with Database(place.database, writer=True) as database:
        host = database.add_account("Hilda", "host")
        tokens["Hilda"] = database.give_secret(host, "token")
        for author in AUTHORS:
            account = database.add_account(author, "author")
            tokens[author] = database.give_secret(account, "token")
            bot = database.add_bot(account, f"{author}bot")
            for number in (1, 2, 3):
                version = database.add_version(bot, f"{number:064x}", 1000, marker(author, "note"))
                if number == 3:
                    database.change_version(version, state="refused", reason=marker(author, "reason"))
                else:
                    database.change_version(version, state="accepted")
                    database.activate(bot, version)
                    playing[f"{author}bot v{number}"] = place.bot(version)
                folder = place.submission(version)
                folder.mkdir(parents=True)
                line = {"at": "", "step": "check", "text": marker(author, "report"), "level": "info"}
                (folder / "report.jsonl").write_text(json.dumps(line) + "\n")
            hidden = database.add_bot(account, marker(author, "hidden"))  # none of its versions was accepted
            database.add_version(hidden, "f" * 64, 1000, "")
            logs = place.league.with_suffix(".logs")
            logs.mkdir(exist_ok=True)
            (logs / f"{file_name(f'{author}bot v2')}.log").write_text(marker(author, "log"))
    play_season(place.league, playing)
    with served(place.league, standing=place.folder) as page:
        yield Club(page, tokens, {})


def asked(page: Served, path: str, cookie: str) -> str:
    """The text of the answer to a person, asked again as long as that was too often."""
    while True:
        code, text, _ = page.any(path, None, Cookie=cookie)
        assert code < 500 or code == 503, (path, text)
        if code != 429:
            return text


def crawl(club: Club, who: str) -> dict[str, str]:
    """The text of every address that a person can find or guess."""
    if who in club.seen:
        return club.seen[who]
    cookie = f"arena=author:{club.tokens[who]}" if who else ""
    waiting = list(STARTS)
    for author in AUTHORS:
        for bot in (f"{author}bot", marker(author, "hidden")):
            waiting += [f"/bots/{bot}", *(f"/api/bots/{bot}{more}" for more in ("", "/log", "/games"))]
            for number in (1, 2, 3):
                waiting += [f"/submissions/{bot}/{number}", f"/api/bots/{bot}/versions/{number}/report"]
    found = club.seen[who] = {}
    while waiting:
        path = waiting.pop()
        if path not in found:
            found[path] = asked(club.page, path, cookie)
            waiting += _links(club.page, path, found[path])
    return found


def _links(page: Served, path: str, text: str) -> list[str]:
    """The addresses of the page that a text names, and those of the games in it."""
    links = []
    for link in map(html.unescape, LINK.findall(text)):
        parts = urlsplit(link.removeprefix(page.url))
        if parts.path.startswith("/") and not parts.netloc and not parts.path.startswith("/assets/"):
            links.append(quote(parts.path, safe="/%") + (f"?{parts.query}" if parts.query else ""))
    if not path.startswith(("/games/", "/steps/", "/plain/")):
        for key in re.findall(r"1\.\d+\.\d+/[a-z-]+/\d\.\d", text):
            links += [
                f"/games/{key}",
                f"/steps/{key}?view=all",
                f"/plain/{key}?view=all",
                f"/plain/{key}?view=0",
            ]
            links += [f"/api/bots/{author}bot/games/1/{key}" for author in AUTHORS]
    # Each page has dozens of filters and sortings of the same lists.
    return [each for each in links if len(each) < 80 and each.count("&") < 2]


@pytest.mark.parametrize("who", ["", "Ada", "Bob", "Hilda"])
def test_private_matters_are_shown_to_their_author_and_to_the_host_alone(club, who):
    pages = crawl(club, who)
    assert len(pages) > 100
    for author in AUTHORS:
        # A word that the person sent in an address may come back in the answer.
        seen = {
            word: [path for path, text in pages.items() if word in text and word not in path]
            for word in (marker(author, kind) for kind in KINDS)
        }
        if who in (author, "Hilda"):
            assert all(seen.values()), seen
        else:
            assert not any(seen.values()), seen
    assert not any(token in text for token in club.tokens.values() for text in pages.values())


@pytest.mark.parametrize("who", ["", "Ada", "Bob", "Hilda"])
def test_the_figures_of_a_bot_are_told_to_its_author_and_to_the_host_alone(club, who):
    headers = {"Authorization": f"Bearer {club.tokens[who]}"} if who else {}
    for author in AUTHORS:
        told = json.loads(club.page.get(f"/api/bots/{author}bot", **headers))
        assert told["opponents"]
        own = {"versions", "faults", "times", "change"}
        assert own & set(told) == (own if who in (author, "Hilda") else set())
