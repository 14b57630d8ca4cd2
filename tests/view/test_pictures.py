"""Pictures of finished games: they agree with `arena replay`, and no view holds more than it may."""

from __future__ import annotations

import json
from typing import Any

import pytest

from arena.games import GAMES
from arena.league.store import League
from arena.league.stored import record_of
from arena.report.game_log import ONLOOKER, game_steps
from arena.table.record import Record
from arena.view.pictures.games import PICTURES
from arena.view.pictures.replay import KEY_EVERY, game_pictures
from tests.view.games import other_game
from tests.view.served import played


def games_of(tmp_path):
    with League.read(played(tmp_path / "night.league", names=("a", "b", "c", "d"))) as league:
        seen: dict[str, Record] = {}
        for number, result in league.games(1):
            seen.setdefault(result.key.game, record_of(league.game(number)))
    return seen


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    usual = games_of(tmp_path_factory.mktemp("pictures"))
    return {game: (usual[game], other_game(game)) for game in GAMES}


def rebuilt(data):
    """All pictures, built from the first, and each again from the last whole one before it."""
    picture: dict[str, Any] = {}
    pictures = []
    for number, step in enumerate(data["steps"]):
        picture = {**(data["keys"][number] if number == 0 else picture), **step["changed"]}
        pictures.append(picture)
    for number in data["keys"]:
        assert data["keys"][number] == pictures[number]
    return pictures


def by_seat(line):
    """A line of the log with the numbers of seats, as the terminal has it."""
    return "".join(part if isinstance(part, str) else f"seat {part}" for part in line)


def test_there_is_a_picture_of_every_game():
    assert set(PICTURES) == set(GAMES)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("which", [0, 1])
def test_steps_and_words_are_those_of_the_record(records, game, which):
    record = records[game][which]
    names = [f"bot {seat}" for seat in range(record.seats)]
    for view in (None, ONLOOKER, 0, record.seats - 1):
        data = json.loads(json.dumps(game_pictures(record, names, view)), parse_float=str)
        *steps, _ = game_steps(record, names, view)
        for step, printed in zip(data["steps"], steps, strict=True):
            told = [line.strip() for line in printed if line.startswith(" " * 6) and "FAULT" not in line]
            log = [by_seat(line) for line in step["log"] if "fault" not in by_seat(line)]
            if step is data["steps"][0]:
                log = [line for line in log if line.startswith("seat") or line in told]
            assert log == told or (not told and len(log) == 1)  # each action has a line
        assert data["end"][-record.seats - 1] == data["ending"]["sentence"]
        assert len(data["steps"]) == len(record.actions) + 1
        assert [int(key) for key in data["keys"]] == [*range(0, len(data["steps"]), KEY_EVERY)]
        data["keys"] = {int(key): picture for key, picture in data["keys"].items()}
        assert len(rebuilt(data)) == len(data["steps"])
        assert data["places"] == list(record.outcome.places)


@pytest.mark.parametrize("game", ["nyuri", "forty-one", "kleftis", "hyrule"])
@pytest.mark.parametrize("which", [0, 1])
def test_a_view_holds_no_hand_but_its_own(records, game, which):
    record = records[game][which]
    names = ["bot"] * record.seats
    for view in (ONLOOKER, 0):
        for picture in rebuilt(game_pictures(record, names, view)):
            for seat in range(record.seats):
                shown = picture[f"hand.{seat}"]
                assert (shown is not None) == (seat == view or bool(picture.get("open"))), picture
    for picture in rebuilt(game_pictures(record, names, None)):
        for seat in range(record.seats):
            assert len(picture[f"hand.{seat}"]) == picture[f"count.{seat}"]


@pytest.mark.parametrize("which", [0, 1])
def test_the_lower_faces_are_for_everyones_view_alone(records, which):
    record = records["nur-mut"][which]
    names = ["bot"] * record.seats
    for view in (ONLOOKER, 0):
        for picture in rebuilt(game_pictures(record, names, view)):
            assert {picture[f"lower.{seat}"] for seat in range(record.seats)} == {None}
    lower = [
        picture[f"lower.{seat}"]
        for picture in rebuilt(game_pictures(record, names, None))
        for seat in range(record.seats)
    ]
    assert any(lower) == (which == 0)  # under model one a card has one face


def test_nothing_tells_who_has_sealed_a_card(records):
    record = records["hyrule"][1]
    for view in (None, ONLOOKER, 0):
        data = game_pictures(record, ["bot"] * record.seats, view)
        pictures = rebuilt(data)
        sealed = [
            number
            for number, step in enumerate(data["steps"])
            if step["say"][0] == "All choose a card and lay it face down."
        ]
        assert len(sealed) == 2 * 7 * (record.seats - 1)
        for number in sealed:
            assert pictures[number]["act"] is None
            assert all(pictures[number][f"slot.{seat}"] is None for seat in range(record.seats))
            if number - 1 in sealed:
                assert data["steps"][number]["changed"] == {}


def test_who_secures_nothing_in_kleftis_is_said_to(records):
    data = game_pictures(records["kleftis"][0], ["a", "b"], ONLOOKER)
    said = [step["say"] for step in data["steps"]]
    assert [0, " secures nothing."] in said
    assert ["All choose a card and lay it face down."] not in said


def test_a_trick_stays_until_the_next_begins(records):
    data = game_pictures(records["hyrule"][0], ["a", "b"], None)
    won = [picture for picture in rebuilt(data) if picture["won"] is not None]
    assert len(won) == 7
    for picture in won:
        assert picture["best"] == picture["won"]
        assert picture["why"]
        assert None not in (picture["slot.0"], picture["slot.1"])


def test_what_follows_from_the_cards_is_in_the_picture(records):
    record = records["forty-one"][0]
    last = rebuilt(game_pictures(record, ["a", "b"], ONLOOKER))[-1]
    assert [last[f"score.{seat}"] for seat in range(2)] == list(record.outcome.points)
    record = records["kleftis"][0]
    last = rebuilt(game_pictures(record, ["a", "b"], ONLOOKER))[-1]
    assert [last[f"points.{seat}"] for seat in range(2)] == list(record.outcome.points)
    record = records["nyuri"][0]
    last = rebuilt(game_pictures(record, ["a", "b"], ONLOOKER))[-1]
    assert [last[f"total.{seat}"] for seat in range(2)] == list(record.outcome.points)
    record = records["hyrule"][0]
    last = rebuilt(game_pictures(record, ["a", "b"], ONLOOKER))[-1]
    assert [last[f"captured.{seat}"] for seat in range(2)] == list(record.outcome.points)
