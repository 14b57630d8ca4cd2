"""A tournament goes on without what it does not use, and each remedy in a message about that works."""

from __future__ import annotations

import re
import shlex
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.league.store import EntrantInfo, League, TournamentInfo
from arena.league.stored import course_of, rulings_of, stored_tournament
from arena.league.tournament_file import read_tournament
from arena.link.local.sandbox import Level
from arena.referee.night.host_requests import Refused, admit, ask, give_token
from arena.table.deal import commitment
from arena.tournament.courses import new_course
from arena.tournament.effects import Effects
from arena.tournament.rulings import Admit, Contain, Newcomer
from tests.arena_command import arena
from tests.bots_for_tests import good_bot, served_address
from tests.league.store.samples import problems
from tests.referee.nights import wait_for, write_tournament
from tests.referee.simulation import KEY, play_course, simulate

HEAD = 'games = ["hyrule"]\nboards = 1\n'
ROBIN = '[[stage]]\nformat = "round-robin"\ncycles = 2\n'


def begun(folder: Path, bots: list[str | Path], head: str = HEAD, games: int = 1, more: str = "") -> Path:
    """A league with a tournament, of which some games are played."""
    path = write_tournament(folder, bots, head, ROBIN)
    path.write_text(path.read_text() + more)
    file = read_tournament(path)
    infos = tuple(
        EntrantInfo(each.name, str(each.bot.folder) if each.bot else each.address or "")
        for each in file.entrants
    )
    wait_for(Path(served_address().removeprefix("unix:")).exists)  # a busy machine takes long to start it
    plan = file.plan
    with League.create_or_open(folder / "night.league") as league:
        info = TournamentInfo(plan.name, path, path.read_text(), KEY, commitment(KEY), infos, plan.to_json())
        number = league.start_tournament(info)
        play_course(league, number, new_course(plan, Effects(len(infos))), games)
        return league.path


def change(text: str) -> Callable[[Path], object]:
    """What adds a text to the bot.toml of a bot."""

    def changed(bot: Path) -> None:
        manifest = bot / "bot.toml"
        top, _, run = manifest.read_text().partition("[run]")
        manifest.write_text(f"{top}{text if not text.startswith('[') else ''}\n[run]{run}")
        if text.startswith("["):
            manifest.write_text(f"{manifest.read_text()}\n{text}\n")

    return changed


CHANGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "moved": (lambda bot: bot.rename(bot.with_name("elsewhere")), "is not there any more: put it back, or"),
    "deleted": (shutil.rmtree, "is not there any more: put it back, or"),
    "more memory": (
        change('[needs]\nmemory = "3GiB"'),
        "and 2 GiB are allowed: ask for less in [needs] of its bot.toml, or",
    ),
    "more threads": (change("[needs]\nthreads = 5"), "ask for less in [needs] of its bot.toml, or"),
    "the network": (change("[needs]\nnetwork = true"), "ask for less in [needs] of its bot.toml, or"),
    "locks": (change("[needs]\nlocks = true"), "ask for less in [needs] of its bot.toml, or"),
    "other games": (change('games = ["nyuri"]'), "does not play hyrule; it plays nyuri: put that right, or"),
    "no bot.toml": (lambda bot: (bot / "bot.toml").unlink(), "there is no bot.toml in it"),
    "not TOML": (lambda bot: (bot / "bot.toml").write_text("name ="), "not valid TOML"),
    "cannot be built": (change('[build]\ncommand = ["false"]'), "`false` ended with exit code 1"),
}


def remedies(message: str) -> list[list[str]]:
    """The commands of the arena in a message, as words."""
    found = re.findall(r"arena (host \w+ [^;,]*|resume [^;,]*)", message.replace("\n", " "))
    return [shlex.split(command) for command in found]


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    return good_bot(tmp_path, "third")


@pytest.mark.parametrize("how", CHANGES)
@pytest.mark.parametrize("late", [False, True])
def test_a_withdrawn_bot_does_not_hold_up_the_night_whatever_became_of_it(tmp_path, bot, how, late):
    """And the message before says how to withdraw it."""
    spoil, said = CHANGES[how]
    league = begun(tmp_path, ["one", "two", *([] if late else [bot])])
    if late:
        with League.create_or_open(league) as store:
            newcomer = Newcomer("third", "bot", str(bot))
            store.record_ruling(1, Admit.of(course_of(store, 1), newcomer).to_json(), "")
    spoil(bot)
    refused = arena("resume", league, cwd=tmp_path, code=2).stderr
    assert said in refused
    if how == "cannot be built":  # that can be repaired in many ways, and is told as when it began
        ask(league, "withdraw", "third")
    else:
        assert "third cannot play on: " in refused
        (command,) = remedies(refused)
        assert command == ["host", "withdraw", str(league), "third"]
        arena(*command, cwd=Path("/"))
    arena("resume", league, cwd=tmp_path)
    assert problems(league) == []
    with League.read(league) as store:
        assert store.tournament(1).finished is not None


@pytest.mark.parametrize("how", ["moved", "more memory", "the network", "other games"])
def test_what_is_put_right_plays_on(tmp_path, bot, how):
    league = begun(tmp_path, ["one", bot])
    kept = tmp_path / "kept"
    shutil.copytree(bot, kept)
    CHANGES[how][0](bot)
    assert CHANGES[how][1] in arena("resume", league, cwd=tmp_path, code=2).stderr
    shutil.rmtree(bot, ignore_errors=True)
    kept.rename(bot)
    arena("resume", league, cwd=tmp_path)
    assert problems(league) == []


def test_of_the_last_two_bots_none_can_be_withdrawn_so_the_message_names_the_end(tmp_path, bot):
    league = begun(tmp_path, ["one", bot])
    shutil.rmtree(bot)
    (command,) = remedies(arena("resume", league, cwd=tmp_path, code=2).stderr)
    assert command == ["host", "end", str(league)]
    arena(*command, cwd=tmp_path)
    assert problems(league) == []
    with League.read(league) as store:
        assert store.tournament(1).finished is not None


@pytest.mark.parametrize("by", ["resume", "end"])
@pytest.mark.parametrize("ended", [False, True])
def test_a_tournament_that_is_over_needs_no_bot_to_be_finished(tmp_path, bot, ended, by):
    """The run was killed after the last game, or after the host had ended it."""
    head = HEAD + 'sandbox = "basic"\n'
    league = begun(tmp_path, ["one", bot], head, games=2 if ended else 4)
    with League.create_or_open(league) as store:
        store.record_ruling(1, Contain(("", "basic")).to_json(), "")
        if ended:
            store.record_ruling(1, '{"kind": "end"}', "")
    shutil.rmtree(bot)
    if by == "resume":
        arena("resume", league, "--require-tls", cwd=tmp_path)
    else:
        refused = arena("host", "pause", league, cwd=tmp_path, code=2).stderr
        assert "test is over; arena host end " in refused
        ((_, end, again),) = [command[:3] for command in remedies(refused)]
        arena("host", end, again, cwd=tmp_path)
    assert problems(league) == []
    with League.read(league) as store:
        assert store.tournament(1).finished is not None
        assert len(rulings_of(store, 1)) == 1 + ended  # nothing is noted of bots that are not started


def test_a_withdrawn_guest_needs_no_lobby_and_a_withdrawn_address_no_tls(tmp_path):
    """The port of the lobby is taken, and addresses without TLS are refused."""
    more = '[[entrant]]\nname = "far"\naddress = "192.0.2.1:5"\n[[entrant]]\nname = "guest"\njoin = true\n'
    league = begun(tmp_path, ["one", "two"], more=more)
    ask(league, "withdraw", "guest")
    refused = arena("resume", league, "--require-tls", cwd=tmp_path, code=2).stderr
    assert "far would be dialled without TLS: leave out --require-tls, or withdraw it: " in refused
    (command,) = remedies(refused)
    arena(*command, cwd=tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        lobby = f"127.0.0.1:{taken.getsockname()[1]}"
        told = arena("resume", league, "--require-tls", "--lobby", lobby, cwd=tmp_path).stderr
    assert "lobby" not in told
    assert problems(league) == []


def test_a_bot_keeps_its_name_whatever_its_bot_toml_says_now(tmp_path, bot):
    league = begun(tmp_path, ["one", bot])
    (bot / "bot.toml").write_text((bot / "bot.toml").read_text().replace('"third"', '"another"'))
    with League.read(league) as store:
        file = stored_tournament(store, store.tournament(1))
    assert [entrant.name for entrant in file.entrants] == ["one", "third"]


def test_bots_that_do_not_come_up_can_be_withdrawn_as_the_message_says(tmp_path):
    bots = [good_bot(tmp_path, name) for name in ("third", "fourth")]
    league = begun(tmp_path, ["one", "two", *bots])
    for each in bots:
        (each / "first.py").write_text("raise SystemExit(3)\n")
    refused = arena("resume", league, cwd=tmp_path, code=2).stderr
    assert "2 of the 4 bots to be started or dialled are not there, so nothing is played" in refused
    (command,) = remedies(refused)
    assert "or withdraw them, such as: arena host withdraw " in refused
    arena(*command, cwd=tmp_path)
    ask(league, "withdraw", "third" if command[-1] == "fourth" else "fourth")
    arena("resume", league, cwd=tmp_path)
    assert problems(league) == []


def test_the_level_that_a_message_names_is_taken(tmp_path, bot, without_bubblewrap):
    league = begun(tmp_path, ["one", bot])
    with League.create_or_open(league) as store:
        store.record_ruling(1, Contain(("", "strict")).to_json(), "")
    refused = arena("resume", league, cwd=tmp_path, code=2).stderr
    found = re.search(r'take "(\w+)", by (--sandbox \w+)', refused.replace("\n", " "))
    assert found is not None
    assert Level(found[1]) is Level.BASIC
    arena("resume", league, *found[2].split(), cwd=tmp_path)
    assert problems(league) == []


@pytest.mark.parametrize(
    ("needs", "allow", "said"),
    [
        ('memory = "3GiB"', 'memory = "3GiB"', "set memory in [allow]"),
        ("threads = 5", "threads = 5", "set threads in [allow]"),
        ("network = true", "network = true", "set network = true in [allow], or trust it"),
        ("locks = true", "locks = true", "set locks = true in [allow], or trust it"),
        ('writable = ["x"]', "writable = true", "set writable = true in [allow]"),
    ],
)
def test_what_a_file_can_allow_is_allowed_by_what_the_message_names(tmp_path, bot, needs, allow, said):
    change(f"[needs]\n{needs}")(bot)
    forbids = "[allow]\nwritable = false\n"
    path = write_tournament(tmp_path, ["one", bot], HEAD, ROBIN)
    text = path.read_text()
    path.write_text(forbids.join(text.partition("[[stage]]")[::2]).replace(forbids, forbids + "[[stage]]", 1))
    assert said in arena("run", path, cwd=tmp_path, code=2).stderr
    path.write_text(path.read_text().replace("[allow]\nwritable = false", f"[allow]\n{allow}"))
    assert read_tournament(path).entrants[1].bot is not None
    if "trust it" in said:
        path.write_text(text.replace("[[stage]]", 'sandbox = "none"\n[[stage]]', 1))
        assert read_tournament(path).entrants[1].bot is not None


def test_a_bot_whose_folder_holds_the_league_is_not_admitted(tmp_path, bot):
    """Else it could read the deals, and the next run would refuse to go on."""
    league = begun(bot, ["one", "two"])
    refused = arena("host", "admit", league, bot, cwd=tmp_path, code=2).stderr.replace("\n", " ")
    assert f"third cannot be admitted: {league} would lie in the folder of third" in refused
    newcomer = Newcomer("third", "bot", str(bot))
    with pytest.raises(Refused, match="which may read it: keep the two apart"):
        admit(league, newcomer)
    arena("host", "admit", league, good_bot(tmp_path, "apart"), cwd=tmp_path)
    arena("resume", league, cwd=tmp_path)
    assert problems(league) == []


def test_a_withdrawn_guest_gets_no_token(tmp_path):
    league = begun(tmp_path, ["one", "two"], more='[[entrant]]\nname = "guest"\njoin = true\n')
    give_token(league, "guest")
    ask(league, "withdraw", "guest")
    with pytest.raises(Refused, match="guest is withdrawn, so no token opens its seat"):
        give_token(league, "guest")


def test_a_late_bot_enters_the_cycle_that_the_message_has_the_host_add(tmp_path):
    league = tmp_path / "night.league"
    with League.create_or_open(league) as store:
        text = 'name = "x"\ngames = ["hyrule"]\nseats = 3\n[[stage]]\nformat = "round-robin"\n'
        simulate(store, text, 6, finish=False, at_most=1)
    refused = arena("host", "admit", league, "--join", "late", cwd=tmp_path, code=2).stderr.replace("\n", " ")
    found = re.search(r"arena (host extend LEAGUE --cycles 1), and then it can enter that", refused)
    assert found is not None
    arena(*found[1].replace("LEAGUE", str(league)).split(), cwd=tmp_path)
    assert "late is admitted" in arena("host", "admit", league, "--join", "late", cwd=tmp_path).stdout
