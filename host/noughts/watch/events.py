"""What happens while boards are watched, in words and as records for scripts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass

from noughts.protocol.describe import counted, describe, describe_whole, short
from noughts.protocol.radio_boards import is_by_radio
from noughts.protocol.sentences import Boot, Sentence
from noughts.store import timestamps
from noughts.watch.data_logs import DataLogUnreadable
from noughts.watch.port_monitor import PortClosed, PortOpened, PortUnavailable
from noughts.watch.room_events import (
    BrokerAnswered,
    MessageRejected,
    RoomEvent,
    RoomOffline,
    RoomOnline,
)


@dataclass(frozen=True)
class SentenceStored:
    """A sentence that is in the store by now."""

    board: str
    sentence: Sentence
    game: int | None
    """The game's number in the store; a boot has none."""
    new: bool
    """Whether the store has learnt anything from it."""
    late: bool = False
    """Whether the game was over at some earlier moment: a board has kept it, or repeats its end."""
    played_before: int | None = None
    """The moment before which it was played, in ms since 1970, where its start is not known."""
    gateway: str | None = None
    """The board on whose line it came, where it came by radio."""


@dataclass(frozen=True)
class KeptGamesTold:
    """A board has told the games that it has kept; those that are new were reported."""

    board: str
    again: int
    """How many the store had."""
    new: int


@dataclass(frozen=True)
class BoardRefused:
    """What a board says by radio is not kept, for this reason."""

    board: str
    gateway: str
    why: str


@dataclass(frozen=True)
class BoardNamed:
    """What people call a board: it has just connected, or was given another name meanwhile."""

    board: str
    name: str | None
    """None: it has no name any more."""


@dataclass(frozen=True)
class UnknownSentence:
    """A sentence of a later version; each kind is reported once a connection."""

    board: str
    what: str


@dataclass(frozen=True)
class NoiseReceived:
    """What is not a sentence, escaped so that it is safe to show."""

    board: str
    text: str


@dataclass(frozen=True)
class StoreBusy:
    """Another program keeps the store to itself: what is heard waits in memory."""

    store: str


@dataclass(frozen=True)
class StoreFree:
    """The store can be written again."""

    store: str


@dataclass(frozen=True)
class StoreGone:
    """The store was deleted, overwritten or damaged; games are kept in another one from now on."""

    store: str
    now: str


@dataclass(frozen=True)
class NotShown:
    """So many events that nobody read, and that are not shown any more; all was kept."""

    events: int


Event = (
    PortOpened
    | PortClosed
    | PortUnavailable
    | DataLogUnreadable
    | SentenceStored
    | KeptGamesTold
    | BoardRefused
    | BoardNamed
    | UnknownSentence
    | NoiseReceived
    | StoreBusy
    | StoreFree
    | StoreGone
    | NotShown
    | RoomEvent
)

_NAMES = {
    PortOpened: "connected",
    PortClosed: "gone",
    PortUnavailable: "waiting",
    DataLogUnreadable: "unreadable",
    KeptGamesTold: "kept",
    BoardRefused: "refused",
    BoardNamed: "named",
    UnknownSentence: "unknown",
    NoiseReceived: "noise",
    StoreBusy: "busy",
    StoreFree: "free",
    StoreGone: "moved",
    NotShown: "missed",
    BrokerAnswered: "broker",
    RoomOnline: "online",
    RoomOffline: "offline",
    MessageRejected: "rejected",
}


def told_again(event: Event) -> bool:
    """Whether people need not be told: kept games that are known, and repeated ends by radio."""
    return isinstance(event, SentenceStored) and event.late and not event.new


def described(event: SentenceStored) -> str:
    """Describe what a board said in one line."""
    if isinstance(event.sentence, Boot) or not event.late:
        return describe(event.sentence, event.game)
    if event.played_before is None:
        # A kept game whose start was heard; by radio it is the end of one that was followed.
        by_radio = is_by_radio(event.board)
        return (describe if by_radio else describe_whole)(event.sentence, event.game)
    before = timestamps.local_bound(event.played_before)
    return f"{describe_whole(event.sentence, event.game)}, played before {before}"


def in_words(event: Event, called: Callable[[str], str] = short) -> str:
    """Describe an event in one line; called: what people call a board."""
    if isinstance(event, SentenceStored):
        before = "" if event.new else " (kept before)"
        return f"{called(event.board)}: {described(event)}{before}"
    if isinstance(event, KeptGamesTold):
        new = f", {event.new:,} new" if event.new else ""
        return f"{called(event.board)}: {counted(event.again, 'kept game')} told again{new}"
    if isinstance(event, DataLogUnreadable):
        return f"{called(event.board)}: {event.why}"
    if isinstance(event, BoardRefused):
        return f"{called(event.board)}: refused: {event.why}"
    if isinstance(event, PortOpened):
        return f"{called(event.board)}: connected" + f" ({event.port})" * (
            event.port != event.board
        )
    if isinstance(event, PortClosed):
        return f"{called(event.board)}: gone ({event.why}); watching resumes when it is back"
    if isinstance(event, BoardNamed):
        named = "has no name any more" if event.name is None else f"is named {event.name}"
        return f"{short(event.board)}: {named}"
    if isinstance(event, PortUnavailable):
        return f"waiting for {event.port}: {event.why}"
    if isinstance(event, StoreBusy):
        return (
            f"{event.store} is in use by another program; what boards say waits in memory, and is "
            "stored when that program is done"
        )
    if isinstance(event, StoreFree):
        return f"{event.store} is free again"
    if isinstance(event, StoreGone):
        return (
            f"{event.store} was deleted, overwritten or damaged; from now on games are kept in "
            f"{event.now}, which does not have the earlier ones"
        )
    if isinstance(event, NotShown):
        return f"{counted(event.events, 'event')} not shown, as nobody read them; all is kept"
    if isinstance(event, RoomEvent):
        return _of_rooms(event)
    if isinstance(event, UnknownSentence):
        what = f"{event.what} is not known to this version"
        return f"{called(event.board)}: {what}; get a newer noughts"
    return f"{called(event.board)}: noise: {event.text}"


def _of_rooms(event: RoomEvent) -> str:
    if isinstance(event, BrokerAnswered):
        return f"{event.broker}: {event.what}"
    if isinstance(event, RoomOnline):
        return f"room {event.room} is online"
    if isinstance(event, RoomOffline):
        return f"room {event.room} is offline; what its boards say comes when it is back"
    return f"{event.topic}: a message was rejected: {event.why}"


def as_record(event: Event, at: int) -> dict[str, object]:
    """An event as `noughts watch --json` prints it; its help tells the fields."""
    record: dict[str, object] = {"at": timestamps.iso(at)}
    if not isinstance(event, SentenceStored):
        return record | {"event": _NAMES[type(event)]} | asdict(event)
    sentence = event.sentence
    record |= {"event": "boot" if isinstance(sentence, Boot) else "game"}
    record |= {"board": event.board, "gateway": event.gateway, "new": event.new}
    if isinstance(sentence, Boot):
        return record | {
            "boot": sentence.boot,
            "hardware": sentence.board,
            "release": sentence.release,
            "table_id": sentence.table_id,
        }
    before = event.played_before
    record |= {"late": event.late, "played_before": before and timestamps.iso(before)}
    return record | {"game": event.game} | asdict(sentence) | {"moves": list(sentence.moves)}
