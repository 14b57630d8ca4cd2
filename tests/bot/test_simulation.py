"""Games in this process are the same as over the protocol, and bots get the same values."""

from __future__ import annotations

import random
from typing import ClassVar

import pytest

from arena.bot import Action, Bot, Turn, simulate
from arena.bot.policies import greedy_policy
from arena.games import GAMES
from arena.games.game import Outcome, WrongOption
from arena.league.store import League
from arena.link.wire.messages import decode_record
from arena.table.deal import KEY_BYTES
from arena.v1 import bot_pb2, kleftis_pb2
from tests.arena_command import arena
from tests.bots.playing import GREEDY, RANDOM, THOUGHTFUL, play, rules, served_here
from tests.games.random_play import random_options

BOTS = {"greedy": GREEDY, "random": RANDOM}


def test_games_of_a_league_are_played_again_in_this_process(tmp_path) -> None:
    with served_here(GREEDY) as greedy, served_here(RANDOM) as at_random:
        entrants = "".join(
            f'[[entrant]]\nname = "{name}"\naddress = "{address}"\n'
            for name, address in (("greedy", greedy), ("random", at_random))
        )
        (tmp_path / "night.toml").write_text(f'name = "night"\nboards = 2\n{entrants}', "utf-8")
        arena("run", tmp_path / "night.toml", "--league", tmp_path / "night.league", cwd=tmp_path)
    with League.read(tmp_path / "night.league") as league:
        games = [league.game(number) for number, _ in league.games(1)]
    assert len(games) == 20
    for game in games:
        record = decode_record(game.record)
        sides = [list(BOTS.values())[seat.entrant] for seat in game.result.seats]
        again = simulate(record.game, sides, record.board_key, options=record.options, starter=record.starter)
        assert again.actions == record.actions
        assert again.outcome == record.outcome


@pytest.mark.parametrize("game", GAMES)
def test_bots_are_told_what_they_are_told_over_the_wire(game) -> None:
    rng = random.Random(game)
    for board in range(3):
        options = random_options(GAMES[game], rng)
        seats = GAMES[game].seats(options)[0]
        bots = [THOUGHTFUL, *[RANDOM] * (seats - 1)]
        over_the_wire = play(rules(game, seats, options), f"board {board}", bots)
        assert simulate(game, bots, over_the_wire.board_key, options=options) == over_the_wire


class Watching(Bot):
    """Chooses by a sample, which it checks, and notes what it is told of the clock."""

    name = "watching"
    times: ClassVar[list[float]]
    ends: ClassVar[list[Outcome | None]]

    def choose(self, turn: Turn) -> Action:
        self.times.append(turn.think_for)
        world = turn.sample(self.rng)
        assert world.observation(self.table.seat) == turn.observation
        assert list(world.legal_actions(self.table.seat)) == list(turn.actions)
        return greedy_policy(world, self.table.seat, self.rng)

    def ended(self, outcome: Outcome | None) -> None:
        self.ends.append(outcome)


@pytest.mark.parametrize("game", GAMES)
def test_a_turn_is_sampled_in_this_process_and_over_the_wire_alike(game) -> None:
    class Here(Watching):
        pass

    Here.times, Here.ends = [], []
    series = {"nur-mut": "rounds"}.get(game, "series")
    options = GAMES[game].parse_options({series: 2})
    seats = 3
    record = play(rules(game, seats, options), "board", [Here] * seats)
    assert simulate(game, [Here] * seats, record.board_key, options=options) == record
    assert Here.ends == [record.outcome] * seats
    assert min(Here.times) > 0


def test_a_turn_that_is_over_is_not_sampled() -> None:
    class Late(Bot):
        name = "late"
        last: Turn | None = None

        def choose(self, turn: Turn) -> Action:
            if self.last is not None:
                with pytest.raises(ValueError, match="turn 1 is over: only the turn to be answered"):
                    self.last.sample(self.rng)
                raise KeyboardInterrupt
            turn.sample(self.rng)
            self.last = turn
            return turn.actions[0]

    with pytest.raises(KeyboardInterrupt):
        simulate("hyrule", [Late, Late], "board")


def test_a_turn_that_no_table_has_asked_has_no_history() -> None:
    turn = Turn(bot_pb2.Turn(kleftis=kleftis_pb2.KleftisView()))
    with pytest.raises(ValueError, match="a turn that no table has asked cannot be sampled"):
        turn.sample(random.Random(1))
    with pytest.raises(ValueError, match="a turn that no table has asked has no bank"):
        _ = turn.think_for


def test_a_choice_that_is_not_legal_is_a_fault_here_too() -> None:
    class Wrong(Bot):
        name = "wrong"

        def choose(self, turn: Turn) -> Action:
            return None  # type: ignore[return-value]  # which is the point

    record = simulate("kleftis", [Wrong, GREEDY], "board", max_faults=3)
    assert [(seat, fault.reason) for seat, _, fault in record.faults] == [(0, "illegal_action")] * 3
    assert record.forfeits == (0,)


def test_wrong_use_is_said() -> None:
    with pytest.raises(ValueError, match="there is no game 'chess'; the games are nyuri"):
        simulate("chess", [GREEDY, GREEDY], "board")
    with pytest.raises(WrongOption, match="kleftis is for 2 to 4 seats, not 5"):
        simulate("kleftis", [GREEDY] * 5, "board")
    with pytest.raises(WrongOption, match="kleftis has no option 'fast'"):
        simulate("kleftis", [GREEDY] * 2, "board", options={"fast": True})
    with pytest.raises(ValueError, match="a board's key has 32 bytes, not 3"):
        simulate("kleftis", [GREEDY] * 2, b"key")
    assert simulate("kleftis", [GREEDY] * 2, bytes(KEY_BYTES)).board_key == bytes(KEY_BYTES)
