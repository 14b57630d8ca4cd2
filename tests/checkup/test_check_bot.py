"""`arena check-bot`: good bots pass, and each faulty bot fails the right check with a useful text."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import ClassVar, TypeVar

import grpc
import pytest
import trio

from arena.bot import Action, Bot, TableInfo, Turn
from arena.checkup.bot import CheckedBot
from arena.checkup.bot_time import Used
from arena.checkup.checklist import check_bot
from arena.checkup.joining import check_joining
from arena.checkup.session import seating, settings, usual_settings
from arena.checkup.values import Check, Conditions, Failed
from arena.games import GAMES
from arena.games.game import Outcome
from arena.league.entrants import Entrant
from arena.link.local.sandbox import Level, Sandbox, missing
from arena.table.clock import MILLISECOND, SECOND, TimeControl
from tests.arena_command import ARENA
from tests.arena_command import arena as arena_in
from tests.bots.playing import served_here
from tests.bots_for_tests import bot_folder, faulty_bot, manifest
from tests.hurrying import Hurrying
from tests.patience import PATIENCE

BOTS = Path(__file__).parents[2] / "bots"
CLOCK = TimeControl(bank=60 * SECOND, increment=0, move=20 * SECOND)
SURROUNDINGS = "id; pwd; ulimit -f -d -n; echo $HOME $TMPDIR $ARENA_LISTEN $JAVA_TOOL_OPTIONS $PYTHONPATH"
CONTAINED = pytest.mark.skipif(bool(missing(Level.BASIC)), reason="this system has no such sandbox")
SHORT = CLOCK._replace(move=100 * MILLISECOND)  # for bots that do not answer


Result = TypeVar("Result")
LONGEST = 1000.0  # seconds: long after whatever is waited for
HURRIED = 50 * PATIENCE  # of what passes in no time only short stretches count


def arena(*arguments, code: int = 0) -> subprocess.CompletedProcess[str]:
    return arena_in(*arguments, cwd=Path.cwd(), code=code)


def check(entrant: Entrant, waits: Path | None = None, **conditions) -> dict[str, Check]:
    """The checks of a bot that plays only the shortest game, by their names; `waits` as for `run`."""
    given = Conditions(**{"games": ("hyrule",), "clock": CLOCK, "tables": 8, **conditions})
    told: list[Check] = []
    checks = run(partial(check_bot, entrant, given, told.append, lambda line: None), waits, LONGEST)
    assert told == checks
    assert [check.number for check in checks] == list(range(1, len(checks) + 1))
    return {check.name: check for check in checks}


def check_folder(folder: Path, **conditions) -> dict[str, Check]:
    return check(Entrant("bot", bot=manifest(folder)), folder / "waits", **conditions)


def check_joins(folder: Path, hurried: float = HURRIED) -> Check:
    """The check of a bot that joins alone, with two games; `hurried` as for `run`."""
    away = TimeControl(bank=4 * int(PATIENCE) * SECOND, increment=0, move=4 * int(PATIENCE) * SECOND)
    games = [seating(setting, 0, away, 3) for setting in usual_settings(GAMES["hyrule"])]

    async def joins() -> Check:
        bot = CheckedBot(Entrant("bot", bot=manifest(folder)), folder.with_name("log"), PATIENCE)
        try:
            return await check_joining(bot, games, PATIENCE)
        except Failed as failure:
            return failure.check

    return run(joins, folder / "waits", hurried)


def run(checking: Callable[[], Awaitable[Result]], waits: Path | None, hurried: float) -> Result:
    """Runs a check; once the bot has left the file `waits`, so many seconds pass in no time."""
    clock = Hurrying()

    async def hurry() -> None:
        while waits is None or not waits.exists():
            await trio.sleep(0.01)
        clock.hurry(hurried)

    async def main() -> Result:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(hurry)
            result = await checking()
            nursery.cancel_scope.cancel()
        return result

    return trio.run(main, clock=clock)


def failed(checks: dict[str, Check]) -> list[str]:
    return [name for name, check in checks.items() if check.status == "failed"]


def python_bot(folder: Path, body: str, first: str = "") -> Path:
    """A folder with a Python bot that plays at random; `body` is added to its class.

    `first` is run first of all. In `body`, `wait` waits for ever, and says so.
    """
    place = bot_folder(folder, "bot", [sys.executable, "program.py"])
    (place / "program.py").write_text(
        f"import os, sys, threading\n{first}\nfrom arena.bot import Bot, serve\n"
        "def wait(*_):\n    open('waits', 'w').close()\n    threading.Event().wait()\n"
        "class Mine(Bot):\n    name = 'mine'\n"
        "    def choose(self, turn):\n        return self.rng.choice(turn.actions)\n"
        f"{body}\nserve(Mine)\n"
    )
    return place


# Good bots ------------------------------------------------------------------


@pytest.mark.parametrize("quick", [True, pytest.param(False, marks=pytest.mark.campaign)])
def test_a_good_bot_passes_and_each_point_is_a_line(quick):
    """Those of a quick check are made with fewer games; in either, the bot may be contained."""
    contained = [] if missing(Level.BASIC) else ["--sandbox", "basic"]
    done = arena("check-bot", BOTS / "greedy-python", *contained, *["--quick"] * quick)
    *lines, verdict = done.stdout.splitlines()
    assert [line[:4] for line in lines] == [f"{n:2} {'-' if n == 1 else '✓'}" for n in range(1, 17)]
    assert all(any(f"plays {game} " in line for line in lines) for game in GAMES)
    assert verdict == "ready for league night: 16 checks, 15 passed, 1 skipped"
    if quick:
        assert [re.sub(" +", " ", line[5:]) for line in lines if "plays nur" in line] == [
            "plays nur-mut 2 games: 2 to 7 seats"
        ]
        assert sum(" 2 games: " in line for line in lines) == len(GAMES)
        assert any("at once        8 tables, " in line for line in lines)
    games, estimate, *_ = done.stderr.splitlines()
    assert re.fullmatch(rf"16 checks with \d{{{2 if quick else 3}}} games", games)
    assert re.fullmatch(r"about \d+ (s|min) left", estimate)


@pytest.mark.parametrize(
    ("bot", "games"),
    [
        ("random-python", ["hyrule"]),
        pytest.param("thoughtful-python", ["kleftis", "hyrule"], marks=pytest.mark.campaign),
    ],
)
def test_json_holds_every_check(bot, games):
    asked = [part for game in games for part in ("--game", game)]
    done = arena("check-bot", BOTS / bot, *asked, "--json", "--quick")
    data = json.loads(done.stdout)
    assert (data["bot"], data["ready"]) == (str(BOTS / bot), True)
    assert [item["number"] for item in data["checks"]] == list(range(1, 12 + len(games)))
    assert {item["status"] for item in data["checks"]} == {"passed", "skipped"}
    measured = {name: value for item in data["checks"] for name, value in item["measured"].items()}
    assert measured["decisions_per_s"] > 0
    assert 0 < measured["p50_ms"] <= measured["p99_ms"] <= measured["slowest_ms"] < measured["limit_ms"]
    assert {"start_s", "end_s", "exit_s", "games", "tables", "max_tables", "printed_bytes"} <= set(measured)


def test_a_bot_that_runs_elsewhere_is_dialled_and_left_running(tmp_path):
    socket = tmp_path / "bot.sock"
    program = [sys.executable, str(BOTS / "random-python" / "random_bot.py")]
    bot = subprocess.Popen(program, env={**os.environ, "ARENA_LISTEN": f"unix:{socket}"})
    try:
        with grpc.insecure_channel(f"unix:{socket}") as channel:
            grpc.channel_ready_future(channel).result(PATIENCE)
        for _ in range(2):
            checks = check(Entrant("it", address=f"unix:{socket}"))
            assert failed(checks) == []
            skipped = [name for name, check in checks.items() if check.status == "skipped"]
            assert skipped == [
                "builds", "runs beside a second instance", "comes back after a crash", "ends on SIGTERM",
                "joins", "keeps its log short",
            ]  # fmt: skip
        assert bot.poll() is None
    finally:
        bot.send_signal(signal.SIGTERM)
        assert bot.wait(PATIENCE) == 0


def test_it_is_checked_under_the_clock_that_is_given(tmp_path):
    """It also gets time to come back after a crash, however short that clock is."""
    body = """
    def choose(self, turn):
        clock = self.table.bank, self.table.increment, self.table.move
        assert clock in ((90.0, 0.0, 77.0), (110.0, 0.0, 97.0)), clock
        return turn.actions[0]
"""
    clock = ["--bank", "90s", "--increment", "0s", "--move", "77s"]
    done = arena("check-bot", python_bot(tmp_path, body), "--game", "hyrule", "--quick", "--json", *clock)
    checks = {item["name"]: item for item in json.loads(done.stdout)["checks"]}
    assert checks["stays inside its clock"]["measured"]["limit_ms"] == 77_000


@pytest.mark.parametrize("option", [["--bank", "long"], ["--move", "0s"], ["--increment", "-1s"]])
def test_a_clock_that_is_none_is_wrong_use(tmp_path, option):
    done = arena("check-bot", bot_folder(tmp_path, "bot", ["x"]), *option, code=2)
    assert f"arena: invalid value for {option[0]}" in done.stderr


def test_every_number_of_seats_and_every_option_is_tried():
    for game in GAMES.values():
        tried = settings(game)
        assert len(set(map(str, tried))) == len(tried)
        defaults = {setting.seats for setting in tried if not setting.changed}
        assert defaults == set(game.seats(game.Options()))
        changed = {setting.changed.partition(" = ")[0] for setting in tried} - {""}
        assert changed == set(game.Options.__dataclass_fields__)
        assert all(setting.seats in game.seats(setting.options) for setting in tried)
    assert max(setting.seats for setting in settings(GAMES["nyuri"])) == 6  # by its option players


# Bots with a fault ----------------------------------------------------------

PLAYS = "plays hyrule"
TIME = "stays inside its clock"
ENDS = "ends on SIGTERM"  # the faulty bots do not handle it

WAYS = {
    "exits": (["starts"], "ended with exit code 1 before it listened"),
    "wrong-version": (["describes itself"], "speaks protocol version 99"),
    "one-game": (["describes itself", ENDS], "Describe names nyuri"),
    "raises": ([PLAYS, ENDS], "a slip in the bot"),
    "ends-stream": ([PLAYS, ENDS], "disconnect: broke off the stream: CANCELLED: enough"),
    "silent": ([PLAYS, TIME, ENDS], "timeout: no answer in the 0.100 s"),
    "out-of-range": ([PLAYS, ENDS], "illegal_action: action 4000000 chosen of"),
    "twice": ([PLAYS, ENDS], "unknown_turn"),
    "ignores-sigterm": ([ENDS], "it was still there and was killed"),
}
# Each is shown where one of the former is.
MORE_WAYS = {
    "wild-name": (["describes itself"], "wrong name: must have printable characters only"),
    "crashes": ([PLAYS, ENDS], "crash: the bot's process ended with exit code 7"),
    "hangs": ([PLAYS, TIME, ENDS], "timeout: no answer in the 0.100 s"),
    "unknown-table": ([PLAYS, ENDS], "unknown_turn: there is no table 4000000"),
    "oversized": ([PLAYS, ENDS], "protocol"),
    "babbles": ([PLAYS, ENDS], "unknown_turn: turn 999"),
    "leaves-a-daemon": ([ENDS], "SIGTERM ended it unhandled"),
}


@pytest.mark.parametrize(
    "way", [*WAYS, *(pytest.param(way, marks=pytest.mark.campaign) for way in MORE_WAYS)]
)
def test_each_faulty_way_fails_at_its_point(tmp_path, way):
    names, came = (WAYS | MORE_WAYS)[way]
    checks = check_folder(faulty_bot(tmp_path, way), clock=SHORT if way in ("silent", "hangs") else CLOCK)
    assert failed(checks) == names
    first = checks[names[0]]
    assert came in first.came
    assert first.expected
    assert first.fix


@pytest.mark.parametrize(
    ("way", "name", "came"),
    [
        ("never-listens", "starts", "does not listen after 10 s"),
        ("slow-describe", "describes itself", "the bot does not describe itself within 10 s"),
    ],
)
def test_a_bot_that_does_not_come_up_is_not_waited_for_forever(tmp_path, way, name, came):
    checks = check_folder(faulty_bot(tmp_path, way))
    assert failed(checks)[0] == name
    assert came in checks[name].came
    assert checks[PLAYS].status == "skipped"


def test_a_failing_point_says_what_was_expected_what_came_and_how_to_mend_it(tmp_path):
    done = arena("check-bot", faulty_bot(tmp_path, "exits"), code=1)
    assert (
        "\n 2 ✗ starts\n"
        "     expected: it listens within 10 s\n"
        "     came:     it ended with exit code 1 before it listened\n"
        "     fix:      run `"
    ) in done.stdout
    assert "       | no licence key\n" in done.stdout
    assert done.stdout.endswith("not ready: 16 checks, 1 failed, 15 skipped\n")
    assert json.loads(arena("check-bot", tmp_path / "exits", "--json", code=1).stdout)["ready"] is False


@CONTAINED
def test_what_fails_only_in_the_sandbox_is_tried_there_by_the_command_that_the_advice_names(tmp_path):
    bot = bot_folder(tmp_path, "cache", ["sh", "-c", "echo kept > cache || exit 5; exit 6"])
    done = arena("check-bot", bot, code=1)
    (advice,) = re.findall(
        r"fix: +run `arena (.*)`, in the same sandbox, and mend what it says; (.*)", done.stdout
    )
    command, limited = shlex.split(advice[0]), advice[1]
    assert command == ["check-bot", str(bot), "--shell", "sh -c 'echo kept > cache || exit 5; exit 6'"]
    tried = subprocess.run([*ARENA, *command], capture_output=True, text=True, timeout=PATIENCE)
    assert tried.returncode == 5
    assert "Permission denied" in tried.stdout
    assert tried.stderr == f"cache: {limited}\n"
    assert "has no network, 1 GiB of memory, 256 MiB in 10,000 files, and 24 processes" in limited
    assert not (bot / "cache").exists()


@CONTAINED
def test_a_shell_has_the_surroundings_of_the_bot(tmp_path):
    bot = bot_folder(tmp_path, "shows", ["sh", "-c", f"({SURROUNDINGS}) >&2; exit 1"])
    log = check(Entrant("bot", bot=manifest(bot), sandbox=Sandbox(Level.BASIC)))["starts"].output
    shell = [*ARENA, "check-bot", str(bot), "--sandbox", "basic", "--shell"]
    told = subprocess.run(shell, input=SURROUNDINGS, capture_output=True, text=True, timeout=PATIENCE)
    assert told.returncode == 0, told.stderr
    unlike = r"/\S*/arena-\w+|uid=.*|bot\.sock"  # of each process
    assert [*re.split(unlike, told.stdout.strip())] == [*re.split(unlike, log.strip())]


def test_a_shell_is_for_a_bot_that_the_arena_starts():
    assert "--shell is for a bot in a folder" in arena("check-bot", "localhost:1", "--shell", code=2).stderr


def test_a_fault_under_one_option_names_the_setting(tmp_path):
    body = """
    def choose(self, turn):
        return None if self.table.options.mode == "chance" else turn.actions[0]
"""
    checks = check_folder(python_bot(tmp_path, body))
    assert failed(checks) == [PLAYS]
    assert re.match(r'hyrule, [27] seats, mode = "chance", turn 1: illegal_action', checks[PLAYS].came)
    assert "which is not one of turn.actions" in checks[PLAYS].output


@pytest.mark.parametrize(
    ("returned", "advice"),
    [
        ("0", "mine chose 0, which is not one of turn.actions: return turn.actions[0] itself"),
        pytest.param(
            "None", "choose has to return one of them, whatever way it takes", marks=pytest.mark.campaign
        ),
    ],
)
def test_what_is_wrong_with_every_game_is_explained_once(tmp_path, returned, advice):
    folder = python_bot(tmp_path, f"    def choose(self, turn):\n        return {returned}")
    games = ("--quick", "--game", "hyrule", "--game", "kleftis")
    if returned == "0":
        shown = arena("check-bot", folder, *games, code=1).stdout
        assert shown.count("in Python, return one of turn.actions itself") == 1
        assert advice in shown
        assert shown.count("last lines of output") == 1
        assert shown.count("     fix:      as for 4\n") == 1
    else:
        data = json.loads(arena("check-bot", folder, *games, "--json", code=1).stdout)
        wrong = [item for item in data["checks"] if item["status"] == "failed"]
        assert advice in wrong[0]["output"]
        assert [item["same_as"] for item in wrong] == [0, 4]


def test_a_program_that_forgets_to_serve_is_told_so(tmp_path):
    checks = check_folder(bot_folder(tmp_path, "bot", [sys.executable, "-c", "pass"]))
    assert failed(checks) == ["starts"]
    assert checks["starts"].came == "it ended with exit code 0 before it listened"
    assert "serve(MyBot)" in checks["starts"].fix


def test_a_bot_that_does_not_come_back_fails_there(tmp_path):
    lock = str(tmp_path / "lock")
    first = f"if os.path.exists({lock!r}): sys.exit('already running')\nopen({lock!r}, 'w')"
    checks = check_folder(python_bot(tmp_path, "", first))
    assert failed(checks) == ["runs beside a second instance", "comes back after a crash"]
    assert "ended with exit code 1 before it listened" in checks["comes back after a crash"].came
    assert "already running" in checks["comes back after a crash"].output


JOINED = "if 'ARENA_JOIN' in os.environ: "
NAMELESS = f"""
import arena.bot.server
from arena.v1.bot_pb2 import DescribeResponse
{JOINED}arena.bot.server.description_of = lambda bot: DescribeResponse(protocol_version=1)
"""
AT_EXIT = f"import atexit\n{JOINED}atexit.register"


@pytest.mark.campaign
def test_a_bot_that_joins_wrongly_fails_there(tmp_path):
    checks = check_folder(python_bot(tmp_path, AT_EXIT + "(os._exit, 3)"))
    assert failed(checks) == ["joins"]
    assert "exit code 3" in checks["joins"].came
    assert checks["joins"].expected
    assert checks["joins"].fix


@pytest.mark.parametrize("busy", [True, False])
def test_what_fails_on_a_busy_machine_is_tried_again(tmp_path, busy):
    """The machine is as busy as the test says: the bot fails once, as if a limit of time had met it."""
    once = "if not os.path.exists('failed'):\n            open('failed', 'w')\n            os._exit(3)\n"
    body = f"    def choose(self, turn):\n        {once}        return turn.actions[0]\n"
    told: list[Check] = []
    checking = partial(
        check_bot,
        Entrant("bot", bot=manifest(python_bot(tmp_path, body))),
        Conditions(games=("hyrule",), clock=CLOCK, tables=8),
        told.append,
        lambda line: None,
        used=lambda: {"thread": Used(0.0, 0.7 * time.monotonic())} if busy else {},
    )
    trio.run(checking)
    assert [check.name for check in told if check.status == "failed"] == ([] if busy else [PLAYS])


WITHOUT_PLEDGE = "import arena.bot.answering\narena.bot.answering.pledge_of = lambda secret: b''\n"


def test_a_standing_league_asks_no_bot_to_join_and_no_bot_needs_bytes_of_its_own(tmp_path):
    checks = check_folder(python_bot(tmp_path, WITHOUT_PLEDGE + AT_EXIT + "(os._exit, 3)"), joins=False)
    assert failed(checks) == []
    assert checks["joins"].status == "skipped"
    assert checks["describes itself"].status == "passed"
    assert "it puts no bytes of its own into the deals" in checks["describes itself"].text


@pytest.mark.parametrize(
    ("body", "came"),
    [
        (
            "import atexit\n"
            "if os.environ.get('ARENA_TOKEN') == 'no-such-token': atexit.register(os._exit, 0)",
            "exit code 0",
        ),
        pytest.param(
            "import arena.bot.join\narena.bot.join.GIVE_UP_AFTER = -1",
            "it ended with exit code 1",
            marks=pytest.mark.campaign,
        ),
        (JOINED + "Mine.choose = wait", "it answered too few turns"),
        pytest.param(
            NAMELESS, "refused: guest describes itself with a wrong name", marks=pytest.mark.campaign
        ),
    ],
)
def test_each_way_to_join_wrongly_is_told(tmp_path, body, came):
    check = check_joins(python_bot(tmp_path, body))
    assert check.status == "failed"
    assert came in check.came
    assert check.expected
    assert check.fix


def test_a_bot_that_does_not_exit_after_it_joined_is_not_waited_for_forever(tmp_path):
    check = check_joins(python_bot(tmp_path, AT_EXIT + "(wait)"), hurried=5.5)
    assert check.status == "failed"
    assert "it was still there" in check.came


def test_a_bot_that_does_not_join_at_all_is_only_noted(tmp_path):
    first = f"""
if os.environ.pop('ARENA_JOIN', 0):
    os.environ['ARENA_LISTEN'] = 'unix:{tmp_path}/it.sock'
    open('waits', 'w').close()
"""
    check = check_joins(python_bot(tmp_path, "", first))
    assert check.status == "noted"
    assert f"did not dial in at ARENA_JOIN within {PATIENCE:g} s" in check.text


class ByChance(Bot):
    """Chooses without its seed, as a bot seems to that thinks by the clock."""

    name = "by chance"

    def choose(self, turn: Turn) -> Action:
        return turn.actions[os.urandom(1)[0] % len(turn.actions)]


def test_a_bot_that_follows_the_clock_is_only_noted_not_to_be_reproducible():
    with served_here(ByChance) as address:
        checks = check(Entrant("bot", address=address))
    assert failed(checks) == []
    noted = checks["plays the same board the same way"]
    assert noted.status == "noted"
    assert "thinks by the clock; any other bot should take all randomness from the seed" in noted.text


class OneTable(Bot):
    """Fails where it is given several tables."""

    name = "one table"
    max_tables = 1
    playing: ClassVar[set[Bot]] = set()

    def __init__(self, table: TableInfo) -> None:
        super().__init__(table)
        self.playing.add(self)
        assert len(self.playing) <= 2  # one begins in the batch in which the other ends

    def choose(self, turn: Turn) -> Action:
        return self.rng.choice(turn.actions)

    def ended(self, outcome: Outcome | None) -> None:
        self.playing.remove(self)


def test_a_bot_that_plays_one_table_at_a_time_is_given_no_more():
    with served_here(OneTable) as address:
        checks = check(Entrant("bot", address=address))
    assert failed(checks) == []
    assert checks["answers many tables at once"].status == "skipped"


@pytest.mark.campaign
def test_a_bot_that_prints_too_much_fails(tmp_path):
    prints = "print('x' * (1 << 20))"
    checks = check_folder(python_bot(tmp_path, f"    choose = None\n{prints}"))
    assert failed(checks) == [PLAYS, "keeps its log short"]
    (tmp_path / "joins").mkdir()
    assert check_joins(python_bot(tmp_path / "joins", prints)).status == "passed"


def test_a_bot_that_cannot_be_built_fails_there(tmp_path):
    folder = python_bot(tmp_path, "")
    with (folder / "bot.toml").open("a") as file:
        file.write("[build]\ncommand = \"sh -c 'echo a slip; exit 1'\"\n")
    done = arena("check-bot", folder, code=1)
    assert "building bot ..." in done.stderr
    assert "       | a slip\n" in done.stdout
    assert done.stdout.endswith("not ready: 16 checks, 1 failed, 15 skipped\n")


def test_arena_run_stops_before_the_first_game_where_a_bot_cannot_be_built(tmp_path):
    folder = python_bot(tmp_path, "")
    with (folder / "bot.toml").open("a") as file:
        file.write('[build]\ncommand = "no-such-tool"\n')
    tournament = tmp_path / "t.toml"
    entrants = "".join(f'[[entrant]]\nbot = "{bot}"\n' for bot in (BOTS / "random-python", folder))
    tournament.write_text(f'name = "t"\n{entrants}')
    done = arena("run", tournament, "--league", tmp_path / "t.league", code=2)
    assert done.stderr.splitlines()[-1] == (
        "arena: bot cannot be built: there is no program no-such-tool on the PATH: "
        "install it, or correct bot.toml"
    )


def test_ctrl_c_ends_it_in_the_middle_of_a_game_and_leaves_nothing(tmp_path):
    command = [*ARENA, "check-bot", str(python_bot(tmp_path, ""))]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    ) as checking:
        assert checking.stdout is not None
        while "describes itself" not in checking.stdout.readline():
            assert checking.poll() is None
        checking.send_signal(signal.SIGINT)
        _, errors = checking.communicate(timeout=PATIENCE)
    assert checking.returncode == 130, errors
    assert errors.strip().endswith("\narena: ended by Ctrl-C")
    assert sorted(os.listdir(tmp_path)) == ["bot"]


# Wrong use ------------------------------------------------------------------


def test_nobody_at_the_address_is_a_failure(tmp_path):
    done = arena("check-bot", f"unix:{tmp_path}/nobody.sock", code=1)
    assert " 2 ✗ listens\n" in done.stdout
    assert "it cannot be reached" in done.stdout


def test_wrong_use_is_one_sentence(tmp_path):
    done = arena("check-bot", tmp_path, code=2)
    assert "there is no bot.toml in it" in done.stderr
    folder = bot_folder(tmp_path, "bot", ["x"])
    with (folder / "bot.toml").open("r+") as file:
        text = file.read()
        file.seek(0)
        file.write('games = ["nyuri"]\n' + text)
    done = arena("check-bot", folder, "--game", "hyrule", code=2)
    assert "bot does not play hyrule; it plays nyuri" in done.stderr
    arena("check-bot", folder, "--game", "chess", code=2)
