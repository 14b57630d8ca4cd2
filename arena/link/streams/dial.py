"""Dialling a bot: the channel, and asking the bot what it is."""

from __future__ import annotations

from typing import NamedTuple

import grpc
from google.protobuf.message import DecodeError

from arena.link.wire.convert import WIRE_BY_ENUM
from arena.link.wire.messages import PROTOCOL_VERSION
from arena.names import NAME_LIMIT, name_problem
from arena.results import FAULT_REASONS
from arena.v1 import bot_pb2

Channel = grpc.Channel
"""A connection to a bot, as `open_channel` makes it; for the other parts a thing to hold and close."""

MAX_MESSAGE = 1 << 18
"""The largest message accepted from a bot, in bytes; a batch of a thousand decisions has 10,000."""

MAX_DETAILS = 1000
"""The most characters that are kept of what a bot says of its own failure."""

_CHANNEL_OPTIONS: tuple[tuple[str, int], ...] = (
    ("grpc.max_receive_message_length", MAX_MESSAGE),
    ("grpc.max_metadata_size", 4096),
    ("grpc.absolute_max_metadata_size", 8192),
    ("grpc.compression_enabled_algorithms_bitset", 1),  # plain only: no bombs
    ("grpc.experimental.tcp_max_read_chunk_size", 1 << 16),  # what a flood has in memory at once; 4 MiB else
    ("grpc.enable_retries", 0),
    ("grpc.enable_http_proxy", 0),
    ("grpc.use_local_subchannel_pool", 1),  # nothing is shared between bots
    ("grpc.initial_reconnect_backoff_ms", 50),
    ("grpc.min_reconnect_backoff_ms", 50),
    ("grpc.max_reconnect_backoff_ms", 1000),
)

# What gRPC says of the other end where that sends frames, headers or a message that it does not take.
_NOT_TAKEN = ("Failed parsing HTTP/2", "exceeds hard limit", "larger than max")


class BotFault(Exception):
    """A bot broke the protocol, or cannot be reached.

    Attributes:
        reason: one of `arena.results.FAULT_REASONS`.
        message: what was wrong, one sentence without its full stop. It may
            quote the bot: `arena.text` makes it fit for a terminal.
    """

    def __init__(self, reason: str, message: str) -> None:
        assert reason in FAULT_REASONS, reason
        message = message.encode("utf-8", "backslashreplace").decode()  # a record can hold that
        super().__init__(message)
        self.reason = reason
        self.message = message


class Flood(BotFault):
    """A bot sends what none sends by accident, or without end.

    Args:
        how: what it does, as its own sentence about the bot goes on.
    """

    def __init__(self, how: str) -> None:
        super().__init__("protocol", how)


class BotInfo(NamedTuple):
    """What a bot says it is: see DescribeResponse in the protocol.

    Attributes:
        games: the ids of the games it plays.
        max_tables: how many tables it can play at once, 0 for any number.
    """

    name: str
    version: str
    author: str
    games: tuple[str, ...]
    max_tables: int


# Every gRPC status that a bot can bring about, as a kind of fault; the others are disconnects.
_STATUS_REASONS = {
    grpc.StatusCode.DEADLINE_EXCEEDED: "timeout",
    grpc.StatusCode.RESOURCE_EXHAUSTED: "protocol",
    grpc.StatusCode.INVALID_ARGUMENT: "protocol",
    grpc.StatusCode.UNIMPLEMENTED: "protocol",
    grpc.StatusCode.INTERNAL: "protocol",
    grpc.StatusCode.UNKNOWN: "crash",  # an exception in a Python bot
}


def open_channel(address: str) -> grpc.Channel:
    """A channel of its own to the bot at `host:port` or `unix:/path`, with limits on all a bot may send."""
    options: list[tuple[str, int | str]] = [*_CHANNEL_OPTIONS]
    if address.startswith("unix:"):
        # The socket's path, escaped, is no authority that every HTTP/2 library accepts (Rust's h2 does not).
        options.append(("grpc.default_authority", "localhost"))
    return grpc.insecure_channel(address, options=options)


def describe(channel: grpc.Channel, timeout: float) -> BotInfo:
    """Asks a bot what it is, waiting up to `timeout` seconds for it to come up. Blocks.

    Raises BotFault where it does not answer or its answer is not acceptable.
    """
    ask: grpc.UnaryUnaryMultiCallable[bytes, bytes]
    ask = channel.unary_unary("/arena.v1.Bot/Describe")  # plain bytes: gRPC prints what it cannot decode
    request = bot_pb2.DescribeRequest(protocol_version=PROTOCOL_VERSION)
    try:
        data = ask(request.SerializeToString(), timeout=timeout, wait_for_ready=True)
        return info_of(bot_pb2.DescribeResponse.FromString(data))
    except grpc.RpcError as error:
        raise fault_of_status(error, "does not describe itself") from None
    except DecodeError:
        raise BotFault("protocol", "describes itself in what is no DescribeResponse") from None


def info_of(answer: bot_pb2.DescribeResponse) -> BotInfo:
    """What a bot says it is, checked. Raises BotFault for what is not acceptable."""
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
    ):
        problem = name_problem(text, limit) if text or what == "name" else None
        if problem is not None:
            raise BotFault("protocol", f"describes itself with a wrong {what}: {problem}")
    games = tuple(WIRE_BY_ENUM[number].game_id for number in answer.games if number in WIRE_BY_ENUM)
    return BotInfo(answer.name, answer.version, answer.author, games, answer.max_tables)


def fault_of_status(error: grpc.RpcError, what: str) -> BotFault:
    """The fault of a bot whose call ended with a status.

    Args:
        error: what gRPC raised.
        what: what the bot did not do, such as `does not describe itself`.
    """
    if not isinstance(error, grpc.Call):
        return BotFault("disconnect", f"{what}: the connection was lost")  # on the serving side
    code = error.code()
    details = str(error.details() or "")[:MAX_DETAILS]
    if any(words in details for words in _NOT_TAKEN):
        return Flood(f"{what}: it breaks HTTP/2, or a limit: {details}")
    reason = _STATUS_REASONS.get(code, "disconnect")
    return BotFault(reason, f"{what}: {code.name}{': ' if details else ''}{details}")
