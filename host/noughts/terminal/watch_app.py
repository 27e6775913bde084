"""The Textual program behind `noughts watch`: a small board for each micro:bit, and the games."""

from __future__ import annotations

import sys
import threading
from typing import ClassVar

from rich import box
from rich.columns import Columns
from rich.console import Group
from rich.panel import Panel
from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Static

from noughts.errors import printable
from noughts.protocol.describe import counted, result, seated
from noughts.watch.events import Event
from noughts.watch.recorder import RecorderThread, Watch
from noughts.watch.session import BoardState, Ended, Session

_REDRAW_S = 0.1
_WIDTH = 28
_STYLES = {"A": "bold #ff5040", "B": "bold #e0a030"}
_ASCII = str.maketrans("·…—", "..-")


class WatchApp(App[None]):
    """Watches until Ctrl-C or `q`, until `stop` is set, or until something cannot be kept.

    `recording.wait()` then raises why.
    """

    TITLE = "noughts watch"
    ENABLE_COMMAND_PALETTE = False
    CSS = """
    #boards { height: 2fr; scrollbar-size: 1 1; }
    #games { height: 1fr; min-height: 4; background: $background; scrollbar-size: 1 1; }
    #status { dock: bottom; height: 2; background: $panel; padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "quit", priority=True),
        Binding("ctrl+c", "quit", priority=True),
    ]

    def __init__(self, watch: Watch, session: Session, stop: threading.Event) -> None:
        super().__init__()
        self.recording = RecorderThread(watch, stop, self._take)
        self._watch = watch
        self._session = session
        self._stop = stop
        self._plain = "utf" not in (sys.stdout.encoding or "").lower()
        self._changed = True
        self._lock = threading.Lock()
        self._boards = Static(id="board-list")
        self._games = Static(id="game-list")
        self._status = Static(id="status")

    def compose(self) -> ComposeResult:
        """The boards, the games below them, and the status line."""
        with VerticalScroll(id="boards"):
            yield self._boards
        with VerticalScroll(id="games"):
            yield self._games
        yield self._status

    def on_mount(self) -> None:
        """Begin to redraw what has changed."""
        self.set_interval(_REDRAW_S, self._redraw)
        self._redraw()

    def on_unmount(self) -> None:
        """Stop recording."""
        self._stop.set()

    def _take(self, events: list[Event]) -> None:
        """In the recording's thread; the screen looks at the session by itself."""
        with self._lock:
            for event in events:
                self._session.take(event)
            self._changed = self._changed or bool(events)

    def _redraw(self) -> None:
        if self._stop.is_set():
            self.exit()
            return
        with self._lock:
            if not self._changed:
                return
            self._changed = False
            boards = [self._panel(board) for board in self._session.boards.values()]
            games = [self._line(ended) for ended in self._session.ended]
            waiting = [
                Text(self._shown(f"waiting for {port}: {why}"), style="dim")
                for port, why in self._session.waiting.items()
            ]
            if self._session.warning:
                waiting.insert(0, Text(self._shown(self._session.warning), style="bold"))
            counts = (
                f"{counted(self._session.sentences, 'sentence')} · "
                f"{counted(self._session.games, 'game')} ended"
            )
        if not boards and not waiting:
            waiting = [Text("No board yet: plug one in.", style="dim")]
        self._boards.update(Group(Columns(boards, padding=(0, 1)), *waiting))
        self._games.update(Text("\n").join(games) if games else Text("no game has ended yet"))
        self._status.update(Text(self._shown(f"{counts} · kept in {self._watch.path}\nq quit")))

    def _panel(self, board: BoardState) -> Panel:
        text = Text(no_wrap=True, overflow="ellipsis")
        right = self._facts(board)
        marks = self._marks(board)
        for row in range(3):
            text.append_text(marks[row])
            text.append(f"  {right[row]}\n")
        score = " ".join(f"{name} {board.score[name]}" for name in "A=B")
        text.append(self._shown(score + (f" · noise {board.noise}" if board.noise else "")))
        name = board.port.removeprefix("/dev/").rpartition("://")[2][-(_WIDTH - 8) :]
        title = Text(self._shown(f"{name} {board.boot.board if board.boot else ''}".strip()))
        style = "" if board.connected else "dim"
        frame = box.ASCII if self._plain else box.ROUNDED
        return Panel(text, frame, title=title, width=_WIDTH, height=6, style=style, padding=(0, 1))

    def _facts(self, board: BoardState) -> tuple[str, str, str]:
        if not board.connected:
            return ("", "unplugged", "")
        game = board.game
        if game is None:
            return ("", "in the menu" if board.boot else "", "")
        a, b = map(seated, game.seats)
        turn = result(game) if game.end != "-" else f"{game.player(len(game.moves))}'s turn"
        return (f"game {board.number}", f"{a}-{b}", turn)

    def _marks(self, board: BoardState) -> list[Text]:
        cells = [Text(self._shown("·"), style="dim") for _ in range(9)]
        if board.game is not None:
            for ply, cell in enumerate(board.game.moves):
                player = board.game.player(ply)
                last = ply == len(board.game.moves) - 1
                cells[cell] = Text(player, style=_STYLES[player] + " reverse" * last)
        return [Text(" ").join(cells[row : row + 3]) for row in (0, 3, 6)]

    def _line(self, ended: Ended) -> Text:
        game = ended.game
        line = (
            f"game {ended.number}: {game.seats}, {game.first} began, "
            f"{counted(len(game.moves), 'move')}, {game.ms / 1000:.0f} s: {result(game)} "
            f"({ended.board})"
        )
        return Text(self._shown(line), no_wrap=True, overflow="ellipsis")

    def _shown(self, text: str) -> str:
        text = "\n".join(map(printable, text.split("\n")))
        return text.translate(_ASCII) if self._plain else text
