"""`noughts watch`: every board that is plugged in, live, and every game stored."""

import gc
import json
import re
import sys
from collections.abc import Collection, Iterator, Sequence
from io import BufferedReader
from pathlib import Path
from typing import NamedTuple, cast

import click

from noughts.boards.ports import find_ports, may_be_port
from noughts.cli import options
from noughts.cli.options import FILE
from noughts.errors import NoughtsError, printable
from noughts.protocol.describe import counted
from noughts.recording.data_logs import DataLogs, name_of_copy
from noughts.recording.events import Event, NotShown, RowsSkipped, StoreBusy, StoreGone
from noughts.recording.port_monitor import PortMonitor
from noughts.recording.radio_lines import MAX_BOARDS, read_known_ids
from noughts.recording.session import Session
from noughts.recording.sources import CapturedFile, Change, Source, is_blank, read_captured
from noughts.recording.watch import Sink, Watch
from noughts.rooms.address import BrokerAddress, is_broker, parse
from noughts.rooms.room_names import room_name
from noughts.store import timestamps
from noughts.store.queries import names
from noughts.store.store import Store, command_for, default_path, demonstration
from noughts.terminal.output import Lines, has_screen, leaving_a_stuck_terminal, progress, say

_SHUTDOWN_TIMEOUT_S = 2.0
"""To print the last lines on a busy computer, and for a reader to take them."""
_SIGNALS_S = 0.5
"""On Windows, Ctrl-C does not end a wait; so it is a repeated one."""
_NEED_ATTENTION = (StoreBusy, StoreGone, RowsSkipped)
"""Events that are shown while a file is read, even if events are not listed."""


@options.command(
    "noughts watch",
    "noughts watch --emulated 3",
    "noughts watch --plain /dev/ttyACM0",
    "noughts watch --publish mqtts://3b@broker.example --password-file password",
    "noughts watch mqtts://office@broker.example --password-file password",
)
@click.argument(
    "port",
    nargs=-1,
    help="a serial port, or a URL such as socket://HOST:PORT, rfc2217://HOST:PORT or, for the "
    "games of rooms, mqtt://HOST (default: every micro:bit that is plugged in)",
)
@click.option(
    "--emulated",
    metavar="N",
    cls=options.Option,
    type=options.IntRange(1, 16),
    help="start N boards that play by themselves",
)
@click.option(
    "--from",
    "captured",
    type=FILE,
    help="read a captured log, a V2's MY_DATA.HTM or its CSV (-: stdin)",
)
@click.option(
    "--name",
    metavar="BOARD",
    help="with --from: the board's name, where the log does not give it",
)
@click.option(
    "--known",
    "known_file",
    type=FILE,
    help="by radio, accept only the boards in this file: one id (9A1B2C3D) or name per line, # "
    f"starts a comment (without it, boards with a name, and the first {MAX_BOARDS} others per "
    "gateway)",
)
@click.option(
    "--plain",
    is_flag=True,
    help="print a line for each event",
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="print a JSON object for each event (see docs/scripts.md)",
)
@options.db
@click.option(
    "--publish",
    metavar="URL",
    help="publish what the boards send to an MQTT broker, mqtt[s]://[user@]host[:port][/prefix]; "
    "to collect from a broker, give its URL as PORT instead (see docs/rooms.md)",
)
@click.option(
    "--room",
    metavar="NAME",
    help="with --publish: this room's name (default: this host's)",
)
@click.option(
    "--password-file",
    type=FILE,
    help="a file with the broker's password (or use NOUGHTS_MQTT_PASSWORD)",
)
@click.option(
    "--ca",
    type=FILE,
    help="with mqtts: the broker's CA certificate, in PEM (default: the system's)",
)
def run_watch(
    port: tuple[str, ...],
    emulated: int | None,
    captured: Path | None,
    name: str | None,
    known_file: Path | None,
    plain: bool,
    as_json: bool,
    db: Path | None,
    publish: str | None,
    room: str | None,
    password_file: Path | None,
    ca: Path | None,
) -> None:
    """Show every board live, and store every game."""
    _check_usage(port, emulated, captured, name, publish, room)
    ports = [port_name for port_name in port if not is_broker(port_name)]
    brokers = _brokers(port, publish, password_file, ca)
    room = room_name(room)
    _check_brokers(brokers)
    for port_name in ports:
        if not may_be_port(port_name):
            raise NoughtsError(
                f"{port_name} is not a serial port; to read a file, put --from before it"
            )
    path = db or default_path()
    if emulated and db is None:
        path = demonstration(path)
    gc.freeze()  # imported modules stay: the collector can skip them
    lists_events = plain or as_json
    if captured is not None:
        with click.open_file(str(captured), "rb") as file:  # before the store is made
            ids = _prepare(path, known_file)
            # All files of bytes are buffered, but Click does not say so.
            buffered = cast(BufferedReader, file)
            _read(captured, buffered, name, path, ids, as_json if lists_events else None)
        return
    watch = _watch(path, ports, brokers, room, emulated, _prepare(path, known_file))
    unshown = 0
    with options.until_signal(watch.stop, "SIGINT", "SIGTERM", "SIGHUP"):
        if lists_events or not has_screen():
            if not emulated and not port and not find_ports():
                say("no micro:bit is plugged in; waiting for one (Ctrl-C ends)")
            unshown = _print_until_stopped(watch, as_json)
        else:
            _show_until_stopped(watch)
    if watch.failure is not None:
        raise watch.failure
    _sum_up(watch, unshown)
    if emulated and db is None:
        listing = command_for("noughts games", watch.store_path)
        say(f"{listing} lists them; the commands for games and boards take the same --db")


def _check_usage(
    port: Sequence[str],
    emulated: int | None,
    captured: Path | None,
    name: str | None,
    publish: str | None,
    room: str | None,
) -> None:
    """Refuse options that do not go together."""
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


class _Brokers(NamedTuple):
    collected: Sequence[BrokerAddress]
    """From which games are collected."""
    published: BrokerAddress | None
    """To which they are published."""


def _brokers(
    port: Sequence[str], publish: str | None, password_file: Path | None, ca: Path | None
) -> _Brokers:
    addresses = (parse(url, password_file, ca) for url in port if is_broker(url))
    collected = list(dict.fromkeys(addresses))
    published = None if publish is None else parse(publish, password_file, ca)
    if not (collected or published) and (password_file or ca):
        raise click.UsageError("--password-file and --ca are for a broker; leave them out")
    return _Brokers(collected, published)


def _check_brokers(brokers: _Brokers) -> None:
    """Refuse a loop, and warn of what others could read or confirm."""
    collected, published = brokers
    if published and str(published) in map(str, collected):  # as any user
        raise NoughtsError(f"{published} would get its own messages back; publish to another one")
    for address in [*collected, *([published] if published else [])]:
        if address.password is not None and not address.tls and not address.is_here:
            say(f"the password to {address} is unencrypted; use mqtts:// if the broker supports it")
    if published and published.user is None and not published.is_here:
        say(
            f"{published} has no user; if the broker needs none, anyone who can reach it can "
            "confirm games that no collector has stored (see docs/rooms.md)"
        )


def _prepare(path: Path, known_file: Path | None) -> Collection[str] | None:
    """Make the store, or refuse it, before anything is opened; the ids of the known boards."""
    with Store(path, create=True) as store:
        return None if known_file is None else read_known_ids(known_file, names(store))


def _watch(
    path: Path,
    ports: Sequence[str],
    brokers: _Brokers,
    room: str,
    emulated: int | None,
    known_ids: Collection[str] | None,
) -> Watch:
    """A watch of what the command line names, or else of every micro:bit that is plugged in."""
    sources: list[Source] = []
    sinks: list[Sink] = []
    # These imports take 7 MB of memory, which few watches need.
    if brokers.collected:
        from noughts.rooms.collector import Collector

        sources += map(Collector, brokers.collected)
    if brokers.published:
        from noughts.rooms.publisher import Publisher

        sinks.append(Publisher(brokers.published, room))
    if emulated:
        from noughts.virtual.virtual_boards import AutoplayedBoards

        sources.append(AutoplayedBoards(emulated, PortMonitor(find=list)))
    elif ports or not brokers.collected:
        sources.append(PortMonitor(ports))
        if not ports:
            sources.append(DataLogs())
    return Watch(path, sources, sinks, known_ids=known_ids)


def _read(
    captured: Path,
    file: BufferedReader,
    name: str | None,
    path: Path,
    ids: Collection[str] | None,
    as_json: bool | None,
) -> None:
    """Store the games of a captured log or a data log. as_json: None lists no events."""
    is_input = captured == Path("-")
    file_name = "stdin" if is_input else printable(captured.name)
    board_name = name or (file_name if is_input else name_of_copy(file_name))
    has_text = False

    def batches() -> Iterator[tuple[int, list[Change]]]:
        nonlocal has_text
        for size, changes in read_captured(file, file_name, board_name, 1 if is_input else 512):
            has_text = has_text or not is_blank(changes)
            yield size, changes

    with progress(0 if is_input else captured.stat().st_size) as steps:
        steps.describe(f"reading {board_name}")
        source = CapturedFile(batches(), steps.advance, lambda: watch.stop.set())
        watch = Watch(path, [source], known_ids=ids)
        watch.subscribe(lambda events: _show_captured(events, watch.session, as_json))
        watch.run()
    if not watch.session.sentences and (watch.noise or not has_text):
        raise NoughtsError(f"{file_name} has no sentences of noughts; check which file it is")
    _sum_up(watch)
    if as_json is None and (watch.session.games or watch.session.stored_before):
        say(f"{command_for('noughts games', watch.store_path)} lists them")


def _show_captured(events: Sequence[Event], session: Session, as_json: bool | None) -> None:
    """Say what needs attention, and list the events. as_json: None lists none."""
    for event in events:
        if isinstance(event, _NEED_ATTENTION):
            say(event.text(session.display_name))
    lines = [] if as_json is None else _lines(events, session, as_json)
    if lines:
        print(*lines, sep="\n", flush=True)


def _print_until_stopped(watch: Watch, as_json: bool) -> int:
    """Returns how many events were not shown."""

    def dropped(count: int) -> str:
        return _lines([NotShown(count)], watch.session, as_json)[0]

    lines = Lines(sys.stdout, dropped, watch.stop.set)
    watch.subscribe(lambda events: lines.put(_lines(events, watch.session, as_json)))
    try:
        watch.start()
        while not watch.stop.wait(_SIGNALS_S):
            pass
    finally:
        watch.close()
        unshown = lines.close(_SHUTDOWN_TIMEOUT_S)
    return unshown


def _show_until_stopped(watch: Watch) -> None:
    from noughts.terminal.watch import WatchApp

    app = WatchApp(watch)
    watch.start()
    try:
        with leaving_a_stuck_terminal(watch.stop, watch.close):
            app.run()
    finally:
        watch.close()


def _lines(events: Sequence[Event], session: Session, as_json: bool) -> list[str]:
    """One line for each event, but none for people for one that only repeats something."""
    if as_json:
        at = {"at": timestamps.iso(timestamps.now())}
        return [json.dumps(at | event.record()) for event in events]
    return [printable(event.text(session.display_name)) for event in events if not event.resent]


def _sum_up(watch: Watch, unshown: int = 0) -> None:
    session = watch.session
    late = f" ({session.recovered:,} recovered)" if session.recovered else ""
    received = counted(session.sentences, "sentence")
    boards = counted(len(session.playing), "board")
    ended = f"{counted(session.games, 'game')} ended{late}"
    if session.stored_before:
        ended += f", {counted(len(session.stored_before), 'game')} stored before"
    parts = [f"{received} from {boards}, {ended}, {counted(watch.noise, 'byte')} of noise"]
    if watch.refused:
        parts.append(f"{counted(watch.refused, 'sentence')} by radio refused")
    if unshown:
        parts.append(f"{counted(unshown, 'event')} not shown, as the reader was too slow")
    say("; ".join([*parts, f"stored in {watch.store_path}"]))
