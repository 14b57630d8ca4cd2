"""`llms.txt` names every game, message, command and value, and is not too long to read."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import pytest

from arena.cli.commands import arena
from arena.cli.llms_txt import llms_txt
from arena.games import GAMES
from arena.games.pages import rules_page
from arena.v1 import bot_pb2, lobby_pb2
from tests.view.served import played, served

MOST = 200_000  # bytes


@pytest.fixture(scope="module")
def text():
    return llms_txt()


def test_it_has_the_rules_and_options_of_every_game(text):
    for game in GAMES.values():
        page = rules_page(game)
        assert page
        assert page.strip() in text, game.id
        for option in dataclasses.fields(game.Options):
            assert f"    {option.name} = " in text, (game.id, option.name)


def test_it_has_every_message_that_a_bot_sends_or_gets_with_every_field(text):
    messages = _messages_of(bot_pb2, "Bot") | _messages_of(lobby_pb2, "Lobby")
    assert {"Turn", "NurMutView", "KleftisAction", "JoinWelcome"} <= set(messages)
    for name, message in messages.items():
        block = re.search(rf"^message {name} \{{.*?^\}}", text, re.MULTILINE | re.DOTALL)
        assert block, name
        assert [field.name for field in message.fields if f" {field.name} = " not in block[0]] == []


def _messages_of(module: Any, service: str) -> dict[str, Any]:
    """The messages of a service, and all that are in them, by name."""
    found: dict[str, Any] = {}
    methods = module.DESCRIPTOR.services_by_name[service].methods
    waiting = [message for method in methods for message in (method.input_type, method.output_type)]
    while waiting:
        message = waiting.pop()
        if message.file.package == "arena.v1" and message.name not in found:
            if not message.GetOptions().map_entry:  # which a map field stands for
                found[message.name] = message
            waiting += [field.message_type for field in message.fields if field.message_type]
    return found


def test_it_has_every_command(text):
    shown = [name for name, command in arena.commands.items() if not command.hidden]
    assert shown
    assert [name for name in shown if f"* `arena {name}`: " not in text] == []


def test_it_has_every_action_and_event_in_python(text):
    for name, message in _messages_of(bot_pb2, "Bot").items():
        if name.endswith(("Action", "Event")):
            for field in message.oneofs_by_name["kind"].fields:
                assert re.search(rf"^\w+\(.*\), kind '{field.name}'$", text, re.MULTILINE), field.name


def test_it_says_how_to_check_a_bot_and_nothing_twice(text):
    assert "arena check-bot my-bot" in text
    assert "class MyBot(Bot):" in text
    headings = [line for line in text.splitlines() if line.startswith("# ")]
    assert len(headings) == len(set(headings))
    assert len(text.encode()) < MOST
    assert "](" not in text.partition("# Nyuri\n")[0]  # links lead nowhere in a file of its own


def test_the_page_serves_it(text, tmp_path):
    with served(played(tmp_path / "x.league")) as page:
        served_text, headers = page.answer("/llms-full.txt")
        links, also = page.answer("/llms.txt")
        found = re.findall(rf"\]\({re.escape(page.url)}(/[^)]+)\)", links)
        for path in found:
            page.get(path)
    assert served_text == text
    assert links.startswith("# Night &lt;b&gt;one&lt;/b&gt;\n\n> ")
    assert {"/llms-full.txt", "/standings", "/feed.atom", *(f"/how-to/{game}" for game in GAMES)} <= {*found}
    assert len(found) == links.count("](")
    assert headers["Content-Type"] == also["Content-Type"]
    assert headers["Content-Type"] == "text/plain; charset=utf-8"
