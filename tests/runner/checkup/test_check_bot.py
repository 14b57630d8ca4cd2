"""`arena check-bot`: good bots pass, and each faulty bot fails the right check with a useful text."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import grpc
import pytest
import trio

from arena.games import GAMES
from arena.link.local.sandbox import Level, missing
from arena.runner.checkup.checklist import check_bot
from arena.runner.checkup.session import settings
from arena.runner.checkup.values import Check, Conditions
from arena.runner.entrants import Entrant
from arena.table.clock import SECOND, TimeControl
from tests.arena_command import ARENA
from tests.arena_command import arena as arena_in
from tests.bots_for_tests import bot_folder, faulty_bot, manifest
from tests.patience import PATIENCE

BOTS = Path(__file__).parents[3] / "bots"
CLOCK = TimeControl(bank=60 * SECOND, increment=0, move=20 * SECOND)
SHORT = CLOCK._replace(move=2 * SECOND)  # for bots that do not answer


def arena(*arguments, code: int = 0) -> subprocess.CompletedProcess[str]:
    return arena_in(*arguments, cwd=Path.cwd(), code=code)


def check(entrant: Entrant, **conditions) -> dict[str, Check]:
    """The checks of a bot that plays only the shortest game, by their names."""
    given = Conditions(**{"games": ("hyrule",), "clock": CLOCK, "tables": 8, **conditions})
    told: list[Check] = []
    checks = trio.run(check_bot, entrant, given, told.append, lambda line: None)
    assert told == checks
    assert [check.number for check in checks] == list(range(1, len(checks) + 1))
    return {check.name: check for check in checks}


def check_folder(folder: Path, **conditions) -> dict[str, Check]:
    return check(Entrant("bot", bot=manifest(folder)), **conditions)


def failed(checks: dict[str, Check]) -> list[str]:
    return [name for name, check in checks.items() if check.status == "failed"]


def python_bot(folder: Path, body: str) -> Path:
    """A folder with a Python bot that plays at random; `body` is added to its class."""
    place = bot_folder(folder, "bot", [sys.executable, "program.py"])
    (place / "program.py").write_text(
        "import os, sys, threading\nfrom arena.bot import Bot, serve\n"
        "class Mine(Bot):\n    name = 'mine'\n"
        "    def choose(self, turn):\n        return self.rng.choice(turn.actions)\n"
        f"{body}\nserve(Mine)\n"
    )
    return place


# Good bots ------------------------------------------------------------------


def test_a_good_bot_passes_and_each_point_is_a_line():
    done = arena("check-bot", BOTS / "greedy-python")
    *lines, verdict = done.stdout.splitlines()
    assert [line[:4] for line in lines] == [f"{n:2} {'-' if n == 1 else '✓'}" for n in range(1, 17)]
    assert all(any(f"plays {game} " in line for line in lines) for game in GAMES)
    assert verdict == "ready for league night: 16 checks, 15 passed, 1 skipped"
    games, estimate, *_ = done.stderr.splitlines()
    assert re.fullmatch(r"16 checks with \d{3} games", games)
    assert re.fullmatch(r"about \d+ (s|min) left", estimate)


@pytest.mark.parametrize("bot", ["random-python", "thoughtful-python"])
def test_json_holds_every_check(bot):
    quick = ["--quick"] if bot == "thoughtful-python" else []  # it takes its time
    done = arena("check-bot", BOTS / bot, "--game", "kleftis", "--game", "hyrule", "--json", *quick)
    data = json.loads(done.stdout)
    assert (data["bot"], data["ready"]) == (str(BOTS / bot), True)
    assert [item["number"] for item in data["checks"]] == list(range(1, 14))
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


def test_a_quick_check_makes_every_point_with_fewer_games():
    contained = [] if missing(Level.BASIC) else ["--sandbox", "basic"]
    data = json.loads(arena("check-bot", BOTS / "greedy-python", "--quick", "--json", *contained).stdout)
    assert data["ready"]
    checks = {item["name"]: item for item in data["checks"]}
    assert len(checks) == 16
    assert checks["joins"]["status"] == "passed"
    assert checks["plays nur-mut"]["text"] == "2 games: 2 to 7 seats"
    assert all(checks[f"plays {game}"]["measured"]["games"] == 2 for game in GAMES)
    assert checks["answers many tables at once"]["measured"]["tables"] == 8


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
    "wild-name": (["describes itself"], "wrong name: must have printable characters only"),
    "one-game": (["describes itself", ENDS], "Describe names nyuri"),
    "crashes": ([PLAYS, ENDS], "crash: the bot's process ended with exit code 7"),
    "raises": ([PLAYS, ENDS], "a slip in the bot"),
    "ends-stream": ([PLAYS, ENDS], "disconnect: broke off the stream: CANCELLED: enough"),
    "silent": ([PLAYS, TIME, ENDS], "timeout: no answer in the 2.000 s"),
    "hangs": ([PLAYS, TIME, ENDS], "timeout: no answer in the 2.000 s"),
    "out-of-range": ([PLAYS, ENDS], "illegal_action: action 4000000 chosen of"),
    "twice": ([PLAYS, ENDS], "unknown_turn"),
    "unknown-table": ([PLAYS, ENDS], "unknown_turn: there is no table 4000000"),
    "oversized": ([PLAYS, ENDS], "protocol"),
    "babbles": ([PLAYS, ENDS], "unknown_turn: turn 999"),
    "ignores-sigterm": ([ENDS], "it was still there and was killed"),
    "leaves-a-daemon": ([ENDS], "SIGTERM ended it unhandled"),
}


@pytest.mark.parametrize("way", WAYS)
def test_each_faulty_way_fails_at_its_point(tmp_path, way):
    names, came = WAYS[way]
    checks = check_folder(faulty_bot(tmp_path, way), clock=SHORT if way in ("silent", "hangs") else CLOCK)
    assert failed(checks) == names
    first = checks[names[0]]
    assert came in first.came
    assert first.expected
    assert first.fix


@pytest.mark.parametrize(
    ("way", "patience", "name", "came"),
    [
        ("never-listens", 2, "starts", "does not listen after 2 s"),
        ("slow-describe", 6, "describes itself", "the bot does not describe itself within 6 s"),
    ],
)
def test_a_bot_that_does_not_come_up_is_not_waited_for_forever(tmp_path, way, patience, name, came):
    checks = check_folder(faulty_bot(tmp_path, way), patience=patience)
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
        ("None", "choose has to return one of them, whatever way it takes"),
    ],
)
def test_what_is_wrong_with_every_game_is_explained_once(tmp_path, returned, advice):
    folder = python_bot(tmp_path, f"    def choose(self, turn):\n        return {returned}")
    games = ("--quick", "--game", "hyrule", "--game", "kleftis", "--game", "forty-one")
    shown = arena("check-bot", folder, *games, code=1).stdout
    assert shown.count("in Python, return one of turn.actions itself") == 1
    assert advice in shown
    assert shown.count("last lines of output") == 1
    assert shown.count("     fix:      as for 4\n") == 2
    if returned == "None":
        data = json.loads(arena("check-bot", folder, *games, "--json", code=1).stdout)
        assert [item["same_as"] for item in data["checks"] if item["status"] == "failed"] == [0, 4, 4]


def test_a_program_that_forgets_to_serve_is_told_so(tmp_path):
    checks = check_folder(bot_folder(tmp_path, "bot", [sys.executable, "-c", "pass"]))
    assert failed(checks) == ["starts"]
    assert checks["starts"].came == "it ended with exit code 0 before it listened"
    assert "serve(MyBot)" in checks["starts"].fix


def test_a_bot_that_does_not_come_back_fails_there(tmp_path):
    lock = str(tmp_path / "lock")
    body = f"if os.path.exists({lock!r}): sys.exit('already running')\nopen({lock!r}, 'w')"
    checks = check_folder(python_bot(tmp_path, body))
    assert failed(checks) == ["runs beside a second instance", "comes back after a crash"]
    assert "ended with exit code 1 before it listened" in checks["comes back after a crash"].came
    assert "already running" in checks["comes back after a crash"].output


JOINED = "if 'ARENA_JOIN' in os.environ: "


@pytest.mark.parametrize(
    ("body", "came"),
    [
        ("import atexit\n" + JOINED + "atexit.register(threading.Event().wait)", "it was still there"),
        ("import atexit\n" + JOINED + "atexit.register(os._exit, 3)", "exit code 3"),
        (
            "import atexit\n"
            "if os.environ.get('ARENA_TOKEN') == 'no-such-token': atexit.register(os._exit, 0)",
            "exit code 0",
        ),
        ("import arena.bot.join\narena.bot.join.GIVE_UP_AFTER = -1", "it ended with exit code 1"),
        (JOINED + "Mine.choose = lambda self, turn: threading.Event().wait()", "it answered too few turns"),
        (JOINED + "Mine.name = ''", "refused: guest describes itself with a wrong name"),
    ],
)
def test_a_bot_that_joins_wrongly_fails_there(tmp_path, body, came):
    checks = check_folder(python_bot(tmp_path, body), patience=6)
    assert failed(checks) == ["joins"]
    assert came in checks["joins"].came
    assert checks["joins"].expected
    assert checks["joins"].fix


def test_a_bot_that_does_not_join_at_all_is_only_noted(tmp_path):
    elsewhere = f"unix:{tmp_path}/it.sock"
    body = f"os.environ.pop('ARENA_JOIN', 0)\nos.environ.setdefault('ARENA_LISTEN', {elsewhere!r})"
    checks = check_folder(python_bot(tmp_path, body), patience=5)
    assert failed(checks) == []
    assert checks["joins"].status == "noted"
    assert "did not dial in at ARENA_JOIN within 5 s" in checks["joins"].text


def test_a_bot_that_follows_the_clock_is_only_noted_not_to_be_reproducible(tmp_path):
    body = """
    def choose(self, turn):
        return turn.actions[os.urandom(1)[0] % len(turn.actions)]
"""
    checks = check_folder(python_bot(tmp_path, body))
    assert failed(checks) == []
    noted = checks["plays the same board the same way"]
    assert noted.status == "noted"
    assert "thinks by the clock; any other bot should take all randomness from the seed" in noted.text


def test_a_bot_that_plays_one_table_at_a_time_is_given_no_more(tmp_path):
    body = """
    max_tables = 1
    playing = set()
    def __init__(self, table):
        super().__init__(table)
        self.playing.add(self)
        assert len(self.playing) <= 2  # one begins in the batch in which the other ends
    def ended(self, outcome):
        self.playing.remove(self)
"""
    checks = check_folder(python_bot(tmp_path, body))
    assert failed(checks) == []
    assert checks["answers many tables at once"].status == "skipped"


def test_a_bot_that_prints_too_much_fails(tmp_path):
    checks = check_folder(python_bot(tmp_path, "print('x' * (1 << 20))"))
    assert failed(checks) == ["keeps its log short"]


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
