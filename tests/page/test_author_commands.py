"""The commands of authors at the real page of a standing league."""

from __future__ import annotations

import json
import os
import subprocess

from tests.arena_command import ARENA
from tests.page.standing import standing
from tests.patience import PATIENCE


def test_login_submit_and_bots_work_at_the_page(tmp_path):
    folder, home, bot = tmp_path / "league", tmp_path / "home", tmp_path / "bot"
    for each in (folder, home, bot):
        each.mkdir()
    text = 'name = "walker"\ngames = ["nyuri"]\n[run]\ncommand = ["python3", "bot.py"]\n'
    (bot / "bot.toml").write_text(text)
    (bot / "bot.py").write_text("print('hello')\n")

    def arena(*words: str) -> str:
        done = subprocess.run(
            [*ARENA, *words], env=os.environ | {"HOME": str(home), "XDG_CONFIG_HOME": str(home)},
            capture_output=True, text=True, timeout=PATIENCE,
        )  # fmt: skip
        assert not done.returncode, done.stderr
        return done.stdout

    with standing(folder) as club:
        assert "You are Ada" in arena("login", f"{club.page.url}/join/{club.invitation('Ada')}")
        assert "Python" in arena("submit", str(bot), "--dry-run")
        done = json.loads(arena("submit", str(bot), "--no-wait", "--json"))
        assert (done["version"], done["state"]) == (1, "received")
        club.decided("walker", 1)
        assert "walker" in arena("bots")
        assert "accepted" in arena("bots", "versions", "walker")
        arena("bots", "note", "walker", "1", "good")
        assert "good" in arena("bots", "versions", "walker")
        arena("bots", "withdraw", "walker")
        arena("bots", "activate", "walker", "1")
        arena("bots", "log", "walker")
        arena("bots", "games", "walker")
        arena("logout")
