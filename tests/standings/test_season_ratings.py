"""The ratings of a season: one fit over nights and versions."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from arena.report.tournaments import season_json, season_text
from arena.standings.rating import ratings
from arena.standings.season import Night, season_table
from arena.standings.season_ratings import Version, season_ratings
from arena.standings.tally import DuplicateGroup
from tests.arena_command import in_this_process
from tests.report.leagues import GAMES, random_summary
from tests.standings.games import beats


def night(names, groups, versions=(), *, swiss=False):
    places = {name: place for place, name in enumerate(names, 1)}
    return Night(places, dict(zip(names, versions, strict=False)), names, groups, swiss)


ABC = beats(0, 1, 9) + beats(1, 0, 3) + beats(1, 2, 8) + beats(2, 1, 4) + beats(0, 2, 7) + beats(2, 0, 5)
NIGHTS = [
    night(["ann", "bob", "cid"], ABC, ["1", "1", "1"]),
    night(["cid", "bob", "ann"], ABC, ["1", "2", "1"]),
    night(["bob", "dan", "ann"], ABC, ["2", "", "1.1"]),
]


def test_each_version_has_a_rating_and_the_last_one_is_in_the_table():
    rated = season_ratings(NIGHTS)
    assert rated.versions == (
        Version("ann", "1"), Version("ann", "1.1"), Version("bob", "1"), Version("bob", "2"),
        Version("cid", "1"), Version("dan", ""),
    )  # fmt: skip
    assert rated.last == {"ann": 1, "bob": 3, "cid": 4, "dan": 5}
    assert rated.of("ann") == rated.ratings[1]
    assert rated.labels() == ["ann 1", "ann 1.1", "bob 1", "bob 2", "cid", "dan"]
    assert rated.ratings[0].rating != rated.ratings[1].rating


def test_it_is_the_fit_of_all_games():
    again = {0: (0, 2, 4), 1: (4, 3, 0), 2: (3, 5, 1)}
    groups = Counter[DuplicateGroup]()
    for number, each in enumerate(NIGHTS):
        for group, count in each.groups.items():
            moved = group._replace(entrants=tuple(again[number][at] for at in group.entrants))
            groups[moved] += count
    assert season_ratings(NIGHTS).ratings == ratings(groups, range(6))


def test_a_season_of_one_night_has_its_ratings():
    assert season_ratings(NIGHTS[:1]).ratings == ratings(ABC, range(3))


@pytest.mark.parametrize("order", [(0, 2, 1), (1, 0, 2), (2, 1, 0), (1, 2, 0)])
def test_the_order_of_the_nights_has_no_influence(order):
    rated, other = season_ratings(NIGHTS), season_ratings([NIGHTS[at] for at in order])
    assert (other.versions, other.ratings, other.cycles, other.nash) == (
        rated.versions, rated.ratings, rated.cycles, rated.nash,
    )  # fmt: skip


def test_progress_shows_against_bots_that_stay_as_they_are():
    """A new version that wins where the old one lost is rated as much above a level field."""
    first = night(["ann", "bob"], beats(1, 0, 20), ["1", ""])
    second = night(["ann", "bob"], beats(0, 1, 20), ["2", ""])
    old, new, bob = season_ratings([first, second]).ratings
    assert bob.rating == pytest.approx(1500, abs=5)
    assert (new.rating or 0) - 1500 == pytest.approx(1500 - (old.rating or 0), abs=10)
    assert (new.low or 0) > (old.high or 3000)


def test_a_swiss_among_the_nights_is_told():
    mixed = [NIGHTS[0], NIGHTS[1]._replace(paired_by_score=True)]
    assert season_ratings(mixed).paired_by_score
    assert "A Swiss pairs by results" in shown(mixed)
    assert "Swiss" not in shown(NIGHTS)


def shown(nights):
    text = season_text(
        season_table(nights), season_ratings(nights), [f"night {at}" for at in range(len(nights))]
    )
    return " ".join(text.split())


def test_who_never_met_the_others_has_a_sentence_and_no_number():
    apart = night(["eve", "fay"], beats(0, 1, 6) + beats(1, 0, 6))
    nights = [*NIGHTS, apart]
    rated, text = season_ratings(nights), shown(nights)
    assert rated.of("eve") is None
    assert rated.unconnected() == ["eve", "fay"]
    assert "those of the other bots: eve, fay" in text
    assert "eve 1.00 1 - - " in text
    told = season_json(season_table(nights), rated, ["n"] * 4)
    assert {row["name"] for row in told["season"] if row["rating"] is None} == {"eve", "fay"}
    assert ["eve", "fay"] in told["rating_notes"]["unconnected"]


def test_versions_of_an_earlier_night_that_nothing_connects_take_no_number_away():
    nights = [
        night(["ann", "bob", "cid"], ABC, ["1", "1", "1"]),
        night(["ann", "bob", "cid"], ABC, ["2", "2", "2"]),
    ]
    rated = season_ratings(nights)
    assert rated.unconnected() == []
    assert all(rated.of(name) is not None for name in ("ann", "bob", "cid"))
    assert "without a rating" not in shown(nights)
    told = season_json(season_table(nights), rated, ["a", "b"])
    assert sorted(told["rating_notes"]["unconnected"]) == [
        ["ann 1", "bob 1", "cid 1"],
        ["ann 2", "bob 2", "cid 2"],
    ]


def test_a_cycle_over_nights_is_named_with_the_nash_average():
    circle = beats(0, 1, 15) + beats(1, 2, 15) + beats(2, 0, 15)
    nights = [night(["ann", "bob", "cid"], circle), night(["ann", "bob", "cid"], circle)]
    text = shown(nights)
    assert "ann beats bob (75 %), bob beats cid (75 %) and cid beats ann (75 %)" in text
    assert "Nash: what a bot scores" in text
    told = season_json(season_table(nights), season_ratings(nights), ["a", "b"])
    for row in told["season"]:
        assert row["nash"] == pytest.approx({"score": 0.5, "weight": 1 / 3}, abs=1e-5)
    assert "Nash" not in shown(NIGHTS)


def test_no_game_is_no_rating():
    rated = season_ratings([night(["ann", "bob"], {})])
    assert rated.of("ann") is None
    assert rated.unconnected() == []
    assert season_ratings([]).ratings == ()


def test_the_command(tmp_path):
    file = f'name = "Night"\nboards = 2\n{GAMES}[[stage]]\nformat = "round-robin"\n'
    first = random_summary(tmp_path / "a.league", file, ["ann", "bob", "cid"], author="A")
    random_summary(tmp_path / "a.league", file, ["ann", "dan", "cid"], seed=2, author="A")
    told = json.loads(in_this_process(["season", "a.league", "--json"], tmp_path).stdout)
    assert [(each["name"], each["version"], each["last"]) for each in told["ratings"]] == [
        (name, "1.0", True) for name in ("ann", "bob", "cid", "dan")
    ]
    groups = {each["name"]: each["rating"]["groups"] for each in told["ratings"]}
    assert groups == {"ann": 40, "bob": 20, "cid": 40, "dan": 20}
    assert first.ratings[0].groups == 20
    assert all(row["rating"]["low"] < row["rating"]["rating"] for row in told["season"])
    text = in_this_process(["season", "a.league"], tmp_path).stdout
    assert "rating: Bradley-Terry, one fit of all games of all tournaments" in " ".join(text.split())
