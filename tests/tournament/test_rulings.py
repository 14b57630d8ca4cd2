"""Rulings are stored, told and listed as in every release."""

from __future__ import annotations

import json
from typing import Any

import pytest

from arena.tournament.rulings import KINDS, effects_of, read_ruling
from tests.tournament.night import STAGES, plan_of

NAMES = ["ada", "bob", "cyd"]
COMPARISON = '[[stage]]\nformat = "comparison"\n'
PLEDGE, BYTES = "ab" * 32, "cd" * 16

# A stored text, what the page says, what the terminal says, and what the standings list as JSON.
RELEASED: list[tuple[str, str, list[str], dict[str, Any]]] = [
    (
        '{"kind": "pause"}',
        "No further games begin",
        ["paused (dinner): games that run are played to their end; arena host go LEAGUE lets it go on"],
        {},
    ),
    ('{"kind": "go"}', "It goes on", ["it goes on (dinner)"], {}),
    (
        '{"kind": "end"}',
        "It ends here; what is left is not played",
        ["ended (dinner): what is left is not played"],
        {},
    ),
    (
        '{"entrant": 1, "stage": 0, "annulled": false, "kind": "withdraw", "round": 2}',
        "bob plays no more",
        ["bob is withdrawn (dinner): what it had left of this stage are walkovers"],
        {},
    ),
    (
        '{"entrant": 1, "stage": 0, "annulled": true, "kind": "withdraw", "round": 0}',
        "bob plays no more, and this stage is scored without it",
        [
            "bob is withdrawn (dinner): it had played less than half of its matches, "
            "so this stage is scored without it"
        ],
        {},
    ),
    (
        '{"entrant": 3, "name": "late", "how": "bot", "source": "/bots/late", "version": "1", '
        '"author": "eve", "since": 1, "kind": "admit"}',
        "late came late",
        ["late is admitted (dinner)"],
        {"name": "late"},
    ),
    (
        '{"boards": [[0, 1, 2, "nyuri", 0, 1000000], [0, 1, 2, "nyuri", 1, 1000001]], "kind": "annul"}',
        "2 boards void and played again",
        ["void (dinner) and played again: 2 boards"],
        {"boards": 2},
    ),
    (
        '{"stage": 0, "cycles": 1, "kind": "extend", "boards": 2, "round": 3}',
        "stage 1 has 1 more cycle and 2 more boards a match from round 4 on",
        ["stage 1 has 1 more cycle and 2 more boards a match from round 4 on (dinner)"],
        {"stage": 1, "cycles": 1, "boards": 2, "from_round": 4},
    ),
    (
        '{"entrant": 1, "tables": 1, "kind": "limit"}',
        "bob plays at 1 table at once",
        ["bob plays at 1 table at once (dinner)"],
        {},
    ),
    (
        '{"entrant": 1, "tables": 0, "kind": "limit"}',
        "bob plays at as many tables as its bot allows",
        ["bob plays at as many tables as its bot allows (dinner)"],
        {},
    ),
    (
        '{"matches": [[1, 0, 0], [1, 0, 1]], "rest": false, "countdown": 5, "kind": "show"}',
        "The host shows matches 2.1.1 and 2.1.2",
        ["The host shows matches 2.1.1 and 2.1.2 (dinner)"],
        {},
    ),
    (
        '{"matches": [], "rest": true, "countdown": 0, "kind": "show"}',
        "The host shows all results, also those to come",
        ["The host shows all results, also those to come (dinner)"],
        {},
    ),
    (
        '{"levels": ["basic", "", "basic"], "kind": "contain"}',
        "contained: 2 bots at level basic",
        ["contained: 2 bots at level basic (dinner)"],
        {"levels": ["basic", "", "basic"], "lacking": []},
    ),
    (
        '{"levels": ["basic", "", "strict"], "kind": "contain", "lacking": ["a", "b"]}',
        "contained: 1 bot at level basic, 1 bot at level strict, as far as the machine could, "
        "which lacked a, b",
        [
            "contained: 1 bot at level basic, 1 bot at level strict, as far as the machine could, "
            "which lacked a, b (dinner)"
        ],
        {"levels": ["basic", "", "strict"], "lacking": ["a", "b"]},
    ),
    (
        json.dumps({"pledges": [PLEDGE, "", PLEDGE], "contributions": [BYTES, "", ""], "kind": "contribute"}),
        "The bots have put their bytes into the deals",
        [
            "1 of 3 bots put bytes of their own into the deals",
            "digest of the pledges for that: sha256 "
            "1390c94122a056f094662e454f3d0c19ccfdb3a15d760a4e4d4ba22e00cb0ca3",
        ],
        {},
    ),
]


@pytest.mark.parametrize(("text", "words", "lines", "alteration"), RELEASED)
def test_a_ruling_is_stored_told_and_listed_as_by_the_releases(
    text: str, words: str, lines: list[str], alteration: dict[str, Any]
) -> None:
    ruling = read_ruling(text)
    assert ruling.to_json() == text
    assert ruling.words(NAMES) == words
    assert ruling.lines(NAMES, " (dinner)", plan_of(STAGES[0], 3)) == lines
    assert ruling.alteration() == alteration


def test_every_kind_of_ruling_is_shown_here() -> None:
    assert {json.loads(text)["kind"] for text, *_ in RELEASED} == set(KINDS)


def test_in_a_comparison_nobody_gets_what_is_left_of_a_withdrawn_bot() -> None:
    ruling = read_ruling(RELEASED[3][0])
    assert ruling.lines(NAMES, "", plan_of(COMPARISON, 3)) == [
        "bob is withdrawn: what it had left is not played, so what is open about it stays open"
    ]


def test_what_rulings_mean_together() -> None:
    rulings = [read_ruling(text) for text, *_ in RELEASED]
    effects = effects_of(3, rulings)
    assert (effects.first_entrants, effects.entrants) == (3, 4)
    assert (effects.paused, effects.ended) == (False, True)
    assert effects_of(3, rulings[:1]).paused
    assert effects.left_out == {0: {1}}
    assert effects.is_gone(1, 0)
    assert not effects.is_gone(0, 0)
    assert effects.contained == ("basic", "", "strict")
    assert effects.given == {0: bytes.fromhex(BYTES)}
