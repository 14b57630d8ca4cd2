"""A client of a dask scheduler. It knows nothing of games, and may be used in any thread."""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import socket
import ssl
import uuid
import warnings
from collections.abc import Collection
from importlib.metadata import version
from typing import Any

import dask
import distributed

from arena.referee.cluster import worker
from arena.referee.cluster.address import Unreachable, local_workers, require_cluster
from arena.referee.cluster.bundle import Bundle
from arena.referee.cluster.local import LocalCluster
from arena.referee.cluster.messages import WorkerInfo
from arena.referee.cluster.received import BundlePlugin
from arena.text import one_line

_REACH = 15.0  # seconds in which a scheduler has to give its first answer
_ANSWER = 60.0  # seconds in which it has to give later answers
_CLOSING = 10.0  # seconds
_LONGEST_GREETING = 1 << 20  # bytes; a scheduler's begins with its length

_VARIABLES = (
    "DASK_DISTRIBUTED__COMM__TLS__CA_FILE, DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT and "
    "DASK_DISTRIBUTED__COMM__TLS__CLIENT__KEY"
)
_CONFIGURATION = {
    "distributed.admin.large-graph-warning-threshold": "1GiB",
    "distributed.comm.timeouts.connect": f"{_REACH:.0f}s",
}


class Client:
    """A connection to a cluster. To be opened and closed outside of trio.

    Args:
        where: the scheduler's address, or `local:N`.
        patience: how many seconds the scheduler may take to answer at first.

    Attributes:
        run: a unique name of this connection.

    Raises Unreachable.
    """

    def __init__(self, where: str, patience: float = _REACH) -> None:
        require_cluster(where)
        self.where = where
        self.run = uuid.uuid4().hex
        self._bundles: list[str] = []  # the names of the plugins that send them
        _silence()
        dask.config.set(_CONFIGURATION)
        with contextlib.ExitStack() as stack:
            try:
                self._dask = self._connected(stack, patience)
                engine = self._ask(self._dask.scheduler.versions)["packages"].get("distributed")
            except Exception as error:  # noqa: BLE001 - whatever dask raises
                raise Unreachable(
                    f"the scheduler of the cluster {where} cannot be reached ({words_of(error)}): start one "
                    "by dask scheduler and give the address that it prints, or play on this machine by "
                    f"--cluster local:N; a scheduler at tls:// takes the certificate that {_VARIABLES} name"
                ) from None
            if engine != (own := version("distributed")):
                raise Unreachable(
                    f"the scheduler of the cluster {where} has distributed {engine}, and here is {own}: "
                    f"install distributed=={own} there, and at its workers"
                )
            self._open = stack.pop_all()

    def _connected(self, stack: contextlib.ExitStack, patience: float) -> Any:
        """Connects dask's client; starts a cluster on this machine for `local:N`."""
        place, security = self.where, None
        if workers := local_workers(self.where):
            local = stack.enter_context(contextlib.closing(LocalCluster(workers)))
            place, security = local.address, local.security
        else:
            _check(place, patience)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as of versions that differ
            client = distributed.Client(  # type: ignore[no-untyped-call]
                place, security=security, timeout=patience, set_as_default=False
            )
        stack.callback(client.close, _CLOSING)
        return client

    def close(self) -> None:
        """Releases the bots at the workers, closes the connection, and ends what was started for it."""
        if self._dask.status == "running":
            with contextlib.suppress(Exception):  # such as of workers that cannot be used, or end
                self._ask(self._leave, _CLOSING)
        self._open.close()

    async def _leave(self) -> None:
        for name in self._bundles:
            await self._dask.unregister_worker_plugin(name)
        await self._dask.run(worker.leave, self.run, on_error="ignore")

    def _ask(self, function: Any, limit: float = _ANSWER) -> Any:
        """Calls a function of dask and returns its result. Raises TimeoutError, and what dask raises."""
        return self._dask.sync(function, callback_timeout=limit)

    def addresses(self) -> set[str]:
        """The addresses of the running workers. Raises what dask raises if the scheduler is gone."""
        workers = self._ask(self._dask.scheduler.identity)["workers"]
        return {address for address, each in workers.items() if each.get("status") in (None, "running")}

    def facts(self, address: str) -> WorkerInfo:
        """Asks a worker for its versions and machine. Raises what another installation raises."""
        facts: WorkerInfo = pickle.loads(self._dask.run(worker.facts, workers=[address])[address])
        return facts

    def begin(self, data: bytes, workers: Collection[str]) -> Any:
        """Submits a batch to some workers, of which dask chooses one; returns dask's future."""
        return self._dask.submit(worker.ask, data, pure=False, workers=list(workers))

    def keep(self, bundle: Bundle) -> None:
        """Sends a bundle to all workers, including later ones; some may not have it yet when this returns."""
        name = f"arena-{self.run}-{bundle.digest}"
        self._bundles.append(name)
        # A worker that ends, hangs or cannot be used fails here; the others get the bundle anyway.
        with contextlib.suppress(Exception):
            plugin = BundlePlugin(*bundle)
            self._dask.sync(self._dask.register_plugin, plugin, name, callback_timeout=_ANSWER)


def _check(address: str, patience: float) -> None:
    """Raises an error if no scheduler can be reached at an address.

    dask itself would retry if nobody listens, and wait for ever if nobody answers. It would leave its
    connection open if another program answers, or if no certificate is configured.
    """
    scheme, _, place = address.rpartition("://")
    host, _, port = place.rpartition(":")
    context: ssl.SSLContext | None = None
    if scheme in ("tls", "wss"):
        security: Any = distributed.Security()  # type: ignore[no-untyped-call]
        context = security.get_connection_args("client")["ssl_context"]
        if context is None:
            raise ConnectionError("no certificate is named")
    stream = socket.create_connection((host.strip("[]"), int(port)), patience)
    with stream if context is None else context.wrap_socket(stream) as connection:
        if scheme not in ("ws", "wss"):
            greeting = connection.recv(8)
            if int.from_bytes(greeting, "little") not in range(1, _LONGEST_GREETING):
                raise ConnectionError("another program answers, not a dask scheduler")


def _silence() -> None:
    """Turns dask's logging off: the arena reports errors in its own words."""
    for name in ("distributed", "tornado", "asyncio", *logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("distributed", "tornado", "asyncio"):  # some have levels of their own
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def words_of(error: BaseException) -> str:
    """An error in words for people; dask may have wrapped it in another error."""
    while isinstance(error.__cause__, Exception) and not getattr(error, "errno", None):
        error = error.__cause__
    if isinstance(error, ssl.SSLCertVerificationError):
        return error.verify_message
    if isinstance(error, ssl.SSLError):
        return (error.reason or "TLS failed").replace("_", " ").lower()
    if isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno) if error.errno > 0 else str(error.strerror)
    if isinstance(error, TimeoutError):
        return "no answer"
    return one_line(str(error).partition("\n")[0]) or type(error).__name__
