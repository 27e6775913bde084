"""`noughts play`: a micro:bit to play on, help next to it, and its messages below; or two."""

from __future__ import annotations

import queue
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import RichLog, Static

from microbit_emulator.firmware import V2
from noughts.boards.tracebacks import place_in_device
from noughts.engines.levels import LEVELS
from noughts.errors import NoughtsError, StoreError, printable
from noughts.protocol.describe import describe
from noughts.protocol.sentences import Game, is_of_earlier_run, is_same
from noughts.recording.events import (
    BoardEvent,
    Event,
    NoiseReceived,
    SentenceStored,
    StoreBusy,
    StoreFree,
    StoreGone,
    UnknownSentence,
)
from noughts.recording.watch import Watch
from noughts.terminal.board_view import BoardView
from noughts.terminal.help import Help, HelpScreen, rendered
from noughts.terminal.replay import Program, ReplayScreen
from noughts.virtual.board import VirtualBoard

_KEYS = "q quit · ? help · a b space press · arrows tilt · l logo · v replay · r reset"
_KEYS_ALONE = "q quit · ? help · a b l r v space ←↑↓→"
_KEYS_FOR_TWO = "q quit · ? help · A, B, both: left a s d, right h j k · arrows tilt · l · v"
_KEYS_FOR_TWO_ALONE = "q ? left a s d right h j k l v 1 2 ←↑↓→"
_GAME = (
    "Two players, A and B, take turns to mark nine cells. Three in a row win: across, down or "
    "diagonally. If all nine cells are full and nobody has three, it is a draw."
)
_SIGNS = {
    "2": "two people",
    " ".join(LEVELS): f"the chip: {', '.join(level.name for level in LEVELS.values())}",
    "R": "two boards, by radio",
    "steady": "a mark of player A",
    "pulsing": "a mark of player B",
    "blinking": "fast: the cursor",
    "[ ]": "around the last move",
}
RULES: Help = (
    _GAME,
    _SIGNS,
    {
        "a b": "button A and button B; or click on them",
        "space": "both buttons: back to the menu; there, switch between buttons and tilt",
        "arrows": "tilt the board that way for a moment",
        "l": "touch the logo (V2): in the menu, switch sound off or on",
        "v": "replay the last game, with a verdict on each move",
        "r": "the reset button",
        "q": "quit",
    },
)
RULES_FOR_TWO: Help = (
    _GAME,
    "To play by radio, choose R on both boards, and then the same channel.",
    _SIGNS,
    {
        "a s d": "the left board: button A, button B, both",
        "h j k": "the right board: button A, button B, both",
        "arrows": "tilt both boards that way for a moment",
        "l": "touch both logos (V2): in the menu, switch sound off or on",
        "v": "replay the last game, with a verdict on each move",
        "1 2": "the reset button of the left and of the right board",
        "q": "quit",
    },
)


class PlayedGames:
    """The games that were played on the boards since a watch of them began."""

    def __init__(self, watch: Watch) -> None:
        self.stored: set[int] = set()
        """The numbers of the finished games in the store that was asked for."""
        self.scores: dict[str, Counter[str]] = {}
        """By seats: how many games ended in `A`, `B` or `=`."""
        self.last: int | None = None
        """The number of the last game that was won or drawn, where games are stored now."""
        self._counted: set[int] = set()
        """The numbers of the games in the scores, where games are stored now."""
        self._watch = watch
        watch.subscribe(self._take)

    def _take(self, events: list[Event]) -> None:
        for event in events:
            match event:
                case StoreGone():
                    self.last = None
                    self._counted.clear()
                case SentenceStored(sentence=Game() as game, game=int(number)):
                    if game.end != "-" and game.moves:
                        self._count(game, number, event.late)

    def _count(self, game: Game, number: int, late: bool) -> None:
        if not self._watch.error:
            self.stored.add(number)
        # Two boards that play by radio both send their game.
        if game.end != "x" and not late and number not in self._counted:
            self._counted.add(number)
            self.scores.setdefault(game.seats, Counter())[game.end] += 1
            self.last = number


# Textual reads only the `CSS` of the program itself, not that of the class it is made from.
_LOG_AND_STATUS = """
    #log { width: 1fr; height: 1fr; padding: 0 1; background: $background; scrollbar-size: 0 0; }
    #status { dock: bottom; height: 2; background: $panel; padding: 0 1;
              text-wrap: nowrap; text-overflow: ellipsis; }
"""
_LEDS_ALONE = """
    .logo, BoardButton, .both, .pins { display: none; }
    BoardPicture { width: 22; height: 7; }
    .face { padding: 0; }
    .face, .face .leds { height: 5; }
"""
_KEYS_OF_ALL: list[BindingType] = [
    ("left", "tilt(-1, 0)"),
    ("right", "tilt(1, 0)"),
    ("up", "tilt(0, -1)"),
    ("down", "tilt(0, 1)"),
    ("l", "touch"),
    ("v", "replay"),
    ("question_mark", "help"),
    ("q", "quit"),
    Binding("ctrl+c", "quit", priority=True),
]


class BoardApp(Program):
    """Plays on a board until the player quits, or the board dies (then `failure` says why)."""

    TITLE = "noughts"
    CSS = f"""
    {_LOG_AND_STATUS}
    #stage {{ height: 15; }}
    .doing {{ width: 1fr; height: 1fr; padding: 0 0 0 1; }}
    #help {{ display: none; dock: right; width: 38; height: 1fr; padding: 0 1;
             color: $text-muted; }}
    .wide #help {{ display: block; }}
    .wide.low #help, .wide.unhelped #help {{ display: none; }}
    .slim, .narrow {{
        #stage {{ layout: vertical; height: auto; }}
        .doing {{ width: 100%; height: 13; }}
    }}
    /* No room for the whole picture: the LEDs alone, with the text next to them or below. */
    .slim, .narrow {{
        &.low, &.high {{ {_LEDS_ALONE} }}
    }}
    .narrow.low, .narrow.high {{
        #stage {{ layout: horizontal; }}
        .doing {{ width: 1fr; height: 14; }}
    }}
    """
    HORIZONTAL_BREAKPOINTS = [(0, "slim"), (50, "narrow"), (64, "usual"), (110, "wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "low"), (25, "high"), (32, "tall")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        ("a", "tap(0, 'A')"),
        ("b", "tap(0, 'B')"),
        ("space", "tap(0, 'AB')"),
        ("r", "reset(0)"),
        *_KEYS_OF_ALL,
    ]
    RULES: ClassVar[Help] = RULES
    KEYS: ClassVar[tuple[str, str]] = _KEYS, _KEYS_ALONE
    """All keys, and the same in 38 columns."""

    def __init__(
        self,
        boards: Sequence[tuple[str, VirtualBoard]],
        stopped: threading.Event,
        watch: Watch,
        games: PlayedGames,
        keep_flash: Callable[[bytes], object] = lambda flash: None,
    ) -> None:
        """It ends when `stopped` is set, and sets it when it ends.

        boards: each with its name in the store. watch: of the boards; it has not started yet, or
        games are not shown that were played before. keep_flash: called with the flash of the first
        board when it has changed.
        """
        super().__init__()
        self._stopped = stopped
        self.failure: NoughtsError | None = None
        self._watch, self._games = watch, games
        self._events: queue.SimpleQueue[list[Event]] = queue.SimpleQueue()
        watch.subscribe(self._events.put)
        self._views = {
            name: BoardView(board, self._do, games.scores, len(boards) > 1)
            for name, board in boards
        }
        self._boards = [board for _, board in boards]
        self._keep_flash = keep_flash
        self._flash = self._boards[0].memory()
        self._transcript = RichLog(id="log", wrap=True, max_lines=2000, min_width=0)
        self._transcript.can_focus = False
        self._status = Static(id="status", markup=False)

    def compose(self) -> ComposeResult:
        (view,) = self._views.values()
        with Horizontal(id="stage"):
            yield view.picture
            yield view.panel
        yield Static(rendered(self.RULES), id="help")
        yield self._transcript
        yield self._status

    def on_mount(self) -> None:
        self._do(self._tell_status)
        self.set_interval(0.2, lambda: self._do(self._tell_status))
        self.set_interval(0.02, lambda: self._do(self._look))

    def on_unmount(self) -> None:
        self._stopped.set()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action == "quit" or len(self.screen_stack) == 1

    def _do(self, action: Callable[[], None]) -> None:
        """Run an action on a board; if the board is gone, the program ends."""
        try:
            action()
        except NoughtsError as error:
            self.failure = self.failure or error
            self.exit()

    def action_tap(self, number: int, buttons: str) -> None:
        self._do(lambda: self._boards[number].tap(*buttons))

    def action_tilt(self, x: int, y: int) -> None:
        for board in self._boards:  # by radio, it is the turn of only one of them
            self._do(partial(board.nudge, x, y))

    def action_touch(self) -> None:
        for board in self._boards:
            self._do(board.touch_logo)
        if self._boards[0].board != V2:
            self._note("only a V2 has a logo that can be touched, and sound")

    def action_reset(self, number: int) -> None:
        name, view = [*self._views.items()][number]
        self._do(view.reset)
        self._note(f"{self._prefix(name)}reset")

    def action_help(self) -> None:
        # On a wide screen it is next to the board already.
        if self.screen.has_class("wide") and not self.screen.has_class("low"):
            self.screen.toggle_class("unhelped")
        else:
            self.push_screen(HelpScreen(self.RULES))

    def action_replay(self) -> None:
        if self._games.last is None:
            self._note("v replays a game once one has ended")
            return
        try:
            self.push_screen(ReplayScreen(self._watch.game(self._games.last)))
        except StoreError as error:
            self.notify(printable(str(error)), severity="error", markup=False)

    def _look(self) -> None:
        """Read the boards' LEDs and what was recorded of them, and show what is new."""
        if self._stopped.is_set():
            self.exit()
            return
        while not self._events.empty():
            for event in self._events.get():
                self._tell(event)
        if (flash := self._boards[0].memory()) is not self._flash:
            self._flash = flash
            self._keep_flash(flash)
        for view in self._views.values():
            view.look()

    def _tell(self, event: Event) -> None:
        if isinstance(event, BoardEvent):
            self._views[event.board].take(event)
            self._tell_received(event)
        elif isinstance(event, StoreBusy | StoreFree | StoreGone):
            self._note(event.text())

    def _tell_received(self, event: BoardEvent) -> None:
        prefix, observer = self._prefix(event.board), self._views[event.board].observer
        match event:
            case SentenceStored(sentence=sentence):
                # Stored games from earlier runs would fill the screen at each start. By radio, a
                # game has the boot of one of the two boards.
                if not is_of_earlier_run(sentence, observer.boot) or (
                    isinstance(sentence, Game) and is_same(sentence, observer.situation.game)
                ):
                    self._transcript.write(Text(prefix + describe(sentence)))
            case NoiseReceived(noise=noise):
                self._transcript.write(Text(prefix + place_in_device(noise), style="dim italic"))
            case UnknownSentence(unknown_part=unknown_part):
                self._note(f"{prefix}{unknown_part} is not known to this version")

    def _prefix(self, name: str) -> str:
        """What a line about a board begins with."""
        return "" if len(self._views) == 1 else f"{name.removeprefix('virtual-')}: "

    def _note(self, text: str) -> None:
        self._transcript.write(Text(printable(text), style="dim"))
        if not self._transcript.display:  # two boards leave no room for it on a low screen
            self.notify(printable(text), markup=False)

    def _tell_status(self) -> None:
        tenths = self._boards[0].clock_us() // 100_000
        clock = f"{tenths // 600}:{tenths % 600 / 10:04.1f}"
        warning = f"games are {self._watch.storage} · " if self._watch.error else ""
        boot = next(iter(self._views.values())).observer.boot
        table_id = boot.table_id if boot else "?"
        # At 80 columns the firmware still fits.
        about = f"clock {clock} · {warning}table {table_id} · {self._boards[0].firmware}"
        keys, keys_alone = self.KEYS
        has_room = self._status.content_size.width >= len(keys)
        self._status.update(f"{keys if has_room else keys_alone}\n{about}")


class TwoBoardsApp(BoardApp, inherit_bindings=False):
    """Two boards side by side, in radio contact."""

    CSS = f"""
    {_LOG_AND_STATUS}
    #stage {{ height: 23; }}
    .side {{ width: 1fr; }}
    .side .doing {{ height: 1fr; padding: 0 1; }}
    .low, .high {{
        #stage {{ height: 1fr; }}
        #log {{ display: none; }}
    }}
    /* No room for the whole pictures: the LEDs alone. */
    .slim, .low {{ {_LEDS_ALONE} }}
    """
    HORIZONTAL_BREAKPOINTS = [(0, "slim"), (70, "usual")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "low"), (24, "high"), (29, "tall")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        ("a", "tap(0, 'A')"),
        ("s", "tap(0, 'B')"),
        ("d", "tap(0, 'AB')"),
        ("h", "tap(1, 'A')"),
        ("j", "tap(1, 'B')"),
        ("k", "tap(1, 'AB')"),
        ("1", "reset(0)"),
        ("2", "reset(1)"),
        *_KEYS_OF_ALL,
    ]
    RULES: ClassVar[Help] = RULES_FOR_TWO
    KEYS: ClassVar[tuple[str, str]] = _KEYS_FOR_TWO, _KEYS_FOR_TWO_ALONE

    def compose(self) -> ComposeResult:
        with Horizontal(id="stage"):
            for view in self._views.values():
                with Vertical(classes="side"):
                    yield view.picture
                    yield view.panel
        yield self._transcript
        yield self._status
