"""A board on the screen: its LEDs and buttons, and what they do now.

Each LED is drawn two columns wide, as a square with space around it. Colour and character both show
its brightness, so it can be read without colour. Brackets mark the last move.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.style import Style
from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

from microbit_emulator.firmware import V2
from noughts.boards.tracebacks import TracebackReader
from noughts.game.positions import position_after
from noughts.protocol.describe import seated
from noughts.protocol.sentences import Boot, Game
from noughts.recording.events import BoardEvent, NoiseReceived, SentenceStored
from noughts.terminal.help import listed
from noughts.terminal.marks import PLAYERS, mark_rows
from noughts.views.situation import CONTROLS, Instructions, Observer, Situation, instructions
from noughts.views.words import note, score
from noughts.virtual.board import VirtualBoard

if TYPE_CHECKING:
    from microbit_emulator import Button

_CHARACTERS = "·░░░▒▒▓▓██"
"""By an LED's level."""
_SPACED_LINES = 9
_TONE_US = 600_000
"""How long the name of a tone stays, of device time: a tone is too short to read it."""

Do = Callable[[Callable[[], None]], None]
"""Runs an action on a board, which may have ended."""


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
    """A part of the board that a click holds down, until the mouse button is released."""

    def __init__(self, drawing: str, hold: Callable[[bool], None], classes: str = "") -> None:
        super().__init__(drawing, markup=False, classes=classes)
        self._hold = hold

    def on_mouse_down(self) -> None:
        """Hold it down; the release comes here too, wherever the pointer is then."""
        self.capture_mouse()
        self.add_class("held")
        self._hold(True)

    def on_mouse_up(self) -> None:
        """Let it go."""
        self.release_mouse()
        if self.has_class("held"):
            self.remove_class("held")
            self._hold(False)


class Shown(Static):
    """Shows what a function draws from a state, again when that changes; the CSS sets its size."""

    _state: tuple[object, ...] = ()

    def show(self, draw: Callable[..., RenderableType], *state: object) -> None:
        """Draw this state, unless it is the one that is shown."""
        if state != self._state:
            self._state = state
            self.update(draw(*state), layout=False)


class BoardPicture(Vertical):
    """The front of a board."""

    DEFAULT_CSS = """
    BoardPicture { width: 34; height: 15; background: #101317; color: #7f9fd0;
                   border: round #7f9fd0; }
    BoardPicture Static { width: auto; height: auto; }
    BoardPicture .logo { margin: 0 12; color: #d8d8d8; text-style: none; }
    BoardPicture .logo.gold { color: #d8a530; }
    BoardPicture .face { height: 9; padding: 0 1; }
    BoardPicture .leds { width: 20; height: 9; }
    BoardPicture .face BoardButton { margin: 3 0; }
    BoardPicture .both { height: 1; }
    BoardPicture .both BoardButton { margin: 0 2 0 11; }
    BoardPicture .tone { width: 8; height: 1; }
    BoardButton { color: #d8d8d8; text-style: bold; }
    BoardButton.held { color: #ffffff; text-style: bold reverse; }
    BoardPicture .pins { color: #d8a530; }
    """

    def __init__(self, board: VirtualBoard, do: Do) -> None:
        super().__init__()
        self._board, self._do = board, do
        self.leds, self.tone = Shown(classes="leds"), Shown(classes="tone")

    def compose(self) -> ComposeResult:
        """The logo, the LEDs between the buttons, both buttons as one, and the pins."""
        gold = "logo gold" if self._board.board == V2 else "logo"
        yield BoardButton("╭──────╮\n╰•────•╯", self._touch, classes=gold)
        with Horizontal(classes="face"):
            yield self._button("╔═══╗\n║ A ║\n╚═══╝", "A")
            yield self.leds
            yield self._button("╔═══╗\n║ B ║\n╚═══╝", "B")
        with Horizontal(classes="both"):
            yield self._button("[ A + B ]", "A", "B")
            yield self.tone
        yield Static("(0) ▪▪▪ (1) ▪▪▪ (2) ▪ (3V) (GND)", classes="pins")

    def _touch(self, down: bool) -> None:
        if down:
            self._do(self._board.touch_logo)

    def _button(self, drawing: str, *buttons: Button) -> BoardButton:
        def hold(down: bool) -> None:
            self._do(lambda: (self._board.press if down else self._board.release)(*buttons))

        return BoardButton(drawing, hold)


class BoardView:
    """A board, and all that is shown of it: a picture, and a panel with instructions.

    scores: by seats, how many games ended in `A`, `B` or `=`. is_small: with little room.
    """

    def __init__(
        self,
        board: VirtualBoard,
        do: Do,
        scores: Mapping[str, Mapping[str, int]],
        is_small: bool = False,
    ) -> None:
        self.board, self._scores = board, scores
        self._draw_panel = small_panel if is_small else panel
        self.picture = BoardPicture(board, do)
        self.panel = Shown(classes="doing")
        self.observer = Observer()
        self._tracebacks = TracebackReader()
        self._stopped_by = ""
        self._tone, self._tone_until_us = "", 0

    def reset(self) -> None:
        """Press its reset button."""
        self.board.reset()
        self.observer.reset()
        self._stopped_by = ""

    def take(self, event: BoardEvent) -> None:
        """Take what was received from it."""
        match event:
            case SentenceStored(sentence=sentence):
                self.observer.receive(sentence)
                if isinstance(sentence, Boot):
                    self._stopped_by = ""
            case NoiseReceived(noise=noise):
                if traceback := self._tracebacks.feed(noise):
                    # A second traceback is caused by the first.
                    why = f"{traceback.where}: {traceback.error}. Correct it and start again."
                    self._stopped_by = self._stopped_by or why

    def look(self) -> None:
        """Show what the board shows now. Raises `BoardGoneError`."""
        self.observer.see(leds := self.board.leds())
        situation = self.observer.situation
        spaced = self.picture.leds.size.height >= _SPACED_LINES
        self.picture.leds.show(draw, leds, situation.last, spaced)
        self.picture.tone.show(Text, self._tone_name())
        seats = situation.game.seats if situation.game else f"P{situation.opponent or 'P'}"
        ends = dict(self._scores.get(seats, {}))  # a copy: another thread counts
        self.panel.show(self._draw_panel, situation, self._stopped_by, ends)

    def _tone_name(self) -> str:
        """The tone that it plays, or has just played."""
        now_us = self.board.clock_us()
        if hertz := self.board.tone_hz():
            self._tone, self._tone_until_us = f"♪ {note(hertz)}", now_us + _TONE_US
        return self._tone if now_us < self._tone_until_us else ""


def panel(situation: Situation, stopped: str, ends: Mapping[str, int]) -> Group:
    """All text next to the board, the most important first.

    stopped: why the game does not run, from its last traceback, or empty.
    """
    advice = _instructions(situation, stopped)
    over = situation.phase == "over"
    banner = Padding(advice.headline, (int(over), 1), style=_style(advice))
    buttons = (*advice.buttons, ("v", "replay this game")) if over else advice.buttons
    text = [Text(advice.about), Text()] if advice.about else [Text()]
    facts = Text.assemble(("\nscore", "dim"), f"  {score(ends)}")
    if situation.controls and situation.phase != "menu":  # where they may be about to change
        facts.append("\nmode", "dim").append(f"   {CONTROLS[situation.controls]}")
    if situation.game is None:
        return Group(banner, *text, *_listed(buttons), facts)
    return Group(banner, *text, *_listed(buttons), Text(), _game(situation.game), facts)


def small_panel(situation: Situation, stopped: str, ends: Mapping[str, int]) -> Group:
    """The same in seven lines, for below a board."""
    advice = _instructions(situation, stopped)
    banner = Padding(advice.headline, (0, 1), style=_style(advice))
    facts = []
    if situation.game is not None:
        facts.append(Text.assemble(("score", "dim"), f"  {score(ends)}"))
    return Group(banner, Text(advice.about), *_listed(advice.buttons), *facts)


def _instructions(situation: Situation, stopped: str) -> Instructions:
    if stopped and situation.phase in ("starting", "fault"):
        return Instructions("The game has stopped", stopped)
    return instructions(situation)


def _style(advice: Instructions) -> str:
    return f"{PLAYERS.get(advice.player, 'bold')} reverse"


def _listed(buttons: Sequence[tuple[str, str]]) -> list[Table]:
    """Each button and its function, if there are any."""
    meanings = dict(buttons)
    return [listed(meanings, meanings)] if meanings else []


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
