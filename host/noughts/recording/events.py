"""What happens while boards are watched: each event knows its text, and its record for scripts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from noughts.protocol.describe import counted, describe, describe_whole, short
from noughts.protocol.radio_boards import is_by_radio
from noughts.protocol.sentences import Boot, Sentence
from noughts.store import timestamps

Called = Callable[[str], str]
"""What people call a board, by its name in the store."""


# Nobody changes one, though Python would allow it: frozen ones take four times as long to make.
@dataclass(unsafe_hash=True)
class Event:
    kind: ClassVar[str]
    """What `noughts watch --json` calls it."""
    says: ClassVar[str] = ""
    """Its text, with its fields in braces."""

    @property
    def resent(self) -> bool:
        """Whether it is a repeat, which people need not see."""
        return False

    @property
    def about(self) -> str:
        """What has happened, without the board's name."""
        return self.says.format_map(vars(self))

    def text(self, called: Called = short) -> str:
        """Describe it in one line."""
        return self.about

    def record(self) -> dict[str, object]:
        """What `noughts watch --json` prints of it; the command's help explains the fields."""
        return {"event": self.kind} | vars(self)


@dataclass(unsafe_hash=True)
class BoardEvent(Event):
    board: str

    def text(self, called: Called = short) -> str:
        return f"{called(self.board)}: {self.about}"


@dataclass(unsafe_hash=True)
class PortOpened(BoardEvent):
    """A port is open. Its board is named by USB serial number, else by the port."""

    kind = "connected"
    port: str

    @property
    def about(self) -> str:
        return "connected" + f" ({self.port})" * (self.port != self.board)


@dataclass(unsafe_hash=True)
class PortClosed(BoardEvent):
    kind = "gone"
    says = "gone ({why}); watching resumes when it is back"
    port: str
    why: str


@dataclass(unsafe_hash=True)
class PortUnavailable(Event):
    kind = "waiting"
    says = "waiting for {port}: {why}"
    port: str
    why: str


@dataclass(unsafe_hash=True)
class DataLogUnreadable(BoardEvent):
    kind = "unreadable"
    says = "{why}"
    why: str


@dataclass(unsafe_hash=True)
class SentenceStored(BoardEvent):
    """A sentence that is in the store by now."""

    sentence: Sentence
    game: int | None
    """The game's number in the store; a boot has none."""
    new: bool
    """Whether the store has learnt anything from it."""
    late: bool = False
    """Whether the game ended earlier: a board had stored it, or repeats its end."""
    played_before: int | None = None
    """The moment before which it was played, in ms since 1970, where its start is not known."""
    gateway: str | None = None
    """The board on whose line it came, where it came by radio."""

    @property
    def resent(self) -> bool:
        return self.late and not self.new

    @property
    def description(self) -> str:
        if isinstance(self.sentence, Boot) or not self.late:
            return describe(self.sentence, self.game)
        if self.played_before is None:
            # A stored game whose start was received; by radio the end of one that was followed.
            by_radio = is_by_radio(self.board)
            return (describe if by_radio else describe_whole)(self.sentence, self.game)
        before = timestamps.local_bound(self.played_before)
        return f"{describe_whole(self.sentence, self.game)}, played before {before}"

    @property
    def about(self) -> str:
        return self.description if self.new else f"{self.description} (already stored)"

    def record(self) -> dict[str, object]:
        sentence = self.sentence
        said = dict(vars(sentence))
        record: dict[str, object] = {"board": self.board, "gateway": self.gateway, "new": self.new}
        if isinstance(sentence, Boot):
            boot, hardware = said.pop("boot"), said.pop("board")
            return {"event": "boot"} | record | {"boot": boot, "hardware": hardware} | said
        before = self.played_before
        record |= {"late": self.late, "played_before": before and timestamps.iso(before)}
        said["moves"] = list(sentence.moves)
        return {"event": "game"} | record | {"game": self.game} | said


@dataclass(unsafe_hash=True)
class ResentGames(BoardEvent):
    kind = "kept"
    again: int
    new: int

    @property
    def about(self) -> str:
        new = f", {self.new:,} new" if self.new else ""
        return f"{counted(self.again, 'game')} resent{new}"


@dataclass(unsafe_hash=True)
class BoardRefused(BoardEvent):
    kind = "refused"
    says = "refused: {why}"
    gateway: str
    why: str


@dataclass(unsafe_hash=True)
class BoardNamed(BoardEvent):
    """What people call a board: it has just connected, or was renamed."""

    kind = "named"
    name: str | None
    """None: it has no name any more."""

    def text(self, called: Called = short) -> str:
        named = "has no name any more" if self.name is None else f"is named {self.name}"
        return f"{short(self.board)}: {named}"


@dataclass(unsafe_hash=True)
class UnknownSentence(BoardEvent):
    """A sentence of a later version; each kind is reported once for each board."""

    kind = "unknown"
    says = "{what} is not known to this version; get a newer noughts"
    what: str


@dataclass(unsafe_hash=True)
class NoiseReceived(BoardEvent):
    """What is not a sentence, escaped so that it is safe to show."""

    kind = "noise"
    says = "noise: {noise}"
    noise: str

    def record(self) -> dict[str, object]:
        return {"event": "noise", "board": self.board, "text": self.noise}


@dataclass(unsafe_hash=True)
class StoreBusy(Event):
    kind = "busy"
    says = (
        "{store} is in use by another program; what boards say waits in memory, and is stored when "
        "that program is done"
    )
    store: str


@dataclass(unsafe_hash=True)
class StoreFree(Event):
    kind = "free"
    says = "{store} is free again"
    store: str


@dataclass(unsafe_hash=True)
class StoreGone(Event):
    kind = "moved"
    says = (
        "{store} was deleted, overwritten or damaged; from now on games are stored in {now}, which "
        "does not have the earlier ones"
    )
    store: str
    now: str


@dataclass(unsafe_hash=True)
class NotShown(Event):
    """The number of unread events that were dropped; everything was stored."""

    kind = "missed"
    events: int

    def text(self, called: Called = short) -> str:
        return f"{counted(self.events, 'event')} not shown, as nobody read them; all are stored"


@dataclass(unsafe_hash=True)
class BrokerAnswered(Event):
    kind = "broker"
    says = "{broker}: {what}"
    broker: str
    what: str


@dataclass(unsafe_hash=True)
class RoomOnline(Event):
    kind = "online"
    says = "room {room} is online"
    room: str


@dataclass(unsafe_hash=True)
class RoomOffline(Event):
    kind = "offline"
    says = "room {room} is offline; what its boards say comes when it is back"
    room: str


@dataclass(unsafe_hash=True)
class MessageRejected(Event):
    """Somebody published what cannot be from a room; said once for each reason."""

    kind = "rejected"
    says = "{topic}: a message was rejected: {why}"
    topic: str
    why: str
