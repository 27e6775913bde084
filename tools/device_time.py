"""What the game costs on stepped boards, in device time: the same in every run, on any computer.

The tests hold these numbers, and `make bench` prints them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from microbit_emulator import Button, Microbit
from noughts.brain import Table, source
from noughts.device_files import device_files
from official import stepped

_LOOK_US = 100
_DEBOUNCE_US = 30_000
_DECIDED_US = 130_000
"""A press is one of a single button only once the other can no longer join it."""
_SHOWN_US = {"V1": 4200, "V2": 0}
"""V1's LEDs are read off the pins when their row has had its 6 ms, of which the first 1.8 are the
latest to switch one on; V2's as a row begins."""
_PHASES = 24
_PHASE_US = 1310
"""Spreads presses over the 6 ms of the game's loop and of a row, and the 18 ms of V1's frame."""
_ROUND, _IN_GAME = "AAAABABABAB", 5
"""Once round the menu; from the fifth press on in a game of two people, three moves long."""

# A probe changes the heap that it measures: each takes some 30 bytes of it.
_PROBE = b"gc.collect()\nprint('free', gc.mem_free())\n"
_KEYS = "A", "B", "B", "AB", "A", "A", "B", "B", "B", "A", "B", "B", "B", "AB", "AB", "B"


def lowest_heap(firmware: str, table: Table | None = None) -> int:
    """Bytes of heap free after collection at the worst moment of games against two levels.

    It is looked at in each turn of the loop, in the chip's choice, and before each sentence.
    table: another than hard's own.
    """
    files = dict(device_files())
    if table is not None:
        files["table.py"] = source(table).encode()
    board = stepped(firmware)(_probed(files))
    run_to_menu(board)
    for key in _KEYS:
        _press(board, key, 80_000)
        board.run_for(600_000)  # the chip replies after 400 ms
    return min(int(free) for free in re.findall(rb"free (\d+)\r\n", board.uart.received))


def _probed(files: Mapping[str, bytes]) -> dict[str, bytes]:
    return {
        **files,
        "buttons.py": _insert(files["buttons.py"], b"microbit.sleep(5)\n"),
        "ai.py": _insert(files["ai.py"], b"return ["),
        "sentences.py": _insert(files["sentences.py"], b"print(text)\n"),
    }


def _insert(source: bytes, before: bytes) -> bytes:
    """A device file with the probe inserted before a line, at that line's indent."""
    at = source.index(before)
    indent = source[source.rindex(b"\n", 0, at) + 1 : at]
    probed = source[:at] + _PROBE.replace(b"\n", b"\n" + indent) + source[at:]
    return probed.replace(b"\n", b"\nimport gc\n", 1)  # below the line that says whose it is


class Start(NamedTuple):
    """Microseconds from a reset to the first LED, and to the first answer to a button."""

    menu_us: int
    answer_us: int


def start(firmware: str) -> Start:
    """How long the game takes to start after the reset button was pressed."""
    board = stepped(firmware)()
    run_to_menu(board)
    board.uart.receive()
    start_us = board.clock_us
    menu_us = reset_to_light_us(board)
    run_to_menu(board)
    return Start(menu_us, board.clock_us - start_us)


def reset_to_light_us(board: Microbit) -> int:
    """Reset a board: microseconds until it lights its first LED."""
    start_us = board.clock_us
    board.reset()
    if not board.run_until(lambda: any(board.leds()), step_us=_LOOK_US):
        raise RuntimeError("no LED is lit")
    return board.clock_us - start_us - _SHOWN_US[board.board]


def presses(firmware: str, files: Mapping[str, bytes] | None = None) -> Iterator[int]:
    """Microseconds from presses, in the menu and in games, to the first change of the LEDs.

    Times are of the light itself: when the pins begin to show something else. files: by default
    the game.
    """
    board = stepped(firmware)(files)
    run_to_menu(board)
    for number in range(_PHASES * len(_ROUND) // 4):
        index = number % len(_ROUND)
        board.run_for(_DECIDED_US)
        if index >= _IN_GAME:
            _run_to_blink(board)
        board.run_for(_PHASE_US * (number % _PHASES))
        button = _button(_ROUND[index])
        yield wait_us(board, button)
        board.run_for(_DEBOUNCE_US)
        board.release(button)
        if index + 1 == len(_ROUND):
            board.run_for(_DECIDED_US)
            _press(board, "AB", _DEBOUNCE_US)


def wait_us(board: Microbit, button: Button) -> int:
    """Press a button: microseconds until the LEDs begin to show something else."""
    before, start_us = board.leds(), board.clock_us
    board.press(button)
    if not board.run_until(lambda: board.leds() != before, 1_000_000, _LOOK_US):
        raise RuntimeError(f"a press of {button} changes nothing")
    return board.clock_us - start_us - _SHOWN_US[board.board]


def _run_to_blink(board: Microbit) -> None:
    """Run to a change of the cursor, so that the next one is not taken for a press's answer."""
    before = board.leds()
    board.run_until(lambda: board.leds() != before, step_us=_LOOK_US)


def run_to_menu(board: Microbit) -> None:
    """Run until the menu answers, which it says by a sentence."""
    board.run_until(lambda: b"$NB" in board.uart.received, step_us=_LOOK_US)


def _press(board: Microbit, buttons: str, down_us: int) -> None:
    for name in buttons:
        board.press(_button(name))
    board.run_for(down_us)
    for name in buttons:
        board.release(_button(name))


def _button(name: str) -> Button:
    return "A" if name == "A" else "B"
