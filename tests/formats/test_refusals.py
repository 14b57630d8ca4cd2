"""Stages that cannot be made, and wrong keys in a tournament file: each is refused in a sentence."""

from pathlib import Path

import pytest

from arena.formats.double_elimination import DoubleElimination
from arena.formats.gauntlet import Gauntlet
from arena.formats.groups import Groups
from arena.formats.knockout import Knockout
from arena.formats.swiss import Swiss
from arena.league.tournament_file import TournamentFileError, parse_plan
from tests.formats.playing import round_robin


@pytest.mark.parametrize(
    ("stage", "arguments", "sentence"),
    [
        (round_robin, ((1,),), "2 entrants are needed and there are 1: add entrants"),
        (round_robin, ((1, 1),), "only once"),
        (round_robin, ((1, 2), 2, 0), "at least 1 cycle"),
        (
            round_robin,
            ((1, 2, 3), 4),
            "4 entrants are needed and there are 3: add entrants or set the tables",
        ),
        (round_robin, ((1, 2, 3), 8), "tables of 3 to 7 seats"),
        (round_robin, ((1, 2, 3), 3, 0), "at least 1 cycle"),
        (Gauntlet, ((1,),), "2 entrants are needed"),
        (Gauntlet, ((1, 1),), "only once"),
        (Gauntlet, ((1, 2), 2), "2 of 2 entrants cannot be challengers: let at least 1"),
        (Gauntlet, ((1, 2), 0), "0 of 2 entrants cannot be challengers"),
        (Gauntlet, ((1, 2), 1, 0), "at least 1 cycle"),
        (Groups, (range(4), 1), "there are 2 to 26 groups, not 1"),
        (Groups, (range(5), 3), "6 entrants are needed and there are 5"),
        (Swiss, ((1,), 1), "2 entrants are needed"),
        (Swiss, ((1, 1), 1), "only once"),
        (Swiss, ((1, 2), 0), "at least 1 round"),
        (Knockout, ((1,),), "2 entrants are needed and there are 1: let more entrants advance"),
        (Knockout, ((1, 2, 1),), "only once"),
        (Knockout, ((1, 2), 2, 2), "2 cannot go on from a table of 2"),
        (Knockout, ((1, 2), 3, 0), "0 cannot go on"),
        (DoubleElimination, (range(2),), "3 entrants are needed and there are 2"),
    ],
)
def test_stages(stage, arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        stage(0, *arguments)


@pytest.mark.parametrize(
    ("name", "entrants", "keys", "sentence"),
    [
        ("groups", 7, "", "groups is missing; it must be a whole number"),
        ("groups", 7, "groups = 1", "groups must be from 2 to 3, not 1"),
        ("groups", 7, "groups = 4", "groups must be from 2 to 3, not 4"),
        ("groups", 7, "groups = 2\ncycles = 0", "cycles must be from 1"),
        (
            "groups",
            7,
            "groups = 2\nseats = 4",
            "two groups at tables of 4 seats need 8 entrants, but 7 enter: add entrants",
        ),
        (
            "gauntlet",
            4,
            "seats = 3",
            "a gauntlet needs tables of 2 seats, not 3: at larger tables entrants of the field",
        ),
        ("gauntlet", 4, "challengers = 4", "challengers must be from 1 to 3, not 4"),
        ("gauntlet", 4, "cycles = 0", "cycles must be from 1"),
        ("swiss", 4, "seats = 3", "a Swiss needs tables of 2 seats, not 3: at larger tables"),
        (
            "swiss",
            4,
            "rounds = 5",
            "4 entrants can play at most 3 rounds without meeting again, not 5: set fewer rounds",
        ),
        ("swiss", 4, "rounds = 0", "rounds must be from 1"),
        ("swiss", 4, "cycles = 2", "cycles"),
        ("double-elimination", 4, "seats = 3", "needs tables of 2 seats, not 3: at larger tables"),
        (
            "double-elimination",
            2,
            "",
            "a double elimination needs at least 3 entrants, but 2 enter: add entrants or take a knockout",
        ),
        (
            "double-elimination",
            4,
            "third_place = true",
            "unknown key 'third_place'; valid: format, advance, seats, reveal, extra_boards",
        ),
    ],
)
def test_keys(name, entrants, keys, sentence):
    text = f'name = "x"\ngames = ["kleftis"]\n[[stage]]\nformat = "{name}"\n{keys}\n'
    with pytest.raises(TournamentFileError, match=sentence):
        parse_plan(text + "[[entrant]]\n" * entrants, Path("x.toml"))
