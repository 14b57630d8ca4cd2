"""Challenges at a real page: the API, the pages and the commands, and who sees what."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio

from arena.hosting.challenges import report_of
from arena.hosting.database import Database
from tests.arena_command import arena
from tests.bots_for_tests import served_address
from tests.cli.comparing import compare
from tests.hosting.pages.standing import LEAGUE, Author, Club, standing, submit
from tests.referee.nights import wait_for
from tests.threads import in_a_thread

HOUSE = LEAGUE.replace("[clock]", 'house = ["greedy-python"]\n[clock]')


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Club]:
    with standing(tmp_path_factory.mktemp("club"), HOUSE) as found:
        for name, bot in (("Ada", "heron"), ("Bob", "wolf")):
            found.people[name] = found.author(name)
            submit(found.people[name], bot, bot.encode())
            found.decided(bot, 1)
        found.people["Eve"], found.people["Hilda"] = found.author("Eve"), found.author("Hilda", "host")
        yield found


def ask(author: Author, bot: str, opponent: str, code: int = 200, **values: object) -> dict[str, object]:
    body = {"bot": bot, "opponent": opponent, **values}
    answer: dict[str, object] = author.ask("POST", "/api/challenges", code, body)
    return answer


def played(club: Club, id: object) -> str:
    """Has a challenge played by other bots; returns its verdict."""
    club.place.challenges.mkdir(exist_ok=True)
    one = served_address()
    compare(club.place.challenges, one, one, "--game", "nyuri", "--boards", 1, "--league", f"{id}.league")
    report = report_of(club.place, int(str(id)))
    with Database(club.place.database, writer=True) as database, database.transaction():
        database.change_challenge(
            int(str(id)), state="over", ended="2026-01-01T00:00:00+00:00", report=report
        )
    return str(json.loads(report)["verdict"])


def page(author: Author, path: str) -> str:
    return str(author.page.get(path, Cookie=f"arena=author:{author.token}"))


def test_who_sees_what_of_a_challenge(club: Club) -> None:
    ada, bob, eve, hilda = (club.people[name] for name in ("Ada", "Bob", "Eve", "Hilda"))
    id = ask(ada, "heron", "wolf", boards=3, games="nyuri")["challenge"]
    found = ada.ask("GET", f"/api/challenges/{id}")
    assert (found["names"], found["state"], found["boards"]) == (["heron v1", "wolf v1"], "asked", 3)
    assert found["progress"] == "is begun soon"
    assert "It is begun soon." in page(ada, f"/challenges/{id}")
    verdict = played(club, id)
    for author, sees_text in ((ada, True), (hilda, True), (bob, False)):
        found = author.ask("GET", f"/api/challenges/{id}")
        assert (bool(found["text"]), found["verdict"]) == (sees_text, verdict)
        shown = page(author, f"/challenges/{id}")
        assert ("as in the terminal" in shown) is sees_text
        assert verdict in shown
        assert [each["challenge"] for each in author.ask("GET", "/api/challenges")] == [id]
        assert verdict in page(author, "/challenges")
    eve.ask("GET", f"/api/challenges/{id}", 404)
    assert eve.ask("GET", "/api/challenges") == []
    assert "There is none yet." in page(eve, "/challenges")
    Author(club.page).ask("GET", f"/api/challenges/{id}", 401)
    club.page.get(f"/challenges/{id}", 303)  # to where one logs in


def test_what_the_api_refuses(club: Club) -> None:
    eve, bob = club.people["Eve"], club.people["Bob"]
    assert "you have no bot" in str(ask(eve, "wolf", "greedy", 409)["error"])
    assert "needs a text, opponent" in str(bob.ask("POST", "/api/challenges", 400, {"bot": "wolf"})["error"])
    assert "number, boards" in str(ask(bob, "wolf", "greedy", 400, boards="many")["error"])
    assert "a text, games" in str(ask(bob, "wolf", "greedy", 400, games=["nyuri"])["error"])


def test_the_commands(club: Club, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_URL", club.page.url)
    monkeypatch.setenv("ARENA_AUTHOR_TOKEN", club.people["Bob"].token)
    submit(club.people["Bob"], "wolf", b"another")
    club.decided("wolf", 2)

    def typed(*words: str, code: int = 0) -> tuple[str, str]:
        done = arena(*words, cwd=tmp_path, code=code)
        return done.stdout, done.stderr

    said, _ = typed("challenge", "greedy", "--no-wait")
    assert said.startswith(f"wolf v2 challenges greedy: {club.page.url}/challenges/")
    assert re.search(r"it (is begun soon|waits behind .*); later: arena bots challenges [0-9]+\n", said)
    assert "say by --version which" in typed("challenge", "wolf", code=2)[1]
    said, _ = typed("challenge", "wolf", "--version", "1", "--no-wait", "--json", "--game", "kleftis")
    trial = json.loads(said)
    assert (trial["names"], trial["games"]) == (["wolf v1", "wolf v2"], ["kleftis"])
    assert trial["page"] == f"{club.page.url}/challenges/{trial['challenge']}"
    verdict = played(club, trial["challenge"])
    assert verdict in " ".join(typed("bots", "challenges", str(trial["challenge"]))[0].split())
    assert "nobody" in typed("challenge", "nobody", code=2)[1]
    assert verdict in typed("bots", "challenges")[0]
    assert json.loads(typed("bots", "challenges", "--json")[0])[0]["challenge"] == trial["challenge"]
    monkeypatch.setenv("ARENA_AUTHOR_TOKEN", club.people["Eve"].token)
    assert "submit one first" in typed("challenge", "greedy", code=2)[1]


def test_the_command_waits_until_a_challenge_is_over_or_failed(
    club: Club, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_URL", club.page.url)
    monkeypatch.setenv("ARENA_AUTHOR_TOKEN", club.people["Ada"].token)

    def fails() -> None:
        with Database(club.place.database, writer=True) as database:
            wait_for(lambda: database.open_challenges() and database.open_challenges()[-1].boards == 77)
            [*_, asked] = database.open_challenges()
            with database.transaction():
                database.change_challenge(
                    asked.id, state="failed", reason="it stopped", ended="2026-01-01T00:00:00+00:00"
                )

    with in_a_thread(lambda: trio.to_thread.run_sync(fails)):
        done = arena("challenge", "greedy", "--boards", "77", cwd=tmp_path, code=1)
    assert "arena: the challenge failed: it stopped" in done.stderr
    assert "it " in done.stderr.splitlines()[0]


def test_a_version_is_tried_from_the_terminal_and_from_its_page(
    club: Club, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_URL", club.page.url)
    monkeypatch.setenv("ARENA_AUTHOR_TOKEN", club.author("Dora").token)
    bot = tmp_path / "bot"
    bot.mkdir()

    def write(text: str) -> None:
        (bot / "bot.toml").write_text('name = "deer"\n[run]\ncommand = ["python3", "bot.py"]\n')
        (bot / "bot.py").write_text(text)

    write("one")
    said = arena("submit", "bot", "--try", cwd=tmp_path, code=1).stderr
    assert "no version of deer plays yet: submit it without --try" in said
    arena("submit", "bot", "--no-wait", cwd=tmp_path)
    club.decided("deer", 1)
    write("two")
    said = arena("submit", "bot", "--try", "--no-wait", cwd=tmp_path).stdout
    assert "deer v2 challenges deer v1: " in said
    assert "it waits until its version is built and checked; later: arena bots challenges " in said
    listed = json.loads(arena("bots", "challenges", "--json", cwd=tmp_path).stdout)
    assert [each["names"] for each in listed] == [["deer v2", "deer v1"]]
    again = json.loads(arena("submit", "bot", "--try", "--no-wait", "--json", cwd=tmp_path).stdout)
    assert (again["same_as"], again["state"]) == (2, "received")
