"""Dials a bot: opens the channel, and asks the bot to describe itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import grpc
from google.protobuf.message import DecodeError

from arena.games import GAMES
from arena.link.streams.bot_fault import BotFault as BotFault
from arena.link.streams.bot_fault import Flood as Flood
from arena.link.tls.address import read_address
from arena.link.tls.channel import channel_to
from arena.link.tls.trust import OwnCertificate, Untrusted
from arena.link.wire import PROTOCOL_VERSION
from arena.link.wire.convert import WIRE_BY_ENUM
from arena.names import NAME_LIMIT, name_problem
from arena.table.deal import CONTRIBUTION_BYTES, PLEDGE_BYTES, pledge_of
from arena.v1 import analysis_pb2, bot_pb2

Channel = grpc.Channel
"""A connection to a bot from `open_channel`, which other packages only hold and close."""

MAX_MESSAGE = 1 << 18
"""The largest message accepted from a bot, in bytes; a batch of a thousand decisions has 10,000."""

MAX_DETAILS = 1000
"""The most characters that are kept of a bot's message about its own failure."""

# The bytes that gRPC reads at once; without it, all that a flood brings meanwhile.
_READ_AHEAD = 1 << 16

_CHANNEL_OPTIONS: tuple[tuple[str, int], ...] = (
    ("grpc.max_receive_message_length", MAX_MESSAGE),
    ("grpc.max_metadata_size", 4096),
    ("grpc.absolute_max_metadata_size", 8192),
    ("grpc.compression_enabled_algorithms_bitset", 1),  # no compression, and so no bombs
    ("grpc.experimental.tcp_max_read_chunk_size", 1 << 16),  # a flood's share of memory; the default is 4 MiB
    ("grpc.experimental.tcp_max_read_buffer_size", _READ_AHEAD),
    ("grpc.enable_retries", 0),
    ("grpc.use_local_subchannel_pool", 1),  # nothing is shared between bots
    ("grpc.initial_reconnect_backoff_ms", 50),
    ("grpc.min_reconnect_backoff_ms", 50),
    ("grpc.max_reconnect_backoff_ms", 1000),
)

# gRPC's messages about frames, headers or messages that it does not accept.
_NOT_TAKEN = ("Failed parsing HTTP/2", "exceeds hard limit", "larger than max")


class BotInfo(NamedTuple):
    """A bot's description of itself: see DescribeResponse in the protocol.

    Attributes:
        games: the ids of the games it plays.
        max_tables: how many tables it can play at once, 0 for any number.
        pledge: the hash of the bytes that it will put into the deals; empty if it puts in none.
        language: the programming language, may be empty.
    """

    name: str
    version: str
    author: str
    games: tuple[str, ...]
    max_tables: int
    pledge: bytes = b""
    language: str = ""


# Every gRPC status that a bot can bring about, as a kind of fault; the others are disconnects.
_STATUS_REASONS = {
    grpc.StatusCode.DEADLINE_EXCEEDED: "timeout",
    grpc.StatusCode.RESOURCE_EXHAUSTED: "protocol",
    grpc.StatusCode.INVALID_ARGUMENT: "protocol",
    grpc.StatusCode.UNIMPLEMENTED: "protocol",
    grpc.StatusCode.INTERNAL: "protocol",
    grpc.StatusCode.UNKNOWN: "crash",  # an exception in a Python bot
}


class NotThere(Exception):
    """No server answers over TLS at an address yet; the text is the system's message."""


def open_channel(address: str, shown: OwnCertificate | None = None) -> grpc.Channel:
    """Opens a channel to a bot, with limits on what the bot may send. Blocks for a moment with TLS.

    Args:
        address: as `arena.link.tls.address` describes it.
        shown: the certificate for bots that ask for one, over TLS.

    Raises, for an address that asks for TLS, BotFault if the server there is not
    trusted, and NotThere if none answers.
    """
    where = read_address(address)
    assert where is not None, address
    options: list[tuple[str, int | str]] = [*_CHANNEL_OPTIONS]
    if address.startswith("unix:"):
        # Not every HTTP/2 library accepts a socket's path as the authority (Rust's h2 does not).
        options.append(("grpc.default_authority", "localhost"))
    try:
        return channel_to(where, options, shown)
    except Untrusted as problem:
        raise BotFault("disconnect", str(problem)) from None
    except OSError as error:
        raise NotThere(error.strerror or str(error)) from None


def describe(channel: grpc.Channel, timeout: float) -> BotInfo:
    """Asks a bot to describe itself, waiting up to `timeout` seconds for it to come up. Blocks.

    Raises BotFault if it does not answer or its answer is not acceptable.
    """
    request = bot_pb2.DescribeRequest(protocol_version=PROTOCOL_VERSION)
    return info_of(_ask(channel, request, timeout, "does not describe itself"))


def _ask(
    channel: grpc.Channel, request: bot_pb2.DescribeRequest, timeout: float, what: str
) -> bot_pb2.DescribeResponse:
    """Calls Describe; `what` is what a bot without an answer fails to do. Raises BotFault."""
    call: grpc.UnaryUnaryMultiCallable[bytes, bytes]
    call = channel.unary_unary("/arena.v1.Bot/Describe")  # plain bytes: gRPC prints what it cannot decode
    try:
        data = call(request.SerializeToString(), timeout=timeout, wait_for_ready=True)
        return bot_pb2.DescribeResponse.FromString(data)
    except grpc.RpcError as error:
        raise fault_of_status(error, what) from None
    except ValueError:  # the channel was closed meanwhile
        raise BotFault("disconnect", "is not there any more") from None
    except DecodeError:
        raise BotFault("protocol", "answers Describe with bytes that are no DescribeResponse") from None


def info_of(answer: bot_pb2.DescribeResponse) -> BotInfo:
    """Checks a bot's description of itself. Raises BotFault if it is not acceptable."""
    if answer.protocol_version != PROTOCOL_VERSION:
        raise BotFault(
            "protocol",
            f"speaks protocol version {answer.protocol_version}, but this referee speaks version "
            f"{PROTOCOL_VERSION}: build the bot with this referee's .proto files",
        )
    for what, text, limit in (
        ("name", answer.name, NAME_LIMIT),
        ("version", answer.version, NAME_LIMIT),
        ("author", answer.author, 2 * NAME_LIMIT),
        ("language", answer.language, NAME_LIMIT),
    ):
        problem = name_problem(text, limit) if text or what == "name" else None
        if problem is not None:
            raise BotFault("protocol", f"describes itself with a wrong {what}: {problem}")
    if len(answer.pledge) not in (0, PLEDGE_BYTES):
        raise BotFault(
            "protocol",
            f"describes itself with a wrong pledge: it has {len(answer.pledge)} bytes, "
            f"but a SHA-256 has {PLEDGE_BYTES}",
        )
    games = [WIRE_BY_ENUM[number].game_id for number in answer.games if number in WIRE_BY_ENUM]
    games += [game for game in answer.other_games if game in GAMES]
    return BotInfo(
        answer.name,
        answer.version,
        answer.author,
        tuple(games),
        answer.max_tables,
        answer.pledge,
        answer.language,
    )


def request_for_bytes(commitment: bytes, pledges: bytes) -> bot_pb2.DescribeRequest:
    """A request for the bytes that a bot pledged, with the commitment and the digest of all pledges."""
    return bot_pb2.DescribeRequest(protocol_version=PROTOCOL_VERSION, commitment=commitment, pledges=pledges)


def bytes_in(answer: bot_pb2.DescribeResponse, pledge: bytes) -> bytes:
    """The bytes that a bot puts into the deals. Raises BotFault if they are not the pledged ones."""
    given = answer.contribution
    if len(given) != CONTRIBUTION_BYTES:
        raise BotFault(
            "protocol", f"gave {len(given)} bytes for the deals, but these must be {CONTRIBUTION_BYTES}"
        )
    if pledge_of(given) != pledge:
        raise BotFault("protocol", "gave other bytes for the deals than it had pledged")
    return given


def ask_for_bytes(
    channel: grpc.Channel, pledge: bytes, commitment: bytes, pledges: bytes, timeout: float
) -> bytes:
    """Asks a bot for the bytes that it pledged; waits up to `timeout` seconds. Blocks.

    Raises BotFault if it does not give them.
    """
    request = request_for_bytes(commitment, pledges)
    return bytes_in(_ask(channel, request, timeout, "does not give the bytes that it pledged"), pledge)


def try_actions(channel: grpc.Channel, request: bytes, scores: int, patience: float) -> Sequence[float]:
    """Has a bot try actions, by the service Analysis. Blocks.

    Args:
        channel: the channel to the bot.
        request: an encoded TryActionsRequest.
        scores: how many scores it asks for.
        patience: how long the bot may take, in seconds.

    Returns the scores. Raises BotFault if the bot does not offer this, and if its answer is not acceptable.
    """
    call: grpc.UnaryUnaryMultiCallable[bytes, bytes]
    call = channel.unary_unary("/arena.v1.Analysis/TryActions")
    try:
        data = call(request, timeout=patience, wait_for_ready=True)
        found = analysis_pb2.TryActionsResponse.FromString(data).scores
    except DecodeError:
        raise BotFault("protocol", "answers TryActions with bytes that are no TryActionsResponse") from None
    except grpc.RpcError as error:
        if isinstance(error, grpc.Call) and error.code() is grpc.StatusCode.UNIMPLEMENTED:
            what = "does not offer to try actions (the service Analysis, bots/REFERENCE.md): give another bot"
            raise BotFault("protocol", what) from None
        raise fault_of_status(error, "does not try actions") from None
    if len(found) != scores:
        raise BotFault("protocol", f"gives {len(found)} scores where {scores} are asked for")
    if not all(0.0 <= score <= 1.0 for score in found):  # not a number is outside, too
        raise BotFault("protocol", "gives a score that is not from 0 to 1")
    return found


def fault_of_status(error: grpc.RpcError, what: str) -> BotFault:
    """The fault of a bot whose call ended with a status.

    Args:
        error: gRPC's error.
        what: what the bot did not do, such as `does not describe itself`.
    """
    if not isinstance(error, grpc.Call):
        return BotFault("disconnect", f"{what}: the connection was lost")  # a status of the serving side
    code = error.code()
    details = str(error.details() or "")[:MAX_DETAILS]
    if any(words in details for words in _NOT_TAKEN):
        return Flood(f"{what}: it breaks HTTP/2, or a limit: {details}")
    reason = _STATUS_REASONS.get(code, "disconnect")
    return BotFault(reason, f"{what}: {code.name}{': ' if details else ''}{details}")
