"""The page of a board: what all tables made of the same cards, once nobody plays these cards any more."""

from __future__ import annotations

import html
import re

from arena.league.store import League
from arena.league.traveller import traveller
from arena.results import read_game_key
from tests.referee.simulation import play_course
from tests.view.served import HOSTILE, NAMES, begin, served

GAME = "1.1.1/nyuri/1.1"
BOARD = f"/boards/{GAME}"
NIGHT = 'name = "Night"\ngames = ["nyuri"]\nboards = 1\n[[stage]]\nformat = "round-robin"\n'


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
        assert said.count("is dealt 7 cards") == 0
        for each in tables:
            if (parted := each.parted) is not None:
                name = NAMES[each.result.seats[parted.seat].entrant]
                assert f"Step {parted.step} : {name} chose {parted.chosen}" in said
                assert f'/games/{each.result.key}?at={parted.step}"' in text
        keys = re.findall(r'href="/games/([^"?]+)" title=', text)
        assert keys == [str(each.result.key) for each in tables]


def test_a_board_that_is_not_there_is_told(tmp_path):
    path = tmp_path / "night.league"
    with League.create_or_open(path) as league:
        number, course = begin(league, NIGHT)
        play_course(league, number, course, at_most=1)
    with served(path) as page:
        assert "No table has played this board yet." in page.get("/boards/1.9.1/nyuri/1.1", 404)
        assert "There is no such board." in page.get("/boards/first", 404)
