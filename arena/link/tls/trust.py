"""Checks the certificate of the server at an address, before anything is sent to it.

gRPC can be told to trust a certificate, but not to compare a fingerprint. So
the certificate is fetched first and compared. Then gRPC trusts only this certificate:
an attacker in between would need its key.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import ssl
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from arena.link.tls.address import AUTHORITIES, Address, fingerprint_of
from arena.link.tls.proxy import connect

PATIENCE = 5.0
"""How long an answer may take, in seconds."""

_PAUSE = 1.0  # seconds between two attempts
_EXPIRED, _NOT_YET = 10, 9  # OpenSSL's numbers of faults of a certificate
_SAYS_NO = ("CERTIFICATE_REQUIRED", "UNKNOWN_CA", "BAD_CERTIFICATE", "CERTIFICATE_EXPIRED", "HANDSHAKE_F")
_NO_TLS = ("WRONG_VERSION_NUMBER", "UNEXPECTED_MESSAGE", "BAD_RECORD_TYPE", "RECORD_LAYER_FAILURE")


class Untrusted(Exception):
    """The server is not trusted, or does not trust us.

    The text says what the server does, without a subject and the full stop. Trying again
    does not help.
    """


class NotKnown(Untrusted):
    """The server lets in only clients with a certificate that it knows."""


class OwnCertificate(NamedTuple):
    """The certificate for servers that ask for one: PEM files with it and its key."""

    certificate: Path
    key: Path


class Trusted(NamedTuple):
    """A server's certificate that was examined and is trusted.

    Attributes:
        roots: PEM certificates, the only ones to trust; None for the system's.
        name: the name in the certificate.
        one: whether `roots` is the server's own certificate, whatever its name.
    """

    roots: bytes | None
    name: str
    one: bool

    def context(self, own: OwnCertificate | None = None) -> ssl.SSLContext:
        """The settings of a client that dials this server."""
        return _context(self.roots, None if self.one else self.name, own)


def examine(address: Address, own: OwnCertificate | None = None) -> Trusted:
    """Examines the certificate at an address that asks for TLS. Blocks for a moment.

    Raises Untrusted, and OSError if no server answers yet.
    """
    with _told():
        if address.trust == AUTHORITIES:
            _dialled(address, _context(_system_roots(), address.host, own))
            return Trusted(_system_roots(), address.host, one=False)
        certificate = _certificate_at(address, own)
        found = fingerprint_of(hashlib.sha256(certificate).digest())
        if not hmac.compare_digest(found, address.trust):
            raise Untrusted(
                f"shows another certificate ({found}) than the address says: ask for the present address; "
                "if it is the same, somebody intercepts the connection"
            )
        roots = ssl.DER_cert_to_PEM_cert(certificate).encode()
        return Trusted(roots, _name_in(_dialled(address, _context(roots, None, own))), one=True)


def awaited(
    address: Address, own: OwnCertificate | None, patience: float, nobody_yet: Callable[[], None]
) -> Trusted:
    """Does the same as `examine`, and tries again each second, for `patience` seconds. Blocks.

    `nobody_yet` is called once, after the first attempt that finds no server.
    """
    deadline = time.monotonic() + patience
    told = False
    while True:
        try:
            return examine(address, own)
        except OSError:
            if time.monotonic() > deadline:
                raise
        if not told:
            told = True
            nobody_yet()
        time.sleep(_PAUSE)


def _certificate_at(address: Address, own: OwnCertificate | None) -> bytes:
    """The server's certificate, unchecked."""
    context = _context(None, None, own)
    with _connection(address, context) as line:
        return line.getpeercert(binary_form=True) or b""


def _dialled(address: Address, context: ssl.SSLContext) -> dict[str, Any]:
    """Dials with trust, until the server has sent something; returns its certificate."""
    with _connection(address, context) as line:
        certificate: dict[str, Any] = dict(line.getpeercert() or {})
        with contextlib.suppress(TimeoutError):  # some servers wait for the client to begin
            if not line.recv(1):
                raise NotKnown(
                    "hangs up at once, perhaps because it accepts only certificates that it knows: "
                    "ask its owner for one, or show the one that you have"
                )
        return certificate


def _connection(address: Address, context: ssl.SSLContext) -> ssl.SSLSocket:
    line = connect(address.host, address.port, PATIENCE, address.proxy)
    try:
        return context.wrap_socket(line, server_hostname=address.host)
    except BaseException:
        line.close()
        raise


def _context(roots: bytes | None, name: str | None, own: OwnCertificate | None) -> ssl.SSLContext:
    """The TLS settings of a client.

    Args:
        roots: the trusted certificates; None for the system's if there
            is a name, and for any if there is none.
        name: the name that the certificate must have; None for any.
        own: the client's own certificate.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.set_alpn_protocols(["h2"])
    context.check_hostname = name is not None
    if roots is not None:
        context.verify_flags |= ssl.VerifyFlags.VERIFY_X509_PARTIAL_CHAIN  # a certificate that others signed
        context.load_verify_locations(cadata=roots.decode())
    elif name is not None:
        context.load_default_certs()
    else:
        context.verify_mode = ssl.CERT_NONE
    if own is not None:
        try:
            context.load_cert_chain(own.certificate, own.key, password=lambda: "")
        except OSError as error:  # ssl.SSLError is one
            raise Untrusted(
                f"cannot be dialled with the certificate {own.certificate} and the key {own.key} "
                f"({error.strerror or error}): give two PEM files that belong together, the key without a "
                "password"
            ) from None
    return context


def _system_roots() -> bytes | None:
    """The certificates of the authorities that the system trusts, if it keeps them in a file."""
    file = ssl.get_default_verify_paths().cafile  # or SSL_CERT_FILE
    return Path(file).read_bytes() if file is not None and os.path.exists(file) else None


def _name_in(certificate: dict[str, Any]) -> str:
    """A name in a certificate."""
    for _, name in certificate.get("subjectAltName", ()):
        return str(name).replace("*", "arena", 1)
    subject = dict(pair for part in certificate.get("subject", ()) for pair in part)
    return str(subject.get("commonName", ""))


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """Turns TLS's errors into sentences that say what to do. Raises Untrusted."""
    try:
        yield
    except ssl.SSLCertVerificationError as error:
        if error.verify_code == _EXPIRED:
            raise Untrusted("shows a certificate that has expired: it needs a new one") from None
        if error.verify_code == _NOT_YET:
            raise Untrusted(
                "shows a certificate that is not valid yet: see whether this machine's clock is right"
            ) from None
        raise Untrusted(
            f"shows a certificate that cannot be trusted ({error.verify_message}): dial it by the address "
            "that ends in its fingerprint"
        ) from None
    except ssl.SSLError as error:
        if any(word in str(error) for word in _SAYS_NO):
            raise NotKnown(
                "accepts only certificates that it knows: ask its owner for one, or show the one "
                "that you have"
            ) from None
        if any(word in str(error) for word in _NO_TLS):
            raise Untrusted("does not speak TLS: ask for the present address") from None
        raise ConnectionError(str(error)) from None
