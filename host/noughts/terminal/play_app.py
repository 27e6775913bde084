"""The Textual program: the board to play on, and beside it what it says."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.widgets import RichLog, Static

from noughts.errors import BoardGoneError, NoughtsError
from noughts.protocol.describe import describe
from noughts.protocol.parser import Item, Noise, ParsedSentence, Stream
from noughts.protocol.sentences import Boot
from noughts.terminal import drawing
from noughts.terminal.drawing import MIN_COLUMNS, MIN_LINES
from noughts.virtual.board import VirtualBoard

if TYPE_CHECKING:
    from noughts.emulator import Button

_SIDE_BY_SIDE = 76
_POLL_S = 0.02
_CLOCK_S = 0.2


class Picture(Static):
    """The board; a click on a button holds it down until the mouse is let go."""

    def __init__(self, board: VirtualBoard, plain: bool) -> None:
        super().__init__(id="picture")
        self._board = board
        self._plain = plain
        self._leds = bytes(25)
        self._held: frozenset[Button] = frozenset()

    def on_mount(self) -> None:
        """Draw the board for the first time."""
        self._draw()

    def show_leds(self, leds: bytes) -> None:
        """Show 25 LED levels from 0 to 9, in reading order."""
        self._leds = leds
        self._draw()

    def _draw(self) -> None:
        self.update(drawing.draw(self._leds, self._held, self._plain))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Hold the button under the pointer, if there is one."""
        buttons = drawing.buttons_at(event.x, event.y)
        if buttons:
            self.capture_mouse()
            self._hold(frozenset(buttons))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Release what the pointer holds, wherever it is now."""
        self.release_mouse()
        self._hold(frozenset())

    def _hold(self, held: frozenset[Button]) -> None:
        try:
            if held - self._held:
                self._board.press(*held - self._held)
            if self._held - held:
                self._board.release(*self._held - held)
        except BoardGoneError as gone:
            assert isinstance(self.app, BoardApp)
            self.app.fail(gone)
        self._held = held
        self._draw()


class BoardApp(App[None]):
    """Plays on a board until the player quits, or the board dies (`failure` then says how)."""

    TITLE = "noughts"
    ENABLE_COMMAND_PALETTE = False
    CSS = f"""
    #stage {{ layout: horizontal; }}
    #picture {{ width: {drawing.WIDTH + 2}; height: {drawing.HEIGHT}; padding: 0 1; }}
    #log {{ width: 1fr; height: 1fr; padding: 0 1; background: $background; scrollbar-size: 0 0; }}
    #status {{ dock: bottom; height: 3; background: $panel; padding: 0 1; }}
    #small {{ display: none; }}
    .narrow #stage {{ layout: vertical; }}
    .tiny #stage, .tiny #status {{ display: none; }}
    .tiny #small {{ display: block; }}
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "tap('A')", priority=True),
        Binding("b", "tap('B')", priority=True),
        Binding("space", "tap('AB')", priority=True),
        Binding("left", "tilt(-1, 0)", priority=True),
        Binding("right", "tilt(1, 0)", priority=True),
        Binding("up", "tilt(0, -1)", priority=True),
        Binding("down", "tilt(0, 1)", priority=True),
        Binding("r", "reset", priority=True),
        Binding("q", "quit", priority=True),
        Binding("ctrl+c", "quit", priority=True),
    ]

    def __init__(self, board: VirtualBoard, stopped: threading.Event) -> None:
        """It ends when `stopped` is set, and sets it when it ends."""
        super().__init__()
        self._stopped = stopped
        self.failure: NoughtsError | None = None
        self._board = board
        self._plain = "utf" not in (sys.stdout.encoding or "").lower()
        self._picture = Picture(board, self._plain)
        self._heard = RichLog(id="log", wrap=True, max_lines=2000, min_width=0)
        self._heard.can_focus = False
        self._status = Static(id="status")
        self._table_id = "?"
        self._stream = Stream()
        self._shown = b""

    def compose(self) -> ComposeResult:
        """The picture and the log side by side, and the status line below."""
        with Container(id="stage"):
            yield self._picture
            yield self._heard
        yield Static("", id="small")
        yield self._status

    def on_mount(self) -> None:
        """Begin to poll the board."""
        self._tell_status()
        self.set_interval(_CLOCK_S, self._tell_status)
        self.set_interval(_POLL_S, self._look)

    def on_resize(self, event: events.Resize) -> None:
        """Fit the layout to the terminal; one that is too small shows only a message."""
        columns, lines = event.size
        tiny = columns < MIN_COLUMNS or lines < MIN_LINES
        self.screen.set_class(columns < _SIDE_BY_SIDE, "narrow")
        self.screen.set_class(tiny, "tiny")
        if tiny:
            self.query_one("#small", Static).update(
                f"{columns} x {lines} is too small: make the terminal "
                f"{MIN_COLUMNS} x {MIN_LINES} or larger, or press q to quit."
            )

    def fail(self, error: NoughtsError) -> None:
        """End the program; the command then prints the error."""
        self.failure = error
        self._leave()

    def _leave(self) -> None:
        self._stopped.set()
        self.exit()

    async def action_quit(self) -> None:
        """Leave, whatever the board does."""
        self._leave()

    def action_tap(self, buttons: str) -> None:
        """Press buttons together and release them: `A`, `B` or `AB`."""
        self._do(lambda: self._board.tap(*buttons))

    def action_tilt(self, x: int, y: int) -> None:
        """Tilt the board one step: x to the right, y towards the player."""
        self._do(lambda: self._board.nudge(x, y))

    def action_reset(self) -> None:
        """Press the reset button, and note it in the log."""
        self._do(self._board.reset)
        self._heard.write(Text("reset", style="dim"))

    def _do(self, action: Callable[[], None]) -> None:
        try:
            action()
        except NoughtsError as error:
            self.fail(error)

    def _look(self) -> None:
        """Take what the board shows and says, and pass on what is new."""
        if self._stopped.is_set():
            self.exit()
            return
        try:
            leds = self._board.leds()
            heard = self._board.serial.read(4096)
        except NoughtsError as error:
            self.fail(error)
            return
        except OSError:  # its port goes a moment after the board
            return
        if leds != self._shown:
            self._shown = leds
            self._picture.show_leds(leds)
        for item in self._stream.feed(heard):
            self._tell(item)

    def _tell(self, item: Item) -> None:
        if isinstance(item, ParsedSentence):
            if isinstance(item.sentence, Boot):
                self._table_id = item.sentence.table_id
                self._tell_status()
            self._heard.write(Text(describe(item.sentence)))
        elif isinstance(item, Noise):
            self._heard.write(Text(item.text, style="dim italic"))
        elif not item.again:
            self._heard.write(Text(f"{item.what} is not known to this version", style="dim"))

    def _tell_status(self) -> None:
        if self.failure is not None:
            return
        try:
            seconds = self._board.clock_us() / 1e6
        except NoughtsError as error:
            self.fail(error)
            return
        keys = "a b buttons · space both · arrows tilt · r reset · q quit"
        clock = f"{int(seconds // 60)}:{seconds % 60:04.1f}"
        lines = f"virtual {self._board.firmware}\nclock {clock} · table {self._table_id}\n{keys}"
        self._status.update(Text(lines.replace("·", "-") if self._plain else lines))
