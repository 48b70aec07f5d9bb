"""An authority of one's own, and what it vouches for: certificates for tests of TLS."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass(frozen=True, slots=True)
class Certified:
    """The files of a certificate and of its key."""

    certificate: Path
    key: Path


class Authority:
    """Signs certificates; its own is in `certificate`."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._name = name
        self._key = ec.generate_private_key(ec.SECP256R1())
        is_authority = x509.BasicConstraints(ca=True, path_length=None)
        builder = self._builder(name, self._key.public_key()).add_extension(is_authority, critical=True)
        self.certificate = _written(folder / f"{name}.crt", builder.sign(self._key, hashes.SHA256()))

    def certify(self, name: str, *, addresses: Sequence[str] = ()) -> Certified:
        """A certificate for a server at these IP addresses, or for a client of this name."""
        key = ec.generate_private_key(ec.SECP256R1())
        builder = self._builder(name, key.public_key())
        if addresses:
            names = x509.SubjectAlternativeName([x509.IPAddress(ip_address(address)) for address in addresses])
            builder = builder.add_extension(names, critical=False)
        certificate = _written(self._folder / f"{name}.crt", builder.sign(self._key, hashes.SHA256()))
        key_file = self._folder / f"{name}.key"
        plain = serialization.NoEncryption()
        key_file.write_bytes(
            key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption_algorithm=plain)
        )
        key_file.chmod(0o600)
        return Certified(certificate, key_file)

    def _builder(self, name: str, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
        now = datetime.now(UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(_named(name))
            .issuer_name(_named(self._name))
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=1))
        )


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _written(file: Path, certificate: x509.Certificate) -> Path:
    file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    return file
