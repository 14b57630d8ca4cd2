"""The titles of bots of a standing league: over their versions, in nights and in seasons of the ladder."""

from __future__ import annotations

from datetime import UTC, datetime

from arena.hosting.database import Database
from arena.hosting.pages.season_bots import BotOf, titles_in
from arena.hosting.place import Place
from arena.league.store import League
from arena.league.summary import final_places, summarize
from arena.view.league.reader import LeagueReader
from tests.hosting.pages.standing import Author, standing
from tests.referee.simulation import simulate

GAMES = 'games = ["nyuri", "kleftis"]\n[[stage]]\nformat = '
LADDER = f'name = "Season"\n{GAMES}"ladder"\n'
NIGHT = f'name = "<b>Friday</b>"\n{GAMES}"round-robin"\n'
ENTRANTS = ("walker v1", "other v1", "house")


def club(place: Place) -> dict[str, str]:
    """A season and a night that are over, and a season that is played; returns the bots of the entrants."""
    with Database(place.database, writer=True) as database:
        account = database.add_account("Ada", "author")
        versions = [
            database.add_version(database.add_bot(account, bot), str(at) * 64, 1, "")
            for at, bot in enumerate(("walker", "other"))
        ]
        with database.transaction():
            for version in versions:
                database.change_version(version, state="accepted", reason="")
    folders = [place.bot(version) for version in versions]
    with League.create_or_open(place.league) as league:
        simulate(league, LADDER, 3, at_most=240, names=ENTRANTS, folders=folders)
        simulate(league, NIGHT, 3, names=("walker", "other", "house"), folders=folders)
        simulate(league, LADDER, 3, finish=False, at_most=40, names=ENTRANTS, folders=folders)
    return dict(zip(ENTRANTS, ("walker", "other", "house"), strict=True))


def test_titles_follow_a_bot_over_its_names_and_leave_open_what_is_not_over(tmp_path):
    place = Place(tmp_path)
    bots = club(place)
    with League.read(place.league) as league:
        season, night = ([league.tournament(number).entrants[final_places(league, number)[0].entrant].name]
                         for number in (1, 2))  # fmt: skip
    reader, bot_of = LeagueReader(place.league), BotOf(place)
    before = {bot: titles_in(reader, bot, bot_of) for bot in bots.values()}
    assert not any(each["seasons"] for each in before.values()), "a season counts when it was computed"
    reader.over(1)
    after = {bot: titles_in(reader, bot, bot_of) for bot in bots.values()}
    assert [bot for bot in after if after[bot]["nights"]] == night
    assert [bot for bot in after if after[bot]["seasons"]] == [bots[each] for each in season]
    assert {each["tournament"] for bot in after.values() for each in bot["nights"]} == {2}
    for bot, found in after.items():
        assert found["reign"] is None, "a season of a second has no two looks"
        if upset := found["upset"]:
            assert upset["points"] > 0
            assert upset["against"] in set(bots.values()) - {bot}
    reader.close()


def test_the_first_place_at_a_moment_is_computed_once(tmp_path):
    place = Place(tmp_path)
    club(place)
    reader, now = LeagueReader(place.league), datetime.now(UTC)
    assert reader.first_at(1, now) is None
    assert reader.look_at(1, now)
    assert not reader.look_at(1, now)
    with League.read(place.league) as league:
        assert reader.first_at(1, now) == summarize(league, 1).placed[0].entrant
        begun = league.tournament(1).started
    assert reader.look_at(1, begun)
    assert reader.first_at(1, begun) is None, "nobody had played"
    reader.close()


def test_the_page_of_a_bot_and_the_api_tell_its_titles(tmp_path):
    club(Place(tmp_path))
    with standing(tmp_path) as league:
        for bot in ("walker", "other"):
            found = Author(league.page).ask("GET", f"/api/bots/{bot}")["titles"]
            shown = league.page.get(f"/bots/{bot}")
            assert ("<dt>nights won</dt>" in shown) == bool(found["nights"])
            assert ("<dt>best upset</dt>" in shown) == bool(found["upset"])
            assert "<b>Friday</b>" not in shown
        assert found.keys() == {"nights", "in_a_row", "seasons", "upset", "reign"}
