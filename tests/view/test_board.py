"""The page of a board: what all tables made of the same cards, once nobody plays these cards any more."""

from __future__ import annotations

import html
import re

from arena.hosting.database import Database
from arena.hosting.place import Place
from arena.league.store import League
from arena.league.traveller import traveller
from arena.referee.night.control import ask_to_start
from arena.results import read_game_key
from arena.table.record import first_position
from arena.view.views.view import day_text, played_text
from tests.referee.night_here import Night
from tests.referee.nights import wait_for
from tests.referee.simulation import play_course
from tests.view.explained import keep_findings, number_of
from tests.view.hosted import host_of
from tests.view.served import HOSTILE, NAMES, Served, begin, served

GAME = "1.1.1/nyuri/1.1"
BOARD = f"/boards/{GAME}"
NIGHT = 'name = "Night"\ngames = ["nyuri"]\nboards = 1\n[[stage]]\nformat = "round-robin"\n'


TELLS = re.compile(r" chose |by the analysis|found no mistake|is dealt|data-cards=|data-what=\"luck\"")
"""What only a person may read to whom hands are shown."""


def keep_what_is_known(path, key):
    """Keeps an analysis of a game of the first tournament, and the luck in it."""
    keep_findings(path, key)
    with League.create_or_open(path) as league:
        league.keep_lucks({(number_of(path, key), "greedy"): 0.25})


def told_by(page: Served, cookie: str = "") -> set[str]:
    """What the pages that lead to a board, and that of the board, tell a person of hands."""
    pages = (BOARD, "/standings", "/bots/1", "/bots/2", "/bots/3")
    return {found for path in pages for found in TELLS.findall(page.get(path, Cookie=cookie))}


def words_of(text: str) -> str:
    """What a page says, without marks and isolating characters."""
    return " ".join(re.sub(r"[\u2066-\u2069]", "", html.unescape(re.sub(r"<[^>]+>", " ", text))).split())


def test_the_same_cards_at_all_tables_are_told_once_their_round_is_over(tmp_path):
    path = tmp_path / "night.league"
    with League.create_or_open(path) as league:
        number, course = begin(league, NIGHT)
        play_course(league, number, course, at_most=3)  # of the four games of the round
        with served(path) as page:
            text = page.get(BOARD)
            assert text.count("<tr data-key=") == 3
            assert " chose " not in text
            assert "is dealt" not in text
            assert "data-cards" not in text
            assert "Where the tables parted is shown when the round is over" in text
            assert "chose" not in page.get("/boards/1.1.2/nyuri/1.2")
            play_course(league, number, course, at_most=1)
            text = page.get(BOARD)
            assert "4 tables have played these cards" in text
            key = read_game_key(GAME)
            assert key is not None
            tables = traveller(league, league.tournament(number), key)
        said = words_of(text)
        assert HOSTILE not in text
        opening = first_position(tables[0].record).opening
        hands = [" ".join(str(int(card)) for card in each.full.cards) for each in opening]  # type: ignore[attr-defined]  # all are Dealt
        assert re.findall(r'is dealt 7 cards<span class="fan" data-cards="([\d ]+)">', text) == hands
        for each in tables:
            if (parted := each.parted) is not None:
                name = NAMES[each.result.seats[parted.seat].entrant]
                assert f"Step {parted.step} : {name} chose {parted.chosen}" in said
                assert f'/games/{each.result.key}?at={parted.step}"' in text
        keys = re.findall(r'href="/games/([^"?]+)" title=', text)
        assert keys == [str(each.result.key) for each in tables]


def test_a_ladder_names_days_and_no_rounds(tmp_path):
    path = tmp_path / "ladder.league"
    with League.create_or_open(path) as league:
        number, course = begin(league, NIGHT.replace("round-robin", "ladder"))
        play_course(league, number, course, at_most=7)
        recorded = league.recorded_at(range(1, 8))
    days = {day_text(each) for each in recorded.values()}
    said = {number: played_text(each) for number, each in recorded.items()}
    with served(path) as page:
        home, games = page.get("/"), page.get("/games")
        assert "Playing now</h2>" in home
        assert "Round 1" not in home + games.partition("</form>")[2]
        assert {*re.findall("<h2>(.*?)</h2>", games)} <= days
        text = page.get("/standings").partition('data-key="swings"')[2]
        boards = re.findall(r'<a href="(/boards/[^"]+)">(.*?)</a>', text)
        assert boards
        for address, words in boards:
            table = page.get(address)
            last = said[max(map(int, re.findall(r'<tr data-key="(\d+)"', table)))]
            assert words == f"Nyuri, {last}, board 1"
            assert f"{last}, board 1</span></h1>" in table


def test_a_board_that_is_not_there_is_told(tmp_path):
    path = tmp_path / "night.league"
    with League.create_or_open(path) as league:
        number, course = begin(league, NIGHT)
        play_course(league, number, course, at_most=1)
    with served(path) as page:
        assert "No table has played this board yet." in page.get("/boards/1.9.1/nyuri/1.1", 404)
        assert "There is no such board." in page.get("/boards/first", 404)


def test_what_is_known_of_a_table_is_told_once_its_round_is_over(tmp_path):
    path = tmp_path / "night.league"
    with League.create_or_open(path) as league:
        number, course = begin(league, NIGHT)
        play_course(league, number, course, at_most=3)  # of the four games of the round
    with served(path) as page:
        host = host_of(page)
        assert "Boards that swung most" in page.get("/standings")
        assert told_by(page) == told_by(page, host) == set()
        keep_what_is_known(path, GAME)
        assert told_by(page) == told_by(page, host) == set()
        with League.create_or_open(path) as league:
            play_course(league, number, course, at_most=1)
        assert told_by(page) == told_by(page, host) == {
            " chose ", "by the analysis", 'data-what="luck"', "is dealt", "data-cards="
        }  # fmt: skip


def test_an_analysis_that_is_kept_is_told_at_once(tmp_path):
    path = tmp_path / "night.league"
    with League.create_or_open(path) as league:
        number, course = begin(league, NIGHT)
        play_course(league, number, course, at_most=4)
    with served(path) as page:
        assert "by the analysis" not in page.get(BOARD)
        keep_findings(path, GAME)
        assert "by the analysis" in page.get(BOARD)


def test_an_author_is_told_no_more_while_the_round_is_played(tmp_path):
    place = Place(tmp_path)
    place.settings.write_text('name = "Club"\nsandbox = "none"\ngames = ["nyuri"]\n')
    with Database(place.database, writer=True) as database:
        account = database.add_account("Ada", "author")
        version = database.add_version(database.add_bot(account, "ada"), "0" * 64, 1, "")
        database.change_version(version, state="accepted")
        cookie = f"arena=author:{database.give_secret(account, 'token')}"
    with League.create_or_open(place.league) as league:
        number, course = begin(league, NIGHT, ("ada", "bob", "cyd", "dan"))
        play_course(league, number, course, at_most=3)
    keep_what_is_known(place.league, GAME)
    with served(place.league, standing=place.folder) as page:
        assert "Ada" in page.get("/authors", Cookie=cookie)
        assert told_by(page, cookie) == set()


def test_a_guest_is_told_no_more_while_its_own_game_on_the_board_is_to_come(tmp_path):
    text = 'games = ["nyuri"]\nboards = 1\nshared_cards = "round"\n[[stage]]\nformat = "round-robin"\n'
    with Night(tmp_path, ["one", "two", "three"], text, guests=["guest"], concurrency=1) as night:
        wait_for(lambda: ask_to_start(night.league))  # without the guest
        night.play(2)
        key = night.results[0].key
        assert night.results[1].key.match_key == key.match_key
        keep_findings(night.league, str(key))
        with served(night.league) as page:
            _, headers = page.answer("/seat/enter", 303, f"token={night.tokens['guest']}".encode())
            cookie = headers["Set-Cookie"].partition(";")[0]
            assert "<bdi>guest</bdi>" in page.get("/seat", Cookie=cookie)
            text = page.get(f"/boards/{key}", Cookie=cookie)
            assert "Where the tables parted is shown when the round is over" in text
            assert not TELLS.findall(text)
