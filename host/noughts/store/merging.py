"""What a stored game and a sentence know together, in whatever order sentences come.

A stored game holds how far it has come (`Played`), when that was (`Dates`), and where it is from
(`Origin`). Each is merged so that neither order nor repetition makes a difference, as long as all
sentences are of the same game. By cable counts more than by radio, where anybody can send.
"""

from __future__ import annotations

from typing import NamedTuple

from noughts.protocol.radio_boards import is_by_radio
from noughts.protocol.sentences import Game


class Played(NamedTuple):
    """How far a stored game has come."""

    moves: str
    times: str
    ms: int
    end: str

    @property
    def progress(self) -> tuple[int, bool]:
        """What only grows."""
        return len(self.moves), self.end == "x"


class Dates(NamedTuple):
    """When a stored game was played: its start, or else a moment at which it was over."""

    started: int | None
    heard: int | None
    played_before: int | None
    start_by_radio: int
    """Whether the start is known from the radio alone."""


NO_DATES = Dates(None, None, None, 0)


def first_played(game: Game, moves: str) -> Played:
    """A game of which nothing but this sentence is known."""
    times = "," * (len(moves) - 1) + (str(game.ms) if moves and game.end != "x" else "")
    return Played(moves, times, game.ms, game.end)


def knows(stored: Played, game: Game, moves: str) -> bool:
    """Whether the sentence was taken into the stored game: once so, it is so for ever."""
    if game.end == "x":
        return (stored.moves, stored.ms, stored.end) == (moves, game.ms, "x")
    if not moves:
        return game.ms <= stored.ms
    times = stored.times.split(",")
    return stored.moves.startswith(moves) and times[len(moves) - 1] == str(game.ms)


def merge(stored: Played, game: Game, moves: str) -> Played | None:
    """What a stored game and a sentence with these moves know together.

    None if the sentence is of another game. It is of this one if one of the two is the other at an
    earlier time, and no move comes before the one before it.
    """
    known = stored.times.split(",")[: len(stored.moves)]
    timed = bool(moves) and game.end != "x"
    if timed and len(moves) <= len(known) and known[len(moves) - 1] not in ("", str(game.ms)):
        return None
    told = Played(moves, stored.times, game.ms, game.end)
    earlier, later = sorted((stored, told), key=lambda played: played.progress)
    if stored != told and (
        earlier.end != "-" or not later.moves.startswith(earlier.moves) or earlier.ms > later.ms
    ):
        return None
    times = known + [""] * (len(later.moves) - len(known))
    if timed:
        ply = len(moves) - 1
        before = next(filter(None, reversed(times[:ply])), 0)
        after = next(filter(None, times[ply + 1 :]), later.ms)
        if not int(before) <= game.ms <= int(after):
            return None
        times[ply] = str(game.ms)
    return later._replace(times=",".join(times))


def corrected(stored: Played, game: Game, moves: str) -> Played:
    """A stored game as this sentence has it, which contradicts it: what agrees stays."""
    corrected = first_played(game, moves)
    times = corrected.times.split(",")
    for ply, time in enumerate(stored.times.split(",")[: len(moves)]):
        if not stored.moves.startswith(moves[: ply + 1]) or (time and int(time) > game.ms):
            break
        times[ply] = times[ply] or time
    return corrected._replace(times=",".join(times))


def dated(dates: Dates, ms: int, at: int | None, late: bool, by_radio: bool) -> Dates:
    """The dates, with those of a sentence that came at this moment, `ms` after the game began.

    late: the game was over some time before. A start is worth more than a moment that it was over
    at, and one by cable more than one by radio.
    """
    if at is None:
        return dates
    if late:
        if dates.started is not None:
            return dates
        before = at if dates.played_before is None else min(at, dates.played_before)
        return Dates(None, before, before, 0)
    if dates.started is None or (dates.start_by_radio and not by_radio):
        return Dates(at - ms, at, None, int(by_radio))
    if by_radio and not dates.start_by_radio:
        return dates
    heard = at if dates.heard is None else max(at, dates.heard)
    return Dates(min(at - ms, dates.started), heard, None, dates.start_by_radio)


def dates_of(game: Game, dates: Dates, at: int | None, late: bool, by_radio: bool) -> Dates:
    """The dates of a stored game, with those of a sentence of it."""
    new = dated(dates, game.ms, at, late, by_radio)
    if len(game.boot) == 8 or dates.started is None:
        return new
    # It may be of another game with the same ids, which is not to move this one's start.
    return new._replace(started=dates.started)


def precedence(board: str) -> tuple[bool, bool, int, str]:
    """Of boards under which a game was heard, the least is the one that it is kept under.

    It is by cable, has a USB serial number, and is in no other room; of two the same, always one.
    """
    return is_by_radio(board), "usb-" not in board, len(board), board
