"""Addresses of brokers, `mqtt[s]://[user@]host[:port][/prefix]`, and passwords.

A password is never on the command line, which all users of a computer can read.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, unquote, urlsplit

from noughts.errors import NoughtsError, printable
from noughts.files import read_small

if TYPE_CHECKING:
    import ssl

VARIABLE = "NOUGHTS_MQTT_PASSWORD"
_PORTS = {"mqtt": 1883, "mqtts": 8883}
_HERE = re.compile(r"localhost|::1|127(\.\d{1,3}){3}")
_PREFIX = "noughts"
_TOPIC = re.compile(r"(?!\$)[^+#/]+(/[^+#/]+)*")
_FORM = "write mqtt[s]://[user@]host[:port][/prefix], with no +, # or $ in the prefix"


@dataclass(frozen=True)
class BrokerAddress:
    """A broker, the prefix of all topics there, and the login."""

    host: str
    port: int
    tls: bool = False
    user: str | None = None
    prefix: str = _PREFIX
    password: str | None = field(default=None, repr=False, compare=False)
    context: ssl.SSLContext | None = field(default=None, repr=False, compare=False)

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        scheme = "mqtts" if self.tls else "mqtt"
        port = "" if self.port == _PORTS[scheme] else f":{self.port}"
        return f"{scheme}://{host}{port}" + (f"/{self.prefix}" if self.prefix != _PREFIX else "")

    @property
    def is_here(self) -> bool:
        """Whether it is this computer, so that nothing goes over a network."""
        return _HERE.fullmatch(self.host) is not None


def is_broker(url: str) -> bool:
    """Whether this is the address of a broker, and not a serial port's."""
    return url.lower().startswith(("mqtt:", "mqtts:"))


def parse(
    url: str, password_file: Path | None = None, authority: Path | None = None
) -> BrokerAddress:
    """Parse an address, and read the password and certificate.

    The password is the first line of the file, else from the environment. authority: the CA's
    certificate in PEM, else those that the system trusts. Raises `NoughtsError` and `OSError`.
    """
    parts = _split(url)
    if parts.password is not None:
        raise NoughtsError(
            "a password in an address can be read by others on this computer; leave it out, and "
            "write it into a file for --password-file, or into NOUGHTS_MQTT_PASSWORD"
        )
    prefix = unquote(parts.path.strip("/")) or _PREFIX
    is_prefix = _TOPIC.fullmatch(prefix) is not None and prefix.isprintable()
    is_place = parts.scheme in _PORTS and parts.port != 0 and is_prefix
    if not parts.hostname or not is_place or parts.query or parts.fragment:
        raise NoughtsError(f"{printable(url[:100])} is not the address of a broker; {_FORM}")
    if password_file is not None and not parts.username:
        raise NoughtsError(f"--password-file needs a user; write {parts.scheme}://USER@…")
    tls = parts.scheme == "mqtts"
    if authority is not None and not tls:
        raise NoughtsError("--ca is for a broker with TLS; write mqtts://")
    return BrokerAddress(
        host=parts.hostname,
        port=parts.port or _PORTS[parts.scheme],
        tls=tls,
        user=unquote(parts.username) if parts.username else None,
        prefix=prefix,
        password=_password(password_file) if parts.username else None,
        context=_context(authority) if tls else None,
    )


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        _ = parts.port  # is only now looked at
    except ValueError as error:
        # The error may quote the address, with a password in it.
        raise NoughtsError(f"that is not the address of a broker; {_FORM}") from error
    return parts


def _password(path: Path | None) -> str | None:
    if path is None:
        return os.environ.get(VARIABLE) or None
    password, *_ = read_small(path).decode("utf-8-sig", errors="replace").splitlines() or [""]
    if not password:
        raise NoughtsError(f"{path} does not begin with a password; write it into the first line")
    return password


def _context(authority: Path | None) -> ssl.SSLContext:
    import ssl  # it needs memory, and is rarely used

    try:
        return ssl.create_default_context(cafile=None if authority is None else str(authority))
    except OSError as error:
        raise NoughtsError(
            f"cannot read the certificate in {authority} ({error.strerror}); give the CA's, in "
            "PEM, with --ca"
        ) from error
