"""A port, and what answers there until Ctrl-C or a signal ends it."""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
from typing import Any

import psutil
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from noughts.errors import NoughtsError

PORT = 8017
_TRIED = 20
"""Ports, from the wanted one on."""
_REQUEST_S = 10.0
"""A connection that has not sent a whole request by then is closed."""
_MAX_SILENT = 128
"""Connections that have sent no request yet; of more, the oldest are closed."""
_LAST_S = 1
"""For answers that are on their way when the end is asked for."""
_MAX_MESSAGE = 65_536
"""Bytes of a WebSocket message to us."""


def listening(port: int, lan: bool) -> socket.socket:
    """A socket on this port, or the next that is free; 0 takes any.

    Raises `NoughtsError` where all of them are taken.
    """
    last = min(port + _TRIED, 65_536) if port else 1
    for each in range(port, last):
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            _alone(sock)
            sock.bind(("0.0.0.0" if lan else "127.0.0.1", each))
            sock.listen(256)
            return sock
        except OSError as error:
            sock.close()
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise
    raise NoughtsError(f"ports {port} to {last - 1} are taken; choose another one with --port")


def _alone(sock: socket.socket) -> None:
    """A port that another program listens on is taken; one that it has left is free at once."""
    if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):  # Windows
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
    else:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)


def own_addresses() -> list[str]:
    """This computer's IPv4 addresses in the networks that it is in."""
    return [
        each.address
        for addresses in psutil.net_if_addrs().values()
        for each in addresses
        if each.family == socket.AF_INET and not each.address.startswith("127.")
    ]


class _Protocol(H11Protocol):
    """HTTP, from whoever asks in time.

    uvicorn waits for ever for a first request, so that connections without one could use up what
    the system lets a process open.
    """

    _silent: dict[_Protocol, asyncio.TimerHandle] = {}  # noqa: RUF012

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        timer = self.loop.call_later(_REQUEST_S, transport.close)
        self._silent[self] = timer
        if len(self._silent) > _MAX_SILENT:
            oldest = next(iter(self._silent))
            oldest._heard()
            oldest.transport.close()

    def handle_events(self) -> None:
        super().handle_events()
        if self.scope is not None:  # a whole head has come
            self._heard()

    def connection_lost(self, exc: Exception | None) -> None:
        self._heard()
        super().connection_lost(exc)

    def _heard(self) -> None:
        timer = self._silent.pop(self, None)
        if timer is not None:
            timer.cancel()


def serve(application: ASGIApp, sock: socket.socket) -> None:
    """Answer on a socket until Ctrl-C or a signal, which is raised again once all is closed."""
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
    options: dict[str, Any] = {
        "http": _Protocol,
        "ws": "websockets-sansio",
        "ws_max_size": _MAX_MESSAGE,
        "lifespan": "on",
        "log_config": None,
        "access_log": False,
        "server_header": False,
        "proxy_headers": False,
        "timeout_graceful_shutdown": _LAST_S,
    }
    uvicorn.Server(uvicorn.Config(application, **options)).run(sockets=[sock])
