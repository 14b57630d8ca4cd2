"""A Python bot returns a `Choice`: an action, and what it thinks."""

from __future__ import annotations

from typing import Any

import pytest

from arena.bot import Action, Bot, Choice, Turn, simulate
from arena.bot.answering import new_tables, responses
from arena.games import GAMES
from arena.link.streams.dial import MAX_MESSAGE
from arena.link.wire import MOST_TEXT, MOST_VALUES
from arena.link.wire.messages import encode_start, encode_turn
from arena.table.clock import SECOND, TimeControl
from arena.table.table import Table, TableRules
from arena.v1 import bot_pb2


def decision_of(thinks: Any) -> tuple[bot_pb2.Decision, int]:
    """A bot's answer to the first turn of a game, and the number of its actions."""

    class Thinker(Bot):
        name = "thinker"

        def choose(self, turn: Turn) -> Action | Choice:
            return thinks(turn)  # type: ignore[no-any-return]  # the test's own

    kleftis = GAMES["kleftis"]
    rules = TableRules(kleftis, kleftis.Options(), 2, TimeControl(SECOND, 0, SECOND), 3)
    [ask] = Table(rules, bytes(32)).asks()
    encoded = encode_start(1, rules, ask.seat, bytes(16), ()) + encode_turn(1, "kleftis", ask)
    [decision] = new_tables(Thinker)(bot_pb2.PlayRequest.FromString(encoded))
    return decision, len(ask.view.actions)


def test_a_choice_is_sent_with_what_the_bot_thinks():
    decision, _ = decision_of(lambda turn: Choice(turn.actions[1], 0.25, {turn.actions[1]: 2.0}, "so"))
    assert decision.action == 1
    assert decision.thought == bot_pb2.Thought(estimate=0.25, values={1: 2.0}, text="so")


def test_values_may_be_one_for_each_action_and_the_best_are_sent():
    decision, count = decision_of(lambda turn: Choice(turn.actions[0], values=range(len(turn.actions))))
    assert decision.thought.values == {index: index for index in range(count)}
    many, _ = decision_of(lambda turn: Choice(turn.actions[0], values=[float("nan"), *range(100)]))
    assert sorted(many.thought.values.values()) == [*range(100 - MOST_VALUES, 100)]


@pytest.mark.parametrize("thinks", [lambda turn: turn.actions[1], lambda turn: Choice(turn.actions[1])])
def test_an_action_alone_is_sent_without_a_thought(thinks):
    decision, _ = decision_of(thinks)
    assert decision == bot_pb2.Decision(table=1, turn=1, action=1)


def test_a_choice_of_no_legal_action_is_illegal():
    decision, count = decision_of(lambda turn: Choice(turn.actions[0].__class__, 0.5))
    assert decision.action == count


def test_a_simulated_game_takes_choices():
    class Thinker(Bot):
        name = "thinker"

        def choose(self, turn: Turn) -> Choice:
            return Choice(turn.actions[-1], estimate=0.5)

    class Silent(Thinker):
        def choose(self, turn: Turn) -> Action:  # type: ignore[override]  # the same without a thought
            return turn.actions[-1]

    assert simulate("kleftis", [Thinker, Thinker], "1") == simulate("kleftis", [Silent, Silent], "1")


def test_many_decisions_with_long_thoughts_fit_the_messages_that_a_referee_takes():
    thought = bot_pb2.Thought(
        estimate=0.5,
        values=dict.fromkeys(range(1000, 1000 + MOST_VALUES), 0.1),
        text="\U0001f0a1" * MOST_TEXT,
    )
    decisions = [bot_pb2.Decision(table=1 << 30, turn=1 << 30, action=5, thought=thought)] * 500
    parts = [*responses(decisions)]
    assert [each for part in parts for each in part.decisions] == decisions
    assert max(part.ByteSize() for part in parts) < MAX_MESSAGE
    assert decisions[0].ByteSize() <= 1500
