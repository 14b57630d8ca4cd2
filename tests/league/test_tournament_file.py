"""Tournament files and bot manifests: valid ones are read, and every mistake is one clear sentence."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import apsw
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from arena.formats.knockout import KnockoutFormat
from arena.formats.round_robin import RoundRobinFormat
from arena.games import GAMES
from arena.league.tournament_file import (
    TournamentFileError,
    made,
    parse_tournament,
    read_tournament,
    require_sandboxes,
    write_made,
)
from arena.link.local.bot_manifest import BotManifestError, read_bot_manifest
from arena.link.local.sandbox import Asked, Level, SandboxMissing, usual
from arena.table.clock import MILLISECOND, SECOND, TimeControl
from arena.tournament.plan import read_plan

TOURNAMENTS = Path(__file__).parents[2] / "tournaments"

MINIMAL = """
name = "Friday"
[[entrant]]
bot = "bots/greedy"
[[entrant]]
address = "127.0.0.1:50051"
"""

FULL = """
name = "Friday league night"
games = ["hyrule", "nyuri"]
boards = 2
seats = 3
names = "shown"
max_faults = 5
concurrency = 4

[clock]
bank = "1m30s"
increment = "0s"
move = "1.5s"

[options.nyuri]
stall = 30

[[stage]]
format = "round-robin"
cycles = 2

[[stage]]
format = "knockout"
advance = 4
seats = 2
qualify = 1
third_place = false
extra_boards = 5

[[entrant]]
bot = "bots/greedy"

[[entrant]]
bot = "bots/greedy"

[[entrant]]
name = "visitor"
address = "unix:/run/bot.sock"

[[entrant]]
name = "laptop"
join = true
"""


def add_bot(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True)
    (folder / "bot.toml").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The path of the tests' tournament file: beside a folder with two bots."""
    folder = tmp_path_factory.mktemp("night")
    add_bot(folder / "bots/greedy", 'name = "greedy"\n[run]\ncommand = ["python", "bot.py"]\n')
    add_bot(folder / "bots/picky", 'name = "picky"\ngames = ["nyuri"]\n[run]\ncommand = "./picky"\n')
    return folder / "night.toml"


# --- What is read ---


def test_everything_left_out_has_its_default(file):
    night = parse_tournament(MINIMAL, file)
    assert night.path == file
    assert night.text == MINIMAL
    assert night.plan.games == tuple(GAMES)
    assert night.plan.options == {id: game.parse_options({}) for id, game in GAMES.items()}
    assert (night.plan.boards, night.plan.show_names, night.plan.max_faults, night.concurrency) == (
        1,
        False,
        3,
        None,
    )
    assert night.plan.clock == TimeControl(bank=60 * SECOND, increment=100 * MILLISECOND, move=5 * SECOND)
    assert night.plan.stages == (RoundRobinFormat(entrants=2, seats=2, cycles=1),)
    assert [entrant.name for entrant in night.entrants] == ["greedy", "127.0.0.1:50051"]


def test_everything_given_is_read(file):
    night = parse_tournament(FULL, file)
    assert night.plan.games == ("hyrule", "nyuri")
    assert night.plan.options["nyuri"] == GAMES["nyuri"].parse_options({"stall": 30})
    assert (night.plan.boards, night.plan.show_names, night.plan.max_faults, night.concurrency) == (
        2,
        True,
        5,
        4,
    )
    assert night.plan.clock == TimeControl(bank=90 * SECOND, increment=0, move=1500 * MILLISECOND)
    assert night.plan.stages == (
        RoundRobinFormat(entrants=4, seats=3, cycles=2),
        KnockoutFormat(entrants=4, seats=2, qualify=1, third_place=False, extra_boards=5),
    )
    greedy, second, visitor, laptop = night.entrants
    assert greedy.bot == second.bot
    assert greedy.bot is not None
    assert greedy.bot.folder == file.parent / "bots/greedy"
    assert (greedy.name, second.name) == ("greedy", "greedy 2")
    assert (visitor.bot, visitor.address, visitor.join) == (None, "unix:/run/bot.sock", False)
    assert (laptop.name, laptop.bot, laptop.address, laptop.join) == ("laptop", None, None, True)


def test_a_defaulted_name_gives_way_to_given_ones(file):
    text = MINIMAL + '[[entrant]]\nname = "Greedy"\njoin = true\n'
    assert [entrant.name for entrant in parse_tournament(text, file).entrants] == [
        "greedy 2",
        "127.0.0.1:50051",
        "Greedy",
    ]


def test_a_long_defaulted_name_stays_short_enough(file):
    address = "h" * 34 + ":50051"
    text = 'name = "x"\n' + f'[[entrant]]\naddress = "{address}"\n' * 11
    names = [entrant.name for entrant in parse_tournament(text, file).entrants]
    assert names[0] == address
    assert names[10].endswith(" 11")
    assert len(set(names)) == 11
    assert max(map(len, names)) == 40


def test_the_path_may_be_relative(file, monkeypatch):
    file.write_text(MINIMAL, encoding="utf-8")
    monkeypatch.chdir(file.parent)
    night = read_tournament(Path("night.toml"))
    assert night.path == file
    assert night.entrants[0].bot is not None
    assert night.entrants[0].bot.folder.is_absolute()


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16"])
def test_a_file_that_is_not_utf_8_says_so(file, encoding):
    file.write_text(f"# first line\n# Schöne Nacht\n{MINIMAL}", encoding=encoding)
    line = 2 if encoding == "cp1252" else 1
    sentence = f"{file}: line {line} is not a text in UTF-8: save the file as UTF-8"
    with pytest.raises(TournamentFileError, match=f"^{re.escape(sentence)}$"):
        read_tournament(file)


def test_a_mark_before_the_text_is_no_part_of_it(file):
    file.write_text(MINIMAL, encoding="utf-8-sig")
    assert read_tournament(file).text == MINIMAL


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="this system has no names of pipes")
def test_a_pipe_is_read_once_and_its_bots_lie_in_the_current_folder(file, monkeypatch):
    monkeypatch.chdir(file.parent)
    reading, writing = os.pipe()
    os.write(writing, MINIMAL.encode())
    os.close(writing)
    try:
        night = read_tournament(Path(f"/dev/fd/{reading}"))
    finally:
        os.close(reading)
    assert (night.text, night.path) == (MINIMAL, file.parent / "input")
    assert night.entrants[0].bot is not None


@pytest.mark.parametrize("path", sorted(TOURNAMENTS.glob("*.toml")), ids=lambda path: path.name)
def test_the_ready_made_tournaments_are_valid(path):
    night = read_tournament(path)
    assert night.plan.games == tuple(GAMES)
    assert all(entrant.bot for entrant in night.entrants)


# --- What is refused ---


def refusal(text: str, file: Path) -> str:
    with pytest.raises(TournamentFileError) as caught:
        parse_tournament(text, file)
    message = str(caught.value)
    assert message.startswith(f"{file}: ")
    assert "\n" not in message
    return message.removeprefix(f"{file}: ")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('name = "Friday league night"', "", "name is missing; it must be a text in quotes"),
        ('"Friday league night"', '""', "name must have 1 to 80 characters, not ''"),
        ('"Friday league night"', "7", "name must be a text in quotes, not 7"),
        ("boards = 2", "bords = 2", "unknown key 'bords'; did you mean boards? valid: name, games, boards,"),
        ("boards = 2", "boards = 0", "boards must be from 1 to 100000, not 0"),
        ("boards = 2", "boards = true", "boards must be a whole number, not True"),
        ("boards = 2", "boards = 2.0", "boards must be a whole number, not 2.0"),
        ('"hyrule", "nyuri"', "", "games must name at least one; valid: nyuri, forty-one,"),
        ('"hyrule", "nyuri"', '"nyuri", "nyuri"', "games names nyuri twice; once is enough"),
        ('"hyrule", "nyuri"', '"nyury"', "unknown entry 'nyury' in games; did you mean nyuri? valid: "),
        ('"hyrule", "nyuri"', "3", "games must hold texts in quotes, not 3"),
        ('"shown"', '"show"', "unknown names 'show'; did you mean shown? valid: hidden, shown"),
        ("max_faults = 5", "max_faults = 0", "max_faults must be from 1 to 1000, not 0"),
        ("concurrency = 4", "concurrency = 0", "concurrency must be from 1 to 10000, not 0"),
        ('"1m30s"', '"90"', "[clock]: bank must be a duration such as "),
        ('"1m30s"', '"0s"', "[clock]: bank must be more than 0s and at most 24h, not 0s"),
        ('"1m30s"', '"25h"', "[clock]: bank must be more than 0s and at most 24h, not 25h"),
        ('"1m30s"', "90", "[clock]: bank must be a text in quotes, not 90"),
        ("boards = 2", "[[bots]]", "unknown key 'bots'; did you mean entrant? valid: name, games, boards,"),
        ("move =", "limit =", "[clock]: unknown key 'limit'; valid: bank, increment, move"),
        ("[options.nyuri]", "[options.kleftis]", "[options]: kleftis is not played; name it in games, "),
        ("stall = 30", "stal = 30", "[options]: [nyuri]: unknown key 'stal'; did you mean stall? valid: "),
        ("stall = 30", 'stall = "x"', "[options]: [nyuri]: nyuri option stall = 'x': must be a whole number"),
        ("[options.nyuri]\nstall = 30", "[options]\nnyuri = 1", "[options]: nyuri must be a table, not 1"),
        ('"round-robin"', '"round"', "stage 1: unknown format 'round'; did you mean round-robin? valid: "),
        ('format = "round-robin"', "", "stage 1: format is missing; it must be a text in quotes"),
        ("cycles = 2", "cycles = 0", "stage 1: cycles must be from 1 to 1000, not 0"),
        ("cycles = 2", "qualify = 2", "stage 1: unknown key 'qualify'; valid: format, advance, seats"),
        ("cycles = 2", "advance = 2", "stage 1: advance is for later stages; everybody enters the first one"),
        ("cycles = 2", "seats = 5", "stage 1: nyuri cannot be played at tables of 5 seats; possible under"),
        ("seats = 3", "seats = 1", "seats must be from 2 to 7, not 1"),
        ("advance = 4", "advance = 5", "stage 2: advance must be from 2 to 4, not 5"),
        ("qualify = 1", "qualify = 2", "stage 2: qualify must be from 1 to 1, not 2"),
        ("third_place = false", "third_place = 0", "stage 2: third_place must be true or false, not 0"),
        ("advance = 4\nseats = 2", "advance = 2\nseats = 3", "stage 2: a table of 3 seats needs as many"),
        ("join = true", "", 'entrant 4 "laptop": needs exactly one of bot, address and join, not none'),
        ("join = true", 'join = true\nbot = "x"', 'entrant 4 "laptop": needs exactly one of bot, address'),
        ("join = true", "join = false", 'entrant 4 "laptop": join must be true if it is given'),
        ('name = "laptop"', "", "entrant 4: an entrant that joins needs a name, such as name = "),
        ('"laptop"', '"VISITOR"', 'entrant 4 "VISITOR": the name is taken by entrant 3; names must differ'),
        ('"laptop"', '"a\\u202Eb"', r"entrant 4: name must have printable characters only, not 'a\u202eb'"),
        ('"laptop"', '" a"', "entrant 4: name must not begin or end with a space, not ' a'"),
        ('"laptop"', f'"{"x" * 41}"', "entrant 4: name must have 1 to 40 characters, not 'xxx"),
        ('"unix:/run/bot.sock"', '"localhost"', 'entrant 3 "visitor": address must be "host:port"'),
        ('"unix:/run/bot.sock"', '"host:70000"', 'entrant 3 "visitor": address must be "host:port" or '),
        ('bot = "bots/greedy"', 'bot = "bots/picky"', "entrant 1: the bot picky does not play hyrule; it "),
        (
            'bot = "bots/greedy"',
            'bot = "bots/greedy"\nboot = 1',
            "entrant 1: unknown key 'boot'; did you mean",
        ),
    ],
)
def test_every_slip_is_told_with_its_place(old, new, message, file):
    assert old in FULL
    assert refusal(FULL.replace(old, new), file).startswith(message)


def test_a_third_place_is_played_for_at_tables_of_two_only(file):
    larger = FULL.replace("advance = 4\nseats = 2", "seats = 4").replace('"nyuri"', '"kleftis"')
    larger = larger.replace("[options.nyuri]\nstall = 30", "")
    cup = parse_tournament(larger.replace("third_place = false", ""), file).plan.stages[1]
    assert isinstance(cup, KnockoutFormat)
    assert not cup.third_place
    message = refusal(larger.replace("third_place = false", "third_place = true"), file)
    assert message == "stage 2: third_place needs tables of 2 seats, not 4; leave it out"


def test_an_unknown_bot_is_told_with_those_that_are_there(file):
    message = refusal(FULL.replace("bots/greedy", "bots/gredy", 1), file)
    assert str(file.parent / "bots/gredy") in message
    assert message.endswith("did you mean greedy? valid: greedy, picky")


@pytest.mark.parametrize("entrants", ["", "entrant = []", "entrant = [1]", '[entrant]\nname = "x"'])
def test_entrants_are_needed_as_tables(entrants, file):
    assert refusal(f'name = "x"\n{entrants}', file).startswith("entrant must be ")


def test_one_entrant_is_too_few(file):
    text = 'name = "x"\n[[entrant]]\nbot = "bots/greedy"\n'
    assert refusal(text, file) == "entrant 1: is the only entrant; a tournament needs at least 2"


def test_a_syntax_error_is_told_with_line_and_column(file):
    message = refusal('name = "x"\ngames  ["nyuri"]', file)
    assert re.fullmatch("not valid TOML: .*line 2, column 8.*", message)


BACKSLASH = (
    "in double quotes a backslash begins an escape: write a Windows path with forward slashes, "
    "or in single quotes"
)


@pytest.mark.parametrize(
    ("line", "remedy"),
    [
        ("name = Friday night", 'a text needs quotes: "Friday night"'),
        ("games = [nyuri, hyrule]", 'a text needs quotes: "nyuri"'),
        ("clock.bank = 20s", 'a text needs quotes: "20s"'),
        ("address = 127.0.0.1:50051  # here", 'a text needs quotes: "127.0.0.1:50051"'),
        ("bot = ../bots/greedy", 'a text needs quotes: "../bots/greedy"'),
        ("join = True", "write true, in small letters"),
        ('name = "Friday', "a text ends, on its line, with the quote with which it began"),
        (r'bot = "C:\\bots\\x"'.replace("\\\\", "\\"), BACKSLASH),
        (r'bot = "C:\\Users\\x"'.replace("\\\\", "\\"), BACKSLASH),
    ],
)
def test_a_syntax_error_comes_with_what_is_likely_to_be_done(line, remedy, file):
    message = refusal(f"{line}\n[[entrant]]\n", file)
    assert re.fullmatch(r"not valid TOML: .*\(at line 1, column \d+\); " + re.escape(remedy), message)


def test_a_windows_path_that_is_valid_toml_by_chance_is_seen_through(file):
    message = refusal(MINIMAL.replace("bots/greedy", r"C:\new\bots"), file)
    assert message == (
        rf"entrant 1: bot must have printable characters only, not 'C:\new\x08ots'; {BACKSLASH}"
    )


def test_one_bracket_where_there_are_to_be_two(file):
    message = refusal(MINIMAL + '[stage]\nformat = "knockout"\n', file)
    assert message == "stage must be written [[stage]], in two brackets, not [stage]: there can be several"


@pytest.mark.parametrize("above", ["[clock]", "[options.hyrule]", "[[stage]]\nformat = 'knockout'", ""])
def test_a_key_of_the_whole_file_below_a_table(above, file):
    message = refusal(f"{MINIMAL}{above}\nboards = 2\n", file)
    assert message.endswith(
        ": unknown key 'boards'; being a key of the whole file, it belongs above the first [table]"
    )


def test_a_key_of_a_bot_below_a_table(tmp_path):
    path = tmp_path / "bot.toml"
    path.write_text('name = "x"\n[run]\ncommand = ["x"]\ngames = ["hyrule"]\n')
    with pytest.raises(BotManifestError, match=r"\[run\]: unknown key 'games'; being a key of the whole"):
        read_bot_manifest(path.parent)


def test_a_league_is_no_tournament_file(tmp_path):
    path = tmp_path / "night.league"
    apsw.Connection(str(path)).execute("create table x (y)")
    with pytest.raises(TournamentFileError, match=f"is a league.*: go on with it by arena resume {path}"):
        read_tournament(path)


def test_deep_nesting_is_no_traceback(file):
    assert refusal("x = " + "[" * 100_000, file) == "not valid TOML: values are nested too deeply"


@pytest.mark.parametrize("name", ["", 'name = "guest {}"\n'])
def test_more_entrants_than_can_play_are_refused_in_a_sentence(file, name):
    entrants = [f'[[entrant]]\naddress = "127.0.0.1:50051"\n{name.format(i)}' for i in range(20_000)]
    text = 'name = "night"\n' + "".join(entrants)
    assert refusal(text, file) == "has 20,000 entrants, and a tournament has at most 1,000"


def test_a_thousand_names_of_one_bot_are_numbered(file):
    file.write_text('name = "night"\n' + '[[entrant]]\naddress = "127.0.0.1:50051"\n' * 1000)
    names = [entrant.name for entrant in read_tournament(file).entrants]
    assert names == ["127.0.0.1:50051", *(f"127.0.0.1:50051 {number}" for number in range(2, 1001))]


def test_an_address_too_long_to_be_a_name_asks_for_one(file):
    text = MINIMAL.replace("127.0.0.1:50051", "unix:/" + "x" * 50)
    assert refusal(text, file).startswith("entrant 2: name is missing, and 'unix:/xxx")


@pytest.mark.parametrize("what", ["missing", "folder", "not text"])
def test_a_file_that_cannot_be_read(what, tmp_path):
    path = tmp_path / "night.toml"
    if what == "folder":
        path.mkdir()
    elif what == "not text":
        path.write_bytes(b"name = '\xff'")
    with pytest.raises(TournamentFileError, match=re.escape(str(path))):
        read_tournament(path)


# --- Anything at all is either a tournament or a refusal ---

LINES = FULL.splitlines()
VALUES = ["0", "-1", "1" * 5000, "nan", "1979-05-27", '""', '"\\u0000"', '"../.."', "[]", "{}", "[[]]"]


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """The full file with lines dropped, doubled, moved or given another value, or characters changed."""
    lines = list(LINES)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(lines) - 1))
        change = draw(st.sampled_from(["drop", "double", "move", "value", "key", "characters"]))
        line = lines[at]
        if change == "drop" and len(lines) > 1:
            del lines[at]
        elif change == "double":
            lines.insert(at, line)
        elif change == "move":
            lines.insert(draw(st.integers(0, len(lines) - 1)), lines.pop(at))
        elif change == "value":
            value = draw(st.sampled_from(VALUES) | st.sampled_from(LINES).map(lambda other: other[-12:]))
            lines[at] = f"{line.partition('=')[0]}= {value}"
        elif change == "key":
            lines.insert(at, f"{draw(st.sampled_from(LINES)).partition('=')[0]}= 1")
        elif line:
            where = draw(st.integers(0, len(line) - 1))
            lines[at] = line[:where] + draw(st.text(max_size=2)) + line[where + 1 :]
    return "\n".join(lines)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(text=mutated() | st.text())
@example(text=FULL.replace("bots/greedy", "\\u0000"))
@example(text=FULL.replace("bots/greedy", "x" * 900))
@example(text=FULL.replace("bots/greedy", "night.toml"))
@example(text=FULL.replace('"bots/greedy"', '""'))
def test_no_text_gives_anything_but_a_tournament_or_a_refusal(text, file):
    try:
        night = parse_tournament(text, file)
    except TournamentFileError as refused:
        message = str(refused)
        assert message.isprintable(), message
        assert len(message) < 2000
    else:
        assert len(night.entrants) >= 2
        assert all(2 <= stage.seats <= stage.entrants for stage in night.plan.stages)
        assert len({entrant.name for entrant in night.entrants}) == len(night.entrants)


# --- Bot manifests ---

MANIFEST = """
name = "greedy"
version = "1.0"
author = "Ada"
games = ["nyuri", "hyrule"]
language = "go"
[build]
command = ["go", "build", "-o", "bot"]
sources = ["*.go", "lib/**/*.go"]
[run]
command = ["./bot"]
"""


def test_a_full_manifest(tmp_path):
    bot = read_bot_manifest(add_bot(tmp_path / "bot", MANIFEST))
    assert bot.folder == tmp_path / "bot"
    assert (bot.name, bot.version, bot.author, bot.language) == ("greedy", "1.0", "Ada", "go")
    assert bot.games == ("nyuri", "hyrule")
    assert (bot.command, bot.build) == (("./bot",), ("go", "build", "-o", "bot"))
    assert bot.sources == ("*.go", "lib/**/*.go")


def test_a_short_manifest(tmp_path):
    bot = read_bot_manifest(
        add_bot(tmp_path / "bot", 'name = "b"\n[run]\ncommand = "python \'my bot.py\' -u"\n')
    )
    assert bot.command == ("python", "my bot.py", "-u")
    assert bot.games == tuple(GAMES)
    assert (bot.version, bot.author, bot.language, bot.build, bot.sources) == ("", "", "", (), ())


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('name = "greedy"', "", "name is missing"),
        ("language", "lang", "unknown key 'lang'; did you mean language? "),
        ('"nyuri", "hyrule"', '"poker"', "unknown entry 'poker' in games; valid: nyuri, "),
        ('[run]\ncommand = ["./bot"]', "", "[run]: command is missing; it must be a list such as"),
        ('["./bot"]', "[]", "[run]: command must name a program"),
        ('["./bot"]', '""', "[run]: command must name a program"),
        ('["./bot"]', "7", "[run]: command must be a text in quotes, not 7"),
        ('["./bot"]', '["./bot", 7]', "[run]: command must hold texts in quotes, not 7"),
        ('["./bot"]', '"./bot \'x"', "[run]: command cannot be split into words: No closing quotation"),
        ('["./bot"]', '["./bot", "\\u0000"]', "[run]: command must not hold the character U+0000"),
        ('command = ["go", "build", "-o", "bot"]', "", "[build]: command is missing"),
        ('"*.go", ', '"../*.go", ', "[build]: sources must lie in the bot's folder, unlike '../*.go'"),
        ('"*.go", ', '"/etc/*", ', "[build]: sources must lie in the bot's folder, unlike '/etc/*'"),
        ('"*.go", ', f'"{"*" * 1001}", ', "[build]: sources has a pattern of more than 1,000 characters"),
        (
            '"*.go", ',
            f'"{"a/" * 101}", ',
            "[build]: sources has a pattern of more than 1,000 characters or 100",
        ),
        ('["./bot"]', f'"{"a" * 100_001}"', "[run]: command has more than 100,000 characters"),
        ('"1.0"', f"0x{'f' * 9999}", "version must be a text in quotes, not a number of thousands of digits"),
        (
            "[run]",
            f"[needs]\nwritable = {['a'] * 101}\n[run]",
            "[needs]: writable names more than 100 folders",
        ),
    ],
)
def test_every_slip_of_a_manifest_is_told_with_its_place(old, new, message, tmp_path):
    assert old in MANIFEST
    folder = add_bot(tmp_path / "bot", MANIFEST.replace(old, new))
    with pytest.raises(BotManifestError) as caught:
        read_bot_manifest(folder)
    assert str(caught.value).startswith(f"{folder / 'bot.toml'}: {message}")


EMBLEM = '[emblem]\nsquares = """\n  ..#..\n  .###.\n  #####\n  ..#..\n  .#...\n"""\ncolour = "teal"\n'


def test_an_emblem_of_the_authors_own(tmp_path):
    manifest = read_bot_manifest(add_bot(tmp_path / "bot", MANIFEST + EMBLEM))
    assert manifest.emblem == "..#..\n.###.\n#####\n..#..\n.#...\nteal"
    plain = read_bot_manifest(add_bot(tmp_path / "plain", MANIFEST + EMBLEM.replace('colour = "teal"', "")))
    assert plain.emblem == manifest.emblem.removesuffix("\nteal")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            ".#...",
            ".#..",
            "squares must be 5 lines of 5 characters, # for a filled square",
        ),
        (".#...", ".x...", "squares must be 5 lines of 5 characters"),
        (".#...\n", ".#...\nteal\n", "squares must be 5 lines of 5 characters"),
        ("#", ".", "squares must be 5 lines of 5 characters"),
        ("squares", "picture", "unknown key 'picture'; valid: squares, colour"),
        ('colour = "teal"', 'color = "teal"', "unknown key 'color'; did you mean colour? "),
        ('"teal"', '"tael"', "unknown colour 'tael'; did you mean teal? valid: red, orange"),
        ('"teal"', "7", "colour must be a text in quotes, not 7"),
    ],
)
def test_a_slip_in_an_emblem_is_told(old, new, message, tmp_path):
    folder = add_bot(tmp_path / "bot", MANIFEST + EMBLEM.replace(old, new))
    with pytest.raises(BotManifestError) as caught:
        read_bot_manifest(folder)
    assert str(caught.value).startswith(f"{folder / 'bot.toml'}: [emblem]: {message}")


def test_a_folder_without_a_manifest(tmp_path):
    with pytest.raises(BotManifestError, match=r"not a bot: there is no bot\.toml in it"):
        read_bot_manifest(tmp_path)


def test_a_file_is_no_folder_of_a_bot(tmp_path):
    (tmp_path / "bot.py").touch()
    with pytest.raises(BotManifestError, match=r"bot\.py: this is a file: give the folder of a bot"):
        read_bot_manifest(tmp_path / "bot.py")


def test_an_entrant_may_have_a_clock_of_its_own(file):
    text = MINIMAL + '\n[entrant.clock]\nmove = "3m"\n'
    plan = parse_tournament(text, file).plan
    own = plan.clock._replace(move=180 * SECOND)
    assert [plan.clock_of(entrant) for entrant in (0, 1)] == [plan.clock, own]
    assert read_plan(plan.to_json()) == plan
    assert "own_clocks" not in parse_tournament(MINIMAL, file).plan.to_json()
    with pytest.raises(TournamentFileError, match=r"clock.*unknown key"):
        parse_tournament(text.replace("move", "limit"), file)


# --- What a machine can give, and what was made ---


@pytest.mark.usefixtures("without_bubblewrap")
def test_a_level_that_is_missing_is_no_matter_where_another_one_is_asked_for(file):
    strict = parse_tournament('sandbox = "strict"\n' + MINIMAL, file)
    with pytest.raises(SandboxMissing, match='sandbox "strict" cannot be had on this machine'):
        require_sandboxes(strict)
    trusted = parse_tournament('sandbox = "strict"\n' + MINIMAL, file, Asked(Level.NONE))
    require_sandboxes(trusted)
    assert [each.sandbox.level for each in trusted.entrants] == [Level.NONE, Level.NONE]
    manifest = 'name = "online"\n[run]\ncommand = "./online"\n[needs]\nnetwork = true\n'
    add_bot(file.parent / "bots/online", manifest)
    online = MINIMAL.replace("greedy", "online")
    assert "asks for the network" in refusal(online, file)
    assert parse_tournament(online, file, Asked(Level.NONE)).entrants[0].sandbox.needs.network


def test_a_default_is_no_demand(file):
    (bot, _) = parse_tournament(MINIMAL, file).entrants
    assert (bot.sandbox.level, bot.sandbox.demanded) == (usual(), False)
    (bot, _) = parse_tournament('sandbox = "none"\n' + MINIMAL, file).entrants
    assert (bot.sandbox.level, bot.sandbox.demanded) == (Level.NONE, True)
    own = MINIMAL.replace('"bots/greedy"', '"bots/greedy"\nsandbox = "none"')
    assert parse_tournament(own, file).entrants[0].sandbox.demanded


@pytest.mark.parametrize("home", [True, False])
def test_a_made_tournament_is_read_as_it_was_made(file, home):
    guest = '[[entrant]]\nname = "x"\njoin = true\n'
    people = parse_tournament(f"begins = 2026-12-01T19:00:00\n{MINIMAL}{guest}", file)
    path = file.parent / "made" / "night.json"
    one = made(path, people.plan, people.bots, people.begins, file.parent if home else None)
    write_made(one)
    assert read_tournament(path) == one
    assert (one.plan, one.bots, one.begins) == (people.plan, people.bots, people.begins)
    assert (str(file.parent) in one.text) != home


@pytest.mark.parametrize("text", ["{", "{}", '{"plan": 1}', "{" * 100_000, '{"name" = "x"}'])
def test_what_nobody_made_is_said_in_a_sentence(file, text):
    assert "is no tournament that the arena made: write it in TOML" in refusal(text, file)


@pytest.mark.parametrize(
    "change",
    [{"trust": {}}, {"trust": {"level": "safe"}}, {"entrants": [{}]}, {"entrants": 1}, {"begins": "soon"}],
)
def test_a_made_tournament_that_somebody_changed_is_refused_in_a_sentence(file, change):
    one = parse_tournament(MINIMAL, file)
    text = json.dumps(json.loads(made(file, one.plan, one.bots).text) | change)
    assert "is no tournament that the arena made: write it in TOML" in refusal(text, file)
