"""The state of all boards since watching began, for the screen and the page."""

from collections import Counter, deque
from dataclasses import dataclass, field
from typing import NamedTuple

from noughts.protocol import describe
from noughts.protocol.sentences import Boot, Game, is_same
from noughts.recording import events

_LISTED = 200
"""Ended games that screens can list."""


@dataclass
class BoardState:
    """What has been received from a board, and whether it is there."""

    name: str
    """Its name in the store."""
    port: str = ""
    """Empty for a board by radio, and for one whose port has not been open."""
    connected: bool = False
    """Whether its port, or its gateway's, is open. A board without power may look connected."""
    room_offline: bool = False
    gateway: str | None = None
    """By radio: the board on whose line its last sentence came."""
    is_gateway: bool = False
    """Whether it only passes on what others send."""
    boot: Boot | None = None
    choice: str = ""
    """What its menu shows, see `Menu`; empty if it is not in the menu, or has not said so."""
    game: Game | None = None
    """The game on its LEDs, as of the last sentence."""
    number: int | None = None
    """That game's number in the store."""
    score: Counter[str] = field(default_factory=Counter)
    """Games that ended since watching began: `A`, `B` and `=`."""
    scored: Game | None = None
    """The last one that is in the score."""
    noise: int = 0
    """Lines that were not sentences."""


class EndedGame(NamedTuple):
    """A game that has ended since watching began, or whose end has arrived since."""

    number: int
    """In the store."""
    board: str
    game: Game
    played_before: int | None = None
    """Of a recovered game: a time by which it had ended."""


class Session:
    """The state of a watch, built from its events."""

    def __init__(self) -> None:
        self.boards: dict[str, BoardState] = {}
        self.names: dict[str, str | None] = {}
        self.ended: deque[EndedGame] = deque(maxlen=_LISTED)
        """Newest first."""
        self.waiting: dict[str, str] = {}
        """Why a port cannot be opened, or a broker cannot be reached."""
        self.data_logs: dict[str, str] = {}
        """By board that is plugged in: what is wrong with its data log."""
        self.offline: set[str] = set()
        """Rooms that the broker knows, and that are offline."""
        self._busy_warning = ""
        self.moved = ""
        """If the store was deleted or damaged: where games are stored instead, in one line."""
        self.sentences = 0
        self.games = 0
        """Games that have ended."""
        self.recovered = 0
        """How many of these had ended some time before."""
        self.stored_before: set[int] = set()
        """Games that ended, and that the store had already; their numbers there."""

    @property
    def warning(self) -> str:
        """What is wrong with the store, in words; empty if nothing is."""
        return self._busy_warning or self.moved

    @property
    def gateways(self) -> list[BoardState]:
        """Boards that only pass on what others send."""
        return [board for board in self.boards.values() if board.is_gateway]

    @property
    def playing(self) -> list[BoardState]:
        """All other boards."""
        return [board for board in self.boards.values() if not board.is_gateway]

    def display_name(self, board: str) -> str:
        """What people call a board."""
        return describe.display_name(board, self.names.get(board))

    def take(self, event: events.Event) -> None:
        """Take an event; each kind changes one part of the state."""
        match event:
            case events.SentenceStored():  # nearly all are, and there are thousands
                self._take_sentence(self.board(event.board), event)
            case events.NoiseReceived():
                self.board(event.board).noise += 1
            case events.BoardNamed():
                self.names[event.board] = event.name
            case _:
                self._take_store(event)
                self._take_connection(event)
                self._take_room(event)

    def _take_store(self, event: events.Event) -> None:
        match event:
            case events.StoreBusy():
                self._busy_warning = event.text()
            case events.StoreFree():
                self._busy_warning = ""
            case events.StoreGone():  # it does not come back
                self.moved = event.text()

    def _take_connection(self, event: events.Event) -> None:
        match event:
            case events.PortOpened():
                self.board(event.board).port = event.port
                self._connect(event.board, True)
                self.waiting.pop(event.port, None)
            case events.DataLogUnreadable(board) | events.RowsSkipped(board):
                self.data_logs[board] = event.about
            case events.PortClosed():
                if event.why != events.RELEASED:
                    self.data_logs.pop(event.board, None)
                if self.board(event.board).port == event.port:  # else it is back at another one
                    self._connect(event.board, False)
            case events.PortUnavailable(place, why) | events.BrokerUnavailable(place, why):
                self.waiting[place] = why
            case events.PortUnplugged(place) | events.BrokerAnswered(place):
                self.waiting.pop(place, None)

    def _take_room(self, event: events.Event) -> None:
        match event:
            case events.RoomOnline(room):
                self.offline.discard(room)
                for board in self._boards_in(room):
                    board.room_offline = False
            case events.RoomOffline(room):
                self.offline.add(room)
                for board in self._boards_in(room):
                    board.connected, board.room_offline = False, True

    def board(self, name: str) -> BoardState:
        """The state of a board, a new one if it has not been seen yet."""
        return self.boards.get(name) or self.boards.setdefault(name, BoardState(name))

    def _boards_in(self, room: str) -> list[BoardState]:
        return [board for board in self.boards.values() if board.name.startswith(f"{room}/")]

    def _connect(self, name: str, connected: bool) -> None:
        """Note whether a port is open, for its board and for those received through it."""
        for board in self.boards.values():
            if name in (board.name, board.gateway):
                board.connected = connected

    def _take_sentence(self, board: BoardState, event: events.SentenceStored) -> None:
        self.sentences += 1
        board.gateway, board.is_gateway = event.gateway, False
        if event.gateway is not None:
            board.port, board.connected = "", True
            gateway = self.board(event.gateway)
            # A board that also plays is shown as a board.
            gateway.is_gateway = gateway.boot is None and gateway.game is None
        sentence = event.sentence
        if isinstance(sentence, Game):
            if not event.late or is_same(sentence, board.game):
                board.choice, board.game, board.number = "", sentence, event.game
            if sentence.end != "-":
                self._take_end(board, event, sentence)
        elif isinstance(sentence, Boot):
            board.boot, board.choice, board.game = sentence, "", None
        else:
            board.choice = sentence.choice

    def _take_end(self, board: BoardState, event: events.SentenceStored, game: Game) -> None:
        assert event.game is not None
        if event.new:
            self.games += 1
            self.ended.appendleft(EndedGame(event.game, board.name, game, event.played_before))
            if event.played_before is not None:
                self.recovered += 1
        else:
            self.stored_before.add(event.game)
        is_live = event.played_before is None and (event.new or not event.late)
        # Two boards that play by radio both send their game.
        if is_live and game.end != "x" and not is_same(game, board.scored):
            board.scored = game
            board.score[game.end] += 1
