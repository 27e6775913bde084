"""The process of a virtual board: an emulated micro:bit in real time.

Other programs can open its serial port: on POSIX a pseudo-terminal in raw mode, elsewhere a TCP
port on the loopback interface. Like a real board's USB interface, it drops data once its buffer is
full, and never holds up the board.

The owner and this process send each other pickled tuples over standard input and output, with a
name first. To the board:

    ("start", program, seed, speed, name)
                                       the first message; `speed` may exceed real time; name: in
                                       the air, or empty for a board without radio contact
    ("press", button, ...)             press buttons, at the same moment of device time
    ("release", button, ...)           release them
    ("tilt", x_mg, y_mg)               hold the board at this acceleration
    ("touch", is_touched)              touch a V2's logo, or stop; a V1 has none
    ("gesture", us, message, message)  do the first, after this time the second, then rest
    ("reset",)                         press the reset button
    ("program", program)               replace the flash's content, and power on
    ("packet", packet)                 a packet of another board, by radio

These are pickles on plain pipes, and not a `multiprocessing.connection`: that would need a
listener, a key and a handshake to reach a process that is not a fork of ours, to save a dozen
lines. Pipes also tell each side at once, on every system, that the other one was killed.

From the board:

    ("port", name)                     first
    ("state", (device us, LEDs, tone)) as soon as it changes, and at least every 20 ms of device
                                       time; the tone in Hz, 0 for silence
    ("flash", bytes)                   after the flash was written
    ("packet", packet)                 for each that it has sent by radio
    ("failed", text)                   if it cannot go on

The process ends when its standard input does.

Each board has an ether of its own. So packets of other boards arrive some 10 ms late, and never
collide with each other. In return, no board waits for another one, and a radio costs nothing while
it is off.
"""

import contextlib
import os
import pickle
import socket
import sys
import threading
from collections import deque
from functools import partial
from typing import Any, BinaryIO

from microbit_emulator import EmulatorError
from microbit_emulator.firmware import V2
from noughts.virtual.program import Program

STEP_US = 5_000
PRESS_US = 60_000
"""The least time that a button stays down, and then up, however quickly it is clicked."""
REST_US = 100_000
"""Between two gestures. With the shortest press, this exceeds the 112 ms in which the game would
take a second button as part of a press of both."""
MAX_WAITING = 3
"""Any further ones, such as those of a repeating key, are dropped."""
_STATE_US = 20_000
"""Of device time, at which the owner gets the state if nothing in it but the time changes."""
_FLASH_RESTS_US = 20_000
"""Without a write or erase, until a file counts as written."""
_BUFFER = 16 * 1024
"""Bytes for a slow reader: more than a second at 115200 baud."""

Message = tuple[Any, ...]


class Pty:
    """The serial port on POSIX. Whoever opens it gets what was not read yet."""

    def __init__(self) -> None:
        import tty

        self._master, self._slave = os.openpty()  # an open slave preserves unread data
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self._waiting = b""
        self.port = os.ttyname(self._slave)
        """For `serial.serial_for_url`."""

    def read(self) -> bytes:
        """What programs have sent to the board."""
        try:
            return os.read(self._master, 4096)
        except BlockingIOError:
            return b""

    def write(self, data: bytes) -> None:
        """Send what the board has printed, without waiting for a reader."""
        self._waiting = (self._waiting + data)[:_BUFFER]
        if self._waiting:
            with contextlib.suppress(BlockingIOError):
                self._waiting = self._waiting[os.write(self._master, self._waiting) :]


class Tcp:
    """The serial port elsewhere: it sends output to all programs that have connected."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.setblocking(False)
        self._peers: list[socket.socket] = []
        self.port = f"socket://127.0.0.1:{self._listener.getsockname()[1]}"

    def read(self) -> bytes:
        """What programs have sent to the board; new ones may have connected."""
        with contextlib.suppress(BlockingIOError):
            while True:
                peer, _ = self._listener.accept()
                peer.setblocking(False)
                self._peers.append(peer)
        data = b""
        for peer in self._peers:
            with contextlib.suppress(OSError):  # it has sent nothing, or has closed its port
                data += peer.recv(4096)
        return data

    def write(self, data: bytes) -> None:
        """Send what the board has printed, without waiting for a reader."""
        for peer in self._peers:
            with contextlib.suppress(OSError):
                peer.send(data)


class BoardProcess:
    """A virtual board that obeys messages, from its `start` message on."""

    def __init__(
        self,
        answers: BinaryIO,
        line: Pty | Tcp,
        program: Program,
        seed: int,
        speed: float,
        name: str = "",
    ) -> None:
        self._answers, self._line = answers, line
        self._inbox: deque[Message] = deque()
        self._seed, self._speed, self._name = seed, speed, name
        self._earlier_us = 0  # device time before the board was last programmed
        self._shown: tuple[bytes, int] | None = None  # in the last state that the owner got
        self._next_state_us = 0
        self._switch_on(program)

    def _switch_on(self, program: Program) -> None:
        from microbit_emulator import Ether  # which loads wasmtime

        self._board = program.microbit(self._seed)
        self._ether = Ether({self._name: self._board}) if self._name else None
        self._board.watch_flash(self._note_write)
        self._written_us: int | None = None  # when flash was written, until the owner has it
        self._last_us = self._pressed_until_us = self._resting_until_us = 0
        self._up_until_us: dict[str, int] = {}

    def _note_write(self, kind: str, address: int, size: int, us: int) -> None:
        self._written_us = self._board.clock_us + us

    def run(self, commands: BinaryIO) -> None:
        """Run the board, and obey, until the owner closes this pipe."""
        threading.Thread(target=self._listen, args=[commands], daemon=True).start()
        from microbit_emulator import run_in_real_time

        run_in_real_time(self._step, self._speed)

    def _step(self) -> int:
        while self._inbox:
            match self._inbox.popleft():
                case ("packet", packet) if self._ether is not None:
                    self._ether.relay(packet)
                case message:
                    self.take(message)
        board = self._board
        board.uart.send(self._line.read())
        board.run_for(STEP_US)
        self._line.write(board.uart.receive())
        self._send_packets()
        written_us = self._written_us
        if written_us is not None and board.clock_us >= written_us + _FLASH_RESTS_US:
            self._written_us = None
            _send(self._answers, "flash", board.flash)
        clock_us = self._earlier_us + board.clock_us
        tone = board.tone()
        shown = board.leds(), round(tone.frequency_hz) if tone else 0
        if shown != self._shown or clock_us >= self._next_state_us:
            self._shown, self._next_state_us = shown, clock_us + _STATE_US
            _send(self._answers, "state", (clock_us, *shown))
        return clock_us

    def _send_packets(self) -> None:
        """Pass on what the board has sent by radio."""
        while self._ether is not None and self._ether.history:
            packet = self._ether.history.popleft()
            if packet.sender == self._name:
                _send(self._answers, "packet", packet)

    def _listen(self, commands: BinaryIO) -> None:
        try:
            while True:
                self._inbox.append(pickle.load(commands))
        except (EOFError, OSError, pickle.UnpicklingError):
            os._exit(0)  # the owner is gone, so the board stops

    def take(self, message: Message) -> int | None:
        """Schedule what a message asks for, after the messages before it.

        Returns the device time at which it begins; None if it is dropped.
        """
        board = self._board
        us = max(board.clock_us, self._last_us)
        match message:
            case ("press", *buttons):
                us = max(us, *(self._up_until_us.get(button, 0) for button in buttons))
                self._pressed_until_us = us + PRESS_US
                for button in buttons:
                    board.at(us, partial(board.press, button))
            case ("release", *buttons):
                us = max(us, self._pressed_until_us)
                self._up_until_us |= dict.fromkeys(buttons, us + PRESS_US)
                for button in buttons:
                    board.at(us, partial(board.release, button))
            case ("tilt", x_mg, y_mg):
                board.at(us, partial(board.tilt, x_mg, y_mg))
            case ("touch", is_touched) if board.board == V2:
                board.at(us, partial(board.touch_logo, is_touched))
            case ("gesture", held_us, begin, end):
                begin_us = max(board.clock_us, self._resting_until_us)
                rest_us = held_us + REST_US
                if begin_us > board.clock_us + MAX_WAITING * rest_us:
                    return None
                self._resting_until_us = begin_us + rest_us
                board.at(begin_us, partial(self.take, begin))
                board.at(begin_us + held_us, partial(self.take, end))
                return begin_us
            case ("reset",):
                board.reset()
            case ("program", program):
                self._earlier_us += board.clock_us
                self._seed += 1  # so that it gets another boot id
                self._switch_on(program)
                self._written_us = us = 0
        self._last_us = us
        return us


def main() -> None:
    """Run a board for the process that started this one, over standard input and output."""
    # Libraries may print, so standard output gets another descriptor.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    commands = sys.stdin.buffer
    try:
        line = Pty() if os.name == "posix" else Tcp()
        _send(answers, "port", line.port)
        import microbit_emulator.microbit  # noqa: F401  it loads while the owner prepares the program

        _, *start = pickle.load(commands)
        BoardProcess(answers, line, *start).run(commands)
    except Exception as error:
        is_known = isinstance(error, EmulatorError)
        _send(answers, "failed", str(error) if is_known else f"{error!r}; please report it")
        os._exit(1)  # the thread that reads would hold up an ordinary exit


def _send(answers: BinaryIO, name: str, value: object) -> None:
    try:
        pickle.dump((name, value), answers)
        answers.flush()
    except OSError:
        os._exit(0)  # the owner is gone
