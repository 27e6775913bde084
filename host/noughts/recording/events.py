"""Events while boards are watched. Each knows its text, and its record for scripts."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from noughts.protocol.describe import counted, describe, describe_whole, short
from noughts.protocol.radio_boards import is_by_radio
from noughts.protocol.sentences import Boot, Sentence
from noughts.store import timestamps

Called = Callable[[str], str]
"""Gives the name that people know a board by, from its name in the store."""


# Not frozen, though nobody changes one: making a frozen one takes four times as long.
@dataclass(unsafe_hash=True)
class Event:
    """kind: its name in `noughts watch --json`. says: its text, with fields in braces."""

    _kind: ClassVar[str]
    _says: ClassVar[str]

    def __init_subclass__(cls, kind: str = "", says: str = "") -> None:
        cls._kind, cls._says = kind, says

    @property
    def resent(self) -> bool:
        """Whether it is a repeat that people need not see."""
        return False

    @property
    def about(self) -> str:
        """Its text without the board's name."""
        return self._says.format_map(vars(self))

    def text(self, called: Called = short) -> str:
        """The event in one line."""
        return self.about

    def record(self) -> dict[str, object]:
        """Its fields in `noughts watch --json`, which docs/scripts.md explains."""
        return {"event": self._kind} | vars(self)


@dataclass(unsafe_hash=True)
class BoardEvent(Event):
    board: str

    def text(self, called: Called = short) -> str:
        return f"{called(self.board)}: {self.about}"


@dataclass(unsafe_hash=True)
class PortOpened(BoardEvent, kind="connected"):
    """A port is open. Its board is named after its USB serial number, or else after the port."""

    port: str

    @property
    def about(self) -> str:
        return "connected" + f" ({self.port})" * (self.port != self.board)


@dataclass(unsafe_hash=True)
class PortClosed(
    BoardEvent, kind="gone", says="disconnected ({why}); watching resumes when it is back"
):
    port: str
    why: str


@dataclass(unsafe_hash=True)
class PortUnavailable(Event, kind="waiting", says="waiting for {port}: {why}"):
    port: str
    why: str


@dataclass(unsafe_hash=True)
class DataLogUnreadable(BoardEvent, kind="unreadable", says="{why}"):
    why: str


@dataclass(unsafe_hash=True)
class SentenceStored(BoardEvent):
    """Its fields are those of `lines.Received` and `lines.Stored`."""

    sentence: Sentence
    game: int | None
    """The game's number in the store; None for a boot."""
    new: bool
    late: bool = False
    played_before: int | None = None
    gateway: str | None = None

    @property
    def resent(self) -> bool:
        return self.late and not self.new

    @property
    def about(self) -> str:
        again = "" if self.new else " (already stored)"
        before = self.played_before
        if (
            isinstance(self.sentence, Boot)
            or not self.late
            # By radio, this is the end of a game that was followed live: its start was received.
            or (before is None and is_by_radio(self.board))
        ):
            return describe(self.sentence, self.game) + again
        when = "" if before is None else f", played {timestamps.When(None, before)}"
        return f"{describe_whole(self.sentence, self.game)}{when}{again}"

    def record(self) -> dict[str, object]:
        sentence, before = self.sentence, self.played_before
        source: dict[str, object] = {"board": self.board, "gateway": self.gateway, "new": self.new}
        if isinstance(sentence, Boot):
            boot, hardware, release, table_id = vars(sentence).values()
            about = {"boot": boot, "hardware": hardware, "release": release, "table_id": table_id}
            return {"event": "boot", **source, **about}
        source |= {"late": self.late, "played_before": before and timestamps.iso(before)}
        played = {**vars(sentence), "moves": list(sentence.moves)}
        return {"event": "game", **source, "game": self.game, **played}


@dataclass(unsafe_hash=True)
class ResentGames(BoardEvent, kind="kept"):
    again: int
    new: int

    @property
    def about(self) -> str:
        new = f", {self.new:,} new" if self.new else ""
        return f"{counted(self.again, 'game')} resent{new}"


@dataclass(unsafe_hash=True)
class BoardRefused(BoardEvent, kind="refused", says="refused: {why}"):
    gateway: str
    why: str


@dataclass(unsafe_hash=True)
class BoardNamed(BoardEvent, kind="named"):
    """The name of a board that has just connected, or was renamed."""

    name: str | None
    """None if its name was removed."""

    def text(self, called: Called = short) -> str:
        named = "no longer has a name" if self.name is None else f"is named {self.name}"
        return f"{short(self.board)}: {named}"


@dataclass(unsafe_hash=True)
class UnknownSentence(
    BoardEvent, kind="unknown", says="{what} is not known to this version; get a newer noughts"
):
    """A sentence of a later version; each kind is reported once for each board."""

    what: str


@dataclass(unsafe_hash=True)
class NoiseReceived(BoardEvent, kind="noise", says="noise: {noise}"):
    """Text that is not a sentence, escaped so that it is safe to show."""

    noise: str

    def record(self) -> dict[str, object]:
        return {"event": "noise", "board": self.board, "text": self.noise}


@dataclass(unsafe_hash=True)
class StoreBusy(
    Event,
    kind="busy",
    says=(
        "{store} is in use by another program; new sentences wait in memory, and will be stored "
        "when that program has finished"
    ),
):
    store: str


@dataclass(unsafe_hash=True)
class StoreFree(Event, kind="free", says="{store} is free again"):
    store: str


@dataclass(unsafe_hash=True)
class StoreGone(
    Event,
    kind="moved",
    says=(
        "{store} was deleted, overwritten or damaged; from now on games are stored in {now}, which "
        "does not have the earlier ones"
    ),
):
    store: str
    now: str


@dataclass(unsafe_hash=True)
class NotShown(Event, kind="missed"):
    """How many events were dropped unread. Everything was stored."""

    events: int

    def text(self, called: Called = short) -> str:
        return (
            f"{counted(self.events, 'event')} not shown, as the reader was too slow; all are stored"
        )


@dataclass(unsafe_hash=True)
class BrokerAnswered(Event, kind="broker", says="{broker}: {what}"):
    broker: str
    what: str


@dataclass(unsafe_hash=True)
class RoomOnline(Event, kind="online", says="room {room} is online"):
    room: str


@dataclass(unsafe_hash=True)
class RoomOffline(
    Event, kind="offline", says="room {room} is offline; its games arrive when it is back"
):
    room: str


@dataclass(unsafe_hash=True)
class MessageRejected(Event, kind="rejected", says="{topic}: a message was rejected: {why}"):
    """Somebody published something that no room sends. Each reason is reported once."""

    topic: str
    why: str
