"""A port, and the server on it."""

import logging
import re
import socket
from contextlib import suppress

import psutil
import uvicorn
from starlette.types import ASGIApp

from noughts.errors import NoughtsError
from noughts.web.safety import HEADERS, LimitedConnection

PORT = 8017
_TRIED = 20
"""Ports to try, from the given one on."""
_BACKLOG = 64
"""Connections that the system holds until we get to them: all are accepted at once."""


def listening(port: int, lan: bool) -> socket.socket:
    """A socket on this port, or the next that is free; 0 takes any.

    Raises `NoughtsError` where all of them are taken.
    """
    last = min(port + _TRIED, 65_536) if port else 1
    for candidate in range(port, last):
        with suppress(OSError):
            address = "0.0.0.0" if lan else "127.0.0.1", candidate
            return socket.create_server(address, backlog=_BACKLOG)
    raise NoughtsError(f"ports {port} to {last - 1} are taken; choose another one with --port")


def own_addresses() -> list[str]:
    """This computer's IPv4 addresses in its networks."""
    return [
        address.address
        for addresses in psutil.net_if_addrs().values()
        for address in addresses
        if address.family == socket.AF_INET and not address.address.startswith("127.")
    ]


def own_names() -> list[str]:
    """This computer's names in its networks, as a browser writes them."""
    name = socket.gethostname().lower()
    return [name, f"{name.partition('.')[0]}.local"] if re.fullmatch(r"[a-z0-9.-]+", name) else []


def http_server(application: ASGIApp) -> uvicorn.Server:
    """The server: `run` answers on sockets until Ctrl-C or a signal, or until `should_exit`.

    A signal is raised again after closing.
    """
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
    return uvicorn.Server(
        uvicorn.Config(
            application,
            http=LimitedConnection,
            ws="none",
            backlog=_BACKLOG,
            lifespan="on",
            log_config=None,
            access_log=False,
            headers=[*HEADERS.items()],
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=1,
        )
    )
