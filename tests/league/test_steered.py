"""Tournaments with late bots and added boards: stored, resumed, verified, exported; edits are found."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from arena.league.interchange import WrongExport, export_lines, import_lines
from arena.league.store import Contradiction, League
from arena.league.stored import course_of
from arena.league.summary import summarize
from arena.tournament.rulings import (
    Admit,
    Contain,
    Extend,
    Newcomer,
    Refused,
    Ruling,
    Withdraw,
    require_fit,
    ruling_for,
)
from tests.league.damaged import edit
from tests.league.store.samples import problems, problems_of
from tests.referee.simulation import play_course, simulate

HEAD = 'name = "simulated"\ngames = ["hyrule", "kleftis"]\n'
STAGES = {
    "round robin": '[[stage]]\nformat = "round-robin"\ncycles = 2\n'
    '[[stage]]\nformat = "knockout"\nadvance = 2\n',
    "gauntlet": '[[stage]]\nformat = "gauntlet"\n',
    "swiss": '[[stage]]\nformat = "swiss"\nrounds = 3\n',
    "tables of three": 'seats = 3\n[[stage]]\nformat = "round-robin"\ncycles = 3\n',
}
GAMES = {"tables of three": 'name = "simulated"\ngames = ["nyuri", "nur-mut"]\n'}
LATE = Newcomer("late", "bot", "/bots/late", "1.2", "ada")


def steer(league: League, number: int, ruling: Ruling) -> None:
    league.record_ruling(number, ruling.to_json(), "there is time")


def play(league: League, name: str) -> int:
    """A tournament that a bot enters late, that is made longer, and that the bot then leaves."""
    number = simulate(league, GAMES.get(name, HEAD) + STAGES[name], 5, finish=False, at_most=9)
    steer(league, number, Admit.of(course_of(league, number), LATE))
    play_course(league, number, course_of(league, number), 6)
    steer(league, number, Extend.of(course_of(league, number), boards=2))
    play_course(league, number, course_of(league, number), 20)
    steer(league, number, Withdraw.of(course_of(league, number), 1))
    if name == "round robin":
        steer(league, number, Extend.of(course_of(league, number), 1))
    play_course(league, number, course_of(league, number))
    assert course_of(league, number).over
    league.finish_tournament(number)
    return number


@pytest.fixture(scope="module")
def nights(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A league with each of these nights."""
    leagues = {}
    for name in STAGES:
        leagues[name] = tmp_path_factory.mktemp("leagues") / "some.league"
        with League.create_or_open(leagues[name]) as league:
            assert play(league, name) == 1
    return leagues


@pytest.mark.parametrize("name", STAGES)
def test_it_is_verified_shown_and_exported(tmp_path: Path, nights: dict[str, Path], name: str) -> None:
    copy = tmp_path / "copy.league"
    with League.read(nights[name]) as league:
        lines = list(export_lines(league))
        summary = summarize(league, 1, intervals=False)
    assert problems(nights[name]) == []
    assert [item.name for item in summary.tournament.entrants] == [*(f"bot {n}" for n in range(5)), "late"]
    assert sorted(line.entrant for line in summary.final) == [0, 1, 2, 3, 4, 5]
    late, *longer = summary.alterations
    assert late.ruling.kind == "admit"
    assert {item.ruling.kind for item in longer} == {"extend"}
    assert late.reason == "there is time"
    import_lines(lines, "lines", copy, lambda games: None)
    with League.read(copy) as again:
        imported = summarize(again, 1, intervals=False)
    assert (imported.tournament, imported.final, imported.rows) == (
        summary.tournament, summary.final, summary.rows,
    )  # fmt: skip
    assert imported.alterations == summary.alterations


@pytest.fixture(scope="module")
def lines(nights: dict[str, Path]) -> dict[str, list[str]]:
    """The export of each of these tournaments."""
    exported = {}
    for name, path in nights.items():
        with League.read(path) as league:
            exported[name] = list(export_lines(league))
    return exported


@pytest.mark.parametrize("name", STAGES)
@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("admit", {"entrant": 6}),
        ("admit", {"since": 7}),
        ("admit", {"name": "bot 1"}),
        ("admit", {"how": "train"}),
        ("extend", {"boards": 1}),
        ("extend", {"boards": -1}),
        ("extend", {"stage": 3}),
        ("extend", {"round": 9}),
        ("extend", {"cycles": 7}),
    ],
)
def test_no_edit_passes_even_where_all_links_are_made_anew(tmp_path, lines, name, kind, changes):
    edited, count = [], 0
    for line in lines[name]:
        if f'\\"kind\\": \\"{kind}\\"' in line and not count:
            count += 1
            values = json.loads(line)
            key = next(key for key, part in values.items() if isinstance(part, dict) and "decision" in part)
            decision = {**json.loads(values[key]["decision"]), **changes}
            values[key]["decision"] = json.dumps(decision)
            line = json.dumps(values)
        edited.append(line)
    assert count == 1
    with pytest.raises((WrongExport, Contradiction)):
        import_lines(edited, "lines", tmp_path / "copy.league", lambda games: None)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entrant SET author = 'me' WHERE number = 5",
        "UPDATE decision SET decision = replace(decision, 'ada', 'eva')",
        "DELETE FROM decision WHERE decision LIKE '%admit%'",
        "DELETE FROM entrant WHERE number = 5",
        "INSERT INTO entrant VALUES (1, 6, 'another', '', '', '')",
    ],
)
def test_an_edited_row_is_found(tmp_path: Path, nights: dict[str, Path], statement: str) -> None:
    path = tmp_path / "some.league"
    shutil.copy(nights["gauntlet"], path)
    edit(path, statement)
    assert problems(path)


def test_a_withdrawal_is_judged_by_the_boards_of_its_time(tmp_path: Path) -> None:
    """Matches that were over when somebody left, and that boards were added to later, were over."""
    path = tmp_path / "some.league"
    with League.create_or_open(path) as league:
        number = simulate(league, 'name = "x"\ngames = ["hyrule"]\n', 4, finish=False, at_most=10)
        leaves = Withdraw.of(course_of(league, number), 0)
        assert not leaves.annulled
        steer(league, number, leaves)
        steer(league, number, Extend.of(course_of(league, number), boards=2))
        play_course(league, number, course_of(league, number))
        league.finish_tournament(number)
    assert problems(path) == []


@pytest.mark.parametrize("what", ["", "{}", "[1]", '{"name": "x", "how": "join", "colour": "red"}'])
def test_a_request_of_another_version_is_refused(tmp_path: Path, what: str) -> None:
    with League.create_or_open(tmp_path / "some.league") as league:
        course = course_of(league, simulate(league, HEAD, 3, finish=False, at_most=1))
        names = [each.name for each in league.tournament(1).entrants]
    with pytest.raises(Refused, match="use the version that plays"):
        ruling_for("admit", what, course, names)


@pytest.mark.parametrize("kind", ["contain", "contribute", "dance"])
def test_the_host_cannot_ask_for_what_only_the_rules_add(tmp_path: Path, kind: str) -> None:
    with League.create_or_open(tmp_path / "some.league") as league:
        course = course_of(league, simulate(league, HEAD, 3, finish=False, at_most=1))
        names = [each.name for each in league.tournament(1).entrants]
    with pytest.raises(Refused, match=f"this arena cannot {kind}"):
        ruling_for(kind, "", course, names)


@pytest.mark.parametrize(
    ("wrong", "because"),
    [
        (Extend(3, 1), "stage 4 has not begun"),
        (Extend(0, 0, boards=-1), "it adds 0 cycles and -1 boards"),
        (Withdraw(1, 0, annulled=True), "it does not follow from the 2 matches that entrant 1 had played"),
        (Admit(7, "late", "join", "", "", "", 0), "it admits entrant 7, but the next one was 3"),
        (Contain(("basic",)), "it is about 1 bots, and there were 3"),
    ],
)
def test_what_a_verification_would_find_is_refused_before_it_is_stored(tmp_path: Path, wrong, because):
    with League.create_or_open(tmp_path / "some.league") as league:
        number = simulate(league, 'name = "x"\ngames = ["hyrule"]\n', 3, finish=False, at_most=6)
        course = course_of(league, number)
        with pytest.raises(Refused, match=f"^x cannot have that: {because}"):
            require_fit(wrong, course)
        league.record_ruling(number, wrong.to_json(), "")
        assert [problem.partition(": ")[2] for problem in problems_of(league)][:1] == [because]


def test_a_name_is_taken_only_once(tmp_path: Path) -> None:
    with League.create_or_open(tmp_path / "some.league") as league:
        number = simulate(league, HEAD, 3, finish=False, at_most=1)
        twice = Admit.of(course_of(league, number), LATE._replace(name="bot 1"))
        with pytest.raises(Contradiction):
            league.record_ruling(number, twice.to_json(), "")
