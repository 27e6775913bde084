"""Storing games that were read from a board's files."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from noughts.boards.drive import Drive
from noughts.boards.ports import Port, find_ports
from noughts.protocol.sentences import Game
from noughts.recording.port_monitor import name_of
from noughts.store import timestamps
from noughts.store.lines import Received
from noughts.store.store import Store, default_path

Keep = Callable[[Sequence[Game]], None]


def of_port(name: str, db: Path | None) -> Keep:
    """Stores games of the board on a port, under the name that `noughts watch` gives it."""
    same = (port for port in find_ports() if os.path.realpath(port.name) == os.path.realpath(name))
    return _into(next(same, Port(name, None)), db)


def of_drive(drive: Drive, port: str | None, db: Path | None) -> Keep:
    """The same for the board with a drive."""
    if drive.usb_id is None and port is not None:
        return of_port(port, db)
    return _into(Port(port or "", drive.usb_id), db)


def _into(board: Port, db: Path | None) -> Keep:
    def keep(games: Sequence[Game]) -> None:
        now = timestamps.now()
        with Store(db or default_path(), create=True) as store:
            store.keep_many([Received.of(name_of(board), game, now, True) for game in games])

    return keep
