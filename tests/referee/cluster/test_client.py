"""If a scheduler cannot be reached, the error is one sentence with the remedy."""

from __future__ import annotations

import asyncio
import contextlib
import errno
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

distributed = pytest.importorskip("distributed", reason="needs the extra cluster")

import dask  # noqa: E402 - which comes with it
from distributed.comm.core import CommClosedError  # noqa: E402

from arena.referee.cluster import client  # noqa: E402
from arena.referee.cluster.address import Unreachable  # noqa: E402
from tests.patience import PATIENCE  # noqa: E402


def certificate(folder: Path, name: str) -> dict[str, str]:
    """A certificate with its key in files; the engine's settings of who is to use it."""
    made = distributed.Security.temporary()
    place, key = folder / f"{name}.pem", folder / f"{name}-key.pem"
    place.write_text(made.tls_ca_file)
    key.write_text(made.tls_client_key)
    return {"ca-file": str(place), "client.cert": str(place), "client.key": str(key)}


def settings(files: dict[str, str]) -> contextlib.AbstractContextManager[object]:
    return dask.config.set({f"distributed.comm.tls.{name}": file for name, file in files.items()})


@contextlib.asynccontextmanager
async def scheduler(files: dict[str, str] | None = None) -> AsyncIterator[str]:
    """A scheduler in this process, with such a certificate; its address."""
    security = None
    if files is not None:
        security = distributed.Security(
            tls_ca_file=files["ca-file"],
            tls_scheduler_cert=files["client.cert"],
            tls_scheduler_key=files["client.key"],
        )
    protocol = "tcp" if files is None else "tls"
    async with distributed.Scheduler(
        host="127.0.0.1", port=0, protocol=protocol, security=security, dashboard_address="127.0.0.1:0"
    ) as there:
        yield there.address


async def said(where: str, patience: float = PATIENCE) -> str:
    """What is said of an address."""
    with pytest.raises(Unreachable) as problem:
        await asyncio.to_thread(client.Client, where, patience)
    text = str(problem.value)
    assert text.startswith(f"the scheduler of the cluster {where} cannot be reached (")
    assert "): start one by dask scheduler and give the address that it prints" in text
    return text.partition("reached (")[2].partition("): start")[0]


async def reached(where: str) -> None:
    """Returns where a scheduler is reached."""
    await asyncio.to_thread(lambda: client.Client(where).close())


def test_a_scheduler_is_reached_as_it_listens_and_else_it_is_said_why(tmp_path):
    own, other = certificate(tmp_path, "own"), certificate(tmp_path, "other")

    async def plain() -> None:
        async with scheduler() as address:
            await reached(address)
            await reached(address.removeprefix("tcp://"))
            with settings(own):
                assert await said(address.replace("tcp", "tls")) == "wrong version number"

    async def secure() -> None:
        async with scheduler(own) as address:
            assert await said(address.replace("tls", "tcp"), patience=1.0) == "no answer"
            assert await said(address) == "no certificate is named"
            with settings(own):
                await reached(address)
            with settings(other):
                assert await said(address) == "self-signed certificate"
            with settings({**other, "ca-file": own["ca-file"]}):
                assert await said(address) in ("tlsv1 alert unknown ca", "Connection reset by peer")
            with settings({**own, "client.key": str(tmp_path / "gone")}):
                assert await said(address) == "No such file or directory"
            with settings({**own, "client.key": other["client.key"]}):
                assert await said(address) == "key values mismatch"

    asyncio.run(plain())
    asyncio.run(secure())


@pytest.mark.parametrize("greeting", [b"220 mail.example ready", b"", None])
def test_what_else_listens_there_is_no_scheduler(greeting):
    async def speak(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if greeting is not None:
            writer.write(greeting)
            await reader.read()
        writer.close()

    async def run() -> None:
        async with await asyncio.start_server(speak, "127.0.0.1", 0) as server:
            why = await said("tcp://{}:{}".format(*server.sockets[0].getsockname()), patience=1.0)
            assert why == (
                "no answer" if greeting == b"" else "another program answers, not a dask scheduler"
            )

    asyncio.run(run())


def test_an_error_is_told_in_its_own_words_however_it_is_wrapped():
    wrapped = CommClosedError("in <TCP (closed)>: TimeoutError: [Errno 110] Connection timed out")
    wrapped.__cause__ = TimeoutError(errno.ETIMEDOUT, "Connection timed out")
    assert client.words_of(wrapped) == "Connection timed out"
    assert client.words_of(TimeoutError()) == "no answer"
    assert client.words_of(ValueError("no such thing\nat all")) == "no such thing"
