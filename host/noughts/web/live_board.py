"""One board as the page shows it, in words and numbers; what it sends comes as text only."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from noughts.errors import printable
from noughts.game.positions import after
from noughts.protocol.describe import LINE_NAMES, opponents, result, score, seated
from noughts.protocol.sentences import Boot, Game, is_same, score_array
from noughts.protocol.situation import Observer
from noughts.protocol.situation_words import CONTROLS, said
from noughts.recording.events import (
    BoardEvent,
    NoiseReceived,
    PortClosed,
    PortOpened,
    SentenceStored,
    UnknownSentence,
)
from noughts.recording.session import BoardState

_MARKS = {"A": "X", "B": "O", None: "."}
_NO_GAME = {"marks": ".........", "title": "no game yet: A has no cell; B has no cell"}
"""What the picture of a board without a game needs."""
_TASKS = {"update": "Updating", "flash": "Flashing"}


@dataclass
class LiveBoard:
    """What is known of a board, besides what a `Session` knows."""

    id: str
    """Its name in the store."""
    virtual: bool = False
    kind: str = ""
    firmware: str = ""
    flash: bytes | None = None
    """A virtual board's, when it was last looked at."""
    controls: str = ""
    """`b` buttons, `t` tilt, or empty if not known."""
    work: Mapping[str, object] | None = None
    """The task with it that goes on, or what came of the last one."""
    observer: Observer = field(default_factory=Observer)
    _last: deque[BoardEvent] = field(default_factory=lambda: deque(maxlen=6))

    def take(self, event: BoardEvent) -> None:
        if not event.resent:
            self._last.append(event)
        if isinstance(event, SentenceStored):
            sentence, now = event.sentence, self.observer.now.game
            # The LEDs show no game of earlier.
            if not event.late or isinstance(sentence, Boot) or is_same(sentence, now):
                self.observer.hear(sentence)

    def record(self, called: str, state: BoardState | None, error: str = "") -> dict[str, object]:
        """All that the page shows, as JSON.

        called: what people call the board. error: why a virtual board does not run, in one line.
        """
        game, boot = (state.game, state.boot) if state else (None, None)
        connected = state is not None and state.connected
        by_radio = state is not None and state.gateway is not None
        running = connected and not error
        now = self.observer.now
        words = said(now, self.controls)
        headline, about = words.headline, words.about
        tile = _tile(game, now.phase == "menu")
        if error:
            headline, about = "The virtual board does not run", error
            tile = "does not run", ""
        elif not connected:
            tile = "gateway unplugged" if by_radio else "unplugged", ""
            what = "its gateway" if by_radio else "it"
            if state is not None or not self.virtual:
                headline, about = "Unplugged", f"It goes on as soon as {what} is plugged in again."
        elif game is None and now.phase == "starting" and not self.virtual:
            headline, about = "Waiting for a game", "It sends every move once a game goes on."
        if self.work is not None and "result" not in self.work:
            # It may look unplugged while it is worked on, and must not be.
            done = f" {self.work['done']} of {self.work['total']}" if self.work["total"] else ""
            headline = f"{_TASKS[str(self.work['what'])]}: leave it plugged in"
            about = f"{self.work['doing']}{done}".strip()
        facts = [self.firmware, f"game {boot.release}, table {boot.table_id}" if boot else ""]
        if self.controls and now.phase != "menu":
            facts.append(f"played by {CONTROLS[self.controls]}")
        if state is not None and not self.virtual:
            facts.append(f"by radio, at {state.gateway}" if by_radio else state.port)
        kind = self.kind or (boot.board if boot else "")
        return {
            "id": self.id,
            "name": called,
            "virtual": self.virtual,
            "running": running,
            "ended": bool(error),
            "kind": f"virtual micro:bit {kind}" if self.virtual else f"micro:bit {kind}",
            "facts": printable(" · ".join(filter(None, facts))),
            "by_radio": by_radio,
            "headline": headline,
            "about": about,
            "player": words.player if running else "",
            "buttons": words.buttons if running else (),
            "game": _game(game, state.number) if game and state else _NO_GAME,
            "tile": tile,
            "score": f"score: {score(state.score)}" if state and state.score.total() else "",
            "lines": [_line(event) for event in self._last],
            "work": self.work,
        }


def _line(event: BoardEvent) -> tuple[str, str]:
    """A board's event: which kind, and in words, as text that acts on nothing."""
    kind, text = "event", event.about
    match event:
        case PortOpened():
            text = "connected"
        case PortClosed():
            text = f"not connected: {event.why}"
        case SentenceStored():
            kind, text = "said", event.description
        case NoiseReceived():
            kind, text = "noise", event.noise
        case UnknownSentence():
            kind = "noise"
    return kind, printable(text)[:200]


def _game(game: Game, number: int | None) -> dict[str, object]:
    marks = game.marks

    def has(player: str) -> str:
        cells = ", ".join(str(cell + 1) for cell in sorted(marks) if marks[cell] == player)
        return f"{player} has {cells or 'no cell'}"

    return {
        "marks": "".join(_MARKS[marks.get(cell)] for cell in range(9)),
        "last": game.moves[-1] if game.moves else None,
        "line": after(game.moves).won_cells,
        "title": f"{opponents(game.seats)}: {has('A')}; {has('B')}",
        "seats": [seated(seat) for seat in game.seats],
        "scores": list(zip(LINE_NAMES, score_array(marks), strict=True)),
        "about": f"game {number}" + ("" if game.end == "-" else f": {result(game)}"),
    }


def _tile(game: Game | None, menu: bool) -> tuple[str, str]:
    """Two short lines for the class: who plays whom, and whose turn it is or how it ended."""
    if game is None or game.end == "x":
        return "in the menu" if menu else "waiting for a game", ""
    if menu:
        return "in the menu", f"last: {opponents(game.seats)}, {result(game)}"
    turn = f"{game.player(len(game.moves))}'s turn" if game.end == "-" else result(game)
    return opponents(game.seats), turn
