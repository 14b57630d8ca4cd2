"""`arena compare` with real bots: findings, continued comparisons, faults, and refusals."""

from __future__ import annotations

import csv
import io
import json
import re
import signal
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from arena.league.compared import summarize_comparison
from arena.league.store import League
from arena.view.views.standings import comparison_values
from tests.arena_command import ARENA, arena
from tests.bots_for_tests import FIRST, bot_folder, faulty_bot, good_bot, served_address
from tests.cli.comparing import compare, known
from tests.league.damaged import edit
from tests.patience import PATIENCE
from tests.referee.nights import games_in, processes_in, wait_for

LAST = FIRST.replace("[self.table.seed[turn.number % 16] % len(turn.actions)]", "[-1]")
COARSE = ["--margin", 25, "--error", 25, "--game-error", 25]
TWO_GAMES = ["--game", "hyrule", "--game", "forty-one", "--option", "forty-one.stall=1"]
"""What is known of the boards that count: which were played beyond depends on how fast they were."""


def pair_of_bots() -> tuple[str, str]:
    return served_address(), served_address(LAST)


def standings(league: Path) -> dict[str, Any]:
    summary: dict[str, Any] = json.loads(arena("standings", league, "--json", cwd=league.parent).stdout)
    return summary


@pytest.mark.parametrize("seats", [2, pytest.param(3, marks=pytest.mark.campaign)])
def test_the_same_seed_finds_the_same_however_it_is_played(tmp_path, seats):
    ways = [(1, 0), (16, 2 if seats == 2 else 0)]
    found = [
        compare(
            tmp_path, *pair_of_bots(), *TWO_GAMES, *COARSE, "--seats", seats, "--seed", "s", "--cap", 30,
            "--league", f"{concurrency}-{workers}.league", "--concurrency", concurrency, "--workers", workers,
        )
        for concurrency, workers in ways
    ]  # fmt: skip
    assert all(known(other) == known(found[0]) for other in found[1:])
    assert found[0]["settled"]
    assert found[0]["finished"]
    for concurrency, workers in ways:
        said = arena("verify", f"{concurrency}-{workers}.league", cwd=tmp_path).stdout
        assert "all is well" in said


@pytest.mark.campaign
def test_the_best_of_several_is_found_and_the_beaten_play_no_more(tmp_path):
    """Of three bots one always takes its last action. However it is played, the same boards count."""
    from arena.report.comparison_plot import draw  # with matplotlib, which takes long to import

    bots = [served_address(), served_address(LAST), served_address()]
    ways = [
        compare(
            tmp_path, *bots, *TWO_GAMES, "--margin", 25, "--error", 25, "--best", "--seed", "r",
            "--cap", 20, "--league", f"{concurrency}.league", "--concurrency", concurrency,
        )
        for concurrency in (1, 12)
    ]  # fmt: skip
    assert ways[0]["race"] == ways[1]["race"]
    assert known(ways[0]) == known(ways[1])
    race = ways[0]["race"]
    assert race["finding"] in ("best", "no difference", "no best")
    assert race["bots"][0]["name"] == race["named"]
    assert "at most 25 of 100 such comparisons ever err about the best bot" in race["words"]
    for pair in ways[0]["pairs"]:  # the race asks no question about a single pair
        assert "open" not in pair["overall"]["words"]
    with League.read(tmp_path / "1.league") as league:
        summary = summarize_comparison(league, 1)
        page = comparison_values(summary)
        draw(summary, tmp_path / "race.svg")
        names = [one.name for one in league.tournaments()[0].entrants]
    assert page["pairs"] == []
    shown = page["race"]["racers"]
    assert [names[each["entrant"]] for each in shown] == [each["name"] for each in race["bots"]]
    assert [each["state"] == "out" for each in shown] == [not each["left"] for each in race["bots"]]
    assert [each["known"] is None for each in shown] == [True, False, False]
    drawn = "".join(ElementTree.parse(tmp_path / "race.svg").getroot().itertext())
    assert f"{race['named']} against each other bot" in drawn
    for each, bot in zip(shown[1:], race["bots"][1:], strict=True):
        assert re.search(rf"{each['known']['score']} %, \d+ rounds: {each['state']}", drawn), bot["name"]
    said = arena("standings", "1.league", cwd=tmp_path).stdout
    assert "against each other bot" in said
    assert "The chance that the finding is ever wrong about the best bot is at most 25 %" in " ".join(
        said.split()
    )
    assert "all is well" in arena("verify", "1.league", cwd=tmp_path).stdout


def test_a_plan_plays_twenty_boards_and_the_comparison_goes_on_with_them(tmp_path):
    bots = pair_of_bots()
    how = [*bots, *TWO_GAMES, "--margin", 10, "--seed", "p", "--league", "p.league"]
    plan = compare(tmp_path, *how, "--plan")
    assert {each["game"] for each in plan["questions"]} == {None, "hyrule", "forty-one"}
    assert all(0 < each["boards"] <= 20 for each in plan["questions"])
    assert [each["mean"] for each in plan["questions"][0]["needed"]] == [0.5, 0.6, 0.7, None]
    played = games_in(tmp_path / "p.league")
    said = arena("compare", *how, "--plan", cwd=tmp_path).stdout
    assert "as it looks" in said
    assert "with a margin of 10 points" in " ".join(said.split())
    assert games_in(tmp_path / "p.league") == played
    both = compare(tmp_path, *how, "--cap", 22)
    at_once = compare(tmp_path, *how[:-1], "q.league", "--cap", 22)
    assert known(both) == known(at_once)


def test_the_same_command_without_plan_goes_on_until_it_knows(tmp_path):
    how = [*pair_of_bots(), "--game", "hyrule", "--margin", 20, "--seed", "p", "--league", "p.league"]
    compare(tmp_path, *how, "--plan")
    both = compare(tmp_path, *how)
    assert both["pairs"][0]["games"]["hyrule"]["boards"] > 20
    assert both["pairs"][0]["games"]["hyrule"]["finding"] is not None
    assert known(both) == known(compare(tmp_path, *how[:-1], "q.league"))


@pytest.mark.parametrize(
    ("number", "options"),
    [
        (signal.SIGTERM, []),
        pytest.param(signal.SIGKILL, [], marks=pytest.mark.campaign),
        pytest.param(signal.SIGKILL, ["--less-luck"], marks=pytest.mark.campaign),
    ],
)
def test_interrupted_and_gone_on_with_it_is_as_uninterrupted(tmp_path, number, options):
    command = [
        "compare",
        *pair_of_bots(),
        *TWO_GAMES,
        "--cap",
        8,
        "--seed",
        "s",
        "--concurrency",
        4,
        *options,
    ]
    whole = compare(tmp_path, *command[1:], "--league", "whole.league")
    broken = tmp_path / "broken.league"
    for more in (5, 10):
        goal = games_in(broken) + more
        referee = subprocess.Popen(
            [*ARENA, *map(str, command), "--league", broken, "--json"],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        wait_for(lambda goal=goal, referee=referee: games_in(broken) >= goal or referee.poll() is not None)
        referee.send_signal(number)
        printed, errors = referee.communicate(timeout=PATIENCE)
        assert "Traceback" not in errors
        if number is signal.SIGTERM and referee.returncode:
            assert referee.returncode == 130
            assert f"go on with: arena resume {broken}" in errors or "all games are played" in errors
            if "all games are played" not in errors:
                found = json.loads(printed)
                assert found["interrupted"]
                assert found["games_played"] >= goal
    done = arena("compare", *command[1:], "--league", broken, "--json", cwd=tmp_path)
    assert known(json.loads(done.stdout)) == known(whole)
    assert "all is well" in arena("verify", broken, cwd=tmp_path).stdout


def without_luck(summary: dict[str, Any]) -> dict[str, Any]:
    answers: dict[str, Any] = summary["pairs"][0]["games"]
    return {game: answer["less_luck"] for game, answer in answers.items()}


@pytest.mark.campaign
def test_half_of_the_bets_are_on_scores_without_luck(tmp_path):
    command = [*pair_of_bots(), *TWO_GAMES, "--cap", 3, "--seed", "s", "--less-luck"]
    told = compare(tmp_path, *command, "--league", "a.league")
    assert told["less_luck"]
    less = without_luck(told)
    assert less["hyrule"] is None
    answer = told["pairs"][0]["games"]["forty-one"]
    assert less["forty-one"]["score"] != answer["score"]
    assert (less["forty-one"]["low"], less["forty-one"]["high"]) == (answer["low"], answer["high"])
    at_once = compare(tmp_path, *command, "--league", "b.league", "--concurrency", 1)
    assert (known(at_once), without_luck(at_once)) == (known(told), less)
    said = arena("standings", "a.league", cwd=tmp_path).stdout
    assert "luck is taken away in Forty-one for half of the bets" in " ".join(said.split())
    # Luck that is lost is computed again; luck that is wrong is found.
    with League.read(tmp_path / "a.league") as league:
        kept = {number: luck for number, _, _, luck in league.lucks(1)}
    assert len(kept) == 6
    assert any(kept.values())
    edit(tmp_path / "a.league", "DELETE FROM luck WHERE game > 5")
    again = compare(tmp_path, *command, "--league", "a.league")
    assert (known(again), without_luck(again)) == (known(told), less)
    arena("host", "end", "a.league", cwd=tmp_path)
    arena("export", "a.league", "-o", "a.jsonl", cwd=tmp_path)
    for into, number in (("c.league", 1), ("b.league", 2)):  # a new league, and one that is there
        arena("import", "a.jsonl", into, cwd=tmp_path)
        with League.read(tmp_path / into) as league:
            assert sorted(luck for *_, luck in league.lucks(number)) == sorted(kept.values())
    there = standings(tmp_path / "c.league")
    assert (known(there), without_luck(there)) == (known(told), less)
    edit(tmp_path / "c.league", "UPDATE luck SET luck = luck + .25 WHERE game = (SELECT min(game) FROM luck)")
    assert "its luck is not that of its record" in arena("verify", "c.league", cwd=tmp_path, code=1).stdout


def test_more_boards_go_on_with_the_same_sequence(tmp_path):
    command = [*pair_of_bots(), "--game", "hyrule", "--seed", "s"]
    first = compare(tmp_path, *command, "--boards", 4, "--league", "a.league")
    more = compare(tmp_path, *command, "--boards", 8, "--league", "a.league")
    at_once = compare(tmp_path, *command, "--boards", 8, "--league", "b.league")
    (few,), (many,) = known(first), known(more)
    assert many == known(at_once)[0]
    assert many["board_scores"][:4] == few["board_scores"]
    assert (more["games_played"], at_once["games_played"]) == (20, 20)
    assert (first["extended"], more["extended"], at_once["extended"]) == (False, True, False)
    assert compare(tmp_path, *command, "--boards", 6, "--league", "a.league")["games_played"] == 20
    with League.read(tmp_path / "a.league") as league:
        assert len(league.tournaments()) == 1


def test_when_it_is_settled_the_same_command_begins_another(tmp_path):
    command = [*pair_of_bots(), "--game", "hyrule", *COARSE, "--seed", "s", "--league", "a.league"]
    assert known(compare(tmp_path, *command)) == known(compare(tmp_path, *command))
    with League.read(tmp_path / "a.league") as league:
        assert [each.finished is not None for each in league.tournaments()] == [True, True]


def test_identical_programs_are_recognised(tmp_path):
    one = served_address()
    done = arena("compare", one, one, *TWO_GAMES, *COARSE, "--league", "a.league", cwd=tmp_path)
    said = " ".join(done.stdout.split())
    assert "level in Hyrule: they play alike" in said
    assert "level in all games together: they play alike" in said
    assert "they play the same board the same way every time" in said


@pytest.mark.parametrize("company", [[], ["--company", served_address]])
def test_at_larger_tables_and_in_company(tmp_path, company):
    one, other = pair_of_bots()
    summary = compare(
        tmp_path, one, other, "--seats", 3, "--game", "hyrule", "--cap", 2, "--league", "a.league",
        *(word() if callable(word) else word for word in company),
    )  # fmt: skip
    assert len(summary["entrants"]) == (4 if company else 3)
    assert summary["pairs"][0]["games"]["hyrule"]["boards"] == 2
    assert "all is well" in arena("verify", "a.league", cwd=tmp_path).stdout


def test_who_crashes_loses_and_is_told_so(tmp_path):
    bad = faulty_bot(tmp_path, "crashes")
    done = arena(
        "compare", served_address(), bad, "--game", "hyrule", "--cap", 1, "--league", "a.league",
        cwd=tmp_path,
    )  # fmt: skip
    assert "Faults of crashes:" in done.stdout
    assert "crash" in done.stdout
    assert standings(tmp_path / "a.league")["over"]
    assert processes_in(bad) == []


def test_who_hangs_loses_and_nothing_waits_for_it(tmp_path):
    bad = faulty_bot(tmp_path, "silent")
    summary = compare(
        tmp_path, served_address(), bad, "--game", "hyrule", "--cap", 2, "--league", "a.league",
        "--bank", "200ms", "--increment", "0s", "--move", "100ms",
    )  # fmt: skip
    assert summary["over"]
    assert summary["withdrawn"] == []
    silent = summary["entrants"][1]
    assert silent["faults"]["timeout"] > 0
    assert silent["forfeits"] == 2 * 2 * 2
    assert summary["pairs"][0]["games"]["hyrule"]["score"] == 1


def test_the_host_decides_about_it_as_about_any_tournament(tmp_path):
    command = [*pair_of_bots(), "--game", "hyrule", "--seed", "s", "--boards", 3, "--league", "a.league"]
    before = compare(tmp_path, *command)
    arena("host", "annul", "a.league", "1.2.1/hyrule/1.1", "--reason", "a power cut", cwd=tmp_path)
    arena("host", "extend", "a.league", "--boards", 1, cwd=tmp_path)
    waiting = standings(tmp_path / "a.league")
    assert not waiting["over"]
    assert known(waiting)[0]["board_scores"] == known(before)[0]["board_scores"][:1]
    arena("resume", "a.league", cwd=tmp_path)
    after = standings(tmp_path / "a.league")
    assert known(after)[0]["boards"] == 4
    assert known(after)[0]["the_same_way"] == 2  # boards that were played twice are void in both
    assert "all is well" in arena("verify", "a.league", cwd=tmp_path).stdout
    assert "can go on" in arena("list", "a.league", cwd=tmp_path).stdout
    arena("host", "end", "a.league", cwd=tmp_path)
    ended = standings(tmp_path / "a.league")
    assert (ended["ended_early"], ended["key"] is None) == (True, False)
    assert "holds no unfinished tournament" in arena("resume", "a.league", cwd=tmp_path, code=2).stderr


def test_a_bot_of_another_version_is_not_mixed_in(tmp_path):
    versioned = FIRST.replace('name = "first"', 'name = "first"\n    version = "1"')
    bot = good_bot(tmp_path, "bot", versioned)
    command = [bot, served_address(), "--game", "hyrule", "--league", "a.league"]
    compare(tmp_path, *command, "--cap", 1)
    (bot / "first.py").write_text(versioned.replace('"1"', '"2"'))
    refused = arena("compare", *command, "--cap", 2, cwd=tmp_path, code=2)
    assert "bot is version 2 now, and the comparison in" in refused.stderr
    assert "arena host end" in refused.stderr
    assert games_in(tmp_path / "a.league") == 4


def test_plot_and_csv(tmp_path):
    done = arena(
        "compare", *pair_of_bots(), "--game", "hyrule", "--boards", 2, "--csv", "--plot", "a.svg",
        "--league", "a.league", cwd=tmp_path,
    )  # fmt: skip
    head, row = csv.reader(io.StringIO(done.stdout))
    assert dict(zip(head, row, strict=True))["boards"] == "2"
    ElementTree.parse(tmp_path / "a.svg")


def test_another_comparison_needs_another_league(tmp_path):
    one, other = pair_of_bots()
    league = ["--league", "a.league"]
    compare(tmp_path, one, other, "--game", "hyrule", "--cap", 1, "--seed", "s", *league)
    for words, what in (
        ([other, one, "--game", "hyrule", "--cap", 1], "other bots"),
        ([one, other, "--game", "forty-one", "--cap", 1], "other games"),
        ([one, other, "--game", "hyrule", "--boards", 1], "other ways to end"),
        ([one, other, "--game", "hyrule", "--margin", 3], "other margins"),
        ([one, other, "--game", "forty-one", "--less-luck"], "other games"),
        ([one, other, "--game", "hyrule", "--move", "1s"], "other clocks"),
        ([one, other, "--game", "hyrule", "--seats", 3], "other seats"),
        ([one, other, "--game", "hyrule", "--cap", 1, "--seed", "t"], "begun with another --seed"),
    ):
        assert what in arena("compare", *words, *league, cwd=tmp_path, code=2).stderr
    assert games_in(tmp_path / "a.league") == 4


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["a"], "give two bots or more"),
        (["a", "missing"], "there is no such folder"),
        (["a", "localhost:123456"], "localhost:123456 is neither a folder nor an address, such as"),
        (["a", "a", "--seats", 9], "9 is not in the range"),
        (["a", "a", "--company", "a"], "--company is for tables of three and more"),
        (["a", "a", "--seats", 3, "--company", "missing"], "there is no such folder"),
        (["a", "a", "--game", "chess"], "unknown 'chess'; valid: nyuri, forty-one"),
        (["a", "a", "--boards", 3, "--cap", 3], "give either --cap or --boards"),
        (["a", "a", "--boards", 0], "0 is not in the range"),
        (["a", "a", "--margin", 0], "is not in the range"),
        (["a", "a", "--game", "hyrule", "--less-luck"], "helps only in Forty-one, Kleftis, Nur Mut"),
        (["a", "a", "--json", "--csv"], "choose one of --json and --csv"),
        (["a", "a", "--best", "--boards", "9"], "leave --all-pairs, --boards and --less-luck out"),
        (["a", "a", "--plan", "--cap", "9"], "--plan does not go with"),
        (["a", "a", "--move", "soon"], "--move: 'soon' is no time such as \"20s\""),
        (["a", "a", "--option", "nyuri"], "'nyuri' is not GAME.NAME=VALUE"),
        (["a", "a", "--option", "chess.contest=open"], "is not GAME.NAME=VALUE"),
        (["a", "a", "--option", "nyuri.contst=open"], "nyuri has no option 'contst'; its options are"),
        (["a", "a", "--option", "nyuri.contest=opn"], "must be one of open, instant"),
        (["a", "a", "--option", "nyuri.contest=null"], "nyuri option contest = None: must be a text"),
        (["a", "a", "--game", "hyrule", "--option", "nyuri.contest=open"], "nyuri is not played"),
        (["a", "hyrule-only", "--game", "nyuri"], "does not play nyuri; it plays hyrule"),
        (["forty-only", "hyrule-only"], "there is no game that all the bots play at tables of 2"),
        (["a", "a", "--plot", "a.gif"], "a.gif ends in none of .svg, .png, .pdf"),
        (["a", "a", "--plot", "nowhere/a.svg"], "there is no folder"),
        (["a", "a", "--league", "nowhere/a.league"], "cannot be opened"),
        (["a", "a", "--league", "a/a.league"], "would lie in the folder of"),
    ],
)
def test_what_cannot_be_compared_is_told_in_a_sentence(tmp_path, words, sentence):
    good_bot(tmp_path, "a")
    for game in ("hyrule", "forty-one"):
        bot = bot_folder(tmp_path, f"{game.split('-')[0]}-only", ["true"])
        manifest = bot / "bot.toml"
        manifest.write_text(manifest.read_text().replace("[run]", f'games = ["{game}"]\n[run]'))
    said = arena("compare", *words, cwd=tmp_path, code=2).stderr
    assert sentence in " ".join(said.split())
