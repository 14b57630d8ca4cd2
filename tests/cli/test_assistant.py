"""`arena seat --mcp`: an assistant plays by the tools of an MCP server, with the SDK's own client."""

from __future__ import annotations

import importlib.util
import json
import re
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from tests.arena_command import ARENA, arena
from tests.patience import PATIENCE
from tests.referee.guests import faults, referee

if TYPE_CHECKING:
    from mcp import Client  # which takes a second to import

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("mcp") is None, reason="the extra mcp is not installed"
)

OPTIONS = "[options.hyrule]\nseries = 2\n[options.kleftis]\nseries = 2\n"
UNHURRIED = OPTIONS + '[clock]\nbank = "30m"\nmove = "5m"\n'
HURRIED = '[clock]\nbank = "30m"\nmove = "2s"\n'


class Assistant:
    """A client that calls the tools."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def call(self, tool: str, **arguments: Any) -> str:
        """The text that a tool answers."""
        result = await self.client.call_tool(tool, arguments)
        assert not result.is_error, result
        return _text(result)

    async def refused(self, tool: str, **arguments: Any) -> str:
        """The text with which a tool refuses a call."""
        result = await self.client.call_tool(tool, arguments)
        assert result.is_error, result
        return _text(result)


def _text(result: Any) -> str:
    (part,) = result.content
    return str(part.text)


def with_an_assistant(
    address: str, token: str, work: Callable[[Assistant], Awaitable[None]], mode: str = "auto"
) -> None:
    """Starts the command as the program of an assistant does, and does some work with its tools.

    The mode `legacy` is the handshake of the protocol's versions before 2026.
    """
    from mcp import Client, StdioServerParameters

    command, *arguments = ARENA
    server = StdioServerParameters(
        command=command, args=[*arguments, "seat", "--mcp", address], env={"ARENA_TOKEN": token}
    )

    async def working() -> None:
        with anyio.fail_after(PATIENCE):
            async with Client(server, mode=mode) as client:
                await work(Assistant(client))

    anyio.run(working)


def turn_in(text: str) -> tuple[int, int]:
    """The number of the turn that a text shows, and of its actions."""
    found = re.search(r"^Turn (\d+), .*, seat [01]\. You have \d+ s\.$", text, re.MULTILINE)
    assert found, text
    actions = re.findall(r"^  (\d+): .", text.partition("Your actions:")[2], re.MULTILINE)
    assert list(map(int, actions)) == list(range(len(actions)))
    return int(found[1]), len(actions)


@pytest.mark.campaign
def test_an_assistant_plays_a_whole_tournament_and_is_told_of_a_refusal(tmp_path):
    async def play(assistant: Assistant) -> None:
        tools = (await assistant.client.list_tools()).tools
        assert {tool.name for tool in tools} == {"rules", "wait_turn", "play"}
        assert all(tool.description for tool in tools)
        assert "The games are nyuri, " in await assistant.call("rules")
        assert (await assistant.call("rules", game="kleftis")).startswith("# Kleftis\n")
        assert "did you mean kleftis?" in await assistant.refused("rules", game="kleftic")
        assert "There is no turn 1." in await assistant.refused("play", turn=1, action=0)

        seen = await assistant.call("wait_turn", seconds=PATIENCE)
        assert "You are guest 0 in the tournament test." in seen
        assert re.search(r"^A game of \w+ begins: 2 seats, you are seat [01]\. (.*)$", seen, re.MULTILINE)
        assert "Options of this table: series = 2." in seen
        number, actions = turn_in(seen)
        assert number == 1
        assert "# " in await assistant.call("rules")
        refused = await assistant.refused("play", turn=1, action=actions)
        assert f"There is no action {actions}: the actions are 0 to {actions - 1}." in refused
        assert turn_in(await assistant.call("wait_turn")) == (1, actions)  # it is still open

        told = []
        while "The tournament is over." not in seen:
            told.append(seen)
            number, actions = turn_in(seen)
            assert "You chose: " in await assistant.call("play", turn=number, action=actions - 1)
            again = await assistant.refused("play", turn=number, action=0)
            assert "You have chosen in turn" in again or "The tournament is over." in again
            seen = await assistant.call("wait_turn", seconds=PATIENCE)
        told.append(seen)
        assert "\n".join(told).count("The game is over (") == 4
        assert "The tournament is over." in await assistant.refused("play", turn=number + 1, action=0)
        assert "The tournament is over." in await assistant.call("wait_turn")

    async def play_without_a_token(assistant: Assistant) -> None:
        assert "the referee says: " in await assistant.refused("wait_turn")
        assert "the referee says: " in await assistant.refused("wait_turn")  # it has dialled again

    with referee(tmp_path, 1, head=UNHURRIED) as running:
        with_an_assistant(running.address, "wrong", play_without_a_token)
        with_an_assistant(running.address, running.tokens[0], play)
        rows = running.end()["standings"]
    assert [faults(row) for row in rows] == [{}, {}]


@pytest.mark.campaign
def test_a_turn_whose_time_is_up_is_not_played_any_more(tmp_path):
    async def play(assistant: Assistant) -> None:
        number, _ = turn_in(await assistant.call("wait_turn", seconds=PATIENCE))
        while "There is no action" in (refused := await assistant.refused("play", turn=number, action=999)):
            await anyio.sleep(0.05)
        assert f"The time for turn {number} is up: action 0 was played." in refused
        while "was up" not in (seen := await assistant.call("wait_turn", seconds=PATIENCE)):
            await anyio.sleep(0.05)  # the seat's clock was first; the referee's news is still to come
        assert f"The time for turn {number} was up: action 0 was played (" in seen
        assert turn_in(seen)[0] > number

    with referee(tmp_path, 1, head=HURRIED) as running:
        with_an_assistant(running.address, running.tokens[0], play, mode="legacy")


def test_standard_output_is_for_mcp_alone_and_the_process_ends_with_its_input():
    done = subprocess.run(
        [*ARENA, "seat", "--mcp", "127.0.0.1:1", "--token", "x"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_ctrl_c_ends_it_at_once():
    hello = {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}
        },
    }  # fmt: skip
    with subprocess.Popen(
        [*ARENA, "seat", "--mcp", "127.0.0.1:1", "--token", "x"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(hello) + "\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["result"]["serverInfo"]["name"] == "arena"
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130


def test_without_the_sdk_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.delitem(sys.modules, "arena.seat.assistant", raising=False)
    for name in [name for name in sys.modules if name.partition(".")[0] == "mcp"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp", None)
    done = arena("seat", "--mcp", "127.0.0.1:1", "--token", "x", cwd=tmp_path, code=2)
    assert done.stderr == "arena: --mcp needs the SDK of MCP: pip install '.[mcp]' in a clone of the arena\n"
