"""The plan of a tournament: what it plays, by which rules, with every default spelled out.

`Rules` has the defaults, and makes a plan from values: `arena.league.tournament_file` takes the values from a
file that people wrote, and other modules have them already.

Defaults may change in later versions. So they are filled in once, when the tournament begins, and the plan is
stored in the league, under its hash chain, as JSON text:

    {"version": 1, "name": ..., "games": [...], "options": {game: {option: value}},
     "boards": 2, "names": "hidden", "max_faults": 3, "withdraw_after": 10,
     "seating": "balanced", "shared_cards": "round", "tie_break_edition": 2026,
     "clock": {"bank": ns, "increment": ns, "move": ns},
     "own_clocks": {entrant: {"bank": ns, ...}},
     "stages": [{"format": "round-robin", "entrants": 4, ...}],
     "thoughts": "shown", "reveal": 0}

If a newer key is missing, it is read as the behaviour before that key existed.
Leagues of the first release hold the text of the file and no plan: `plan_of_file`
has the defaults of that release, and must never change.
"""

from __future__ import annotations

import dataclasses
import json
import tomllib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple, get_args

from arena.formats import Format, format_of_then
from arena.formats.seating import Rule
from arena.games import BUILT_IN, find_game
from arena.games.game import options_of_then
from arena.results import LATEST_EDITION, GameKey, SharedCards, TieBreakEdition
from arena.table.clock import MILLISECOND, SECOND, TimeControl, parse_duration

VERSION = 1

MAX_BOARDS = 100_000
"""The most boards that a match can have for each game."""

LONGEST: Final = 24 * 3600 * SECOND
"""The longest time that a clock can have, in nanoseconds."""


class UnknownPlan(ValueError):
    """This version cannot read the stored plan; the text says why."""


@dataclasses.dataclass(frozen=True, slots=True)
class Plan:
    """The plan of a tournament.

    Attributes:
        name: its name.
        games: the ids of the games, in order.
        options: the options of each of these games, an instance of its `Options`, by id.
        boards: the boards per match and game, at least 1.
        show_names: whether bots are told the names of their opponents.
        max_faults: the fault, counted from 1, at which a bot forfeits a game.
        withdraw_after: after so many forfeits in a row a bot is withdrawn; 0 for never.
        seating: how entrants are seated at tables of three and more: `balanced`,
            or `cyclic` in plans from before there was a choice.
        clock: the clock of entrants that have no clock of their own.
        stages: the stages in order, at least one.
        own_clocks: the clocks of single entrants, by their numbers.
        shared_cards: which games have the same cards.
        tie_break_edition: the edition of FIDE's C.07 by which tie-breaks are computed: 2024 in plans from
            before there was a choice.
        show_thoughts: whether all people see what bots thought in a game, once its hands are shown.
        reveal: from which stage on the host shows the results, from 0; None if all see them at once.
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
    tie_break_edition: TieBreakEdition = LATEST_EDITION
    show_thoughts: bool = False
    reveal: int | None = None

    def clock_of(self, entrant: int) -> TimeControl:
        """The clock of an entrant."""
        return self.own_clocks.get(entrant, self.clock)

    def board_name(self, key: GameKey) -> str:
        """The name of a game's board: games with the same board name have the same cards.

        An entrant plays one match a round, so it sees cards again only in the rotations of its match.
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
    def tie_break_rules(self) -> str:
        """The rules of its tie-breaks, for people."""
        return f"FIDE's C.07, edition of {self.tie_break_edition}"

    @property
    def about(self) -> str:
        """Its formats and games in a sentence without its full stop."""
        stages = [self.first.title]
        stages += [f"{stage.title} of the best {stage.entrants}" for stage in self.stages[1:]]
        games = [find_game(game).title for game in self.games]
        named = " and ".join([", ".join(games[:-1]), games[-1]] if len(games) > 1 else games)
        formats = ", then ".join(stages)
        return f"{formats[0].upper()}{formats[1:]}: {named}{self.first.match_length(self.boards)}"

    @property
    def instances(self) -> int:
        """How many instances a bot needs so that no instance sees the cards of a board twice.

        If cards are shared, it is one for each rotation of the largest table.
        """
        return 1 if self.shared_cards == "none" else max(stage.seats for stage in self.stages)

    @property
    def first(self) -> Format:
        """The format of its first stage, which answers what depends on the kind of tournament."""
        return self.stages[0]

    @property
    def has_bracket(self) -> bool:
        """Whether the matches of a stage are shown as a bracket."""
        return any(stage.draws_bracket for stage in self.stages)

    @property
    def hands_shown_after(self) -> str:
        """What must be over before the hands of a game are shown: `game`, `match` or `round`."""
        return self.first.hands_shown_after(self.shared_cards)

    def to_json(self) -> str:
        """The JSON text of the plan."""
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
            "tie_break_edition": self.tie_break_edition,
            "clock": self.clock._asdict(),
            "stages": [stage.to_values() for stage in self.stages],
        }
        if self.own_clocks:
            values["own_clocks"] = {
                str(entrant): clock._asdict() for entrant, clock in self.own_clocks.items()
            }
        if self.show_thoughts:
            values["thoughts"] = "shown"
        if self.reveal is not None:
            values["reveal"] = self.reveal
        return json.dumps(values, ensure_ascii=False)


DEFAULT_CLOCK: Final = TimeControl(bank=60 * SECOND, increment=100 * MILLISECOND, move=5 * SECOND)
"""The default clock."""


class Rules(NamedTuple):
    """The rules by which all stages of a tournament are played. The defaults are those of all tournaments.

    Attributes:
        games: the ids of the games, in order.
        options: the options of these games, by id; a game that is left out has its default options.
        boards, show_names, max_faults, withdraw_after, clock, show_thoughts: see `Plan`.
    """

    games: tuple[str, ...] = tuple(BUILT_IN)
    options: Mapping[str, Any] = MappingProxyType({})
    boards: int = 1
    show_names: bool = False
    max_faults: int = 3
    withdraw_after: int = 10
    clock: TimeControl = DEFAULT_CLOCK
    show_thoughts: bool = False

    @property
    def all_options(self) -> Mapping[str, Any]:
        """The options of each game, by id."""
        return MappingProxyType(
            {game: self.options.get(game) or find_game(game).Options() for game in self.games}
        )

    def misfit(self, stage: Format) -> str | None:
        """Why the games cannot be played in a stage, as a sentence; None if they can."""
        for game, options in self.all_options.items():
            possible = find_game(game).seats(options)
            if stage.seats not in possible:
                return (
                    f"{game} cannot be played at tables of {stage.seats} seats; "
                    f"possible under its options: {', '.join(map(str, possible)) or 'none'}"
                )
        if stage.entrants < stage.seats:
            return (
                f"a table of {stage.seats} seats needs as many entrants, but {stage.entrants} enter; "
                "add entrants or set fewer seats"
            )
        return None

    def plan(
        self,
        name: str,
        stages: tuple[Format, ...],
        own_clocks: Mapping[int, TimeControl] = MappingProxyType({}),
        shared_cards: SharedCards = "round",
    ) -> Plan:
        """The plan of a tournament by these rules; for the arguments see `Plan`."""
        return Plan(
            name=name,
            games=self.games,
            options=self.all_options,
            boards=self.boards,
            show_names=self.show_names,
            max_faults=self.max_faults,
            withdraw_after=self.withdraw_after,
            seating="balanced",
            clock=self.clock,
            stages=stages,
            own_clocks=dict(own_clocks),
            shared_cards=shared_cards,
            show_thoughts=self.show_thoughts,
        )


DEFAULTS: Final = Rules()
"""The rules of a tournament that says nothing about them."""


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
    edition = values.get("tie_break_edition", 2024)
    if edition not in get_args(TieBreakEdition):
        raise ValueError(f"its tie-breaks are those of FIDE's C.07 of {edition}: update arena")
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
        tie_break_edition=edition,
        show_thoughts=values.get("thoughts") == "shown",
        reveal=values.get("reveal"),
    )


_OPTIONS: dict[str, dict[str, Any]] = {
    "nyuri": {
        "players": 4, "spend_cards": False, "contest": "open", "placer_draws": False, "reuse_base": False,
        "stall": 40, "replay": 0, "series": 1,
    },
    "forty-one": {
        "players": 4, "min_stop_score": 0, "stall": 8, "fixed_rotation": False, "cumulative": False,
        "series": 1,
    },
    "nur-mut": {
        "model": "two", "deck": [], "min_value": 1, "chain_courage_only": False, "joker_replay": False,
        "stall": 3, "max_turns": 500, "rounds": 1,
    },
    "kleftis": {
        "secure_single": False, "auto_secure": False, "final_secure": False, "tiebreak": "none", "series": 1,
    },
    "hyrule": {"mode": "strategy", "double_joker": "first", "last_winner": False, "runoff": 0, "series": 1},
}  # fmt: skip


_CLOCK = {"bank": "60s", "increment": "100ms", "move": "5s"}


def plan_of_file(text: str, entrants: int) -> Plan:
    """The plan of a tournament of the first release.

    Args:
        text: the text of its file, which was checked at the beginning.
        entrants: how many entrants there are.

    Raises UnknownPlan if the text is not such a file.
    """
    try:
        return plan_of(_resolved(tomllib.loads(text), entrants))
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as problem:
        raise UnknownPlan(f"the stored tournament file cannot be read ({problem})") from None


def _resolved(file: Mapping[str, Any], entrants: int) -> dict[str, Any]:
    games = file.get("games", list(_OPTIONS))
    seats = file.get("seats", 2)
    stages: list[dict[str, Any]] = []
    for stage in file.get("stage", [{"format": "round-robin"}]):
        entrants = stage.get("advance", entrants)
        stages.append(_stage(stage, stage.get("seats", seats), entrants))
    return {
        "name": file["name"],
        "games": games,
        "options": {game: {**_OPTIONS[game], **file.get("options", {}).get(game, {})} for game in games},
        "boards": file.get("boards", 1),
        "names": file.get("names", "hidden"),
        "max_faults": file.get("max_faults", 3),
        "withdraw_after": 0,
        "seating": "cyclic",
        "clock": {name: _nanoseconds(file.get("clock", {}).get(name, _CLOCK[name])) for name in _CLOCK},
        "stages": stages,
    }


def _stage(stage: Mapping[str, Any], seats: int, entrants: int) -> dict[str, Any]:
    shape = {"format": stage["format"], "entrants": entrants, "seats": seats}
    if stage["format"] == "round-robin":
        return {**shape, "cycles": stage.get("cycles", 1)}
    return {
        **shape,
        "qualify": stage.get("qualify", 1),
        "third_place": stage.get("third_place", seats == 2),
        "extra_boards": stage.get("extra_boards", 3),
    }


def _nanoseconds(text: str) -> int:
    found = parse_duration(text)
    if found is None:
        raise ValueError(f"{text!r} is no duration")
    return found
