"""A bot that the arena starts sees the cards of a board once; `shared_cards` says which games share them."""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from arena.league.store import League
from arena.league.tournament_file import parse_tournament
from arena.link.local.sandbox import Level, missing
from arena.table.deal import board_key, seat_seed
from arena.tournament.instances import instance_number
from arena.tournament.plan import read_plan
from tests.arena_command import arena
from tests.bots_for_tests import FIRST, bot_folder
from tests.referee.night_here import Night
from tests.referee.nights import write_tournament

CAMPAIGN = pytest.mark.campaign

REMEMBERS = FIRST.replace(
    "    def choose",
    """    def __init__(self, *arguments):
        super().__init__(*arguments)
        print("sat at", self.table.seed.hex(), flush=True)

    def choose""",
)
"""A bot that notes at which table it sat: its seed tells the board and the seat, and nothing else does."""

CRASHES = REMEMBERS.replace(
    "        return",
    "        turn.number == 3 and self.table.seed[0] < 80 and os._exit(3)\n        return",
).replace("from arena", "import os\nfrom arena", 1)


def own_bot(folder: Path, name: str, program: str = REMEMBERS, manifest: str = "") -> Path:
    place = bot_folder(folder, name, [sys.executable, "first.py"])
    (place / "first.py").write_text(program)
    with (place / "bot.toml").open("a") as file:
        file.write(manifest)
    return place


def places_in(league: Path) -> dict[str, tuple[str, int]]:
    """The board and the seat that each seed of a seat tells."""
    with League.read(league) as store:
        stored = store.tournament(1)
        assert stored.plan is not None
        assert stored.key is not None
        plan = read_plan(stored.plan)
        places = {}
        for _, result in store.games(1):
            key = board_key(stored.key, result.key.game, plan.board_name(result.key))
            for seat in range(len(result.seats)):
                places[seat_seed(key, seat).hex()] = f"{result.key.game} {plan.board_name(result.key)}", seat
    return places


def seen_by_instance(league: Path, names: list[str]) -> dict[str, dict[str, list[tuple[str, int]]]]:
    """By entrant and file of what an instance printed: the boards at which it sat, each with the seat."""
    places = places_in(league)
    found: dict[str, dict[str, list[tuple[str, int]]]] = {name: {} for name in names}
    for log in league.with_suffix(".logs").glob("*.log"):
        lines = [line.split()[-1] for line in log.read_text().splitlines() if line.startswith("sat at")]
        found[log.stem.partition("#")[0]][log.stem] = [places[line] for line in lines]
    return found


def check_places(instances: Iterable[Sequence[tuple[str, int]]]) -> None:
    """No instance of a bot sits at a board twice, and together they sit once at every seat of every board."""
    sat = [place for places in instances for place in places]
    assert len(sat) == len(set(sat))
    for places in instances:
        assert places
        boards = [board for board, _ in places]
        assert len(boards) == len(set(boards))


@pytest.mark.parametrize("seats", [2, 3])
def test_no_instance_sits_at_a_board_twice(tmp_path, seats):
    folders = [own_bot(tmp_path, f"bot {number}") for number in range(seats + 1)]
    text = f'games = ["hyrule", "nur-mut"]\nboards = 3\nseats = {seats}\n'
    with Night(tmp_path, folders, text) as night:
        night.play()
        night.end()
    assert f"the arena starts {seats} instances of each bot: none of them sees a board twice" in night.told
    places = places_in(night.league)
    for player in range(seats + 1):
        numbers = [instance_number(player, instance) for instance in range(seats)]
        check_places([[places[seed] for seed in night.sat.pop(number)] for number in numbers])
    assert not night.sat
    assert "all is well" in arena("verify", night.league, cwd=tmp_path).stdout


@pytest.mark.parametrize(
    ("level", "seats"),
    [("strict", 2), pytest.param("basic", 3, marks=CAMPAIGN), pytest.param("none", 3, marks=CAMPAIGN)],
)
def test_the_instances_are_processes_of_their_own_and_people_see_one_bot(tmp_path, level, seats):
    if missing(Level(level)):
        pytest.skip(f"this system has not all of level {level}")
    names = [f"bot {number}" for number in range(seats)]
    bots = [own_bot(tmp_path, name) for name in names]
    head = f'games = ["hyrule", "nur-mut"]\nseats = {seats}\nsandbox = "{level}"\n'
    path = write_tournament(tmp_path, bots, head)
    summary = json.loads(arena("run", path, "--seed", "x", "--json", cwd=tmp_path).stdout)
    assert [entrant["name"] for entrant in summary["entrants"]] == names
    assert summary["shared_cards"] == "round"
    for name, instances in seen_by_instance(tmp_path / "tournament.league", names).items():
        assert sorted(instances) == [name, *(f"{name}#{number}" for number in range(2, seats + 1))]
        check_places(instances.values())


def test_an_instance_that_crashes_is_started_again_and_the_others_play_on(tmp_path):
    names = ["falls", "stays"]
    bots = [own_bot(tmp_path, "falls", CRASHES), own_bot(tmp_path, "stays")]
    head = 'games = ["kleftis"]\nboards = 4\nmax_faults = 100\nwithdraw_after = 0\n'
    path = write_tournament(tmp_path, bots, head)
    summary = json.loads(arena("run", path, "--seed", "x", "--json", cwd=tmp_path).stdout)
    faults = {row["name"]: row["faults"] for row in summary["standings"]}
    assert faults["falls"]["crash"] > 0
    assert sum(faults["stays"].values()) == 0
    for instances in seen_by_instance(tmp_path / "tournament.league", names).values():
        boards = [{board for board, _ in places} for places in instances.values()]
        assert boards[0] == boards[1]  # each from one seat
        for places in instances.values():
            by_board = defaultdict(set)
            for board, seat in places:
                by_board[board].add(seat)
            assert all(len(seated) == 1 for seated in by_board.values())


ALONE = FIRST.replace(
    "serve(First)",
    """
import os
try:
    os.mkdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "lock"))
except FileExistsError:
    raise SystemExit("already running")
serve(First)
""",
)


def test_a_bot_of_which_one_instance_cannot_come_up_is_given_up(tmp_path):
    alone = bot_folder(tmp_path, "alone", [sys.executable, "first.py"])
    (alone / "first.py").write_text(ALONE)
    bots = [alone, own_bot(tmp_path, "good"), own_bot(tmp_path, "fine")]
    path = write_tournament(tmp_path, bots, 'games = ["hyrule"]\nsandbox = "none"\n')
    done = arena("run", path, "--json", cwd=tmp_path, code=1)  # a bot never came, whole
    faults = {row["name"]: sum(row["faults"].values()) for row in json.loads(done.stdout)["standings"]}
    assert faults["alone"] > 0
    assert faults["good"] == faults["fine"] == 0


def plan_of(tmp_path: Path, entrants: str, head: str = ""):
    return parse_tournament(f'name = "x"\n{head}\n{entrants}', tmp_path / "x.toml").plan


@pytest.mark.parametrize(
    ("guest", "shared"),
    [
        ('[[entrant]]\nbot = "one"\n', "round"),
        ('[[entrant]]\nname = "guest"\njoin = true\n', "none"),
        ('[[entrant]]\naddress = "127.0.0.1:5000"\n', "none"),
        ('[[entrant]]\nbot = "writes"\n', "none"),
    ],
)
def test_by_default_only_bots_that_are_kept_apart_share_cards(tmp_path, guest, shared):
    own_bot(tmp_path, "one")
    own_bot(tmp_path, "writes", manifest='[needs]\nwritable = ["kept"]\n')
    (tmp_path / "writes" / "kept").mkdir()
    one = '[[entrant]]\nbot = "one"\n'
    assert plan_of(tmp_path, one + guest).shared_cards == shared
    assert plan_of(tmp_path, one + guest).instances == (2 if shared == "round" else 1)
    for said in ("round", "match", "none"):
        assert plan_of(tmp_path, one + guest, f'shared_cards = "{said}"').shared_cards == said


@pytest.mark.parametrize(("shared", "boards"), [("round", 3 * 2), ("match", 6 * 2), ("none", 12 * 2)])
def test_who_shares_cards(tmp_path, shared, boards):
    """Four bots meet in three rounds of two matches, on two boards, each from both seats."""
    bots = [own_bot(tmp_path, f"bot {number}") for number in range(4)]
    with Night(tmp_path, bots, f'games = ["hyrule"]\nboards = 2\nshared_cards = "{shared}"\n') as night:
        night.play()
        night.end()
    league = night.league
    with League.read(league) as store:
        plan = read_plan(store.tournament(1).plan or "")
        names = [plan.board_name(result.key) for _, result in store.games(1)]
    assert (len(names), len(set(names))) == (24, boards)
    arena("verify", league, cwd=tmp_path)
    text = arena("standings", league, cwd=tmp_path).stdout
    told = {
        "round": "all matches of a round share their boards",
        "match": "the games of a match share their boards",
        "none": "every game has cards of its own",
    }
    assert f"cards: {told[shared]}" in " ".join(text.split())
    assert len(night.sat) == (4 if shared == "none" else 8)


def test_pairs_of_a_comparison_share_no_cards_and_its_first_boards_are_played_twice(tmp_path):
    bots = [own_bot(tmp_path, f"bot {number}") for number in range(3)]
    with Night(tmp_path, bots, 'games = ["hyrule"]\n[[stage]]\nformat = "comparison"\ncap = 4\n') as night:
        night.play()
        night.end()
    with League.read(night.league) as store:
        plan = read_plan(store.tournament(1).plan or "")
        of_match = defaultdict(set)
        for _, result in store.games(1):
            of_match[result.key.match].add(plan.board_name(result.key))
    assert plan.shared_cards == "match"
    assert of_match[0] >= of_match[2]  # the first pair again
    assert of_match[1] >= of_match[3]
    assert not of_match[0] & of_match[1]
    assert "all is well" in arena("verify", night.league, cwd=tmp_path).stdout
