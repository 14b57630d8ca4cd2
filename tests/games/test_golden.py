"""Golden transcripts: whole games as a readable log, compared letter by letter.

A transcript changes when rules, texts or the dealing of boards change. If that
is meant, write the transcripts anew and read the difference before committing:

    ARENA_UPDATE_GOLDEN=1 pytest tests/games/test_golden.py
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from arena.cards import Card, Suit
from arena.games import GAMES
from arena.games.game import SPECTATOR, Action, Happening, Seat, State
from tests.games.boards import keyed

FOLDER = Path(__file__).parent.parent / "golden"
SHOW_EVERY = 12
"""Before the first turn and every so many turns, the position is printed as the acting seat sees it."""


def by_turns(state: State, seat: Seat, turn: int) -> Action:
    """Goes through the list of legal actions in leaps, so that all kinds of actions come up."""
    legal = state.legal_actions(seat)
    return legal[(turn * turn + 5 * turn + seat) % len(legal)]


def collecting(state: Any, seat: Seat, turn: int) -> Any:
    """A simple player of Forty-one: ends play when it can, takes what suits it, discards the rest.

    It collects the suit of which it holds most cards, the lower suit if two are equal.
    """
    legal = {action.kind: action for action in reversed(state.legal_actions(seat))}
    seen = state.observation(seat)
    seen = getattr(seen, "current", seen)  # in a series, the deal being played
    held = [card.suit for card in seen.hand]
    wanted = max(Suit, key=held.count)
    if "discard" in legal:
        useless = [action for action in state.legal_actions(seat) if action.card.suit is not wanted]
        return min(useless or state.legal_actions(seat), key=lambda action: int(action.card.rank))
    top: Card | None = seen.discards[-1] if seen.discards else None
    take = top is not None and top.suit is wanted
    return legal.get("end_play") or legal["take_discard" if take else "draw_stock"]


class Transcript(NamedTuple):
    """The game of one transcript."""

    name: str
    game: str
    seats: int
    seed: int
    options: dict[str, Any] = {}  # noqa: RUF012  # never changed
    starter: Seat = 0
    choose: Callable[[Any, Seat, int], Action] = by_turns


TRANSCRIPTS = [
    Transcript("nyuri-open", "nyuri", 3, 1),
    Transcript("nyuri-instant", "nyuri", 4, 2, {"contest": "instant"}, 1),
    Transcript("forty-one-two-seats", "forty-one", 2, 1, choose=collecting),
    Transcript("forty-one-series", "forty-one", 3, 2, {"series": 2}, choose=collecting),
    Transcript("nur-mut-two", "nur-mut", 3, 1),
    Transcript("nur-mut-one", "nur-mut", 2, 2, {"model": "one"}, 1),
    Transcript("kleftis-three-seats", "kleftis", 3, 1),
    Transcript("hyrule-strategy", "hyrule", 3, 1),
    Transcript("hyrule-chance", "hyrule", 4, 2, {"mode": "chance"}, 2),
]


def lines(transcript: Transcript) -> Iterator[str]:
    """The game as a log; a hidden part of an event is followed by the seats that are told it."""
    game = GAMES[transcript.game]
    options = game.parse_options(transcript.options)
    board = keyed(game, options, transcript.seed)
    state = game.new(board, transcript.seats, options, transcript.starter)
    yield f"{game.title}, {transcript.seats} seats, seat {transcript.starter} starts"
    for field in dataclasses.fields(options):
        yield f"option {field.name}: {getattr(options, field.name)}"
    yield from ("", "opening")
    yield from map(told, state.opening)
    turn = 0
    while state.to_act:
        seat = state.to_act[0]
        if turn % SHOW_EVERY == 0:
            yield from ("", f"seat {seat} sees")
            yield from seen(state, seat)
            yield f"  > it may: {', '.join(map(str, state.legal_actions(seat)))}"
            yield ""
        action = transcript.choose(state, seat, turn)
        turn += 1
        yield f"{turn}. seat {seat}: {action}"
        yield from map(told, state.apply(seat, action))
    yield from ("", "everyone sees")
    yield from seen(state, SPECTATOR)
    outcome = state.outcome
    assert outcome is not None
    yield from ("", f"ended after {turn} decisions: {outcome.reason}")
    for seat, (place, points) in enumerate(zip(outcome.places, outcome.points, strict=True)):
        yield f"seat {seat}: place {place}, points {points}"


def told(happening: Happening) -> str:
    hidden = f"  [seat {seat_list(happening.seats)} only]" if happening.private is not None else ""
    return f"  {happening.full}{hidden}"


def seat_list(seats: Sequence[Seat]) -> str:
    return " and ".join(map(str, seats))


def seen(state: State, viewer: Seat | None) -> Iterator[str]:
    return (f"  > {line}" for line in str(state.observation(viewer)).splitlines())


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=[transcript.name for transcript in TRANSCRIPTS])
def test_the_game_reads_as_in_its_transcript(transcript: Transcript) -> None:
    path = FOLDER / f"{transcript.name}.txt"
    text = "".join(f"{line}\n" for line in lines(transcript))
    if os.environ.get("ARENA_UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
