"""Checks the certificate of the server at an address, before anything is said to it.

gRPC can be told to believe a certificate, but not to compare a fingerprint. So
the certificate is fetched first and compared, and then is the only one that
is believed: an attacker in between would need its key.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import socket
import ssl
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from arena.link.tls.address import AUTHORITIES, Address, fingerprint_of

PATIENCE = 5.0
"""How long an answer may take, in seconds."""

_PAUSE = 1.0  # seconds between two attempts
_EXPIRED, _NOT_YET = 10, 9  # OpenSSL's numbers of what is wrong with a certificate
_SAYS_NO = ("CERTIFICATE_REQUIRED", "UNKNOWN_CA", "BAD_CERTIFICATE", "CERTIFICATE_EXPIRED", "HANDSHAKE_F")
_NO_TLS = ("WRONG_VERSION_NUMBER", "UNEXPECTED_MESSAGE", "BAD_RECORD_TYPE", "RECORD_LAYER_FAILURE")


class Untrusted(Exception):
    """What answers is not to be believed, or does not believe us.

    The text says what it does, without a subject and the full stop; trying again
    does not mend it.
    """


class NotKnown(Untrusted):
    """What answers lets in only who shows a certificate that it knows."""


class OwnCertificate(NamedTuple):
    """What is shown to those who ask who dials: PEM files with a certificate and its key."""

    certificate: Path
    key: Path


class Trusted(NamedTuple):
    """What was found to be right.

    Attributes:
        roots: PEM certificates: the only ones to be believed; None for the system's.
        name: for which the certificate is.
        one: whether `roots` is the one certificate, whatever its name.
    """

    roots: bytes | None
    name: str
    one: bool

    def context(self, own: OwnCertificate | None = None) -> ssl.SSLContext:
        """What a client needs that dials there."""
        return _context(self.roots, None if self.one else self.name, own)


def examine(address: Address, own: OwnCertificate | None = None) -> Trusted:
    """Dials an address that asks for TLS, and looks who is there. Blocks for a moment.

    Raises Untrusted, and OSError where nobody answers, which may be otherwise later.
    """
    with _told():
        if address.trust == AUTHORITIES:
            _dialled(address, _context(_system_roots(), address.host, own))
            return Trusted(_system_roots(), address.host, one=False)
        certificate = _certificate_at(address, own)
        found = fingerprint_of(hashlib.sha256(certificate).digest())
        if not hmac.compare_digest(found, address.trust):
            raise Untrusted(
                f"shows another certificate ({found}) than the address says: ask for the present address, "
                "and if it is this one, somebody is in between"
            )
        roots = ssl.DER_cert_to_PEM_cert(certificate).encode()
        return Trusted(roots, _name_in(_dialled(address, _context(roots, None, own))), one=True)


def awaited(address: Address, own: OwnCertificate | None, patience: float) -> Trusted:
    """The same where nobody may answer yet: tried every second, for so many seconds. Blocks."""
    deadline = time.monotonic() + patience
    while True:
        try:
            return examine(address, own)
        except OSError:
            if time.monotonic() > deadline:
                raise
        time.sleep(_PAUSE)


def _certificate_at(address: Address, own: OwnCertificate | None) -> bytes:
    """The certificate that is shown there."""
    context = _context(None, None, own)
    with _connection(address, context) as line:
        return line.getpeercert(binary_form=True) or b""


def _dialled(address: Address, context: ssl.SSLContext) -> dict[str, Any]:
    """Dials in earnest, until the other side has said something; returns its certificate."""
    with _connection(address, context) as line:
        certificate: dict[str, Any] = dict(line.getpeercert() or {})
        with contextlib.suppress(TimeoutError):  # some wait for the other side to begin
            if not line.recv(1):
                raise NotKnown(
                    "hangs up at once, as those do that let in only who shows a certificate that they know: "
                    "ask its owner for one, or show the one that you have"
                )
        return certificate


def _connection(address: Address, context: ssl.SSLContext) -> ssl.SSLSocket:
    line = socket.create_connection((address.host, address.port), PATIENCE)
    try:
        return context.wrap_socket(line, server_hostname=address.host)
    except BaseException:
        line.close()
        raise


def _context(roots: bytes | None, name: str | None, own: OwnCertificate | None) -> ssl.SSLContext:
    """What a client needs.

    Args:
        roots: the certificates that are believed; None for the system's where there
            is a name, and for any where there is none.
        name: for which the certificate must be; None for any.
        own: what the client shows of itself.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.set_alpn_protocols(["h2"])
    context.check_hostname = name is not None
    if roots is not None:
        context.verify_flags |= ssl.VerifyFlags.VERIFY_X509_PARTIAL_CHAIN  # one that others signed
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
    """The certificates of the authorities that the system trusts, where it keeps them in a file."""
    file = ssl.get_default_verify_paths().cafile  # or what SSL_CERT_FILE says
    return Path(file).read_bytes() if file is not None and os.path.exists(file) else None


def _name_in(certificate: dict[str, Any]) -> str:
    """A name for which a certificate is."""
    for _, name in certificate.get("subjectAltName", ()):
        return str(name).replace("*", "arena", 1)
    subject = dict(pair for part in certificate.get("subject", ()) for pair in part)
    return str(subject.get("commonName", ""))


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """What TLS says has gone wrong, told so that people know what to do. Raises Untrusted."""
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
                "lets in only who shows a certificate that it knows: ask its owner for one, or show the one "
                "that you have"
            ) from None
        if any(word in str(error) for word in _NO_TLS):
            raise Untrusted("does not speak TLS: ask for the present address") from None
        raise ConnectionError(str(error)) from None
