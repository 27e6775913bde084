"""What is known of the boards since watching began: for faces that show how things stand."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field

from noughts.protocol.describe import called
from noughts.protocol.sentences import Boot, Game
from noughts.watch.events import (
    BoardNamed,
    Event,
    NoiseReceived,
    NotShown,
    SentenceStored,
    StoreBusy,
    StoreFree,
    StoreGone,
    in_words,
)
from noughts.watch.port_monitor import PortClosed, PortOpened, PortUnavailable
from noughts.watch.room_events import BrokerAnswered, RoomEvent, RoomOffline, RoomOnline

_LISTED = 200


@dataclass
class BoardState:
    """What is known of one board."""

    name: str
    port: str
    connected: bool = True
    boot: Boot | None = None
    game: Game | None = None
    """The game that the last sentence told of."""
    number: int | None = None
    """That game's number in the store."""
    score: Counter[str] = field(default_factory=Counter)
    """Games that ended since watching began: `A`, `B` and `=`."""
    noise: int = 0
    """Lines that were no sentence."""


@dataclass(frozen=True)
class Ended:
    """A game that has ended."""

    number: int
    board: str
    game: Game


class Session:
    """The state of a watch, built from its events."""

    def __init__(self) -> None:
        self.boards: dict[str, BoardState] = {}
        self.names: dict[str, str | None] = {}
        """What people call boards."""
        self.ended: deque[Ended] = deque(maxlen=_LISTED)
        """Newest first."""
        self.waiting: dict[str, str] = {}
        """Ports that cannot be opened and brokers that cannot be reached, and why."""
        self.offline: set[str] = set()
        """Rooms that were online, or are known to the broker, and are offline."""
        self.warning = ""
        """What has become of the store, in words; nothing while all is well."""
        self.sentences = 0
        self.games = 0
        """Games that ended."""

    def take(self, event: Event) -> None:
        """Update the boards, the counts and the warning with an event."""
        if isinstance(event, PortUnavailable):
            self.waiting[event.port] = event.why
            return
        if isinstance(event, (StoreBusy, StoreGone)):
            self.warning = in_words(event)
            return
        if isinstance(event, StoreFree):
            self.warning = ""
            return
        if isinstance(event, NotShown):
            return
        if isinstance(event, RoomEvent):
            self._take_of_rooms(event)
            return
        if isinstance(event, BoardNamed):
            self.names[event.board] = event.name
            return
        board = self.boards.setdefault(event.board, BoardState(event.board, event.board))
        if isinstance(event, PortOpened):
            board.port, board.connected = event.port, True
            self.waiting.pop(event.port, None)
        elif isinstance(event, PortClosed):
            # It may be back already, at another port.
            board.connected = board.connected and board.port != event.port
        elif isinstance(event, NoiseReceived):
            board.noise += 1
        elif isinstance(event, SentenceStored):
            self._tell(board, event)

    def _take_of_rooms(self, event: RoomEvent) -> None:
        if isinstance(event, BrokerAnswered):
            self.waiting.pop(event.broker, None)
        elif isinstance(event, RoomOnline):
            self.offline.discard(event.room)
        elif isinstance(event, RoomOffline):
            self.offline.add(event.room)
            for board in self.boards.values():
                if board.name.startswith(f"{event.room}/"):
                    board.connected = False

    def called(self, board: str) -> str:
        """A board as people know it."""
        return called(board, self.names.get(board))

    def _tell(self, board: BoardState, event: SentenceStored) -> None:
        self.sentences += 1
        if isinstance(event.sentence, Boot):
            board.boot = event.sentence
            board.game = None
            return
        assert event.game is not None
        board.game, board.number = event.sentence, event.game
        if event.new and event.sentence.end != "-":
            self.games += 1
            self.ended.appendleft(Ended(event.game, board.name, event.sentence))
            if event.sentence.end != "x":
                board.score[event.sentence.end] += 1
