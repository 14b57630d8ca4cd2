"""A game of another package: listed, played by real bots, verified, shown, compared, exported and imported.

The package `tests/other_package/high_card` is added through its entry point alone.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.patience import PATIENCE

HERE = Path(__file__).parent
ROOT = HERE.parent

BOT = """
from arena.bot import Bot, serve
from arena.bot.policies import greedy, greedy_policy

class Toy(Bot):
    name = "NAME"
    games = ["high-card", "kleftis"]

    def choose(self, turn):
        assert turn.game == self.table.game == "high-card" and self.table.options.hand in (1, 2, 3)
        sample = turn.sample(self.rng)
        assert sample.observation(self.table.seat) == turn.observation
        turn.playout(sample, greedy_policy, self.rng)
        assert all(turn.actions.find(action) is not None for action in turn.actions)
        return CHOICE

serve(Toy)
"""

GAMES = 'games = ["high-card", "kleftis"]\n'

PLAN = """
name = "A night of one game"
games = ["high-card"]
boards = 3
[options.high-card]
hand = 2
[[stage]]
format = "round-robin"
"""

PICTURES = """
import json
from arena.bot import Bot
from arena.bot.simulation import simulate
from arena.view.pictures.replay import game_pictures

class First(Bot):
    def choose(self, turn):
        return turn.actions[0]

print(json.dumps(game_pictures(simulate("high-card", [First] * 2, "a board"), "ab", 0)["keys"][0]))
"""

COMMANDS = """
import json, sys
from pathlib import Path
from tests.arena_command import in_this_process

for line in sys.stdin:
    words, folder = json.loads(line)
    done = in_this_process(words, Path(folder))
    print(json.dumps([done.exit_code, done.stdout + done.stderr]), flush=True)
"""

Arena = Callable[..., str]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A folder with the installed package and two bots that play its game."""
    folder: Path = tmp_path_factory.mktemp("night")
    for name, choice in {
        "high": "greedy(turn.observation, turn.actions)",
        "low": "turn.actions[0]",
    }.items():
        installed(folder / name)  # a contained bot reads no other folder
        bot(folder / name, BOT.replace("NAME", name).replace("CHOICE", choice), GAMES)
    installed(folder / "packages")
    (folder / "night.toml").write_text(PLAN + '[[entrant]]\nbot = "high"\n[[entrant]]\nbot = "low"\n')
    return folder


def bot(place: Path, program: str, games: str = "") -> None:
    """Writes a bot into its folder."""
    place.mkdir(exist_ok=True)
    (place / "bot.py").write_text(program)
    (place / "bot.toml").write_text(f'name = "{place.name}"\n{games}[run]\ncommand = ["python", "bot.py"]\n')


def installed(site: Path, entry_point: str = "") -> None:
    """Puts the package where Python finds it, with what an installer writes; or with another entry point."""
    project = tomllib.loads((HERE / "other_package" / "pyproject.toml").read_text())["project"]
    [(name, game)] = project["entry-points"]["arena.games"].items()
    entry_point = entry_point or f"{name} = {game}"
    site.mkdir()
    shutil.copytree(HERE / "other_package" / "high_card", site / "high_card")
    about = site / "high_card-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: high-card\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[arena.games]\n{entry_point}\n")


def run(folder: Path, *words: str, packages: str = "packages", code: int = 0) -> str:
    """What a command prints, on standard output and standard error."""
    done = subprocess.run(
        [sys.executable, *words], cwd=folder, text=True, capture_output=True, timeout=PATIENCE,
        env={**os.environ, "PYTHONPATH": str(folder / packages)},
    )  # fmt: skip
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def arena(folder: Path) -> Iterator[Arena]:
    """What a command prints, which runs in a process that finds the package; all of them share it."""
    with subprocess.Popen(
        [sys.executable, "-c", COMMANDS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(folder / "packages"), str(ROOT)))},
    ) as commands:  # fmt: skip

        def arena(*words: str, code: int = 0) -> str:
            assert commands.stdin is not None
            assert commands.stdout is not None
            commands.stdin.write(json.dumps([words, str(folder)]) + "\n")
            commands.stdin.flush()
            exit_code, said = json.loads(commands.stdout.readline())
            assert exit_code == code, said
            assert "Traceback" not in said
            return str(said)

        yield arena


@pytest.fixture(scope="module")
def league(arena: Arena) -> str:
    """The league of a night that real bots played."""
    arena("run", "night.toml")
    return "night.league"


def test_it_is_listed_with_its_options_and_rules(arena):
    assert "high-card  (High card, 2 to 4 seats)\n    hand = 3  C1" in arena("games")
    assert "The highest takes the trick" in arena("games", "high-card")


def test_a_night_is_played_and_verified_and_shown(arena, league):
    assert "1 tournament, 6 games: all is well" in arena("verify", league)
    standings = json.loads(arena("standings", league, "--json"))
    assert standings["games_played"] == 6
    assert [sum(row["faults"].values()) for row in standings["standings"]] == [0, 0]
    shown = arena("replay", league, "1.1.1/high-card/1.1", "--seat", "0")
    assert "takes the trick" in shown
    assert "seat 1 is dealt 2\n" in shown


def test_the_page_shows_it_in_words(arena, league, folder):
    arena("report", league, "night.html")
    assert "High card" in (folder / "night.html").read_text()
    first = json.loads(run(folder, "-c", PICTURES))
    assert first["table"].splitlines()[0] == "seat 0: 3 cards, 0 tricks"
    assert first["told.1"] == ""
    assert first["told.0"].splitlines()[-1].startswith("hand of seat 0: ")


def test_a_game_and_a_bot_are_analysed(arena, league):
    said = arena("analyse", league, "1.1.1/high-card/1.1", "--worlds", "8", "--json")
    found, _ = json.JSONDecoder().raw_decode(said)  # on a slow machine, lines about the work follow
    assert found["game"] == "high-card"
    assert any(seat["decisions"] for seat in found["seats"])
    assert "low: 6 games" in arena("analyse", league, "--bot", "low", "--worlds", "8")


@pytest.mark.parametrize(
    ("part", "lack"), [("sampler", "no sampler of positions"), ("greedy", "no greedy policy")]
)
def test_a_game_of_a_package_without_a_part_is_not_analysed(folder, league, part, lack):
    site = folder / f"without-{part}"
    installed(site)
    game = site / "high_card" / "__init__.py"
    lines = game.read_text().splitlines()
    game.write_text("\n".join(line for line in lines if not line.startswith(f"    {part} = ")))
    said = run(folder, "-m", "arena.cli", "analyse", league, "1", packages=site.name, code=2)
    assert f"High card cannot be analysed: its package brings {lack}" in said


def test_it_is_exported_and_imported(arena, league, folder):
    lines = arena("export", league)
    assert '"other": {"game": "high-card", "options": {"hand": 2.0}}' in lines
    (folder / "night.jsonl").write_text(lines)
    arena("import", "night.jsonl", "copy.league")
    assert "1 tournament, 6 games: all is well" in arena("verify", "copy.league")
    same = [
        [json.loads(line) for line in text.splitlines()[1:]]
        for text in (lines, arena("export", "copy.league"))
    ]
    assert same[0] == same[1]


def test_two_bots_are_compared_in_it(arena):
    told = arena(
        "compare", "high", "low", "--game", "high-card", "--cap", "40", "--option", "high-card.hand=2"
    )
    assert "High card" in told


def test_a_bot_is_checked_in_it(arena):
    told = arena("check-bot", "--quick", "high", "--game", "high-card")
    assert "plays high-card" in told
    assert "ready for league night" in told


def test_a_bot_that_does_not_say_so_never_gets_it(arena, folder):
    program = (
        BOT.replace('games = ["high-card", "kleftis"]', "").replace("NAME", "old").replace("CHOICE", "0")
    )
    bot(folder / "old", program)
    (folder / "mixed.toml").write_text(PLAN + '[[entrant]]\nbot = "old"\n[[entrant]]\nbot = "low"\n')
    assert "does not play high-card" in arena("run", "mixed.toml", code=2)


def test_without_the_package_one_sentence_names_the_game(folder, league):
    missing = "the stored plan cannot be read (there is no game 'high-card'"
    for command, code in (("verify", 1), ("standings", 2)):
        assert missing in run(folder, "-m", "arena.cli", command, league, packages="nowhere", code=code)


def test_a_tournament_that_names_no_games_is_of_the_built_in_ones(arena, folder):
    plan = PLAN.replace('games = ["high-card"]\n', "").replace("hand = 2\n", "")
    (folder / "all.toml").write_text(plan + '[[entrant]]\nbot = "high"\n[[entrant]]\nbot = "low"\n')
    assert "high-card is not played; name it in games" in arena("run", "all.toml", code=2)


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ("broken = high_card.nothing:GAME", "ModuleNotFoundError"),
        ("other = high_card:GAME", "its id is 'high-card'"),
        ("high-card = high_card:SPADES", "not an instance of"),
    ],
)
def test_a_package_that_cannot_be_used_is_named_and_left_out(tmp_path, entry, problem):
    installed(tmp_path / "packages", entry)
    told = run(tmp_path, "-m", "arena.cli", "games")
    assert "nyuri  (Nyuri" in told
    assert "is left out" in told
    assert problem in told
    assert "High card" not in told


@pytest.mark.campaign
def test_it_keeps_the_laws_of_all_games(folder):
    """The laws, and what bots that look ahead are promised, find the game by themselves."""
    done = subprocess.run(
        [
            sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider",
            "-k", "high-card and not leak",
            HERE / "games/test_laws.py", HERE / "sampling/test_positions.py",
        ],
        env={**os.environ, "PYTHONPATH": str(folder / "packages")},
        text=True, capture_output=True, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
