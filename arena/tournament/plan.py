"""What a tournament is, with nothing left to a default: its resolved plan.

A tournament file may leave things out, and what that means may change with the
years. So the file is resolved once, when the tournament begins, and the plan is
kept in the league, under its hash chain, as JSON text:

    {"version": 1, "name": ..., "games": [...], "options": {game: {option: value}},
     "boards": 2, "names": "hidden", "max_faults": 3, "withdraw_after": 10,
     "seating": "balanced", "shared_cards": "round", "clock": {"bank": ns, "increment": ns, "move": ns},
     "own_clocks": {entrant: {"bank": ns, ...}},
     "stages": [{"format": "round-robin", "entrants": 4, ...}]}

A key that comes later is read, where it is missing, as what was done before it
was there. Leagues of the first release hold the file alone: `first_release`
knows what it meant then.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

from arena.formats import Format, format_of_then
from arena.formats.seating import Rule
from arena.games import find_game
from arena.games.game import options_of_then
from arena.results import GameKey, SharedCards
from arena.table.clock import TimeControl

VERSION = 1

MAX_BOARDS = 100_000
"""The most boards that a match can have for each game."""


class UnknownPlan(ValueError):
    """A stored plan that this version cannot read; the text says why."""


@dataclasses.dataclass(frozen=True, slots=True)
class Plan:
    """A tournament, resolved.

    Attributes:
        name: what people call it.
        games: the ids of the games, in order.
        options: the options of each of these games, an instance of its `Options`, by id.
        boards: the boards per match and game, at least 1.
        show_names: whether bots are told the names of their opponents.
        max_faults: the fault, counted from 1, at which a bot forfeits a game.
        withdraw_after: after so many forfeits in a row a bot is withdrawn; 0 for never.
        seating: how entrants are seated at tables of three and more, `balanced`
            or, as before there was a choice, `cyclic`.
        clock: the clock of each seat, but of the entrants that have one of their own.
        stages: the stages in order, at least one.
        own_clocks: the clocks that entrants have of their own, by their numbers.
        shared_cards: which games have the same cards.
    """

    name: str
    games: tuple[str, ...]
    options: Mapping[str, Any]
    boards: int
    show_names: bool
    max_faults: int
    withdraw_after: int
    seating: Rule
    clock: TimeControl
    stages: tuple[Format, ...]
    own_clocks: Mapping[int, TimeControl] = dataclasses.field(default_factory=dict)
    shared_cards: SharedCards = "round"

    def clock_of(self, entrant: int) -> TimeControl:
        """The clock of an entrant."""
        return self.own_clocks.get(entrant, self.clock)

    def board_name(self, key: GameKey) -> str:
        """The name from which a game's board follows: games with the same name have the same cards.

        An entrant plays one match a round, so it meets cards again only in the seatings of its match.
        """
        match = 0 if self.shared_cards == "round" else self.stages[key.stage].cards_of(key.match)
        rotation = key.rotation if self.shared_cards == "none" else 0
        return (
            f"stage {key.stage + 1} round {key.round + 1}{f' match {match + 1}' if match else ''} "
            f"board {key.board + 1}{f' rotation {rotation + 1}' if rotation else ''}"
        )

    @property
    def shared_cards_text(self) -> str:
        """Which games have the same cards, for people."""
        if self.shared_cards == "none":
            return "every game has cards of its own"
        games = "the games of a match" if self.shared_cards == "match" else "all matches of a round"
        return f"{games} share their boards, and a bot that runs elsewhere sees a board from every seat"

    @property
    def instances(self) -> int:
        """How many instances a bot needs so that none of them sees the cards of a board twice.

        Where cards are shared it is one for each seating of the largest table.
        """
        return 1 if self.shared_cards == "none" else max(stage.seats for stage in self.stages)

    @property
    def compares(self) -> bool:
        """Whether it is a comparison, which stops when its questions are answered."""
        return self.stages[0].compares

    def to_json(self) -> str:
        """The plan as it is stored."""
        values: dict[str, Any] = {
            "version": VERSION,
            "name": self.name,
            "games": self.games,
            "options": {game: dataclasses.asdict(self.options[game]) for game in self.games},
            "boards": self.boards,
            "names": "shown" if self.show_names else "hidden",
            "max_faults": self.max_faults,
            "withdraw_after": self.withdraw_after,
            "seating": self.seating,
            "shared_cards": self.shared_cards,
            "clock": self.clock._asdict(),
            "stages": [stage.to_values() for stage in self.stages],
        }
        if self.own_clocks:
            values["own_clocks"] = {
                str(entrant): clock._asdict() for entrant, clock in self.own_clocks.items()
            }
        return json.dumps(values, ensure_ascii=False)


def read_plan(text: str) -> Plan:
    """The plan in a stored text. Raises UnknownPlan."""
    try:
        values = json.loads(text)
        if values["version"] != VERSION:
            raise UnknownPlan(
                f"the plan has version {values['version']}, but this program reads version {VERSION}: "
                "update arena"
            )
        return plan_of(values)
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as problem:
        if isinstance(problem, UnknownPlan):
            raise
        raise UnknownPlan(f"the stored plan cannot be read ({problem})") from None


def plan_of(values: Mapping[str, Any]) -> Plan:
    """The plan with these values, as JSON has them. Raises LookupError, TypeError or ValueError."""
    games = tuple(values["games"])
    return Plan(
        name=values["name"],
        games=games,
        options={game: options_of_then(find_game(game).Options, values["options"][game]) for game in games},
        boards=values["boards"],
        show_names=values["names"] == "shown",
        max_faults=values["max_faults"],
        withdraw_after=values["withdraw_after"],
        seating=values["seating"],
        clock=TimeControl(**values["clock"]),
        stages=tuple(map(format_of_then, values["stages"])),
        own_clocks={
            int(entrant): TimeControl(**clock) for entrant, clock in values.get("own_clocks", {}).items()
        },
        shared_cards=values.get("shared_cards", "round"),
    )
