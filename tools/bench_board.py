"""The rows of `make bench` about a board: device time and heap, on stepped boards.

They repeat to the instruction, on any computer, as long as the board's files are the same; tests
hold them. A change of the files changes them a little, even where it does not look like it: in
which phase of the display's interrupt something begins is worth 0.01 ms.
"""

import re
import statistics
from collections.abc import Iterator, Mapping

from ask_hard import ask_hard
from bench_rows import Row, at_least, at_most
from microbit_emulator import Button, Microbit
from microbit_emulator.firmware import V2
from noughts import brain
from noughts.boards.firmware import bundled_for, firmware_for_boards
from noughts.boards.packing import files_for_boards
from noughts.boards.radio import OFF, Radio, files_with
from noughts.brain.device import device_files
from noughts.brain.learn import MAX_BOOK
from noughts.game.positions import Position, unfinished
from official import NEWEST, firmwares, printed, stepped

Rows = Iterator[Row]
Files = Mapping[str, bytes]

_HEAP = {"V1": 10_240, "V2": 65_536}
_TABLE_FLOOR = 17.1
"""Bytes of information in hard's choices in the 101 quiet positions."""
LOOK_US = 100
DEBOUNCE_US = 30_000
DECIDED_US = 130_000
"""A press is only decided once it is too late for the other button."""
SHOWN_US = {"V1": 4200, "V2": 0}
"""V1's LEDs are read off the pins when their row has had its 6 ms, of which the first 1.8 are the
latest to switch one on; V2's as a row begins."""
PRESS_MS = dict(zip(NEWEST, (27, 23), strict=True))
PHASES, PHASE_US = 24, 1310
"""These spread the presses over the 6 ms of the game's loop and of a row, and V1's 18 ms frame."""
_ROUND, _IN_GAME = "AAAAABABABAB", 6
"""Once through the menu; from the sixth press on, a game of two people with three moves."""
_KEYS = "A", "B", "B", "AB", "A", "A", "B", "B", "B", "A", "B", "B", "B", "AB", "AB", "B"

# The least scripts that do what is measured: what is in brackets.
_BARE_HEAP = b"import gc\ngc.collect()\nprint(gc.mem_free())\n"
_BARE_LED = b"from microbit import display\ndisplay.set_pixel(2, 2, 9)\n"
_BARE_CHOICE = b"""
from utime import ticks_us, ticks_diff
def choose(marks):
    best = 0
    for cell in range(9):
        if not marks[cell]:
            best = cell
    return best
start = ticks_us()
choose([0] * 9)
print(ticks_diff(ticks_us(), start))
"""
_BARE_PRESS = b"""
from microbit import display, pin5
while True:
    display.set_pixel(2, 2, 0 if pin5.read_digital() else 9)
"""

_TEXTBOOK = b"""
from utime import ticks_us, ticks_diff
LINES = ((0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 4, 8), (2, 4, 6))
def search(m, player, alpha, beta):
    for a, b, c in LINES:
        if m[a] == m[b] == m[c] == -player:
            return -1
    if 0 not in m:
        return 0
    for i in range(9):
        if not m[i]:
            m[i] = player
            value = -search(m, -player, -beta, -alpha)
            m[i] = 0
            if value > alpha:
                alpha = value
                if alpha >= beta:
                    break
    return alpha
def ask(text):
    m = [0 if i == "." else 1 if i == "X" else -1 for i in text]
    start = ticks_us()
    try:
        search(m, 1 if text.count("X") == text.count("O") else -1, -1, 1)
        print(ticks_diff(ticks_us(), start))
    except RuntimeError:
        print(-1)
with open("positions") as file:
    while True:
        text = file.read(9)
        if not text:
            break
        ask(text)
"""


def heap() -> Rows:
    """Free heap after collection: at each turn of the loop, in the choice, before a sentence."""
    for name in firmwares():
        board = name.split()[0]
        empty = int(printed(name, {"main.py": _BARE_HEAP}))
        what = f"free heap at the worst moment of a game, {name}"
        note = f"an empty script has {empty:,} of {_HEAP[board]:,}"
        limit = 2600 if board == "V1" else None
        yield at_least(what, _lowest_heap(name), limit, "{:,} bytes", note)


def choice() -> Rows:
    for name in NEWEST:
        times_ms = [answer.us / 1000 for answer in ask_hard(name).values()]
        bare_ms = int(printed(name, {"main.py": _BARE_CHOICE})) / 1000
        note = (
            f"median {statistics.median(times_ms):.2f} ms; looking at nine cells {bare_ms:.2f} ms"
        )
        what = f"hard's choice, worst of {len(times_ms):,} positions, {name}"
        yield at_most(what, max(times_ms), 7 if name == NEWEST[0] else None, "{:.2f} ms", note)


def largest_table() -> Rows:
    # Entries that name no position: so all of them are looked through.
    full = brain.Table(brain.WEIGHTS, tuple(range(0x10000 - MAX_BOOK, 0x10000)))
    with_it = f"with the largest learned table, {len(full.payload)} bytes, V1"
    for name in firmwares()[:2]:
        what = f"free heap at the worst moment of a game {with_it}{name.removeprefix('V1')}"
        yield at_least(what, _lowest_heap(name, full), 2600, "{:,} bytes")
    worst_ms = max(answer.us for answer in ask_hard(NEWEST[0], full).values()) / 1000
    yield at_most(f"hard's choice, worst, {with_it} 1.1.1", worst_ms, 7, "{:.2f} ms")


def textbook() -> Rows:
    some: dict[int, list[Position]] = {}
    for position in unfinished():
        some.setdefault(len(position.free), []).append(position)
    for free in range(1, 9):
        asked = some[free][:: max(1, len(some[free]) // 20)][:20]
        files = {"main.py": _TEXTBOOK, "positions": "".join(map(str, asked)).encode()}
        times_us = [int(word) for word in printed(NEWEST[0], files).split()]
        failed = sum(us < 0 for us in times_us)
        done_ms = [us / 1000 for us in times_us if us >= 0]
        texts = [f"{statistics.median(done_ms):.0f} ms"] if done_ms else []
        if failed:
            texts.append(f"recursion too deep in {failed} of {len(times_us)}")
        yield Row(f"textbook alpha-beta on V1 with {free} free", ", ".join(texts))
        if not done_ms:
            break


def start() -> Rows:
    for name, menu_limit_ms, answer_limit_ms in zip(NEWEST, (260, 225), (1115, 560), strict=True):
        bare = stepped(name)({"main.py": _BARE_LED})
        bare.run_for(1_000_000)
        note = f"a script that lights one LED {_reset_to_light_us(bare) / 1000:.0f} ms"
        board = stepped(name)()
        run_to_menu(board)
        board.uart.receive()
        start_us = board.clock_us
        menu_ms = _reset_to_light_us(board) / 1000
        run_to_menu(board)
        answer_ms = (board.clock_us - start_us) / 1000
        what = f"reset to the menu on the LEDs, {name}"
        yield at_most(what, menu_ms, menu_limit_ms, "{:,.0f} ms", note)
        what = f"reset to the menu's first response, {name}"
        yield at_most(what, answer_ms, answer_limit_ms, "{:,.0f} ms")


def press_to_led() -> Rows:
    """From a button's pin to the LEDs, in the menu and in games of two people."""
    for name in NEWEST:
        waits_ms = [us / 1000 for us in _presses(name)]
        note = f"median {statistics.median(waits_ms):.1f} ms; a script that only lights an LED "
        note += f"{_bare_press_us(name) / 1000:.1f} ms"
        what = f"press to the first change on the LEDs, worst of {len(waits_ms)}, {name}"
        yield at_most(what, max(waits_ms), PRESS_MS[name], "{:.1f} ms", note)
    waits_ms = [us / 1000 for us in _presses(NEWEST[1], never_silent())]
    note = f"median {statistics.median(waits_ms):.1f} ms"
    what = f"the same with a frame by radio in each turn of the loop, worst of {len(waits_ms)}, "
    yield at_most(f"{what}{NEWEST[1]}", max(waits_ms), PRESS_MS[NEWEST[1]], "{:.1f} ms", note)


def sizes() -> Rows:
    files: Files = files_for_boards()
    for board, firmware in firmware_for_boards().items():
        used, total = firmware.used(files_with(OFF, board, files)), len(firmware.layout)
        yield Row(f"file system used, {board}", f"{used:,} of {total:,} bytes")
        what = f"files as they go onto a {board}"
        yield at_most(what, used // 128, 100, "{} chunks of 128 bytes")
    used = bundled_for(V2).used(files_with(Radio(sends=255), V2, files))
    yield at_most("the same with radio, V2", used // 128, 112, "{} chunks of 128 bytes")
    payload = len(brain.make_table().payload)
    note = f"the information in the choices is {_TABLE_FLOOR}"
    yield at_most("table payload, index included", payload, 26, "{} bytes", note)


PARTS = (heap, choice, largest_table, textbook, start, press_to_led, sizes)


def _lowest_heap(firmware: str, table: brain.Table | None = None) -> int:
    """Free bytes of heap after a collection, at the worst moment of games against two levels."""
    files = dict(device_files())
    if table is not None:
        files["table.py"] = brain.source(table).encode()
    for name, line in (
        ("buttons.py", b"microbit.sleep(5)\n"),
        ("ai.py", b"return ["),
        ("sentences.py", b"print(sentence)\n"),
    ):
        files[name] = _probed(files[name], line)
    board = stepped(firmware)(files)
    run_to_menu(board)
    for key in _KEYS:
        _press(board, key, 80_000)
        board.run_for(600_000)  # the chip replies after 400 ms
    return min(int(free) for free in re.findall(rb"free (\d+)\r\n", board.uart.received))


def _probed(source: bytes, line: bytes) -> bytes:
    """A device file that prints the free heap before a line, which needs some 30 bytes itself."""
    at = source.index(line)
    indent = source[source.rindex(b"\n", 0, at) + 1 : at]
    probe = b"gc.collect()\n" + indent + b"print('free', gc.mem_free())\n" + indent
    # The import stands below the line that says whose file it is.
    return (source[:at] + probe + source[at:]).replace(b"\n", b"\nimport gc\n", 1)


def _reset_to_light_us(board: Microbit) -> int:
    start_us = board.clock_us
    board.reset()
    if not board.run_until(lambda: any(board.leds()), step_us=LOOK_US):
        raise RuntimeError("no LED is lit")
    return board.clock_us - start_us - SHOWN_US[board.board]


def _presses(firmware: str, files: Files | None = None) -> Iterator[int]:
    """Microseconds from presses, in the menu and in games, to the first change of the LEDs.

    A change is when the pins begin to show something else. files: by default the game.
    """
    board = stepped(firmware)(files)
    run_to_menu(board)
    for number in range(PHASES * len(_ROUND) // 4):
        index = number % len(_ROUND)
        board.run_for(DECIDED_US)
        if index >= _IN_GAME:  # the cursor blinks: that is not taken for the press's answer
            _run_to_change(board)
        board.run_for(PHASE_US * (number % PHASES))
        button = _button(_ROUND[index])
        yield _wait_us(board, button)
        board.run_for(DEBOUNCE_US)
        board.release(button)
        if index + 1 == len(_ROUND):
            board.run_for(DECIDED_US)
            _press(board, "AB", DEBOUNCE_US)


def _bare_press_us(firmware: str) -> int:
    """The most microseconds from a press to an LED, for a script that only lights it."""
    board = stepped(firmware)({"main.py": _BARE_PRESS})
    board.run_for(1_000_000)
    waits = []
    for number in range(PHASES):
        board.run_for(50_000 + PHASE_US * number)
        waits.append(_wait_us(board, "A"))
        board.release("A")
    return max(waits)


def never_silent() -> dict[str, bytes]:
    """The game with radio, sending a frame in each turn of its loop: more than it ever does."""
    files = dict(files_with(Radio(sends=7), "V2", files_for_boards()))
    again = b"if i[1]>10:"
    if files["air.py"].count(again) != 1:
        raise RuntimeError("air.py has changed; find out anew how it never stops to send")
    files["air.py"] = files["air.py"].replace(again, b"i[0]=0\n    if i[1]>9999:")
    return files


def _wait_us(board: Microbit, button: Button) -> int:
    """Press a button, and return the microseconds until the LEDs begin to change."""
    start_us = board.clock_us
    board.press(button)
    if not _run_to_change(board):
        raise RuntimeError(f"a press of {button} changes nothing")
    return board.clock_us - start_us - SHOWN_US[board.board]


def _run_to_change(board: Microbit) -> bool:
    leds_before = board.leds()
    return board.run_until(lambda: board.leds() != leds_before, 1_000_000, LOOK_US)


def run_to_menu(board: Microbit) -> None:
    board.run_until(lambda: b"$NB" in board.uart.received, step_us=LOOK_US)


def _press(board: Microbit, buttons: str, down_us: int) -> None:
    for name in buttons:
        board.press(_button(name))
    board.run_for(down_us)
    for name in buttons:
        board.release(_button(name))


def _button(name: str) -> Button:
    return "A" if name == "A" else "B"
