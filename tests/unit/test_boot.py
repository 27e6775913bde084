"""Waiting for what a board says when it starts."""

import pytest

from noughts.errors import BoardError, GameError
from noughts.hardware import boot, flashing
from noughts.hardware.boot import Start, wait_for_start
from noughts.hardware.radio import OFF, Radio
from noughts.protocol.sentences import Boot, write

HEADER = "Traceback (most recent call last):"
FAULT = (HEADER, '  File "ai.py", line 1', "NameError: x")
STOPPED = (HEADER, '  File "ai.py", line 1, in best', "KeyboardInterrupt: ")
BOOT = "$NB,1,00000A83,V1,0.1.0,2798*39"
V2_BOOT = Boot("0ABADB07", "V2", "1.0.0", "2798")
RADIO = "radio 0123ABCD 7"


class Port:
    """A serial port that has these lines, and after a break, and a soft reset, more of them.

    Time passes for its reader alone, when there is nothing to read.
    """

    port = "a port"
    timeout = 0.0

    def __init__(self, *lines, at_break=(), at_reset=()):
        self.lines = []
        self.at_break, self.at_reset = at_break, at_reset
        self.now = 0.0
        self.closed = False
        self.say(lines)

    def say(self, lines):
        self.lines += [f"{line}\r\n".encode() for line in lines]

    def read_until(self, end):
        if self.lines:
            return self.lines.pop(0)
        self.now += self.timeout
        return b""

    def send_break(self, duration):
        self.say(self.at_break)

    def write(self, data):
        if data.endswith(b"\x04"):
            self.say(self.at_reset)

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds

    def close(self):
        self.closed = True


@pytest.fixture
def opened(monkeypatch):
    """Makes a port, whose time is that of all who wait."""

    def make(*lines, **named):
        port = Port(*lines, **named)
        monkeypatch.setattr(boot, "clock", port)
        return port

    return make


def test_a_game_that_stops_instead_of_starting(opened):
    port = opened(*STOPPED, *FAULT)
    with pytest.raises(GameError, match="the game on a port stops with NameError: x; ") as raised:
        wait_for_start(port, nudges=[lambda: pytest.fail("nudged")])
    assert raised.value.details[:3] == FAULT
    assert 1.9 < port.now < 2.2  # it might still have started


def test_the_first_traceback_is_the_reason(opened):
    second = (HEADER, '  File "fault.py", line 4', "MemoryError: parser")
    with pytest.raises(GameError, match="stops with NameError: x; "):
        wait_for_start(opened(*FAULT, *second))


def test_a_traceback_from_before_the_restart_is_not_the_games(opened):
    assert wait_for_start(opened(*FAULT, BOOT)).boot.table_id == "2798"


def test_our_own_interruption_is_not_a_fault(opened):
    port = opened(*STOPPED)
    with pytest.raises(
        BoardError, match="did not start; the last line it sent was: Keyb"
    ) as raised:
        wait_for_start(port)
    assert not isinstance(raised.value, GameError)
    assert 9.9 < port.now < 10.2


def test_it_is_nudged_soon_and_then_has_the_time_that_it_needs(opened):
    port = opened()
    nudged = []
    with pytest.raises(BoardError, match="on a port did not start, and sent nothing; "):
        wait_for_start(port, nudges=[lambda: nudged.append(port.now) for _ in range(2)])
    assert nudged == pytest.approx([3, 6], abs=0.3)
    assert port.now == pytest.approx(16, abs=0.5)


def start(*radio):
    return Start(V2_BOOT, "V2", "1.0.0", *radio)


SENDS = start(Radio(sends=7), "0123ABCD")


ALONE = (write(V2_BOOT),)
WHOLE = (RADIO, *ALONE)


@pytest.mark.parametrize(
    ("heard", "at_break", "at_reset", "radio", "verified"),
    [
        # The port was opened after the line that tells of radio: so the board starts once more.
        (ALONE, WHOLE, (), Radio(sends=7), SENDS),
        (ALONE, (), WHOLE, Radio(sends=7), SENDS),
        (ALONE, (), ALONE, Radio(sends=7), start()),
        # A fault of before the start is none of its own.
        ((*FAULT, *ALONE), WHOLE, (), Radio(sends=7), SENDS),
        # What it should say, or what is wrong, is taken as it is.
        (ALONE, (), (), OFF, start()),
        (WHOLE, (), (), Radio(sends=7), SENDS),
        (WHOLE, (), (), Radio(sends=8), SENDS),
        (WHOLE, (), (), OFF, SENDS),
    ],
)
def test_a_start_of_which_the_line_of_radio_was_missed(
    monkeypatch, opened, heard, at_break, at_reset, radio, verified
):
    port = opened(*heard, at_break=at_break, at_reset=at_reset)
    monkeypatch.setattr(flashing, "open_port", lambda name: port)
    assert flashing._verify("a port", radio) == verified
    assert port.closed and not port.lines
