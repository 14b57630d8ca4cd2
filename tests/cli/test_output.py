"""The output of the command: no control characters, and no characters that its encoding lacks."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.cli.output import escaped_json
from arena.league.store import League
from arena.text import LINE_LIMIT, one_line, printable
from tests.arena_command import ARENA, in_this_process
from tests.bots_for_tests import bot_folder, entrant, keeping_folder
from tests.patience import PATIENCE
from tests.referee.simulation import simulate

EVIL = "\x1b]0;owned\x07\x1b[2J\x9b2J\u202e\u2028 the end"
SHOWN = "\\x1b]0;owned\\x07\\x1b[2J\\x9b2J\\u202e\\u2028 the end"

# Raises at its first turn, once in all its processes; or always, if it is told so.
RAISES = f"""
import os
from arena.bot import Bot, serve

class Raising(Bot):
    name = "raising"
    def choose(self, turn):
        try:
            os.close(os.open("kept/failed", os.O_CREAT | (0 if os.path.exists("kept/always") else os.O_EXCL)))
        except FileExistsError:
            return turn.actions[0]
        raise RuntimeError({EVIL!r})

serve(Raising)
"""
# Never comes up.
EXITS = f"print('a line\\n' + {EVIL!r}); raise SystemExit(3)"
# Plays.
CALM = """
from arena.bot import Bot, serve

class Calm(Bot):
    name = "calm"
    def choose(self, turn):
        return turn.actions[0]

serve(Calm)
"""


def arena(*arguments: object, cwd: Path, code: int = 0, encoding: str = "utf-8") -> tuple[bytes, bytes]:
    """The standard output and the standard error of the command, in an encoding."""
    done = in_this_process(list(map(str, arguments)), cwd, encoding)
    assert done.exit_code == code, done.stderr
    assert b"Traceback" not in done.stderr_bytes
    return done.stdout_bytes, done.stderr_bytes


def harmless(output: bytes) -> str:
    """The text of an output, which must have no control characters for a terminal."""
    text = output.decode()
    assert text.replace("\n", "").isprintable(), text
    return text


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tournament file with two bots that print anything, and one that does not."""
    folder = tmp_path_factory.mktemp("night")
    entrants = ""
    for name, text in (("raising", RAISES), ("exits", EXITS), ("calm", CALM)):
        place = bot_folder(folder, name, [sys.executable, "bot.py"])
        (place / "bot.py").write_text(text, "utf-8")
        keeping_folder(place)
        entrants += f'[[entrant]]\nbot = "{place}"\n'
    (folder / "t.toml").write_text(f'name = "t"\ngames = ["hyrule"]\nboards = 1\n{entrants}')
    return folder


def test_what_bots_say_reaches_the_terminal_escaped_and_json_exactly(night):
    output, errors = arena("run", "t.toml", cwd=night, code=1)
    harmless(output)
    told = harmless(errors)
    assert f"exits ended with exit code 3 before it listened: {SHOWN}" in told
    assert f"raising was lost: broke off the stream: UNKNOWN: RuntimeError: {SHOWN}" in told
    harmless(arena("standings", "t.league", cwd=night)[0])
    harmless(arena("standings", "t.league", "--csv", cwd=night)[0])
    listed = json.loads(arena("replay", "t.league", "--json", cwd=night)[0])
    exact, shown = [], ""
    for game in listed:
        raw, _ = arena("replay", "t.league", game["number"], "--json", cwd=night)
        harmless(raw)
        exact += json.loads(raw)
        shown += harmless(arena("replay", "t.league", game["number"], "--positions", cwd=night)[0])
    for wanted in (f"RuntimeError: {EVIL}", f"before it listened: {EVIL} (see"):
        assert any(wanted in line for line in exact)
    for wanted in (f"RuntimeError: {SHOWN}", f"before it listened: {SHOWN} (see"):
        assert wanted in shown


@pytest.mark.parametrize(
    ("name", "check"),
    [pytest.param("raising", "plays hyrule", marks=pytest.mark.campaign), ("exits", "starts")],
)
def test_check_bot_shows_it_escaped_and_its_json_has_it_exactly(night, name, check):
    always = night / name / "kept" / "always"
    always.touch()  # a busy machine tries it again
    for as_json in (False, True):
        options = ["--json"] if as_json else []
        output, errors = arena("check-bot", name, "--game", "hyrule", *options, cwd=night, code=1)
        harmless(errors)
        text = harmless(output)
        if as_json:
            (found,) = (item for item in json.loads(text)["checks"] if item["name"] == check)
            assert EVIL in found["output"]
        else:
            assert f"| {'RuntimeError: ' if name == 'raising' else ''}{SHOWN}" in text
    always.unlink()


def test_on_a_terminal_the_bars_are_all_that_moves_it(night):
    (night / "raising" / "kept" / "failed").unlink(missing_ok=True)
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*ARENA, "run", "t.toml", "--league", "terminal.league"],
        cwd=night,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    ) as process:
        os.close(theirs)
        output = b""
        while data := _read(ours):
            output += data
        assert process.wait(PATIENCE) == 1
    os.close(ours)
    assert b"exits ended with exit code 3" in output
    for sequence in (b"\x1b]", b"\x1b[2J\xc2", "\x9b".encode(), "\u202e".encode(), b"\x07"):
        assert sequence not in output


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1 << 16)
    except OSError:
        return b""  # how Linux says that nobody has the other end


def test_wrong_use_is_told_escaped(tmp_path):
    for arguments in (
        ["replay", "no.league"],
        ["run", f"{EVIL}.toml"],
        [EVIL],
        ["check-bot", EVIL],
        ["games", EVIL],
    ):
        output, errors = arena(*arguments, cwd=tmp_path, code=2)
        assert output == b""
        harmless(errors)
    arena("standings", os.fsdecode(b"\xff.league"), cwd=tmp_path, code=2)


# Encodings ------------------------------------------------------------------

NAMED = {"PYTHONIOENCODING": "latin-1"}
OF_THE_SYSTEM = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
TOURNAMENT = """
name = "夜 – ♠"
games = ["nyuri"]
[[stage]]
format = "round-robin"
[[stage]]
format = "knockout"
advance = 2
"""


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A league with a bracket, cards and a name in Japanese."""
    path = tmp_path_factory.mktemp("leagues") / "l.league"
    with League.create_or_open(path) as store:
        simulate(store, TOURNAMENT, 3)
    return path


@pytest.mark.parametrize(
    ("encoding", "environment"), [("cp1252", None), ("latin-1", NAMED), ("ascii", OF_THE_SYSTEM)]
)
def test_what_an_encoding_lacks_is_replaced_and_json_stays_json(league, encoding, environment):
    def shown(*arguments: str) -> str:
        output, errors = arena(arguments[0], league, *arguments[1:], cwd=league.parent, encoding=encoding)
        assert errors == b""
        return output.decode(encoding)

    # A process of its own finds out its encoding, and prints the same.
    if environment:
        done = subprocess.run(
            [*ARENA, "standings", league, "--no-intervals"],
            env={**os.environ, **environment}, capture_output=True, timeout=PATIENCE,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout.decode(encoding) == shown("standings", "--no-intervals")
    assert shown("standings", "--no-intervals").startswith("? ")
    log = shown("replay", "1")
    exact = json.loads(shown("replay", "1", "--json"))
    assert any("♠" in line for line in exact)
    assert log.splitlines() == [line.translate(SUITS) for line in exact]
    assert json.loads(shown("standings", "--no-intervals", "--json"))["tournament"] == "夜 – ♠"


SUITS = dict(zip(map(ord, "♣♦♥♠"), "CDHS", strict=True))


def test_every_other_command_too(night, league):
    def shown(*arguments: object, code: int = 0) -> str:
        output, errors = arena(*arguments, cwd=night, code=code, encoding="ascii")
        return (output + errors).decode("ascii")

    for command in (
        ["games"], ["games", "nyuri"], ["init-bot", "--list"], ["--help"], ["verify", league],
        ["season", league], ["replay", league], ["standings", league, "--csv", "--no-intervals"],
    ):  # fmt: skip
        assert shown(*command)
    assert " 2 x starts" in shown("check-bot", "exits", code=1)
    assert shown("run", "♠.toml", code=2).startswith("arena: ")


# The cleaning itself --------------------------------------------------------


@given(st.text(st.characters()))
def test_every_text_becomes_printable_and_a_printable_one_stays(text):
    assert printable(text).replace("\n", "").isprintable()
    assert printable(text).count("\n") == text.count("\n")
    assert one_line(text).isprintable()
    assert printable(printable(text)) == printable(text)
    if text.isprintable():
        assert printable(text) == one_line(text) == text


@given(st.text(st.characters()))
def test_escaped_json_is_the_same_json(text):
    for ascii_only in (False, True):
        shown = escaped_json(json.dumps({"text": text}, indent=2, ensure_ascii=ascii_only))
        assert json.loads(shown) == {"text": text}
        assert shown.replace("\n", "").isprintable()


def test_what_becomes_of_each_kind():
    assert printable("a\tb\x1b[1m\x7f\x9b\u202e\u2029\ud800\u3000\xa0c\nd") == (
        "a       b\\x1b[1m\\x7f\\x9b\\u202e\\u2029\\ud800  c\nd"
    )
    assert one_line("a\r\nb") == "a\\r\\nb"
    half = LINE_LIMIT // 2
    assert one_line("the beginning" + "x" * 5000 + "the end") == (
        f"the beginning{'x' * (half - 13)} [...] {'x' * (half - 7)}the end"
    )
    assert one_line("abcdef", 6) == "abcdef"
    assert one_line("abcdefg", 5) == "abc [...] fg"


CLOSED, FULL = (">&-", "it is closed"), (">/dev/full", "No space left on device")


def printing(command: str, where: tuple[str, str], *, campaign: bool = True):
    return pytest.param(command, *where, marks=[pytest.mark.campaign] * campaign)


@pytest.mark.parametrize(
    ("command", "where", "why"),
    [
        printing("games", FULL, campaign=False),
        printing("games --json", CLOSED, campaign=False),
        printing("run --help", FULL, campaign=False),
        printing("--version", CLOSED, campaign=False),
        *(printing(command, FULL) for command in ("games nyuri", "games --json", "--help", "--version")),
        *(printing(command, CLOSED) for command in ("games", "games nyuri", "--help", "run --help")),
    ],
)
def test_what_cannot_be_printed_is_one_sentence(command, where, why):
    shown = subprocess.run(
        ["sh", "-c", f'"$@" {where}', "sh", *ARENA, *command.split()],
        stderr=subprocess.PIPE, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert shown.stderr == f"arena: standard output cannot be written: {why}\n"
    assert shown.returncode == 2


def test_a_tournament_is_played_with_all_streams_closed(tmp_path):
    (tmp_path / "t.toml").write_text(
        f'name = "t"\ngames = ["hyrule"]\n{entrant("first")}{entrant("second")}', "utf-8"
    )
    done = subprocess.run(
        ["sh", "-c", '"$@" <&- >&- 2>&-', "sh", *ARENA, "run", "t.toml"], cwd=tmp_path, timeout=PATIENCE
    )
    assert done.returncode == 2  # its standings could not be printed
    with League.read(tmp_path / "t.league") as league:
        assert league.tournaments()[0].finished is not None
