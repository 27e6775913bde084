"""Where a broker is: `mqtt[s]://[user@]host[:port][/prefix]`."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from noughts.errors import NoughtsError, printable

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
