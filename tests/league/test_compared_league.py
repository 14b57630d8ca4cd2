"""A stored comparison: verified, exported, seen at earlier moments, and told in words, JSON and plots."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest
from wcwidth import wcswidth

from arena.league.compared import ComparisonSummary, summarize_comparison, worst_losses
from arena.league.interchange import export_lines, import_lines
from arena.league.store import League
from arena.league.stored import course_of
from arena.report.comparison_text import comparison_json, comparison_rows, comparison_text
from arena.report.live_text import comparison_lines, comparison_words
from arena.results import FAULT_REASONS, GameKey
from arena.tournament.course import Course, Due
from arena.tournament.courses import ComparisonCourse
from arena.tournament.rulings import Withdraw
from arena.view.views.standings import comparison_values
from tests.arena_command import arena
from tests.league.damaged import edit
from tests.league.store.samples import problems, results_of
from tests.referee.simulation import play_game, simulate
from tests.report.leagues import JAPANESE

HEAD = 'name = "compared"\nmax_faults = 2\ngames = ["hyrule", "forty-one"]\n'
STAGE = '[[stage]]\nformat = "comparison"\n'
COARSE = f"{HEAD}{STAGE}margin = 25\nerror = 25\ngame_error = 25\ncap = 60\n"
FIXED = f"{HEAD}{STAGE}stops = false\ncap = 3\n"
ALL_PAIRS = f'{HEAD}{STAGE}pairs = "all"\ncap = 2\n'
COPIES = f"{HEAD}seats = 3\n{STAGE}compared = 2\ncap = 2\n"
GIVEN = f'{HEAD}seats = 3\n{STAGE}compared = 2\ncompany = "given"\ncap = 2\n'
NOTHING = f"{HEAD}{STAGE}"
LONG = [f"{'thoughtful-python-with-a-long-name':.36} {number}" for number in range(1, 5)]
WIDE = [f"{JAPANESE[:36]} {number}" for number in range(1, 5)]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A league with a comparison that is finished, and one that may go on."""
    path = tmp_path_factory.mktemp("leagues") / "written.league"
    with League.create_or_open(path) as league:
        simulate(league, COARSE, 2)
        simulate(league, GIVEN, 4, finish=False)
    return path


@pytest.fixture
def path(written: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "copy.league"
    shutil.copy(written, copy)
    return copy


def test_the_worst_losses_of_a_bot_are_those_by_most(path):
    with League.read(path) as league:
        games = {result.key: result for _, result in league.games(1)}
        for entrant in (0, 1):
            losses = worst_losses(league, 1, entrant, 10_000)
            lost = {key for key, result in games.items() if result.seats[result.seat_of(entrant)].place == 2}
            assert {loss.key for loss in losses} == lost
            assert worst_losses(league, 1, entrant, 2) == losses[:2]
            for loss in losses:
                mine, other = loss.seat, 1 - loss.seat
                assert games[loss.key].seats[mine].entrant == entrant
                assert (loss.points, loss.most) == tuple(
                    games[loss.key].seats[at].points for at in (mine, other)
                )
            for game in ("hyrule", "forty-one"):
                margins = [loss.most - loss.points for loss in losses if loss.key.game == game]
                assert margins == sorted(margins, reverse=True)


def summary_of(path: Path, number: int = 1) -> ComparisonSummary:
    with League.read(path) as league:
        return summarize_comparison(league, number)


def simulated(folder: Path, text: str, names: list[str], at_most: int | None = None) -> ComparisonSummary:
    with League.create_or_open(folder / "a.league") as league:
        number = simulate(league, text, len(names), finish=False, names=names, at_most=at_most)
    return summary_of(folder / "a.league", number)


def test_it_verifies(path):
    assert problems(path) == []
    summary = summary_of(path)
    assert summary.settled
    assert all(answer.finding is not None for answer in summary.pairs[0].games)


def test_one_that_was_finished_before_it_was_over_is_found(tmp_path):
    with League.create_or_open(tmp_path / "a.league") as league:
        simulate(league, COARSE, 2, at_most=20)
    assert problems(tmp_path / "a.league") == [
        "tournament 1: it is finished, but the comparison still asks for boards"
    ]


def test_a_game_taken_out_with_its_chain_entry_is_missed(path):
    edit(
        path,
        "DELETE FROM chain WHERE thing = 'game' AND id = 9",
        "DELETE FROM seat WHERE game = 9",
        "DELETE FROM game WHERE number = 9",
    )
    assert any("still asks for boards" in problem for problem in problems(path))


def test_one_that_ended_since_a_bot_was_withdrawn_verifies(tmp_path):
    path = tmp_path / "a.league"
    with League.create_or_open(path) as league:
        number = simulate(league, COPIES, 3, finish=False, at_most=6)
        course = course_of(league, number)
        league.record_ruling(number, Withdraw.of(course, 1).to_json(), "")
        assert course_of(league, number).over
        league.finish_tournament(number)
    assert problems(path) == []
    assert "was withdrawn; what it had left was not played" in comparison_text(summary_of(path))


@pytest.mark.parametrize(
    ("key", "players"),
    [
        (GameKey(0, 1, 4, "hyrule", 0, 0, (0, 1, 2)), (0, 2, 3)),  # no such match
        (GameKey(0, 2, 0, "hyrule", 0, 0, (0, 1, 2)), (0, 2, 3)),  # no such round
        (GameKey(0, 1, 0, "hyrule", 0, 0, (0, 1, 2)), (1, 2, 3)),  # others
        (GameKey(1, 1, 0, "hyrule", 0, 0, (0, 1, 2)), (0, 2, 3)),  # no such stage
    ],
)
def test_an_added_game_that_it_does_not_play_is_found(tmp_path, key, players):
    with League.create_or_open(tmp_path / "a.league") as league:
        number = simulate(league, GIVEN, 4, finish=False, at_most=4)
        league.record_games(number, [play_game(course_of(league, number).plan, Due(key, players))])
    assert any(
        "it is not one that the comparison plays" in problem for problem in problems(tmp_path / "a.league")
    )


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE seat SET place = 3 - place WHERE game = 20",
        "UPDATE game SET record = substr(record, 1, length(record) - 1) WHERE number = 9",
        "DELETE FROM game WHERE number = 12",
        "UPDATE tournament SET plan = replace(plan, '\"cap\": 60', '\"cap\": 90') WHERE id = 1",
    ],
)
def test_an_edit_is_found(path, statement):
    edit(path, statement)
    assert problems(path)


def test_it_comes_out_of_an_export_as_it_went_in(path, tmp_path):
    with League.read(path) as league:
        lines = list(export_lines(league, None))
    list(import_lines(lines, "file", tmp_path / "in.league", lambda games: None))
    here, there = (comparison_json(summary_of(where)) for where in (path, tmp_path / "in.league"))
    assert there == here
    assert problems(tmp_path / "in.league") == []


def test_as_it_was_earlier(path):
    with League.read(path) as league:
        now = summarize_comparison(league, 1)
        earlier = summarize_comparison(league, 1, league.game(now.games // 2).moment)
    assert 0 < earlier.games < now.games
    assert not earlier.settled
    for then, since in zip(earlier.pairs[0].games, now.pairs[0].games, strict=True):
        assert since.scores[: len(then.scores)] == then.scores


def test_a_season_does_not_count_it(path):
    said = arena("season", path, "--json", cwd=path.parent)
    assert json.loads(said.stdout)["tournaments"] == []


ANSWER_KEYS = [
    "finding", "words", "score", "low", "high", "error", "anytime", "boards", "found_after",
    "boards_expected", "won", "level", "lost", "board_scores", "games_replaced",
    "games_replaced_low", "games_replaced_high", "played_alike", "played_twice", "the_same_way",
    "independence", "less_luck", "one", "other",
]  # fmt: skip


def test_the_keys_of_its_json(path):
    told = comparison_json(summary_of(path))
    json.dumps(told)
    assert [*told] == [
        "comparison", "over", "settled", "can_go_on", "finished", "ended_early", "games_played", "seats",
        "stops", "margin", "less_luck", "rounds", "extended", "shared_cards", "commitment", "key", "entrants",
        "options", "clock_ns", "withdrawn", "errors", "race", "pairs",
    ]  # fmt: skip
    assert [*told["entrants"][0]] == ["name", "bot", "version", "author", "faults", "forfeits"]
    assert [*told["entrants"][0]["faults"]] == [*FAULT_REASONS]
    assert [*told["errors"]] == ["questions", "findings", "findings_and_intervals", "words"]
    (pair,) = told["pairs"]
    assert [*pair] == ["one", "other", "overall", "games", "boards_beyond", "warning"]
    assert [*pair["games"]] == ["hyrule", "forty-one"]
    for answer in (pair["overall"], *pair["games"].values()):
        assert [*answer] == ANSWER_KEYS
        assert [*answer["one"]] == ["games", "points", "decisions", "time_us", "faults", "forfeits"]
        assert answer["boards"] == len(answer["board_scores"])
        assert answer["boards"] == answer["won"] + answer["level"] + answer["lost"]
        assert answer["low"] <= answer["score"] <= answer["high"]
        assert answer["words"]


def test_all_faults_are_told_those_of_company_too(tmp_path):
    summary = simulated(tmp_path, GIVEN, ["a", "b", "x", "y"])
    with League.read(tmp_path / "a.league") as league:
        results = list(results_of(league, 1))
    timeouts = [
        sum(seat.faults[0] for result in results for seat in result.seats if seat.entrant == entrant)
        for entrant in range(4)
    ]
    assert any(timeouts)
    assert [charged[0] for charged in summary.charged] == timeouts
    said = comparison_text(summary)
    for name, count in zip("abxy", timeouts, strict=True):
        assert (f"Faults of {name}: {count} x timeout" in said) == (count > 0)


def test_the_rows_of_its_csv(path):
    head, *rows = comparison_rows(summary_of(path))
    assert len(rows) == 3
    assert {len(row) for row in rows} == {len(head)}
    assert [row[2] for row in rows] == ["", "hyrule", "forty-one"]


@pytest.mark.parametrize("names", [LONG, WIDE])
@pytest.mark.parametrize("text", [COARSE, FIXED, ALL_PAIRS, COPIES, GIVEN])
def test_every_line_fits_eighty_cells(tmp_path, names, text):
    entrants = {COPIES: 3, GIVEN: 4, ALL_PAIRS: 3}.get(text, 2)
    summary = simulated(tmp_path, text, names[:entrants], at_most=60)
    said = comparison_text(summary)
    assert [line for line in said.split("\n") if wcswidth(line) > 80 or line != line.rstrip()] == []
    assert "nan" not in said
    with League.read(tmp_path / "a.league") as league:
        course = course_of(league, summary.tournament.id)
    assert isinstance(course, ComparisonCourse)
    lines = comparison_lines(course.comparison, names, 20, 80)
    assert lines
    assert all(wcswidth(line) <= 80 for line in lines)
    assert comparison_words(course.comparison, names)


def test_before_the_first_game_it_is_told_and_drawn_too(tmp_path):
    from arena.report.comparison_plot import draw  # with matplotlib, which takes long to import

    summary = simulated(tmp_path, NOTHING, ["a", "b"], at_most=0)
    assert "nothing is known in Hyrule: no board is over" in comparison_text(summary)
    assert comparison_json(summary)["pairs"][0]["overall"]["score"] is None
    assert len(list(comparison_rows(summary))) == 4
    draw(summary, tmp_path / "a.svg")
    ElementTree.parse(tmp_path / "a.svg")


@pytest.mark.parametrize(
    ("text", "names", "said"),
    [
        (
            COARSE.replace("game_error = 25", "game_error = 5").replace("\nerror = 25", "\nerror = 10"),
            "ab",
            "Of 3 questions: the chance that any finding is ever wrong is at most 20 % (10 % + 2 x 5 %); "
            "that any finding or interval is, 30 %.",
        ),
        (
            FIXED,
            "ab",
            "Of 3 questions: the chance that any finding or interval is wrong is at most about 15 % "
            "(3 x 5 %).",
        ),
        (
            ALL_PAIRS,
            "abc",
            "Of 9 questions: the chance that any finding is ever wrong is at most 21 % (3 x 5 % + 6 x 1 %); "
            "that any finding or interval is, 31.5 %.",
        ),
        (
            f"{ALL_PAIRS}game_error = 20\n",
            "abc",
            "Of 9 questions: the chances of wrong findings sum up to 135 % (6 x 20 % + 3 x 5 %), so nothing "
            "is promised of all of them together.",
        ),
    ],
)
def test_below_the_findings_it_says_how_often_any_of_them_may_be_wrong(tmp_path, text, names, said):
    summary = simulated(tmp_path, text, list(names), at_most=0)
    assert said in " ".join(comparison_text(summary).split())
    errors = comparison_json(summary)["errors"]
    assert errors["words"] == said
    assert errors["questions"] == (3 if len(names) == 2 else 9)
    assert comparison_values(summary)["errors"] == said


def test_a_bot_that_becomes_another_is_warned_of(tmp_path):
    """One forfeits its games on the first boards, the other those on the later ones."""
    path = tmp_path / "a.league"
    text = f"{HEAD}{STAGE}stops = false\ncap = 16\n"
    with League.create_or_open(path) as league:
        number = simulate(league, text, 2, finish=False, at_most=0)
        course = course_of(league, number)
        while due := course.take():
            game = play_game(course.plan, due, late=due.key.round // 8)
            league.record_games(number, [game])
            course.add(game.result)
    summary = summary_of(path)
    warning = comparison_json(summary)["pairs"][0]["warning"]
    doubts = r"\(first half \d\.\d %, second half \d+\.\d %, correlation of neighbours 0\.\d\d\)"
    games = ", ".join(f"{game} {doubts}" for game in ("all games", "Hyrule", "Forty-one"))
    assert re.match(rf"Warning: boards hang together in {games}\. A bot may have learned", warning)
    assert warning in " ".join(comparison_text(summary).split())
    assert [pair["warning"] for pair in comparison_values(summary)["pairs"]] == [warning]
    assert all(
        answer["independence"]["doubtful"]
        for answer in comparison_json(summary)["pairs"][0]["games"].values()
    )


def test_boards_that_do_not_hang_together_are_not_warned_of(path):
    assert comparison_json(summary_of(path))["pairs"][0]["warning"] is None
    assert "Warning" not in comparison_text(summary_of(path))


def test_more_boards_than_were_settled_beforehand_are_told(tmp_path):
    summary = simulated(tmp_path, FIXED, ["a", "b"])
    assert not summary.extended
    assert "settled beforehand" in comparison_text(summary)
    path = tmp_path / "a.league"
    arena("host", "extend", path, "--cycles", 2, cwd=tmp_path)
    with League.create_or_open(path) as league:
        course: Course = course_of(league, 1)
        while due := course.take():
            game = play_game(course.plan, due)
            league.record_games(1, [game])
            course.add(game.result)
    summary = summary_of(path)
    assert summary.extended
    assert [len(answer.scores) for answer in summary.pairs[0].games] == [5, 5]
    assert "Boards were added to the first 3" in comparison_text(summary)
    assert problems(path) == []


def test_plots_are_written_and_can_be_read_again(tmp_path):
    from matplotlib.image import imread

    from arena.report.comparison_plot import draw

    summary = simulated(tmp_path, COPIES, [WIDE[0], "a $b^2$ c", "copy"])
    draw(summary, tmp_path / "a.svg")
    root = ElementTree.parse(tmp_path / "a.svg").getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    said = "".join(root.itertext())
    assert "Forty-one" in said
    assert "against a $b^2$ c" in said.replace("\\$", "$")
    draw(summary, tmp_path / "a.png")
    height, width, _ = imread(tmp_path / "a.png").shape
    assert (width, height > 400) == (1_440, True)
    draw(summary, tmp_path / "a.PDF")
    assert (tmp_path / "a.PDF").read_bytes().startswith(b"%PDF")
