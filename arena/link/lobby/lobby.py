"""The lobby: the gRPC server that guests dial (service Lobby of the protocol).

Guests reach it through the door (`arena.link.lobby.door`), a process that lets in only clients
with a token. So every connection here belongs to an entrant's author or the author's friends,
and there are few.
"""

from __future__ import annotations

import dataclasses
import queue
import threading
import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NoReturn

import grpc
from google.protobuf.message import DecodeError

from arena.games import does_not_play
from arena.link.lobby.door import INSIDE
from arena.link.lobby.door_process import CannotListen, DoorProcess
from arena.link.lobby.tickets import Ticket, new_token, token_digest
from arena.link.local.process import GUARDED
from arena.link.streams.bot_fault import BotFault, Flood
from arena.link.streams.dial import MAX_DETAILS, MAX_MESSAGE, BotInfo, bytes_in, info_of, request_for_bytes
from arena.link.streams.stream import PlayStream
from arena.link.streams.trio_thread import in_trio
from arena.link.tls.channel import add_port
from arena.link.tls.identity import Serving
from arena.link.wire import PROTOCOL_VERSION
from arena.link.wire.codec import embedded, field_tag
from arena.temporary import temporary_folder
from arena.v1 import bot_pb2, lobby_pb2

GONE_WITHIN = 12.0
"""How long a second connection waits for the first to turn out dead, in seconds; keepalive takes 10."""

_LATE = 100  # how many bots may be added later
_EARLY = 2.0  # seconds in which a guest comes here after the door has let it in and counted a flood
_NOTICE_AFTER = 0.5  # seconds in which a broken connection usually ends
_ENDED_WITHIN = 10.0  # seconds in which cancelled calls end, unless the system had no thread for one
_KEEPALIVE = 5000  # milliseconds between pings, and for their answer
_SERVER_OPTIONS: tuple[tuple[str, int], ...] = (
    ("grpc.max_concurrent_streams", 1),
    ("grpc.max_receive_message_length", MAX_MESSAGE),
    ("grpc.max_metadata_size", 4096),
    ("grpc.absolute_max_metadata_size", 8192),
    ("grpc.keepalive_time_ms", _KEEPALIVE),
    ("grpc.keepalive_timeout_ms", _KEEPALIVE),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 1000),
    ("grpc.http2.max_ping_strikes", 0),
)
_UNKNOWN = "unknown token: ask the host for the current one"
_REPLACED = "the token was replaced: ask the host for the current one"
_PLAY_TAG = field_tag(lobby_pb2.JoinResponse, "play")


class Guest:
    """A bot that has dialled in, with its connection.

    Attributes:
        info: its description of itself.
        replaced: whether its token is no longer valid.
        has_door: tells whether the door through which it came is still running; blocks.
    """

    def __init__(
        self,
        info: BotInfo,
        requests: Iterator[bytes],
        context: grpc.ServicerContext,
        has_door: Callable[[], bool],
    ) -> None:
        self.info = info
        self.has_door = has_door
        self.replaced = False
        self._requests = requests
        self._context = context
        self._streams: queue.SimpleQueue[PlayStream | None] = queue.SimpleQueue()
        self._stream: PlayStream | None = None
        self._answers: queue.SimpleQueue[bot_pb2.DescribeResponse] = queue.SimpleQueue()
        self._asked = False
        self._flood: BotFault | None = None
        context.add_callback(lambda: self._streams.put(None))

    def take_up(self, stream: PlayStream) -> None:
        """Plays through this connection from now on."""
        self._stream = stream
        if self._flood is not None:
            stream.cut(self._flood)
            return
        stream.read_in_thread(_responses(self._requests, self._described), self._context.cancel)
        self._streams.put(stream)
        if self.replaced:
            stream.break_off()

    def evict(self) -> None:
        """Ends the connection because its token is no longer valid; in any thread."""
        self.replaced = True
        self._streams.put(None)
        if self._stream is not None:
            self._stream.break_off()

    def cut(self, fault: BotFault) -> None:
        """Ends the connection for a fault, even before `take_up`; in any thread."""
        self._flood = fault
        if self._stream is not None:
            self._stream.cut(fault)
        self._context.cancel()

    def bytes_for_deals(self, pledge: bytes, commitment: bytes, pledges: bytes, timeout: float) -> bytes:
        """Asks the bot for the bytes that it pledged; waits up to `timeout` seconds. Blocks.

        To be called once, after `take_up`. Raises BotFault if the bot does not give them.
        """
        assert self._stream is not None
        self._asked = True
        request = request_for_bytes(commitment, pledges)
        self._stream.say(lobby_pb2.JoinResponse(describe=request).SerializeToString())
        try:
            return bytes_in(self._answers.get(timeout=timeout), pledge)
        except queue.Empty:
            raise BotFault("timeout", f"did not give the bytes that it pledged in {timeout:.0f} s") from None

    def _described(self, answer: bot_pb2.DescribeResponse) -> None:
        """Takes a second description from the bot. Raises BotFault if the bot was not asked."""
        if not self._asked:
            raise BotFault("protocol", "describes itself again though it was not asked")
        self._asked = False
        self._answers.put(answer)

    def stream(self) -> PlayStream | None:
        """Waits for `take_up`, in the connection's own thread; None if the bot leaves meanwhile."""
        return self._streams.get()


def _responses(
    requests: Iterator[bytes], on_description: Callable[[bot_pb2.DescribeResponse], None]
) -> Iterator[bytes]:
    """The encoded PlayResponses in a bot's JoinRequests."""
    for data in requests:
        try:
            request = lobby_pb2.JoinRequest.FromString(data)
        except DecodeError:
            raise BotFault("protocol", "a message is not a JoinRequest") from None
        if request.WhichOneof("kind") == "failure":
            raise BotFault("crash", f"broke off the stream: {request.failure.message[:MAX_DETAILS]}")
        if request.WhichOneof("kind") == "description":
            on_description(request.description)
            continue
        if request.WhichOneof("kind") != "play":
            raise BotFault("protocol", "a message after the hello has no play response")
        yield request.play.SerializeToString()


@dataclasses.dataclass
class _Kind:
    """A reported event, and how often it was repeated since."""

    timer: threading.Timer
    count: int = 0
    sentence: str = ""


class Repeats:
    """Limits repeated messages: reports the first of a kind at once, the others every ten seconds.

    Its methods may be called in any thread.

    Args:
        say: called, in any thread, with the message.
        period: how long repetitions are counted before they are reported, in seconds.
    """

    def __init__(self, say: Callable[[str], None], period: float = 10.0) -> None:
        self._say = say
        self._period = period
        self._lock = threading.Lock()
        self._kinds: dict[Hashable, _Kind] = {}

    def tell(self, kind: Hashable, sentence: str) -> None:
        """Reports an event.

        Args:
            kind: events of the same kind are repetitions; there must be few kinds.
            sentence: the message, without its full stop.
        """
        with self._lock:
            known = self._kinds.get(kind)
            if known is None:
                self._begin_period(kind)
            else:
                known.count += 1
                known.sentence = sentence
        if known is None:
            self._say(sentence)

    def close(self) -> None:
        """Reports the repetitions that were not reported yet."""
        with self._lock:
            kinds = list(self._kinds)
        for kind in kinds:
            self._end_period(kind, last=True)

    def _begin_period(self, kind: Hashable) -> None:
        timer = threading.Timer(self._period, self._end_period, [kind])
        timer.daemon = True
        self._kinds[kind] = _Kind(timer)
        timer.start()

    def _end_period(self, kind: Hashable, last: bool = False) -> None:
        with self._lock:
            over = self._kinds.pop(kind, None)
            if over is None:
                return
            over.timer.cancel()
            if over.count and not last:
                self._begin_period(kind)
        if over.count:
            self._say(f"{over.sentence} ({over.count:,} more in the last {self._period:.0f} s)")


def _hello_in(requests: Iterator[bytes]) -> lobby_pb2.JoinHello:
    """The hello at the beginning of a stream; an empty one if the stream begins with something else."""
    try:
        return lobby_pb2.JoinRequest.FromString(next(requests)).hello
    except (DecodeError, StopIteration):
        return lobby_pb2.JoinHello()


class Lobby:
    """The referee's server for guests.

    Guests come through the door (see `arena.link.lobby.door`), which needs a POSIX
    system. On other systems the server itself listens, and a crowd can keep guests out.

    Args:
        tournament: the tournament's name.
        games: the ids of its games.
        tickets: the tickets by the digests of their tokens.
        refusal: returns why a player's bot is refused, as the end of a sentence about the bot, or None if it
            may come in; called in the connection's own thread.
        on_arrival: called in trio's thread with the player's number and its guest.
        on_refusal: called in trio's thread with one sentence about a refused
            client, or about several if it is repeated.
        on_wait: called in the same way about a bot that waits, because its seat is taken.
        commitment: to the deals, if bots are asked to put bytes into them.
        on_spent: called in the connection's own thread when a token that works
            once was used, with the player's number and the digest of the token that
            replaces it; the bot gets that token when this returns.
    """

    def __init__(
        self,
        tournament: str,
        games: Sequence[str],
        tickets: Mapping[str, Ticket],
        refusal: Callable[[int], str | None],
        on_arrival: Callable[[int, Guest], None],
        on_refusal: Callable[[str], None],
        on_wait: Callable[[str], None],
        commitment: bytes = b"",
        on_spent: Callable[[int, str], None] = lambda player, digest: None,
    ) -> None:
        self._tournament = tournament
        self._games = games
        self._commitment = commitment
        self._tickets = dict(tickets)
        self._changing = threading.Lock()  # held to change `_tickets`
        self._on_spent = on_spent
        self._refusal = refusal
        self._on_arrival = in_trio(on_arrival)
        self._refusals = Repeats(in_trio(on_refusal))
        self._waits = Repeats(in_trio(on_wait))
        self._seats = {ticket.player: threading.Lock() for ticket in tickets.values()}
        self._connections: dict[int, Guest] = {}  # by player; some may be dead, or not welcomed yet
        self._early_floods: dict[int, tuple[Flood, float]] = {}  # of bots that are about to come in, and when
        self._folder = temporary_folder()
        self._socket = Path(self._folder.name, "lobby.sock")
        self._door = DoorProcess(
            str(self._socket),
            tickets,
            lambda sentence: self._refusals.tell(sentence, sentence),
            self._cut_off,
        )
        most = INSIDE * (len(tickets) + _LATE)
        self._server = grpc.server(
            ThreadPoolExecutor(max_workers=most), options=_SERVER_OPTIONS, maximum_concurrent_rpcs=most
        )
        handler: grpc.RpcMethodHandler[bytes, bytes]
        handler = grpc.stream_stream_rpc_method_handler(self._join)  # plain bytes both ways
        self._server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler("arena.v1.Lobby", {"Join": handler}),)
        )

    def start(self, address: str, tls: Serving | None = None) -> int:
        """Begins to listen at `host:port`; returns the port. Blocks for a moment. Raises CannotListen.

        Args:
            address: where.
            tls: the server's TLS settings, with which all bots must speak TLS; None for no TLS.
        """
        if not GUARDED:
            return self._start_without_door(address, tls)
        self._server.add_insecure_port(f"unix:{self._socket}")
        self._server.start()
        try:
            return self._door.open(address, tls)
        except CannotListen:
            self.stop(0)
            raise

    def _start_without_door(self, address: str, tls: Serving | None) -> int:
        try:
            port = add_port(self._server, address, tls)
        except RuntimeError:
            raise CannotListen(
                f"the lobby cannot listen on {address}: another program may, so give it another address"
            ) from None
        self._server.start()
        return port

    def stop(self, grace: float) -> None:
        """Stops the server, and ends the connections that are still open after `grace` seconds. Blocks."""
        self._server.stop(grace).wait(grace + _ENDED_WITHIN)
        self._door.close()
        self._refusals.close()
        self._waits.close()
        self._folder.cleanup()

    def expect(self, player: int) -> None:
        """Makes a seat for one more bot, which may dial in once it has a token."""
        self._seats.setdefault(player, threading.Lock())

    def give(self, digest: str, ticket: Ticket) -> None:
        """Replaces a player's tokens by this one; a bot that came with another token has to leave.

        Args:
            digest: the token's digest.
            ticket: the token's meaning.
        """
        self._change(digest, ticket)
        guest = self._connections.get(ticket.player)
        if guest is not None:
            guest.evict()

    def _change(self, digest: str, ticket: Ticket) -> None:
        with self._changing:
            old = [each for each, known in self._tickets.items() if known.player == ticket.player]
            for each in old:
                del self._tickets[each]
            self._tickets[digest] = ticket
        self._door.change(old, digest)

    def _cut_off(self, digest: str, size: int) -> None:
        """Ends a guest's connection after the door has counted too many bytes."""
        ticket = self._tickets.get(digest)
        if ticket is None:
            return
        flood = Flood(f"floods its connection: {size:,} bytes, many times what its answers take")
        guest = self._connections.get(ticket.player)
        if guest is not None:
            guest.cut(flood)
        else:
            self._early_floods[ticket.player] = flood, time.monotonic()

    def _join(self, requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        """Serves one connection, in a thread of its own."""
        hello = _hello_in(requests)
        digest = token_digest(hello.token)
        ticket = self._tickets.get(digest)
        if ticket is None:  # a connection's second stream: the door has checked the first
            context.abort(grpc.StatusCode.UNAUTHENTICATED, _UNKNOWN)
        try:
            info = info_of(hello.description)
        except BotFault as fault:
            self._refuse(context, ticket, grpc.StatusCode.FAILED_PRECONDITION, fault.message)
        if problem := does_not_play(self._games, info.games):
            problem += ", which this tournament has"
            self._refuse(context, ticket, grpc.StatusCode.FAILED_PRECONDITION, problem)
        why = self._refusal(ticket.player)
        if why is not None:
            self._refuse(context, ticket, grpc.StatusCode.FAILED_PRECONDITION, f"{why}: ask the host")
        seat = self._seats[ticket.player]
        if not seat.acquire(timeout=_NOTICE_AFTER) and not self._is_gone(ticket, seat):
            self._refuse(
                context,
                ticket,
                grpc.StatusCode.ALREADY_EXISTS,
                "is connected already: end the other bot first, or get a token of your own",
            )
        try:
            guest = Guest(info, requests, context, self._door.liveness_check())
            self._connections[ticket.player] = guest
            if self._tickets.get(digest) is not ticket:  # it was replaced, or used up, meanwhile
                context.abort(grpc.StatusCode.UNAUTHENTICATED, _UNKNOWN)
            flood, when = self._early_floods.pop(ticket.player, (None, 0.0))
            if flood is not None and time.monotonic() < when + _EARLY:
                guest.cut(flood)
            self._on_arrival(ticket.player, guest)  # also for a guest that leaves before its welcome
            yield lobby_pb2.JoinResponse(
                welcome=lobby_pb2.JoinWelcome(
                    protocol_version=PROTOCOL_VERSION,
                    tournament=self._tournament,
                    entrant=ticket.name,
                    commitment=self._commitment,
                    return_token=self._spend(ticket) if ticket.once else "",
                )
            ).SerializeToString()
            stream = guest.stream()
            if stream is not None:
                yield from stream.requests(lambda data: embedded(_PLAY_TAG, data))
            if guest.replaced:
                context.abort(grpc.StatusCode.UNAUTHENTICATED, _REPLACED)
            if stream is not None and stream.stopped:
                context.abort(grpc.StatusCode.UNAVAILABLE, "the referee stops, and may go on")
        finally:
            self._connections.pop(ticket.player, None)
            seat.release()

    def _spend(self, ticket: Ticket) -> str:
        """Replaces a token that works once by a new one, and returns that."""
        token = new_token()
        self._on_spent(ticket.player, token_digest(token))
        self._change(token_digest(token), ticket._replace(once=False))
        return token

    def _is_gone(self, ticket: Ticket, seat: threading.Lock) -> bool:
        """Waits whether an entrant's first connection is dead; if so, takes its seat for the new one."""
        self._waits.tell(
            ticket.name,
            f"another bot dials in as {ticket.name}: "
            f"waiting up to {GONE_WITHIN:.0f} s to see whether the other connection is dead",
        )
        return seat.acquire(timeout=GONE_WITHIN)

    def _refuse(
        self, context: grpc.ServicerContext, ticket: Ticket, code: grpc.StatusCode, what: str
    ) -> NoReturn:
        sentence = f"{ticket.name} {what}"
        self._refusals.tell((ticket.player, code), sentence)
        context.abort(code, sentence)
        raise AssertionError("abort raises")
