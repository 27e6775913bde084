"""`noughts watch --from`: reading a captured log, or a V2's data log, into the store."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from io import BufferedReader
from pathlib import Path
from types import SimpleNamespace
from typing import cast

from noughts.cli.watch_output import EventLines, as_lines, sum_up
from noughts.errors import printable
from noughts.store.boards import names
from noughts.store.store import Store
from noughts.terminal.lines import say
from noughts.terminal.progress import progress
from noughts.watch.data_logs import name_of_copy
from noughts.watch.events import StoreBusy
from noughts.watch.radio_lines import known_ids
from noughts.watch.recorder import Recorder
from noughts.watch.session import Session
from noughts.watch.sources import CapturedFile


def read_captured(args: SimpleNamespace, path: Path) -> int:
    """Keep in the store at `path` what a captured log holds."""
    with (
        _opened(args.captured) as file,
        Store(path, create=True) as store,
        closing(Recorder(store, known=known(args, store))) as recorder,
    ):
        return _read(args, file, store, recorder)


def known(args: SimpleNamespace, store: Store) -> frozenset[str] | None:
    """The boards that count by radio; None: any."""
    return None if args.known is None else known_ids(args.known, names(store))


def _read(args: SimpleNamespace, file: BufferedReader, store: Store, recorder: Recorder) -> int:
    session = Session()
    session.names.update(names(store))
    called = "stdin" if args.captured == "-" else printable(Path(args.captured).name)
    name = args.name or (called if args.captured == "-" else name_of_copy(called))
    total = Path(args.captured).stat().st_size if args.captured != "-" else 0
    lines = EventLines(args.json, lambda: None)
    source = CapturedFile(file, called, name, args.captured == "-")
    recorder.sources.append(source)
    with progress(total) as steps:
        steps.doing(f"reading {name}")
        while not source.ended or recorder.pending:
            before = source.size
            events = recorder.poll()
            for event in events:
                session.take(event)
                if isinstance(event, StoreBusy):
                    say(f"{store.path} is in use by another program; waiting until it is done")
            if args.plain or args.json:
                lines.put(as_lines(events, args.json, session.called), wait=True)
            steps.advance(source.size - before)
    lines.close()
    sum_up(session, recorder)
    return 0


@contextmanager
def _opened(name: str) -> Iterator[BufferedReader]:
    if name == "-":
        yield cast(BufferedReader, sys.stdin.buffer)
        return
    with Path(name).open("rb") as file:
        yield file
