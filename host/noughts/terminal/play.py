"""`noughts play`: the micro:bit to play on, what it is doing, and below them what it says.

An LED of the drawing is two columns wide, a square with as much room around it; its brightness is
both its colour and its character, so that it can be read without colour. The last move's LED
stands in brackets.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, ClassVar

from rich.style import Style
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import RichLog, Static

from noughts.boards.tracebacks import TracebackReader
from noughts.errors import BoardGoneError, NoughtsError
from noughts.game.positions import after
from noughts.protocol.describe import describe, score, seated
from noughts.protocol.parser import Item, Noise, ParsedSentence, Stream
from noughts.protocol.sentences import Boot, Game, is_late
from noughts.protocol.situation import CONTROLS, Observer, Said, Situation, said
from noughts.recording.play_recording import PlayedGames, PlayRecording
from noughts.terminal.layout import PLAYERS, mark_rows
from noughts.terminal.replay import HelpScreen, Program, ReplayScreen
from noughts.virtual.board import VirtualBoard
from noughts.virtual.stored_flash import choice_in

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

MIN_COLUMNS, MIN_LINES = 40, HEIGHT + 2
"""The smallest terminal that holds the board, and below it what it is doing."""

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


def buttons_at(x: int, y: int) -> tuple[Button, ...]:
    """The buttons that a click on this column and line means, if any."""
    for columns, lines, buttons in _AREAS:
        if x in columns and y in lines:
            return buttons
    return ()


def draw(
    leds: bytes,
    held: frozenset[Button],
    last: tuple[int, str] | None = None,
) -> Text:
    """The board with these 25 levels and the buttons that are held down.

    last: the cell of the last move, and whose it was.
    """
    text = Text(no_wrap=True, style=_GROUND)
    for y, line in enumerate(_BOARD):
        row = Text(line, style=_OUTLINE)
        if y == _PINS:
            row.stylize(_GOLD, 1, WIDTH - 1)
        for columns, lines, buttons in _AREAS:
            if y in lines:
                row.stylize(_HELD if held.issuperset(buttons) else _UP, columns[0], columns[-1] + 1)
        led_row, between = divmod(y - _LEDS_TOP, _DOWN)
        if 0 <= led_row < 5 and not between:
            row = _with_leds(row, leds[5 * led_row : 5 * led_row + 5])
            if last is not None and last[0] // 3 * 2 == led_row:
                row = _marked(row, last[0] % 3 * 2, last[1])
        text.append_text(row)
        if y < HEIGHT - 1:
            text.append("\n")
    return text


def _with_leds(row: Text, levels: bytes) -> Text:
    for column, level in enumerate(levels):
        # The levels grow about twofold in power; the eye sees steps.
        glow = f"#{75 + 20 * level:02x}{22 + 6 * level:02x}{20 + 5 * level:02x}"
        style = Style(color=glow if level else "#5c4a48", bold=level > 6)
        row = _put(row, _LEDS_LEFT + _ACROSS * column, Text(_CHARACTERS[level] * 2, style))
    return row


def _marked(row: Text, column: int, player: str) -> Text:
    x = _LEDS_LEFT + _ACROSS * column
    row = _put(row, x - 1, Text("[", PLAYERS[player]))
    return _put(row, x + 2, Text("]", PLAYERS[player]))


def _put(row: Text, x: int, piece: Text) -> Text:
    return row[:x].append_text(piece).append_text(row[x + len(piece) :])


class Picture(Static):
    """The board; a click on a button holds it down until the mouse is let go."""

    def __init__(self, board: VirtualBoard, fail: Callable[[NoughtsError], None]) -> None:
        """fail: called when the board has gone."""
        super().__init__(id="picture")
        self._fail = fail
        self._board = board
        self._leds = bytes(25)
        self._held: frozenset[Button] = frozenset()
        self._last: tuple[int, str] | None = None

    def on_mount(self) -> None:
        self._draw()

    def show(self, leds: bytes, last: tuple[int, str] | None) -> None:
        """Show 25 LED levels from 0 to 9, and mark the last move: its cell and its player."""
        if (leds, last) != (self._leds, self._last):
            self._leds, self._last = leds, last
            self._draw()

    def _draw(self) -> None:
        self.update(draw(self._leds, self._held, self._last))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        buttons = buttons_at(event.x, event.y)
        if buttons:
            self.capture_mouse()
            self._hold(frozenset(buttons))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        self.release_mouse()
        self._hold(frozenset())

    def _hold(self, held: frozenset[Button]) -> None:
        try:
            if held - self._held:
                self._board.press(*held - self._held)
            if self._held - held:
                self._board.release(*self._held - held)
        except BoardGoneError as gone:
            self._fail(gone)
        self._held = held
        self._draw()


_SIDE_BY_SIDE = 58
_WITH_HELP = 110, 25
"""Columns and lines that hold the help as well, at the right."""
_HELP = 38
_KEYS = "a b buttons · space both · arrows tilt · v replay · r reset · ? help · q quit"
_FEWER_KEYS = "a b buttons · space both · arrows tilt · ? help · q quit"
_POLL_S = 0.02
_CLOCK_S = 0.2

RULES = """\
Two players, A and B, mark nine cells by turns. Three in a row win: \
across, down or diagonal. Nine marks and no such row: a draw.

2 E M H   two people; the chip at easy, medium, hard
bright    a mark of player A
pulsing   a mark of player B, less bright
blinking  the cursor
[ ]       around the last move

a b       button A and button B; or click on them
space     both: to the menu, and in it tilt on and off
arrows    tilt the board that way for a moment
v         replay the last game, each move judged
r         the reset button
q         quit"""

_TALL = 12
"""Lines; with less there is room for what is to be done now, and no more."""
_REPLAY = ("v", "replay this game")
_KEY = {"button A": "a", "button B": "b", "A or B": "a or b", "A+B": "space"}
"""What to press for a button, where there is no room for its name."""


class BoardApp(Program):
    """Plays on a board until the player quits, or the board dies (`failure` then says how)."""

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
    .narrow #stage {{ layout: vertical; height: 1fr; }}
    .narrow #log, .narrow #status {{ display: none; }}
    .wide #help {{ display: block; }}
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
        self._games = PlayedGames(recording.board)
        self._picture = Picture(board, self.fail)
        self._doing = Static(id="doing")
        self._heard = RichLog(id="log", wrap=True, max_lines=2000, min_width=0)
        self._heard.can_focus = False
        self._status = Static(id="status")
        self._table_id = "?"
        self._boot: str | None = None
        self._stream = Stream()
        self._shown: object = None
        self._has_room_for_help = False
        self._tracebacks = TracebackReader()
        self._stopped_by = ""

    def compose(self) -> ComposeResult:
        with Horizontal(id="stage"):
            yield self._picture
            yield self._doing
        yield Static(RULES, id="help", markup=False)
        yield self._heard
        yield Static("", id="small")
        yield self._status

    def on_mount(self) -> None:
        self._tell_status()
        self.set_interval(_CLOCK_S, self._tell_status)
        self.set_interval(_POLL_S, self._look)

    def on_resize(self, event: events.Resize) -> None:
        columns, lines = event.size
        tiny = columns < MIN_COLUMNS or lines < MIN_LINES
        stage = self.screen_stack[0]
        stage.set_class(columns < _SIDE_BY_SIDE, "narrow")
        self._has_room_for_help = columns >= _WITH_HELP[0] and lines >= _WITH_HELP[1]
        stage.set_class(self._has_room_for_help, "wide")
        stage.set_class(tiny, "tiny")
        self._shown = None
        if tiny:
            stage.query_one("#small", Static).update(
                f"{columns} x {lines} is too small: make the terminal "
                f"{MIN_COLUMNS} x {MIN_LINES} or larger, or press q to quit."
            )

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action == "quit" or len(self.screen_stack) == 1

    def fail(self, error: NoughtsError) -> None:
        """End the program; the command then prints the error."""
        self.failure = error
        self._leave()

    def _leave(self) -> None:
        self._stopped.set()
        self.exit()

    async def action_quit(self) -> None:
        self._leave()

    def action_leave(self) -> None:
        self._leave()

    def action_tap(self, buttons: str) -> None:
        self._do(lambda: self._board.tap(*buttons))

    def action_tilt(self, x: int, y: int) -> None:
        self._do(lambda: self._board.nudge(x, y))

    def action_reset(self) -> None:
        self._do(self._board.reset)
        self._observer.reset()
        self._stopped_by = ""
        self._heard.write(Text("reset", style="dim"))

    def action_rules(self) -> None:
        if self._has_room_for_help:
            self.screen.toggle_class("wide")
        else:
            self.push_screen(HelpScreen(RULES))

    def action_replay(self) -> None:
        game = self._games.last
        if game is None:
            self._heard.write(Text("v replays a game once one has ended", style="dim"))
            return
        number = self._recording.kept.get((game.boot, game.number), game.id)
        game = game._replace(id=number)
        self.push_screen(ReplayScreen(game, None, "q back to the board"))

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
            received = self._board.serial.read(4096)
        except NoughtsError as error:
            self.fail(error)
            return
        except OSError:  # its port goes a moment after the board
            return
        self._recording.hear(received)
        for item in self._stream.feed(received):
            self._tell(item)
        if (flash := self._board.memory()) is not self._flash:
            self._flash = flash
            self._controls = choice_in(flash)[1]
            self._keep_flash(flash)
        self._observer.see(leds)
        self._show(leds)

    def _show(self, leds: bytes) -> None:
        now = self._observer.now
        last = None
        if now.last is not None and now.game is not None:
            last = now.last, now.game.player(len(now.game.moves) - 1)
        self._picture.show(leds, last)
        width, height = self._doing.content_size
        shown = (now, self._stopped_by, self._controls, self._games.last, width, height)
        if width and shown != self._shown:
            self._shown = shown
            text = panel(now, self._stopped_by, self._controls, self._games.score, width, height)
            self._doing.update(text)

    def _tell(self, item: Item) -> None:
        if isinstance(item, ParsedSentence):
            self._observer.hear(item.sentence)
            self._games.hear(item.sentence)
            if isinstance(item.sentence, Boot):
                self._table_id, self._boot = item.sentence.table_id, item.sentence.boot
                self._stopped_by = ""
            self._tell_status()
            # What the board has stored from earlier runs would fill the screen at each start.
            if isinstance(item.sentence, Boot) or not is_late(item.sentence, self._boot):
                self._heard.write(Text(describe(item.sentence)))
        elif isinstance(item, Noise):
            self._heard.write(Text(item.text, style="dim italic"))
            if found := self._tracebacks.feed(item.text):
                # A second traceback follows from the first.
                why = f"{found.where}: {found.error}. Correct it and start again."
                self._stopped_by = self._stopped_by or why
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
        keys = _KEYS if self.size.width > len(_KEYS) + 1 else _FEWER_KEYS
        clock = f"{int(seconds // 60)}:{seconds % 60:04.1f}"
        warning = "games are not stored · " if self._recording.error else ""
        about = f"clock {clock} · {warning}table {self._table_id} · virtual {self._board.firmware}"
        self._status.update(Text(f"{keys}\n{about}", no_wrap=True, overflow="crop"))


def panel(
    now: Situation,
    stopped: str,
    controls: str,
    scores: Mapping[str, Mapping[str, int]],
    width: int,
    height: int,
) -> Text:
    """All the text next to the board, the most important first, in lines of this width.

    stopped: why the game does not run, from its last traceback, or empty.
    """
    what = said(now, controls)
    if stopped and now.phase in ("starting", "fault"):
        what = Said("The game has stopped", stopped)
    buttons = (*what.buttons, _REPLAY) if now.phase == "over" else what.buttons
    style = PLAYERS.get(what.player, "bold")
    banner = Text(f" {what.headline}".ljust(width)[:width], f"{style} reverse")
    if height < _TALL:
        keys = "  ".join(f"{_KEY.get(name, name)} {does}" for name, does in buttons)
        return Text("\n").join([banner, Text(keys), Text(what.about)])
    blank = Text(" " * width, f"{style} reverse")
    text = Text("\n").join([blank, banner, blank] if now.phase == "over" else [banner])
    if what.about:
        text.append(f"\n{what.about}")
    text.append("\n")
    wide = max((len(name) for name, _ in buttons), default=0)
    for name, does in buttons:
        text.append(f"\n{name.ljust(wide)}", "bold").append(f"  {does}")
    if now.game is not None:
        text.append("\n\n").append_text(_game(now.game))
    seats = now.game.seats if now.game else f"P{now.opponent or 'P'}"
    text.append("\n\nscore", "dim").append(f"  {score(scores.get(seats, {}))}")
    if controls and now.phase != "menu":  # there they may be about to change
        text.append("\nmode", "dim").append(f"   {CONTROLS[controls]}")
    return text


def _game(game: Game) -> Text:
    """The marks, the last one or the row that has won marked, and next to them who plays."""
    rows = mark_rows(game.marks, after(game.moves).won_cells or game.moves[-1:])
    for text, player in zip(rows, "AB", strict=False):
        text.append(f"  {player}", PLAYERS[player]).append(f"  {_seat(game, player)}")
    rows[2].append(f"  game {game.number}", "dim")
    return Text("\n").join(rows)


def _seat(game: Game, player: str) -> str:
    seat = game.seats["AB".index(player)]
    if seat != "P":
        return f"the chip, {seated(seat)}"
    return "a person" if game.seats == "PP" else "you"
