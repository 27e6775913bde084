"""`noughts play`: a micro:bit to play on, help next to it, and its messages below.

Each LED is drawn two columns wide, as a square with space around it. Colour and character both show
its brightness, so it can be read without colour. Brackets mark the last move.
"""

from __future__ import annotations

import queue
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.style import Style
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import RichLog, Static

from noughts.boards.tracebacks import TracebackReader
from noughts.errors import NoughtsError, StoreError, printable
from noughts.game.positions import position_after
from noughts.protocol.describe import describe, seated
from noughts.protocol.sentences import Boot, Game, is_of_earlier_run
from noughts.recording.events import (
    Event,
    NoiseReceived,
    SentenceStored,
    StoreBusy,
    StoreFree,
    StoreGone,
    UnknownSentence,
)
from noughts.recording.watch import Watch
from noughts.terminal.help import HelpScreen, rendered
from noughts.terminal.marks import PLAYERS, mark_rows
from noughts.terminal.replay import Program, ReplayScreen
from noughts.views.situation import CONTROLS, Instructions, Observer, Situation, instructions
from noughts.views.words import score
from noughts.virtual.board import VirtualBoard

if TYPE_CHECKING:
    from microbit_emulator import Button

_CHARACTERS = "·░░░▒▒▓▓██"
"""By an LED's level."""


def draw(leds: bytes, last: tuple[int, str] | None = None, spaced: bool = True) -> Text:
    """The LEDs with these 25 levels; last: the cell of the last move, and whose it was.

    spaced: whether there is an empty line between two rows.
    """
    cell, player = last or (None, "")
    rows = [Text() for _ in range(5)]
    for led, level in enumerate(leds):
        # Each level has about twice the power of the one below; the eye sees even steps.
        glow = f"#{75 + 20 * level:02x}{22 + 6 * level:02x}{20 + 5 * level:02x}"
        style = Style(color=glow if level else "#5c4a48", bold=level > 6)
        row, column = divmod(led, 5)
        is_last = cell is not None and (row, column) == (cell // 3 * 2, cell % 3 * 2)
        left, right, around = ("[", "]", PLAYERS[player]) if is_last else (" ", " ", "")
        rows[row].append(left, around).append(_CHARACTERS[level] * 2, style).append(right, around)
    return Text("\n\n" if spaced else "\n").join(rows)


class BoardButton(Static):
    """A button of the board; a click holds it down until the mouse button is released."""

    def __init__(self, drawing: str, hold: Callable[[bool], None]) -> None:
        super().__init__(drawing, markup=False)
        self._hold = hold

    def on_mouse_down(self) -> None:
        self.capture_mouse()
        self.add_class("held")
        self._hold(True)

    def on_mouse_up(self) -> None:
        self.release_mouse()
        if self.has_class("held"):
            self.remove_class("held")
            self._hold(False)


class Shown(Static):
    """Shows what a function draws from a state, again when that changes; the CSS sets its size."""

    _state: tuple[Any, ...] = ()

    def show(self, draw: Callable[..., RenderableType], *state: Any) -> None:
        if state != self._state:
            self._state = state
            self.update(draw(*state), layout=False)


_KEYS = "q quit · ? help · a b buttons · space both · arrows tilt · v replay · r reset"
_KEYS_ALONE = "q quit · ? help · a b space arrows v r"

RULES = (
    (
        "Two players, A and B, take turns to mark nine cells. Three in a row win: across, down or "
        "diagonally. If all nine cells are full and nobody has three, it is a draw."
    ),
    {
        "2": "two people",
        "E M H": "the chip: easy, medium, hard",
        "steady": "a mark of player A",
        "pulsing": "a mark of player B",
        "blinking": "the cursor",
        "[ ]": "around the last move",
    },
    {
        "a b": "button A and button B; or click on them",
        "space": "both buttons: back to the menu; there, switch between buttons and tilt",
        "arrows": "tilt the board that way for a moment",
        "v": "replay the last game, with a verdict on each move",
        "r": "the reset button",
        "q": "quit",
    },
)


class PlayedGames:
    """The games that were played on the board since a watch of it began."""

    def __init__(self, watch: Watch) -> None:
        self.stored: set[int] = set()
        """The numbers of the finished games in the store that was asked for."""
        self.scores: dict[str, Counter[str]] = {}
        """By seats: how many games ended in `A`, `B` or `=`."""
        self.last: int | None = None
        """The number of the last game that was won or drawn, where games are stored now."""
        self._watch = watch
        watch.subscribe(self._take)

    def _take(self, events: list[Event]) -> None:
        for event in events:
            match event:
                case StoreGone():
                    self.last = None
                case SentenceStored(sentence=Game() as game, game=int(number)):
                    if game.end != "-" and game.moves:
                        self._count(game, number, event.late)

    def _count(self, game: Game, number: int, late: bool) -> None:
        if not self._watch.error:
            self.stored.add(number)
        if game.end != "x" and not late:
            self.scores.setdefault(game.seats, Counter())[game.end] += 1
            self.last = number


class BoardApp(Program):
    """Plays on a board until the player quits, or the board dies (then `failure` says why)."""

    TITLE = "noughts"
    CSS = """
    #stage { height: 15; }
    #picture { width: 34; height: 15; background: #101317; color: #7f9fd0; border: round #7f9fd0; }
    #picture Static { width: auto; height: auto; }
    #usb { margin: 0 12; }
    #face { height: 9; padding: 0 1; }
    #face #leds { width: 20; height: 9; }
    #face BoardButton { margin: 3 0; }
    BoardButton { margin: 0 11; color: #d8d8d8; text-style: bold; }
    .held { color: #ffffff; text-style: bold reverse; }
    #pins { color: #d8a530; }
    #doing { width: 1fr; height: 1fr; padding: 0 0 0 1; }
    #help { display: none; dock: right; width: 38; height: 1fr; padding: 0 1; color: $text-muted; }
    .wide #help { display: block; }
    .wide.low #help, .wide.unhelped #help { display: none; }
    #log { width: 1fr; height: 1fr; padding: 0 1; background: $background; scrollbar-size: 0 0; }
    #status { dock: bottom; height: 2; background: $panel; padding: 0 1;
              text-wrap: nowrap; text-overflow: ellipsis; }
    .slim, .narrow {
        #stage { layout: vertical; height: auto; }
        #doing { width: 100%; height: 13; }
    }
    /* No room for the whole picture: the LEDs alone, with the text next to them or below. */
    .slim, .narrow {
        &.low, &.high {
            #usb, BoardButton, #pins { display: none; }
            #picture { width: 22; height: 7; }
            #face { padding: 0; }
            #face, #face #leds { height: 5; }
        }
    }
    .narrow.low, .narrow.high {
        #stage { layout: horizontal; }
        #doing { width: 1fr; height: 14; }
    }
    """
    HORIZONTAL_BREAKPOINTS = [(0, "slim"), (50, "narrow"), (64, "usual"), (110, "wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "low"), (25, "high"), (32, "tall")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        ("a", "tap('A')"),
        ("b", "tap('B')"),
        ("space", "tap('AB')"),
        ("left", "tilt(-1, 0)"),
        ("right", "tilt(1, 0)"),
        ("up", "tilt(0, -1)"),
        ("down", "tilt(0, 1)"),
        ("r", "reset"),
        ("v", "replay"),
        ("question_mark", "help"),
        ("q", "quit"),
        Binding("ctrl+c", "quit", priority=True),
    ]

    def __init__(
        self,
        board: VirtualBoard,
        stopped: threading.Event,
        watch: Watch,
        games: PlayedGames,
        keep_flash: Callable[[bytes], object] = lambda flash: None,
    ) -> None:
        """It ends when `stopped` is set, and sets it when it ends.

        watch: of the board; it has not started yet, or games are not shown that were played before.
        keep_flash: called with the flash when it has changed.
        """
        super().__init__()
        self._stopped = stopped
        self.failure: NoughtsError | None = None
        self._board = board
        self._watch, self._games = watch, games
        self._events: queue.SimpleQueue[list[Event]] = queue.SimpleQueue()
        watch.subscribe(self._events.put)
        self._keep_flash = keep_flash
        self._flash = board.memory()
        self._observer = Observer()
        self._leds = Shown(id="leds")
        self._panel = Shown(id="doing")
        self._transcript = RichLog(id="log", wrap=True, max_lines=2000, min_width=0)
        self._transcript.can_focus = False
        self._status = Static(id="status", markup=False)
        self._tracebacks = TracebackReader()
        self._stopped_by = ""

    def compose(self) -> ComposeResult:
        with Horizontal(id="stage"):
            with Vertical(id="picture"):
                yield Static("╭──────╮\n╰•────•╯", id="usb")
                with Horizontal(id="face"):
                    yield self._button("╔═══╗\n║ A ║\n╚═══╝", "A")
                    yield self._leds
                    yield self._button("╔═══╗\n║ B ║\n╚═══╝", "B")
                yield self._button("[ A + B ]", "A", "B")
                yield Static("(0) ▪▪▪ (1) ▪▪▪ (2) ▪ (3V) (GND)", id="pins")
            yield self._panel
        yield Static(rendered(RULES), id="help")
        yield self._transcript
        yield self._status

    def _button(self, drawing: str, *buttons: Button) -> BoardButton:
        def hold(down: bool) -> None:
            self._do(lambda: (self._board.press if down else self._board.release)(*buttons))

        return BoardButton(drawing, hold)

    def on_mount(self) -> None:
        self._do(self._tell_status)
        self.set_interval(0.2, lambda: self._do(self._tell_status))
        self.set_interval(0.02, lambda: self._do(self._look))

    def on_unmount(self) -> None:
        self._stopped.set()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action == "quit" or len(self.screen_stack) == 1

    def _do(self, action: Callable[[], None]) -> None:
        """Run an action on the board; if the board is gone, the program ends."""
        try:
            action()
        except NoughtsError as error:
            self.failure = self.failure or error
            self.exit()

    def action_tap(self, buttons: str) -> None:
        self._do(lambda: self._board.tap(*buttons))

    def action_tilt(self, x: int, y: int) -> None:
        self._do(lambda: self._board.nudge(x, y))

    def action_reset(self) -> None:
        self._do(self._board.reset)
        self._observer.reset()
        self._stopped_by = ""
        self._transcript.write(Text("reset", style="dim"))

    def action_help(self) -> None:
        # On a wide screen it is next to the board already.
        if self.screen.has_class("wide") and not self.screen.has_class("low"):
            self.screen.toggle_class("unhelped")
        else:
            self.push_screen(HelpScreen(RULES))

    def action_replay(self) -> None:
        if self._games.last is None:
            self._transcript.write(Text("v replays a game once one has ended", style="dim"))
            return
        try:
            self.push_screen(ReplayScreen(self._watch.game(self._games.last)))
        except StoreError as error:
            self.notify(printable(str(error)), severity="error", markup=False)

    def _look(self) -> None:
        """Read the board's LEDs and what was recorded of it, and show what is new."""
        if self._stopped.is_set():
            self.exit()
            return
        leds = self._board.leds()
        while not self._events.empty():
            for event in self._events.get():
                self._tell(event)
        if (flash := self._board.memory()) is not self._flash:
            self._flash = flash
            self._keep_flash(flash)
        self._observer.see(leds)
        situation = self._observer.now
        spaced = self._leds.size.height >= 9
        self._leds.show(draw, leds, situation.last, spaced)
        seats = situation.game.seats if situation.game else f"P{situation.opponent or 'P'}"
        ends = dict(self._games.scores.get(seats, {}))  # a copy: another thread counts
        self._panel.show(panel, situation, self._stopped_by, ends)

    def _tell(self, event: Event) -> None:
        match event:
            case SentenceStored(sentence=sentence):
                self._observer.receive(sentence)
                if isinstance(sentence, Boot):
                    self._stopped_by = ""
                # Stored games from earlier runs would fill the screen at each start.
                if not is_of_earlier_run(sentence, self._observer.boot):
                    self._transcript.write(Text(describe(sentence)))
            case NoiseReceived(noise=noise):
                self._transcript.write(Text(noise, style="dim italic"))
                if traceback := self._tracebacks.feed(noise):
                    # A second traceback is caused by the first.
                    why = f"{traceback.where}: {traceback.error}. Correct it and start again."
                    self._stopped_by = self._stopped_by or why
            case UnknownSentence(what=what):
                self._transcript.write(Text(f"{what} is not known to this version", style="dim"))
            case StoreBusy() | StoreFree() | StoreGone():
                self._transcript.write(Text(printable(event.text()), style="dim"))

    def _tell_status(self) -> None:
        tenths = self._board.clock_us() // 100_000
        clock = f"{tenths // 600}:{tenths % 600 / 10:04.1f}"
        warning = "games are not stored · " if self._watch.error else ""
        table_id = self._observer.boot.table_id if self._observer.boot else "?"
        # At 80 columns the firmware still fits.
        about = f"clock {clock} · {warning}table {table_id} · {self._board.firmware}"
        has_room = self._status.content_size.width >= len(_KEYS)
        self._status.update(f"{_KEYS if has_room else _KEYS_ALONE}\n{about}")


def panel(situation: Situation, stopped: str, ends: Mapping[str, int]) -> Group:
    """All text next to the board, the most important first.

    stopped: why the game does not run, from its last traceback, or empty.
    """
    what = instructions(situation)
    if stopped and situation.phase in ("starting", "fault"):
        what = Instructions("The game has stopped", stopped)
    over = situation.phase == "over"
    style = f"{PLAYERS.get(what.player, 'bold')} reverse"
    banner = Padding(what.headline, (int(over), 1), style=style)
    buttons = (*what.buttons, ("v", "replay this game")) if over else what.buttons
    text = Text(f"{what.about}\n" if what.about else "")
    wide = max((len(name) for name, _ in buttons), default=0)
    for name, function in buttons:
        text.append(f"\n{name.ljust(wide)}", "bold").append(f"  {function}")
    facts = Text.assemble(("\nscore", "dim"), f"  {score(ends)}")
    if situation.controls and situation.phase != "menu":  # where they may be about to change
        facts.append("\nmode", "dim").append(f"   {CONTROLS[situation.controls]}")
    if situation.game is None:
        return Group(banner, text, facts)
    return Group(banner, text, Text(), _game(situation.game), facts)


def _game(game: Game) -> Text:
    """The marks, with the last one or the winning line highlighted, and the players."""
    rows = mark_rows(game.marks, position_after(game.moves).won_cells or game.moves[-1:])
    for text, player, seat in zip(rows, "AB", game.seats, strict=False):
        who = f"the chip, {seated(seat)}"
        if seat == "P":
            who = "a person" if game.seats == "PP" else "you"
        text.append(f"  {player}", PLAYERS[player]).append(f"  {who}")
    rows[2].append(f"  game {game.number}", "dim")
    # A line that wraps would split the board.
    return Text("\n", no_wrap=True, overflow="ellipsis").join(rows)
