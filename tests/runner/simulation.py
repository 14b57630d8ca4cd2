"""Whole tournaments without bots or network: random choices at real tables, stored in a real league."""

from __future__ import annotations

import random
from pathlib import Path

from arena.formats import seatings
from arena.formats.deciding import needs_extra_board
from arena.formats.seating import Rule
from arena.games import GAMES
from arena.results import GameKey, MatchKey, MatchResult
from arena.runner import stages
from arena.runner.match_play import MatchPlay
from arena.runner.rooms.room import Played, Seating
from arena.runner.tournament import finished_game
from arena.runner.tournament_file import TournamentFile, parse_tournament
from arena.standings.tally import Tally
from arena.store import EntrantInfo, FinishedGame, League, TournamentInfo
from arena.table.deal import board_key, commitment
from arena.table.table import Table, TableRules

KEY = bytes(range(32))


def simulate(
    league: League, text: str, entrants: int, *, finish: bool = True, seating: Rule = "balanced"
) -> int:
    """Plays the tournament of a file to its end; returns its id."""
    text += "[[entrant]]\n" * entrants
    file = parse_tournament(text, Path("simulated.toml"), find_bots=False, seating=seating)
    names = tuple(EntrantInfo(f"bot {number}", "") for number in range(entrants))
    number = league.start_tournament(
        TournamentInfo(file.name, file.path, file.text, KEY, commitment(KEY), names)
    )
    tally = Tally(file.games, file.boards)
    ranked = tuple(range(entrants))
    for index, spec in enumerate(file.stages):
        stage = stages.build(spec, index, ranked)
        seated = seatings(stage, file.boards, file.seating)
        results: dict[MatchKey, MatchResult] = {}
        for round_number in range(stage.round_count):
            round_ = stage.round(round_number, results)
            assert round_ is not None
            for match in round_.matches:
                play = MatchPlay(match, file.games, file.boards, seated)
                results[match.key] = play_match(league, number, file, play, tally)
        ranked = stages.seeds_after(stage, tally)
    if finish:
        league.finish_tournament(number)
    return number


def play_match(
    league: League, number: int, file: TournamentFile, play: MatchPlay, tally: Tally
) -> MatchResult:
    limit = stages.extra_boards(file.stages, play.match)
    keys = play.plan_regular()
    while keys:
        games = [play_game(file, play, key) for key in keys]
        league.record_games(number, games)
        for game in games:
            play.add(game.result)
            tally.add(game.result)
        keys = play.plan_extra() if needs_extra_board(play.match, play.result(), limit) else []
    return play.result()


def play_game(file: TournamentFile, play: MatchPlay, key: GameKey) -> FinishedGame:
    players = play.seated(key)
    rules = TableRules(GAMES[key.game], file.options[key.game], len(players), file.clock, file.max_faults)
    table = Table(rules, board_key(KEY, key.game, key.board_name))
    rng = random.Random(str(key))
    while not table.over:
        for ask in table.asks():
            if rng.random() < 0.01:
                table.fault(ask.seat, "timeout", "too late", 1)
            else:
                table.answer(ask.seat, ask.turn, rng.randrange(len(ask.actions)), 1000)
    seats = range(len(players))
    played = Played(
        Seating(key, rules, board_key(KEY, key.game, key.board_name), players),
        table.record(),
        table.times(),
        tuple(1 for _ in seats),
        tuple(map(table.turns_of, seats)),
    )
    return finished_game(played)
