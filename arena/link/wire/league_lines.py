"""Reads and writes the lines of an exported league (see league.proto): JSON, one message a line."""

from __future__ import annotations

import json
from base64 import b64decode
from datetime import datetime
from typing import Any, NamedTuple

from google.protobuf import json_format
from google.protobuf.message import DecodeError

from arena.link.wire.codec import Codec
from arena.link.wire.convert import OTHER
from arena.results import FAULT_REASONS, GameKey, GameResult, SeatResult, StoredGame, cyclic_seating
from arena.v1 import league_pb2

EXPORT_VERSION = 3
"""The newest version; earlier versions can be read too, and without faces version 2 is written."""

_LONGEST = (1 << 63) - 1  # microseconds


class WrongLine(ValueError):
    """A text is no line of an exported league; the message says why."""


class HeadLine(NamedTuple):
    """The first line: the version of the format, and the program that wrote it."""

    export_version: int
    written_by: str


class Entrant(NamedTuple):
    """An entrant of a tournament, with the fields of the message LeagueEntrant."""

    name: str
    bot: str
    version: str
    author: str


class TournamentLine(NamedTuple):
    """A tournament that begins, with the fields of the message TournamentBegun."""

    id: int
    name: str
    file_path: str
    file_text: str
    key_commitment: str
    key: bytes
    started: str
    entrants: tuple[Entrant, ...]
    plan: str | None


class EndLine(NamedTuple):
    """A tournament that ends: its id, and when it ended."""

    id: int
    finished: str


class DecisionLine(NamedTuple):
    """A ruling, with the fields of the message DecisionMade."""

    tournament: int
    decision: str
    reason: str
    decided: str


class FaceOf(NamedTuple):
    """What decorates the name of an entrant, with the fields of the message LeagueFace."""

    entrant: int
    language: str
    emblem: str


class FacesLine(NamedTuple):
    """What decorates the names of a tournament's entrants, with the fields of the message FacesKept."""

    tournament: int
    faces: tuple[FaceOf, ...]


Line = HeadLine | TournamentLine | StoredGame | DecisionLine | FacesLine | EndLine

_CODECS = {
    "head": Codec(league_pb2.LeagueHead, HeadLine),
    "tournament": Codec(league_pb2.TournamentBegun, TournamentLine),
    "decision": Codec(league_pb2.DecisionMade, DecisionLine),
    "faces": Codec(league_pb2.FacesKept, FacesLine),
    "end": Codec(league_pb2.TournamentEnded, EndLine),
}  # a game's line has more fields than its message


def write_head(*, with_faces: bool) -> str:
    """The first line, without its line end, as with the other `write_` functions."""
    from importlib.metadata import version  # only here: it loads much

    return _written("head", HeadLine(EXPORT_VERSION if with_faces else 2, f"arena {version('bot-arena')}"))


def write_tournament(line: TournamentLine) -> str:
    """A tournament that begins."""
    return _written("tournament", line)


def write_game(line: StoredGame) -> str:
    """A game. Raises WrongLine if its record or its times cannot be decoded."""
    key = line.result.key
    game = league_pb2.GameRecorded(
        tournament=line.tournament,
        stage=key.stage,
        round=key.round,
        match=key.match,
        board=key.board,
        rotation=key.rotation,  # the seating is in the record
        game=key.game,
        seats=[
            league_pb2.LeagueSeat(
                entrant=seat.entrant,
                place=seat.place,
                points=seat.points,
                forfeit=seat.forfeit,
                faults=seat.faults,
                decisions=seat.decisions,
                microseconds=seat.time,
            )
            for seat in line.result.seats
        ],
        recorded=line.recorded,
    )
    try:
        game.record.ParseFromString(line.record)
        game.times.ParseFromString(line.times)
    except DecodeError:
        raise WrongLine(f"the record of game {key} cannot be read") from None
    return _text(league_pb2.LeagueLine(game=game))


def write_decision(line: DecisionLine) -> str:
    """A ruling."""
    return _written("decision", line)


def write_faces(line: FacesLine) -> str:
    """What decorates the names of the entrants."""
    return _written("faces", line)


def write_end(line: EndLine) -> str:
    """A tournament that ends."""
    return _written("end", line)


def read_line(text: str) -> Line:
    """Parses a line. Raises WrongLine."""
    message = _message(text)
    kind = message.WhichOneof("kind")
    if kind == "game":
        return _game(message.game)
    if kind is None:
        raise WrongLine("it has neither head nor tournament nor game nor decision nor faces nor end")
    line: HeadLine | TournamentLine | DecisionLine | FacesLine | EndLine
    line = _CODECS[kind].to_value(getattr(message, kind))
    match line:
        case TournamentLine():
            _check_moment(line.started)
        case DecisionLine():
            _check_moment(line.decided)
        case EndLine():
            _check_moment(line.finished)
    return line


def _message(text: str) -> league_pb2.LeagueLine:
    """Parses a line into its message. Raises WrongLine."""
    try:
        return _game_message(text)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        pass  # another kind of line, or not as `write_game` writes it
    try:
        return json_format.Parse(text, league_pb2.LeagueLine())
    except (json_format.ParseError, ValueError, RecursionError) as problem:
        raise WrongLine(" ".join(str(problem).split())) from None


def _game_message(text: str) -> league_pb2.LeagueLine:
    """Parses a line of `write_game` seven times as fast as protobuf; other lines may raise any error."""
    line = json.loads(text, object_pairs_hook=_with_names)
    game = line["game"]
    game["record"]["board_key"] = b64decode(game["record"]["board_key"], validate=True)
    for seat in game["seats"]:
        seat["microseconds"] = int(seat["microseconds"])  # JSON has 64-bit numbers as texts
    return league_pb2.LeagueLine(**line)


def _with_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = {_NAMES[name]: value for name, value in pairs}
    if len(fields) < len(pairs):
        raise ValueError("a name is there twice")
    return fields


def _names(message: Any) -> dict[str, str]:
    """The names of all fields in a message, by their names in JSON.

    The options of a game that a package adds may have any names, so such a record is left to protobuf.
    """
    fields = [field for field in message.fields if field.name != OTHER]
    names = {field.json_name: field.name for field in fields}
    for field in fields:
        if field.message_type is not None:
            names |= _names(field.message_type)
    return names


_NAMES = _names(league_pb2.GameRecorded.DESCRIPTOR) | {"game": "game"}


def _written(kind: str, line: Line) -> str:
    return _text(league_pb2.LeagueLine(**{kind: _CODECS[kind].to_message(line)}))


def _text(line: league_pb2.LeagueLine) -> str:
    # Fields that are 0 are written too, for people and for programs without protobuf.
    return json_format.MessageToJson(line, always_print_fields_with_no_presence=True, indent=None)


def _game(message: league_pb2.GameRecorded) -> StoredGame:
    seats = len(message.seats)
    seating = tuple(message.record.seating.positions) or cyclic_seating(seats, message.rotation)
    key = GameKey(
        message.stage, message.round, message.match, message.game, message.board, message.rotation, seating
    )
    if any(len(seat.faults) != len(FAULT_REASONS) for seat in message.seats):
        raise WrongLine(f"the faults of a seat of game {key} are not {len(FAULT_REASONS)} numbers")
    if any(seat.microseconds > _LONGEST for seat in message.seats):
        raise WrongLine(f"a seat's time in game {key} is longer than can be stored")
    results = tuple(
        SeatResult(
            seat.entrant,
            seat.place,
            seat.points,
            seat.forfeit,
            tuple(seat.faults),
            seat.decisions,
            seat.microseconds,
        )
        for seat in message.seats
    )
    _check_moment(message.recorded)
    return StoredGame(
        message.tournament,
        GameResult(key, results, message.record.outcome.reason),
        message.record.SerializeToString(deterministic=True),
        message.times.SerializeToString(deterministic=True),
        message.recorded,
    )


def _check_moment(text: str) -> None:
    """Raises WrongLine if a text is no time as leagues store it."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.utcoffset() is None or moment.isoformat() != text:
        raise WrongLine(f"{text!r} is no time such as 2026-01-31T20:15:00+00:00")
