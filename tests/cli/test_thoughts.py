"""What a bot said that it thinks, as its author finds it: in replays, sessions and analyses."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from arena.checkup.own_games import session
from arena.checkup.session_file import read_session, thoughts_in
from arena.league.store import League
from arena.results import read_game_key
from arena.table.record import Thought
from tests.arena_command import arena
from tests.bots_for_tests import FIRST, entrant, served_address
from tests.view.explained import keep_findings

THINKER = FIRST.replace("import Bot", "import Bot, Choice").replace(
    "return turn.actions[self.table.seed[turn.number % 16] % len(turn.actions)]",
    "return Choice(turn.actions[0], 0.25, {turn.actions[0]: 2}, f'turn {turn.number}: \\x1b[31m')",
)
GAME = "1.1.1/kleftis/1.1"


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("thoughts")
    (folder / "t.toml").write_text(
        f'name = "t"\ngames = ["kleftis"]\nboards = 1\n{entrant("first")}'
        f'[[entrant]]\nname = "thinker"\naddress = "{served_address(THINKER)}"\n'
    )
    arena("run", folder / "t.toml", "--league", folder / "t.league", cwd=folder)
    return folder / "t.league"


def printed(league: Path, command: str, *arguments: str) -> str:
    return arena(command, league, *arguments, cwd=league.parent).stdout


def seat_of_thinker(league: Path) -> int:
    [game] = [each for each in json.loads(printed(league, "replay", "--json")) if each["game"] == GAME]
    return [each["name"] for each in game["seats"]].index("thinker")


def test_a_replay_shows_thoughts_if_they_are_asked_for(league):
    seat = seat_of_thinker(league)
    silent, told = printed(league, "replay", GAME), printed(league, "replay", GAME, "--thoughts")
    lines = told.splitlines()
    assert "THOUGHT" not in silent
    assert [line for line in lines if "THOUGHT" not in line] == silent.splitlines()
    thoughts = [pair for pair in itertools.pairwise(lines) if pair[1].startswith("      THOUGHT")]
    assert len(thoughts) > 3
    for number, (chosen, thought) in enumerate(thoughts, start=1):
        who, _, action = chosen.partition(": ")
        assert who.endswith("(thinker)")
        assert thought == f"      THOUGHT: expects 25 %; best {action} (2); turn {number}: \\x1b[31m"
    own = printed(league, "replay", GAME, "--thoughts", "--seat", str(seat))
    other = printed(league, "replay", GAME, "--thoughts", "--seat", str(1 - seat))
    assert (own.count("THOUGHT"), other.count("THOUGHT")) == (len(thoughts), 0)


def test_the_league_is_verified_with_thoughts_in_it(league):
    assert "all is well" in printed(league, "verify")


def test_an_analysis_tells_what_was_thought_beside_a_mistake(league):
    seat, found = seat_of_thinker(league), keep_findings(league, GAME)
    lines = printed(league, "analyse", GAME).splitlines()
    mistakes = {str(1 + each.ply): each for each in found[seat] if each.verdict == "mistake"}
    told = {}
    for line, after in itertools.pairwise(lines):
        if "it thought: " in after:
            number, _, _ = line.strip().partition(".")
            told[number] = after.partition("it thought: ")[2]
    assert told.keys() == mistakes.keys() != set()
    assert all(text.startswith("expects 25 %; best ") for text in told.values())
    data = json.loads(printed(league, "analyse", GAME, "--json"))
    for each in data["seats"][seat]["decisions"]:
        first = each["tried"][0]["action"]
        text = f"turn {each['turn']}: \\x1b[31m"
        assert each["thought"] == {"estimate": 0.25, "values": {first: 2.0}, "text": text}
    assert all(each["thought"] is None for each in data["seats"][1 - seat]["decisions"])


def test_the_analysis_of_a_bot_says_how_well_its_estimates_hold(league):
    games = [each["game"] for each in json.loads(printed(league, "replay", "--json"))]
    for game in games:
        keep_findings(league, game)
    told = {}
    for name in ("thinker", "first"):
        text = printed(league, "analyse", "--bot", name)
        told[name] = "Its own estimates in 2 games, in hundredths" in text
        [found] = json.loads(printed(league, "analyse", "--bot", name, "--json"))
        assert (found["estimates"] is not None) == (name == "thinker")
        if name == "thinker":
            [band] = found["estimates"]["bands"]
            assert found["estimates"]["games"] == len(games) == 2
            assert band["estimate"] == 0.25
            assert found["estimates"]["first"] == found["estimates"]["last"]
            assert 0 <= found["estimates"]["first"] <= 0.75**2
    assert told == {"thinker": True, "first": False}


def test_a_session_holds_the_thoughts_of_its_bot_and_is_read_with_them(league, tmp_path):
    seat, key = seat_of_thinker(league), read_game_key(GAME)
    assert key is not None
    with League.read(league) as store:
        stored = store.game(store.game_number(1, key))
        own, other = (session(store, stored, each) for each in (seat, 1 - seat))
    told = [line["response"]["decisions"][0] for line in own if "response" in line]
    assert all(each["thought"]["estimate"] == 0.25 for each in told)
    assert not any("thought" in json.dumps(line) for line in other)
    file = tmp_path / "s.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in own))
    _, script = read_session(file)
    assert thoughts_in(script) == {
        turn: Thought(0.25, {0: 2.0}, f"turn {turn}: \\x1b[31m") for turn in range(1, len(told) + 1)
    }
