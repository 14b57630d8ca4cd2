"""The bot that asks a language model: whole games, with a stand-in for the model on a real HTTP server."""

from __future__ import annotations

import json
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import pytest

from arena.bot import Action, Bot, Turn, simulate
from arena.bot.policies import greedy
from arena.games import GAMES
from arena.games.pages import rules_page
from tests.arena_command import arena
from tests.bots.playing import GREEDY, LLM, ROOT
from tests.bots_for_tests import entrant
from tests.patience import PATIENCE
from tests.referee.guests import faults

KEY = "a secret"
UNHURRIED = '[clock]\nbank = "30m"\nmove = "5m"\n'
ACTIONS = re.compile(r"Answer with one number from 0 to (\d+)\.$")


class Model:
    """A stand-in for a language model.

    Args:
        say: what it says, from the number of the request, from 1, and the request; an int is a status
            instead, and None a trickle.

    Attributes:
        requests: what it was asked.
        over: set when a test is over.
    """

    def __init__(self, say: Callable[[int, dict[str, Any]], str | int | None]) -> None:
        self.say = say
        self.requests: list[dict[str, Any]] = []
        self.over = threading.Event()

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        """Answers a request as a server of chat completions does."""
        assert handler.path == "/v1/chat/completions"
        assert handler.headers["Authorization"] == f"Bearer {KEY}"
        request = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        self.requests.append(request)
        said = self.say(len(self.requests), request)
        if isinstance(said, int):
            handler.send_error(said)
            return
        handler.send_response(200)
        handler.end_headers()
        if said is None:  # a trickle that never ends
            while not self.over.wait(0.05):
                handler.wfile.write(b" ")
            return
        told = {
            "choices": [{"message": {"role": "assistant", "content": said}}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 2},
        }
        handler.wfile.write(json.dumps(told).encode())


@contextmanager
def serving(model: Model) -> Iterator[ThreadingHTTPServer]:
    """Serves a model on a port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            with suppress(ConnectionError):  # the bot no longer waits
                model.answer(self)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            model.over.set()
            server.shutdown()
            thread.join()


def night(folder: Path, server: ThreadingHTTPServer) -> dict[str, Any]:
    """Plays two games of Hyrule with the bot; returns its costs, after a check that it was at no fault."""
    bot = folder / "my llm"
    shutil.copytree(ROOT / "bots" / "llm-python", bot, ignore=shutil.ignore_patterns("__pycache__"))
    (bot / "llm.toml").write_text(
        f'base_url = "http://127.0.0.1:{server.server_port}/v1"\nmodel = "stand-in"\nkey = "{KEY}"\n'
        "[request]\ntemperature = 0\n"
    )
    file = folder / "night.toml"
    file.write_text(
        f'name = "night"\ngames = ["hyrule"]\nboards = 1\n{UNHURRIED}[allow]\nnetwork = true\n'
        f'[[entrant]]\nbot = "{bot}"\n{entrant("other")}'
    )
    played = arena("run", file, "--json", cwd=folder)
    rows = json.loads(played.stdout)["standings"]
    assert [faults(row) for row in rows] == [{}, {}]
    (log,) = folder.glob("night.logs/llm*.log")
    told = re.findall(r"^all games so far: (.*)$", log.read_text(), re.MULTILINE)
    assert len(told) == 2
    costs, _, failures = told[-1].partition(", failures: ")
    found: dict[str, Any] = {name: float(number) for name, number in re.findall(r"([a-z ]+) ([\d.]+)", costs)}
    found = {name.strip(): number for name, number in found.items()}
    found["failures"] = {what: int(count) for count, what in re.findall(r"(\d+) x ([\w ]+)", failures)}
    return found


def last(request: dict[str, Any]) -> str:
    """An answer: the last action that the request offers, after some thoughts."""
    found = ACTIONS.search(request["messages"][-1]["content"])
    assert found
    return f"<think>0 or 1?</think>\nAction {found[1]}."


def test_it_plays_what_the_model_says_and_counts_what_that_costs(tmp_path: Path) -> None:
    model = Model(lambda number, request: last(request))
    with serving(model) as server:
        costs = night(tmp_path, server)
    count = len(model.requests)
    assert count >= 10
    assert costs.pop("seconds") >= 0
    assert costs == {
        "requests": count,
        "tokens in": 100 * count,
        "tokens out": 2 * count,
        "retries": 0,
        "fallbacks": 0,
        "failures": {},
    }
    rules = rules_page(GAMES["hyrule"])
    assert rules
    for request in model.requests:
        assert (request["model"], request["temperature"]) == ("stand-in", 0)
        system, user = request["messages"]
        assert (system["role"], user["role"]) == ("system", "user")
        assert rules in system["content"]
        assert "\n0: play " in user["content"]
    told = [request["messages"][1]["content"] for request in model.requests]
    assert "is dealt 7 cards" in told[0]
    for before, after in pairwise(told):
        chosen = re.findall(r"^\d+: (?:play|swap) (.*)$", before, re.MULTILINE)[-1]
        happened = after.partition("The table:")[0]
        assert re.search(rf"(plays|discards) {chosen}( |$)|is dealt", happened, re.MULTILINE), happened


class Played(NamedTuple):
    """What games in this process cost."""

    requests: int
    retries: int
    fallbacks: int
    seconds: float
    failures: dict[str, int]


def played(server: ThreadingHTTPServer, bot: type[Bot] = LLM, move: float = PATIENCE) -> Played:
    """The costs of two games of Hyrule in this process, with so many seconds for a turn."""

    class Asking(bot):  # type: ignore[valid-type, misc]  # it is a class
        model = LLM.model._replace(base_url=f"http://127.0.0.1:{server.server_port}/v1", key=KEY)  # type: ignore[attr-defined]  # a NamedTuple of the bot's folder
        costs_of_all = type(LLM.costs_of_all)()  # type: ignore[attr-defined]  # of the bot's folder, too

    both: list[list[type[Bot]]] = [[Asking, GREEDY], [GREEDY, Asking]]
    for seats in both:
        record = simulate("hyrule", seats, "a board", clock=(100 * move, 0.0, move), max_faults=1)
        assert not record.faults
    costs = Asking.costs_of_all
    return Played(costs.requests, costs.retries, costs.fallbacks, costs.seconds, dict(costs.failures))


def test_it_asks_once_more_after_an_unusable_answer() -> None:
    model = Model(lambda number, request: last(request) if number % 2 == 0 else "I cannot play cards.")
    with serving(model) as server:
        costs = played(server)
    turns = len(model.requests) // 2
    assert costs.retries == turns > 0
    assert costs.fallbacks == 0
    assert costs.failures == {"no such number": turns}
    assert [message["role"] for message in model.requests[1]["messages"]][2:] == ["assistant", "user"]


@pytest.mark.parametrize(
    ("answer", "failure"),
    [
        ("42 is the answer, and so is 99", "no such number"),
        ("", "no such number"),
        (500, "HTTP 500"),
        (429, "HTTP 429"),
    ],
)
def test_without_a_usable_answer_it_chooses_itself(answer: str | int, failure: str) -> None:
    model = Model(lambda number, request: answer)
    with serving(model) as server:
        costs = played(server)
    count = len(model.requests)
    assert count >= 20
    assert (costs.retries, costs.fallbacks) == (count / 2, count / 2)
    assert costs.failures == {failure: count}


class Impatient(LLM):  # type: ignore[misc, valid-type]  # it is a class
    """Asks in the first turn of each game, and waits as long as it thinks that it may."""

    def choose(self, turn: Turn) -> Action:
        if turn.number > 1:
            return greedy(turn.observation, turn.actions)
        began = monotonic()
        chosen: Action = super().choose(turn)
        assert monotonic() - began >= turn.think_for
        return chosen


def test_a_model_that_is_too_slow_is_not_waited_for_longer_than_the_clock_allows() -> None:
    """How long that is so that it costs no fault, tests/bot/test_thinking.py shows."""

    def waits(number: int, request: dict[str, Any]) -> None:
        if number % 2:
            model.over.wait()  # no answer at all; else a trickle

    model = Model(waits)
    with serving(model) as server:
        costs = played(server, Impatient, move=1.0)
    assert costs.fallbacks == costs.requests == len(model.requests) == 2
    assert costs.failures == {"too slow": 2}
    assert costs.retries == 0
    assert costs.seconds > 1


def test_a_model_that_goes_away_costs_no_fault() -> None:
    def leaves(number: int, request: dict[str, Any]) -> str:
        if number == 4:
            threading.Thread(target=server.server_close).start()
        return last(request)

    model = Model(leaves)
    with serving(model) as server:
        costs = played(server)
    assert costs.fallbacks > 0
    assert costs.failures["not reached"] >= costs.fallbacks
