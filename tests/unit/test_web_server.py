"""How long the page's server waits for those who are connected."""

import asyncio

import pytest
import uvicorn
from uvicorn.server import ServerState

from noughts.web import server

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


class Line(asyncio.Transport):
    """A connection of which nothing is taken."""

    def __init__(self, protocol):
        super().__init__()
        self.protocol, self.closing, self.aborted = protocol, False, 0

    def get_protocol(self):
        return self.protocol

    def is_closing(self):
        return self.closing

    def write(self, data):
        pass

    def close(self):
        self.closing = True

    def abort(self):
        self.aborted += 1

    def pause_reading(self):
        pass

    def resume_reading(self):
        pass


@pytest.fixture
def connect():
    """A connection with nobody there yet: its protocol, its line, and the loop."""

    def start(kind):
        loop = Loop()
        config = uvicorn.Config(lambda scope: None, http=server._Protocol, ws=server._Socket)
        protocol = kind(config=config, server_state=ServerState(), app_state={}, _loop=loop)
        line = Line(protocol)
        protocol.connection_made(line)
        return protocol, line, loop

    yield start
    assert not server._Protocol._silent


@pytest.mark.parametrize("kind", [server._Protocol, server._Socket])
def test_who_takes_what_is_sent_in_the_end_stays(connect, kind):
    protocol, line, loop = connect(kind)
    for _ in range(2):
        protocol.pause_writing()
        assert line.abort in [timer._callback for timer in loop.left()]
        protocol.resume_writing()
        assert line.abort not in [timer._callback for timer in loop.left()]
    protocol.pause_writing()
    loop.expire()
    assert line.aborted == 1
    protocol.connection_lost(None)


@pytest.mark.parametrize("said", [b"", HALF])
def test_nothing_waits_for_who_has_gone_away(connect, said):
    """Least of all to abort the connection: asyncio fails at that, with a traceback."""
    protocol, line, loop = connect(server._Protocol)
    if said:
        protocol.data_received(said)
    protocol.pause_writing()
    protocol.connection_lost(None)
    assert loop.left() == []
    protocol, line, loop = connect(server._Protocol)
    if said:
        protocol.data_received(said)
    loop.expire()
    assert line.closing and not line.aborted
    assert [timer._callback for timer in loop.left()] == [line.abort]
    protocol.connection_lost(None)
    assert loop.left() == []


def test_who_does_not_take_the_rest_is_closed_all_the_same(connect):
    protocol, line, loop = connect(server._Protocol)
    loop.expire()
    loop.expire()
    assert line.aborted == 1
    protocol.connection_lost(None)


def test_what_comes_after_the_end_is_not_waited_for(connect):
    protocol, line, loop = connect(server._Protocol)
    loop.expire()
    protocol.data_received(HALF)
    assert [timer._callback for timer in loop.left()] == [line.abort]
    protocol.connection_lost(None)
