"""The native engine against the rules in Python, and what becomes of wrong records and of its own errors."""

from __future__ import annotations

import random

import pytest

from arena.games import BUILT_IN
from arena.games.game import Outcome
from arena.link.wire.native import new_position, replayed
from arena.table.clock import TimeControl
from arena.table.record import BrokenRecord, Record, first_position, replay
from arena.table.table import TableRules
from tests.examples import tried
from tests.link.wire.lockstep import play_both
from tests.native import native as native
from tests.native import native_folder as native_folder

pytestmark = pytest.mark.usefixtures("native")
LONGEST = 1500  # decisions of a game of which most are drawn


@pytest.mark.parametrize("game", BUILT_IN)
def test_every_byte_is_that_of_the_rules_in_python(game):
    assert sum(play_both(game, seed, LONGEST)[1] for seed in range(tried(60))) > tried(60) * 10


def by_python(record: Record) -> Outcome | None:
    """How a record ends by the rules in Python; None if it breaks them or does not end."""
    try:
        state = first_position(record)
        for _ in replay(record, state):
            pass
    except BrokenRecord:
        return None
    return state.outcome


@pytest.mark.parametrize("game", BUILT_IN)
def test_a_changed_record_ends_as_in_python_or_is_left_to_python(game):
    rng = random.Random(game)
    left = 0
    for seed in range(tried(60)):
        record, length = play_both(game, seed, LONGEST)
        actions = list(record.actions)
        at = rng.randrange(length)
        changed = [
            record._replace(actions=(*actions[:at], actions[at] + rng.randint(1, 3), *actions[at + 1 :])),
            record._replace(actions=tuple(actions[:at])),
            record._replace(actions=(*actions, 0)),
            record._replace(actions=(1 << 31, *actions[1:])),
            record._replace(board_key=rng.randbytes(32)),
            record._replace(seats=rng.randrange(9), starter=0),
        ]
        for each in changed:
            found = replayed(each)
            assert found == by_python(each)
            left += found is None
    assert left > tried(60) * 3


@pytest.mark.parametrize("game", BUILT_IN)
def test_a_number_of_seats_or_a_starter_that_the_game_does_not_have(game):
    record, _ = play_both(game, 1, LONGEST)
    for seats, starter in ((1, 0), (8, 0), (record.seats, record.seats)):
        assert replayed(record._replace(seats=seats, starter=starter)) is None


def test_an_action_or_a_game_that_there_is_not_is_an_ordinary_error(native, capfd):
    kleftis = BUILT_IN["kleftis"]
    rules = TableRules(kleftis, kleftis.parse_options({}), 2, TimeControl(1, 0, 1), 3)
    position = new_position(rules, bytes(32))
    with pytest.raises(ValueError, match="seat 0 has no legal action 1000"):
        position.play(0, 1000)
    assert capfd.readouterr().err == ""
    with pytest.raises(ValueError, match="the engine cannot set up bridge"):
        native.Position("bridge", b"", 2, 0, bytes(32))
