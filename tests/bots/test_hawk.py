"""The bot hawk: its rules against the referee's, its rules of thumb against thoughtful's, and at a table."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
import trio

from arena.checkup.analysis.turns import Turn, setup_of, turns_of
from arena.checkup.analysis_bot import AnalysisBot, channel_to_bot, searcher_of
from arena.league.entrants import Entrant
from arena.link.local.bot_manifest import read_bot_manifest
from arena.table.deal import board_key
from tests.bots.languages import UNIT_TESTS
from tests.bots.recorded import recorded
from tests.comparison.lucky_games import clever, played, start
from tests.examples import tried
from tests.installed import checkup, require

# The games of each kind that are replayed: seats, options, how many in the deep run; a quarter else.
KINDS: dict[str, list[tuple[int, dict[str, object], int]]] = {
    "nyuri": [
        (2, {}, 60), (3, {}, 60), (4, {}, 40), (6, {"players": 6}, 20),
        (2, {"stall": 3, "reuse_base": True}, 10), (3, {"spend_cards": True}, 10),
        (3, {"contest": "instant"}, 10), (4, {"placer_draws": True, "contest": "instant"}, 10),
    ],
    "forty-one": [
        (2, {}, 100), (3, {}, 60), (4, {}, 40), (6, {"players": 6}, 20),
        (2, {"stall": 1}, 10), (3, {"min_stop_score": 30}, 10),
    ],
    "nur-mut": [
        (2, {}, 80), (3, {}, 60), (4, {}, 30), (7, {}, 20),
        (2, {"model": "one"}, 20), (3, {"model": "one", "joker_replay": True}, 10),
        (2, {"chain_courage_only": True}, 10), (3, {"joker_replay": True, "stall": 1}, 10),
        (3, {"max_turns": 10, "min_value": 2}, 10),
        (2, {"deck": ["J/J"] * 12 + ["4/4", "5/6", "J/2"] * 5}, 10),
    ],
    "kleftis": [
        (2, {}, 80), (3, {}, 60), (4, {}, 60),
        (2, {"secure_single": True}, 10), (3, {"auto_secure": True}, 10),
        (4, {"final_secure": True, "tiebreak": "secured"}, 10),
    ],
    "hyrule": [
        (2, {}, 100), (3, {}, 60), (4, {}, 40), (7, {}, 30),
        (2, {"mode": "chance"}, 20), (5, {"mode": "chance", "double_joker": "last"}, 20),
        (4, {"last_winner": True, "double_joker": "last"}, 20), (3, {"no_swap_after_swap": True}, 20),
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def hawk(installed) -> Path:
    """The bot's folder; the bot is built."""
    require("rust")
    folder: Path = installed.folder / "bots" / "hawk-rust"
    assert checkup(installed, folder)["ready"]
    return folder


@pytest.fixture
def verify(installed, hawk, tmp_path):
    """Has the bot replay the recorded games of a file."""
    return lambda path: installed.run([hawk / "target" / "release" / "hawk", "verify", path], tmp_path)


@pytest.mark.parametrize("game", KINDS)
def test_hawk_knows_the_rules_and_plays_as_thoughtful_does(verify, tmp_path, game):
    path, written = tmp_path / "recorded", 0
    with path.open("w") as file:
        for seats, options, most in KINDS[game]:
            for number in range(games := tried(-(-most // 4), most)):
                for line in recorded(game, seats, options, number, wild=number % 4 / 3):
                    print(line, file=file)
            written += games
    assert verify(path).startswith(f"{written} games")


def test_a_game_that_went_another_way_is_found(verify, tmp_path):
    path = tmp_path / "recorded"
    lines = list(recorded("kleftis", 2, {}, 1, wild=1.0))
    step = next(place for place, line in enumerate(lines) if line.startswith("step"))
    words = lines[step].split()
    words[2] = str(int(words[2]) ^ 1)  # another card is played
    path.write_text("\n".join([*lines[:step], " ".join(words), *lines[step + 1 :]]))
    with pytest.raises(AssertionError, match="where was recorded"):
        verify(path)


def test_hawk_passes_the_checkup_and_its_own_tests(installed, hawk):
    assert checkup(installed, hawk)["ready"]
    installed.run(UNIT_TESTS["rust"], hawk, **installed.sharing(hawk))


def test_hawk_ends_quietly_where_nobody_reads_on(installed, hawk):
    lab = f"{hawk / 'target' / 'release' / 'hawk'} lab hyrule boards=1"
    installed.run(["bash", "-o", "pipefail", "-c", f"{lab} | true"])


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk here that is always full")
def test_hawk_fails_where_what_it_says_cannot_be_written(installed, hawk):
    with pytest.raises(AssertionError, match="hawk: No space left on device"):
        installed.run(["bash", "-c", f"{hawk / 'target' / 'release' / 'hawk'} --help > /dev/full"])


OPTIONS = [
    "[options.nyuri]\nseries = 2\n[options.forty-one]\nseries = 2\n[options.nur-mut]\nrounds = 2\n"
    '[options.kleftis]\nseries = 2\n[options.hyrule]\nseries = 2\nmode = "chance"\n',
    '[options.nyuri]\nreplay = 3\ncontest = "instant"\n[options.nur-mut]\nmodel = "one"\n'
    "[options.kleftis]\nfinal_secure = true\n[options.hyrule]\nrunoff = 2\n",
]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("seats", [2, 3])
def test_hawk_plays_every_game_without_a_fault(installed, hawk, tmp_path, seats, options):
    (tmp_path / "t.toml").write_text(
        f'name = "t"\nboards = 1\n{options}[clock]\nbank = "20s"\nincrement = "100ms"\nmove = "20s"\n'
        f'[[stage]]\nformat = "round-robin"\nseats = {seats}\n'
        + f'[[entrant]]\nbot = "{installed.folder}/bots/greedy-python"\n' * (seats - 1)
        + f'[[entrant]]\nbot = "{hawk}"\n'
    )
    said = installed.run([installed.arena, "run", "t.toml", "--json"], tmp_path, ARENA_THINK="0.005")
    rows = json.loads(said)["standings"]
    assert [sum(row["faults"].values()) for row in rows] == [0] * seats


@pytest.fixture(scope="module")
def quick_league(installed, tmp_path_factory) -> Path:
    """A league with a game of each kind."""
    league: Path = tmp_path_factory.mktemp("quick") / "q.league"
    quick = installed.folder / "tournaments" / "quick.toml"
    installed.run([installed.arena, "run", quick, "--league", league])
    return league


@pytest.mark.parametrize("game", KINDS)
def test_hawk_tries_the_actions_of_a_game(installed, hawk, quick_league, game):
    words = ["analyse", quick_league, f"1.1.1/{game}/1.1", "--with", hawk, "--worlds", "8", "--json"]
    found = json.loads(installed.run([installed.arena, *words]))
    assert {each["by"] for seat in found["seats"] for each in seat["decisions"]} == {"hawk 1.0.0"}


@pytest.mark.parametrize("game", KINDS)
def test_what_hawk_says_of_a_turn_does_not_depend_on_the_turns_before(hawk, game):
    key = board_key(bytes(32), game, "hawk")
    record = played(game, start(game, key), key, clever(1))
    turns = [turn for seat in (0, 1) for turn in itertools.islice(turns_of(record, seat), 4)]
    bot = AnalysisBot(Entrant("hawk", bot=read_bot_manifest(hawk)), "hawk", (game,), "")

    def scores(channel: Any, order: list[Turn]) -> dict[tuple[int, int], Any]:
        searcher = searcher_of(channel, bot)
        trials = [(turn, searcher(turn, setup_of(record)).trial(turn, bytes(32))) for turn in order]
        return {(turn.seat, turn.number): trial(range(len(turn.actions)), 4) for turn, trial in trials}

    async def in_both_orders() -> None:
        async with channel_to_bot(bot) as channel:
            assert scores(channel, turns) == scores(channel, turns[::-1])

    trio.run(in_both_orders)
