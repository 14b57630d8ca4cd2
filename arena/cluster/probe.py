"""Checks a scheduler before dask connects to it: dask tries for long, and says little of what is wrong."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import ssl
from typing import Any

from arena.cluster.address import Unreachable, local_workers
from arena.text import one_line

REACH = 15.0
"""Seconds in which a scheduler has to answer at first."""

_SILENT = 3.0  # seconds after which it is asked whether it waits for TLS
_LONGEST_GREETING = 1 << 20  # bytes; dask's begins with its length
_SECURE = {"tls", "wss"}
_VARIABLES = (
    "DASK_DISTRIBUTED__COMM__TLS__CA_FILE, DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT and "
    "DASK_DISTRIBUTED__COMM__TLS__CLIENT__KEY"
)


async def probe(where: str) -> None:
    """Returns when a dask scheduler greets us at an address.

    Raises Unreachable where nobody listens there, somebody else does, or we are not let in.
    """
    scheme, host, port = _parts(where)
    context = _certificates(where) if scheme in _SECURE else None
    try:
        async with asyncio.timeout(REACH):
            greeting = await _greeting(host, port, context, greets=scheme in ("tcp", "tls"))
    except _WaitsForTls:
        raise Unreachable(
            f"the scheduler of the cluster {where} is reached by TLS alone: write tls://{host}:{port}, and "
            f"name your certificate by {_VARIABLES}"
        ) from None
    except ssl.SSLCertVerificationError as error:
        raise Unreachable(
            f"the scheduler of the cluster {where} has a certificate that is not known here "
            f"({error.verify_message}): give it and DASK_DISTRIBUTED__COMM__TLS__CA_FILE the same one"
        ) from None
    except ssl.SSLError as error:
        if "ALERT" in (error.reason or ""):
            raise _refused(where) from None
        raise Unreachable(
            f"the scheduler of the cluster {where} does not speak TLS: start it with --protocol tls and a "
            f"certificate, or write tcp://{host}:{port} where nobody else is in the network"
        ) from None
    except OSError as error:  # TimeoutError is one
        if context is not None and isinstance(error, ConnectionResetError):
            raise _refused(where) from None
        raise unreachable(where, error) from None
    if context is not None and greeting == b"":
        raise _refused(where)
    if greeting is not None and int.from_bytes(greeting, "little") not in range(1, _LONGEST_GREETING):
        raise Unreachable(
            f"at {where} there is something else than a dask scheduler: give the address that dask scheduler "
            "prints"
        )


def unreachable(where: str, error: BaseException) -> Unreachable:
    """What is said where a scheduler cannot be reached, for whatever reason."""
    return Unreachable(
        f"the scheduler of the cluster {where} cannot be reached ({words_of(error)}): start one by dask "
        "scheduler and give its address, or play on this machine by --cluster local:N"
    )


def gone(where: str, error: BaseException | None) -> str:
    """What is said of a scheduler that was there, and is not there any more; without the sentence's end."""
    # dask raises a RuntimeError of its own where it gave the connection up before, which tells nothing.
    why = "" if error is None or isinstance(error, RuntimeError) else f" ({words_of(error)})"
    then = "look at what has ended it" if local_workers(where) else "start it again"
    return f"the scheduler of the cluster {where} is gone{why}: {then}"


def none_yet(where: str) -> str:
    """What is said of a cluster whose workers have not come."""
    if local_workers(where):
        return f"the workers of the cluster {where} are not up yet"
    return f"the cluster has no worker yet; start some by dask worker {where}"


def words_of(error: BaseException) -> str:
    """What people are told of an error, which dask may have wrapped in another."""
    while not getattr(error, "errno", None) and isinstance(error.__cause__, Exception):
        error = error.__cause__
    if isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno) if error.errno > 0 else str(error.strerror)
    if isinstance(error, TimeoutError):
        return "no answer"
    return one_line(str(error).partition("\n")[0]) or type(error).__name__


class _WaitsForTls(Exception):
    """Whoever listens wants TLS."""


def _refused(where: str) -> Unreachable:
    return Unreachable(
        f"the scheduler of the cluster {where} does not let us in by our certificate: name by {_VARIABLES} "
        "the one that it was started with"
    )


def _parts(where: str) -> tuple[str, str, int]:
    scheme, _, place = where.rpartition("://")
    host, _, port = place.rpartition(":")
    return scheme or "tcp", host.strip("[]"), int(port)


def _certificates(where: str) -> ssl.SSLContext:
    """What dask is configured to open TLS with. Raises Unreachable."""
    import distributed

    security: Any = distributed
    try:
        context: ssl.SSLContext | None = security.Security().get_connection_args("client")["ssl_context"]
    except (OSError, ValueError) as error:
        raise Unreachable(
            f"the certificate for the cluster {where} cannot be used ({_told(error)}): look at the files "
            f"that {_VARIABLES} name"
        ) from None
    if context is None:
        raise Unreachable(
            f"the cluster {where} is reached by TLS, and no certificate is named here: name it by "
            f"{_VARIABLES}"
        )
    return context


def _told(error: Exception) -> str:
    """The same as `words_of`, for what the TLS library raises: its own words."""
    if isinstance(error, ssl.SSLError):
        return re.sub(r"_", " ", error.reason or "").lower() or "no certificate"
    return words_of(error)


async def _greeting(host: str, port: int, context: ssl.SSLContext | None, greets: bool) -> bytes | None:
    """The first bytes of a scheduler; none where it hangs up, None where it does not speak first."""
    reader, writer = await asyncio.open_connection(host, port, ssl=context)
    try:
        if not greets:
            return None
        reading = asyncio.ensure_future(reader.read(8))
        await asyncio.wait({reading}, timeout=_SILENT)
        if not reading.done() and context is None and await _speaks_tls(host, port):
            reading.cancel()
            raise _WaitsForTls
        return await reading
    finally:
        writer.close()
        with contextlib.suppress(OSError):  # how it ended has been said
            await writer.wait_closed()


async def _speaks_tls(host: str, port: int) -> bool:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        async with asyncio.timeout(_SILENT):
            _, writer = await asyncio.open_connection(host, port, ssl=context)
    except (OSError, ValueError):
        return False
    writer.close()
    return True
