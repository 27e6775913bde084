"""`noughts watch`: every board that is plugged in, live, and every game stored."""

import gc
import json
import re
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import click

from noughts.boards.ports import find_ports, may_be_port
from noughts.cli import options
from noughts.cli.options import option
from noughts.errors import BoardError, NoughtsError, printable
from noughts.protocol.describe import counted
from noughts.recording.data_logs import DataLogs, name_of_copy
from noughts.recording.events import Event, NotShown, StoreBusy, StoreGone
from noughts.recording.port_monitor import PortMonitor
from noughts.recording.radio_lines import MAX_BOARDS, known_ids
from noughts.recording.recorder import Recorder
from noughts.recording.session import Session
from noughts.recording.sources import read_captured
from noughts.rooms.address import BrokerAddress, is_broker, parse, room_name
from noughts.store import timestamps
from noughts.store.queries import names
from noughts.store.store import Store, command_for, default_path, demonstration
from noughts.terminal.output import Lines, leaving_a_stuck_terminal, progress, say

_SHUTDOWN_TIMEOUT_S = 2.0
"""To print the last lines on a busy computer, and for a reader to take them."""


@options.command(
    "noughts watch",
    "noughts watch --emulated 3",
    "noughts watch --plain /dev/ttyACM0",
    "noughts watch --publish mqtts://3b@broker.example --room 3b --password-file password",
    "noughts watch mqtts://office@broker.example --password-file password",
)
@click.argument(
    "port",
    nargs=-1,
    help="a serial port, or a URL such as socket://HOST:PORT, rfc2217://HOST:PORT or, for the "
    "games of rooms, mqtt://HOST (every micro:bit that is plugged in)",
)
@option("--emulated N", "start N boards that play by themselves", type=options.IntRange(1, 16))
@option("--from FILE", "read a captured log, a V2's MY_DATA.HTM or its CSV (-: stdin)", "captured")
@option("--name BOARD", "with --from: the board's name, where the log does not give it")
@option(
    "--known FILE",
    "by radio, accept only the boards in this file: one id (9A1B2C3D) or name per line, # starts "
    f"a comment (without it, boards with a name, and the first {MAX_BOARDS} others per gateway)",
)
@option("--plain", "print a line for each event")
@option("--json", "print a JSON object for each event (see docs/scripts.md)", "as_json")
@options.db
@option(
    "--publish URL",
    "publish what the boards send to an MQTT broker, mqtt[s]://[user@]host[:port][/prefix]; "
    "to collect from a broker, give its URL as PORT instead (see docs/rooms.md)",
)
@option("--room NAME", "with --publish: this room's name (default: this host's)")
@option("--password-file FILE", "a file with the broker's password (or use NOUGHTS_MQTT_PASSWORD)")
@option("--ca FILE", "with mqtts: the broker's CA certificate, in PEM (else the system's)")
def run_watch(
    port: tuple[str, ...],
    emulated: int | None,
    captured: Path | None,
    name: str | None,
    known: Path | None,
    plain: bool,
    as_json: bool,
    db: Path | None,
    publish: str | None,
    room: str | None,
    password_file: Path | None,
    ca: Path | None,
) -> None:
    """Show every board live, and store every game."""
    if captured is not None and (port or emulated or publish):
        raise click.UsageError("--from reads a file; leave out ports, --emulated and --publish")
    if emulated and port:
        raise click.UsageError("--emulated is a demonstration without real boards; leave out ports")
    if name is not None and captured is None:
        raise click.UsageError("--name needs --from")
    if name is not None and not re.fullmatch("[0-9A-Za-z/][!-~]{0,99}", name):
        # In the spreadsheet of an export, it might be a formula.
        raise click.UsageError(f"{name[:20]!r} is not a valid name; a-z or 0-9 first, no spaces")
    if room is not None and publish is None:
        raise click.UsageError("--room needs --publish")
    addresses = (parse(each, password_file, ca) for each in port if is_broker(each))
    collects = list(dict.fromkeys(addresses))
    publishes = None if publish is None else parse(publish, password_file, ca)
    if not (collects or publishes) and (password_file or ca):
        raise click.UsageError("--password-file and --ca are for a broker; leave them out")
    room = room_name(room)
    _check_brokers(collects, publishes)
    ports = [each for each in port if not is_broker(each)]
    for each in ports:
        if not may_be_port(each):
            raise NoughtsError(f"{each} is not a serial port; to read a file, put --from before it")
    path = db or default_path()
    if emulated and db is None:
        path = demonstration(path)
    gc.set_threshold(200_000)  # thousands of sentences come and go, without cycles
    gc.freeze()  # imported modules stay: the collector can skip them
    lists_events = plain or as_json
    unshown, session, stop = 0, Session(), threading.Event()
    with ExitStack() as stack:
        # Before the store is made.
        file = captured and stack.enter_context(click.open_file(str(captured), "rb"))
        store = stack.enter_context(Store(path, create=True))
        ids = None if known is None else known_ids(known, names(store))
        session.names.update(names(store))
        # Closed last: closing a store releases all locks that this process has on it.
        recorder = stack.enter_context(closing(Recorder(store, known=ids)))
        if captured and file:
            _read(captured, file, name, recorder, session, as_json if lists_events else None)
            _sum_up(session, recorder)
            return
        with options.until_signal(stop, "SIGINT", "SIGTERM", "SIGHUP"):

            def follow(source: Any) -> None:
                recorder.sources.append(stack.enter_context(closing(source)))

            # These imports take 7 MB of memory, which few watches need.
            for address in collects:
                from noughts.rooms.collector import Collector

                follow(Collector(address))
            if publishes:
                from noughts.rooms.publisher import Publisher

                follow(Publisher(publishes, room, lambda: recorder.store))
            if emulated:
                recorder.sources.append(_autoplayed(emulated, stack, stop))
            elif ports or not collects:
                follow(PortMonitor(ports))
                if not ports:
                    follow(DataLogs())
            if lists_events or not sys.stdout.isatty():
                if not emulated and not port and not find_ports():
                    say("no micro:bit is plugged in; waiting for one (Ctrl-C ends)")
                unshown = _print_until(stop, recorder, session, as_json)
            else:
                _show_until(stop, recorder, session)
    _sum_up(session, recorder, unshown)
    if emulated and db is None:
        lists = f"{command_for('noughts games', path)} and {command_for('noughts boards', path)}"
        say(f"{lists} list them")


def _check_brokers(collects: Sequence[BrokerAddress], publishes: BrokerAddress | None) -> None:
    """Refuse a loop, and warn of what others could read or confirm."""
    if publishes and str(publishes) in map(str, collects):  # as any user
        raise NoughtsError(f"{publishes} would get its own messages back; publish to another one")
    for address in [*collects, *([publishes] if publishes else [])]:
        if address.password is not None and not address.tls and not address.is_here:
            say(f"the password to {address} is unencrypted; use mqtts:// if the broker supports it")
    if publishes and publishes.user is None and not publishes.is_here:
        say(
            f"{publishes} has no user; if the broker needs none, anyone who can reach it can "
            "confirm games that no collector has stored (see docs/rooms.md)"
        )


def _autoplayed(count: int, stack: ExitStack, stop: threading.Event) -> PortMonitor:
    """Follow virtual boards that play by themselves, alternately V2 and V1.

    If one cannot be started, `stop` is set, and leaving the stack raises `BoardError`.
    """
    from noughts.recording.virtual_boards import VirtualBoards
    from noughts.virtual.board import autoplay

    def changed(name: str) -> None:
        if name in boards.running:
            playing = boards.running[name], list(boards.kinds).index(name), stop
            threading.Thread(target=autoplay, args=playing, name="autoplay", daemon=True).start()
        else:
            stop.set()

    def end() -> None:
        stop.set()
        boards.close()
        for error in boards.errors.values():
            raise BoardError(error)

    monitor = PortMonitor(find=list)
    boards = VirtualBoards(count, monitor.follow, changed)
    stack.callback(end)
    boards.start()
    return monitor


def _read(
    captured: Path,
    file: Any,
    name: str | None,
    recorder: Recorder,
    session: Session,
    as_json: bool | None,
) -> None:
    """Store the games of a captured log or a data log. as_json: None lists no events."""
    is_input = captured == Path("-")
    called = "stdin" if is_input else printable(captured.name)
    name = name or (called if is_input else name_of_copy(called))

    def show(events: list[Event]) -> None:
        lines = _lines(events, session, bool(as_json))
        for event in events:
            if isinstance(event, StoreBusy | StoreGone):
                say(event.text())
        if lines and as_json is not None:
            print(*lines, sep="\n", flush=True)

    total = 0
    with progress(0 if is_input else captured.stat().st_size) as steps:
        steps.doing(f"reading {name}")
        for size, changes in read_captured(file, called, name, 1 if is_input else 512):
            for change in changes:
                recorder.take(change)
            while recorder.pending:
                show(recorder.poll())
            total += size
            steps.advance(size)
        show(recorder.finish())
    if not session.sentences and (recorder.noise or not total):
        raise NoughtsError(f"{called} has no sentences of noughts; check which file it is")


def _print_until(stop: threading.Event, recorder: Recorder, session: Session, as_json: bool) -> int:
    """Returns how many events were not shown."""

    def dropped(count: int) -> str:
        return _lines([NotShown(count)], session, as_json)[0]

    lines = Lines(sys.stdout, dropped, stop.set)
    try:
        recorder.run(stop, lambda events: lines.put(_lines(events, session, as_json)))
    finally:
        unshown = lines.close(_SHUTDOWN_TIMEOUT_S)
    return unshown


def _show_until(stop: threading.Event, recorder: Recorder, session: Session) -> None:
    from noughts.terminal.watch import WatchApp

    app = WatchApp(recorder, session, stop)
    with ThreadPoolExecutor(1) as pool:
        recording = pool.submit(recorder.run, stop, app.take)
        recording.add_done_callback(lambda _: stop.set())
        try:
            with leaving_a_stuck_terminal(stop, lambda: wait([recording])):
                app.run()
        finally:
            stop.set()
            recording.result()


def _lines(events: Sequence[Event], session: Session, as_json: bool) -> list[str]:
    """Add events to a session; gives one line for each."""
    for event in events:
        session.take(event)
    if as_json:
        at = {"at": timestamps.iso(timestamps.now())}
        return [json.dumps(at | event.record()) for event in events]
    return [printable(event.text(session.called)) for event in events if not event.resent]


def _sum_up(session: Session, recorder: Recorder, unshown: int = 0) -> None:
    late = f" ({session.recovered:,} recovered)" if session.recovered else ""
    said = f"{counted(session.sentences, 'sentence')} from {counted(len(session.playing), 'board')}"
    ended = f"{counted(session.games, 'game')} ended{late}"
    parts = [f"{said}, {ended}, {counted(recorder.noise, 'byte')} of noise"]
    if refused := recorder.radio.refused:
        parts.append(f"{counted(refused, 'sentence')} by radio refused")
    if unshown:
        parts.append(f"{counted(unshown, 'event')} not shown, as the reader was too slow")
    say("; ".join([*parts, f"stored in {recorder.store.path}"]))
