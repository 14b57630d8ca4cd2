"""The list of games, newest first, page by page: the wanted ones, and none twice."""

from __future__ import annotations

import json
import re
from collections import Counter

from arena.league.store import League
from arena.league.store.reading import Wanted
from arena.league.summary import final_places
from tests.referee.simulation import play_course
from tests.view.served import begin, played, served


def test_pages_hold_what_is_wanted(tmp_path):
    with League.read(played(tmp_path / "night.league", names=("a", "b", "c", "d"))) as league:
        every = dict(league.games(1))
        assert league.length() == len(every) + 2
        for wanted, fits in (
            (Wanted(), lambda result: True),
            (Wanted(game="nyuri"), lambda result: result.key.game == "nyuri"),
            (Wanted(stage=0, round=1), lambda result: result.key[:2] == (0, 1)),
            (Wanted(entrant=2), lambda result: any(seat.entrant == 2 for seat in result.seats)),
            (Wanted(faults=True), lambda result: any(sum(seat.faults) for seat in result.seats)),
            (
                Wanted(entrant=1, faults=True),
                lambda result: any(seat.entrant == 1 and sum(seat.faults) for seat in result.seats),
            ),
        ):
            expected = sorted((number for number, result in every.items() if fits(result)), reverse=True)
            assert league.count_games(1, wanted) == len(expected)
            pages = [league.newest_games(1, wanted, 7, first) for first in range(0, len(expected) + 7, 7)]
            assert [number for page in pages for number, _ in page] == expected
            assert all(every[number] == result for page in pages for number, result in page)
            matches = [league.newest_matches(1, wanted, 2, first) for first in range(0, len(expected) + 2, 2)]
            counts = Counter(every[number].key.match_key for number in expected)
            assert [each for page in matches for each in page] == [*counts.items()]
            assert league.count_matches(1, wanted) == len(counts)
        games, decisions = zip(*((each[1], each[2]) for each in league.times_by_game(1, 0)), strict=True)
        mine = [seat for result in every.values() for seat in result.seats if seat.entrant == 0]
        assert (sum(games), sum(decisions)) == (len(mine), sum(seat.decisions for seat in mine))


def test_games_are_listed_by_match_with_what_each_bot_made_of_them(tmp_path):
    path = played(tmp_path / "night.league", names=("a", "b", "c", "d"))
    with served(path) as page, League.read(path) as league:
        first = next(result for _, result in league.games(1))
        text = page.get(f"/games?match={first.key.match_key}")
        runs = re.findall(r'class="run"[^>]* aria-label="([^"]*)"', text)
        assert [len(run.split(", ")) for run in runs] == [10, 10]
        games = re.findall(
            r'href="/games/([^"?]+)" title="([^"]+)">([^<]+)</a> <span class="dim">([^<]+)<', text
        )
        assert len(games) == 10
        assert all(address == title for address, title, _, _ in games)
        assert {(game, words) for _, _, game, words in games} >= {
            ("Nyuri", "board 1"),
            ("Nyuri", "board 1, seats swapped"),
        }
        every = "".join(page.get(f"/games?page={number}") for number in range(1, 4))
        matches = {str(result.key.match_key) for _, result in league.games(1)}
        assert set(re.findall(r'class="matchof" data-key="([^"]+)"', every)) == matches
        assert page.get("/games?match=9.9.9").count("No game is over yet") == 1
        assert "There is no such match" in page.get("/games?match=x", 404)


def test_a_match_tells_of_the_last_lead_changes_of_its_games(tmp_path):
    path = played(tmp_path / "night.league", names=("a", "b", "c", "d"))
    with served(path) as page, League.read(path) as league:
        first = next(result for _, result in league.games(1))
        text = page.get(f"/games?match={first.key.match_key}")
        marked = re.findall(r'href="/games/([^"?]+)\?at=(\d+)">Last lead change</a>', text)
        assert marked
        for key, at in marked:
            told = json.loads(page.get(f"/steps/{key}?view=all"))["ending"]
            assert told["marked"] == int(at)
        assert page.get(f"/games/{marked[0][0]}?at={marked[0][1]}")


def test_a_bot_s_page_has_its_titles_of_all_nights_that_are_over(tmp_path):
    path, names = tmp_path / "season.league", ("a", "b", "c")
    text = 'name = "n"\ngames = ["hyrule"]\nboards = 2\n[[stage]]\nformat = "round-robin"\n'
    with League.create_or_open(path) as league:
        for night in range(4):
            number, course = begin(league, text, names)
            play_course(league, number, course)
            if night < 3:
                league.finish_tournament(number)
        winners = [final_places(league, number)[0].entrant for number in (1, 2, 3)]
    with served(path) as page:
        for entrant in range(3):
            shown = page.get(f"/nights/1/bots/{entrant + 1}")
            found = re.search(r"<dt>nights won</dt><dd>(\d)", shown)
            assert int(found[1] if found else 0) == winners.count(entrant), "the fourth is not over"
            upset = re.search(r'<dt>best upset</dt><dd><bdi>(\w)</bdi>.*?href="([^"]+)"', shown)
            if upset:
                match = page.get(upset[2])
                assert upset[1] in names
                assert upset[1] != names[entrant]
                assert f"<bdi>{names[entrant]}</bdi>" in match


def test_on_a_ladder_a_bot_has_the_score_of_the_ranking(tmp_path):
    path = tmp_path / "ladder.league"
    with League.create_or_open(path) as league:
        number, course = begin(league, 'name = "l"\ngames = ["hyrule"]\n[[stage]]\nformat = "ladder"\n')
        play_course(league, number, course, at_most=120)
    with served(path) as page:
        ranked = re.findall(
            r'<tr data-key="(\d)"><td class="n place">.*?class="n score">([\d.]+)<', page.get("/")
        )
        assert len(ranked) > 2
        for entrant, score in ranked:
            told = re.search(r">score</abbr></dt><dd>([\d.]+)<", page.get(f"/bots/{int(entrant) + 1}"))
            assert told is not None
            assert told[1] == score
