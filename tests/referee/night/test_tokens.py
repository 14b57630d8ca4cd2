"""Guests' tokens are kept as long as their tournament is not finished, and forgotten with its end."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.league.store import League
from arena.link.lobby.tickets import token_digest
from arena.referee.night.control import ask_to_start
from arena.referee.night.host_requests import ask, give_token
from arena.referee.night.tokens import Tokens
from tests.referee.night_here import Night
from tests.referee.nights import wait_for

HEAD = 'games = ["hyrule"]\n'
COMPARED = '[[stage]]\nformat = "comparison"\ncap = 4\n'
MATCHES = 'boards = 4\n[[stage]]\nformat = "round-robin"\n'
LONG = MATCHES.replace("4", "99")


def opens(league: Path, token: str) -> bool:
    """Whether a token opens the guest's seat in the next run."""
    tokens = Tokens(league)
    tokens.recall(1, bytes(32), ["guest"])
    kept = tokens.of("guest")
    return kept is not None and kept.digest == token_digest(token)


def is_finished(league: Path) -> bool:
    with League.read(league) as store:
        return store.tournament(1).finished is not None


def run(folder: Path, text: str, to_its_end: bool) -> tuple[Path, str]:
    """Plays a tournament without its guest to its end, or one game of it; returns the guest's token."""
    with Night(folder, ["one"], text, guests=["guest"]) as night:
        night.open_lobby()
        wait_for(lambda: ask_to_start(night.league))
        if to_its_end:
            night.play()
            night.end()
        else:
            night.play(1)
    return night.league, night.tokens["guest"]


@pytest.mark.parametrize(
    ("stage", "to_its_end", "goes_on"),
    [(COMPARED, True, True), (LONG, False, True), (MATCHES, True, False)],
)
def test_tokens_are_kept_exactly_while_the_tournament_can_go_on(tmp_path, stage, to_its_end, goes_on):
    league, token = run(tmp_path, HEAD + stage, to_its_end)
    assert is_finished(league) != goes_on
    assert opens(league, token) == goes_on
    if goes_on:
        if stage == COMPARED:
            ask(league, "extend", "1")
        with Night(tmp_path, None) as night:
            night.open_lobby()
            assert opens(league, token)
            wait_for(lambda: "guest: ARENA_TOKEN=TOKEN arena join" in night.told)
            assert token not in night.told
        ask(league, "end")
        assert is_finished(league)
    assert not Path(f"{league}-tokens").exists()


def test_the_host_ends_it_while_it_is_played(tmp_path):
    with Night(tmp_path, ["one"], HEAD + LONG, guests=["guest"]) as night:
        wait_for(lambda: ask_to_start(night.league))
        night.play(1)
        _, token = give_token(night.league, "guest")
        assert opens(night.league, token)
        ask(night.league, "end")
        night.end()
    assert is_finished(night.league)
    assert not Path(f"{night.league}-tokens").exists()
