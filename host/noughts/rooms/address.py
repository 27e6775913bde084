"""Where a broker is, `mqtt[s]://[user@]host[:port][/prefix]`, how it lets us in, and rooms' names.

A password is never a word of the command line, which all users of a computer can read.
"""

from __future__ import annotations

import ipaddress
import os
import platform
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from noughts.errors import NoughtsError, printable
from noughts.store.capture import is_board_name

if TYPE_CHECKING:
    import ssl

VARIABLE = "NOUGHTS_MQTT_PASSWORD"
MAX_ROOM = 60
"""Characters of its name."""
_MAX_PASSWORD = 1000
"""Characters: a file of more is another one."""
_NO_ROOM = re.compile(r"[/\\:]|\s$")
_PORTS = {"mqtt": 1883, "mqtts": 8883}
_PREFIX = "noughts"
_URL = re.compile("mqtts?:", re.IGNORECASE)
_FORM = "write mqtt://[user@]host[:port][/prefix], or mqtts:// for TLS"


@dataclass(frozen=True)
class BrokerAddress:
    """A broker, who asks, and what all topics there begin with."""

    host: str
    port: int
    tls: bool = False
    user: str | None = None
    prefix: str = _PREFIX

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        scheme = "mqtts" if self.tls else "mqtt"
        port = "" if self.port == _PORTS[scheme] else f":{self.port}"
        return f"{scheme}://{host}{port}" + (f"/{self.prefix}" if self.prefix != _PREFIX else "")

    @property
    def is_here(self) -> bool:
        """Whether it is this computer, so that nothing goes over a network."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


def is_broker(url: str) -> bool:
    """Whether this is meant as the address of a broker, rather than as a port."""
    return _URL.match(url) is not None


def parse(url: str) -> BrokerAddress:
    """Read an address. Raises `NoughtsError`; a password that is in it is not repeated."""
    try:
        parts = urlsplit(url)
        secret = parts.password is not None
        host, port = parts.hostname, parts.port
    except ValueError as error:
        # What it says may quote the address, with a password in it.
        raise NoughtsError(f"that is not the address of a broker; {_FORM}") from error
    if secret:
        raise NoughtsError(
            "a password in an address can be read by others on this computer; leave it out, and "
            "write it into a file for --password-file, or into NOUGHTS_MQTT_PASSWORD"
        )
    shown = printable(url[:100])
    prefix = unquote(parts.path.strip("/"))
    if parts.scheme not in _PORTS or not parts.netloc or parts.query or parts.fragment:
        raise NoughtsError(f"{shown} is not the address of a broker; {_FORM}")
    if not host or not host.isprintable() or " " in host or port == 0:
        raise NoughtsError(f"{shown} has no host, or a port that is not from 1 to 65535; {_FORM}")
    levels = prefix.split("/")
    if prefix and (
        prefix.startswith("$")
        or not prefix.isprintable()
        or len(prefix) > 200
        or any(not level or "+" in level or "#" in level for level in levels)
    ):
        raise NoughtsError(
            f"{shown} has a prefix that MQTT does not take; use words with / between them, "
            "without + and #, and no $ at the beginning"
        )
    user = unquote(parts.username) if parts.username else None
    tls = parts.scheme == "mqtts"
    return BrokerAddress(host, port or _PORTS[parts.scheme], tls, user, prefix or _PREFIX)


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
    import ssl  # it takes memory, and few watches need it

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


def is_room_name(text: str) -> bool:
    """Whether a room may have this name.

    With a `/` and a board's name behind it, it must not be mistaken for a port or a URL.
    """
    return len(text) <= MAX_ROOM and is_board_name(text) and not _NO_ROOM.search(text)


def room_name(wanted: str | None) -> str:
    """The room's name, by default this computer's. Raises `NoughtsError`."""
    if wanted is None:
        name = re.sub(r"[^0-9A-Za-z_-]", "-", platform.node().partition(".")[0])[:MAX_ROOM]
        return name if is_room_name(name) else "room"
    if not is_room_name(wanted):
        raise NoughtsError(
            f"{wanted[:MAX_ROOM]!r} cannot be the name of a room; begin with a letter from a "
            f"to z or a digit, without / \\ and :, {MAX_ROOM} characters at most"
        )
    return wanted
