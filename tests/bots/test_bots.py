"""The bots play every game with every option, and each is better than the one before."""

from __future__ import annotations

import ast
import os
import random
import re
import subprocess
import sys

import pytest

from arena.bot.player import Bot
from arena.games import GAMES
from arena.link.local.bot_manifest import read_bot_manifest
from arena.link.wire.convert import WIRES
from tests.bots.playing import (
    FIRST,
    GREEDY,
    LEARNED,
    LLM,
    RANDOM,
    ROOT,
    THOUGHTFUL,
    play,
    rules,
    share_of_wins,
)
from tests.docs import text_of
from tests.games.random_play import random_options

BOTS = {
    "random-python": RANDOM,
    "first-python": FIRST,
    "greedy-python": GREEDY,
    "thoughtful-python": THOUGHTFUL,
    "learned-python": LEARNED,
    "llm-python": LLM,
}


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("bot", [GREEDY, THOUGHTFUL])
def test_a_bot_plays_with_any_seats_and_options(game: str, bot: type[Bot]) -> None:
    rng = random.Random(f"{game} {bot.name}")
    for number in range(8):
        options = random_options(GAMES[game], rng)
        seats = rng.choice(GAMES[game].seats(options))
        bots = [bot, *(rng.choice([RANDOM, GREEDY, THOUGHTFUL]) for _ in range(seats - 1))]
        rng.shuffle(bots)
        assert not play(rules(game, seats, options, rng.randrange(seats)), f"any {number}", bots).faults


@pytest.mark.parametrize("game", GAMES)
def test_a_bot_plays_with_every_number_of_seats(game: str) -> None:
    bots = [RANDOM, GREEDY, THOUGHTFUL] * 3
    for seats in GAMES[game].seats(GAMES[game].parse_options({})):
        assert not play(rules(game, seats), "seats", bots[:seats]).faults


@pytest.mark.parametrize(
    ("game", "given"),
    [
        ("nyuri", {"series": 2, "contest": "instant", "spend_cards": True}),
        ("nyuri", {"placer_draws": True, "reuse_base": True, "stall": 5}),
        ("forty-one", {"series": 3, "min_stop_score": 25, "stall": 1}),
        ("nur-mut", {"model": "one"}),
        ("nur-mut", {"model": "one", "chain_courage_only": True, "joker_replay": True, "rounds": 2}),
        ("nur-mut", {"min_value": 4, "stall": 1, "max_turns": 30}),
        ("kleftis", {"secure_single": True, "final_secure": True, "series": 2}),
        ("kleftis", {"auto_secure": True}),
        ("hyrule", {"mode": "chance"}),
        ("hyrule", {"mode": "chance", "double_joker": "last", "series": 3}),
        ("hyrule", {"double_joker": "last", "last_winner": True, "runoff": 5}),
        ("hyrule", {"no_swap_after_swap": True, "series": 2}),
    ],
)
def test_the_options_that_change_most(game: str, given: dict[str, object]) -> None:
    table = rules(game, 2, GAMES[game].parse_options(given))
    for number in range(3):
        for bots in ([GREEDY, THOUGHTFUL], [THOUGHTFUL, RANDOM]):
            assert not play(table, f"options {number}", bots).faults


@pytest.mark.parametrize("game", GAMES)
def test_the_same_board_is_played_the_same_way(game: str) -> None:
    bots = [RANDOM, THOUGHTFUL]
    assert play(rules(game, 2), "again", bots) == play(rules(game, 2), "again", bots)


@pytest.mark.parametrize(
    ("game", "least"),
    [
        pytest.param("nyuri", 0.8, marks=pytest.mark.campaign),
        ("forty-one", 0.9),
        ("nur-mut", 0.8),
        ("kleftis", 0.95),
        ("hyrule", 0.9),
    ],
)
def test_greedy_beats_random(game: str, least: float) -> None:
    boards = 12 if game == "nyuri" else 30  # which takes ten times as long as the others
    assert share_of_wins(game, GREEDY, RANDOM, boards) >= least


def test_the_first_bot_of_an_author_beats_random_clearly() -> None:
    assert share_of_wins("kleftis", FIRST, RANDOM, 10) >= 0.8


@pytest.mark.parametrize("page", ["README.md", "bots/README.md"])
def test_the_first_bot_is_the_same_everywhere(page: str) -> None:
    (likes,) = re.findall(r"^    likes = (.*)  # kinds of actions", text_of(page), re.MULTILINE)
    assert ast.literal_eval(likes) == vars(FIRST)["likes"]


def test_the_first_bot_lists_all_kinds_of_actions() -> None:
    for game in GAMES:
        (row,) = re.findall(
            rf"^\| {GAMES[game].title} \| (.*) \|$", text_of("bots/first-python/README.md"), re.MULTILINE
        )
        kinds = WIRES[game].action.message_class.DESCRIPTOR.oneofs_by_name["kind"].fields
        assert {*re.findall(r"`(\w+)`", row)} == {kind.name for kind in kinds}


@pytest.mark.parametrize(
    ("game", "least"), [pytest.param("nyuri", 0.8, marks=pytest.mark.campaign), ("kleftis", 0.8)]
)
def test_thoughtful_beats_greedy_clearly_where_thought_helps_most(game: str, least: float) -> None:
    assert share_of_wins(game, THOUGHTFUL, GREEDY, 8 if game == "nyuri" else 20) >= least


def test_what_was_learned_beats_random_and_is_no_worse_than_greedy() -> None:
    assert share_of_wins("forty-one", LEARNED, RANDOM, 30) >= 0.8
    assert share_of_wins("forty-one", LEARNED, GREEDY, 30) >= 0.4


def test_what_was_learned_plays_with_any_seats_and_options() -> None:
    rng = random.Random(1)
    for number in range(8):
        options = random_options(GAMES["forty-one"], rng)
        seats = rng.choice(GAMES["forty-one"].seats(options))
        bots = [LEARNED, *[GREEDY] * (seats - 1)]
        assert not play(rules("forty-one", seats, options), f"any {number}", bots).faults


@pytest.mark.parametrize("folder", BOTS)
def test_a_bot_can_be_started(folder: str) -> None:
    manifest = read_bot_manifest(ROOT / "bots" / folder)
    assert manifest.name == BOTS[folder].name
    program, *arguments = manifest.command
    assert program == "python"
    done = subprocess.run(
        [sys.executable, *arguments, "--help"],
        cwd=manifest.folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert f"The bot {manifest.name}" in done.stdout
