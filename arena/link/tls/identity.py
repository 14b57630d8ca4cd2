"""Identities: makes, loads and checks a program's own certificate and its key.

`cryptography`, which makes and reads them, is imported only when needed:
importing it takes longer than all the rest of a start. It comes with the extra `host`.
"""

from __future__ import annotations

import datetime
import importlib.util
import ipaddress
import os
import socket
import ssl
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple, NoReturn

from arena.link.tls.address import fingerprint_of
from arena.link.tls.trust import OwnCertificate
from arena.text import installing

VALID_FOR = datetime.timedelta(days=365)
"""How long a new certificate is valid."""

_SKEW = datetime.timedelta(days=1)  # that other machines' clocks may be late
_CERTIFICATE, _KEY = "certificate.pem", "key.pem"


class WrongIdentity(Exception):
    """A certificate or key that cannot be used; the text is one sentence with the remedy."""


class Identity(NamedTuple):
    """A certificate and its key, which were checked to fit.

    Attributes:
        certificate: a PEM file with the certificate, and its chain if it has one.
        key: a PEM file with its private key, not encrypted.
        fingerprint: the certificate's fingerprint, as in addresses.
    """

    certificate: Path
    key: Path
    fingerprint: str

    @property
    def shown(self) -> OwnCertificate:
        """The identity as a client's certificate."""
        return OwnCertificate(self.certificate, self.key)


class Serving(NamedTuple):
    """A server's TLS settings.

    Attributes:
        identity: the server's identity.
        client_ca: a PEM file with the authorities of clients' certificates, or these
            certificates themselves; each client must then show one. None for any client.
    """

    identity: Identity
    client_ca: Path | None = None


def kept_in(folder: Path) -> bool:
    """Whether a folder has an identity that `kept` made."""
    return (folder / _CERTIFICATE).exists()


def kept(folder: Path, hosts: Iterable[str]) -> Identity:
    """The identity in a folder, or a new one if it has none; other users cannot read its key.

    Args:
        folder: the folder, which is made if it is missing.
        hosts: names and addresses for which a new certificate is valid, besides this machine's own.

    Raises WrongIdentity.
    """
    _require_cryptography()
    certificate, key = folder / _CERTIFICATE, folder / _KEY
    try:
        if not certificate.exists():
            folder.mkdir(mode=0o700, exist_ok=True)
            key_pem, certificate_pem = _made(hosts)
            _write(key, key_pem, 0o600)
            _write(certificate, certificate_pem, 0o644)
    except OSError as error:
        raise WrongIdentity(f"no certificate can be kept in {folder}: {error.strerror}") from None
    return load(certificate, key, f"remove {folder} to have a new one made, and tell those who dial in")


def load(certificate: Path, key: Path, renewal: str = "give one that is valid") -> Identity:
    """The identity in two PEM files. Raises WrongIdentity.

    Args:
        certificate: the file with the certificate.
        key: the file with the key.
        renewal: the remedy for a certificate that is out of date.
    """
    _require_cryptography()
    from cryptography import x509  # only here: see above
    from cryptography.hazmat.primitives import hashes

    for path, what in ((certificate, "certificate"), (key, "key")):
        try:
            path.read_bytes()
        except OSError as error:
            raise WrongIdentity(f"the {what} {path} cannot be read: {error.strerror}") from None
    try:
        found = x509.load_pem_x509_certificate(certificate.read_bytes())
    except ValueError:
        raise WrongIdentity(f"{certificate} holds no certificate in PEM format") from None
    now = datetime.datetime.now(datetime.UTC)
    if found.not_valid_after_utc < now:
        raise WrongIdentity(
            f"the certificate {certificate} expired on {found.not_valid_after_utc:%Y-%m-%d}: {renewal}"
        )
    if found.not_valid_before_utc > now:
        raise WrongIdentity(
            f"the certificate {certificate} is valid from {found.not_valid_before_utc:%Y-%m-%d} on only: "
            "set this machine's clock right, or give another one"
        )
    server_context(certificate, key)
    return Identity(certificate, key, fingerprint_of(found.fingerprint(hashes.SHA256())))


def server_context(certificate: Path, key: Path, client_ca: Path | None = None) -> ssl.SSLContext:
    """The TLS settings of a server of HTTP/2 over TLS 1.3. Raises WrongIdentity.

    Args:
        certificate, key: see `Identity`.
        client_ca: see `Serving`.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.num_tickets = 0  # clients do not resume sessions
    context.set_alpn_protocols(["h2"])
    try:
        context.load_cert_chain(certificate, key, password=_no_password)
    except (ssl.SSLError, OSError):
        raise WrongIdentity(
            f"{key} is not the key of the certificate {certificate}: give the two that belong together, in "
            "PEM format"
        ) from None
    if client_ca is not None:
        context.verify_mode = ssl.CERT_REQUIRED
        context.verify_flags |= ssl.VerifyFlags.VERIFY_X509_PARTIAL_CHAIN  # also clients' own certificates
        try:
            context.load_verify_locations(client_ca)
        except (ssl.SSLError, OSError) as error:
            reason = error.strerror if not isinstance(error, ssl.SSLError) else "it holds none in PEM format"
            raise WrongIdentity(f"{client_ca} cannot be read for certificates: {reason}") from None
    return context


def _require_cryptography() -> None:
    if importlib.util.find_spec("cryptography") is None:
        raise WrongIdentity(
            f"certificates need the library cryptography: {installing('host')} in a clone of the arena"
        )


def _no_password() -> NoReturn:
    raise WrongIdentity("the key is encrypted with a password: give it without one")


def _made(hosts: Iterable[str]) -> tuple[bytes, bytes]:
    """A new key and its self-signed certificate, both in PEM format."""
    from cryptography import x509  # only here: see above
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

    def general_name(host: str) -> x509.GeneralName:
        try:
            return x509.IPAddress(ipaddress.ip_address(host))
        except ValueError:
            return x509.DNSName(host)

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "bot arena")])
    now = datetime.datetime.now(datetime.UTC)
    names = dict.fromkeys(["localhost", "127.0.0.1", "::1", *hosts, socket.gethostname()])
    usage = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]  # the referee dials bots too
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _SKEW)
        .not_valid_after(now + VALID_FOR)
        .add_extension(x509.SubjectAlternativeName([general_name(host) for host in names]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage(usage), critical=False)
        .sign(key, hashes.SHA256())
    )
    key_pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return key_pem, certificate.public_bytes(serialization.Encoding.PEM)


def _write(path: Path, data: bytes, mode: int) -> None:
    """Writes a file in one step, which only the users that `mode` allows can ever read."""
    unfinished = path.with_suffix(".unfinished")
    unfinished.unlink(missing_ok=True)
    with os.fdopen(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode), "wb") as file:
        file.write(data)
    unfinished.rename(path)
