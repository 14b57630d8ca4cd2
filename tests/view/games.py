"""Random games for tests of the page."""

from __future__ import annotations

from pathlib import Path

from arena.league.tournament_file import parse_plan
from arena.link.wire.messages import decode_record
from arena.results import GameKey
from arena.tournament.course import Due
from tests.referee.simulation import play_game

OPTIONS = {
    "nyuri": ("players = 6\nplacer_draws = true", 6),
    "forty-one": ("series = 2", 4),
    "nur-mut": ('model = "one"', 7),
    "kleftis": ("final_secure = true", 4),
    "hyrule": ('mode = "chance"\nseries = 2', 7),
}


def other_game(game):
    """A game of many seats with unusual options."""
    options, seats = OPTIONS[game]
    text = (
        f'name = "n"\ngames = ["{game}"]\nseats = {seats}\nboards = 1\n[options.{game}]\n{options}\n'
        '[[stage]]\nformat = "round-robin"\n' + "[[entrant]]\n" * seats
    )
    plan = parse_plan(text, Path("n.toml"))
    key = GameKey(0, 0, 0, game, 0, 0, tuple(range(seats)))
    return decode_record(play_game(plan, Due(key, tuple(range(seats)))).record)
