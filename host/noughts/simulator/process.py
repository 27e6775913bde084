"""The process that a simulated board runs in, and its protocol.

The owner and this process send each other one JSON object a line. To the board:

    {"files": {name: text}}           first of all: what is in flash
    {"serial": text}                  bytes that arrive at the UART
    {"button": "A", "down": true}     a button
    {"tilt": [x, y]}                  the acceleration, milli-g

From the board: {"serial": text}, {"leds": 25 digits}, {"files": {name: text}} after each change,
{"running": true} once the device's clock is at 0, and {"reset": true} when device code wants one.
Texts are bytes decoded as Latin-1. The process ends when its standard input does.
"""

from __future__ import annotations

import _thread
import gc
import json
import os
import queue
import random
import signal
import sys
import threading
import time
from types import ModuleType
from typing import Any

from noughts.simulator.display import DARK, Display
from noughts.simulator.flash import Flash
from noughts.simulator.inputs import Accelerometer, Contact, Pin, PressButton
from noughts.simulator.picture import Image
from noughts.simulator.repl import Repl, tell_fault

_SLICE_S = 0.003
_FRAME_S = 0.008
_HEAP = 10240
_BYTE_S = 10 / 115200  # the firmware waits until the UART has sent a byte


class Machine:
    """Everything between the owner's lines and the device's modules."""

    def __init__(self) -> None:
        self._out = threading.Lock()
        self._typed: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._interruptible = False
        self._started_s = time.monotonic()
        self._contacts = {name: Contact(self.running_ms) for name in "AB"}
        self._accelerometer = Accelerometer()
        self._display = Display(self.running_ms, self.sleep)
        first = json.loads(sys.stdin.readline())
        files = {name: text.encode("latin-1") for name, text in first["files"].items()}
        self._flash = Flash(files, self._files_changed)

    def run(self) -> None:
        """Run the board until the owner is gone."""
        self._send(running=True)
        threading.Thread(target=self._listen, daemon=True).start()
        threading.Thread(target=self._watch_leds, daemon=True).start()
        Repl(self, self._flash.files, self._modules).run()

    def _send(self, **message: Any) -> None:
        line = json.dumps(message) + "\n"
        try:
            with self._out:
                sys.stdout.write(line)
                sys.stdout.flush()
        except OSError:
            os._exit(0)

    def _files_changed(self) -> None:
        files = {name: content.decode("latin-1") for name, content in self._flash.files.items()}
        self._send(files=files)

    def _listen(self) -> None:
        for line in sys.stdin:
            message = json.loads(line)
            if "serial" in message:
                for letter in message["serial"]:
                    if letter == "\x03" and self._interruptible:
                        _thread.interrupt_main()
                    else:
                        self._typed.put(letter)
            elif "button" in message:
                self._contacts[message["button"]].set(message["down"])
            elif "tilt" in message:
                self._accelerometer.x_mg, self._accelerometer.y_mg = message["tilt"]
        os._exit(0)  # the owner is gone, whatever the device code is doing

    def _watch_leds(self) -> None:
        shown = DARK
        while True:
            picture = self._display.picture()
            if picture != shown:
                shown = picture
                self._send(leds="".join(map(str, picture)))
            time.sleep(_FRAME_S)

    def write(self, text: str) -> None:
        """Send text on the serial line; line ends become CR LF."""
        data = text.replace("\n", "\r\n").encode("utf-8", "surrogateescape")
        self._send(serial=data.decode("latin-1"))
        time.sleep(len(data) * _BYTE_S)

    def read(self) -> str:
        """The next character that arrives on the serial line."""
        return self._typed.get()

    def interruptible(self, on: bool) -> None:
        """Whether Ctrl-C raises KeyboardInterrupt, as it does while device code runs."""
        self._interruptible = on

    def running_ms(self) -> float:
        """Milliseconds since the board started."""
        return (time.monotonic() - self._started_s) * 1000

    def sleep(self, ms: float) -> None:
        """Wait; in slices, so that Ctrl-C is noticed on every system."""
        end_s = time.monotonic() + ms / 1000
        while (left_s := end_s - time.monotonic()) > 0:
            time.sleep(min(left_s, _SLICE_S))

    def _print(self, *values: object, sep: str = " ", end: str = "\n", **_: object) -> None:
        self.write(sep.join(map(str, values)) + end)

    def _modules(self) -> tuple[dict[str, ModuleType], dict[str, Any]]:
        """The device's modules and built-in names, fresh as after a boot."""
        self._display.clear()
        buttons = {name: PressButton(contact) for name, contact in self._contacts.items()}
        microbit = _module(
            "microbit",
            Image=Image,
            display=self._display,
            button_a=buttons["A"],
            button_b=buttons["B"],
            accelerometer=self._accelerometer,
            uart=_module("uart", write=lambda data: self.write(_text(data)), any=lambda: False),
            running_time=lambda: int(self.running_ms()),
            sleep=self.sleep,
            temperature=lambda: 20,
            reset=self._reset,
            panic=self._panic,
            **{f"pin{number}": Pin() for number in (0, 1, 2, 8, 12, 13, 14, 15, 16)},
            pin5=Pin(self._contacts["A"]),
            pin11=Pin(self._contacts["B"]),
        )
        clock = {
            "sleep": lambda s: self.sleep(s * 1000),
            "sleep_ms": self.sleep,
            "ticks_ms": lambda: int(self.running_ms()),
            "ticks_diff": lambda end, start: end - start,
        }
        modules = {
            "microbit": microbit,
            "machine": _module("machine", unique_id=lambda: bytes(8), reset=self._reset),
            "micropython": _module(
                "micropython",
                const=lambda value: value,
                opt_level=lambda level=0: 0,
                kbd_intr=lambda code: None,
                mem_info=lambda *_: None,
            ),
            "gc": _module(
                "gc",
                collect=gc.collect,
                enable=gc.enable,
                disable=gc.disable,
                mem_free=lambda: _HEAP,
                mem_alloc=lambda: 0,
            ),
            "sys": _module(
                "sys",
                print_exception=lambda error: self.write(tell_fault(error, self._flash.files)),
                implementation=("micropython", (1, 9, 2)),
                platform="microbit",
                version="3.4.0",
            ),
            "os": self._flash.os_module(),
            "random": random,
            "time": _module("time", **clock),
            "utime": _module("utime", **clock),
        }
        return modules, {"print": self._print, "open": self._flash.open}

    def _reset(self) -> None:
        self._send(reset=True)  # the owner ends this process and starts another
        time.sleep(60)

    def _panic(self, code: int = 0) -> None:
        self._display.show(Image.SAD)
        time.sleep(1e9)


def _text(data: str | bytes) -> str:
    return data if isinstance(data, str) else data.decode("latin-1")


def _module(name: str, **names: Any) -> ModuleType:
    module = ModuleType(name)
    module.__dict__.update(names)
    return module


def main() -> None:
    """Run one board for the owner at the other end of the pipes."""
    # Ctrl-C reaches device code as this signal, which a job in the background begins with ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.setswitchinterval(0.001)
    Machine().run()
