"""Certificates for tests: an authority, those that it signs, and one that has expired."""

from __future__ import annotations

import datetime
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from arena.link.tls.trust import OwnCertificate

DAY = datetime.timedelta(days=1)


class Authority:
    """Signs certificates; its own is in a PEM file.

    Attributes:
        path: the file.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / "authority.pem"
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "authority")])
        certificate = self._builder(self._name, self._key, 0).add_extension(
            x509.BasicConstraints(ca=True, path_length=None), critical=True
        )
        _write(self.path, certificate.sign(self._key, hashes.SHA256()))

    def signed(self, name: str, age: int = 0) -> OwnCertificate:
        """A certificate for a host, so many days old; each is valid for 30."""
        key = ec.generate_private_key(ec.SECP256R1())
        builder = self._builder(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]), key, age)
        certificate = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        own = OwnCertificate(self._folder / f"{name}.pem", self._folder / f"{name}-key.pem")
        _write(own.certificate, certificate.sign(self._key, hashes.SHA256()))
        own.key.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        return own

    def _builder(self, name: x509.Name, key: ec.EllipticCurvePrivateKey, age: int) -> x509.CertificateBuilder:
        began = datetime.datetime.now(datetime.UTC) - age * DAY
        builder = x509.CertificateBuilder().subject_name(name).issuer_name(self._name)
        builder = builder.public_key(key.public_key()).serial_number(x509.random_serial_number())
        return builder.not_valid_before(began - DAY).not_valid_after(began + 30 * DAY)


def _write(path: Path, certificate: x509.Certificate) -> None:
    path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
