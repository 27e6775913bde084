"""Sentences of whole games, as a board sends them, and stores full of them."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from zlib import crc32

from noughts.protocol.sentences import Boot, Game, Sentence, body, framed, outcome
from noughts.recording.events import Event
from noughts.recording.recorder import Recorder
from noughts.recording.sources import DataReceived
from noughts.store.lines import Received, Stored
from noughts.store.store import Store

BOOT = Boot("00000A83", "V1", "0.1.0", "2798")
DRAW = [4, 0, 2, 6, 3, 5, 1, 7, 8]
A_WINS = [4, 1, 0, 8, 3, 5, 6]
"""The left column; the second move, on an edge, is the mistake."""
AT = 1_790_000_000_000
"""2026-09-21 14:13:20 UTC."""
HOSTILE_NAMES = (
    "<script>document.title = 'taken'</script>",
    '"><img src=x onerror="document.title=\'taken\'">',
    "\u202egnp.exe \u2066x",
    "\x1b]0;taken\x07" + "w" * 300,
)


def stages(
    cells: Iterable[int],
    end: str | None = None,
    seats: str = "PH",
    number: int = 1,
    step_ms: int = 1000,
    first: str = "A",
    boot: str = BOOT.boot,
) -> list[Game]:
    """A game's sentences; end: `x` if it is abandoned after its moves."""
    cells = tuple(cells)
    games = []
    for plies in range(len(cells) + 1):
        moves = cells[:plies]
        won = outcome(moves, first)
        games.append(Game(boot, number, seats, first, moves, plies * step_ms, won))
    if end:
        games.append(replace(games[-1], ms=games[-1].ms + 10, end=end))
    return games


def write(sentence: Sentence, radio_id: str | None = None) -> str:
    """A sentence as a board sends it, without a line end; radio_id: the sender's, by radio."""
    return framed(body(sentence), radio_id)


def wire(*sentences: Sentence, radio_id: str | None = None) -> bytes:
    """What a board sends, or a gateway that has received it by radio."""
    return b"".join(f"{write(sentence, radio_id)}\r\n".encode() for sentence in sentences)


def filled(path: Path, *games: list[Game], board: str = "usb-1", at: int | None = AT) -> Path:
    """A store with these games, each a minute after the one before."""
    with Store(path, create=True) as store:
        add(store, board, BOOT, at)
        for index, game in enumerate(games):
            began = None if at is None else at + index * 60_000
            for sentence in game:
                add(store, board, sentence, began)
    return path


def insert(
    store: Store, board: str, sentence: Sentence, at: int | None, late: bool = False
) -> Stored:
    """Store one sentence of a board; at: when it was received, if known."""
    return store.add_many([Received.of(board, sentence, at, late)])[0]


def receive(recorder: Recorder, board: str, data: bytes, at: int | None) -> list[Event]:
    """Let a recorder take bytes from a board and store them; returns the events."""
    recorder.take(DataReceived(board, data, at))
    return recorder.settle()


def add(store: Store, board: str, sentence: Sentence, began: int | None) -> None:
    """Store a sentence, received at its time in the game; each board gets its own boot id."""
    if sentence.boot == BOOT.boot and board != "usb-1":
        sentence = replace(sentence, boot=f"{crc32(board.encode()):08X}")
    ms = sentence.ms if isinstance(sentence, Game) else 0
    insert(store, board, sentence, None if began is None else began + ms)
