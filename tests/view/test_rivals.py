"""The page of two bots: all their boards, who leads where, the closest and the wildest game."""

from __future__ import annotations

import re
from fractions import Fraction

from arena.league.store import League
from arena.league.store.reading import Wanted
from arena.league.stored import record_of
from arena.report.tables import percent
from arena.results import GameResult, seat_scores
from arena.view.pictures.moments import ending
from tests.view.served import played, served

NAMES = ("a", "b", "c", "d")


def taken(results: list[GameResult], one: int, other: int) -> Fraction:
    """The score of one bot against the other, from the places alone."""
    shares = [
        seat_scores([each.seats[each.seat_of(who)].place for who in (one, other)])[0] for each in results
    ]
    return sum(shares, Fraction(0)) / len(shares)


def test_the_page_of_two_bots_has_what_their_games_say(tmp_path):
    path = played(tmp_path / "night.league", names=NAMES)
    with served(path) as page, League.read(path) as league:
        both = {
            number: result
            for number, result in league.games(1)
            if {0, 2} <= {seat.entrant for seat in result.seats}
        }
        assert dict(league.newest_games(1, Wanted(entrant=0, against=2), 1000)) == both
        text = page.get("/rivals/1/3")
        assert f"over {len(both)} games at the same table" in text
        assert f"<dt>score</dt><dd>{percent(taken([*both.values()], 0, 2))} " in text
        boards: dict[str, list[GameResult]] = {}
        for result in both.values():
            boards.setdefault(str(result.key).rpartition(".")[0], []).append(result)
        rows = dict(re.findall(r'<tr data-key="([^"]+)">.*?class="n strong">([\d.]+)</td>', text, re.DOTALL))
        assert rows == {key: percent(taken(results, 0, 2)) for key, results in boards.items()}
        changes = {}
        for number, result in both.items():
            seats = [result.seat_of(who) for who in (0, 2)]
            scores = ending(record_of(league.game(number)), None).scores
            leads = (
                [scores[seats[0]][at] - scores[seats[1]][at] for at in range(len(scores[0]))]
                if scores
                else []
            )
            signs = [lead > 0 for lead in leads if lead]
            changes[str(result.key)] = sum(signs[at] != signs[at - 1] for at in range(1, len(signs)))
        [(most, key)] = re.findall(r'wildest game</dt><dd>(\d+) changes? .*?href="/games/([^"]+)"', text)
        assert int(most) == max(changes.values()) == changes[key]
        [(points, close)] = re.findall(r'closest game</dt><dd>(\d+) points? .*?href="/games/([^"]+)"', text)
        of_key = {str(result.key): result for result in both.values()}
        first, second = of_key[close].seats
        assert abs(first.points - second.points) == int(points)
        assert f"{percent(1 - taken([*both.values()], 0, 2))}" in page.get("/rivals/3/1")


def test_rivals_are_found_from_a_bot_and_from_the_crosstable(tmp_path):
    path = played(tmp_path / "night.league", names=NAMES)
    with served(path) as page:
        assert 'href="/rivals/1/3"' in page.get("/bots/1")
        assert 'href="/rivals/3/1"' in page.get("/crosstable")
        assert "A bot is no rival of itself" in page.get("/rivals/2/2", 404)
        assert "There is no such bot" in page.get("/rivals/1/9", 404)
