"""Recording the games of a virtual board that a person plays on."""

import tempfile
import threading
from collections import Counter
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

from noughts.errors import NoughtsError, error_message
from noughts.protocol.sentences import Game
from noughts.recording.events import Event, SentenceStored, StoreGone
from noughts.recording.recorder import Recorder
from noughts.recording.sources import DataReceived, QueuedSource
from noughts.store import queries, timestamps
from noughts.store.store import Store
from noughts.store.stored_game import StoredGame


class PlayRecording:
    """Records what a board sends in a store, as `noughts watch` does, until `close()`.

    It never fails. If the store does, `error` says why in one line, and games go to a temporary
    store.
    """

    def __init__(self, path: Path, board: str) -> None:
        self.error = ""
        self.moved = ""
        """If the store was deleted or overwritten: where games are stored instead, in one line."""
        self.stored: set[int] = set()
        """The numbers of the finished games in the store."""
        self.score: dict[str, Counter[str]] = {}
        """By seats: how many games ended in `A`, `B` or `=`."""
        self.last: StoredGame | None = None
        """The last game that was won or drawn."""
        self._board = board
        self._stop = threading.Event()
        self._received = QueuedSource()
        self._thread = threading.Thread(target=self._record, args=(path,), daemon=True)
        self._thread.start()

    def receive(self, data: bytes) -> None:
        """Queue bytes from the board, without waiting for the store."""
        if data:
            self._received.put(DataReceived(self._board, data, timestamps.now()))

    def close(self) -> None:
        """Stop once everything received so far is stored, or the store has failed."""
        self._stop.set()
        self._thread.join()

    def _record(self, path: Path) -> None:
        try:
            with closing(Recorder(Store(path, create=True), [self._received])) as recorder:
                recorder.run(self._stop, partial(self._follow, recorder))
        except (NoughtsError, OSError) as error:
            if self.error:
                return
            self.error = error_message(error)
            with suppress(OSError), tempfile.TemporaryDirectory() as folder:
                self._record(Path(folder, "games.db"))

    def _follow(self, recorder: Recorder, events: list[Event]) -> None:
        for event in events:
            match event:
                case StoreGone():
                    self.moved = event.text()
                case SentenceStored(sentence=Game() as game, game=int(number)):
                    if game.end == "-" or not game.moves:
                        continue
                    if not self.error:
                        self.stored.add(number)
                    if game.end != "x" and not event.late:
                        self.score.setdefault(game.seats, Counter())[game.end] += 1
                        self.last = queries.game(recorder.store, number)
