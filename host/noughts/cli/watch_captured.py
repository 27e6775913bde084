"""`noughts watch --from`: reading a captured log, or a V2's data log, into the store."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from io import BufferedReader
from itertools import groupby, islice
from operator import attrgetter
from pathlib import Path
from types import SimpleNamespace
from typing import cast

from noughts.cli.watch_output import EventLines, as_lines, sum_up
from noughts.errors import printable
from noughts.protocol import data_log
from noughts.store import capture, timestamps
from noughts.store.boards import names
from noughts.store.store import Store
from noughts.terminal.lines import say
from noughts.terminal.progress import progress
from noughts.watch.data_logs import name_of_copy
from noughts.watch.events import Event, StoreBusy
from noughts.watch.radio_lines import known_ids
from noughts.watch.recorder import Recorder
from noughts.watch.session import Session

_AT_ONCE = 512
"""Lines of a file that are stored together."""


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
    with progress(total) as steps:
        steps.doing(f"reading {name}")
        for events, size in _recorded(file, called, recorder, name):
            for event in events:
                session.take(event)
                if isinstance(event, StoreBusy):
                    say(f"{store.path} is in use by another program; waiting until it is done")
            if args.plain or args.json:
                lines.put(as_lines(events, args.json, session.called), wait=True)
            steps.advance(size)
    lines.close()
    sum_up(session, recorder)
    return 0


def _recorded(
    file: BufferedReader, called: str, recorder: Recorder, name: str
) -> Iterator[tuple[list[Event], int]]:
    size = 0
    if file.peek(1)[:1] == b"<":
        content = file.read(data_log.MAX_SIZE + 1)
        size = len(content)
        games = data_log.games(content, called)
        recorder.take_sentences(name, games, timestamps.now(), from_log=True)
    # What is typed or piped in is stored line by line, for more may be long in coming.
    lines = capture.read(file)
    while some := list(islice(lines, 1 if called == "stdin" else _AT_ONCE)):
        for (board, at, opened), said in groupby(some, attrgetter("board", "at", "is_opened")):
            if opened:
                recorder.take_opened(board, at)
            recorder.take(board or name, b"".join(each.data for each in said), at)
        yield recorder.settle(), sum(captured.size for captured in some)
        while recorder.pending:
            yield recorder.settle(), 0
    yield recorder.end(name, None), size
    while recorder.pending:
        yield recorder.settle(), 0


@contextmanager
def _opened(name: str) -> Iterator[BufferedReader]:
    if name == "-":
        yield cast(BufferedReader, sys.stdin.buffer)
        return
    with Path(name).open("rb") as file:
        yield file
