"""`noughts watch`: every board that is plugged in, live, and every game stored."""

from __future__ import annotations

import gc
import re
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType, SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import click
import serial

from noughts.boards.ports import find_ports, may_be_port
from noughts.cli import options
from noughts.cli.watch_captured import known, read_captured
from noughts.cli.watch_output import RECORDS, EventLines, as_lines, sum_up
from noughts.cli.watch_rooms import Rooms, room_options
from noughts.errors import NoughtsError
from noughts.invocation import as_typed
from noughts.store.store import Store, command_for, default_path
from noughts.terminal.lines import say
from noughts.terminal.stuck import leaving_a_stuck_terminal
from noughts.watch.data_logs import DataLogs
from noughts.watch.events import Event
from noughts.watch.port_monitor import PortMonitor
from noughts.watch.radio_lines import MAX_BOARDS
from noughts.watch.recorder import Recorder
from noughts.watch.session import Session

_SHUTDOWN_TIMEOUT_S = 2.0
"""For the last lines to be printed, on a busy computer, and a reader to take them."""
_NAME = re.compile("[0-9A-Za-z/][!-~]{0,99}")  # no formula for the spreadsheet of an export


@options.command(
    "noughts watch",
    "noughts watch --emulated 3",
    "noughts watch --plain /dev/ttyACM0",
    "noughts watch --publish mqtts://3b@broker.example --room 3b --password-file password",
    "noughts watch mqtts://office@broker.example --password-file password",
    records=RECORDS,
)
@click.argument(
    "port",
    nargs=-1,
    help="a serial port, or a URL such as socket://HOST:PORT, rfc2217://HOST:PORT or, for what "
    "rooms publish, mqtt://HOST (every micro:bit that is plugged in)",
)
@click.option(
    "--emulated",
    metavar="N",
    type=options.IntRange(1, 16),
    help="start N virtual boards that play by themselves",
)
@click.option(
    "--from",
    "captured",
    metavar="FILE",
    type=click.Path(readable=False),
    help="read a captured log, or the MY_DATA.HTM of a V2 (- for standard input)",
)
@click.option(
    "--name", metavar="BOARD", help="with --from: the board's name, where the log does not give it"
)
@click.option(
    "--known",
    type=options.FILE,
    help="by radio, keep only the boards in this file: a line for each, its id (9A1B2C3D) or its "
    f"name in `noughts boards`, # before a comment (without it, the first {MAX_BOARDS} boards that "
    "a gateway hears)",
)
@click.option("--plain", is_flag=True, help="print a line for each event")
@click.option("--json", is_flag=True, help="print a JSON object for each event")
@options.db
@room_options
def run(**named: Any) -> int:
    """Show every board live, and keep every game."""
    args = SimpleNamespace(**named)
    if args.captured is not None and (args.port or args.emulated or args.publish):
        raise click.UsageError("--from reads a file; leave out ports, --emulated and --publish")
    if args.emulated and args.port:
        raise click.UsageError("--emulated is a demonstration without real boards; leave out ports")
    if args.name is not None and args.captured is None:
        raise click.UsageError("--name needs --from")
    if args.name is not None and not _NAME.fullmatch(args.name):
        raise click.UsageError(
            f"{args.name[:20]!r} is not a valid name; begin with a letter or digit, without spaces"
        )
    rooms = Rooms(args)
    for port in rooms.ports:
        _check(port)
    path = args.db or default_path()
    if args.emulated and args.db is None:
        path = options.demonstration(path)
    gc.set_threshold(200_000)  # sentences come and go by the thousand, and hold no cycles
    gc.freeze()  # what was imported stays, so nobody needs to look through it
    if args.captured is not None:
        return read_captured(args, path)
    status = _watch(args, rooms, Store(path, create=True))
    if args.emulated and args.db is None:
        lists = f"{command_for('noughts games', path)} and {command_for('noughts boards', path)}"
        say(as_typed(f"{lists} list them"))
    return status


def _check(port: str) -> None:
    """A URL that pyserial will never know is an error now; a port may still be plugged in."""
    try:
        port.encode()
        if not port.strip():
            raise ValueError("its name is empty")
        _check_address(port)
        if not may_be_port(port):
            raise ValueError("it is not a serial device")
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


def _watch(args: SimpleNamespace, rooms: Rooms, store: Store) -> int:
    session = Session()
    stop = threading.Event()
    unshown = 0
    with store, ExitStack() as stack, _until_signal(stop):
        # It is closed last: to close a store ends all locks that this process has on it.
        recorder = Recorder(store, known=known(args, store))
        stack.callback(recorder.close)
        rooms.start(recorder, stack)
        if args.emulated:
            from noughts.cli.watch_autoplay import autoplayed

            recorder.sources.append(autoplayed(args.emulated, stack, stop))
        elif rooms.ports or not rooms.collects:
            monitor = PortMonitor(rooms.ports)
            stack.callback(monitor.close)
            recorder.sources.append(monitor)
            if not rooms.ports:
                logs = DataLogs()
                stack.callback(logs.close)
                recorder.sources.append(logs)
        if args.plain or args.json or not sys.stdout.isatty():
            if not args.emulated and not args.port and not find_ports():
                say("no micro:bit is plugged in; waiting for one (Ctrl-C ends)")
            unshown = _print_until(stop, recorder, session, args.json)
        else:
            _show_until(stop, recorder, session)
    sum_up(session, recorder, unshown)
    return 0


def _print_until(stop: threading.Event, recorder: Recorder, session: Session, as_json: bool) -> int:
    """Gives how many events are not shown."""

    def tell(events: list[Event]) -> None:
        for event in events:
            session.take(event)
        lines.put(as_lines(events, as_json, session.called))

    lines = EventLines(as_json, stop.set)
    recorder.start(stop, tell)
    try:
        recorder.wait()
    finally:
        unshown = lines.close(_SHUTDOWN_TIMEOUT_S)
    return unshown


def _show_until(stop: threading.Event, recorder: Recorder, session: Session) -> None:
    from noughts.terminal.watch_app import WatchApp

    app = WatchApp(recorder, session, stop)
    recorder.start(stop, app.take)
    try:
        with leaving_a_stuck_terminal(stop, recorder.join):
            app.run()
    finally:
        stop.set()
        recorder.wait()


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
