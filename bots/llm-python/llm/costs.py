"""What a language model costs: requests, tokens, time, and what went wrong."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Costs:
    """The costs of one game, or of all games so far.

    Attributes:
        requests: how often the model was asked.
        tokens_in, tokens_out: what it read and wrote, in tokens.
        seconds: how long the bot waited for it.
        retries: how often it was asked again in a turn.
        fallbacks: the turns in which the bot had to choose without it.
        failures: what went wrong, and how often.
    """

    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    retries: int = 0
    fallbacks: int = 0
    failures: Counter[str] = field(default_factory=Counter)

    def add(self, other: Costs) -> None:
        """Adds the costs of a game."""
        self.requests += other.requests
        self.tokens_in += other.tokens_in
        self.tokens_out += other.tokens_out
        self.seconds += other.seconds
        self.retries += other.retries
        self.fallbacks += other.fallbacks
        self.failures += other.failures

    def __str__(self) -> str:
        failures = ", ".join(f"{count} x {what}" for what, count in sorted(self.failures.items())) or "none"
        return (
            f"requests {self.requests}, tokens in {self.tokens_in}, tokens out {self.tokens_out}, "
            f"seconds {self.seconds:.1f}, retries {self.retries}, fallbacks {self.fallbacks}, "
            f"failures: {failures}"
        )
