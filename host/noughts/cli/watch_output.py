"""What `noughts watch` prints: a line or a JSON object for each event, and a sum at its end."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable

from noughts.errors import printable
from noughts.protocol.describe import counted
from noughts.store import timestamps
from noughts.terminal.lines import Lines, say
from noughts.watch.events import Event, NotShown
from noughts.watch.recorder import Recorder
from noughts.watch.session import Session

RECORDS = """
with --json, each line is an object with "at" (when it was printed; ISO 8601, UTC) and "event":
  connected  board, port               gone     board, port, why
  kept       board, again, new (games that a board has resent at its start, each a game below)
  refused    board, gateway, why (what a board sends by radio is not stored)
  waiting    port, why                 noise    board, text
  unreadable board, why (its data log, MY_DATA.HTM on its drive)
  named      board, name (what people call it; null: nothing any more)
  unknown    board, what
  boot       board, gateway, new, boot, hardware, release, table_id
  busy       store (another program writes to it: sentences wait)
  free       store                         moved    store (deleted or overwritten), now
  missed     events (how many were not printed, because nobody read)
  game       board, gateway, new, late, played_before, game (its number in the store), boot,
             number (the board's own count), seats, first, moves (cells 0 to 8), ms (since the game
             began), end (- A B = x)
and of rooms, where a broker that cannot be reached is "waiting" as a port is:
  broker     broker, what (it answers, or what was published is stored again)
  online     room                          offline  room
  rejected   topic, why
"gateway" is the board on whose line it came by radio, or null. "late" is true for an end that may
be old: it came by radio, or not from the run that the board is known to be in. "played_before" is a
moment at which such a game was over; null where its start is known, or the moment is not.
"new" is false for what the store already had. A boot or game is printed once it is stored.
"""


class EventLines(Lines):
    """Events on standard output."""

    def __init__(self, as_json: bool, failed: Callable[[], None]) -> None:
        super().__init__(
            sys.stdout, lambda count: as_lines([NotShown(count)], as_json, str)[0], failed
        )


def as_lines(events: Iterable[Event], as_json: bool, called: Callable[[str], str]) -> list[str]:
    """A line for each event; called: what people call a board."""
    if as_json:
        at = {"at": timestamps.iso(timestamps.now())}
        return [json.dumps(at | event.record()) for event in events]
    return [printable(event.text(called)) for event in events if not event.told_again]


def sum_up(session: Session, recorder: Recorder, unshown: int = 0) -> None:
    """Say at the end what was received and where it is stored."""
    late = f" ({session.told_late:,} recovered)" if session.told_late else ""
    missed = f"{counted(unshown, 'event')} not shown, as nobody read them; " if unshown else ""
    if refused := recorder.radio.refused:
        missed = f"{counted(refused, 'sentence')} by radio refused; {missed}"
    say(
        f"{counted(session.sentences, 'sentence')} from {counted(len(session.playing), 'board')}, "
        f"{counted(session.games, 'game')} ended{late}, {counted(recorder.noise, 'byte')} of "
        f"noise; {missed}stored in {recorder.path}"
    )
