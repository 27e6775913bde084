"""Events while boards are watched. Each knows its text, and its record for scripts."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from noughts.protocol.describe import counted, describe, describe_whole, short, skipped_rows
from noughts.protocol.radio_boards import is_by_radio
from noughts.protocol.sentences import Boot, Game, Menu, Sentence
from noughts.store import timestamps

DisplayName = Callable[[str], str]
"""Gives the name that people know a board by, from its name in the store."""


# Not frozen, though nobody changes one: making a frozen one takes four times as long.
@dataclass(unsafe_hash=True)
class Event:
    """What has happened while boards are watched.

    event_name: in `noughts watch --json`. template: its text, with fields in braces. keys: the
    names of fields in `--json` that are not their own.
    """

    event_name: ClassVar[str]
    _template: ClassVar[str]
    _keys: ClassVar[Mapping[str, str]]

    def __init_subclass__(
        cls, name: str = "", template: str = "", keys: Mapping[str, str] | None = None
    ) -> None:
        """Define an event; see above."""
        cls.event_name, cls._template, cls._keys = name, template, keys or {}

    @property
    def resent(self) -> bool:
        """Whether it is a repeat that people need not see."""
        return False

    @property
    def about(self) -> str:
        """Its text without the board's name."""
        return self._template.format_map(vars(self))

    def text(self, display_name: DisplayName = short) -> str:
        """The event in one line."""
        return self.about

    def record(self) -> dict[str, object]:
        """Its fields in `noughts watch --json`, which docs/scripts.md explains."""
        fields = {self._keys.get(field, field): value for field, value in vars(self).items()}
        return {"event": self.event_name} | fields


@dataclass(unsafe_hash=True)
class BoardEvent(Event):
    """An event of one board, which its text names."""

    board: str

    def text(self, display_name: DisplayName = short) -> str:
        """The event in one line, with what people call the board."""
        return f"{display_name(self.board)}: {self.about}"


@dataclass(unsafe_hash=True)
class PortOpened(BoardEvent, name="connected"):
    """A port is open. Its board is named after its USB serial number, or else after the port."""

    port: str

    @property
    def about(self) -> str:
        """Its text without the board's name."""
        return "connected" + f" ({self.port})" * (self.port != self.board)


RELEASED = "in use by noughts itself"
"""Why a port is closed while noughts checks, updates or flashes its board."""


@dataclass(unsafe_hash=True)
class PortClosed(BoardEvent, name="gone"):
    """A port was unplugged, or is in use by something else for a moment."""

    port: str
    why: str

    @property
    def about(self) -> str:
        """Its text without the board's name."""
        if self.why == RELEASED:
            return "paused while noughts checks the board"
        return f"disconnected ({self.why}); watching resumes when it is back"


@dataclass(unsafe_hash=True)
class PortUnavailable(Event, name="waiting", template="waiting for {port}: {why}"):
    """A port that was named, or found, cannot be opened yet. Each reason is reported once."""

    port: str
    why: str


@dataclass(unsafe_hash=True)
class PortUnplugged(Event, name="unplugged", template="{port} was unplugged"):
    """A port that was found, and could not be opened, is there no longer."""

    port: str


@dataclass(unsafe_hash=True)
class DataLogUnreadable(BoardEvent, name="unreadable", template="{why}"):
    """The data log of a V2 cannot be read. Each reason is reported once."""

    why: str


@dataclass(unsafe_hash=True)
class RowsSkipped(BoardEvent, name="skipped", keys={"first_row": "line"}):
    """A data log has rows that are not games; reported once for each state of the log."""

    rows: int
    first_row: int
    """In which line of the data, from 1."""

    @property
    def about(self) -> str:
        """Its text without the board's name."""
        return skipped_rows(self.rows, self.first_row)


@dataclass(unsafe_hash=True)
class SentenceStored(BoardEvent):
    """A sentence is stored. Its fields are those of `lines.Received` and `lines.Stored`."""

    sentence: Sentence
    game: int | None
    """The game's number in the store; None for a boot."""
    new: bool
    late: bool = False
    played_before: int | None = None
    gateway: str | None = None

    @property
    def resent(self) -> bool:
        """Whether it is about a stored game that the store had already."""
        return self.late and not self.new

    @property
    def about(self) -> str:
        """Its text without the board's name."""
        # A menu shows its choices again and again.
        is_repeated = not self.new and not isinstance(self.sentence, Menu)
        suffix = " (already stored)" if is_repeated else ""
        if (
            not self.late
            or not isinstance(self.sentence, Game)
            # By radio, this is the end of a game that was followed live: its start was received.
            or (self.played_before is None and is_by_radio(self.board))
        ):
            return describe(self.sentence, self.game) + suffix
        played_before = self.played_before
        when = "" if played_before is None else f", played {timestamps.When(None, played_before)}"
        return f"{describe_whole(self.sentence, self.game)}{when}{suffix}"

    def record(self) -> dict[str, object]:
        """A boot, a menu or a game, with all fields of its sentence."""
        sentence, played_before = self.sentence, self.played_before
        source: dict[str, object] = {"board": self.board, "gateway": self.gateway, "new": self.new}
        if isinstance(sentence, Boot):
            return {"event": "boot", **source, **vars(sentence)}
        if isinstance(sentence, Menu):
            return {"event": "menu", **source, **vars(sentence)}
        iso = played_before and timestamps.iso(played_before)
        source |= {"late": self.late, "played_before": iso}
        played = {**vars(sentence), "moves": list(sentence.moves)}
        return {"event": "game", **source, "game": self.game, **played}


@dataclass(unsafe_hash=True)
class ResentGames(BoardEvent, name="kept", keys={"already_stored": "again"}):
    """A board has sent all games that it had stored."""

    already_stored: int
    """How many of them the store had already."""
    new: int
    """How many others there were."""

    @property
    def about(self) -> str:
        """Its text without the board's name."""
        new = f", {self.new:,} of them new" if self.new else ""
        return f"{counted(self.already_stored + self.new, 'game')} resent{new}"


@dataclass(unsafe_hash=True)
class BoardRefused(BoardEvent, name="refused", template="refused: {why}"):
    """A board by radio is not accepted. It is reported once."""

    gateway: str
    why: str


@dataclass(unsafe_hash=True)
class BoardNamed(BoardEvent, name="named"):
    """The name of a board that has just connected, or was renamed."""

    name: str | None
    """None if its name was removed."""

    def text(self, display_name: DisplayName = short) -> str:
        """It has the old name: the new one is said."""
        named = "no longer has a name" if self.name is None else f"is named {self.name}"
        return f"{short(self.board)}: {named}"


@dataclass(unsafe_hash=True)
class UnknownSentence(
    BoardEvent,
    name="unknown",
    template="{unknown_part} is not known to this version; get a newer noughts",
    keys={"unknown_part": "what"},
):
    """A sentence of a later version; each type or version is reported once for each board."""

    unknown_part: str
    """`sentence type $NX`, or `protocol version 2`."""


@dataclass(unsafe_hash=True)
class NoiseReceived(BoardEvent, name="noise", template="noise: {noise}", keys={"noise": "text"}):
    """Text that is not a sentence, escaped so that it is safe to show."""

    noise: str


@dataclass(unsafe_hash=True)
class StoreBusy(
    Event,
    name="busy",
    template=(
        "{store} is in use by another program; new sentences wait in memory, and will be stored "
        "when that program has finished"
    ),
):
    """Another program has locked the store for a while."""

    store: str


@dataclass(unsafe_hash=True)
class StoreFree(Event, name="free", template="{store} is free again"):
    """All that waited is stored."""

    store: str


@dataclass(unsafe_hash=True)
class StoreGone(
    Event,
    name="moved",
    template=(
        "{store} was deleted, moved or damaged; from now on games are stored in {new_store}, which "
        "does not have the earlier ones"
    ),
    keys={"new_store": "now"},
):
    """The store is lost, and another one takes its place."""

    store: str
    new_store: str


@dataclass(unsafe_hash=True)
class NotShown(Event, name="missed"):
    """How many events were dropped unread. Everything was stored."""

    events: int

    def text(self, display_name: DisplayName = short) -> str:
        """The number, and that nothing is lost."""
        return (
            f"{counted(self.events, 'event')} not shown, as the reader was too slow; all are stored"
        )


@dataclass(unsafe_hash=True)
class BrokerUnavailable(
    Event, name="waiting", template="waiting for {broker}: {why}", keys={"broker": "port"}
):
    """There is no connection to a broker, or nobody collects from it.

    Scripts wait for it as for a port.
    """

    broker: str
    why: str


@dataclass(unsafe_hash=True)
class BrokerAnswered(Event, name="broker", template="{broker}: {what}"):
    """A broker is connected, or somebody collects from it again."""

    broker: str
    what: str


@dataclass(unsafe_hash=True)
class RoomOnline(Event, name="online", template="room {room} is online"):
    """A room has connected to the broker."""

    room: str


@dataclass(unsafe_hash=True)
class RoomOffline(
    Event, name="offline", template="room {room} is offline; its games arrive when it is back"
):
    """A room has disconnected, or the broker has lost it."""

    room: str


@dataclass(unsafe_hash=True)
class MessageRejected(Event, name="rejected", template="{topic}: a message was rejected: {why}"):
    """Somebody published something that no room sends. Each reason is reported once."""

    topic: str
    why: str
