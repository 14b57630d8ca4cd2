"""Explained games: who may see what and have what computed, one computation at a time, and failures."""

from __future__ import annotations

import os
import signal

import pytest

from arena.checkup.analysed import kept_game, wanted_of
from arena.checkup.analysis_jobs import PARTS
from arena.league.store import League
from arena.league.store.analyses import analyses_path
from arena.view.pictures.explained import explained
from tests.processors import on_one_processor
from tests.referee.nights import wait_for
from tests.view.explained import HalfDone, alive, analysing, keep_findings, number_of, told
from tests.view.hosted import host_of, post, two_games
from tests.view.served import played, served

NIGHT = (
    'name = "Night"\nseats = 2\nboards = 1\ngames = ["hyrule", "nyuri"]\n[[stage]]\nformat = "round-robin"\n'
)
NAMES = ("anna", "ben")
HYRULE, NYURI = "1.1.1/hyrule/1.1", "1.1.1/nyuri/1.1"


@pytest.fixture
def league(tmp_path):
    return played(tmp_path / "night.league", NIGHT, NAMES)


def test_mistakes_are_those_above_their_margin_and_a_part_tells_nothing_of_the_others(league):
    found = keep_findings(league, HYRULE)
    with League.read(league) as store:
        analysed = kept_game(league, wanted_of(store, number_of(league, HYRULE)))
    assert analysed is not None
    everything = explained(analysed, 99, [0, 1])
    wrong = [each for seat in found for each in seat if each.verdict == "mistake"]
    assert [each["ply"] for each in everything["mistakes"]] == sorted(
        (each.ply for each in wrong), reverse=True
    )
    first = next(each for each in wrong if each.ply == everything["mistakes"][0]["ply"])
    better = "".join(map(str, everything["mistakes"][0]["better"]))
    assert better == f"better: {first.better.action}, +{100 * first.cost:.0f} ± 3"
    assert all(each["sources"] == ["+10", "-20", "+5", "+5"] for each in everything["seats"])
    part = explained(analysed, 99, [1])
    assert {each["seat"] for each in part["mistakes"] + part["seats"]} == {1}
    assert part["seats"][0]["sources"] == []
    assert [each[0] for each in part["seats"][0]["points"]] == [each.ply for each in found[1]]


def test_the_host_has_a_game_explained_and_all_see_what_is_kept(league):
    with served(league) as page:
        cookie = host_of(page)
        assert told(page, HYRULE) == {"state": "unknown", "may": False}
        assert told(page, HYRULE, cookie) == {"state": "unknown", "may": True}
        for given in ({}, {"Origin": page.url}, {"Cookie": cookie}, {"Cookie": cookie, "Origin": "http://x"}):
            text, _ = page.answer(f"/explained/{HYRULE}", 403, b"", **given)
            assert "Only" in text
            assert "<" not in text
        assert analysing(os.getpid()) == []
        decisions = keep_findings(league, HYRULE)
        found = told(page, HYRULE)
        assert found["state"] == "found"
        assert [each["decisions"] for each in found["found"]["seats"]] == [*map(len, decisions)]
        assert found == {**told(page, HYRULE, cookie), "may": False}
        page.get("/explained/1.1.9/hyrule/1.1", 404)


def test_while_hands_are_hidden_neither_host_nor_onlookers_learn_anything(tmp_path):
    league = two_games(tmp_path)
    with League.read(league) as store:
        keys = [str(result.key) for _, result in store.games(1)]
    for key in keys:
        keep_findings(league, key)
    with served(league) as page:
        cookie = host_of(page)
        for key in keys:
            page.get(f"/steps/{key}", 403)
            assert told(page, key) == told(page, key, cookie) == {"state": "unknown", "may": False}
            post(page, f"/explained/{key}", 403, cookie)


def test_games_are_computed_one_at_a_time_for_all_who_ask_and_end_with_the_page(league, tmp_path):
    analysis = HalfDone(tmp_path)
    with on_one_processor(), served(league, analysis=analysis) as page:
        askers = [host_of(page) for _ in range(3)]
        for cookie in askers:
            post(page, f"/explained/{NYURI}", 200, cookie)
        wait_for(lambda: told(page, NYURI)["share"] == 0.5 / (2 * PARTS + 1))  # of one job
        cookie = askers[0]
        post(page, f"/explained/{HYRULE}", 200, cookie)
        assert told(page, HYRULE) == {"state": "waiting", "ahead": 1, "share": 0.0, "may": False}
        [process] = analysis.processes
        assert os.getpgid(process) == process  # Ctrl-C is not for it
        page.get("/games")
    assert analysis.processes == [process]
    assert not alive(process)


def test_a_failure_is_told_to_those_who_may_try_again_and_then_it_works(league):
    with served(league) as page:
        cookie = host_of(page)
        kept = analyses_path(league)
        kept.write_bytes(b"no database " * 999)
        post(page, f"/explained/{HYRULE}", 200, cookie)
        wait_for(lambda: told(page, HYRULE, cookie)["state"] == "failed")
        why = told(page, HYRULE, cookie)["why"]
        assert why == "Night.league-analysis is damaged: delete it, it is computed again."
        assert told(page, HYRULE) == {"state": "unknown", "may": False}
        kept.unlink()
        assert told(page, HYRULE, cookie)["state"] == "failed"
        keep_findings(league, HYRULE)
        post(page, f"/explained/{HYRULE}", 200, cookie)
        wait_for(lambda: told(page, HYRULE)["state"] == "found")


def test_a_computation_that_is_killed_fails_and_can_be_asked_for_again(league, tmp_path):
    analysis = HalfDone(tmp_path)
    with on_one_processor(), served(league, analysis=analysis) as page:
        cookie = host_of(page)
        post(page, f"/explained/{NYURI}", 200, cookie)
        wait_for(lambda: told(page, NYURI)["share"] > 0)
        os.kill(analysis.processes[0], signal.SIGKILL)
        wait_for(lambda: told(page, NYURI, cookie)["state"] == "failed")
        assert "ended: see that nothing kills it." in told(page, NYURI, cookie)["why"]
        post(page, f"/explained/{NYURI}", 200, cookie)
        wait_for(lambda: told(page, NYURI)["share"] > 0)
        assert len(analysis.processes) == 2
