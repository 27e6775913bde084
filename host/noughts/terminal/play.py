"""`noughts play`: a micro:bit to play on, help next to it, and its messages below.

An LED of the drawing is two columns wide, a square with as much room around it; its brightness is
both its colour and its character, so that it can be read without colour. The last move's LED
stands in brackets.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, ClassVar

from rich.style import Style
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import RichLog, Static

from noughts.boards.tracebacks import TracebackReader
from noughts.errors import NoughtsError
from noughts.game.positions import after
from noughts.protocol.describe import describe, seated
from noughts.protocol.parser import Item, Noise, ParsedSentence, Stream
from noughts.protocol.sentences import Boot, Game, is_late
from noughts.recording.play_recording import PlayRecording
from noughts.terminal.marks import PLAYERS, mark_rows
from noughts.terminal.replay import HelpScreen, Program, ReplayScreen
from noughts.views.situation import CONTROLS, Instructions, Observer, Situation, instructions
from noughts.views.words import score
from noughts.virtual.board import VirtualBoard
from noughts.virtual.program import choice_in

if TYPE_CHECKING:
    from microbit_emulator import Button

_BOARD = (
    "╭────────────────────────────────╮",
    "│            ╭──────╮            │",
    "│            ╰•────•╯            │",
    "│                                │",
    "│                                │",
    "│                                │",
    "│ ╔═══╗                    ╔═══╗ │",
    "│ ║ A ║                    ║ B ║ │",
    "│ ╚═══╝                    ╚═══╝ │",
    "│                                │",
    "│                                │",
    "│                                │",
    "│           [ A + B ]            │",
    "│(0) ▪▪▪ (1) ▪▪▪ (2) ▪ (3V) (GND)│",
    "╰────────────────────────────────╯",
)
WIDTH, HEIGHT = len(_BOARD[0]), len(_BOARD)

_MIN_COLUMNS, _MIN_LINES = 58, HEIGHT + 2
"""The smallest terminal with room for the board and the text next to it."""

_LEDS_TOP, _LEDS_LEFT = 3, 8
_DOWN, _ACROSS = 2, 4
_PINS = HEIGHT - 2

_CHARACTERS = "·░░░▒▒▓▓██"

_GROUND = Style(bgcolor="#101317")
_OUTLINE = Style(color="#7f9fd0")
_GOLD = Style(color="#d8a530")
_HELD = Style(color="#ffffff", bold=True, reverse=True)
_UP = Style(color="#d8d8d8", bold=True)

_AREAS: tuple[tuple[range, range, tuple[Button, ...]], ...] = (
    (range(2, 7), range(6, 9), ("A",)),
    (range(27, 32), range(6, 9), ("B",)),
    (range(12, 21), range(12, 13), ("A", "B")),
)
"""Columns and lines of the drawing, with the buttons that a click there presses."""


def draw(leds: bytes, held: Collection[Button], last: tuple[int, str] | None = None) -> Text:
    """The board with these 25 levels, and with some buttons held down.

    last: the cell of the last move, and whose it was.
    """
    characters = list("\n".join(_BOARD))
    styles: list[tuple[Style | str, int, int]] = [(_GOLD, _at(1, _PINS), _at(WIDTH - 1, _PINS))]
    for columns, lines, buttons in _AREAS:
        style = _HELD if {*held} >= {*buttons} else _UP
        styles += [(style, _at(columns.start, y), _at(columns.stop, y)) for y in lines]
    for led, level in enumerate(leds):
        at = _of_led(led)
        # Each level has about twice the power of the one below; the eye sees even steps.
        glow = f"#{75 + 20 * level:02x}{22 + 6 * level:02x}{20 + 5 * level:02x}"
        style = Style(color=glow if level else "#5c4a48", bold=level > 6)
        characters[at : at + 2] = _CHARACTERS[level] * 2
        styles.append((style, at, at + 2))
    if last is not None:
        cell, player = last
        at = _of_led(cell // 3 * 10 + cell % 3 * 2)
        characters[at - 1], characters[at + 2] = "[]"
        styles += [(PLAYERS[player], x, x + 1) for x in (at - 1, at + 2)]
    text = Text("".join(characters), no_wrap=True, style=_GROUND)
    text.stylize(_OUTLINE)
    for span in styles:
        text.stylize(*span)
    return text


def _at(x: int, y: int) -> int:
    """The index of a column and line in the text of the board."""
    return y * (WIDTH + 1) + x


def _of_led(led: int) -> int:
    return _at(_LEDS_LEFT + _ACROSS * (led % 5), _LEDS_TOP + _DOWN * (led // 5))


class Picture(Widget):
    """The board; a click on a button holds it down until the mouse button is released."""

    leds = reactive(bytes(25))
    """Levels from 0 to 9."""
    last: reactive[tuple[int, str] | None] = reactive(None)
    """The cell of the last move, and its player."""
    held: reactive[tuple[Button, ...]] = reactive(())

    def __init__(self, do: Callable[[Callable[[], None]], None], board: VirtualBoard) -> None:
        """do: runs an action on the board, which may be gone."""
        super().__init__(id="picture")
        self._do = do
        self._board = board

    def render(self) -> Text:
        return draw(self.leds, self.held, self.last)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        for columns, lines, buttons in _AREAS:
            if event.x in columns and event.y in lines:
                self.capture_mouse()
                self.held = buttons
                self._do(lambda: self._board.press(*self.held))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        self.release_mouse()
        if held := self.held:
            self.held = ()
            self._do(lambda: self._board.release(*held))


class Doing(Widget):
    """The state of the board in words; `shown` has the arguments of `panel` except the last."""

    shown: reactive[tuple[Situation, str, str, Mapping[str, int]]] = reactive(
        (Situation(), "", "", {})
    )

    def render(self) -> Text:
        return panel(*self.shown, self.content_size.width)


_WITH_HELP = 110, 25
"""Columns and lines that have room for the help too, on the right."""
_HELP = 38
_KEYS = "q quit · ? help · a b buttons · space both · arrows tilt · v replay · r reset"

RULES = """\
Two players, A and B, take turns to mark nine cells. Three in a row win: \
across, down or diagonally. Nine marks without that are a draw.

2 E M H   two people; the chip at easy, medium, hard
bright    a mark of player A
pulsing   a mark of player B, less bright
blinking  the cursor
[ ]       around the last move

a b       button A and button B; or click on them
space     both: back to the menu; there, tilt on or off
arrows    tilt the board that way for a moment
v         replay the last game, with a verdict on each move
r         the reset button
q         quit"""


class BoardApp(Program):
    """Plays on a board until the player quits, or the board dies (then `failure` says why)."""

    TITLE = "noughts"
    CSS = f"""
    #stage {{ height: {HEIGHT}; }}
    #picture {{ width: {WIDTH}; height: {HEIGHT}; }}
    #doing {{ width: 1fr; height: 1fr; padding: 0 0 0 1; }}
    #help {{ display: none; dock: right; width: {_HELP}; height: 1fr; padding: 0 1;
             color: $text-muted; }}
    #log {{ width: 1fr; height: 1fr; padding: 0 1; background: $background; scrollbar-size: 0 0; }}
    #status {{ dock: bottom; height: 2; background: $panel; padding: 0 1; }}
    #small {{ display: none; }}
    .wide #help {{ display: block; }}
    .unhelped #help {{ display: none; }}
    .tiny #stage, .tiny #log, .tiny #status {{ display: none; }}
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
        Binding("v", "replay", priority=True),
        Binding("question_mark", "rules", priority=True),
        Binding("q", "leave", priority=True),
        Binding("ctrl+c", "quit", priority=True),
    ]

    def __init__(
        self,
        board: VirtualBoard,
        stopped: threading.Event,
        recording: PlayRecording,
        keep_flash: Callable[[bytes], object] = lambda flash: None,
    ) -> None:
        """It ends when `stopped` is set, and sets it when it ends.

        recording: receives the board's text. keep_flash: called with the flash when it has changed.
        """
        super().__init__()
        self._stopped = stopped
        self.failure: NoughtsError | None = None
        self._board = board
        self._recording = recording
        self._keep_flash = keep_flash
        self._flash = board.memory()
        self._controls = choice_in(self._flash)[1]
        self._observer = Observer()
        self._picture = Picture(self._do, board)
        self._doing = Doing(id="doing")
        self._transcript = RichLog(id="log", wrap=True, max_lines=2000, min_width=0)
        self._transcript.can_focus = False
        self._status = Static(id="status")
        self._table_id = "?"
        self._boot: str | None = None
        self._stream = Stream()
        self._tracebacks = TracebackReader()
        self._stopped_by = ""

    def compose(self) -> ComposeResult:
        with Horizontal(id="stage"):
            yield self._picture
            yield self._doing
        yield Static(RULES, id="help", markup=False)
        yield self._transcript
        yield Static(
            f"The terminal is too small: make it {_MIN_COLUMNS} x {_MIN_LINES} or larger, "
            "or press q to quit.",
            id="small",
        )
        yield self._status

    def on_mount(self) -> None:
        self._do(self._tell_status)
        self.set_interval(0.2, lambda: self._do(self._tell_status))
        self.set_interval(0.02, lambda: self._do(self._look))

    def on_resize(self, event: events.Resize) -> None:
        columns, lines = event.size
        stage = self.screen_stack[0]
        stage.set_class(columns >= _WITH_HELP[0] and lines >= _WITH_HELP[1], "wide")
        stage.set_class(columns < _MIN_COLUMNS or lines < _MIN_LINES, "tiny")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action == "quit" or len(self.screen_stack) == 1

    def _do(self, action: Callable[[], None]) -> None:
        """Run an action on the board; if the board is gone, the program ends."""
        try:
            action()
        except NoughtsError as error:
            self.failure = self.failure or error
            self.action_leave()

    def action_leave(self) -> None:
        self._stopped.set()
        self.exit()

    async def action_quit(self) -> None:
        self.action_leave()

    def action_tap(self, buttons: str) -> None:
        self._do(lambda: self._board.tap(*buttons))

    def action_tilt(self, x: int, y: int) -> None:
        self._do(lambda: self._board.nudge(x, y))

    def action_reset(self) -> None:
        self._do(self._board.reset)
        self._observer.reset()
        self._stopped_by = ""
        self._transcript.write(Text("reset", style="dim"))

    def action_rules(self) -> None:
        if self.screen.has_class("wide"):
            self.screen.toggle_class("unhelped")
        else:
            self.push_screen(HelpScreen(RULES))

    def action_replay(self) -> None:
        game = self._recording.last
        if game is None:
            self._transcript.write(Text("v replays a game once one has ended", style="dim"))
            return
        self.push_screen(ReplayScreen(game, None, "q back to the board"))

    def _look(self) -> None:
        """Read the board's LEDs and serial output, and show what is new."""
        if self._stopped.is_set():
            self.exit()
            return
        leds = self._board.leds()
        try:
            received = self._board.serial.read(4096)
        except OSError:  # its port may close a moment before the board ends
            return
        self._recording.receive(received)
        for item in self._stream.feed(received):
            self._tell(item)
        if (flash := self._board.memory()) is not self._flash:
            self._flash = flash
            self._controls = choice_in(flash)[1]
            self._keep_flash(flash)
        self._observer.see(leds)
        now = self._observer.now
        self._picture.leds, self._picture.last = leds, None
        if now.last is not None and now.game is not None:
            self._picture.last = now.last, now.game.player(len(now.game.moves) - 1)
        seats = now.game.seats if now.game else f"P{now.opponent or 'P'}"
        ends = dict(self._recording.score.get(seats, {}))  # a copy: another thread counts
        self._doing.shown = now, self._stopped_by, self._controls, ends

    def _tell(self, item: Item) -> None:
        if isinstance(item, ParsedSentence):
            self._observer.receive(item.sentence)
            if isinstance(item.sentence, Boot):
                self._table_id, self._boot = item.sentence.table_id, item.sentence.boot
                self._stopped_by = ""
            # Stored games from earlier runs would fill the screen at each start.
            if not is_late(item.sentence, self._boot):
                self._transcript.write(Text(describe(item.sentence)))
        elif isinstance(item, Noise):
            self._transcript.write(Text(item.text, style="dim italic"))
            if found := self._tracebacks.feed(item.text):
                # A second traceback is caused by the first.
                why = f"{found.where}: {found.error}. Correct it and start again."
                self._stopped_by = self._stopped_by or why
        elif not item.again:
            self._transcript.write(Text(f"{item.what} is not known to this version", style="dim"))

    def _tell_status(self) -> None:
        tenths = self._board.clock_us() // 100_000
        clock = f"{tenths // 600}:{tenths % 600 / 10:04.1f}"
        warning = "games are not stored · " if self._recording.error else ""
        about = f"clock {clock} · {warning}table {self._table_id} · virtual {self._board.firmware}"
        self._status.update(Text(f"{_KEYS}\n{about}", no_wrap=True, overflow="crop"))


def panel(now: Situation, stopped: str, controls: str, ends: Mapping[str, int], width: int) -> Text:
    """All text next to the board, the most important first, in lines of this width.

    stopped: why the game does not run, from its last traceback, or empty.
    """
    what = instructions(now, controls)
    if stopped and now.phase in ("starting", "fault"):
        what = Instructions("The game has stopped", stopped)
    buttons = (*what.buttons, ("v", "replay this game")) if now.phase == "over" else what.buttons
    style = f"{PLAYERS.get(what.player, 'bold')} reverse"
    banner = Text(f" {what.headline}".ljust(width)[:width], style)
    blank = Text(" " * width, style)
    text = Text("\n").join([blank, banner, blank] if now.phase == "over" else [banner])
    if what.about:
        text.append(f"\n{what.about}")
    text.append("\n")
    wide = max((len(name) for name, _ in buttons), default=0)
    for name, does in buttons:
        text.append(f"\n{name.ljust(wide)}", "bold").append(f"  {does}")
    if now.game is not None:
        text.append("\n\n").append_text(_game(now.game))
    text.append("\n\nscore", "dim").append(f"  {score(ends)}")
    if controls and now.phase != "menu":  # where they may be about to change
        text.append("\nmode", "dim").append(f"   {CONTROLS[controls]}")
    return text


def _game(game: Game) -> Text:
    """The marks, with the last one or the winning row highlighted, and the players next to them."""
    rows = mark_rows(game.marks, after(game.moves).won_cells or game.moves[-1:])
    for text, player, seat in zip(rows, "AB", game.seats, strict=False):
        who = f"the chip, {seated(seat)}"
        if seat == "P":
            who = "a person" if game.seats == "PP" else "you"
        text.append(f"  {player}", PLAYERS[player]).append(f"  {who}")
    rows[2].append(f"  game {game.number}", "dim")
    return Text("\n").join(rows)
