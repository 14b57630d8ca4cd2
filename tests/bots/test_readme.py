"""The computed parts of bots/REFERENCE.md: a session as it goes over the wire, and how everything reads.

They stand between the lines `<!-- computed: NAME -->` and `<!-- end -->`. To
write them anew after a change that is meant:
`ARENA_UPDATE_README=1 pytest tests/bots/test_readme.py`.
"""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf import json_format

from arena.bot.player import Turn
from arena.cards import ALL_CARDS, SUIT_SYMBOLS
from arena.checkup.session_file import script_of
from arena.games import GAMES, nyuri_values
from arena.link.wire.convert import WIRES
from arena.table.clock import MILLISECOND, SECOND, TimeControl
from arena.table.deal import board_key
from arena.table.table import Table, TableRules
from arena.v1 import bot_pb2, cards_pb2
from tests.bots.playing import GREEDY, ROOT, play, rules
from tests.docs import filled
from tests.protocol.vectors import FOLDER as VECTORS

PAGE = ROOT / "bots" / "REFERENCE.md"
WIDTH = 100
CLOCK = TimeControl(20 * SECOND, 100 * MILLISECOND, 2 * SECOND)
SHORT_GAME = "board 11"  # of which the session is short

# Games that bring up what the vectors, being turns from the beginning of games, do not hold.
WHOLE_GAMES: dict[str, list[tuple[int, dict[str, Any]]]] = {
    "nyuri": [(2, {"series": 2})],
    "forty-one": [(2, {"series": 2}), (3, {"stall": 1})],
    "nur-mut": [(2, {"rounds": 2}), (4, {"model": "one"})],
    "kleftis": [(2, {"series": 2})],
    "hyrule": [(2, {"series": 2})],
}

RARE = {"nyuri": [nyuri_values.Skipped(1)]}  # comes up in no such game


def layout(value: Any, indent: str = "") -> str:
    """JSON on as few lines as fit the width."""
    text = json.dumps(value)
    if len(indent) + len(text) <= WIDTH or not isinstance(value, dict | list) or is_cards(value):
        return text
    inner = indent + "  "
    if isinstance(value, dict):
        rows = [f"{json.dumps(key)}: {layout(item, inner)}" for key, item in value.items()]
        start, end = "{}"
    else:
        rows = [layout(item, inner) for item in value]
        start, end = "[]"
    return f"{start}\n{inner}" + f",\n{inner}".join(rows) + f"\n{indent}{end}"


def is_cards(value: Any) -> bool:
    """Whether a value is a list of names, which stays on one line however long it is."""
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def session() -> str:
    """All messages of a bot at one table."""
    table_rules = rules("forty-one", 2)
    record = play(table_rules, SHORT_GAME, [GREEDY, GREEDY])
    script = script_of(record, 0, [0] * len(record.actions), CLOCK, ())
    lines = ["```"]

    def say(who: str, kind: Any, message: Any) -> None:
        lines.append(f"{who}:")
        lines.append(layout(json_format.MessageToDict(kind.FromString(message))))

    say("referee", bot_pb2.PlayRequest, script.start)
    for scene in script.scenes:
        say("referee", bot_pb2.PlayRequest, scene.request)
        decision = bot_pb2.Decision(table=1, turn=scene.turn, action=scene.recorded)
        answer = bot_pb2.PlayResponse(decisions=[decision])
        say("bot", bot_pb2.PlayResponse, answer.SerializeToString())
        lines.append(f"({scene.actions[scene.recorded]})")
    say("referee", bot_pb2.PlayRequest, script.end)
    return "\n".join([*lines, "```"])


def cards() -> str:
    """The cards' numbers and names."""
    lines = ["| | A | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | J | Q | K |", "|---" * 14 + "|"]
    for suit in range(4):
        row = ALL_CARDS[13 * suit : 13 * suit + 13]
        lines.append("| ".join([f"| {SUIT_SYMBOLS[suit]} ", *(f"{int(card)} " for card in row)]) + "|")
    some = [ALL_CARDS[0], ALL_CARDS[22], ALL_CARDS[37], ALL_CARDS[52], ALL_CARDS[53]]
    names = ", ".join(f"{card} is {int(card)}, `{cards_pb2.Card.Name(int(card))}`" for card in some)
    return "\n".join([*lines, "", f"{names}."])


def vector_turns(game: str) -> list[dict[str, Any]]:
    turns: list[dict[str, Any]] = json.loads((VECTORS / f"{game}.json").read_text("utf-8"))
    return turns


def values(game: str) -> Iterator[tuple[str, Any]]:
    """Actions and events of a game, each with the word `action` or `event`."""
    for item in vector_turns(game):
        turn = Turn(json_format.ParseDict(item["turn"], bot_pb2.Turn()))
        yield from (("action", action) for action in turn.actions)
        yield from (("event", event) for event in turn.events)
    for seats, options in WHOLE_GAMES[game]:
        rng = random.Random(f"{game} {seats}")
        table = Table(
            TableRules(GAMES[game], GAMES[game].parse_options(options), seats, CLOCK, 1),
            board_key(bytes(32), game, f"readme {seats}"),
        )
        while asks := table.asks():
            for ask in asks:
                yield from (("action", action) for action in ask.view.actions)
                yield from (("event", event) for event in ask.view.events)
                table.answer(ask.seat, ask.turn, rng.randrange(len(ask.view.actions)), 0)
        for seat in range(seats):
            yield from (("event", event) for event in table.closing_view(seat).events)
    yield from (("event", event) for event in RARE.get(game, ()))


def readings(game: str) -> str:
    """A row for each kind of action and event, and for each choice of optional fields in it."""
    wire = WIRES[game]
    found: dict[tuple[int, int, str], tuple[tuple[int, int], str, str]] = {}
    for what, value in values(game):
        mirror = wire.action if what == "action" else wire.event
        message: Any = mirror.to_message(value)
        kind = message.WhichOneof("kind")
        inner = getattr(message, kind)
        given = {field.name for field, _ in inner.ListFields()}
        plain = {field.name for field in inner.DESCRIPTOR.fields if not field.has_presence} - {
            field.name for field in inner.DESCRIPTOR.fields if field.is_repeated
        }
        number = message.DESCRIPTOR.fields_by_name[kind].number
        key = (what == "event", number, " ".join(sorted(given - plain)))
        text = json.dumps(json_format.MessageToDict(message), ensure_ascii=False)
        better = ((len(plain - given), len(text)), text, str(value))
        found[key] = min(found.get(key, better), better)
    lines = []
    for event, title in ((False, "action"), (True, "event")):
        lines += [f"| {title} | reads |", "|---|---|"]
        lines += [
            f"| `{text}` | {words} |" for key, (_, text, words) in sorted(found.items()) if key[0] == event
        ]
        lines.append("")
    numbers = {(what, number) for what, number, _ in found}
    for event, mirror in ((False, wire.action), (True, wire.event)):
        for field in mirror.message_class.DESCRIPTOR.oneofs_by_name["kind"].fields:
            assert (event, field.number) in numbers, f"no {field.name} came up in {game}"
    return "\n".join([*lines, *observation(game)])


def observation(game: str) -> list[str]:
    """An observation that holds much in few words."""
    best = max(
        vector_turns(game),
        key=lambda item: (len(view(item["turn"])["observation"]), -len(json.dumps(item["turn"]))),
    )
    message = layout(view(best["turn"])["observation"])
    return ["An observation, and how it reads:", "", "```", message, "", best["observation"], "```"]


def view(turn: dict[str, Any]) -> dict[str, Any]:
    """What a turn shows, whatever the game."""
    (found,) = (value for key, value in turn.items() if isinstance(value, dict) and "observation" in value)
    assert isinstance(found, dict)
    return found


def computed(name: str) -> str:
    if name == "session":
        return session()
    if name == "cards":
        return cards()
    return readings(name)


NAMES = ["session", "cards", *GAMES]


def part(name: str) -> re.Pattern[str]:
    return re.compile(rf"(<!-- computed: {name} -->\n)(.*?)(<!-- end -->)", re.DOTALL)


@pytest.mark.parametrize("name", NAMES)
def test_the_page_says_what_the_games_say(name):
    page = PAGE.read_text("utf-8")
    text = f"\n{filled(computed(name))}\n"
    if os.environ.get("ARENA_UPDATE_README"):
        page = part(name).sub(lambda found: found[1] + text + found[3], page)
        PAGE.write_text(page, "utf-8")
    assert [found[1] for found in part(name).findall(page)] == [text], (
        "a change that is meant: see this module's docstring"
    )
