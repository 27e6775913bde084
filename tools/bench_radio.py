"""The rows of `make bench` about two boards that play by radio: heap, times, on stepped boards.

They repeat to the instruction, like those of `bench_board.py`. Times of moves and presses have the
chance of radio in them: when a frame is sent, which one is lost. Their seeds are fixed.
"""

import statistics
from bisect import bisect_left
from collections.abc import Callable, Iterator
from itertools import combinations_with_replacement
from random import Random

from bench_board import DEBOUNCE_US, DECIDED_US, LOOK_US, PHASE_US, PHASES, PRESS_MS, SHOWN_US
from bench_rows import Row, at_least, at_most
from boards import A, B
from heap_probe import PLACES, HeapProbe
from microbit_emulator import Button, Microbit
from noughts.boards.packing import packed
from noughts.brain.device import device_files
from official import NEWEST, firmwares
from two_boards import TwoBoards

Rows = Iterator[Row]

_V1S = firmwares()[:2]
_PLACE_NAMES = {"microbit.sleep": "a turn", "print": "a sentence", "len": "a frame"}
_PIECE, _PIECES = 64, 12
"""Bytes of heap that 48 bytes take with their object; 12 pieces are the target, 768."""
_MOVES_IN_A_GAME = 9
"""With button B alone: nobody wins."""
_MOVES = 12 * _MOVES_IN_A_GAME
_MOVE_MS = {0.0: (150, 400), 0.3: (None, 1200)}
"""The limits of the median and of 99%, by the share of frames that is lost."""
_STARTS_OF_EACH = 2
_TURNS = 2 * PHASES
_SETTLED_MS = 20
"""The three rows of a V1's LEDs change one after another."""
_STEP_US = 1000
_MOVES_PROBED = 3
"""The last ones, whose frames are the longest."""
_PROBE_STEP_US = 50
"""With 100, a halt may be so long that the firmware's clock is late by seconds."""


def radio_heap() -> Rows:
    """Free heap after collection: at each turn of the loop, before a sentence, in a frame's check.

    Games with buttons and with tilt; a board of each pair is player A, and one is player B.
    """
    for name in _V1S:
        with_buttons, with_tilt = (_lowest_heap(name, controls) for controls in "bt")
        lowest = {place: min(with_buttons[place], with_tilt[place]) for place in PLACES}
        places = [f"{_PLACE_NAMES[place]} {free:,}" for place, free in lowest.items()]
        what = f"free heap at the worst moment of a game by radio, {name}"
        yield at_least(what, min(lowest.values()), 2600, "{:,} bytes", ", ".join(places))


def radio_room() -> Rows:
    """What can be taken from the heap, in small pieces, with a game by radio still possible."""
    for name in _V1S:
        tried = range(1, _PIECES + 1)
        pieces = bisect_left(tried, True, key=lambda pieces: not _plays(name, pieces))
        what = f"heap to spare while a game by radio is loaded, {name}"
        yield at_least(what, pieces * _PIECE, _PIECES * _PIECE, "{:,} bytes")


def radio_start() -> Rows:
    """From button B at the channel, on the later of two boards, to the first game on both."""
    starts_s = []
    for firmware_names in combinations_with_replacement(NEWEST, 2):
        for seed in range(1, 1 + _STARTS_OF_EACH):
            starts_s.append(_start_us(firmware_names, seed) / 1e6)
    note = f"median {statistics.median(starts_s):.2f} s"
    what = f"from the channel to the first game by radio, worst of {len(starts_s)}, V1 and V2"
    yield at_most(what, max(starts_s), 3, "{:.2f} s", note)


def radio_moves() -> Rows:
    """From the press that places a mark to this mark on the other board's LEDs."""
    for loss, (median_limit_ms, limit_ms) in _MOVE_MS.items():
        waits_ms = sorted(us / 1000 for us in _moves(loss))
        what = f"a move by radio, press to the other board's LEDs, {loss:.0%} of frames lost, "
        median_ms = statistics.median(waits_ms)
        yield at_most(f"{what}median of {_MOVES}", median_ms, median_limit_ms, "{:,.0f} ms")
        most_ms = waits_ms[-1 - _MOVES // 100]
        note = f"worst {waits_ms[-1]:,.0f} ms"
        yield at_most(f"{what}99%", most_ms, limit_ms, "{:,.0f} ms", note)


def radio_presses() -> Rows:
    """From a button's pin to the board's own LEDs, in games of a V1 and a V2."""
    waits_us: dict[str, list[float]] = {name: [] for name in NEWEST}
    for name, wait_us in _presses():
        waits_us[name].append(wait_us)
    for name, times_us in waits_us.items():
        note = f"median {statistics.median(times_us) / 1000:.1f} ms"
        what = f"press to the first change on the LEDs, by radio, worst of {len(times_us)}, {name}"
        yield at_most(what, max(times_us) / 1000, PRESS_MS[name], "{:.1f} ms", note)


PARTS = (radio_heap, radio_room, radio_start, radio_moves, radio_presses)


class _ProbedBoards(TwoBoards):
    """Two V1s whose free heap is measured, all the time once `attach` is called."""

    def __init__(self, firmware: str, controls: str) -> None:
        super().__init__((firmware, firmware), controls=controls)
        self._firmware = firmware
        self.probes: list[HeapProbe] = []

    def attach(self) -> None:
        """Measure from now on."""
        boards = [board.driver.board for board in self.all]
        self.probes = [HeapProbe(board, self._firmware, self._run) for board in boards]

    def _run(self) -> None:
        self.ether.run_for(_PROBE_STEP_US)

    def rest(self, ms: float) -> None:
        if not self.probes:
            super().rest(ms)
            return
        end_us = self.ether.clock_us + ms * 1000
        while self.ether.clock_us < end_us:
            self._run()
            for probe in self.probes:
                probe.check()

    def wait(self, condition: Callable[[], bool], what: str, seconds: float = 12) -> None:
        end_us = self.ether.clock_us + seconds * 1e6
        while not condition():
            if self.ether.clock_us > end_us:
                raise AssertionError(f"waited for {what}")
            self.rest(10)


def _lowest_heap(firmware: str, controls: str) -> dict[str, int]:
    """The fewest free bytes at the end of a long game, by the place in the program."""
    pair = _ProbedBoards(firmware, controls)
    pair.begin()
    for number in range(_MOVES_IN_A_GAME):
        pair.rest(200)
        if number == _MOVES_IN_A_GAME - _MOVES_PROBED:
            pair.attach()
        pair.move()
    pair.rest(2000)
    a, b = (probe.lowest for probe in pair.probes)
    return {place: min(a[place], b[place]) for place in PLACES}


def _plays(firmware: str, pieces: int) -> bool:
    """Whether two boards, one of them tilted, play by radio with so much of their heap taken."""
    files = device_files()
    taken = b"taken = [bytearray(48) for i in range(%d)]\n" % pieces
    files["main.py"] = files["main.py"].replace(b"try:\n", taken + b"try:\n", 1)
    pair = TwoBoards((firmware, firmware), controls="bt", files=packed(files))
    try:
        pair.begin()
        for _ in range(2):
            pair.rest(200)
            pair.move()
    except AssertionError:
        return False
    return not any(board.driver.noise for board in pair.all)


def _start_us(firmware_names: tuple[str, str], seed: int) -> float:
    random = Random(seed)
    pair = TwoBoards(firmware_names, seed=seed)
    pair.choose_channels()
    pair.rest(random.uniform(0, 100))
    for name in pair.boards:
        pair.rest(random.uniform(0, 400))
        start_us = pair.ether.clock_us
        pair.tap(name, B, up_ms=0)
    pair.wait(lambda: all(board.games for board in pair.all), "a game")
    return pair.ether.clock_us - start_us


def _moves(loss: float) -> Iterator[float]:
    random = Random(1)
    pair = TwoBoards(NEWEST, loss=loss)
    pair.begin()
    for game in range(_MOVES // _MOVES_IN_A_GAME):
        if game:
            _begin_next(pair)
        for placed in range(_MOVES_IN_A_GAME):
            _wait_for_moves(pair, placed)
            pair.rest(random.uniform(50, 200))
            yield _move_us(pair, pair.mover())


def _wait_for_moves(pair: TwoBoards, count: int) -> None:
    pair.wait(lambda: all(len(board.games[-1].moves) == count for board in pair.all), "moves")


def _move_us(pair: TwoBoards, mover: str) -> float:
    """Place a mark, and return the time until it is on the other board's LEDs."""
    board = pair.boards[_other(mover)].driver.board
    lit = _lit(board)
    start_us = pair.ether.clock_us
    pair.tap(mover, B, up_ms=0)
    if not pair.ether.run_until(lambda: not _lit(board) <= lit, 10e6, _STEP_US):
        raise RuntimeError("a move does not arrive")
    return pair.ether.clock_us - start_us - SHOWN_US[board.board]


def _lit(board: Microbit) -> set[int]:
    return {number for number, level in enumerate(board.leds()) if level}


def _begin_next(pair: TwoBoards) -> None:
    """Skip the game's end, and wait for the next game."""
    pair.rest(300)
    for name in pair.boards:
        pair.tap(name, B)
    _wait_for_moves(pair, 0)


def _presses() -> Iterator[tuple[str, float]]:
    """Firmwares and microseconds: in each turn, the other board shows an arrow, the mover moves."""
    pair = TwoBoards(NEWEST)
    pair.begin()
    pair.rest(500)
    for number in range(_TURNS):
        mover = pair.mover()
        placed = len(pair.boards[mover].games[-1].moves)
        phase_ms = PHASE_US * (number % PHASES) / 1000
        pair.rest(_SETTLED_MS + phase_ms)
        yield _wait_us(pair, _other(mover), (A, B)[number % 2])
        for button in (A, B) if placed < 8 else (B,):  # to the last cell, nothing can move
            _wait_for_change(pair, mover)  # the cursor's blinking is not taken for an answer
            pair.rest(_SETTLED_MS + phase_ms)
            yield _wait_us(pair, mover, button)
        _wait_for_moves(pair, placed + 1)
        if pair.boards[mover].games[-1].end != "-":
            _begin_next(pair)


def _other(name: str) -> str:
    return "b" if name == "a" else "a"


def _wait_us(pair: TwoBoards, name: str, button: Button) -> tuple[str, float]:
    """Press a button of a board: its firmware, and the time until its LEDs begin to change."""
    board = pair.boards[name].driver.board
    start_us = pair.ether.clock_us
    board.press(button)
    _wait_for_change(pair, name, LOOK_US)
    wait_us = pair.ether.clock_us - start_us - SHOWN_US[board.board]
    pair.rest(DEBOUNCE_US / 1000)
    board.release(button)
    pair.rest(DECIDED_US / 1000)
    return NEWEST["ab".index(name)], wait_us


def _wait_for_change(pair: TwoBoards, name: str, step_us: float = _STEP_US) -> None:
    board = pair.boards[name].driver.board
    leds_before = board.leds()
    if not pair.ether.run_until(lambda: board.leds() != leds_before, 1e6, step_us):
        raise RuntimeError(f"the LEDs of board {name} do not change")
