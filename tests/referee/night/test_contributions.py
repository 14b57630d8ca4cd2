"""Bots pledge bytes for the deals and give them once; the bytes are stored and can be checked."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import grpc
import pytest
import trio

from arena.league.entrants import Entrant
from arena.league.interchange import WrongExport, export_lines, import_lines
from arena.league.store import EntrantInfo, League, TournamentInfo
from arena.league.summary import summarize
from arena.league.tournament_file import parse_plan
from arena.league.verification import Verification
from arena.link.streams.dial import BotFault, BotInfo
from arena.link.wire.league_lines import DecisionLine, read_line, write_decision
from arena.referee.night.roster import contributions
from arena.referee.sitting.keeper import Keeper
from arena.report.standings_text import summary_text
from arena.table.deal import commitment, deal_key, pledge_of, pledges_digest
from arena.tournament.rulings import Contribute, Pause, Ruling, read_ruling
from arena.v1 import lobby_pb2, lobby_pb2_grpc
from tests.arena_command import ARENA, arena
from tests.bots_for_tests import FIRST, bot_folder, good_bot
from tests.patience import PATIENCE
from tests.referee.guests import describe, guest, referee
from tests.referee.nights import games_in, wait_for, write_tournament

ROOT = Path(__file__).parents[3]
TOLD = r"put into the deals: bytes (\w{32}), commitment (\w{64}), pledges (\w{64})"
ANSWERS = """
from arena.bot.answering import Introduction
answer = Introduction.answer

def changed(self, request):
    response = answer(self, request)
    {change}
    return response

Introduction.answer = changed
"""


def bot(folder: Path, name: str, change: str = "pass") -> Path:
    """A bot folder whose bot answers Describe with a change."""
    place = bot_folder(folder, name, [sys.executable, "bot.py"])
    (place / "bot.py").write_text(ANSWERS.format(change=change) + FIRST)
    return place


def told_by(log: str) -> tuple[str, ...]:
    """The bytes, the commitment and the digest of the pledges in a bot's log."""
    (told,) = re.findall(TOLD, log)
    return tuple(told)


def program_says(lines: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """What the program of docs/fair-deals.md says of an export."""
    (text,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "fair-deals.md").read_text(), re.DOTALL)
    (folder / "check_deals.py").write_text(text)
    (folder / "checked.jsonl").write_text("\n".join(lines))
    return subprocess.run(
        [sys.executable, "-I", "-S", "check_deals.py", "checked.jsonl"],
        cwd=folder, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip


def test_what_each_bot_gave_is_in_its_log_in_the_export_and_in_the_deals(tmp_path):
    bots = [
        bot(tmp_path, "one"),
        bot(tmp_path, "old", "response.pledge = response.contribution = b''"),
        bot(tmp_path, "short", "response.contribution = response.contribution[:5]"),
        bot(tmp_path, "liar", "response.contribution = bytes(len(response.contribution))"),
        bot(tmp_path, "two"),
    ]
    path = write_tournament(tmp_path, bots, 'games = ["hyrule"]\nboards = 1')
    done = arena("run", path, "--json", "--verbose", "--workers", 0, cwd=tmp_path)
    league = tmp_path / "tournament.league"
    logs = {
        name: told_by((tmp_path / "tournament.logs" / f"{name}.log").read_text()) for name in ("one", "two")
    }
    summary = json.loads(done.stdout)
    contributed = summary["contributed"]
    assert contributed["bytes"] == {name: told[0] for name, told in logs.items()}
    assert set(contributed["pledges"]) == {"one", "short", "liar", "two"}
    for _, promised, pledges in logs.values():
        assert (promised, pledges) == (summary["commitment"], contributed["pledges_digest"])
    assert (
        "short puts nothing into the deals: it gave 5 bytes for the deals, but these must be 16"
        in done.stderr
    )
    assert "liar puts nothing into the deals: it gave other bytes for the deals than it had pl" in done.stderr
    assert "2 of 5 bots put bytes of their own into the deals" in done.stderr
    assert sum(row["faults"]["protocol"] for row in summary["standings"]) == 0

    with League.read(league) as store:
        shown = summary_text(summarize(store, 1))
        assert [problem for problem in Verification(store).problems() if problem] == []
        lines = list(export_lines(store))
    assert all(f"  {told[0]}  {name}\n" in f"{shown}\n" for name, told in logs.items())
    assert all(sum(told[0] in line for line in lines) == 1 for told in logs.values())
    checked = program_says(lines, tmp_path)
    assert checked.returncode == 0, checked.stderr
    assert f"commitment {summary['commitment']}, pledges {contributed['pledges_digest']}" in checked.stdout
    import_lines(lines, "it", tmp_path / "imported.league", lambda games: None)

    for changed, complaint in (
        (lambda made: dataclasses.replace(made, contributions=("",) * 5), "does not follow"),
        (
            lambda made: dataclasses.replace(made, contributions=("0" * 32, *made.contributions[1:])),
            "had pledged",
        ),
    ):
        edited = with_contribution(lines, changed)
        refused = program_says(edited, tmp_path)
        assert refused.returncode == 1
        assert complaint in refused.stderr
        with pytest.raises(WrongExport, match=complaint):
            import_lines(edited, "it", tmp_path / "edited.league", lambda games: None)


def with_contribution(lines: Sequence[str], changed) -> list[str]:
    """The lines of an export with what was put in changed."""
    edited = []
    for text in lines:
        line = read_line(text)
        if isinstance(line, DecisionLine) and isinstance(made := read_ruling(line.decision), Contribute):
            text = write_decision(line._replace(decision=changed(made).to_json()))
        edited.append(text)
    assert edited != list(lines)
    return edited


def test_with_a_seed_nothing_is_asked(tmp_path):
    path = write_tournament(
        tmp_path, [bot(tmp_path, "one"), bot(tmp_path, "two")], 'games = ["hyrule"]\nboards = 1'
    )
    summary = json.loads(arena("run", path, "--json", "--seed", "s", "--workers", 0, cwd=tmp_path).stdout)
    assert summary["contributed"] is None
    assert (tmp_path / "tournament.logs" / "one.log").read_text() == ""


def test_a_guest_gives_its_bytes_and_a_resumed_tournament_goes_on_with_them(tmp_path):
    slow = FIRST.replace("return turn", "import time; time.sleep(0.002); return turn")
    local_bot = good_bot(tmp_path, "local")
    options = "--concurrency", "1", "--workers", "0", "--verbose"
    with (
        referee(tmp_path, 1, *options, boards=4, local=local_bot) as host,
        guest(tmp_path, host.address, host.tokens[0], slow) as first,
    ):
        host.wait_to_say(r"2 of 2 bots put bytes")
        wait_for(lambda: games_in(host.league) >= 1)
        host.process.send_signal(signal.SIGTERM)
        host.process.wait(PATIENCE)
        first.kill()
        assert first.stderr is not None
        given = told_by(first.stderr.read())
    log = tmp_path / "tournament.logs" / f"{local_log(tmp_path)}.log"
    local = told_by(log.read_text())
    with League.read(host.league) as store:
        before = contributed_in(store)
    resume = subprocess.Popen(
        [*ARENA, "resume", host.league, "--json", "--lobby", host.address, "--workers", "0"],
        cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    with guest(tmp_path, host.address, host.tokens[0]) as again:
        output, said = resume.communicate(timeout=PATIENCE)
        assert resume.returncode == 0, said
        assert again.wait(PATIENCE) == 0
        assert again.stderr is not None
        assert not re.search(TOLD, again.stderr.read())
    contributed = json.loads(output)["contributed"]
    assert set(contributed["bytes"].values()) == {given[0], local[0]}
    with League.read(host.league) as store:
        assert contributed_in(store) == before
        assert [problem for problem in Verification(store).problems() if problem] == []


def local_log(folder: Path) -> str:
    (name,) = (path.stem for path in (folder / "tournament.logs").glob("*.log"))
    return name


def contributed_in(store: League) -> list[Contribute]:
    rulings = [read_ruling(each.ruling) for each in store.rulings(1)]
    return [ruling for ruling in rulings if isinstance(ruling, Contribute)]


def test_the_welcome_has_the_commitment_and_who_describes_itself_unasked_is_cut_off(tmp_path):
    with referee(tmp_path, 2) as host, grpc.insecure_channel(host.address) as channel:
        hello = lobby_pb2.JoinHello(token=host.tokens[0], description=describe(pledge=bytes(32)))
        welcomed = threading.Event()  # what was sent before a cut may be lost with it

        def said() -> Iterator[lobby_pb2.JoinRequest]:
            yield lobby_pb2.JoinRequest(hello=hello)
            assert welcomed.wait(PATIENCE)
            yield lobby_pb2.JoinRequest(description=describe(contribution=bytes(16)))

        stream = lobby_pb2_grpc.LobbyStub(channel).Join(said())
        assert len(next(stream).welcome.commitment) == 32
        welcomed.set()
        with pytest.raises(grpc.RpcError):
            next(stream)
        host.wait_to_say("guest 0 was lost: describes itself again though it was not asked")


def test_a_pledge_of_a_wrong_length_is_a_fault(tmp_path):
    with referee(tmp_path, 1) as host, grpc.insecure_channel(host.address) as channel:
        hello = lobby_pb2.JoinHello(token=host.tokens[0], description=describe(pledge=bytes(31)))
        with pytest.raises(grpc.RpcError) as caught:
            next(lobby_pb2_grpc.LobbyStub(channel).Join(iter([lobby_pb2.JoinRequest(hello=hello)])))
        assert "wrong pledge: it has 31 bytes, but a SHA-256 has 32" in (caught.value.details() or "")


class Seated(Keeper):
    """A keeper whose bot is asked here."""

    def __init__(self, name: str, asked: list[tuple[bytes, bytes]], given: bytes | None) -> None:
        self.entrant = Entrant(name, join=True)
        pledge = pledge_of(given) if given else b""
        self.info = None if given is None else BotInfo(name, "", "", (), 0, pledge)
        self._asked, self._given = asked, given

    async def _keep(self) -> None:
        raise AssertionError("it is there")

    async def bytes_for_deals(self, pledge: bytes, commitment: bytes, pledges: bytes) -> bytes:
        self._asked.append((commitment, pledges))
        await trio.lowlevel.checkpoint()
        if not self._given or self._given == b"late":
            raise BotFault("timeout", "did not answer")
        return self._given


def test_all_are_told_the_same_and_only_those_who_pledged_are_asked():
    asked: list[tuple[bytes, bytes]] = []
    said: list[str] = []
    values = [b"a" * 16, b"", None, b"late", b"b" * 16]
    keepers = [Seated(f"bot {number}", asked, given) for number, given in enumerate(values)]
    made = trio.run(contributions, keepers, b"c" * 32, said.append)
    assert made is not None
    assert made.given == {0: b"a" * 16, 4: b"b" * 16}
    assert made.pledged == {
        0: pledge_of(b"a" * 16),
        3: pledge_of(b"late"),
        4: pledge_of(b"b" * 16),
    }
    assert asked == [(b"c" * 32, pledges_digest(made.pledged))] * 3
    assert said == ["bot 3 puts nothing into the deals: it did not answer"]
    assert read_ruling(made.to_json()) == made
    assert trio.run(contributions, keepers[1:3], b"c" * 32, said.append) is None


def test_the_keys_are_as_the_page_says():
    key, given = bytes(range(32)), {0: b"a" * 16, 11: b"b" * 16, 2: b"c" * 16}
    text = f"arena pledges 1\n0 {'61' * 16}\n2 {'63' * 16}\n11 {'62' * 16}"
    assert pledges_digest(given) == hashlib.sha256(text.encode()).digest()
    assert deal_key(key, {}) == key
    assert deal_key(key, given).hex() == "674875a6a6d3ade52238b7455eb5a095ebf84c426fa53f1657b25e4693a893db"


def test_what_was_put_in_counts_only_at_the_beginning_as_pledged_and_once(tmp_path):
    given = b"a" * 16
    right = Contribute((pledge_of(given).hex(), ""), (given.hex(), ""))
    wrong: dict[str, list[Ruling]] = {
        "not those that it had pledged": [dataclasses.replace(right, pledges=("00" * 32, ""))],
        "not about the 2 entrants": [dataclasses.replace(right, pledges=(right.pledges[0],))],
        "not the first thing": [Pause(), right],
    }
    key, text = bytes(range(32)), 'name = "t"\n[[entrant]]\n[[entrant]]\n'
    plan, entrants = (
        parse_plan(text, Path("t.toml")).to_json(),
        (EntrantInfo("one", ""), EntrantInfo("two", "")),
    )
    for number, (complaint, rulings) in enumerate(({"": [right]} | wrong).items()):
        with League.create_or_open(tmp_path / f"{number}.league") as store:
            info = TournamentInfo("t", Path("t.toml"), text, key, commitment(key), entrants, plan)
            first, *others = [ruling.to_json() for ruling in rulings]
            tournament = store.start_tournament(info, first)
            for other in others:
                store.record_ruling(tournament, other, "")
            problems = [problem.what for problem in Verification(store).problems() if problem]
        assert bool(problems) == bool(complaint)
        assert all(complaint in problem for problem in problems)
