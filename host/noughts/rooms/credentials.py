"""What a broker is shown and what it must show: a password, and the authority of its certificate.

Neither is ever a word of the command line, which all users of a computer can read.
"""

from __future__ import annotations

import os
import ssl
from dataclasses import dataclass, field
from pathlib import Path

from noughts.errors import NoughtsError
from noughts.rooms.address import BrokerAddress

VARIABLE = "NOUGHTS_MQTT_PASSWORD"
_MAX_PASSWORD = 1000
"""Characters: a file of more is another one."""


@dataclass(frozen=True)
class Credentials:
    """How to be let in; without a `context` nothing is encrypted."""

    password: str | None = field(default=None, repr=False)
    context: ssl.SSLContext | None = None


def credentials(
    address: BrokerAddress, password_file: Path | None, authority: Path | None
) -> Credentials:
    """What is needed for this broker.

    The password is the first line of the file, else what the environment says; authority: the
    certificate of the CA, in PEM, else those that the system trusts. Raises `NoughtsError`.
    """
    context = None
    if address.tls:
        context = _context(authority)
    elif authority is not None:
        raise NoughtsError(f"{address} is without TLS, which --ca is for; write mqtts://")
    if address.user is None:
        if password_file is not None:
            raise NoughtsError(
                f"--password-file needs a user; write {'mqtts' if address.tls else 'mqtt'}://USER@…"
            )
        return Credentials(None, context)
    password = os.environ.get(VARIABLE) if password_file is None else _read(password_file)
    return Credentials(password or None, context)


def _read(path: Path) -> str:
    try:
        with path.open(encoding="utf-8-sig") as file:
            password = file.readline(_MAX_PASSWORD + 2).rstrip("\r\n")
    except OSError as error:
        raise NoughtsError(
            f"cannot read the password in {path} ({error.strerror}); check the name of the file"
        ) from error
    except UnicodeDecodeError as error:
        raise NoughtsError(f"{path} is not text; its first line should be the password") from error
    if not 0 < len(password) <= _MAX_PASSWORD:
        raise NoughtsError(f"{path} does not begin with a password; write it into the first line")
    return password


def _context(authority: Path | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=None if authority is None else str(authority))
    except ssl.SSLError as error:
        raise NoughtsError(
            f"{authority} holds no certificate; name the CA's, in PEM, with --ca"
        ) from error
    except OSError as error:
        raise NoughtsError(
            f"cannot read the certificate in {authority} ({error.strerror}); check --ca"
        ) from error
