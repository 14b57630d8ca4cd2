"""The luck of a game: its mean is exactly zero, it follows from the record, and correcting for it pays."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from statistics import fmean, pvariance
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.comparison.coefficient import TRIAL, WORTH, Baselines, paying
from arena.comparison.luck import choices_from, luck_in, luck_of, scores_of
from arena.games import GAMES
from arena.games.game import State
from arena.table.deal import board_key
from tests.comparison.lucky_games import Policy, board_of, clever, late, played, start, stock, usual
from tests.examples import examples
from tests.games.boards import scripted
from tests.games.random_play import random_options

every_game = pytest.mark.parametrize("game", sorted(paying()))
numbers = st.integers(0, 2**64 - 1)
# --- the mean is zero ---------------------------------------------------------------------------------


@pytest.mark.parametrize("baseline", [usual, clever(7)])
@pytest.mark.parametrize(("game", "positions"), [("forty-one", (6, 12, 15, 18)), ("kleftis", (1, 2, 3))])
def test_over_all_orders_of_the_cards_luck_comes_to_exactly_nothing(
    game: str, positions: Sequence[int], baseline: Policy
) -> None:
    """Whatever the baseline is, if it knows no more than the seat that is to act."""
    some = 0.0
    for number in positions:  # where the cards matter
        rng = random.Random(number)
        state = late(game, rng)
        boards = [scripted(order) for order in itertools.permutations(stock(state))]

        def futures(position: State, number: int, boards: list[Any] = boards) -> Iterator[State]:
            return map(position.redrawn, boards)

        policy = clever(rng.getrandbits(32))
        lucks = []
        for board in boards:
            record = played(game, state.redrawn(board), bytes(32), policy)
            choices = choices_from(state.redrawn(board), record, futures, baseline)
            lucks.append(luck_in(choices, record.seats, len(boards))[0])
        assert fmean(lucks) == pytest.approx(0, abs=1e-9)
        some += sum(map(abs, lucks))
    assert some > 0


@every_game
def test_luck_has_no_mean_with_any_player(game: str) -> None:
    lucks = []
    for number in range(60):
        key = board_key(bytes(32), game, f"mean {number}")
        state = start(game, key)
        record = played(game, state.clone(), key, clever(number))

        def futures(position: State, step: int, key: bytes = key) -> Iterator[State]:
            yield position.redrawn(board_of(game, board_key(key, game, f"{step}")))

        lucks.append(luck_in(choices_from(state, record, futures), record.seats, 1)[0])
    assert abs(fmean(lucks)) < 3.5 * (pvariance(lucks) / len(lucks)) ** 0.5


# --- it follows from the record -------------------------------------------------------------------------


@every_game
@examples(2)
@given(number=numbers)
def test_luck_follows_from_the_record_with_any_options_and_seats(game: str, number: int) -> None:
    rng = random.Random(number)
    options = random_options(GAMES[game], rng)
    seats = rng.choice(GAMES[game].seats(options))
    key = rng.randbytes(32)
    policy = clever(rng.getrandbits(32))
    record = played(game, start(game, key, options, seats), key, policy, options, seats)
    luck = luck_of(record)
    assert len(luck) == seats
    assert sum(luck) == pytest.approx(0, abs=1e-9)
    assert luck == luck_of(record)


@every_game
def test_who_plays_like_the_baseline_has_no_luck(game: str) -> None:
    key = bytes(32)

    def policy(state: State, seat: int) -> Any:
        return usual(state, seat)

    record = played(game, start(game, key), key, policy)
    assert luck_of(record) == (0.0, 0.0)


def test_scores_are_shares_of_the_others_beaten() -> None:
    assert scores_of((1, 2, 2, 4)) == (1, 0.5, 0.5, 0)


# --- it pays --------------------------------------------------------------------------------------------


def test_taking_luck_away_divides_the_variance() -> None:
    game, baselines = "forty-one", Baselines(["greedy"])
    scores, corrected = [], []
    for number in range(80):
        key = board_key(bytes(32), game, f"pays {number}")
        board = []
        for own in range(2):
            rng = random.Random(2 * number + own)

            def policy(state: State, seat: int, own: int = own, rng: random.Random = rng) -> Any:
                best = usual(state, seat)
                return rng.choice(state.legal_actions(seat)) if seat == own and rng.random() < 0.15 else best

            record = played(game, start(game, key), key, policy)
            board.append((scores_of(record.outcome.places)[own], luck_of(record)[own]))
        score, luck = (fmean(each) for each in zip(*board, strict=True))
        scores.append(score)
        corrected.append(baselines.take(score, {"greedy": luck}))
    assert pvariance(scores) > 1.2 * pvariance(corrected)
    assert baselines.best == "greedy"
    assert baselines.factor == pytest.approx(pvariance(scores) / pvariance(corrected))


# --- the multiple ---------------------------------------------------------------------------------------


def test_the_multiple_is_learnt_from_boards_before_and_no_other() -> None:
    rng = random.Random(1)
    known, unknown = Baselines(["greedy"]), Baselines(["greedy"])
    for number in range(300):
        luck = rng.uniform(-0.5, 0.5)
        before = known.value
        score = 0.5 + 0.8 * luck + rng.choice((-0.1, 0.1))
        assert known.take(score, {"greedy": luck}) == score - before * luck
        unknown.take(rng.choice((0.0, 1.0)), {"greedy": luck})
        assert bool(unknown.wanted) == (number + 1 < TRIAL)
    assert known.wanted
    assert known.value == pytest.approx(0.8, abs=0.05)
    assert known.factor > 3
    assert unknown.value == 0.0
    assert unknown.take(0.25, {}) == 0.25


def test_boards_that_are_all_level_do_not_pay() -> None:
    baselines = Baselines(["greedy", "thoughtful"])
    for _ in range(TRIAL):
        assert baselines.take(0.5, {"greedy": 0.0, "thoughtful": 0.0}) == 0.5
    assert baselines.wanted == ()
    assert baselines.factor == 1.0


# --- the baseline ---------------------------------------------------------------------------------------


def board_by_two(rng: random.Random, fits: str) -> tuple[float, dict[str, float]]:
    """The score of a board that is mostly the luck by one baseline, and its lucks by both."""
    lucks = {name: rng.uniform(-0.4, 0.4) for name in ("greedy", "thoughtful")}
    return 0.5 + lucks[fits] + rng.choice((-0.1, 0.1)), lucks


@pytest.mark.parametrize("fits", ["greedy", "thoughtful"])
def test_the_baseline_that_divides_the_variance_by_most_is_kept(fits: str) -> None:
    rng, baselines = random.Random(2), Baselines(["greedy", "thoughtful"])
    for _ in range(TRIAL):
        assert set(baselines.wanted) == {"greedy", "thoughtful"}
        baselines.take(*board_by_two(rng, fits))
    assert baselines.wanted == (fits,)
    assert baselines.best == fits
    for _ in range(60):
        baselines.take(*board_by_two(rng, fits))
    assert baselines.factor > WORTH


@given(numbers, st.integers(0, 2 * TRIAL), st.floats(0, 1), st.sampled_from([0.5, 1.0]))
def test_what_is_subtracted_on_a_board_does_not_depend_on_it_or_on_later_ones(
    number: int, which: int, other: float, most: float
) -> None:
    rng = random.Random(number)
    boards = [board_by_two(rng, rng.choice(["greedy", "thoughtful"])) for _ in range(2 * TRIAL + 1)]
    one, two = Baselines(["greedy", "thoughtful"], most), Baselines(["greedy", "thoughtful"], most)
    for board in boards[:which]:
        assert one.take(*board) == two.take(*board)
    score, lucks = boards[which]
    best, value = one.best, one.value
    taken = value * lucks[best] if best is not None else 0.0
    assert one.take(score, lucks) == score - taken
    assert two.take(other, lucks) == other - taken
    assert value <= most


def test_the_mean_stays_the_same_though_the_best_baseline_is_kept() -> None:
    """Over many comparisons of few boards, on which either baseline fits by chance."""
    rng = random.Random(4)
    moved = []
    for _ in range(400):
        baselines = Baselines(["greedy", "thoughtful"])
        boards = [board_by_two(rng, rng.choice(["greedy", "thoughtful"])) for _ in range(TRIAL + 10)]
        moved.append(fmean(baselines.take(*board) for board in boards) - 0.5)
    assert abs(fmean(moved)) < 3.5 * (pvariance(moved) / len(moved)) ** 0.5
