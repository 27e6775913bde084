"""`noughts play`: a virtual micro:bit with the game, in the terminal or with keys given as text.

With `--keys` the board is stepped, so the same keys give the same text on every computer.
"""

from __future__ import annotations

import re
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from microbit_emulator import EmulatorError
from noughts.boards.firmware import firmware_for
from noughts.boards.tracebacks import place_in_device
from noughts.cli import options
from noughts.cli.options import FILE
from noughts.errors import BoardError, NoughtsError
from noughts.protocol.describe import counted
from noughts.protocol.parser import Noise, ParsedSentence, Stream
from noughts.protocol.sentences import Boot
from noughts.store.store import command_for, default_path
from noughts.terminal.output import has_screen, leaving_a_stuck_terminal, say
from noughts.virtual.program import BOARDS, Program, StoredFlash, program, unchanged

if TYPE_CHECKING:
    from microbit_emulator import Button, Microbit
    from noughts.recording.watch import Watch
    from noughts.terminal.play import PlayedGames

DOWN_MS = 60
UP_MS = 190
"""After a press: longer than the 100 ms in which the device takes two presses as both."""
LAST_MS = 300
SEEN_MS = 100
START_MS = 20_000
LOOK_MS = 20
"""Between two looks at the LEDs; a V1 needs a little less for its three rows."""

_BUTTONS: dict[str, tuple[Button, ...]] = {"A": ("A",), "B": ("B",), "AB": ("A", "B")}
_KEY = re.compile(
    r"(?P<buttons>A|B|AB)(:(?P<held_ms>[0-9]+))?|(?P<rest_ms>[0-9]+)|"
    r"flat|tilt:(?P<x>-?[0-9]+),(?P<y>-?[0-9]+)"
)

_MAX_DIGITS = 7


class Step(NamedTuple):
    """One key: buttons to press together, or a tilt of the board, or just a wait."""

    buttons: tuple[Button, ...] = ()
    down_ms: int = 0
    """Of device time, to hold them."""
    rest_ms: int = 0
    """Of device time, to wait afterwards."""
    tilt: tuple[int, int] | None = None
    """In milli-g (x right, y towards the pins), until the next tilt."""


def read_keys(text: str) -> list[Step]:
    """The steps of a `--keys` text. Raises `ValueError`, which names the wrong token."""
    return [_step(token) for token in text.split()]


def _step(token: str) -> Step:
    match = _KEY.fullmatch(token)
    if match is None:
        raise ValueError(
            f"{token!r} is not a valid key; use A, B, AB, A:40 to hold A for 40 ms, tilt:400,0, "
            "flat, or a wait in ms such as 500"
        )
    numbers = match["rest_ms"], match["held_ms"], match["x"], match["y"]
    if any(len(number) > _MAX_DIGITS for number in numbers if number):
        raise ValueError(
            f"{token[:20]!r} has too large a number; use at most {_MAX_DIGITS} digits, which is "
            "10,000 seconds"
        )
    if match["rest_ms"]:
        return Step(rest_ms=int(match["rest_ms"]))
    if match["held_ms"]:
        return Step(_BUTTONS[match["buttons"]], int(match["held_ms"]))
    if match["buttons"]:
        return Step(_BUTTONS[match["buttons"]], DOWN_MS, UP_MS)
    return Step(tilt=(int(match["x"] or 0), int(match["y"] or 0)))


@options.command(
    "noughts play",
    "noughts play --board v1",
    "noughts play --two",
    "noughts play --keys 'B 500 A A B'",
)
@click.option(
    "--board",
    cls=options.Option,
    type=click.Choice(BOARDS, case_sensitive=False),
    default="V2",
    help="the micro:bit",
)
@click.option(
    "--firmware",
    type=FILE,
    help="run this official MicroPython hex instead, with the game's files",
)
@click.option(
    "--hex",
    type=FILE,
    help="run this hex as it is, with the files that are in it",
)
@click.option(
    "--fresh",
    is_flag=True,
    help="start with a new board, which does not know your last choice",
)
@click.option(
    "--two",
    is_flag=True,
    help="two new boards side by side, which can play each other by radio (R in the menu)",
)
@click.option(
    "--keys",
    metavar="KEYS",
    type=read_keys,
    help="press these on a new board, without a terminal, and print what happens: A, B, AB, A:40 "
    "(held for 40 ms), tilt:400,0 (milli-g, to the right and towards the pins), flat, and waits in "
    "ms",
)
@options.db
def run_play(
    board: str,
    firmware: Path | None,
    hex: Path | None,
    fresh: bool,
    two: bool,
    keys: list[Step] | None,
    db: Path | None,
) -> int:
    """Play on a virtual micro:bit in this terminal."""
    if two and keys is not None:
        raise click.UsageError("--keys presses the buttons of one board; leave out --two")
    if keys is not None and db:
        raise click.UsageError("--keys stores no games; leave out --db")
    if firmware and hex:
        raise click.UsageError("--firmware and --hex both say what the board runs; give only one")

    def new_program() -> Program:
        loaded = firmware_for(board, hex or firmware)
        return unchanged(loaded) if hex else program(firmware=loaded)

    if keys is None:
        return _play(_Memory(new_program, hex is None and not two, fresh), two, db)
    _press(keys, new_program())
    return 0


def _press(keys: list[Step], program: Program) -> None:
    handler = signal.getsignal(signal.SIGINT)
    if handler is signal.default_int_handler:
        # Ctrl-C ends it by the signal itself, at once: there is nothing to tidy up.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        for text in KeyPlayer(program.microbit()).play(keys):
            print(text, flush=True)
    except EmulatorError as error:
        raise BoardError(str(error)) from error
    finally:
        signal.signal(signal.SIGINT, handler)


def _play(memory: _Memory, two: bool, db: Path | None) -> int:
    if not has_screen():
        advice = "use a terminal" if two else "use --keys 'B 500 A A B' instead"
        raise NoughtsError(f"there is no terminal to play in, or it has no full screen; {advice}")
    from noughts.recording.port_monitor import PortMonitor
    from noughts.recording.watch import Watch
    from noughts.terminal.play import BoardApp, PlayedGames, TwoBoardsApp
    from noughts.virtual.board import Air, VirtualBoard

    path, air = db or default_path(), Air() if two else None
    with ExitStack() as stack:
        stopped = threading.Event()
        numbers = stack.enter_context(options.until_signal(stopped, "SIGTERM", "SIGHUP"))
        first = stack.enter_context(VirtualBoard(memory.program, air=air))
        boards = [(f"virtual-{first.board}", first)]
        if two:
            second = stack.enter_context(VirtualBoard(memory.program, air=air))
            boards = [("virtual-left", first), ("virtual-right", second)]
        ports = PortMonitor(find=list)
        watch = Watch(path, [ports], has_fallback=True)
        games = PlayedGames(watch)
        stack.callback(_sum_up, watch, games, memory, path)
        stack.callback(watch.close)
        for name, board in boards:
            ports.follow(name, board.port, board.serial)
        watch.start()
        saving = stack.enter_context(ThreadPoolExecutor(1))

        def finish() -> None:
            with suppress(RuntimeError):  # it has finished saving already
                saving.submit(lambda: None).result()  # after all that were submitted
            watch.close()

        app = (TwoBoardsApp if two else BoardApp)(
            boards, stopped, watch, games, lambda flash: saving.submit(memory.keep, flash)
        )
        with leaving_a_stuck_terminal(stopped, finish):
            app.run()
        saving.submit(memory.keep, first.finish_writing())
        if app.failure is not None:
            raise app.failure
    watch.raise_fault()
    return 128 + numbers[0] if numbers else app.return_code or 0


class _Memory:
    """The flash of the board, which lasts from one run to the next, if it `remembers`.

    start: makes the program of a new board. fresh: whether to forget the earlier runs.
    """

    def __init__(self, start: Callable[[], Program], remembers: bool, fresh: bool) -> None:
        self._start, self._remembers, self._fresh = start, remembers, fresh
        self._stored: StoredFlash | None = None

    def program(self) -> Program:
        new = self._start()
        if not self._remembers:
            return new
        self._stored = StoredFlash(default_path().parent / "virtual", new)
        if self._fresh:
            self._stored.path.unlink(missing_ok=True)
        return self._stored.program()

    def keep(self, flash: bytes) -> None:
        if self._stored is not None:
            self._stored.keep(flash)

    @property
    def error(self) -> str:
        """Why the flash could not be read or written, in one line."""
        return "" if self._stored is None else self._stored.error


def _sum_up(watch: Watch, games: PlayedGames, memory: _Memory, path: Path) -> None:
    if stored := len(games.stored):
        replay = command_for(f"noughts replay {max(games.stored)}", path)
        say(f"{counted(stored, 'game')} stored; {replay} shows the last one")
    if watch.moved:
        say(f"noughts: {watch.moved}")
    if watch.error:
        say(f"noughts: games are not stored: {watch.error}")
    if memory.error:
        say(f"noughts: the virtual board's memory: {memory.error}")


class KeyPlayer:
    """Presses keys on a board, and yields its LED pictures and its sentences as they come.

    An LED picture is given once two looks agree, so that none is half drawn, and at most once
    after each key.
    """

    def __init__(self, board: Microbit) -> None:
        self._board = board
        self._stream = Stream()
        self._printed_pictures: set[bytes] = set()
        self._last = b""
        self._started = False

    def play(self, steps: list[Step]) -> Iterator[str]:
        """Lines of text, from the board's start to a moment after the last key."""
        while not (self._started and any(self._board.leds())):
            if self._board.clock_us > START_MS * 1000:
                raise BoardError("the board does not start the game; check its files")
            self._board.run_for(1000)
            yield from self._new_lines()
        # A button that is down when the game starts does not count as a press.
        yield from self._watch(SEEN_MS)
        for step in steps:
            if step.buttons or step.tilt:
                self._printed_pictures.clear()
            if step.tilt:
                self._board.tilt(*step.tilt)
            for act, ms in ((self._board.press, step.down_ms), (self._board.release, step.rest_ms)):
                for button in step.buttons:
                    act(button)
                yield from self._watch(ms)
        yield from self._watch(LAST_MS)

    def _watch(self, ms: int) -> Iterator[str]:
        end_us = self._board.clock_us + ms * 1000
        while (left_us := end_us - self._board.clock_us) > 0:
            self._board.run_for(min(LOOK_MS * 1000, left_us))
            picture = self._board.leds()
            if picture == self._last and picture not in self._printed_pictures:
                self._printed_pictures.add(picture)
                yield f"{self._clock()}  LEDs\n{text_of(picture)}"
            self._last = picture
            yield from self._new_lines()

    def _new_lines(self) -> Iterator[str]:
        for item in self._stream.feed(self._board.uart.receive()):
            self._started |= isinstance(item, ParsedSentence) and isinstance(item.sentence, Boot)
            line = f"noise: {place_in_device(item.text)}" if isinstance(item, Noise) else item.line
            yield f"{self._clock()}  {line}"

    def _clock(self) -> str:
        return f"{self._board.clock_us // 1000:>7} ms"


def text_of(picture: bytes) -> str:
    """Five lines of five levels; a dot is a dark LED."""
    rows = [picture[start : start + 5] for start in range(0, 25, 5)]
    return "\n".join(" " * 12 + "".join(str(level or ".") for level in row) for row in rows)
