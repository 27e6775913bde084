"""`noughts watch`: every board that is plugged in, live, and every game kept."""

from __future__ import annotations

import argparse
import json
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType
from typing import BinaryIO
from urllib.parse import urlsplit

import serial

from noughts.commands.options import add_db, add_records, demonstration
from noughts.errors import BoardError, NoughtsError, printable
from noughts.hardware.ports import find_ports
from noughts.protocol.describe import counted
from noughts.store import timestamps
from noughts.store.boards import names
from noughts.store.store import Store, default_path
from noughts.terminal.lines import Lines, say
from noughts.terminal.progress import progress
from noughts.terminal.stuck import leaving_a_stuck_terminal
from noughts.watch import raw_log
from noughts.watch.events import Event, NotShown, StoreBusy, as_record, in_words, told_again
from noughts.watch.known_boards import known_ids
from noughts.watch.port_monitor import PortMonitor
from noughts.watch.radio_lines import MAX_BOARDS
from noughts.watch.raw_log import RawLog
from noughts.watch.recorder import Recorder, RecorderThread, Watch
from noughts.watch.session import Session

_MAX_EMULATED = 16
_LAST_S = 0.2
"""For a reader to take the last lines."""
_NAME = re.compile("[0-9A-Za-z/][!-~]{0,99}")  # no formula for the spreadsheet of an export

RECORDS = """
with --json, each line is an object with "at" (when it was printed; ISO 8601, UTC) and "event":
  connected  board, port               gone     board, port, why
  kept       board, again, new (kept games that a board has told at its start, each a game below)
  refused    board, gateway, why (what a board says by radio is not kept)
  waiting    port, why                 noise    board, text
  named      board, name (what people call it; null: nothing any more)
  unknown    board, what
  boot       board, gateway, new, boot, hardware, release, table_id
  busy       store (another program writes to it: sentences wait)
  free       store                         moved    store (deleted or overwritten), now
  missed     events (how many were not printed, because nobody read)
  game       board, gateway, new, late, played_before, game (its number in the store), boot,
             number (the board's own count), seats, first, moves (cells 0 to 8), ms (since the game
             began), end (- A B = x)
"gateway" is the board on whose line it came by radio, or null. "late" is true for a game that was
over some time before, "played_before" a moment at which it was, or null where its start is known.
"new" is false for what the store already had. A boot or game is printed once it is stored.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument(
        "port",
        nargs="*",
        metavar="PORT",
        help="a serial port, or a URL such as socket://HOST:PORT or rfc2217://HOST:PORT "
        "(every micro:bit that is plugged in)",
    )
    parser.add_argument(
        "--emulated",
        metavar="N",
        type=int,
        help=f"start N virtual boards (1 to {_MAX_EMULATED}) that play by themselves",
    )
    parser.add_argument(
        "--from", dest="captured", metavar="FILE", help="read a captured log (- for standard input)"
    )
    parser.add_argument(
        "--name",
        metavar="BOARD",
        help="with --from: the board's name, where the log does not give it",
    )
    parser.add_argument(
        "--known",
        metavar="FILE",
        type=Path,
        help="by radio, keep only the boards in this file: a line for each, its id (9A1B2C3D) or "
        "its name in `noughts boards`, # before a comment (without it, the first "
        f"{MAX_BOARDS} boards that a gateway hears)",
    )
    parser.add_argument("--plain", action="store_true", help="print a line for each event")
    parser.add_argument("--json", action="store_true", help="print a JSON object for each event")
    add_db(parser)
    add_records(parser, RECORDS)


def run(args: argparse.Namespace) -> int:
    """Watch until Ctrl-C, or read a captured log."""
    if args.emulated is not None and not 1 <= args.emulated <= _MAX_EMULATED:
        args.error(f"argument --emulated: {args.emulated} is not from 1 to {_MAX_EMULATED}")
    if args.captured is not None and (args.port or args.emulated):
        args.error("--from reads a file; leave out ports and --emulated")
    if args.emulated and args.port and args.db is None:
        args.error("--emulated is a demonstration; with a port, name a store for both with --db")
    if args.name is not None and args.captured is None:
        args.error("--name needs --from")
    if args.name is not None and not _NAME.fullmatch(args.name):
        args.error(
            f"{args.name[:20]!r} is not a valid name; begin with a letter or digit, without spaces"
        )
    for port in args.port:
        _check(port)
    path = args.db or default_path()
    if args.emulated and args.db is None:
        path = demonstration(path)
    if args.captured is not None:
        with _opened(args.captured) as file, Store(path, create=True) as store:
            return _read(args, file, store)
    return _watch(args, Store(path, create=True))


def _check(port: str) -> None:
    """A URL that pyserial will never know is an error now; a port may still be plugged in."""
    try:
        port.encode()
        if not port.strip():
            raise ValueError("its name is empty")
        _check_address(port)
        serial.serial_for_url(port, do_not_open=True).close()
    except Exception as error:  # the handlers of URLs raise whatever they come across
        reason = " ".join(str(error).split())
        raise NoughtsError(
            f"{port} is not a port ({reason}); name a device such as /dev/ttyACM0, or a URL"
        ) from error


def _check_address(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme in ("socket", "rfc2217") and not (parts.hostname and parts.port):
        raise ValueError(f"it needs a host and a port, {parts.scheme}://HOST:PORT")


def _watch(args: argparse.Namespace, store: Store) -> int:
    session = Session()
    stop = threading.Event()
    unshown = 0
    with ExitStack() as stack, _until_signal(stop):
        stack.callback(store.close)
        log = RawLog(raw_log.folder_of(store.path))
        if args.emulated:
            monitor = _autoplayed(args.emulated, args.port, stack, stop)
        else:
            monitor = PortMonitor(args.port)
        stack.callback(monitor.close)
        watch = Watch(store, monitor, log, _known(args, store))
        stack.callback(watch.close)
        if args.plain or args.json or not sys.stdout.isatty():
            if not args.emulated and not args.port and not find_ports():
                say("no micro:bit is plugged in; waiting for one (Ctrl-C ends)")
            unshown = _print_until(stop, watch, session, args.json)
        else:
            _show_until(stop, watch, session)
    _sum_up(session, watch.noise, watch.path, unshown, watch.refused)
    return 0


def _known(args: argparse.Namespace, store: Store) -> frozenset[str] | None:
    return None if args.known is None else known_ids(args.known, names(store))


def _print_until(stop: threading.Event, watch: Watch, session: Session, as_json: bool) -> int:
    """Gives how many events are not shown."""

    def tell(events: list[Event]) -> None:
        for event in events:
            session.take(event)
        lines.put(_lines(events, as_json, session.called))

    lines = _Events(as_json, stop.set)
    recording = RecorderThread(watch, stop, tell)
    recording.start()
    try:
        recording.wait()
    finally:
        unshown = lines.close(_LAST_S)
    return unshown


class _Events(Lines):
    """Events on standard output."""

    def __init__(self, as_json: bool, failed: Callable[[], None]) -> None:
        super().__init__(
            sys.stdout, lambda count: _lines([NotShown(count)], as_json, str)[0], failed
        )


def _lines(events: Iterable[Event], as_json: bool, called: Callable[[str], str]) -> list[str]:
    at = timestamps.now()
    if as_json:
        return [json.dumps(as_record(event, at)) for event in events]
    return [printable(in_words(event, called)) for event in events if not told_again(event)]


def _show_until(stop: threading.Event, watch: Watch, session: Session) -> None:
    from noughts.terminal.watch_app import WatchApp

    app = WatchApp(watch, session, stop)
    app.recording.start()
    try:
        with leaving_a_stuck_terminal(stop, app.recording.join):
            app.run()
    finally:
        stop.set()
        app.recording.wait()


def _autoplayed(
    count: int, ports: Sequence[str], stack: ExitStack, stop: threading.Event
) -> PortMonitor:
    """Follow these ports, and virtual boards that play by themselves, V2 and V1 by turns.

    When one cannot be started, `stop` is set, and the end of the stack raises `BoardError`.
    """
    from noughts.virtual.autoplay import Autoplay
    from noughts.watch.virtual_boards import VirtualBoards

    playing: list[Autoplay] = []

    def changed(name: str) -> None:
        if name in boards.running:
            playing.append(Autoplay(boards.running[name], list(boards.kinds).index(name)))
        else:
            stop.set()

    def end() -> None:
        for each in playing:
            each.stop()
        boards.close()
        for trouble in boards.trouble.values():
            raise BoardError(trouble)

    boards = VirtualBoards(count, lambda: monitor.look(), changed)
    stack.callback(end)
    find = find_ports if ports else list
    monitor = PortMonitor(ports, find, boards.ports, boards.names, boards.opened)
    boards.start()
    return monitor


@contextmanager
def _until_signal(stop: threading.Event) -> Iterator[None]:
    """Ctrl-C and the like end the watch between two sentences; a second one ends it at once."""
    numbers = [signal.SIGINT, signal.SIGTERM]
    if hasattr(signal, "SIGHUP"):
        numbers.append(signal.SIGHUP)
    before = {number: signal.getsignal(number) for number in numbers}

    def on_signal(number: int, frame: FrameType | None) -> None:
        signal.signal(number, before[signal.Signals(number)])
        stop.set()

    for number in numbers:
        signal.signal(number, on_signal)
    try:
        yield
    finally:
        for number in numbers:
            signal.signal(number, before[number])


def _read(args: argparse.Namespace, file: BinaryIO, store: Store) -> int:
    session = Session()
    session.names.update(names(store))
    recorder = Recorder(store, None, _known(args, store))
    name = args.name or (
        "stdin" if args.captured == "-" else f"file-{printable(Path(args.captured).name)}"
    )
    total = Path(args.captured).stat().st_size if args.captured != "-" else 0
    lines = _Events(args.json, lambda: None)
    with progress(total) as steps:
        steps.doing(f"reading {name}")
        for events, size in _recorded(file, recorder, name):
            for event in events:
                session.take(event)
                if isinstance(event, StoreBusy):
                    say(f"{store.path} is in use by another program; waiting until it is done")
            if args.plain or args.json:
                lines.put(_lines(events, args.json, session.called), wait=True)
            steps.advance(size)
    lines.close()
    _sum_up(session, recorder.noise, store.path, 0, recorder.radio.refused)
    return 0


def _recorded(file: BinaryIO, recorder: Recorder, name: str) -> Iterator[tuple[list[Event], int]]:
    for captured in raw_log.read(file):
        yield recorder.hear(captured.board or name, captured.data, captured.at), captured.size
        while recorder.pending:
            yield recorder.settle(), 0
    yield recorder.end(name, None), 0
    while recorder.pending:
        yield recorder.settle(), 0


@contextmanager
def _opened(name: str) -> Iterator[BinaryIO]:
    if name == "-":
        yield sys.stdin.buffer
        return
    with Path(name).open("rb") as file:
        yield file


def _sum_up(session: Session, noise: int, path: Path, unshown: int, refused: int) -> None:
    late = f" ({session.told_late:,} told late)" if session.told_late else ""
    missed = f"{counted(unshown, 'event')} not shown, as nobody read them; " if unshown else ""
    if refused:
        missed = f"{counted(refused, 'sentence')} by radio refused; {missed}"
    say(
        f"{counted(session.sentences, 'sentence')} from {counted(len(session.playing), 'board')}, "
        f"{counted(session.games, 'game')} ended{late}, {counted(noise, 'byte')} of noise; {missed}"
        f"kept in {path}"
    )
