"""`arena rehearse` sends a bot a stored game exactly as it was, and compares its choices."""

from __future__ import annotations

import json
import random

import pytest
from google.protobuf import json_format

from arena.bot.answering import answers
from arena.bot.player import Seated
from arena.checkup.analysis.turns import turns_of
from arena.checkup.session_file import TABLE, script_of, turns_in
from arena.games import GAMES
from arena.link.wire.messages import decode_times, encode_end, encode_start, encode_times, encode_turn
from arena.table.clock import MILLISECOND, SECOND, TimeControl
from arena.table.deal import board_key, seat_seed
from arena.table.table import Table, TableRules
from arena.v1 import bot_pb2
from tests.arena_command import arena
from tests.bots.playing import GREEDY, RANDOM, served_here
from tests.bots_for_tests import faulty_bot

CLOCK = TimeControl(bank=2 * SECOND, increment=30 * MILLISECOND, move=SECOND)
SESSIONS = [("nyuri", 4, {}), ("nyuri", 2, {"series": 2}), ("forty-one", 3, {}), ("nur-mut", 3, {}),
            ("kleftis", 4, {}), ("hyrule", 2, {}), ("hyrule", 7, {"mode": "chance"})]  # fmt: skip


def judged(turn):
    """What an analysis of a turn follows from."""
    events, seen, actions = turn.view
    return turn.number, turn.seat, turn.told, events, seen, tuple(actions), turn.chosen, turn.fault


def go_wrong(table, ask, rng, elapsed):
    """A fault of any kind in a turn; returns whether the turn still waits for an answer."""
    match rng.randrange(4):
        case 0:
            table.answer(ask.seat, ask.turn, len(ask.view.actions), elapsed)
        case 1:
            table.fault(ask.seat, "timeout", "no answer", ask.time_left + SECOND // 10)
        case 2:
            table.fault(ask.seat, "crash", "it fell over", elapsed)
        case _:
            table.stray(ask.seat, "there is no table 9")
    return table.waits_for(ask.seat, ask.turn)


@pytest.mark.parametrize(("game", "seats", "options"), SESSIONS)
@pytest.mark.parametrize("faulty", [0.0, 0.2])
def test_the_script_is_what_the_seat_was_sent(game, seats, options, faulty):
    rng = random.Random(f"{game} {seats} {faulty}")
    rules = TableRules(GAMES[game], GAMES[game].parse_options(options), seats, CLOCK, max_faults=3, starter=1)
    key = board_key(bytes(32), game, "rehearsal")
    names = [f"bot {seat}" for seat in range(seats)]
    sent = [[encode_start(TABLE, rules, seat, seat_seed(key, seat), names)] for seat in range(seats)]
    table = Table(rules, key)
    while asks := table.asks():
        for ask in asks:
            sent[ask.seat].append(encode_turn(TABLE, game, ask))
        rng.shuffle(asks)
        for ask in asks:
            elapsed = rng.randrange(60_000) * 1000
            if not table.waits_for(ask.seat, ask.turn):
                continue  # a stray answer forfeited the game
            if rng.random() >= faulty or go_wrong(table, ask, rng, elapsed):
                table.answer(ask.seat, ask.turn, rng.randrange(len(ask.view.actions)), elapsed)
    record = table.record()
    for seat in range(seats):
        view = table.closing_view(seat)
        outcome = (record.outcome, record.forfeits)
        sent[seat].append(encode_end(TABLE, game, outcome, table.faults_of(seat), view))
    times = decode_times(encode_times(table.times()))
    for seat in range(seats):
        script = script_of(record, seat, times, CLOCK, names)
        assert [script.start, *(scene.request for scene in script.scenes), script.end] == sent[seat]
        turns = [*map(judged, turns_of(record, seat))]
        found = [*map(judged, turns_in(script))]
        same = min(len(turns), len(found))
        assert found[:same] == turns[:same]
        assert max(len(turns), len(found)) - same <= (seat in record.forfeits)  # that of the forfeit itself
    assert bool(record.faults) == bool(faulty)


@pytest.fixture(scope="module")
def greedy():
    """The address of greedy."""
    with served_here(GREEDY) as address:
        yield address


@pytest.fixture(scope="module")
def other():
    """The address of another bot, which plays at random."""
    with served_here(RANDOM) as address:
        yield address


@pytest.fixture(scope="module")
def league(tmp_path_factory, greedy):
    """A league with one match of greedy against itself, at every game."""
    folder = tmp_path_factory.mktemp("rehearsal")
    entrants = (f'[[entrant]]\nname = "{name}"\naddress = "{greedy}"\n' for name in ("greedy", "itself"))
    (folder / "night.toml").write_text(f'name = "night"\n{"".join(entrants)}')
    arena("run", "night.toml", "--seed", "x", cwd=folder)
    return folder / "night.league"


def rehearse(league, *arguments, code=0):
    return arena("rehearse", league.name, *arguments, cwd=league.parent, code=code)


@pytest.mark.parametrize("game", ["nyuri", "hyrule"])
def test_the_bot_that_played_chooses_the_same_again(league, greedy, game):
    done = rehearse(league, f"1.1.1/{game}/1.2", greedy, "--seat", 1, "--json")
    result = json.loads(done.stdout)
    assert result["turns"]
    assert all(turn["same"] and turn["record"]["text"] == turn["now"]["text"] for turn in result["turns"])
    assert (result["differences"], result["message"], result["fault"]) == (0, None, None)


def test_another_bot_chooses_otherwise_and_the_game_goes_on_as_recorded(league, other):
    done = rehearse(league, "1.1.1/kleftis/1.1", other, "--seat", 0)
    title, heading, *lines, end = done.stdout.splitlines()
    assert title == "Kleftis, game 1.1.1/kleftis/1.1, seat 0: greedy"
    assert heading.split() == ["turn", "record", "now"]
    assert [int(line.split()[0]) for line in lines] == list(range(1, len(lines) + 1))
    others = sum(line[6] == "*" for line in lines)
    assert others
    assert end == f"{len(lines)} turns, {others} chosen otherwise than in the record (*)"


def test_one_turn_whole(league, other):
    done = rehearse(league, "1.1.1/nyuri/1.1", other, "--seat", 0, "--turn", 3, "--json")
    result = json.loads(done.stdout)
    assert [turn["turn"] for turn in result["turns"]] == [1, 2, 3]
    turn = json_format.ParseDict(result["message"], bot_pb2.Turn())
    assert (turn.table, turn.turn) == (TABLE, 3)
    assert len(turn.nyuri.legal_actions) > result["turns"][2]["record"]["action"]


@pytest.mark.parametrize("game", GAMES)
def test_a_dump_holds_the_session(league, game):
    dump = league.parent / "session.jsonl"
    rehearse(league, f"1.1.1/{game}/1.1", "--seat", 1, "--dump", dump)
    tables: dict[int, Seated] = {}
    lines = [json.loads(line) for line in dump.read_text().splitlines()]
    for line in lines:
        request = json_format.ParseDict(line["request"], bot_pb2.PlayRequest())
        decisions = answers(GREEDY, tables, request)
        recorded = json_format.ParseDict(line.get("response", {}), bot_pb2.PlayResponse())
        assert list(recorded.decisions) == decisions
    assert len(lines) > 2
    assert not tables  # the last line ends the table


@pytest.mark.parametrize("game", GAMES)
def test_a_dump_is_rehearsed_as_the_game_it_is_from(league, other, tmp_path, game):
    session = tmp_path / "session.jsonl"
    whole = rehearse(league, f"1.1.1/{game}/1.1", other, "--seat", 1, "--dump", session, "--json")
    again = arena("rehearse", session, other, "--json", cwd=tmp_path)
    assert json.loads(again.stdout) == json.loads(whole.stdout)


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ("[]", "line 1 is no line of a session"),
        ('{"request": {"turns": 5}}', "line 1 is no line of a session"),
        ('{"request": {}, "response": {}}', "line 1 is no line of a session"),
        ('{"request": {}}', "it is not a whole session: get it again"),
        (None, "there is no such file"),
    ],
)
def test_a_file_that_is_no_session_is_said_in_one_sentence(tmp_path, lines, sentence):
    if lines is not None:
        (tmp_path / "s.jsonl").write_text(lines)
    assert sentence in arena("rehearse", "s.jsonl", "bot", cwd=tmp_path, code=2).stderr


@pytest.mark.parametrize(
    ("way", "sentence"),
    [("crashes", "exit code 7"), ("one-game", "does not play hyrule"), ("exits", "no licence key")],
)
def test_a_bot_that_fails_is_said_in_one_sentence(league, tmp_path, way, sentence):
    done = rehearse(league, "1.1.1/hyrule/1.1", faulty_bot(tmp_path, way), "--seat", 0, code=1)
    (line,) = done.stderr.splitlines()
    assert line.startswith("arena: the bot ")
    assert sentence in line


def test_a_choice_out_of_range_is_shown(league, tmp_path):
    done = rehearse(league, "1.1.1/hyrule/1.1", faulty_bot(tmp_path, "out-of-range"), "--seat", 0)
    assert "action 4000000, which is not one of 0 to" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["1.1.1/hyrule/1.1", "--seat", 0], "give a BOT, or --dump FILE"),
        (["1.1.1/hyrule/1.1", "x:1", "--seat", 2], "the game has seats 0 to 1"),
        (["1.1.1/hyrule/1.1", "x:1", "--seat", 0, "--turn", 999], "the seat had"),
        (["1.1.1/chess/1.1", "x:1", "--seat", 0], "chess"),
        (["1.1.1/hyrule/1.1", "no-such-bot", "--seat", 0], "no-such-bot: there is no such folder"),
        (["1.1.1/hyrule/1.1", "--seat", 0, "--dump", "no/such/folder"], "no/such/folder"),
    ],
)
def test_wrong_use(league, arguments, sentence):
    assert sentence in rehearse(league, *arguments, code=2).stderr
