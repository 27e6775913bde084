"""A port, and what answers there until Ctrl-C or a signal ends it."""

from __future__ import annotations

import asyncio
import errno
import logging
import re
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import h11
import psutil
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from noughts.errors import NoughtsError

PORT = 8017
_TRIED = 20
"""Ports, from the wanted one on."""
_REQUEST_S = 10.0
"""A connection that has not sent the rest of a request by then is closed."""
_STALLED_S = 30.0
"""So is one that takes nothing of its answer for so long."""
_MAX_OPEN = 160
"""Connections; of more, those are closed that have been silent for longest."""
_BACKLOG = 64
"""Connections that the system keeps for us until we come to them: all are accepted at once."""
_FILES = 4096
"""What a process may open, where the system grants it: macOS begins with 256."""
_PING_S = 20.0
"""Between pings on a WebSocket; it is closed when one is not answered for so long."""
_SHUTDOWN_TIMEOUT_S = 1
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
            sock.listen(_BACKLOG)
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


def own_names() -> list[str]:
    """What this computer is called in its networks, as a browser writes it."""
    name = socket.gethostname().lower()
    return [name, f"{name.partition('.')[0]}.local"] if re.fullmatch(r"[a-z0-9.-]+", name) else []


class _Taking(asyncio.Protocol):
    """A connection whose other end takes what is sent in time."""

    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
    _stalled: asyncio.TimerHandle | None = None

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stalled = self.loop.call_later(_STALLED_S, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._stalled:
            self._stalled.cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        self.resume_writing()
        super().connection_lost(exc)


class _Protocol(_Taking, H11Protocol):
    """HTTP, with whoever sends requests in time.

    uvicorn waits for ever for the rest of a request, be it the first byte of its head or the last
    of its body, so that connections without one could use up what a process may open.
    """

    _silent: dict[_Protocol, asyncio.TimerHandle] = {}  # noqa: RUF012
    """Whose next word we wait for, and until when; the first has been silent for longest."""
    _closing: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._attend()
        if len(self.connections) > _MAX_OPEN:
            next(iter(self._silent))._close()

    def handle_events(self) -> None:
        super().handle_events()
        self._attend()

    def connection_lost(self, exc: Exception | None) -> None:
        self._heard()
        if self._closing:  # asyncio fails to abort what has ended
            self._closing.cancel()
        super().connection_lost(exc)

    def _attend(self) -> None:
        """Wait for the rest of a request, if one is due; what comes of it meanwhile is no rest."""
        if (
            self.conn.their_state not in (h11.IDLE, h11.SEND_BODY)
            or self.transport.is_closing()
            or self.transport.get_protocol() is not self  # it has become a WebSocket
        ):
            self._heard()
        elif self not in self._silent:
            self._silent[self] = self.loop.call_later(_REQUEST_S, self._close)

    def _heard(self) -> None:
        timer = self._silent.pop(self, None)
        if timer:
            timer.cancel()

    def _close(self) -> None:
        self._heard()
        self.transport.close()
        # Who does not take what is still to be sent would keep it open.
        self._closing = self.loop.call_later(_STALLED_S, self.transport.abort)


class _Socket(_Taking, WebSocketsSansIOProtocol):
    """A WebSocket; who does not answer a ping is gone."""


def _raise_file_limit() -> None:
    """Let this process open more than it may at its start, as far as the system allows."""
    if sys.platform != "win32":
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = _FILES if hard == resource.RLIM_INFINITY else min(_FILES, hard)
        if soft != resource.RLIM_INFINITY and soft < wanted:
            with suppress(ValueError, OSError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


class _Server(uvicorn.Server):
    """uvicorn, which ends at a terminal's hang-up too, and says when it begins to end."""

    def __init__(self, config: uvicorn.Config, ending: Callable[[], object]) -> None:
        super().__init__(config)
        self._ending = ending

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        with super().capture_signals():
            number = getattr(signal, "SIGHUP", None)  # not on Windows
            if number is None or not _in_main_thread() or signal.getsignal(number):
                yield  # `nohup` has it ignored
                return
            signal.signal(number, self.handle_exit)
            try:
                yield
            finally:
                signal.signal(number, signal.SIG_DFL)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._ending()
        await super().shutdown(sockets)


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def serve(
    application: ASGIApp, sock: socket.socket, ending: Callable[[], object] = lambda: None
) -> None:
    """Answer on a socket until Ctrl-C or a signal, which is raised again once all is closed.

    ending: called when that begins.
    """
    logging.getLogger("asyncio").addFilter(lambda said: "out of system" not in said.getMessage())
    _raise_file_limit()
    http_server(application, ending).run(sockets=[sock])


def http_server(
    application: ASGIApp, ending: Callable[[], object] = lambda: None
) -> uvicorn.Server:
    """What `serve` runs; in another thread than the main one, `should_exit` ends it."""
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
    options: dict[str, Any] = {
        "http": _Protocol,
        "ws": _Socket,
        "backlog": _BACKLOG,
        "ws_max_size": _MAX_MESSAGE,
        "ws_ping_interval": _PING_S,
        "ws_ping_timeout": _PING_S,
        "ws_per_message_deflate": False,  # for each browser anew, and it is the same computer
        "lifespan": "on",
        "log_config": None,
        "access_log": False,
        "server_header": False,
        "proxy_headers": False,
        "timeout_graceful_shutdown": _SHUTDOWN_TIMEOUT_S,
    }
    return _Server(uvicorn.Config(application, **options), ending)
