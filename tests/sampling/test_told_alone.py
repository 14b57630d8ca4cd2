"""A sample depends only on what the viewer was told, and the random numbers."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

import pytest

from arena.bot.answering import answers
from arena.bot.player import Bot, Seated, Turn
from arena.games import GAMES
from arena.games.game import Action, State
from arena.link.wire.messages import encode_start, encode_turn
from arena.sampling import new_sampler
from arena.table.deal import board_key, seat_seed
from arena.table.position import View
from arena.table.table import Ask, Table
from arena.v1 import bot_pb2
from tests.bots.playing import rules
from tests.games.boards import keyed
from tests.games.leaks import change_cards, change_faces, watch
from tests.games.random_play import Setup, random_action, random_options


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("number", range(4))
def test_other_hidden_cards_give_the_same_samples(game: str, number: int) -> None:
    rng = random.Random(f"{game} {number}")
    options = random_options(GAMES[game], rng)
    seats = rng.choice(GAMES[game].seats(options))
    setup = Setup(GAMES[game], options, seats, 0, keyed(GAMES[game], options, number))
    viewer = rng.choice([None, *range(seats)])
    length = rng.randrange(5, 40)
    game_as_it_was = watch(
        setup.start(), viewer, 0, lambda state, done: random_action(state, rng) if done < length else None
    )
    board, actions = (
        change_faces(setup.board, game_as_it_was, seats, rng)
        if game == "nur-mut"
        else change_cards(setup.board, game_as_it_was, viewer, rng)
    )
    other = watch(
        setup.start(board), viewer, 0, lambda state, done: actions[done] if done < len(actions) else None
    )
    assert other.shown == game_as_it_was.shown
    first, again = (sampled(setup, viewer, watched.shown) for watched in (game_as_it_was, other))
    if first is not None and again is not None:
        for seat in range(seats):
            assert first.observation(seat) == again.observation(seat)
        assert first.cards() == again.cards()


def sampled(setup: Setup, viewer: int | None, shown: list[Any]) -> State | None:
    """A sample after all events; None if the game is over."""
    sampler = new_sampler(setup.game.id, setup.options, setup.seats, viewer, 0)
    for events, *_ in shown:
        for event in events:
            sampler.tell(event)
    _, seen, _, to_act = shown[-1]
    return sampler.draws(seen)(random.Random(1)) if to_act else None


class Sampling(Bot):
    """Samples every turn, and chooses at random."""

    name = "sampling"

    def choose(self, turn: Turn) -> Action:
        world = turn.sample(self.rng)
        assert world.observation(self.table.seat) == turn.observation
        return self.rng.choice(turn.actions)


@pytest.mark.parametrize("game", GAMES)
def test_after_a_lost_connection_a_table_begins_anew_and_is_sampled_on(game: str) -> None:
    table_rules = rules(game, 2)
    key = board_key(bytes(32), game, "lost")
    table = Table(table_rules, key)
    tables: list[dict[int, Seated]] = [{}, {}]
    number = asked = 0
    while not table.over:
        for ask in table.asks():
            if asked % 15 == 0:
                for seat in range(2):  # the connection is lost and comes back
                    start = encode_start(number := number + 1, table_rules, seat, seat_seed(key, seat), ())
                    tables[seat].clear()
                    answers(Sampling, tables[seat], bot_pb2.PlayRequest.FromString(start))
                    if seat != ask.seat:
                        table.retell(seat)
            asked += 1
            (playing,) = tables[ask.seat]
            told = everything(table, ask) if asked % 15 == 1 else ask
            turn = bot_pb2.PlayRequest.FromString(encode_turn(playing, game, told))
            (decision,) = answers(Sampling, tables[ask.seat], turn)
            table.answer(ask.seat, decision.turn, decision.action, 0)
    assert number > 2
    assert not table.record().faults


def everything(table: Table[View], ask: Ask[View]) -> Ask[View]:
    """The same turn with all that the seat was told since the beginning."""
    table.retell(ask.seat)
    return dataclasses.replace(ask, view=table.closing_view(ask.seat))
