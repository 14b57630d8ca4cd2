"""The bot: asks a language model for the number of an action, and falls back on the greedy bot's idea."""

from __future__ import annotations

import sys
from time import monotonic

from arena.bot import Action, Bot, TableInfo, Turn
from arena.bot.policies import GREEDY, greedy
from arena.games.game import Outcome
from llm.chat import Failure, Message, ask, number_in, settings
from llm.costs import Costs
from llm.prompt import number_please, table_prompt, turn_prompt

_TRIES = 2  # in a turn
_LEAST = 0.05  # seconds: with less time left the model is not asked


class LanguageModel(Bot):
    """A bot that lets a language model choose."""

    name = "llm"
    version = "1.0"
    author = "the arena"
    max_tables = 1  # it thinks long

    model = settings()
    costs_of_all = Costs()

    def __init__(self, table: TableInfo) -> None:
        super().__init__(table)
        self.costs = Costs()
        self.told = table_prompt(table)

    def choose(self, turn: Turn) -> Action:
        chosen = self.asked(turn)
        if chosen is not None:
            return turn.actions[chosen]
        self.costs.fallbacks += 1
        return greedy(turn.observation, turn.actions) if turn.game in GREEDY else turn.actions[0]

    def asked(self, turn: Turn) -> int | None:
        """The number that the model chooses; None if it gives no usable one in time."""
        end = monotonic() + turn.think_for
        messages: list[Message] = [
            {"role": "system", "content": self.told},
            {"role": "user", "content": turn_prompt(turn)},
        ]
        for tried in range(_TRIES):
            began = monotonic()
            if end - began < _LEAST:
                break
            self.costs.requests += 1
            self.costs.retries += tried
            try:
                reply = ask(self.model, messages, end - began)
            except Failure as failure:
                self.costs.failures[str(failure)] += 1
                continue
            finally:
                self.costs.seconds += monotonic() - began
            self.costs.tokens_in += reply.tokens_in
            self.costs.tokens_out += reply.tokens_out
            number = number_in(reply.text, len(turn.actions))
            if number is not None:
                return number
            self.costs.failures["no such number"] += 1
            messages += [
                {"role": "assistant", "content": reply.text},
                {"role": "user", "content": number_please(turn)},
            ]
        return None

    def ended(self, outcome: Outcome | None) -> None:
        place = f"place {outcome.places[self.table.seat]}" if outcome else "void"
        self.costs_of_all.add(self.costs)
        print(f"{self.table.game}, {place}: {self.costs}", file=sys.stderr)
        print(f"all games so far: {self.costs_of_all}", file=sys.stderr)
