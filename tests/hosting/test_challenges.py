"""Challenges: who may ask for which, in which order they are played, and what stops them."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest
import trio

from arena.hosting import challenges
from arena.hosting.database import _SCHEMA, Challenge, Database
from arena.hosting.place import Place
from arena.hosting.report import Result
from arena.hosting.tidying import tidy
from arena.league.store import League
from tests.bots_for_tests import faulty_bot, served_address
from tests.cli.comparing import compare
from tests.hosting.host_here import FRIDAY, SETTINGS, Host, ends_with, going_on, in_simulated_time

LONG_AGO = "2020-01-01T00:00:00+00:00"
BOT = 'name = "{}"\ngames = ["hyrule"]\n[run]\ncommand = ["true"]\n'


class Club(Host):
    """A host process with authors, whose versions are accepted at once."""

    def account(self, name: str) -> int:
        found = self.database.account_called(name)
        return found.id if found else self.database.add_account(name, "author")

    def accepted(self, author: str, bot: str) -> int:
        """Another version of a bot, which plays from now on; returns its id."""
        known = self.database.bot_called(bot)
        number = known.id if known else self.database.add_bot(self.account(author), bot)
        version = self.database.add_version(number, "00", 1, "")
        self.place.bot(version).mkdir(parents=True)
        (self.place.bot(version) / "bot.toml").write_text(BOT.format(bot))
        self.database.change_version(version, state="accepted")
        self.database.activate(number, version)
        return version

    def answer(self, author: str, bot: str, opponent: str, **values: Any) -> dict[str, Any]:
        asked = {"account": self.account(author), "bot": bot, "opponent": opponent, **values}
        return self.process.decided({"ask": "challenge", **asked})

    def ask(self, author: str, bot: str, opponent: str, **values: Any) -> int:
        answer = self.answer(author, bot, opponent, **values)
        id: int = answer["done"]["challenge"]
        return id

    def challenge(self, id: int) -> Challenge:
        found = self.database.challenge(id)
        assert found is not None
        return found

    async def state(self, id: int, state: str) -> None:
        while self.challenge(id).state != state:
            await trio.sleep(1)

    def finish(self, id: int) -> None:
        with League.create_or_open(challenges.league_of(self.place, id)) as league:
            league.finish_tournament(1)


@pytest.fixture
def club(tmp_path: Path) -> Iterator[Club]:
    with Database(Place(tmp_path).database, writer=True) as database:
        yield Club(tmp_path, database)


def test_a_challenge_is_played_beside_the_ladder_and_rests_in_a_night(club: Club) -> None:
    club.accepted("Ada", "heron")

    async def test() -> None:
        id = club.ask("Ada", "heron", "greedy", boards=7)
        async with going_on(club.process.challenges):
            await club.until(lambda: len(club.games) == 1)
            [first] = club.games
            league = challenges.league_of(club.place, id)
            file = league.with_suffix(".json")
            how = ("--hosted", "--sandbox", "none")
            assert first.words == ("arena.cli", "run", str(file), "--league", str(league), *how)
            plan = json.loads(file.read_text())
            assert [each["name"] for each in plan["entrants"]] == ["heron v1", "greedy"]
            assert plan["concurrency"] == 1
            assert plan["plan"]["stages"][0]["cap"] == 7
            with club.database.transaction():
                club.database.put_night(FRIDAY._replace(state="playing"))
            while not first.is_ended:
                await trio.sleep(1)
            await trio.sleep(60)
            assert len(club.games) == 1
            assert club.challenge(id).state == "playing"
            with club.database.transaction():
                club.database.put_night(FRIDAY._replace(state="played"))
            await club.until(lambda: len(club.games) == 2)
            assert club.games[1].words == ("arena.cli", "resume", str(league), *how)
            club.finish(id)
            club.games[1].exit(0)
            await club.state(id, "over")
        assert json.loads(club.challenge(id).report)["over"]
        assert [each.kind for each in club.database.notices(1)] == ["challenge"]

    in_simulated_time(test)


def test_what_was_begun_goes_on_after_a_kill_of_the_host_process(club: Club) -> None:
    club.accepted("Ada", "heron")

    async def test() -> None:
        id = club.ask("Ada", "heron", "random")
        for number in (1, 2, 3):
            async with going_on(club.process.challenges):
                await club.until(lambda number=number: len(club.games) == number)  # type: ignore[misc]
        assert [child.words[1] for child in club.games] == ["run", "resume", "resume"]
        assert all(child.is_ended for child in club.games)
        assert club.challenge(id).state == "playing"

    in_simulated_time(test)


def test_a_challenge_ends_with_its_time(club: Club) -> None:
    club.accepted("Ada", "heron")

    async def test() -> None:
        id = club.ask("Ada", "heron", "random")
        async with going_on(club.process.challenges):
            await club.state(id, "over")
        assert club.games[0].at + 1800 == pytest.approx(trio.current_time(), abs=5)
        report = json.loads(club.challenge(id).report)
        assert "(ended early)" in report["text"]
        assert report["verdict"] == "nothing is known in Hyrule: no board is over"

    in_simulated_time(test)


def test_a_challenge_that_stops_by_itself_is_tried_three_times(club: Club) -> None:
    club.accepted("Ada", "heron")

    async def test() -> None:
        id = club.ask("Ada", "heron", "random")
        async with going_on(club.process.challenges):
            for number in (1, 2, 3):
                await club.until(lambda number=number: len(club.games) == number)  # type: ignore[misc]
                club.games[-1].exit(2)
            await club.state(id, "failed")
        assert "it stopped 3 times" in club.challenge(id).reason
        [notice] = club.database.notices(1)
        assert notice.text.startswith("heron v1 against random: failed: it stopped 3 times")

    in_simulated_time(test)


def test_a_challenge_whose_games_are_damaged_fails_and_the_next_is_played(club: Club) -> None:
    club.accepted("Ada", "heron")

    async def test() -> None:
        damaged, other = (club.ask("Ada", "heron", name) for name in ("random", "greedy"))
        async with going_on(club.process.challenges):
            await club.until(lambda: len(club.games) == 1)
            challenges.league_of(club.place, damaged).write_bytes(b"no league" * 1000)
            await club.state(damaged, "failed")
            await club.until(lambda: len(club.games) == 2)
        assert "1.league" in club.challenge(damaged).reason
        assert club.challenge(other).state == "playing"
        assert club.games[0].is_ended

    in_simulated_time(test)


def _revoke(club: Club) -> None:
    club.process.decided({"ask": "revoke", "account": None, "name": "Bob"})


def _withdraw(club: Club) -> None:
    club.process.decided({"ask": "withdraw", "account": club.account("Bob"), "bot": "wolf"})


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (_revoke, "the account of the author of version 1 of wolf is closed"),
        (_withdraw, "wolf is withdrawn by now"),
    ],
)
@pytest.mark.parametrize("begun", [False, True])
def test_no_bot_plays_whose_author_has_left(
    club: Club, change: Callable[[Club], None], reason: str, begun: bool
) -> None:
    club.accepted("Ada", "heron")
    club.accepted("Bob", "wolf")

    async def test() -> None:
        id = club.ask("Ada", "heron", "wolf")
        if not begun:
            change(club)
        async with going_on(club.process.challenges):
            if begun:
                await club.until(lambda: len(club.games) == 1)
                change(club)
            await club.state(id, "failed")
        assert club.challenge(id).reason == reason
        assert all(child.is_ended for child in club.games)

    in_simulated_time(test)


def test_an_author_with_many_challenges_keeps_nobody_waiting(club: Club) -> None:
    club.accepted("Ada", "heron")
    club.accepted("Bob", "wolf")
    first, second, third = (club.ask("Ada", "heron", "greedy", boards=boards) for boards in (1, 2, 3))
    fourth = club.ask("Bob", "wolf", "heron")
    assert [each.id for each in challenges.in_turn(club.database)] == [fourth, first, second, third]
    club.database.change_challenge(second, state="playing")
    order = [each.id for each in challenges.in_turn(club.database)]
    assert order == [second, fourth, first, third]
    told = [challenges.progress(club.database, club.challenge(id), order) for id in order]
    assert told == [
        "is played: 0 games so far", "waits behind 1 challenge", "waits behind 2 challenges",
        "waits behind 3 challenges",
    ]  # fmt: skip


def test_a_version_that_is_tried_does_not_play_by_itself(club: Club) -> None:
    active = club.accepted("Ada", "heron")
    upload = "ab" * 32

    def submitted(trial: bool) -> dict[str, Any]:
        (club.place.incoming / f"{club.account('Ada')}-{upload}.zip").write_bytes(b"zip")
        asked = {"account": club.account("Ada"), "bot": "heron", "upload": upload, "note": "", "trial": trial}
        done: dict[str, Any] = club.process.decided({"ask": "submit", **asked})["done"]
        return done

    async def test() -> None:
        done = submitted(True)
        assert submitted(True)["challenge"] == done["challenge"]  # the answer was lost
        id = done["challenge"]
        assert challenges.in_turn(club.database) == []
        club.build = ends_with(Result("accepted", content="c", disk=7))
        async with going_on(club.process.submissions, club.process.challenges):
            version = await club.decided(done["id"])
            club.place.bot(version.id).mkdir()
            (club.place.bot(version.id) / "bot.toml").write_text(BOT.format("heron"))
            assert version.state == "accepted"
        bot = club.database.bot_called("heron")
        assert bot is not None
        assert bot.active == active
        assert json.loads(club.challenge(id).names) == ["heron v2", "heron v1"]
        texts = [each.text for each in club.database.notices(club.account("Ada"))]
        assert "heron version 2 is accepted, and is tried in a challenge." in texts

    in_simulated_time(test)


def test_a_version_that_is_refused_plays_no_challenge(club: Club) -> None:
    active = club.accepted("Ada", "heron")
    tried = club.submit("heron")
    id = club.database.add_challenge(
        account=club.account("Ada"), version=tried, against=active, names='["heron v2", "heron v1"]',
        games='["hyrule"]', boards=3,
    )  # fmt: skip

    async def test() -> None:
        club.build = ends_with(Result("refused", "it does not start"))
        async with going_on(club.process.submissions, club.process.challenges):
            await club.state(id, "failed")
        assert club.challenge(id).reason == "version 2 of heron is refused: it does not start"
        assert club.games == []

    in_simulated_time(test)


def test_what_cannot_be_asked_for(club: Club) -> None:
    club.accepted("Ada", "heron")
    club.accepted("Ada", "heron")
    club.accepted("Bob", "wolf")
    secret = club.submit("secret")  # which was never accepted

    def refused(bot: str, opponent: str, **values: Any) -> str:
        return str(club.answer("Ada", bot, opponent, **values)["refused"])

    assert "you have no bot 'wolf'" in refused("wolf", "heron")
    assert refused("heron", "secret") == refused("heron", "nobody").replace("nobody", "secret")
    assert "arena bots list has those that do" in refused("heron", "nobody")
    assert "version 2 of heron plays already" in refused("heron", "heron")
    assert "heron has no version 9" in refused("heron", "greedy", version=9)
    assert "no version of secret plays: say which one by --version" in refused("secret", "greedy")
    assert "version 1 of secret does not play: it is not accepted" in refused("secret", "wolf", version=1)
    assert "this league does not play 'chess'; valid: hyrule" in refused("heron", "wolf", games="chess")
    assert "at most 100 boards of each game here" in refused("heron", "wolf", boards=101)
    assert "boards must be a whole number" in refused("heron", "wolf", boards=-1)
    assert club.database.open_challenges() == []
    assert club.database.version(secret) is not None


def test_quota(club: Club) -> None:
    club.accepted("Ada", "heron")
    club.accepted("Bob", "wolf")
    same = {club.ask("Ada", "heron", "wolf") for _ in range(3)}  # the answers were lost
    assert same == {1}
    for boards in (1, 2, 3, 4):
        club.ask("Ada", "heron", "GREEDY", boards=boards)
    refusal = club.answer("Ada", "heron", "random")["refused"]
    assert refusal == "you asked for 5 challenges in 24 hours, as many as allowed: come back later"
    club.ask("Bob", "wolf", "heron")
    for id in (1, 2):
        club.database.change_challenge(id, created=LONG_AGO, ended=LONG_AGO if id == 1 else None)
    club.ask("Ada", "heron", "random")  # those that are open count, however old
    assert "as many as allowed" in club.answer("Ada", "heron", "random", boards=9)["refused"]


def test_a_league_may_take_no_challenges(tmp_path: Path) -> None:
    with Database(Place(tmp_path).database, writer=True) as database:
        club = Club(tmp_path, database, SETTINGS.replace("[limits]", "[limits]\nchallenges = 0"))
        club.accepted("Ada", "heron")
        assert "this league takes no challenges" in club.answer("Ada", "heron", "greedy")["refused"]


def test_no_challenge_is_taken_or_begun_while_the_disk_is_nearly_full(tmp_path: Path) -> None:
    full = SETTINGS.replace('"1MiB"', '"4000000GiB"')

    async def test() -> None:
        with Database(Place(tmp_path).database, writer=True) as database:
            club = Club(tmp_path, database, full)
            version = club.accepted("Ada", "heron")
            assert "the disk of the host is full" in club.answer("Ada", "heron", "greedy")["refused"]
            database.add_challenge(
                account=1, version=version, against=None, names='["heron v1", "greedy"]',
                games='["hyrule"]', boards=1,
            )  # fmt: skip
            async with going_on(club.process.challenges):
                await trio.sleep(60)
            assert club.games == []

    in_simulated_time(test)


def test_old_challenges_are_tidied_and_what_open_ones_need_is_kept(club: Club) -> None:
    old, new = club.accepted("Ada", "heron"), club.accepted("Ada", "heron")
    for version in (old, new):
        club.database.change_version(version, decided=LONG_AGO)
    done = club.ask("Ada", "heron", "greedy", version=new)
    club.ask("Ada", "heron", "heron", version=old)
    club.database.change_challenge(done, state="over", ended=LONG_AGO)
    club.place.challenges.mkdir()
    for name in ("1.json", "1.league", "1.league-wal", "2.json", "11.json"):
        (club.place.challenges / name).write_text("")
    tidy(club.place, club.database, 0)
    assert club.database.challenge(done) is None
    assert sorted(path.name for path in club.place.challenges.iterdir()) == ["11.json", "2.json"]
    assert club.place.bot(old).is_dir()


def test_the_report_says_nothing_of_the_times_and_faults_of_the_challenged_bot(club: Club) -> None:
    club.place.challenges.mkdir()
    folder = club.place.challenges
    faulty = faulty_bot(folder, "out-of-range")
    for number, bots in ((1, (served_address(), faulty)), (2, (faulty, served_address()))):
        compare(folder, *bots, "--game", "hyrule", "--boards", 2, "--league", f"{number}.league")
    against, of = (json.loads(challenges.report_of(club.place, number)) for number in (1, 2))
    assert against["games_played"] == of["games_played"] > 0
    assert "Faults of" not in against["text"]
    assert "Faults of" in of["text"]
    for report in (against, of):
        assert report["over"]
        assert " -\n" in report["text"]  # of the milliseconds a decision
        assert "--boards goes on here" not in report["text"]
        assert report["shown"]["pairs"][0]["rows"][0]["said"].startswith(report["verdict"][:20].capitalize())
        assert [*report["answers"]] == ["hyrule"]


def test_a_database_without_challenges_is_migrated(tmp_path: Path) -> None:
    path = tmp_path / "host.db"
    steps = [step for step in _SCHEMA if "CREATE TABLE challenge" not in step]
    with contextlib.closing(apsw.Connection(str(path))) as old:
        for step in steps[: _SCHEMA.index(next(each for each in _SCHEMA if each not in steps))]:
            old.execute(step)
            old.pragma("user_version", old.pragma("user_version") + 1)
    with Database(path, writer=True) as database:
        assert database.open_challenges() == []
