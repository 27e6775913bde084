"""One board as the page shows it, in words and numbers; what it says comes as text only."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from noughts.errors import printable
from noughts.game.positions import after
from noughts.protocol.describe import LINE_NAMES, opponents, result, score, seated
from noughts.protocol.sentences import Boot, Game, is_same, score_array
from noughts.protocol.situation import Observer, Situation
from noughts.protocol.situation_words import said
from noughts.watch.events import (
    BoardEvent,
    NoiseReceived,
    PortClosed,
    PortOpened,
    SentenceStored,
    UnknownSentence,
)
from noughts.watch.session import BoardState

_LINES = 6
_MAX_LINE = 200
_MARKS = {"A": "X", "B": "O"}
_CONTROLS = {"b": "buttons", "t": "tilt"}


@dataclass
class LiveBoard:
    """What is known of a board, besides what a `Session` knows."""

    id: str
    """Its name in the store."""
    virtual: bool = False
    kind: str = ""
    firmware: str = ""
    error: str = ""
    """Why a virtual board does not run, in one line."""
    controls: str = ""
    """`b` buttons, `t` tilt, or empty if not known."""
    work: Mapping[str, object] | None = None
    """What is being done with it, or what came of that."""
    observer: Observer = field(default_factory=Observer)
    heard: int = 0
    """Events so far."""
    _last: deque[tuple[int, BoardEvent]] = field(default_factory=lambda: deque(maxlen=_LINES))

    def take(self, event: BoardEvent) -> None:
        """Take an event of this board."""
        self.heard += 1
        if not event.told_again:
            self._last.append((self.heard, event))
        if isinstance(event, SentenceStored) and self._shown(event):
            self.observer.hear(event.sentence)

    def _shown(self, event: SentenceStored) -> bool:
        """Whether the LEDs show what the board tells of."""
        told = event.sentence
        return isinstance(told, Boot) or not event.late or is_same(told, self.observer.now.game)

    def record(self, called: str, state: BoardState | None) -> dict[str, object]:
        """All that the page shows, as JSON; `called`: what people call the board."""
        connected = state is not None and state.connected
        by_radio = state is not None and state.gateway is not None
        game = state.game if state else None
        boot = state.boot if state else None
        now = self.observer.now
        words = said(now, self.controls)
        headline, about = words.headline, words.about
        if self.error:
            headline, about = "The virtual board does not run", self.error
        elif not connected and (state is not None or not self.virtual):
            what = "its gateway" if by_radio else "it"
            headline, about = "Unplugged", f"It goes on as soon as {what} is plugged in again."
        elif game is None and now.phase == "starting" and not self.virtual:
            headline, about = "Waiting for a game", "It sends every move once a game goes on."
        if self.work is not None and "result" not in self.work:
            headline, about = _working(self.work)
        running = connected and not self.error
        return {
            "id": self.id,
            "name": called,
            "virtual": self.virtual,
            "running": running,
            "ended": bool(self.error),
            "kind": self.kind or (boot.board if boot else ""),
            "firmware": printable(self.firmware),
            "port": _port(state) if state and not self.virtual else "",
            "by_radio": by_radio,
            "release": f"{boot.release}, table {boot.table_id}" if boot else "",
            "headline": headline,
            "about": about,
            "player": words.player if running else "",
            "buttons": words.buttons if running else (),
            "controls": "" if now.phase == "menu" else _CONTROLS.get(self.controls, ""),
            "game": _game(game, state.number) if game and state else None,
            "tile": _tile(now, game, connected, by_radio, self.error),
            "score": f"score: {score(state.score)}" if state and state.score.total() else "",
            "lines": [_line(number, event) for number, event in self._last],
            "work": self.work,
        }


def _working(work: Mapping[str, object]) -> tuple[str, str]:
    """What is being done with a board: it may look unplugged meanwhile, and must not be."""
    done = f"{work['done']} of {work['total']}" if work["total"] else ""
    what = {"update": "Updating", "flash": "Flashing"}[str(work["what"])]
    return f"{what}: leave it plugged in", f"{work['doing']} {done}".strip()


def _port(state: BoardState) -> str:
    return printable(f"by radio, at {state.gateway}" if state.gateway else state.port)


def _line(number: int, event: BoardEvent) -> tuple[int, str, str]:
    """An event of a board in words, as text that acts on nothing."""
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
    return number, kind, printable(text)[:_MAX_LINE]


def _game(game: Game, number: int | None) -> dict[str, object]:
    """The marks, the line that has won, who plays whom, and the score array."""
    marks = game.marks
    scores = score_array(marks)
    return {
        "number": number,
        "marks": "".join(_MARKS[marks[cell]] if cell in marks else "." for cell in range(9)),
        "last": game.moves[-1] if game.moves else None,
        "line": after(game.moves).won_cells,
        "seats": [seated(seat) for seat in game.seats],
        "opponents": opponents(game.seats),
        "scores": list(zip(LINE_NAMES, scores, strict=True)),
        "end": game.end,
        "result": result(game),
    }


def _tile(
    now: Situation, game: Game | None, connected: bool, by_radio: bool, error: str
) -> tuple[str, str]:
    """Two short lines for the class: who plays whom, and whose turn it is or how it ended."""
    if error:
        return "does not run", ""
    if not connected:
        return "gateway unplugged" if by_radio else "unplugged", ""
    if game is None or game.end == "x":
        return ("in the menu" if now.phase == "menu" else "waiting for a game"), ""
    if now.phase == "menu":
        return "in the menu", f"last: {opponents(game.seats)}, {result(game)}"
    turn = f"{game.player(len(game.moves))}'s turn" if game.end == "-" else result(game)
    return opponents(game.seats), turn
