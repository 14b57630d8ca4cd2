"""How strong the example that looks ahead is: `python -m tests.bots.lookahead GAME TRIES BOARDS`.

Its clock counts how often it tries an action, instead of seconds: results are the same on every machine.
"""

from __future__ import annotations

import itertools
import math
import re
import sys
from collections.abc import Callable
from statistics import fmean, stdev
from typing import Any

from arena.bot.player import Bot
from arena.bot.simulation import simulate
from tests.bots.playing import GREEDY, ROOT

PAGE = ROOT / "bots" / "README.md"
_CLOCK, _SERVE = "from time import monotonic\n", "serve(Lookahead)\n"
_SHARE = 0.8
"""The part of the move limit that is thought for where the bank is large."""


def example() -> str:
    """The bot as it stands on the page."""
    code: str
    (code,) = [
        code
        for code in re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)
        if "sample" in code
    ]
    return code


def lookahead(clock: Callable[[], float] | None = None) -> type[Bot]:
    """The bot's class, with another clock if one is given."""
    code = example()
    assert _CLOCK in code
    assert _SERVE in code
    names: dict[str, Any] = {"monotonic": clock}
    exec(code.replace(_SERVE, "").replace(_CLOCK, "" if clock else _CLOCK), names)
    bot: type[Bot] = names["Lookahead"]
    return bot


def counted(tries: int) -> tuple[float, float, float]:
    """The clock of a table at which so many tries are made in a decision, where a try takes a second."""
    return 1e6, 1e6, (tries + 0.5) / _SHARE


def scores(game: str, tries: int, boards: int) -> list[float]:
    """The share of games that it wins of greedy, board by board, each being played from both seats.

    Args:
        game: the game's id.
        tries: how often it tries an action in a decision.
        boards: how many boards.
    """
    bot = lookahead(itertools.count().__next__)

    def score(board: int, seat: int) -> float:
        bots = [bot if each == seat else GREEDY for each in range(2)]
        places = simulate(game, bots, f"look ahead {board}", clock=counted(tries)).outcome.places
        return (places[seat] == 1) / places.count(1)

    return [fmean(score(board, seat) for seat in range(2)) for board in range(boards)]


def main(game: str, tries: int, boards: int) -> None:
    """Prints its share of wins against greedy, in %, with the 95 % margin over boards."""
    won = scores(game, tries, boards)
    margin = 1.96 * stdev(won) / math.sqrt(boards)
    sys.stdout.write(f"{game}, {tries} tries, {boards} boards: {100 * fmean(won):.1f} ± {100 * margin:.1f}\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
