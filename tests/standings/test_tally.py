from fractions import Fraction as F
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.results import MatchKey, MatchResult, seat_scores
from arena.standings.rating import ratings
from arena.standings.table import crosstable, standings
from arena.standings.tally import DuplicateGroup, Tally
from tests.examples import examples
from tests.standings.games import DRAW, LOSS, WIN, add_all, board, game, tournaments


@examples(40)
@given(tournaments(), st.data())
def test_the_order_of_games_does_not_matter(tournament, data):
    games, boards, results = tournament
    shuffled = data.draw(st.permutations(results))
    one, other = (add_all(Tally(games, boards), order) for order in (results, shuffled))
    for stage in (None, 0, 1):
        assert standings(one, range(6), stage) == standings(other, range(6), stage)
        assert crosstable(one, range(6), stage) == crosstable(other, range(6), stage)
        assert one.results(stage) == other.results(stage)
    for stage in (0, 1):
        assert one.matches_finished(stage) == len(one.results(stage))
    assert one.all_groups() == other.all_groups()
    assert ratings(one.all_groups(), range(6)) == ratings(other.all_groups(), range(6))


@examples(40)
@given(tournaments())
def test_scores_are_those_of_the_games(tournament):
    games, boards, results = tournament
    tally = add_all(Tally(games, boards), results)
    rows = standings(tally, range(6))
    for row in rows:
        matches: dict[MatchKey, list[F]] = {}
        by_game: dict[str, dict[MatchKey, list[F]]] = {name: {} for name in games}
        for result in results:
            for seat, score in zip(
                result.seats, seat_scores([seat.place for seat in result.seats]), strict=True
            ):
                if seat.entrant == row.entrant:
                    matches.setdefault(result.key.match_key, []).append(score)
                    by_game[result.key.game].setdefault(result.key.match_key, []).append(score)
        means = [F(sum(scores), len(scores)) for scores in matches.values()]
        assert row.matches == len(means)
        assert row.total == sum(means)
        assert row.score == (F(sum(means), len(means)) if means else None)
        for line in row.games:
            own = [F(sum(scores), len(scores)) for scores in by_game[line.game].values()]
            assert line.score == (F(sum(own), len(own)) if own else None)
            assert line.games == sum(len(scores) for scores in by_game[line.game].values())
        seats = [seat for result in results for seat in result.seats if seat.entrant == row.entrant]
        assert row.decisions == sum(seat.decisions for seat in seats)
        assert row.time == sum(seat.time for seat in seats)
        assert row.forfeits == sum(seat.forfeit for seat in seats)
        assert row.faults == tuple(map(sum, zip((0,) * 6, *(seat.faults for seat in seats), strict=True)))
    for key, result in tally.results().items():
        assert sum(result.scores) == F(len(result.entrants), 2)
        for entrant, score in zip(result.entrants, result.scores, strict=True):
            played = [game for game in results if game.key.match_key == key]
            own = [
                seat_scores([seat.place for seat in game.seats])[i]
                for game in played
                for i, seat in enumerate(game.seats)
                if seat.entrant == entrant
            ]
            assert score == F(sum(own), len(own))


@examples(40)
@given(tournaments())
def test_encounters_are_shared_between_two(tournament):
    games, boards, results = tournament
    cells = crosstable(add_all(Tally(games, boards), results), range(6)).cells
    for one, other in combinations(range(6), 2):
        there, back = cells[one][other], cells[other][one]
        assert there is not None
        assert back is not None
        together = sum({one, other} <= {seat.entrant for seat in game.seats} for game in results)
        assert there.games == back.games == together
        if together:
            assert there.score is not None
            assert back.score is not None
            assert there.score + back.score == 1


@examples(40)
@given(tournaments(), st.data())
def test_an_unfinished_match_counts_as_far_as_it_is_played(tournament, data):
    games, boards, results = tournament
    played = results[: data.draw(st.integers(0, len(results)))]
    matches = {result.key.match_key: len(result.seats) for result in results}
    tally = add_all(Tally(games, boards), played)
    for row in standings(tally, range(6)):
        points, part, unfinished = F(0), F(0), [0, 0]
        for key, seats in matches.items():
            whole = len(games) * boards * seats
            own = [
                seat_scores([seat.place for seat in result.seats])[i]
                for result in played
                for i, seat in enumerate(result.seats)
                if result.key.match_key == key and seat.entrant == row.entrant
            ]
            points += sum(own, F(0)) / whole
            part += F(len(own), whole)
            if 0 < len(own) < whole:
                unfinished = [unfinished[0] + len(own), unfinished[1] + whole]
        assert row.score == (points / part if part else None)
        assert row.total == points
        assert [*(row.unfinished or (0, 0))] == unfinished
        assert row.matches == sum(row.entrant in each.entrants for each in tally.results().values())


@examples(40)
@given(tournaments(), st.integers(1, 3))
def test_added_boards_change_no_score_until_they_are_played(tournament, more):
    games, boards, results = tournament
    before = add_all(Tally(games, boards), results)
    after = add_all(Tally(games, boards, added={stage: [(0, more)] for stage in (0, 1)}), results)
    for stage in (None, 0, 1):
        assert {row.entrant: (row.score, row.games) for row in standings(before, range(6), stage)} == {
            row.entrant: (row.score, row.games) for row in standings(after, range(6), stage)
        }
        assert crosstable(before, range(6), stage) == crosstable(after, range(6), stage)


def test_an_unfinished_match_has_no_result_and_its_faults_count():
    first, second = board((4, 7), WIN, faults=((1, 0, 0, 0, 0, 0), (0,) * 6), decisions=(3, 5), time=(6, 50))
    tally = add_all(Tally(("a",), 1), [first])
    [row] = standings(tally, (4,))
    assert (row.matches, row.score, row.total, row.rank) == (0, F(1), F(1, 2), 1)
    assert (row.wins, row.unfinished) == (0, (1, 2))
    assert (row.faults[0], row.decisions, row.time_per_decision) == (1, 3, F(2))
    assert tally.results() == {}
    assert not tally.all_groups()
    add_all(tally, [second])
    [row] = standings(tally, (4,))
    assert (row.matches, row.score, row.wins) == (1, F(1), 1)
    assert tally.results() == {MatchKey(0, 0, 0): MatchResult((4, 7), (F(1), F(0)))}
    assert tally.all_groups() == {DuplicateGroup((4, 7), (4,)): 1}


def test_a_match_of_four_by_hand():
    # Rotation by rotation the entrants' places in the order of the match.
    tally = add_all(
        Tally(("a",), 1), board((9, 8, 7, 6), (1, 2, 3, 4), (1, 2, 3, 4), (2, 1, 3, 3), (1, 1, 1, 1))
    )
    # Shares of opponents beaten, game by game: 9 has 1, 1, 2/3, 1/2 and 8 has 2/3, 2/3, 1, 1/2;
    # 7 has 1/3, 1/3, 1/6, 1/2 and 6 has 0, 0, 1/6, 1/2.
    assert tally.results()[MatchKey(0, 0, 0)].scores == (F(19, 24), F(17, 24), F(8, 24), F(4, 24))
    cells = crosstable(tally, (9, 8, 7, 6)).cells
    assert cells[0][0] is None
    assert cells[0][1] == (4, F(5, 8))  # two wins, a loss, a tie
    assert cells[2][3] == (4, F(6, 8))
    assert [row.wins for row in standings(tally, (9, 8, 7, 6))] == [0, 0, 0, 0]


def test_extra_boards_are_in_the_result_and_not_in_the_score():
    tally = Tally(("a", "b"), 1)
    for name in "ab":
        add_all(tally, board((1, 2), WIN, LOSS, name=name))
        add_all(tally, board((1, 2), DRAW, name=name, board=1))
    add_all(tally, board((1, 2), LOSS, WIN, name="a", board=2))
    key = MatchKey(0, 0, 0)
    half = (F(1, 2), F(1, 2))
    assert tally.results()[key] == MatchResult((1, 2), half, (half,))
    add_all(tally, board((1, 2), WIN, name="b", board=2))
    assert tally.results()[key].extra == (half, (F(3, 4), F(1, 4)))
    assert [(row.matches, row.score, row.draws, row.games[1].games) for row in standings(tally, (1, 2))] == [
        (1, F(1, 2), 1, 2)
    ] * 2
    assert sum(tally.groups["a"].values()) == 3


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (game((1, 2), WIN), "1.1.1/a/1.1 is in the results twice"),
        (game((1, 2), WIN, name="b"), "does not fit a match of"),
        (game((1, 3), WIN, rotation=1), "does not fit a match of"),
        (game((1, 1), WIN, match=(0, 0, 1)), "different entrants"),
        (game((1,), (1,), match=(0, 0, 1)), "2 to 7 different entrants"),
    ],
)
def test_refusals(wrong, sentence):
    tally = add_all(Tally(("a",), 1), [game((1, 2), WIN)])
    with pytest.raises(ValueError, match=sentence):
        add_all(tally, [wrong])


@pytest.mark.parametrize("seating", [(), (0,), (0, 0), (0, 2), (1, 2, 0)])
def test_a_seating_must_be_one(seating):
    wrong = game((1, 2), WIN)
    wrong = wrong._replace(key=wrong.key._replace(seating=seating))
    with pytest.raises(ValueError, match="cannot be its seating"):
        add_all(Tally(("a",), 1), [wrong])


@given(st.permutations(range(4)))
def test_any_seating_counts_the_same(order):
    played = game((5, 6, 7, 8), (4, 2, 2, 1))
    other = played._replace(
        key=played.key._replace(seating=tuple(order)), seats=tuple(played.seats[i] for i in order)
    )
    one, two = (add_all(Tally(("a",), 1), [result]) for result in (played, other))
    boards = [(match.entrants, match.boards) for tally in (one, two) for match in tally._open.values()]
    assert boards[0] == boards[1]


def test_a_game_of_a_finished_match_is_in_twice():
    tally = add_all(Tally(("a",), 1), board((1, 2), WIN))
    with pytest.raises(ValueError, match="twice"):
        add_all(tally, [game((1, 2), WIN)])


@pytest.mark.parametrize(("games", "boards"), [((), 1), (("a",), 0)])
def test_a_match_is_of_something(games, boards):
    with pytest.raises(ValueError, match="at least one game on at least one board"):
        Tally(games, boards)
