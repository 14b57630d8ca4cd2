"""Guests with real processes and connections, killed in the middle of tournaments."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest

from arena.league.store import League
from arena.v1 import bot_pb2, lobby_pb2, lobby_pb2_grpc
from tests.arena_command import ARENA, arena
from tests.bots_for_tests import FIRST, UNHURRIED, Unhurried, bot_folder, good_bot
from tests.patience import PATIENCE
from tests.referee.guests import Referee, describe, faults, guest, referee
from tests.referee.hosting import standings
from tests.referee.nights import games_in, processes_in, wait_for, write_tournament

BOTS = Path(__file__).parents[3] / "bots"


@pytest.fixture(scope="module")
def waiting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Referee]:
    """A referee that waits for its guests as long as the tests of this module last."""
    with referee(tmp_path_factory.mktemp("waiting"), 2) as host:
        yield host


def test_bots_that_dial_in_play_like_any_other(tmp_path):
    with referee(tmp_path, 2, local=good_bot(tmp_path, "local")) as host:
        with (
            guest(tmp_path, host.address, host.tokens[0]) as one,
            guest(tmp_path, host.address, host.tokens[1]) as two,
        ):
            summary = host.end()
            assert one.wait(PATIENCE) == two.wait(PATIENCE) == 0
        assert "(all are here)" in host.said
    assert [faults(row) for row in summary["standings"]] == [{}, {}, {}]
    assert summary["games_played"] == 3 * 2 * 2
    assert processes_in(tmp_path) == []


def test_a_bot_that_is_killed_comes_back_with_its_token_and_plays_on(tmp_path):
    with referee(tmp_path, 1, "--concurrency", "2", boards=5) as host:
        with guest(tmp_path, host.address, host.tokens[0], UNHURRIED) as first:
            wait_for(lambda: host.games() >= 2)
            first.kill()
        host.wait_to_say("guest 0 was lost")
        with guest(tmp_path, host.address, host.tokens[0], UNHURRIED) as second:
            summary = host.end()
            assert second.wait(PATIENCE) == 0
    rows = {row["name"]: row for row in summary["standings"]}
    assert faults(rows["local"]) == {}
    assert set(faults(rows["guest 0"])) <= {"disconnect", "timeout"}
    assert rows["guest 0"]["faults"]["disconnect"] <= 2  # one for each table it sat at
    assert summary["games_played"] == 20


def test_the_tournament_starts_without_a_missing_bot_which_may_come_late(tmp_path):
    with (
        referee(tmp_path, 2, "--start-after", "8", "--concurrency", "2", boards=6) as host,
        guest(tmp_path, host.address, host.tokens[0], UNHURRIED),
    ):
        host.wait_to_say("guest 1 is not there; it may still join")
        with guest(tmp_path, host.address, host.tokens[1]) as late:
            host.wait_to_say("guest 1 is in")
            summary = host.end()
            assert late.wait(PATIENCE) == 0
    rows = {row["name"]: row for row in summary["standings"]}
    assert rows["guest 0"]["forfeits"] == rows["local"]["forfeits"] == 0
    assert rows["guest 1"]["forfeits"] < 2 * 2 * 6 * 2


def test_a_bot_that_never_comes_forfeits_and_the_exit_code_says_so(tmp_path):
    with referee(tmp_path, 1, "--start-after", "0") as host:
        summary = host.end(code=1)
    rows = {row["name"]: row for row in summary["standings"]}
    assert rows["guest 0"]["forfeits"] == 4
    assert rows["local"]["score"]["exact"] == "1"


def test_a_late_guest_is_not_withdrawn_before_it_ever_came(tmp_path):
    options = ("--start-after", "0", "--concurrency", "1")
    local, head = Unhurried("local"), "withdraw_after = 3\n"
    with referee(tmp_path, 1, *options, boards=7, local=local, head=head) as host:
        wait_for(lambda: host.games() > 9)  # all forfeited by the guest, three times what others may
        with guest(tmp_path, host.address, host.tokens[0]) as late:
            host.wait_to_say("guest 0 is in")
            summary = host.end()
            assert late.wait(PATIENCE) == 0
    assert summary["withdrawn"] == []
    assert "withdrawn" not in host.said
    rows = {row["name"]: row for row in summary["standings"]}
    assert 9 < rows["guest 0"]["forfeits"] < 7 * 4


def test_a_guest_that_is_withdrawn_is_turned_away(tmp_path):
    with (
        referee(tmp_path, 2, boards=300) as host,
        guest(tmp_path, host.address, host.tokens[0], UNHURRIED) as staying,
        guest(tmp_path, host.address, host.tokens[1], UNHURRIED) as leaving,
    ):
        wait_for(lambda: host.games() > 3)
        arena("host", "withdraw", host.league, "guest 1", cwd=tmp_path)
        assert leaving.wait(PATIENCE) == 0
        with guest(tmp_path, host.address, host.tokens[1]) as again:
            assert again.wait(PATIENCE) == 1
            assert again.stderr is not None
            assert "guest 1 was withdrawn from the tournament" in again.stderr.read()
        arena("host", "end", host.league, cwd=tmp_path)
        summary = host.end()
        assert staying.wait(PATIENCE) == 0
    assert [item["name"] for item in summary["withdrawn"]] == ["guest 1"]


@pytest.mark.parametrize(
    ("first", "code", "text"),
    [
        ({"token": "nonsense"}, "UNAUTHENTICATED", "unknown token"),
        ({"description": describe(protocol_version=9)}, "FAILED_PRECONDITION", "speaks protocol version 9"),
        (
            {"description": describe(games=["GAME_NYURI"])},
            "FAILED_PRECONDITION",
            "does not play hyrule, kleftis",
        ),
        ({"description": describe(name="a\nb")}, "FAILED_PRECONDITION", "wrong name"),
        (None, "INVALID_ARGUMENT", "must be a hello"),
    ],
)
def test_who_cannot_join_is_told_why_in_one_sentence_on_both_sides(waiting, first, code, text):
    with grpc.insecure_channel(waiting.address) as channel:
        request = lobby_pb2.JoinRequest(play=bot_pb2.PlayResponse())
        if first is not None:
            hello = {"token": waiting.tokens[0], "description": describe(), **first}
            request = lobby_pb2.JoinRequest(hello=lobby_pb2.JoinHello(**hello))
        with pytest.raises(grpc.RpcError) as caught:
            next(lobby_pb2_grpc.LobbyStub(channel).Join(iter([request])))
        assert caught.value.code().name == code
        assert text in (caught.value.details() or "")
    waiting.wait_to_say(f"refused: .*{text}")


def test_a_second_bot_with_the_same_token_is_refused(tmp_path, waiting):
    with guest(tmp_path, waiting.address, waiting.tokens[1]):
        waiting.wait_to_say("guest 1 is in")
        with guest(tmp_path, waiting.address, waiting.tokens[1]) as second:
            _, errors = second.communicate(timeout=PATIENCE)
            assert second.returncode == 1
            assert "guest 1 is connected already" in errors
        waiting.wait_to_say("refused: guest 1 is connected already")


def test_a_lobby_address_that_is_taken_is_one_sentence(waiting):
    options = ("--lobby", waiting.address, "--league", "other.league")
    done = arena("run", "tournament.toml", *options, cwd=waiting.league.parent, code=2, own_process=True)
    assert f"cannot listen on {waiting.address}" in done.stderr


def test_a_bot_that_finds_no_referee_says_so(tmp_path, monkeypatch):
    script = tmp_path / "guest.py"
    script.write_text("import arena.bot.join\narena.bot.join.GIVE_UP_AFTER = 0.1\n" + FIRST)
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, script, "--join", "127.0.0.1:9", "--token", "x"],
        capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 1
    assert "no referee at 127.0.0.1:9" in done.stderr
    assert time.monotonic() - started < PATIENCE


def test_the_printed_command_lets_a_bot_of_whatever_language_join(tmp_path):
    with referee(tmp_path, 1) as host:
        command = host.wait_to_say(r"guest 0: (ARENA_TOKEN=\w+ arena join .+)")
        done = subprocess.run(
            command.replace(" arena ", f" {shlex.join(ARENA)} "), shell=True,
            cwd=BOTS / "greedy-python", capture_output=True, text=True, timeout=PATIENCE,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert "playing as guest 0 in test" in done.stderr
        rows = host.end()["standings"]
    assert [faults(row) for row in rows] == [{}, {}]


def arena_join(
    *arguments: str, token: str | None = None, given: str = ""
) -> subprocess.CompletedProcess[str]:
    """Runs `arena join` at an address if nobody is, with a bot that only prints its token and its argv."""
    surroundings = {name: value for name, value in os.environ.items() if name != "ARENA_TOKEN"}
    if token is not None:
        surroundings["ARENA_TOKEN"] = token
    return subprocess.run(
        [*ARENA, "join", "127.0.0.1:9", *arguments],
        env=surroundings, input=given, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip


def test_the_token_comes_from_the_environment_a_file_or_the_command(tmp_path):
    program = "import os, sys; print(os.environ['ARENA_TOKEN'], sys.orig_argv)"
    folder = str(bot_folder(tmp_path, "teller", [sys.executable, "-c", program]))
    kept = tmp_path / "token"
    kept.write_text("from-file\n")
    for done, told in (
        (arena_join(folder, token="from-environment"), "from-environment"),
        (arena_join(folder, "--token-file", str(kept), token="other"), "from-file"),
        (arena_join(folder, "--token-file", "-", given="from-input\n"), "from-input"),
        (arena_join(folder, "--token", "from-command", token="other"), "from-command"),
    ):
        assert done.returncode == 0, done.stderr
        assert done.stdout.split()[0] == told
        assert done.stdout.count(told) == 1  # and it is not in the bot's arguments


def test_without_a_token_joining_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.delenv("ARENA_TOKEN", raising=False)
    empty, odd = tmp_path / "empty", tmp_path / "odd"
    empty.write_bytes(b"\n")
    odd.write_bytes(b"\0\xff")
    folder = str(BOTS / "greedy-python")
    for arguments, complaint in (
        ((), "there is no token: set ARENA_TOKEN"),
        (("--token-file", str(empty)), "there is no token"),
        (("--token-file", str(odd)), "has to be a single line"),
        (("--token-file", str(tmp_path / "missing")), "No such file"),
        (("--token-file", str(empty), "--token", "x"), "give the token once"),
    ):
        done = arena("join", "127.0.0.1:9", folder, *arguments, cwd=tmp_path, code=2)
        assert complaint in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("address", "bot", "complaint"),
    [
        ("nowhere", BOTS / "greedy-python", "nowhere is no HOST:PORT"),
        ("127.0.0.1:9", BOTS / "greedy-pythom", "did you mean"),
    ],
)
def test_a_wrong_join_command_gets_one_sentence(tmp_path, address, bot, complaint):
    assert complaint in arena("join", address, bot, "--token", "x", cwd=tmp_path, code=2).stderr


def names_in(league: Path, after: int = 0) -> set[str]:
    """The entrants that have played since a game."""
    with League.read(league) as store:
        names = [entrant.name for entrant in store.tournament(1).entrants]
        games = [result for number, result in store.games(1) if number > after]
    return {names[seat.entrant] for result in games for seat in result.seats}


@pytest.mark.parametrize("workers", ["0", "1"])
def test_a_bot_and_a_guest_come_while_a_night_is_played(tmp_path, workers):
    bots = [Unhurried(f"bot {number}") for number in range(2)]
    path = write_tournament(tmp_path, bots, 'games = ["hyrule"]\nboards = 8\nshared_cards = "round"\n')
    league = tmp_path / "tournament.league"
    late, guest = good_bot(tmp_path, "late"), good_bot(tmp_path, "guest")
    with (tmp_path / "errors").open("wb") as errors:
        referee = subprocess.Popen(
            [*ARENA, "run", str(path), "--lobby", "127.0.0.1:0", "--concurrency", "2", "--workers", workers],
            cwd=tmp_path, stderr=errors, stdout=subprocess.DEVNULL,
        )  # fmt: skip
    try:
        wait_for(lambda: games_in(league) > 3)
        arena("host", "pause", league, cwd=tmp_path)
        taken = arena("host", "admit", league, late, "--name", "BOT 1", cwd=tmp_path, code=2).stderr
        assert "has an entrant bot 1 already" in taken
        done = arena("host", "admit", league, late, "--reason", "the train was late", cwd=tmp_path)
        assert "late is admitted to test" in done.stdout
        done = arena("host", "admit", league, "--join", "guest", cwd=tmp_path)
        token, address = re.findall(r"ARENA_TOKEN=(\S+) arena join (127\.0\.0\.1:\d+)", done.stdout)[0]
        told = (tmp_path / "errors").read_text()
        assert f"guest: ARENA_TOKEN=TOKEN arena join {address}" in told
        assert token not in told  # which may be kept, by nohup for one: only who has asked is told
        assert "late is admitted (the train was late)" in told
        assert "guest may see a board from every seat: all matches of a round share their boards" in told
        assert "late may see" not in told
        arena("host", "go", league, cwd=tmp_path)
        # The guest is waited for: all that is played meanwhile is played by the others.
        wait_for(lambda: "late" in names_in(league))
        joined = subprocess.Popen(
            [*ARENA, "join", address, str(guest)],
            cwd=tmp_path, env={**os.environ, "ARENA_TOKEN": token}, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            assert referee.wait(2 * PATIENCE) == 0
        finally:
            joined.kill()
            joined.wait(PATIENCE)
    finally:
        referee.kill()
        referee.wait(PATIENCE)
    summary = standings(league)
    assert [each["name"] for each in summary["entrants"]] == ["bot 0", "bot 1", "late", "guest"]
    assert {row["matches"] for row in summary["standings"]} == {3}
    assert sum(row["forfeits"] for row in summary["standings"]) == 0
    admitted = [each for each in summary["altered"] if each["kind"] == "admit"]
    assert [(each["name"], each["reason"]) for each in admitted] == [
        ("late", "the train was late"),
        ("guest", ""),
    ]
    text = arena("standings", league, cwd=tmp_path).stdout
    assert "late came late (the train was late)." in text
    assert "all is well" in arena("verify", league, cwd=tmp_path).stdout
    arena("export", league, "-o", "lines.jsonl", cwd=tmp_path)
    arena("import", "lines.jsonl", "copy.league", cwd=tmp_path)
    assert standings(tmp_path / "copy.league") == summary
