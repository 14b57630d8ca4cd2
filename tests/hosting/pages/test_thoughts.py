"""What authors read of their bots' games on the page of a standing league: thoughts, and explanations."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.hosting.database import Database
from arena.hosting.logins import TOKEN, URL
from arena.hosting.place import Place
from arena.league.store import EntrantInfo, League, TournamentInfo
from arena.league.tournament_file import parse_plan
from arena.link.wire.messages import encode_thoughts
from arena.table.deal import commitment
from arena.tournament.courses import new_course
from arena.tournament.effects import Effects
from arena.v1 import bot_pb2
from tests.arena_command import arena
from tests.referee.simulation import KEY, play_game
from tests.view.served import Served, served

AUTHORS = ("Ada", "Bob")
GAME = "1.1.1/kleftis/1.1"
ROUND = 'name = "Night"\ngames = ["kleftis"]\n[[stage]]\nformat = "round-robin"\n[[entrant]]\n[[entrant]]\n'


def play(path: Path, text: str, bots: list[Path], *, over: bool = True, games: int = 1) -> None:
    """A tournament of two bots that say in their first turn who they are; the first one estimates its score.

    If it is not over, so many games of it are played.
    """
    plan = parse_plan(text, Path("night.toml"))
    infos = tuple(EntrantInfo(name, str(bot), "", "") for name, bot in zip(AUTHORS, bots, strict=True))
    with League.create_or_open(path) as league:
        info = TournamentInfo(
            plan.name, Path("/night.toml"), text, KEY, commitment(KEY), infos, plan.to_json()
        )
        number, course = league.start_tournament(info), new_course(plan, Effects(2))
        while (due := course.take()) is not None:
            game = play_game(plan, due)
            thoughts = []
            for seat, player in enumerate(due.players):
                thought = bot_pb2.Thought(text=f"I am {AUTHORS[player]}")
                if player == 0:
                    thought.estimate = 0.25
                thoughts.append((seat, 1, thought.SerializeToString()))
            league.record_games(number, [game._replace(thoughts=encode_thoughts(2, thoughts))])
            course.add(game.result)
            games -= 1
            if not over and games == 0:
                return
        league.finish_tournament(number)


@contextmanager
def club(
    folder: Path, text: str = ROUND, *, over: bool = True, games: int = 1
) -> Iterator[tuple[Served, dict[str, str]]]:
    """The page of a standing league, and the cookie of each person."""
    place = Place(folder)
    place.settings.write_text('name = "Club"\nsandbox = "none"\ngames = ["kleftis"]\n')
    cookies, bots = {"": ""}, []
    with Database(place.database, writer=True) as database:
        for name, role in (
            (AUTHORS[0], "author"),
            (AUTHORS[1], "author"),
            ("Eve", "author"),
            ("Hilda", "host"),
        ):
            account = database.add_account(name, "host" if role == "host" else "author")
            cookies[name] = f"arena=author:{database.give_secret(account, 'token')}"
            if name in AUTHORS:
                bot = database.add_bot(account, f"{name}bot")
                version = database.add_version(bot, "0" * 64, 1, "")
                database.change_version(version, state="accepted")
                database.activate(bot, version)
                bots.append(place.bot(version))
    play(place.league, text, bots, over=over, games=games)
    with served(place.league, standing=place.folder) as page:
        yield page, cookies


def thoughts(page: Served, cookie: str, view: str = "all") -> set[str]:
    """Who thought something that a person is told, in the pictures and in the log."""
    steps = page.get(f"/steps/{GAME}?view={view}", Cookie=cookie)
    log = page.get(f"/plain/{GAME}?view={view}", Cookie=cookie)
    lines = [line[1] for step in json.loads(steps)["steps"] for line in step["log"] if len(line) > 1]
    told = {line.rpartition(" ")[2] for line in lines if str(line).startswith(" thought: ")}
    assert {name for name in AUTHORS if re.search(f"THOUGHT: .*I am {name}", log)} == told
    assert {name for name in AUTHORS if f"I am {name}" in steps} == told
    return told


def test_only_its_author_and_a_host_read_what_a_bot_thought(tmp_path):
    with club(tmp_path) as (page, cookies):
        seen = {who: thoughts(page, cookie) for who, cookie in cookies.items()}
        assert seen == {"": set(), "Ada": {"Ada"}, "Bob": {"Bob"}, "Eve": set(), "Hilda": {"Ada", "Bob"}}
        by_seat = [thoughts(page, cookies["Ada"], view) for view in ("0", "1", "public")]
        assert sorted(by_seat, key=len) == [set(), set(), {"Ada"}]
        assert by_seat[2] == set()


def test_everybody_reads_it_where_the_tournament_shows_it(tmp_path):
    with club(tmp_path, 'thoughts = "shown"\n' + ROUND) as (page, cookies):
        assert all(thoughts(page, cookie) == set(AUTHORS) for cookie in cookies.values())
        assert thoughts(page, "", "public") == set()


@pytest.mark.parametrize("who", ["", "Ada", "Bob"])
def test_nobody_reads_it_before_the_hands_are_shown(tmp_path, who):
    with club(tmp_path, 'thoughts = "shown"\n' + ROUND, over=False) as (page, cookies):
        for address in ("steps", "plain"):
            code, text, _ = page.any(f"/{address}/{GAME}?view=all", None, Cookie=cookies[who])
            assert (code, "I am" in text) == (403, False)
        assert thoughts(page, cookies[who], "public") == set()


def may(page: Served, cookie: str) -> bool:
    """Whether a person can have the game explained."""
    told: dict[str, bool] = json.loads(page.get(f"/explained/{GAME}", Cookie=cookie))
    return told["may"]


def test_the_authors_of_the_bots_that_played_can_have_a_game_explained(tmp_path):
    with club(tmp_path) as (page, cookies):
        assert {who: may(page, cookie) for who, cookie in cookies.items()} == {
            "": False, "Ada": True, "Bob": True, "Eve": False, "Hilda": True
        }  # fmt: skip
        code, text, _ = page.any(f"/explained/{GAME}", b"", Cookie=cookies["Eve"], Origin=page.url)
        assert (code, "author of a bot that did" in text) == (403, True)


def test_before_the_hands_are_shown_no_author_can(tmp_path):
    with club(tmp_path, over=False) as (page, cookies):
        assert not any(may(page, cookies[who]) for who in ("", "Ada", "Bob", "Eve"))


LADDER = ROUND.replace("round-robin", "ladder")
SHOWN = 'thoughts = "shown"\n'
HEADING = "Its own estimates"


@pytest.mark.parametrize("shown", [False, True])
def test_how_well_a_bot_s_own_estimates_hold_is_told_to_those_who_may_see_them(tmp_path, monkeypatch, shown):
    with club(tmp_path, SHOWN * shown + LADDER, over=False, games=39) as (page, cookies):
        monkeypatch.setenv(URL, page.url)
        opened = len(json.loads(page.get("/api/bots/Adabot/games")))
        assert 0 < opened < 39, "the hands of the last games are not shown yet"
        for who, cookie in cookies.items():
            told = json.loads(page.get("/api/bots/Adabot", Cookie=cookie))["estimates"]
            assert (told is not None) == (shown or who in ("Ada", "Hilda")), who
            assert (HEADING in page.get("/bots/Adabot", Cookie=cookie)) == (told is not None)
            if told is not None:
                [band] = told["bands"]
                assert (band["estimate"], band["estimates"], told["games"]) == (0.25, opened, opened)
                assert told["first"] == told["last"]
            if who in ("Ada", "Eve"):
                monkeypatch.setenv(TOKEN, cookie.rpartition(":")[2])
                text = arena("bots", "show", "Adabot", cwd=tmp_path).stdout
                assert (f"squared error in {opened} games: of its first" in text) == bool(told)
            assert json.loads(page.get("/api/bots/Bobbot", Cookie=cookie))["estimates"] is None
            assert HEADING not in page.get("/bots/Bobbot", Cookie=cookie), "it gave none"
        assert (HEADING in page.get("/nights/1/bots/1")) == shown
        assert HEADING not in page.get("/nights/1/bots/2")
