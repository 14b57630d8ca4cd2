"""Pairs of bots and their boards: the same boards give the same answers, in any order of play."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations, product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arena.comparison.comparison import REPEATED, Comparison, Contest, Rule, first_score
from arena.comparison.question import Finding, Precision
from tests.comparison.findings import findings
from tests.examples import examples

RULE = Rule(True, Precision(0.1, 0.15), Precision(0.2, 0.15))
"""Coarse, so that few boards do."""

GAMES = ("nyuri", "hyrule")
TWO = (Contest(0, 1, 0),)
FIRST = (Contest(0, 1, 0), Contest(0, 2, 1))
GIVEN = (Contest(0, 1, 0, 1), Contest(0, 2, 0, 2))
ALL = tuple(Contest(one, other, match) for match, (one, other) in enumerate(combinations(range(4), 2)))
ROUNDS, MANY = 10, 25

Game = tuple[int, str, int, int]
"""A match, a game, a round and a rotation."""


def everything(comparison: Comparison, seats: int, rounds: int = ROUNDS) -> list[Game]:
    """All games that there can be, those of matches that are played again included."""
    return [
        (match, game, round_, rotation)
        for round_ in range(rounds)
        for match in range(comparison.matches * (2 if round_ < REPEATED else 1))
        for game in comparison.games
        for rotation in range(seats)
    ]


class Playing:
    """A comparison of which any games that are asked for are played, in any order."""

    def __init__(self, contests, seats, scores, games=GAMES, rule=RULE):
        self.comparison = Comparison(contests, games, seats, rule)
        self.scores = scores
        self.left = everything(self.comparison, seats)

    def play(self, which: int) -> bool:
        """Plays one of the games that are asked for; whether there was one."""
        for step in range(len(self.left)):
            game = self.left[(which + step) % len(self.left)]
            if self.comparison.wants(*game[:3]):
                self.left.remove(game)
                self.comparison.add_game(*game, self.scores[game])
                return True
        return False


@st.composite
def tables(draw):
    """Contests, a table's size, and what would come out of each game."""
    contests, seats = draw(st.sampled_from([(TWO, 2), (FIRST, 2), (TWO, 3), (GIVEN, 3)]))
    possible = [Fraction(k, 2 * (seats - 1)) for k in range(2 * seats - 1)]
    rng = draw(st.randoms(use_true_random=False))
    by_match = [draw(st.sampled_from(possible)) for _ in range(6)]
    scores = {
        game: float(rng.choice([*possible, *[by_match[game[0]]] * len(possible)]))
        for game in everything(Comparison(contests, GAMES, seats, RULE), seats)
    }
    return contests, seats, scores


@examples(25)
@given(tables(), st.lists(st.integers(0, 10_000), min_size=1))
def test_in_any_order_the_same_boards_count_and_come_to_the_same(table, choices):
    in_order, anyhow = Playing(*table), Playing(*table)
    while in_order.play(0):
        pass
    step = 0
    while anyhow.play(choices[step % len(choices)] * (step + 1)):
        step += 1
    assert findings(anyhow.comparison) == findings(in_order.comparison)
    assert anyhow.comparison.settled == in_order.comparison.settled


@examples(12)
@given(tables(), st.randoms(use_true_random=False))
def test_boards_that_nobody_asked_for_change_nothing(table, rng):
    contests, seats, scores = table
    asked = Playing(*table)
    while asked.play(0):
        pass
    every = Comparison(contests, GAMES, seats, RULE)
    games = everything(every, seats)
    rng.shuffle(games)
    for game in games:
        every.add_game(*game, scores[game])
    assert findings(every) == findings(asked.comparison)
    for study, other in zip(every.studies, asked.comparison.studies, strict=True):
        assert every.played_beyond(study) >= asked.comparison.played_beyond(other)


@examples(12)
@given(tables(), st.randoms(use_true_random=False))
def test_what_is_asked_for_never_shrinks_below_what_counts_and_never_grows_again(table, rng):
    playing = Playing(*table)
    comparison = playing.comparison
    wanted_before = {game[:3]: True for game in playing.left}
    left = comparison.boards_left(ROUNDS)
    while playing.play(rng.randrange(1_000)):
        for study in comparison.studies:
            for game in comparison.games:
                wanted, counted = study.boards_wanted(game), study.counted(game)
                assert wanted is None or wanted >= counted
                question = study.games[game]
                assert question.boards_needed is None or counted >= question.boards_needed
        for board, before in wanted_before.items():
            wanted_before[board] = comparison.wants(*board)
            assert before or not wanted_before[board]
        assert comparison.boards_left(ROUNDS) <= left
        left = comparison.boards_left(ROUNDS)
    assert comparison.is_over(ROUNDS)
    assert comparison.settled or all(
        comparison.rotations(match, game, round_) is not None
        for study in comparison.studies
        if not study.settled
        for match in study.contest.matches
        for game, round_ in product(comparison.games, range(ROUNDS))
        if study.boards_wanted(game) is None
    )


def left_by_definition(comparison: Comparison, rounds: int, gone: set[int], as_it_looks: bool) -> int:
    """What `boards_left` counts, counted board by board."""
    left = 0
    for match, game in product(range(2 * comparison.matches), comparison.games):
        studies = [study for study in comparison.studies if match in study.contest.matches]
        told = [
            study.boards_expected(game) if as_it_looks else study.boards_wanted(game) for study in studies
        ]
        wanted = max((rounds if each is None else each for each in told), default=0)
        if match >= comparison.matches:
            wanted = 0 if comparison.race else REPEATED
        if match not in gone:
            left += sum(
                comparison.rotations(match, game, round_) is None for round_ in range(min(rounds, wanted))
            )
    return left


def lacks_luck_by_definition(comparison: Comparison) -> bool:
    """Whether the next board of a question is complete, and does not count because its luck is not known."""
    for study, game in product(comparison.studies, comparison.games):
        round_ = len(study.games[game].scores)
        boards = [(match, game, round_) for match in study.contest.matches]
        if study.wants_luck(game, round_) and all(comparison.rotations(*board) for board in boards):
            return True
    return False


RULES = (
    RULE,
    RULE._replace(stops=False),
    RULE._replace(race=True),
    RULE._replace(less_luck={GAMES[0]: ("greedy", "thoughtful")}),
)


@example((GIVEN, 3), RULES[2], 803, 1)  # the last bots of this race never meet: it never ended
@examples(40)
@given(
    st.sampled_from([(TWO, 2), (FIRST, 2), (TWO, 3), (GIVEN, 3), (ALL, 2)]),
    st.sampled_from(RULES),
    st.integers(0, 1 << 32),
    st.sampled_from([1, 2, 10]),
)
def test_what_is_left_is_counted_on_and_equals_what_is_left_board_by_board(table, rule, seed, seldom):
    """However often it is asked, for any rounds and lost matches, in any order of games and lucks."""
    (contests, seats), rng = table, random.Random(seed)
    comparison = Comparison(contests, GAMES, seats, rule)
    usual = [rng.choice([0.5, 1.0, 1.0, 1.0]) for _ in range(2 * comparison.matches)]
    coming = [
        (game, what, game[2] + rng.random() * rng.choice([1, 1, 1, 3]))
        for game in everything(comparison, seats, MANY)
        for what in ("score", "greedy", "thoughtful")
    ]
    rounds, gone = MANY, set[int]()
    for game, what, _ in sorted(coming, key=lambda each: each[2]):
        if what == "score":
            comparison.add_game(*game, rng.choice([0.5, *[usual[game[0]]] * 9]))
        else:
            comparison.add_luck(*game, what, rng.choice([-0.5, 0.0, 0.5]))
        if rng.randrange(200) == 0:
            rounds = rng.choice([MANY, rng.randrange(1, MANY + 1)])
            gone = {match for match in range(2 * comparison.matches) if rng.randrange(4) == 0}
        if rng.randrange(seldom) == 0:
            for as_it_looks in (True, False):
                left = comparison.boards_left(rounds, gone, as_it_looks=as_it_looks)
                assert left == left_by_definition(comparison, rounds, gone, as_it_looks)
            assert comparison.lacks_luck == lacks_luck_by_definition(comparison)


def test_a_round_of_all_games_is_their_mean_and_games_go_on_until_it_is_answered():
    comparison = Comparison(TWO, GAMES, 2, RULE)
    (study,) = comparison.studies
    overall = study.overall
    assert overall is not None
    for round_ in range(30):
        for rotation in range(2):
            comparison.add_game(0, "nyuri", round_, rotation, 1.0)
    nyuri, hyrule = study.games["nyuri"], study.games["hyrule"]
    assert nyuri.finding is Finding.BETTER
    assert not overall.scores
    assert study.counted("nyuri") == 30
    assert comparison.wants(0, "nyuri", 29)
    for round_ in range(30):
        for rotation in range(2):
            comparison.add_game(0, "hyrule", round_, rotation, 0.5)
    assert overall.scores == [0.75] * 30
    assert (hyrule.finding, overall.finding) == (Finding.NO_DIFFERENCE, Finding.BETTER)
    needed = [question.boards_needed or 0 for question in (nyuri, overall, hyrule)]
    assert needed == sorted(set(needed))
    assert study.counted("nyuri") == overall.boards_needed
    assert study.counted("hyrule") == hyrule.boards_needed
    assert not comparison.wants(0, "nyuri", study.counted("nyuri"))
    assert comparison.settled
    assert comparison.played_beyond(study) == 60 - study.counted("nyuri") - study.counted("hyrule")


def test_one_game_alone_has_no_question_over_all():
    comparison = Comparison(TWO, ("nyuri",), 2, RULE)
    assert comparison.studies[0].overall is None
    assert len(comparison.studies[0].questions) == 1


def test_a_board_counts_when_all_its_games_are_there():
    comparison = Comparison(TWO, ("nyuri",), 3, RULE)
    question = comparison.studies[0].games["nyuri"]
    comparison.add_game(0, "nyuri", 0, 2, 0.5)
    comparison.add_game(0, "nyuri", 0, 0, 1.0)
    assert not question.scores
    assert comparison.rotations(0, "nyuri", 0) is None
    comparison.add_game(0, "nyuri", 0, 1, 0.0)
    assert question.scores == [0.5]
    assert comparison.rotations(0, "nyuri", 0) == (1.0, 0.0, 0.5)


def test_in_given_company_a_board_is_half_the_difference_to_the_other_in_the_same_place():
    comparison = Comparison(GIVEN, ("nyuri",), 3, RULE)
    for match, scores in enumerate([(1.0, 1.0, 0.5), (0.5, 0.0, 0.25), (1.0, 1.0, 1.0)]):
        for rotation, score in enumerate(scores):
            comparison.add_game(match, "nyuri", 0, rotation, score)
    one, other = (study.games["nyuri"].scores for study in comparison.studies)
    assert one == [pytest.approx(0.5 + (2.5 - 0.75) / 3 / 2)]
    assert other == [pytest.approx(0.5 + (2.5 - 3) / 3 / 2)]


@pytest.mark.parametrize("seats", [3, 4, 5, 6, 7])
@pytest.mark.parametrize("contests", [TWO, (Contest(0, 1, 0, 1),)])
def test_what_is_level_is_exactly_so_whatever_fractions_it_is_the_sum_of(seats, contests):
    """With a third and two thirds, and a half and a half, in the last digit too."""
    possible = [first_score([place, *others]) for place, others in places_at(seats)]
    rows = [
        [possible[(start + step * seat) % len(possible)] for seat in range(seats)]
        for start, step in product(range(13), range(13))
    ]
    by_sum: dict[Fraction, list[list[float]]] = {}
    for row in rows:
        by_sum.setdefault(sum((Fraction(each).limit_denominator(60) for each in row), Fraction()), []).append(
            row
        )
    for total, same in by_sum.items():
        for row in same if contests is not TWO else same if total == Fraction(seats, 2) else []:
            comparison = Comparison(contests, ("nyuri",), seats, RULE)
            for rotation in range(seats):
                comparison.add_game(0, "nyuri", 0, rotation, row[rotation])
                if contests is not TWO:
                    comparison.add_game(1, "nyuri", 0, rotation, same[0][rotation])
            assert comparison.studies[0].games["nyuri"].scores == [0.5]


def places_at(seats: int) -> list[tuple[int, list[int]]]:
    """The first's place, and the others', for every score that it can have."""
    return [
        (2, [1] * (seats - 1 - beaten - level) + [2] * level + [3] * beaten)
        for beaten in range(seats)
        for level in range(min(2, seats - beaten))
    ]


@pytest.mark.parametrize(
    ("places", "score"),
    [([1, 2], 1), ([2, 1], 0), ([1, 1], 0.5), ([2, 1, 3], 0.5), ([1, 1, 3], 0.75), ([1, 1, 1, 4], 2 / 3)],
)
def test_the_score_of_the_first(places, score):
    assert first_score(places) == pytest.approx(score)


def test_the_first_boards_are_played_twice_and_nobody_asks_the_second_ones():
    comparison = Comparison(FIRST, GAMES, 2, RULE)
    assert comparison.matches == 2
    assert comparison.wants(3, "nyuri", REPEATED - 1)
    assert not comparison.wants(3, "nyuri", REPEATED)
    for rotation in range(2):
        comparison.add_game(3, "nyuri", 0, rotation, 1.0)
    assert all(not study.games["nyuri"].scores for study in comparison.studies)
    assert comparison.rotations(3, "nyuri", 0) == (1.0, 1.0)
    assert comparison.boards_left(5) == 2 * 2 * 5 + 2 * 2 * REPEATED - 1
    assert comparison.boards_left(1) == 2 * 2 * 1 + 2 * 2 * 1 - 1


def test_settled_beforehand_all_boards_are_asked_for_to_the_end():
    comparison = Comparison(TWO, ("nyuri",), 2, Rule(False, *RULE[1:]))
    (study,) = comparison.studies
    for round_ in range(50):
        for rotation in range(2):
            comparison.add_game(0, "nyuri", round_, rotation, 1.0)
    assert comparison.wants(0, "nyuri", 50)
    assert not comparison.settled
    assert study.counted("nyuri") == 50
    assert comparison.is_over(50, {1})
    assert not comparison.is_over(51, {1})


def test_matches_that_are_given_up_are_not_waited_for():
    comparison = Comparison(FIRST, ("nyuri",), 2, RULE)
    assert comparison.boards_left(1, {0, 2}) == 2
    assert comparison.is_over(10, {0, 1, 2, 3})
    assert not comparison.settled


def test_what_is_left_as_it_looks_is_less_than_all_that_there_could_be():
    comparison = Comparison(TWO, ("nyuri",), 2, RULE)
    for round_ in range(4):
        for rotation in range(2):
            comparison.add_game(0, "nyuri", round_, rotation, 1.0)
    assert 0 < comparison.boards_left(1_000, as_it_looks=True) < 100
    assert comparison.boards_left(1_000) == 996 + REPEATED
