"""Recording the games of a virtual board that a person plays on, where possible."""

from __future__ import annotations

import threading
from contextlib import closing
from pathlib import Path

from noughts.errors import NoughtsError, error_message
from noughts.protocol.sentences import Boot, Game, Sentence, body, is_late, is_same
from noughts.recording.events import Event, SentenceStored, StoreGone
from noughts.recording.recorder import Recorder
from noughts.recording.sources import DataReceived, QueuedSource
from noughts.store import timestamps
from noughts.store.fold import Line, fold
from noughts.store.store import Store
from noughts.store.stored_game import StoredGame


class PlayRecording:
    """Records what a board sends in a store, as `noughts watch` does, until `close()`.

    It never fails: `error` then says in one line why games are not stored.
    """

    def __init__(self, path: Path, board: str) -> None:
        self.board = board
        """The board's name in the store."""
        self.error = ""
        self.moved = ""
        """Where games are stored instead, in one line, if the store was deleted or overwritten."""
        self.kept: dict[tuple[str, int], int] = {}
        """The numbers in the store of the games that are there and over, by boot and number."""
        self._stop = threading.Event()
        self._said = QueuedSource()
        self._thread = threading.Thread(target=self._record, args=(path,), daemon=True)
        self._thread.start()

    def _record(self, path: Path) -> None:
        try:
            with closing(Recorder(Store(path, create=True), [self._said])) as recorder:
                recorder.run(self._stop, self._tell)
        except (NoughtsError, OSError) as error:
            self.error = error_message(error)

    def hear(self, data: bytes) -> None:
        """Keep bytes of the board, in a thread: nobody waits for the store."""
        if data and not self.error:
            self._said.put(DataReceived(self.board, data, timestamps.now()))

    def _tell(self, events: list[Event]) -> None:
        for event in events:
            match event:
                case StoreGone():
                    self.moved = event.text()
                case SentenceStored(sentence=Game() as game, game=int(number)) if game.end != "-":
                    if game.moves:
                        self.kept[game.boot, game.number] = number

    def close(self) -> None:
        """Stop, once everything received so far is stored, or the store has failed."""
        self._stop.set()
        self._thread.join()


class PlayedGames:
    """The games of a session at one board, from its sentences: the score, and the last that ended.

    Unlike the store it needs no disk, so there is a replay even if nothing can be stored.
    """

    def __init__(self, board: str) -> None:
        self._board = board
        self._boot: Boot | None = None
        self._game: Game | None = None
        self._lines: list[Line] = []
        """Of that game."""
        self.score: dict[str, dict[str, int]] = {}
        """By seats, how many games ended so: `A`, `B`, `=`."""
        self.last: StoredGame | None = None

    def hear(self, sentence: Sentence) -> None:
        boot = self._boot
        if isinstance(sentence, Boot):
            self._boot = sentence
            return
        if not is_same(sentence, self._game):
            if is_late(sentence, boot.boot if boot else None):
                return  # the board resends it, from an earlier run
            self._lines.clear()
        self._game, at = sentence, timestamps.now()
        self._lines.append(Line.of(0, self._board, False, False, at, body(sentence)))
        if sentence.end in ("A", "B", "="):
            self.score.setdefault(sentence.seats, {"A": 0, "B": 0, "=": 0})[sentence.end] += 1
            self.last = StoredGame(
                id=sentence.number,
                name=None,
                boot=sentence.boot,
                number=sentence.number,
                hardware=boot.board if boot else None,
                release=boot.release if boot else None,
                table_id=boot.table_id if boot else None,
                **fold(self._lines)[0][0]._asdict(),
            )
