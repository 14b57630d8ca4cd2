"""The referee's side of the door: starts its process, talks to it over pipes, and ends it."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence

from arena.link.lobby.door import News, Order, Orders
from arena.link.tls.identity import Serving
from arena.processes.loading import await_end, program_of

_ANSWER_LIMIT = 5.0  # seconds in which a living door answers
_END_LIMIT = 5.0  # seconds in which the door ends when its input does
_STEADY = 10.0  # seconds after which a door that ends is started again at once
_FIRST_PAUSE = 0.1  # seconds before a door that ended sooner is started again
_LONGEST_PAUSE = 10.0  # the most, if it ends again and again


class CannotListen(Exception):
    """The lobby's address cannot be listened on; the text is one sentence with the remedy."""


class DoorProcess:
    """The process of the door (see `arena.link.lobby.door`), which is started again if it ends by itself.

    Args:
        server: the path of the Unix socket of the lobby's gRPC server, in a
            folder of its own, which the door removes at its end.
        digests: the digests of the tokens.
        on_refusal: called, in a thread of its own, with a phrase about each
            refused client.
        on_flood: called, in that thread, for a guest that floods its connection, with the
            digest of its token and the number of bytes that it has sent.
    """

    def __init__(
        self,
        server: str,
        digests: Iterable[str],
        on_refusal: Callable[[str], None],
        on_flood: Callable[[str, int], None],
    ) -> None:
        self._server = server
        self._digests = list(digests)
        self._on_refusal = on_refusal
        self._on_flood = on_flood
        self._processors = list(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
        self._tls: Serving | None = None
        self._process: subprocess.Popen[str] | None = None
        self._closing = threading.Event()
        self._asked: deque[queue.SimpleQueue[bool]] = deque()  # one for each answer that is due, in order
        self._lock = threading.Lock()

    def open(self, address: str, tls: Serving | None) -> int:
        """Listens at `host:port`; returns the port. Blocks for a moment. Raises CannotListen.

        Args:
            address: where.
            tls: the server's TLS settings, with which all clients must speak TLS; None for no TLS.
        """
        self._tls = tls
        process, port = self._start(address)
        at_port = f"{address.rpartition(':')[0]}:{port}"
        threading.Thread(target=self._listen, args=(process, at_port), name="arena-door", daemon=True).start()
        return port

    def change(self, old: Iterable[str], digest: str) -> None:
        """From now on the door accepts one more token, and no longer the old ones."""
        with self._lock:
            before = self._digests
            self._digests = [each for each in before if each not in {*old}] + [digest]
            if self._process is not None:  # else its successor gets all tokens when it has started
                self._tell(self._process, before)

    def _tell(self, process: subprocess.Popen[str], before: Sequence[str]) -> None:
        """Tells a door of the tokens that have changed; to be called with the lock."""
        orders: list[Order] = [{"refuse": each} for each in before if each not in self._digests]
        orders += [{"accept": each} for each in self._digests if each not in before]
        with contextlib.suppress(OSError):  # it has ended; its successor gets all tokens
            _send(process, *orders)

    def liveness_check(self) -> Callable[[], bool]:
        """A function that tells later whether this door is still running; it waits for the answer."""
        process = self._process
        return lambda: self._is_there(process)

    def _is_there(self, process: subprocess.Popen[str] | None) -> bool:
        answer: queue.SimpleQueue[bool] = queue.SimpleQueue()
        with self._lock:
            if process is None or process is not self._process or process.stdin is None:
                return process is None  # without a door the lobby's server itself listens
            self._asked.append(answer)  # first: the answer can come at once
            try:
                _send(process, {"answer": True})
            except (OSError, ValueError):  # it has ended
                self._asked.remove(answer)
                return False
        try:
            return answer.get(timeout=_ANSWER_LIMIT)
        except queue.Empty:
            return False

    def close(self) -> None:
        """Ends the door after the last bytes have gone through. Blocks."""
        with self._lock:
            self._closing.set()
            process = self._process
        if process is not None:
            _end(process)

    def _start(self, address: str) -> tuple[subprocess.Popen[str], int]:
        process = subprocess.Popen(
            program_of("arena.link.lobby.door"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,  # Ctrl-C is for the referee
        )
        assert process.stdin is not None
        assert process.stdout is not None
        tls, digests = self._tls, self._digests
        orders = Orders(
            address=address,
            server=self._server,
            tokens=digests,
            processors=self._processors,
            certificate=str(tls.identity.certificate) if tls else "",
            key=str(tls.identity.key) if tls else "",
            client_ca=str(tls.client_ca or "") if tls else "",
        )
        with contextlib.suppress(BrokenPipeError):
            _send(process, orders)
        first = process.stdout.readline()
        news: News = json.loads(first) if first else {"trouble": "it ended"}
        if "port" not in news:
            _end(process)
            process.stdout.close()
            raise CannotListen(
                f"the lobby cannot listen on {address} ({news['trouble']}): "
                "another program may, so give it another address"
            )
        with self._lock:
            self._process = process
            self._tell(process, digests)
        return process, news["port"]

    def _listen(self, process: subprocess.Popen[str], address: str) -> None:
        """The thread that reads the door's lines, and starts the door again if it was ended.

        Nobody else waits while it starts a door. A door that ends again and again is started after longer and
        longer pauses.
        """
        pause = 0.0
        while True:
            began = time.monotonic()
            assert process.stdout is not None
            with process.stdout as lines:
                for line in lines:
                    self._hear(json.loads(line))
            with self._lock:
                while self._asked:
                    self._asked.popleft().put(False)
                if self._closing.is_set():
                    return
                self._process = None
            _end(process)
            steady = time.monotonic() - began >= _STEADY
            pause = 0.0 if steady else min(max(_FIRST_PAUSE, 2 * pause), _LONGEST_PAUSE)
            while True:
                if self._closing.wait(pause):
                    return
                try:
                    process, _ = self._start(address)
                    break
                except OSError:  # too little memory, or too many processes
                    pause = min(max(_FIRST_PAUSE, 2 * pause), _LONGEST_PAUSE)
                except CannotListen as problem:
                    self._on_refusal(str(problem))
                    return
            if self._closing.is_set():
                _end(process)

    def _hear(self, news: News) -> None:
        match news:
            case {"flooded": digest, "size": size}:
                self._on_flood(digest, size)
            case {"refused": phrase}:
                self._on_refusal(phrase)
            case _:
                self._asked.popleft().put(True)


def _send(process: subprocess.Popen[str], *lines: Orders | Order) -> None:
    """Raises OSError, and ValueError if its input is closed."""
    assert process.stdin is not None
    for line in lines:
        process.stdin.write(json.dumps(line) + "\n")
    process.stdin.flush()


def _end(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError):
        process.stdin.close()
    await_end(process, _END_LIMIT)
