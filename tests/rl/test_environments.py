"""The environments meet PettingZoo's interface, deal the arena's boards, and reward places."""

from __future__ import annotations

import random
import subprocess
import sys
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, render_test, seed_test

from arena.games import GAMES
from arena.games.game import IllegalAction, Outcome, places_by
from arena.rl import env, raw_env
from arena.rl.environment import GameEnv, rewards_of
from arena.table.clock import SECOND, TimeControl
from arena.table.deal import board_key, key_of_seed
from arena.table.table import Table, TableRules
from tests.rl.setups import each_setup, made, positions

as_pettingzoo_advises = (
    pytest.mark.filterwarnings(  # what it warns of and allows; its own games are excepted by name
        "ignore:Observation is not a NumPy array:UserWarning",
        "ignore:Observation space for each agent probably should be:UserWarning",
    )
)


@each_setup
@as_pettingzoo_advises
def test_pettingzoo_finds_nothing_wrong(setup: tuple[str, int, dict[str, Any]]) -> None:
    game, seats, given = setup
    api_test(env(game, seats, **given), num_cycles=40)
    seed_test(lambda: env(game, seats, **given), num_cycles=15)
    render_test(lambda render_mode: env(game, seats, render_mode=render_mode, **given))


@pytest.mark.parametrize("game", GAMES)
@as_pettingzoo_advises
def test_pettingzoo_finds_nothing_wrong_in_a_whole_game(game: str) -> None:
    api_test(env(game), num_cycles=1000)


@each_setup
def test_a_game_goes_as_at_a_table_of_the_arena(setup: tuple[str, int, dict[str, Any]]) -> None:
    """The same board, the same turns, the same that each seat sees and may do, the same end."""
    game, seats, given = setup
    playing = made(*setup)
    starter = seats - 1
    options = GAMES[game].parse_options(given)
    time = TimeControl(SECOND, 0, SECOND)
    rules = TableRules(GAMES[game], options, seats, time, max_faults=1, starter=starter)
    table = Table(rules, board_key(key_of_seed("7"), game, "friendly"))
    asks = {ask.seat: ask for ask in table.asks()}
    told: dict[int, list[Any]] = {seat: [] for seat in range(seats)}
    rng = random.Random(7)
    playing.reset(seed=7, options={"starter": starter})
    while playing.outcome is None:
        seat = int(playing.agent_selection.removeprefix("seat_"))
        ask = asks.pop(seat)
        assert playing.seen(playing.agent_selection) == ask.view.observation
        assert list(playing.legal().values()) == list(ask.view.actions)
        told[seat] += ask.view.events
        assert playing.told(playing.agent_selection) == told[seat]
        number = rng.choice(list(playing.legal()))
        index = ask.view.actions.index(playing.legal()[number])
        playing.step(number)
        table.answer(seat, ask.turn, index, 0)
        asks.update({ask.seat: ask for ask in table.asks()})
    assert table.over
    assert not asks
    assert table.record().outcome == playing.outcome
    assert [playing.rewards[agent] for agent in playing.possible_agents] == rewards_of(playing.outcome)
    assert all(playing.terminations.values())
    assert not any(playing.truncations.values())


@pytest.mark.parametrize("seats", [2, 3, 7])
def test_rewards_are_the_share_of_opponents_beaten_and_add_up_to_nothing(seats: int) -> None:
    for points in combinations_with_replacement(range(3), seats):
        rewards = rewards_of(Outcome(places_by(points), points, "done"))
        assert sum(rewards) == pytest.approx(0)
        for own, reward in enumerate(rewards):
            others = [point for seat, point in enumerate(points) if seat != own]
            beaten = sum((points[own] > other) + (points[own] == other) / 2 for other in others)
            assert reward == pytest.approx(2 * beaten / len(others) - 1)


def test_a_seed_deals_its_board_and_then_the_next_ones() -> None:
    first, second = raw_env("hyrule"), raw_env("hyrule")
    hands = []
    for table in (first, second):
        table.reset(seed=3)
        for _ in range(3):
            hands.append(table.seen("seat_0").hand)  # type: ignore[attr-defined]
            table.reset()
    assert hands[:3] == hands[3:]
    assert len({*hands}) == 3
    first.reset(seed=3)
    assert first.seen("seat_0").hand == hands[0]  # type: ignore[attr-defined]
    first.reset(seed=3, options={"board": "another"})
    assert first.seen("seat_0").hand not in hands  # type: ignore[attr-defined]


def test_without_a_seed_boards_are_random() -> None:
    tables = [raw_env("hyrule") for _ in range(2)]
    for table in tables:
        table.reset()
    assert tables[0].seen("seat_0") != tables[1].seen("seat_0")


def test_the_starter_begins() -> None:
    table = raw_env("hyrule", 3, starter=1)
    table.reset(seed=1)
    assert table.agent_selection == "seat_1"
    table.reset(seed=1, options={"starter": 2})
    assert table.agent_selection == "seat_2"


def test_seats_that_seal_together_see_nothing_of_each_other() -> None:
    table = raw_env("hyrule", 3, mode="chance")
    table.reset(seed=1)
    before = {agent: table.seen(agent) for agent in table.agents}
    order = []
    while not table.told("seat_0")[-1].kind.startswith("trick"):
        order.append(table.agent_selection)
        assert {agent: table.seen(agent) for agent in table.agents} == before
        table.step(max(table.legal()))
    assert order == ["seat_0", "seat_1", "seat_2"]


def test_what_is_not_legal_is_one_sentence_and_changes_nothing() -> None:
    table = raw_env("forty-one")
    table.reset(seed=1)
    before = table.seen(table.agent_selection)
    for wrong in (1, 55, None):
        with pytest.raises(IllegalAction, match=f"seat_0 cannot choose action {wrong}: its action_mask is 0"):
            table.step(wrong)
    assert table.seen(table.agent_selection) == before


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"game": "chess"}, "there is no game 'chess'; the games are nyuri"),
        ({"game": "kleftis", "seats": 5}, "kleftis is for 2 to 4 seats, not 5"),
        ({"game": "kleftis", "auto": True}, "kleftis has no option 'auto'; its options are secure_single"),
        ({"game": "kleftis", "starter": 2}, "the starter is a seat, 0 to 1, not 2"),
        ({"game": "kleftis", "render_mode": "film"}, "no render mode 'film': there are human, ansi"),
    ],
)
def test_what_there_is_not_is_one_sentence(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        env(**arguments)


def test_without_the_extra_it_says_how_to_install_it() -> None:
    """In a Python that finds neither library; what a bot needs is there all the same."""
    program = (
        "import sys\n"
        "sys.modules['gymnasium'] = sys.modules['pettingzoo'] = None\n"
        "from arena.rl import encoding_of, env\n"
        "try:\n    env('kleftis')\n"
        "except ImportError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "environments need PettingZoo: pip install '.[rl]' in a clone of the arena\n"


def test_a_table_renders_as_a_spectator_sees_it(capsys: pytest.CaptureFixture[str]) -> None:
    table = env("kleftis", render_mode="human")
    table.reset(seed=1)
    printed = capsys.readouterr().out
    assert printed.startswith("seat 0 is to play, build or steal; 37 cards in the stock\n")
    assert "holds" not in printed


def test_numpy_numbers_are_numbers() -> None:
    tables = [raw_env("nur-mut"), raw_env("nur-mut")]
    for table, number in zip(tables, (np.int64, int), strict=True):
        agent = next(positions(table, random.Random(1), 1))
        table.step(number(np.flatnonzero(table.observe(agent)["action_mask"])[0]))
    one, other = tables
    assert one.agent_selection == other.agent_selection
    assert list(one.legal()) == list(other.legal())


@each_setup
def test_a_saved_position_goes_on_as_before_in_this_environment_and_in_another(
    setup: tuple[str, int, dict[str, Any]],
) -> None:
    """What is seen, told, allowed and rewarded, to the end of the game and into the next one."""
    first, other = made(*setup), made(*setup)
    rng = random.Random(2)
    before = positions(first, rng, 3, most=rng.randrange(1, 40))
    for _ in before:
        pass
    saved = first.save()
    told = first.told("seat_0")
    later = story(first)
    assert first.told("seat_0") != told or not later
    for restored in (first, other, first):
        restored.restore(saved)
        assert restored.told("seat_0") == told
        assert story(restored) == later


def story(table: GameEnv) -> list[Any]:
    """Plays on at random, as PettingZoo says, to the end of the game and to the first turn of the next."""
    rng = random.Random(1)
    heard: list[Any] = []
    for agent in table.agent_iter():
        seen, reward, over, truncated, info = table.last()
        assert seen is not None
        heard.append(
            (agent, table.encoding.flat(seen["observation"]).tolist(), reward, over, truncated, info)
        )
        heard.append(([table.seen(each) for each in table.possible_agents], table.legal()))
        table.step(None if over else rng.choice(list(table.legal())))
    heard.append([table.told(agent) for agent in table.possible_agents])
    table.reset()
    return [*heard, table.outcome, table.seen("seat_0")]


def test_what_changes_during_a_game_is_saved() -> None:
    table = raw_env("kleftis")
    table.reset(seed=1)
    saved = table.save()
    before = {name: repr(value) for name, value in vars(table).items()}
    for _ in positions(table, random.Random(1), 2):
        pass
    while table.agents:
        table.step(None)
    changed = {name for name, value in vars(table).items() if repr(value) != before[name]}
    assert changed - {*saved.values} == {"_state", "infos"}


def test_a_position_of_another_game_is_not_restored() -> None:
    table = raw_env("kleftis")
    with pytest.raises(ValueError, match=r"no game was begun: call reset\(\)"):
        table.save()
    table.reset(seed=1)
    for other in (raw_env("hyrule"), raw_env("kleftis", 3), raw_env("kleftis", final_secure=True)):
        with pytest.raises(ValueError, match="this position is of another game, number of seats or options"):
            other.restore(table.save())


def test_the_wrapped_environment_saves_and_restores_as_well() -> None:
    table = env("kleftis")
    table.reset(seed=1)
    saved, seen = table.save(), table.seen("seat_0")
    table.step(next(iter(table.legal())))
    assert table.seen("seat_0") != seen
    table.restore(saved)
    assert table.seen("seat_0") == seen
