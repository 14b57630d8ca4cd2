"""What a tournament file of the first release meant: its defaults as they were, for ever.

Leagues of that release hold the text of the file and no resolved plan. Nothing
in here may ever change, whatever the defaults of today are.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from arena.tournament.plan import Plan, UnknownPlan, plan_of

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
_UNITS = {unit: ms * 1_000_000 for unit, ms in (("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1))}


def plan_of_file(text: str, entrants: int) -> Plan:
    """The plan of a tournament of the first release.

    Args:
        text: the text of its file, which was checked when the tournament began.
        entrants: how many there are.

    Raises UnknownPlan where the text is no such file.
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
    parts = re.findall(r"([0-9.]+)(h|ms|m|s)", text)
    return int(sum(Fraction(number) * _UNITS[unit] for number, unit in parts))
