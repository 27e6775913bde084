"""How long the page's server waits for those who are connected, its port, and its end."""

import asyncio
import errno
import signal
import socket
from unittest.mock import Mock

import pytest
import uvicorn
from uvicorn.server import ServerState

from noughts.commands import web
from noughts.errors import NoughtsError
from noughts.web import server
from noughts.web.site import Site

HALF = b"GET / HTTP/1.1\r\nHost: here\r\n"


class Loop:
    """Takes timers, and runs none by itself."""

    def __init__(self):
        self.timers = []

    def call_later(self, delay, callback, *args):
        timer = asyncio.TimerHandle(delay, callback, args, self)
        self.timers.append(timer)
        return timer

    def create_task(self, work, **named):
        work.close()
        return asyncio.Future(loop=self)

    def get_debug(self):
        return False

    def _timer_handle_cancelled(self, handle):
        pass

    def call_soon(self, *args, **named):
        pass

    def left(self):
        """What still waits, with its delay."""
        return [timer for timer in self.timers if not timer.cancelled()]

    def expire(self):
        """Let what waits be called; as asyncio does, once."""
        for timer in self.left():
            self.timers.remove(timer)
            timer._run()


@pytest.fixture
def connect():
    """A connection with nobody there yet: its protocol, its line, and the loop."""

    def start(kind):
        loop = Loop()
        config = uvicorn.Config(lambda scope: None, http=server._Protocol, ws=server._Socket)
        protocol = kind(config=config, server_state=ServerState(), app_state={}, _loop=loop)
        line = Mock(spec=asyncio.Transport)
        line.get_protocol.return_value = protocol
        line.is_closing.side_effect = lambda: line.close.called
        protocol.connection_made(line)
        return protocol, line, loop

    yield start
    assert not server._Protocol._silent


@pytest.mark.parametrize("kind", [server._Protocol, server._Socket])
def test_a_resumed_reader_is_not_disconnected(connect, kind):
    protocol, line, loop = connect(kind)
    for _ in range(2):
        protocol.pause_writing()
        assert line.abort in [timer._callback for timer in loop.left()]
        protocol.resume_writing()
        assert line.abort not in [timer._callback for timer in loop.left()]
    protocol.pause_writing()
    loop.expire()
    line.abort.assert_called_once()
    protocol.connection_lost(None)


@pytest.mark.parametrize("said", [b"", HALF])
def test_a_silent_connection_is_closed_and_if_that_takes_too_long_aborted(connect, said):
    protocol, line, loop = connect(server._Protocol)
    if said:
        protocol.data_received(said)
    loop.expire()
    assert line.close.called and not line.abort.called
    protocol.data_received(HALF)  # after the end, it starts no timer
    assert [timer._callback for timer in loop.left()] == [line.abort]
    loop.expire()
    line.abort.assert_called_once()
    protocol.connection_lost(None)


@pytest.mark.parametrize("closes", [True, False])
def test_no_timer_outlives_its_connection(connect, closes):
    """Least of all to abort the connection: asyncio fails at that, with a traceback."""
    protocol, _, loop = connect(server._Protocol)
    protocol.data_received(HALF)
    if closes:
        loop.expire()
    protocol.pause_writing()
    protocol.connection_lost(None)
    assert loop.left() == []


def test_an_answer_has_no_time_limit(connect):
    """Only the rest of a request is waited for."""
    protocol, _, loop = connect(server._Protocol)
    protocol.data_received(HALF)
    assert len(loop.left()) == 1
    protocol.data_received(b"\r\n")
    assert loop.left() == []
    protocol.connection_lost(None)


def refusing(monkeypatch, number):
    def bind(sock, address):
        raise OSError(number, "refused")

    monkeypatch.setattr(socket.socket, "bind", bind)


def test_a_range_of_taken_ports_is_an_error(monkeypatch):
    refusing(monkeypatch, errno.EADDRINUSE)
    with pytest.raises(NoughtsError, match="ports 65530 to 65535 are taken; choose another one"):
        server.listening(65_530, lan=False)
    refusing(monkeypatch, errno.ENOBUFS)
    with pytest.raises(OSError, match="refused"):
        server.listening(8017, lan=False)


def test_a_taken_port_is_replaced_by_the_next():
    with server.listening(0, lan=False) as taken:
        port = taken.getsockname()[1]
        with server.listening(port, lan=False) as next_one:
            assert next_one.getsockname()[1] > port


def test_the_command_says_where_the_page_is_and_warns_of_others(tmp_path, capsys):
    site = Site(tmp_path / "games.db", 8017, (*Site.hosts, "192.0.2.2"), lan=True)
    web._ready(site, browse=False)
    here, warning = capsys.readouterr().err.splitlines()
    assert here == "noughts is at http://127.0.0.1:8017/ (Ctrl-C ends)"
    assert warning == (
        "other computers can look on at http://192.0.2.2:8017/: whoever is in your network "
        "sees the boards' names and all games, and can change nothing"
    )


def ending(calls):
    return server._Server(uvicorn.Config(lambda scope: None), lambda: calls.append("ending"))


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="Windows has none")
def test_a_hang_up_ends_the_server_but_not_under_nohup():
    before = signal.getsignal(signal.SIGHUP)
    one = ending([])
    try:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        with one.capture_signals():
            assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        with one.capture_signals():
            assert signal.getsignal(signal.SIGHUP) == one.handle_exit
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_DFL
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.anyio
async def test_boards_begin_to_end_before_answers_are_waited_for(monkeypatch):
    calls = []

    async def shutdown(self, sockets=None):
        calls.append("shutdown")

    monkeypatch.setattr(uvicorn.Server, "shutdown", shutdown)
    await ending(calls).shutdown()
    assert calls == ["ending", "shutdown"]


@pytest.mark.parametrize(
    ("soft", "hard", "asked"),
    [(256, -1, [(4096, -1)]), (256, 1000, [(1000, 1000)]), (8192, 8192, []), (-1, -1, [])],
)
def test_the_server_may_open_as_many_files_as_the_system_allows(monkeypatch, soft, hard, asked):
    resource = pytest.importorskip("resource")
    unlimited, given = resource.RLIM_INFINITY, []
    limit = tuple(unlimited if each == -1 else each for each in (soft, hard))
    monkeypatch.setattr(resource, "getrlimit", lambda what: limit)
    monkeypatch.setattr(resource, "setrlimit", lambda what, wanted: given.append(wanted))
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: None)
    server.serve(lambda scope: None, None)
    assert given == [tuple(unlimited if each == -1 else each for each in pair) for pair in asked]
