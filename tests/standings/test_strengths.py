"""What results tell about strengths, with and without what was found before."""

from __future__ import annotations

from arena.standings.cycles import cycles, nash_averages
from arena.standings.rating import ratings
from arena.standings.strengths import strengths_by_game
from arena.standings.tally import DuplicateGroup
from tests.standings.games import beats

CIRCLE = beats(0, 1, 30) + beats(1, 2, 30) + beats(2, 0, 30)
LINE = beats(0, 1, 3) + beats(1, 2, 3) + beats(2, 1, 1)
GAMES = {"one": CIRCLE, "other": LINE}


def test_it_is_what_the_results_of_each_game_and_of_all_pooled_tell():
    found = strengths_by_game(GAMES)
    for groups, strengths in ((CIRCLE, found.games["one"]), (LINE, found.games["other"])):
        assert strengths.ratings(range(4)) == ratings(groups, range(4))
        assert strengths.cycles == cycles(groups)
        assert strengths.nash == nash_averages(groups, cycles(groups))
    assert found.pooled.cycles == cycles(CIRCLE + LINE) != ()
    assert [line.groups for line in found.pooled.ratings(range(4))] == [126, 134, 128, 0]


def test_all_games_pooled_are_the_only_game():
    found = strengths_by_game({"one": CIRCLE})
    assert found.pooled is found.games["one"]


def test_a_game_whose_results_are_the_same_keeps_what_was_found():
    before = strengths_by_game(GAMES)
    same = strengths_by_game(GAMES, before)
    assert same.games["one"] is before.games["one"]
    assert same.games["other"] is before.games["other"]
    assert same.pooled is before.pooled


def test_a_game_with_other_results_and_all_games_pooled_are_found_anew():
    before = strengths_by_game(GAMES)
    # As many groups, of other kinds.
    moved = LINE - beats(0, 1, 1) + beats(1, 0, 1)
    assert moved.total() == LINE.total()
    for games in (
        GAMES | {"other": moved},
        GAMES | {"other": LINE + beats(3, 0, 1)},
        GAMES | {"third": LINE},
    ):
        after, anew = strengths_by_game(games, before), strengths_by_game(games)
        assert after.games["one"] is before.games["one"]
        for found, expected in (
            *((after.games[game], anew.games[game]) for game in games),
            (after.pooled, anew.pooled),
        ):
            assert found.ratings(range(4)) == expected.ratings(range(4))
            assert (found.cycles, found.nash) == (expected.cycles, expected.nash)


def test_results_of_a_tally_that_grows_are_found_anew():
    groups = {"one": CIRCLE.copy()}
    before = strengths_by_game(groups)
    groups["one"][DuplicateGroup((0, 3), (4,))] += 1
    after = strengths_by_game(groups, before)
    assert after.pooled.ratings(range(4)) == ratings(groups["one"], range(4))


def test_without_a_game_that_was_there_all_games_pooled_are_found_anew():
    after = strengths_by_game({"one": CIRCLE}, strengths_by_game(GAMES))
    assert after.pooled is after.games["one"]


def test_what_was_asked_for_in_another_way_is_found_anew():
    before = strengths_by_game(GAMES, intervals=False)
    assert strengths_by_game(GAMES, before).pooled.ratings(range(3))[0].low is not None
    swiss = strengths_by_game(GAMES, before, intervals=False, paired_by_score=True)
    assert swiss.games["one"].ratings(range(3)) == ratings(
        CIRCLE, range(3), intervals=False, paired_by_score=True
    )


def test_a_ladder_has_one_fit_and_keeps_it_while_its_results_stay_the_same():
    found = strengths_by_game(GAMES, adaptive=True)
    fits = {id(each.fitted) for each in (*found.games.values(), found.pooled)}
    assert fits == {id(found.fit)}
    assert strengths_by_game(GAMES, found, adaptive=True) is found
    assert strengths_by_game(GAMES, found, adaptive=True, intervals=False) is not found
    assert strengths_by_game(GAMES, found).fit is None
    assert strengths_by_game({"one": CIRCLE}, found, adaptive=True).games.keys() == {"one"}
