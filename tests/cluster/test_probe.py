"""What is wrong where a scheduler cannot be reached is one sentence with the remedy."""

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

from arena.cluster import probe  # noqa: E402
from arena.cluster.address import Unreachable  # noqa: E402


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


async def said(where: str) -> str:
    """What is said of an address."""
    with pytest.raises(Unreachable) as problem:
        await probe.probe(where)
    return str(problem.value)


def test_a_scheduler_is_reached_as_it_listens_and_else_it_is_said_how(tmp_path):
    own, other = certificate(tmp_path, "own"), certificate(tmp_path, "other")

    async def plain() -> None:
        async with scheduler() as address:
            await probe.probe(address)
            await probe.probe(address.removeprefix("tcp://"))
            with settings(own):
                assert "does not speak TLS: start it with --protocol tls" in await said(
                    address.replace("tcp", "tls")
                )

    async def secure() -> None:
        async with scheduler(own) as address:
            assert f"by TLS alone: write {address}, and name your certificate by DASK" in await said(
                address.replace("tls", "tcp")
            )
            assert "no certificate is named here: name it by DASK_DISTRIBUTED" in await said(address)
            with settings(own):
                await probe.probe(address)
            with settings(other):
                assert "has a certificate that is not known here (self-signed" in await said(address)
            with settings({**other, "ca-file": own["ca-file"]}):
                assert "does not let us in by our certificate: name by DASK" in await said(address)
            with settings({**own, "client.key": str(tmp_path / "gone")}):
                assert "cannot be used (No such file or directory): look at the files" in await said(address)
            with settings({**own, "client.key": other["client.key"]}):
                assert "cannot be used (key values mismatch): look at the files" in await said(address)

    asyncio.run(plain())
    asyncio.run(secure())


@pytest.mark.parametrize(
    ("greeting", "what"),
    [
        (
            b"220 mail.example ready",
            "at WHERE there is something else than a dask scheduler: give the address",
        ),
        (
            b"",
            "the scheduler of the cluster WHERE cannot be reached (no answer): start one by dask scheduler",
        ),
        (None, "at WHERE there is something else than a dask scheduler: give the address"),
    ],
)
def test_what_else_listens_there_is_said(greeting, what, monkeypatch):
    monkeypatch.setattr(probe, "REACH", 1.0)
    monkeypatch.setattr(probe, "_SILENT", 0.2)

    async def speak(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if greeting is not None:
            writer.write(greeting)
            await reader.read()
        writer.close()

    async def run() -> None:
        async with await asyncio.start_server(speak, "127.0.0.1", 0) as server:
            where = "tcp://{}:{}".format(*server.sockets[0].getsockname())
            assert what.replace("WHERE", where) in await said(where)

    asyncio.run(run())


def test_an_error_is_told_in_its_own_words_however_it_is_wrapped():
    wrapped = CommClosedError("in <TCP (closed)>: TimeoutError: [Errno 110] Connection timed out")
    wrapped.__cause__ = TimeoutError(errno.ETIMEDOUT, "Connection timed out")
    assert probe.words_of(wrapped) == "Connection timed out"
    assert probe.words_of(TimeoutError()) == "no answer"
    assert probe.words_of(ValueError("no such thing\nat all")) == "no such thing"


def test_what_is_said_while_it_is_used_fits_a_cluster_of_this_machine_too():
    refused = ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused")
    there, here = "tcp://a:1", "local:2"
    assert (
        probe.gone(there, refused)
        == f"the scheduler of the cluster {there} is gone (Connection refused): start it again"
    )
    assert (
        probe.gone(there, RuntimeError("ConnectionPool closing."))
        == f"the scheduler of the cluster {there} is gone: start it again"
    )
    assert probe.gone(here, None) == f"the scheduler of the cluster {here} is gone: look at what has ended it"
    assert probe.none_yet(there).endswith(f"start some by dask worker {there}")
    assert probe.none_yet(here) == f"the workers of the cluster {here} are not up yet"
