"""Tournaments of bots in a sandbox have the same games, and bots get only what the host allows."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from arena.league.tournament_file import parse_tournament
from arena.link.local.sandbox import Level, missing
from tests.arena_command import ARENA, arena
from tests.bots_for_tests import FIRST, UNHURRIED, bot_folder
from tests.patience import PATIENCE
from tests.referee.night_here import Night
from tests.referee.nights import games_in, wait_for, write_tournament

pytestmark = pytest.mark.skipif(
    bool(missing(Level.BASIC)), reason="this system does not offer all of the sandbox"
)


def own_bot(folder: Path, name: str, needs: str = "", program: str = FIRST) -> Path:
    """A bot that has all of itself in its folder."""
    place = bot_folder(folder, name, [sys.executable, "first.py"])
    (place / "first.py").write_text(program)
    with (place / "bot.toml").open("a") as manifest:
        manifest.write(needs)
    return place


ONE_INSTANCE = 'shared_cards = "none"\n'
"""With cards of their own in every game the bots have one instance each, and so one process."""

WRITES = '[needs]\nwritable = ["kept"]\n'


@pytest.mark.campaign
def test_the_games_are_the_same_with_and_without_walls(tmp_path):
    bots = [own_bot(tmp_path, f"bot {number}") for number in range(2)]
    path = write_tournament(tmp_path, bots, f'games = ["hyrule", "nur-mut"]\n{ONE_INSTANCE}')
    results = []
    levels = [level for level in Level if not missing(level)]
    for level in levels:
        league = tmp_path / f"{level}.league"
        options = ["--league", league, "--seed", "walls", "--sandbox", level]
        done = arena("run", path, *options, cwd=tmp_path)
        assert ("contained: 2 bots at level basic" in done.stderr) == (level is Level.BASIC)
        arena("verify", league, cwd=tmp_path)
        lines = arena("export", league, cwd=tmp_path).stdout.splitlines()
        games = [game for line in lines if (game := json.loads(line).get("game"))]
        results.append(sorted(json.dumps(game["record"], sort_keys=True) for game in games))
    assert results[0]
    assert results == results[:1] * len(levels)


def test_the_file_says_who_is_contained(tmp_path):
    bots = [own_bot(tmp_path, "one"), own_bot(tmp_path, "two")]
    head = f'games = ["hyrule"]\nsandbox = "basic"\n{ONE_INSTANCE}'
    path = write_tournament(tmp_path, bots, head)
    path.write_text(path.read_text() + 'sandbox = "none"\n')  # of the last entrant
    assert "contained: 1 bot at level basic, 1 bot at level none" in arena("run", path, cwd=tmp_path).stderr
    league = tmp_path / "tournament.league"
    shown = arena("standings", league, cwd=tmp_path).stdout
    assert "contained: 1 bot at level basic, 1 bot at level none." in shown
    (altered,) = json.loads(arena("standings", league, "--json", cwd=tmp_path).stdout)["altered"]
    assert (altered["kind"], altered["levels"]) == ("contain", ["basic", "none"])
    arena("verify", league, cwd=tmp_path)
    exported = tmp_path / "all.jsonl"
    arena("export", league, "-o", exported, cwd=tmp_path)
    arena("import", exported, tmp_path / "copy.league", cwd=tmp_path)
    assert arena("standings", tmp_path / "copy.league", cwd=tmp_path).stdout == shown


@pytest.mark.parametrize(
    ("needs", "allow", "problem"),
    [
        ("[needs]\nnetwork = true\n", "", "asks for the network"),
        ('[needs]\nmemory = "4GiB"\n', "", "asks for 4 GiB of memory, and 2 GiB are allowed"),
        ("[needs]\nthreads = 8\n", "", "asks for 8 threads, and 4 are allowed"),
        ('[needs]\nwritable = ["cache"]\n', "[allow]\nwritable = false\n", "asks to write in its folder"),
        ("[needs]\nlocks = true\n", "", "asks to lock files"),
        ("[needs]\nthreads = 8\n", "[allow]\nthreads = 8\n", None),
        ("[needs]\nlocks = true\n", "[allow]\nlocks = true\n", None),
    ],
)
def test_a_bot_gets_what_the_host_allows(tmp_path, needs, allow, problem):
    bots = [own_bot(tmp_path, "one", needs), "two"]
    head = f'games = ["hyrule"]\nsandbox = "basic"\n{allow}'
    path = write_tournament(tmp_path, bots, head)
    if problem:
        told = arena("run", path, cwd=tmp_path, code=2).stderr
        assert problem in told
        assert told.count("\n") == 1
    else:
        (one, _) = parse_tournament(path.read_text(), path).entrants
        assert one.bot is not None
        assert one.sandbox.needs == one.bot.needs
    trusting = path.read_text().replace('sandbox = "basic"\n', 'sandbox = "none"\n')
    (one, _) = parse_tournament(trusting, path).entrants  # if it is trusted it has all of it
    assert one.sandbox.level is Level.NONE


def test_a_bot_that_was_allowed_what_it_needs_plays(tmp_path):
    bots = [own_bot(tmp_path, "one", "[needs]\nthreads = 8\nlocks = true\n"), "two"]
    head = 'games = ["hyrule"]\nsandbox = "basic"\n[allow]\nthreads = 8\nlocks = true\n'
    assert "contained: 1 bot at" in arena("run", write_tournament(tmp_path, bots, head), cwd=tmp_path).stderr


@pytest.mark.campaign
def test_where_nobody_says_bots_are_contained(tmp_path):
    bots = [own_bot(tmp_path, "one"), own_bot(tmp_path, "two")]
    path = write_tournament(tmp_path, bots, f'games = ["hyrule"]\n{ONE_INSTANCE}')
    assert "contained: 2 bots at level basic" in arena("run", path, cwd=tmp_path).stderr
    outside = own_bot(tmp_path, "outside")
    (outside / "first.py").rename(tmp_path / "first.py")
    (outside / "bot.toml").write_text(
        f'name = "outside"\n[run]\ncommand = ["python", "{tmp_path}/first.py"]\n'
    )
    check = ("check-bot", outside, "--quick", "--game", "hyrule")
    assert "Permission denied" in arena(*check, cwd=tmp_path, code=1).stdout
    path = write_tournament(tmp_path, [outside, "served"], 'games = ["hyrule"]')
    arena("run", path, "--sandbox", "none", "--league", "trusting.league", cwd=tmp_path)


def test_where_the_system_has_less_than_basic_that_is_said_and_all_is_played(tmp_path):
    """Also as root, whose bots have a user of their own only if that one finds what they need."""
    bots = [own_bot(tmp_path, "one"), own_bot(tmp_path, "two", WRITES)]
    path = write_tournament(tmp_path, bots, f'games = ["hyrule"]\n{ONE_INSTANCE}')
    command = [sys.executable, Path(__file__).with_name("old_kernel.py"), *ARENA]

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        words = [*map(str, command), *map(str, arguments)]
        return subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE)

    done = run("run", path)
    assert done.returncode == 0, done.stderr
    assert (
        done.stderr.count("bots are contained as far as this machine can, which lacks containment of files")
        == 1
    )
    lacked = (
        "contained: 2 bots at level basic, as far as the machine could, which lacked containment of files"
    )
    assert lacked in done.stderr
    assert lacked in " ".join(arena("standings", "tournament.league", cwd=tmp_path).stdout.split())
    shown = json.loads(arena("standings", "tournament.league", "--json", cwd=tmp_path).stdout)
    (noted,) = shown["altered"]
    assert noted["levels"] == ["basic"] * 2
    assert noted["lacking"][0].startswith("containment of files")
    arena("verify", "tournament.league", cwd=tmp_path)
    refused = run("run", path, "--sandbox", "basic", "--league", "other.league")
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1
    assert 'take "none" if you trust the bots' in refused.stderr


@pytest.mark.campaign
def test_what_began_on_a_machine_with_less_than_basic_goes_on_there_and_elsewhere(tmp_path):
    bots = [own_bot(tmp_path, name, program=UNHURRIED) for name in ("one", "two")]
    path = write_tournament(tmp_path, bots, f'games = ["hyrule"]\nboards = 20000\n{ONE_INSTANCE}')
    league = tmp_path / "tournament.league"
    old = [sys.executable, str(Path(__file__).with_name("old_kernel.py")), *ARENA]
    for command in ([*old, "run", str(path)], [*old, "resume", str(league)]):
        before = games_in(league) if league.exists() else 0
        with (tmp_path / "errors").open("wb") as errors:
            referee = subprocess.Popen(command, cwd=tmp_path, stderr=errors)
            wait_for(lambda: (referee.poll() is not None) or games_in(league) > before)  # noqa: B023 - now
            assert referee.poll() is None, (tmp_path / "errors").read_text()
            referee.send_signal(signal.SIGINT)
            referee.wait(PATIENCE)
    with Night(tmp_path, None) as here:
        here.play(1)
    shown = arena("standings", league, "--json", "--no-intervals", cwd=tmp_path).stdout
    noted = [bool(each["lacking"]) for each in json.loads(shown)["altered"] if each["kind"] == "contain"]
    assert noted == [True, False]


def test_who_was_contained_by_the_command_line_stays_so_when_it_goes_on_and_so_is_a_late_bot(tmp_path):
    """It is stopped in the middle, and nobody says the level again."""
    level = Level.BASIC if missing(Level.STRICT) else Level.STRICT  # the other than the default, if possible
    bots = [own_bot(tmp_path, name) for name in ("one", "two")]
    late = own_bot(tmp_path, "late", '[needs]\nmemory = "4GiB"\n')
    head = 'games = ["hyrule"]\nboards = 20000\n'
    with Night(tmp_path, bots, head, sandbox=level) as night:
        night.play(3)
        refused = arena("host", "admit", night.league, late, cwd=tmp_path, code=2).stderr
    assert "asks for 4 GiB of memory" in refused
    (late / "bot.toml").write_text((late / "bot.toml").read_text().replace("4GiB", "1GiB"))
    arena("host", "admit", night.league, late, cwd=tmp_path)
    with Night(tmp_path, None) as again:
        again.play(1)
        arena("host", "end", again.league, cwd=tmp_path)
        again.end()
    shown = arena("standings", night.league, "--json", "--no-intervals", cwd=tmp_path).stdout
    noted = [each["levels"] for each in json.loads(shown)["altered"] if each["kind"] == "contain"]
    assert noted == [[level] * 2, [level] * 3]
    arena("verify", night.league, cwd=tmp_path)


def test_a_league_that_a_bot_could_read_is_refused(tmp_path):
    bot = own_bot(tmp_path, "one")
    path = write_tournament(tmp_path, [bot, own_bot(tmp_path, "two")], 'games = ["hyrule"]\n')
    done = arena("run", path, "--league", bot / "a.league", "--sandbox", "basic", cwd=tmp_path, code=2)
    assert "would lie in the folder of one" in done.stderr
