"""Waiting for what a board says when it starts."""

import pytest

from noughts.boards import start
from noughts.boards.radio import Radio
from noughts.boards.start import Start, wait_for_start
from noughts.errors import BoardError, GameError
from noughts.protocol.sentences import Boot, write

HEADER = "Traceback (most recent call last):"
FAULT = (HEADER, '  File "ai.py", line 1', "NameError: x")
STOPPED = (HEADER, '  File "ai.py", line 1, in best', "KeyboardInterrupt: ")
BOOT = "$NB,1,00000A83,V1,0.1.0,2798*39"
V2_BOOT = Boot("0ABADB07", "V2", "1.0.0", "2798")
RADIO, SENDS = "radio 0123ABCD 7", Radio(sends=7)


class Port:
    """A serial port that has these lines. Time passes for its reader alone, when there are none."""

    port = "a port"
    timeout = 0.0

    def __init__(self, *lines):
        self.lines = [f"{line}\r\n".encode() for line in lines]
        self.now = 0.0

    def read_until(self, end):
        if self.lines:
            return self.lines.pop(0)
        self.now += self.timeout
        return b""

    def monotonic(self):
        return self.now


@pytest.fixture
def opened(monkeypatch):
    """Makes a port, whose time is that of all who wait."""

    def make(*lines):
        port = Port(*lines)
        monkeypatch.setattr(start, "clock", port)
        return port

    return make


def test_a_game_that_stops_instead_of_starting(opened):
    port = opened(*STOPPED, *FAULT)
    with pytest.raises(GameError, match="the game on a port stops with NameError: x; ") as raised:
        wait_for_start(port)
    assert raised.value.details[:3] == FAULT
    assert 1.9 < port.now < 2.2  # it might still have started


def test_the_first_traceback_is_the_reason_unless_it_starts_after_all(opened):
    second = (HEADER, '  File "fault.py", line 4', "MemoryError: parser")
    with pytest.raises(GameError, match="stops with NameError: x; "):
        wait_for_start(opened(*FAULT, *second))
    assert wait_for_start(opened(*FAULT, BOOT)).boot.table_id == "2798"


@pytest.mark.parametrize(
    ("lines", "said"),
    [(STOPPED, "; the last line it sent was: Keyb"), ((), ", and sent nothing; ")],
)
def test_neither_silence_nor_our_own_interruption_is_a_fault(opened, lines, said):
    port = opened(*lines)
    with pytest.raises(BoardError, match=f"the game on a port did not start{said}") as raised:
        wait_for_start(port)
    assert not isinstance(raised.value, GameError)
    assert 9.9 < port.now < 10.2


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([write(V2_BOOT)], Start(V2_BOOT, "V2", "1.0.0")),
        ([*FAULT, RADIO, write(V2_BOOT)], Start(V2_BOOT, "V2", "1.0.0", SENDS, "0123ABCD")),
        (["cut shortgateway 1.0.0 V1 7"], Start(None, "V1", "1.0.0", Radio(gateway=7))),
    ],
)
def test_what_is_said_of_radio(opened, lines, expected):
    assert wait_for_start(opened(*lines)) == expected
