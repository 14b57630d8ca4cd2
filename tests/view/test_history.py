"""The lines over time: what they show is what the standings were, and places belong to bots that decide."""

from __future__ import annotations

import json
import random
import re
from fractions import Fraction
from itertools import islice

import pytest
from playwright.sync_api import expect

from arena.league.store import League
from arena.league.stored import course_of
from arena.report.tables import percent
from arena.results import FAULT_REASONS, Results, SeatResult
from arena.tournament.course import Course
from arena.tournament.courses import new_course
from arena.tournament.rulings import Admit, Newcomer
from arena.view.league.history import Moment, Standing, history
from arena.view.league.reader import LeagueReader
from arena.view.views.games import games
from arena.view.views.history import band, run_drawing, sparks
from arena.view.views.standings import game_standings
from arena.view.views.tournament import bracket
from arena.view.views.view import Ask
from tests.arena_command import arena
from tests.referee.simulation import play_course, play_game
from tests.report.leagues import random_summary
from tests.view.browser import chromium, tab
from tests.view.served import begin, played, served

ONE_GAME = 'name = "night"\ngames = ["hyrule"]\nboards = 2\n[[stage]]\n'
TWO_GAMES = 'name = "night"\ngames = ["hyrule", "kleftis"]\nboards = 1\n[[stage]]\n'


def table_of(course: Course) -> dict[int, tuple[object, object]]:
    rows = course.standings(course.stages[0])
    return {row.entrant: (row.rank, row.score) for row in rows if row.score is not None}


@pytest.mark.parametrize(
    "format_",
    [
        'format = "round-robin"\ncycles = 2\n', 'format = "swiss"\nrounds = 4\n',
        'format = "round-robin"\nseats = 3\n', 'format = "gauntlet"\n',
    ],
)  # fmt: skip
def test_after_each_round_the_standings_are_those_of_the_games_until_then(tmp_path, format_):
    path = tmp_path / "night.league"
    random_summary(path, TWO_GAMES + format_, [f"bot {number}" for number in range(7)], ties=0.4)
    with League.read(path) as league:
        course = course_of(league, 1)
        stage, results = course.stages[0], dict(league.games(1))
        found = history(course, stage, stage.entrants, frozenset(stage.entrants))
    assert [moment.round for moment in found] == [*range(1, stage.round_count + 1)]
    assert found[-1].standings == table_of(course)
    if format_.startswith('format = "swiss"'):
        return  # a course of fewer games does not know who sits out next
    for moment in found:
        earlier = new_course(course.plan, course.effects)
        for result in results.values():
            if result.key.round < moment.round:
                earlier.tell(Results.of(result))
        assert moment.standings == table_of(earlier)


def test_what_a_late_bot_plays_by_itself_counts_with_the_round_beside_it(tmp_path):
    path = tmp_path / "night.league"
    with League.create_or_open(path) as league:
        number, course = begin(league, ONE_GAME + 'format = "round-robin"\n', tuple("abcdef"))
        play_course(league, number, course, at_most=3 * 3 * 4)
        league.record_ruling(number, Admit.of(course, Newcomer("late", "join")).to_json(), "")
        course = course_of(league, number)
        play_course(league, number, course)
        snapshot = LeagueReader(path).snapshot(number)
    found = snapshot.histories[0, None]
    assert [moment.round for moment in found] == [1, 2, 3, 4, 5]
    assert found[-1].standings == table_of(course)
    assert 6 in found[-2].standings


def test_the_games_of_a_round_have_one_heading_and_so_have_those_of_a_late_bot(tmp_path):
    path = tmp_path / "night.league"
    with League.create_or_open(path) as league:
        number, course = begin(league, ONE_GAME + 'format = "round-robin"\n', tuple("abcd"))
        play_course(league, number, course, at_most=3 * 2 * 2)
        for late in ("late", "later"):
            league.record_ruling(number, Admit.of(course, Newcomer(late, "join")).to_json(), "")
            course = course_of(league, number)
        due = [*iter(course.take, None)]
        random.Random(1).shuffle(due)
        league.record_games(number, [play_game(course.plan, each) for each in due])
        reader = LeagueReader(path)
        ask = Ask(reader, reader.snapshot(number), {})
    found = games(ask)["groups"]
    headings = [group["round"].newcomer or group["round"].label for group in found]
    assert {4, 5} < {*headings}
    assert len({*headings}) == len(headings)
    for group in found:
        late = group["round"].newcomer
        assert all(late in (None, *match["view"].match.entrants) for match in group["matches"])


@pytest.mark.parametrize("stage", ['format = "knockout"\n', 'format = "double-elimination"\n'])
@pytest.mark.parametrize("games", [0, 8, 12])
def test_a_bracket_that_is_not_drawn_yet_has_the_bots_that_would_play_in_it_now(tmp_path, stage, games):
    path = tmp_path / "night.league"
    with League.create_or_open(path) as league:
        text = f'{ONE_GAME}format = "round-robin"\n[[stage]]\n{stage}advance = 3\n'
        number, course = begin(league, text, tuple("abcd"))
        play_course(league, number, course, at_most=games)
        reader = LeagueReader(path)
        found = bracket(Ask(reader, reader.snapshot(number), {}))
        scored = [row for row in course.standings(course.stages[0]) if row.score is not None]
        assert found["brackets"] == []
        assert found["coming"]["candidates"] == [row.entrant for row in scored[:3]]
        play_course(league, number, course)
        found = bracket(Ask(reader, reader.snapshot(number), {}))
    assert found["coming"] is None
    (drawn,) = found["brackets"]
    assert [slot.seed for match in drawn["bracket"].rounds[0].matches for slot in match.slots] == [1, 2, 3]


def test_in_one_game_alone_the_last_scores_are_those_of_its_table(tmp_path):
    path = tmp_path / "night.league"
    text = TWO_GAMES + 'format = "round-robin"\ncycles = 4\n'
    random_summary(path, text, [*"abcdef"], withdraw=(2,), most=480)
    reader = LeagueReader(path)
    snapshot = reader.snapshot(1)
    assert snapshot.summary is not None
    assert any(view.walkover for each in snapshot.rounds for view in each.matches)
    found = game_standings(Ask(reader, snapshot, {}), "kleftis")
    last = {entrant: cells[-1] for entrant, cells in found["told"].rows.items()}
    assert last == {row.entrant: percent(row.games[1].score) for row in snapshot.summary.stages[0].rows}


@pytest.fixture(scope="module")
def never_came(tmp_path_factory):
    """A finished tournament in which the third bot made no decision; all its games are played."""
    path = tmp_path_factory.mktemp("history") / "night.league"
    with League.create_or_open(path) as league:
        number, course = begin(league, TWO_GAMES + 'format = "round-robin"\ncycles = 2\n', tuple("abcd"))
        while due := list(islice(iter(course.take, None), 8)):
            games = []
            for each in due:
                game = play_game(course.plan, each)
                seats = tuple(
                    seat._replace(decisions=0, time=0) if seat.entrant == 2 else seat
                    for seat in game.result.seats
                )
                games.append(game._replace(result=game.result._replace(seats=seats)))
            league.record_games(number, games)
            for game in games:
                course.add(game.result)
        league.finish_tournament(number)
    return path


def rows_of(html: str, kind: str) -> list[tuple[str, str]]:
    """The first cell and the name of each row of a table."""
    table = re.search(rf'<table class="{kind}">.*?</table>', html, re.DOTALL)
    assert table is not None
    rows = re.findall(
        r'<tr data-key.*?<td class="n place">(.*?)</td>.*?<bdi>(.*?)</bdi>', table[0], re.DOTALL
    )
    return [(re.sub(r"<.*", "", place), name) for place, name in rows]


def test_a_bot_without_a_decision_has_no_place_anywhere(never_came, tmp_path):
    with served(never_came) as page:
        for path, kind in (
            ("/bots", "bots"),
            ("/standings/kleftis", "standings"),
            ("/standings", "standings"),
        ):
            rows = rows_of(page.get(path), kind)
            assert [place for place, name in rows if name == "c"] == ["–"], path
            assert all(place.isdecimal() for place, name in rows if name != "c"), path
        assert rows_of(page.get("/bots"), "bots")[-1] == ("–", "c")
        ranking = re.findall(
            r'<span class="n place">(.+?)</span>.*?<bdi>(.)</bdi>',
            page.get("/standings").partition("<table")[0],
        )
        assert ranking[-1][0].startswith("–")
        assert ranking[-1][1] == "c"
    said = arena("standings", never_came, cwd=tmp_path).stdout
    assert re.search(r"^ *- +c ", said, re.MULTILINE)
    assert not re.search(r"^ *\d+ +c +\d+ +\d+\.\d .*\d-\d-\d", said, re.MULTILINE)
    data = json.loads(arena("standings", never_came, "--json", cwd=tmp_path).stdout)
    (row,) = [each for each in data["standings"] if each["name"] == "c"]
    assert row["decisions"] == 0
    assert sorted(each["place"] for each in data["final"])[0] == 1


def test_bots_are_sorted_by_what_the_address_says(never_came):
    with served(never_came) as page:
        for sort, column, up in (("-score", "score", False), ("score", "score", True), ("ms", "n", True)):
            html = page.get(f"/bots?sort={sort}")
            assert f'aria-sort="{"ascending" if up else "descending"}"' in html
            body = html.partition("<tbody>")[2]
            if column == "score":
                values = [float(each) for each in re.findall(r'<td class="n score">([\d.]+)</td>', body)][:-1]
                assert values == sorted(values, reverse=not up)
            assert rows_of(html, "bots")[-1] == ("–", "c")
        page.get("/bots?sort=luck", 404)


def test_pointer_and_keys_follow_a_bot_and_tell_its_values(tmp_path):
    league = played(
        tmp_path / "night.league", ONE_GAME + 'format = "round-robin"\ncycles = 2\n', tuple("abcd")
    )
    shown = LeagueReader(league).snapshot(1).histories[0, None]
    order = [*shown[-1].standings]

    def words(entrant: int, moment: int) -> str:
        standing = shown[moment].standings[entrant]
        score = f"{100 * float(standing.score):.1f}"
        return f"{'abcd'[entrant]} after round {moment + 1}: {score}, place {standing.rank}"

    with chromium() as browser, served(league) as page, tab(browser) as view:
        view.goto(f"{page.url}/standings")
        readout = view.locator(".readout")
        expect(readout).to_have_text(words(order[0], 5))
        view.locator(f'.standings tbody tr[data-key="{order[2]}"]').hover()
        expect(readout).to_have_text(words(order[2], 5))
        assert view.locator(".line.on").first.get_attribute("data-key") == str(order[2])
        view.locator(".drawing").focus()
        view.keyboard.press("ArrowLeft")
        view.keyboard.press("ArrowUp")
        expect(view.locator("#status")).to_have_text(words(order[1], 4))
        view.get_by_label("Place").check()
        texts = view.locator(".by-place .values text").all_text_contents()
        assert texts == [str(moment.standings[order[1]].rank) for moment in shown]


def test_the_small_line_of_a_late_bot_begins_with_its_first_result():
    one, late = Standing(1, Fraction(1, 2)), Standing(2, Fraction(0))
    drawn = sparks((Moment(1, {0: one}), Moment(2, {0: one}), Moment(3, {0: one, 6: late})))
    assert [point.partition(",")[0] for point in drawn[0].split()] == ["4", "48", "92"]
    assert drawn[6] == "92,20"
    assert sparks((Moment(1, {0: one}), Moment(2, {}))) == {}  # the one with results has left


def seat(entrant: int, place: int, *, fault: bool = False) -> SeatResult:
    return SeatResult(entrant, place, 0, False, (int(fault),) + (0,) * (len(FAULT_REASONS) - 1), 9, 9)


def test_the_run_of_a_match_says_each_game_in_order():
    games = [
        (seat(4, 1), seat(7, 2)), (seat(7, 1), seat(4, 2, fault=True)), (seat(7, 1), seat(4, 1)),
        (seat(1, 1), seat(4, 2), seat(7, 3)),
    ]  # fmt: skip
    run = run_drawing(games, 4)
    assert run.words == "won, lost with a fault, level, place 2 of 3"
    assert {kind: path.count("h0") or path.count("M") for kind, path in run.paths.items()} == {
        "won": 1, "lost": 2, "level": 1, "fault": 1,
    }  # fmt: skip
    assert run_drawing(games * 20, 7).words == "20 won, 20 level, 40 lost"


def test_a_rating_over_nights_needs_two_and_marks_each_version():
    ratings = [(1500.0, 1450.0, 1550.0), (None, None, None), (1600.0, None, None), (1580.0, 1500.0, 1660.0)]
    drawn = band(["1", "2", "4", "5"], ratings, ["1.0", "1.0", "1.1", "1.1"])
    assert drawn is not None
    assert [tick.text for tick in drawn.versions] == ["1.0", "1.1"]
    assert len(drawn.line.split()) == 3
    assert len(drawn.band.split()) == 4
    assert band(["1", "2"], ratings[:2], ["", ""]) is None


@pytest.mark.parametrize("label", ["{}", "v{}", "{:02} Nov 18:00", "a label that is wider than a phone, {}"])
@pytest.mark.parametrize("moments", [2, 7, 8, 9, 25])
def test_the_labels_below_a_plot_have_room_on_a_phone_and_the_last_one_is_among_them(moments, label):
    labels = [label.format(number) for number in range(moments)]
    found = band(labels, [(1500.0 + number, 1400.0, 1600.0) for number in range(moments)], [""] * moments)
    assert found is not None
    shown = [tick.text for tick in found.across if not tick.wide]
    assert shown[-1] == labels[-1] == found.across[-1].text
    assert len(shown) == 1 or sum(len(text) + 2 for text in shown) <= 50
