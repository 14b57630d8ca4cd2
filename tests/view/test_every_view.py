"""Every view is right at every step of random tournaments with random rulings."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
import trio

from arena.league.store import EntrantInfo, League, TournamentInfo
from arena.league.stored import course_of
from arena.league.tournament_file import parse_plan
from arena.table.deal import commitment, pledge_of, pledges_digest
from arena.tournament.course import Course
from arena.tournament.courses import ComparisonCourse
from arena.tournament.rulings import KINDS, Contribute, Refused
from tests.referee.simulation import KEY, play_game
from tests.report.leagues import finished
from tests.view.every_view import ask, composed, look_at_everything

ROUND_ROBIN = '[[stage]]\nformat = "round-robin"\n'
KNOCKOUT = '[[stage]]\nformat = "knockout"\nadvance = 4\nextra_boards = 2\n'
STAGES = {
    "round robin, knockout": ROUND_ROBIN + KNOCKOUT,
    "tables of three": "seats = 3\n" + ROUND_ROBIN,
    "swiss, knockout": '[[stage]]\nformat = "swiss"\nrounds = 3\n' + KNOCKOUT,
    "groups, round robin": '[[stage]]\nformat = "groups"\ngroups = 2\n' + ROUND_ROBIN + "advance = 4\n",
    "gauntlet": '[[stage]]\nformat = "gauntlet"\n',
    "double elimination": '[[stage]]\nformat = "double-elimination"\nextra_boards = 1\n',
    "ladder": '[[stage]]\nformat = "ladder"\n',
    "comparison": '[[stage]]\nformat = "comparison"\ncap = 6\n',
}
SEEDS = [1, *(pytest.param(seed, marks=pytest.mark.campaign) for seed in range(2, 6))]


class Night:
    """A tournament with random results in a league file."""

    def __init__(self, path: Path, stages: str, entrants: int, seed: int, boards: int | None = 2) -> None:
        self.path = path
        self.rng = random.Random(seed)
        self.ties = 0.5
        text = 'name = "night"\ngames = ["hyrule", "kleftis"]\n'
        text += "" if boards is None else f"boards = {boards}\n"
        text += stages + "[[entrant]]\n" * entrants
        plan = parse_plan(text, Path("night.toml"))
        self.names = [f"bot {number}" for number in range(entrants)]
        infos = tuple(EntrantInfo(name, "") for name in self.names)
        with League.create_or_open(path) as league:
            info = TournamentInfo(plan.name, path, text, KEY, commitment(KEY), infos, plan.to_json())
            self.number = league.start_tournament(info)

    def play(self, most: int) -> None:
        """Plays at most so many games."""
        with League.create_or_open(self.path) as league:
            course = course_of(league, self.number)
            for _ in range(most):
                due = course.take()
                if due is None:
                    break
                if isinstance(course, ComparisonCourse):  # which looks into its games
                    game = play_game(course.plan, due)
                else:
                    game = finished(due, self.rng, ties=self.ties, faults=0.0)
                league.record_games(self.number, [game])
                course.add(game.result)
            self._finish_if_over(league, course)

    def rule(self, kind: str, what: str) -> None:
        """Makes a ruling, unless it is refused."""
        with League.create_or_open(self.path) as league:
            course = course_of(league, self.number)
            try:
                ruling = KINDS[kind].asked(what, course, self.names)
            except Refused:
                return
            if ruling.refusal(course) is None:
                league.record_ruling(self.number, ruling.to_json(), "a reason")
                self._finish_if_over(league, course_of(league, self.number))

    def _finish_if_over(self, league: League, course: Course) -> None:
        if course.over and league.tournament(self.number).finished is None:
            league.finish_tournament(self.number)

    def rule_at_random(self) -> None:
        """Asks for a ruling of any kind."""
        kind = self.rng.choice(["withdraw", "withdraw", "annul", "extend", "extend", "pause", "go", "end"])
        about = {"withdraw": self.rng.choice(self.names), "extend": self.rng.choice(["1", "boards 1"])}
        if kind == "annul":
            with League.read(self.path) as league:
                played = [str(result.key) for _, result in league.games(self.number)]
            if not played:
                return
            game = self.rng.choice(played)
            about["annul"] = self.rng.choice([game, game.partition("/")[0]])
        self.rule(kind, about.get(kind, ""))

    @property
    def over(self) -> bool:
        with League.read(self.path) as league:
            return league.tournament(self.number).finished is not None


@pytest.mark.parametrize("stages", STAGES)
@pytest.mark.parametrize("seed", SEEDS)
def test_every_view_is_right_at_every_step(tmp_path, stages, seed):
    night = Night(tmp_path / "night.league", STAGES[stages], 6, seed, None if stages == "comparison" else 2)
    for _ in range(3 if seed == 1 else 6):  # the first seed is in the suite
        if night.rng.random() < 0.5:
            night.rule_at_random()
        night.play(night.rng.choice([0, 1, 3, 20]))
        look_at_everything(night.path)
        if night.over:
            break


def test_a_tie_that_a_withdrawal_broke_is_a_walkover_and_no_extra_board(tmp_path):
    knockout = KNOCKOUT.replace("advance = 4\n", "")
    night = Night(tmp_path / "night.league", knockout, 4, 1, boards=1)
    night.ties = 1.0
    night.play(8)
    night.rule("withdraw", night.names[0])
    look_at_everything(night.path)
    with composed(night.path) as page:
        for address in ("/bracket", "/games", "/schedule", "/bots/1"):
            text = trio.run(ask, page, address).text
            assert "walkover" in text, address
            assert "extra board</p>" not in text, address


def test_what_fixes_the_deals_is_shown_before_the_first_game(tmp_path):
    night = Night(tmp_path / "night.league", ROUND_ROBIN, 4, 1)
    given = [number.to_bytes(16, "big") for number in range(4)]
    pledges = [pledge_of(each) for each in given]
    contributed = Contribute(tuple(each.hex() for each in pledges), tuple(each.hex() for each in given))
    with League.create_or_open(night.path) as league:
        league.record_ruling(night.number, contributed.to_json(), "")
    with composed(night.path) as page:
        before = trio.run(ask, page, "/").text
        assert (commitment(KEY) in before, KEY.hex() in before) == (True, False)
        assert pledges_digest(dict(enumerate(pledges))).hex() in before
    night.play(1_000)
    with composed(night.path) as page:
        assert KEY.hex() in trio.run(ask, page, "/").text


def test_what_is_not_played_when_the_host_ends_is_said(tmp_path):
    night = Night(tmp_path / "night.league", ROUND_ROBIN + KNOCKOUT, 14, 1, boards=1)
    night.play(4 * 91 + 6)
    night.rule("end", "")
    look_at_everything(night.path)
    with composed(night.path) as page:
        home, bracket = trio.run(ask, page, "/").text, trio.run(ask, page, "/bracket").text
    ranking = home.partition('<ol class="ranking">')[2].partition("</ol>")[0]
    assert ranking.count("<li") == 14
    assert bracket.count("not played") == 2  # the final, and the match for the third place
    assert "2 of 4 games" in bracket


def test_a_match_that_waits_for_the_end_of_a_pause_says_so(tmp_path):
    night = Night(tmp_path / "night.league", KNOCKOUT.replace("advance = 4\n", ""), 4, 1, boards=1)
    night.play(1)
    for request, words in (("pause", "1 of 4 games, paused"), ("go", "1 of 4 games<")):
        night.rule(request, "")
        look_at_everything(night.path)
        with composed(night.path) as page:
            for address in ("/bracket", "/schedule"):
                assert words in trio.run(ask, page, address).text, (address, words)


def test_an_annulled_game_and_the_one_on_the_new_board_are_named_by_the_planned_board(tmp_path):
    night = Night(tmp_path / "night.league", ROUND_ROBIN, 4, 1)
    night.play(1)
    night.rule("annul", "1.1.1/hyrule/1.1")
    night.play(8)
    look_at_everything(night.path)
    with composed(night.path) as page:
        text = trio.run(ask, page, "/games?match=1.1.1").text
    assert "board 1, annulled" in text
    assert "board 1, replayed on a new board" in text


def test_the_address_of_a_table_leads_to_the_replay_of_its_game(tmp_path):
    night = Night(tmp_path / "night.league", ROUND_ROBIN, 4, 1)
    night.play(1)
    heading = {"game": "hyrule", "title": "Hyrule", "seats": 2, "names": ["a", "b"], "delay": 0}
    with composed(night.path) as page:
        for number, key in ((1, "1.1.1/hyrule/1.1"), (2, "1.1.1/hyrule/1.2")):  # the second one is not stored
            page.tables.hear({"table": number, "key": key, "emblems": [], **heading})
            page.tables.hear({"table": number, "t": 0, "changed": {}})
        page.tables.show_due()
        assert trio.run(ask, page, "/tables/1").code == 200
        for number in (1, 2):
            page.tables.hear({"table": number, "t": 0, "end": "over"})
        page.tables.show_due()
        assert trio.run(ask, page, "/tables/1").headers["location"] == "/games/1.1.1/hyrule/1.1"
        assert trio.run(ask, page, "/tables/2").code == 200


def test_boards_that_the_host_adds_leave_the_standings_as_they_are(tmp_path):
    night = Night(tmp_path / "night.league", ROUND_ROBIN + KNOCKOUT, 5, 1)

    def scores() -> list[tuple[str, str]]:
        with composed(night.path) as page:
            html = trio.run(ask, page, "/standings").text
        rows = re.findall(r'<th scope="row">.*?<td class="n score">.*?</td>', html, re.DOTALL)
        return [(row.partition("<bdi>")[2].partition("<")[0], row[-9:]) for row in rows]

    night.play(70)
    before = scores()
    night.rule("extend", "boards 3")
    assert scores() == before
    assert len(before) == 5
    look_at_everything(night.path)


def test_matches_that_were_won_without_play_alone_are_shown(tmp_path):
    night = Night(tmp_path / "night.league", ROUND_ROBIN, 4, 1)
    for name in night.names[:3]:
        night.rule("withdraw", name)
    look_at_everything(night.path)
    night = Night(tmp_path / "longer.league", ROUND_ROBIN, 4, 1, boards=1)
    night.play(4)
    night.rule("withdraw", night.names[3])
    night.rule("extend", "boards 1")
    look_at_everything(night.path)
