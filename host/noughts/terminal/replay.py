"""`noughts replay`: a game step by step; and what all programs share."""

import os
from typing import ClassVar

from rich.console import Group
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Static

from noughts.store.stored_game import StoredGame
from noughts.terminal.help import HelpScreen
from noughts.terminal.marks import step, wait_s
from noughts.views.replay import heading, replay

_KEYS = "q leave  left right step  home end  space play  ? help"
_HELP = (
    (
        "Next to the board is what each column, row and diagonal adds up to: +1 for each mark of "
        "player A, -1 for each mark of player B. At +3 player A has won, at -3 player B."
    ),
    "1 to 9 are the free cells. The last move is marked, and at the end the winning line.",
    {
        "right left": "a move forward or back",
        "home end": "to the beginning, to the end",
        "space": "play it as fast as it was played, or stop",
        "q": "leave",
    },
)


class Program(App[None]):
    """The base of all programs in a terminal."""

    ENABLE_COMMAND_PALETTE = False

    def __init__(self) -> None:
        super().__init__(ansi_color=bool(os.environ.get("NO_COLOR")))  # https://no-color.org


class ReplayScreen(Screen[None]):
    """Shows a game move by move; with a speed, it plays by itself."""

    CSS = """
    #replay { padding: 1 2; scrollbar-size: 1 1; }
    #replay-heading { margin: 0 0 1 0; color: $text-muted; }
    #replay-status { dock: bottom; height: 1; background: $panel; padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l,enter", "by(1)", priority=True),
        Binding("left,h,backspace", "by(-1)", priority=True),
        Binding("home,g", "by(-9)", priority=True),
        Binding("end,G", "by(9)", priority=True),
        Binding("space", "play", priority=True),
        Binding("question_mark", "help", priority=True),
        Binding("q,escape", "dismiss", priority=True),
    ]

    def __init__(self, game: StoredGame, speed: float | None = None) -> None:
        super().__init__()
        self._game = game
        self._steps = replay(game).steps
        self._speed = speed or 1.0
        self._playing = speed is not None
        self._plies = 0
        self._timer: Timer | None = None
        self._board = Static(id="replay-board")

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="replay"):
            yield Static(heading(self._game), id="replay-heading", markup=False)
            yield self._board
        yield Static(_KEYS, id="replay-status")

    def on_mount(self) -> None:
        self._go(0)

    def action_by(self, plies: int) -> None:
        self._playing = False
        self._go(self._plies + plies)

    def action_play(self) -> None:
        self._playing = not self._playing
        at_end = self._plies == len(self._game.moves)
        self._go(0 if self._playing and at_end else self._plies)

    def action_help(self) -> None:
        self.app.push_screen(HelpScreen(_HELP))

    def _go(self, plies: int) -> None:
        last = len(self._game.moves)
        self._plies = min(max(plies, 0), last)
        self._playing = self._playing and self._plies < last
        if self._timer is not None:
            self._timer.stop()
        if self._playing:
            wait = wait_s(self._game, self._plies, self._speed)
            self._timer = self.set_timer(wait, lambda: self._go(self._plies + 1))
        self._board.update(Group(*step(self._steps[self._plies])))


class ReplayApp(Program):
    """A game, step by step, until a key ends it."""

    TITLE = "noughts replay"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c", "quit", priority=True)]

    def __init__(self, game: StoredGame, speed: float | None) -> None:
        super().__init__()
        self._replay = ReplayScreen(game, speed)

    def on_mount(self) -> None:
        self.push_screen(self._replay, lambda _: self.exit())
