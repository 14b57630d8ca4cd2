"""A comparison's course: it stops by itself, resumes from any cut, and takes the host's rulings."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.comparison.comparison import Comparison
from arena.comparison.question import Finding
from arena.league.tournament_file import parse_plan
from arena.results import GameKey, GameResult, MatchKey
from arena.tournament.course import Due
from arena.tournament.courses import ComparisonCourse
from arena.tournament.effects import VoidBoard
from arena.tournament.rulings import Annul, End, Extend, Pause, Withdraw
from tests.comparison.findings import findings
from tests.examples import examples
from tests.formats.playing import round_of
from tests.tournament.night import Night, played

COARSE = "margin = 15\nerror = 20\ngame_error = 10\n"
KINDS = {
    "two": ("", 2, 2),
    "three": ("", 3, 2),
    "copies": ("compared = 2\n", 3, 3),
    "given": ('compared = 2\ncompany = "given"\n', 4, 3),
    "race": ('pairs = "best"\n', 4, 2),
}


def night_of(
    kind: str = "two", keys: str = "cap = 8\n", games: tuple[str, ...] = ("nyuri", "hyrule")
) -> Night:
    more, entrants, seats = KINDS[kind]
    text = f'name = "x"\ngames = {list(games)}\nseats = {seats}\n[[stage]]\nformat = "comparison"\n'
    text += COARSE + more + keys
    return Night(parse_plan(text + "[[entrant]]\n" * entrants, Path("x.toml")), entrants)


def chance(seed: int, lead: float) -> Callable[[Due], GameResult]:
    """What comes out of a game follows from it alone: the first entrant wins more often by `lead`."""

    def result(game: Due) -> GameResult:
        rng = random.Random(f"{seed} {game.key}")
        order = sorted(game.players, key=lambda player: rng.random() - (lead if player == 0 else 0))
        return played(game, [1 + order.index(player) for player in game.players])

    return result


def asked(night: Night) -> Comparison:
    assert isinstance(night.course, ComparisonCourse)
    return night.course.comparison


def due(night: Night) -> Due:
    """The next game, which there must be."""
    game = night.course.take()
    assert game is not None
    return game


def finish(night: Night, result, rng: random.Random | None = None, at_once: int = 5) -> None:
    """Plays it to its end: in order, or so many games at once, of which any may be over first."""
    live: list[Due] = []
    while True:
        live += islice(iter(night.course.take, None), (at_once if rng else 1) - len(live))
        if not live:
            return
        night.store(result(live.pop(rng.randrange(len(live)) if rng else 0)))


def keys(night: Night) -> set[GameKey]:
    return {result.key for result in night.results}


@examples(25)
@given(
    st.sampled_from([*KINDS]),
    st.integers(0, 10**6),
    st.sampled_from([-0.9, -0.3, 0.0, 0.3, 0.9]),
    st.lists(st.integers(0, 60), max_size=3),
)
def test_it_comes_to_the_same_in_any_order_and_from_any_cut(kind, seed, lead, cuts):
    result, rng = chance(seed, lead), random.Random(seed)
    one, other = night_of(kind), night_of(kind)
    finish(one, result)
    for cut in cuts:  # what is being played then is void, and played again
        before = len(other.results)
        live: list[Due] = []
        while len(other.results) < before + cut:
            live += islice(iter(other.course.take, None), 5 - len(live))
            if not live:
                break
            other.store(result(live.pop(rng.randrange(len(live)))))
        other.resume()
    finish(other, result, rng)
    assert findings(asked(other)) == findings(asked(one))
    assert keys(one) <= keys(other)
    for night in one, other:
        assert night.course.over
        assert night.course.games_left() == 0
        assert night.course.may_go_on != asked(night).settled
    other.resume()
    assert findings(asked(other)) == findings(asked(one))


@examples(25)
@given(st.sampled_from([*KINDS]), st.integers(0, 10**6))
def test_played_one_after_another_no_board_is_played_that_does_not_count(kind, seed):
    night = night_of(kind)
    finish(night, chance(seed, 0.4))
    comparison = asked(night)
    if len(comparison.studies) == 1:
        assert comparison.played_beyond(comparison.studies[0]) == 0


def test_it_stops_when_it_is_sure():
    night = night_of(keys="cap = 900\n")
    finish(night, played)
    (study,) = asked(night).studies
    assert [question.finding for question in study.questions] == [Finding.BETTER] * 3
    assert len(night.results) == 2 * 2 * max(study.counted("nyuri"), study.counted("hyrule")) + 2 * 2 * 2
    assert night.course.over
    assert not night.course.may_go_on
    assert Extend.of(night.course, 3).refusal(night.course) == "is over"


def test_what_is_left_is_what_is_expected_and_never_negative():
    night = night_of(keys="cap = 900\n")
    assert night.course.games == 2 * 2 * (900 + 2)
    while game := night.course.take():
        night.store(played(game))
        assert night.course.games_left() >= 0
        assert night.course.games >= len(night.results)
    assert night.course.games == len(night.results)


def test_at_the_cap_it_is_over_and_may_go_on():
    night = night_of(keys="cap = 2\n")
    finish(night, played)
    assert night.course.over
    assert night.course.may_go_on
    assert Pause().refusal(night.course) == "is over"
    assert End().refusal(night.course) is None
    more = Extend.of(night.course, boards=500)
    assert more == Extend(0, 500)
    assert more.refusal(night.course) is None
    first = [result.key for result in night.results]
    night.rule(more)
    assert not night.course.over
    finish(night, played)
    assert asked(night).settled
    longer = night_of(keys="cap = 502\n")
    finish(longer, played)
    assert findings(asked(longer)) == findings(asked(night))
    assert keys(longer) == keys(night)
    assert [result.key for result in night.results][: len(first)] == first


def test_settled_beforehand_every_board_is_played():
    night = night_of(keys="cap = 40\nstops = false\n")
    finish(night, played)
    assert len(night.results) == 2 * 2 * (40 + 2)
    assert night.course.over
    assert night.course.may_go_on


def test_an_ended_one_is_over_and_does_not_go_on():
    night = night_of()
    night.store(played(due(night)))
    night.rule(End())
    assert night.course.take() is None
    assert night.course.over
    assert not night.course.may_go_on
    assert night.course.games_left() == 0


@pytest.mark.parametrize("kind", ["copies", "given"])
def test_where_a_bot_of_a_table_is_withdrawn_it_plays_no_more_and_nothing_hangs(kind):
    night = night_of(kind, "cap = 900\n")
    for _ in range(4):
        night.store(played(due(night)))
    company = night.entrants - 1
    night.rule(Withdraw.of(night.course, company))
    finish(night, played)
    assert len(night.results) == 4
    assert night.course.over
    assert night.course.games_left() == 0
    assert not night.course.may_go_on


def test_of_three_the_other_pair_goes_on_without_the_one_that_is_withdrawn():
    night = night_of("three", "cap = 900\n")
    for _ in range(30):
        night.store(played(due(night)))
    assert not Withdraw.of(night.course, 2).annulled
    night.rule(Withdraw.of(night.course, 2))
    finish(night, played)
    kept, gone = asked(night).studies
    assert kept.settled
    assert not gone.settled
    assert night.course.over
    assert not night.course.may_go_on
    assert not night.course.tally.walkovers
    assert all(key.match in (0, 2) for key in [result.key for result in night.results][30:])


def test_of_two_neither_is_withdrawn():
    night = night_of()
    night.store(played(due(night)))
    assert (
        Withdraw.of(night.course, 0).refusal(night.course) == "would be left with one entrant; end it instead"
    )


@pytest.mark.parametrize("kind", [*KINDS])
def test_what_is_annulled_is_played_again_by_all_on_the_same_fresh_board(kind):
    result = chance(5, 0.0)
    night = night_of(kind, "cap = 900\n")
    while len(night.results) < 60:
        night.store(result(due(night)))
    before = asked(night).studies[0].games["hyrule"].scores
    void = Annul.of(night.course, MatchKey(0, 1, 0), ["hyrule"], [0])
    matches = len(round_of(night.course.stages[0], 1).matches)
    assert void.boards[0].match == 0
    assert sorted(void.boards) == [VoidBoard(0, 1, match, "hyrule", 0, 1_000_000) for match in range(matches)]
    assert void.refusal(night.course) is None
    night.rule(void)
    # Until the fresh board is there, what comes after it waits.
    assert asked(night).studies[0].games["hyrule"].scores == before[:1]
    finish(night, result)
    fresh = {key.match for key in keys(night) if key.board == 1_000_000}
    assert fresh == set(range(matches))
    after = asked(night).studies[0].games["hyrule"].scores
    assert after[0] == before[0]
    again = Annul.of(night.course, MatchKey(0, 1, 0), ["hyrule"], [0])
    assert isinstance(again, Annul)
    assert {board[4:] for board in again.boards} == {(1_000_000, 1_000_000 + matches)}


def test_a_match_that_is_annulled_is_so_in_all_games_on_a_board_each():
    night = night_of("given")
    for _ in range(30):
        night.store(played(due(night)))
    void = Annul.of(night.course, MatchKey(0, 0, 1), ["nyuri", "hyrule"], None)
    assert {(board.game, board.fresh) for board in void.boards} == {
        ("nyuri", 1_000_000),
        ("hyrule", 1_000_001),
    }
    assert void.boards[0].match == 1


def test_an_annulled_finding_is_found_anew():
    night = night_of(keys="cap = 900\n")
    while asked(night).studies[0].games["nyuri"].finding is None:
        night.store(played(due(night)))
    night.rule(Annul.of(night.course, MatchKey(0, 0, 0), ["nyuri"], [0]))
    assert asked(night).studies[0].games["nyuri"].finding is None
    finish(night, played)
    assert asked(night).settled
