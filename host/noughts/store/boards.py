"""The boards that a store has seen, and what people call them."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from noughts.errors import StoreError
from noughts.protocol.describe import called
from noughts.store.queries import moment, sound
from noughts.store.store import Store, command_for

MAX_NAME = 40
"""Characters."""
_SEARCHED = 200
"""Boards; more are too many to choose from."""


@dataclass(frozen=True)
class KnownBoard:
    """A board with stored games."""

    number: int
    """Its number in the store."""
    board: str
    """`usb-` and the USB serial number, else the port or the log's file."""
    name: str | None
    """What people call it."""
    hardware: str | None
    """V1 or V2; None if its start was not received."""
    games: int
    """Those that have ended."""
    heard: int | None
    """When the last sentence of a game came, in ms since 1970; None where nobody knows."""


_QUERY = """
    SELECT id, name, given_name,
           (SELECT hardware FROM boots WHERE board = boards.id ORDER BY heard DESC LIMIT 1),
           (SELECT count(*) FROM games WHERE board = boards.id AND moves <> '' AND end <> '-'),
           (SELECT max(heard) FROM games WHERE board = boards.id)
    FROM boards ORDER BY id
"""


def boards(store: Store) -> list[KnownBoard]:
    """All boards, in the order in which they were first seen. Raises `StoreError`."""
    with sound(store.path):
        return [
            KnownBoard(
                int(number),
                str(board),
                name and str(name),
                kind and str(kind),
                games,
                moment(heard),
            )
            for number, board, name, kind, games, heard in store.each(_QUERY)
        ]


def names(store: Store) -> dict[str, str]:
    """What people call the boards that they have named. Raises `StoreError`."""
    named = "SELECT name, given_name FROM boards WHERE given_name IS NOT NULL"
    return {str(board): str(name) for board, name in store.each(named)}


def searched_for(store: Store) -> list[str]:
    """What to search for to find each board's games: its name, or a part of its USB id.

    Raises `StoreError`.
    """
    with sound(store.path):
        return [
            called(str(board), name and str(name)).removeprefix("usb-…")
            for board, name in store.each(
                f"SELECT name, given_name FROM boards ORDER BY id LIMIT {_SEARCHED}"
            )
        ]


def known_board(store: Store, wanted: str) -> KnownBoard:
    """The board of this number or id, `usb-` and `radio-` or not. Raises `StoreError`."""
    known = boards(store)
    for board in known:
        if wanted == str(board.number):
            return board
    for board in known:
        name = board.board.lower()
        if wanted.lower() in (name, name.removeprefix("usb-"), name.removeprefix("radio-")):
            return board
    listing = command_for("noughts boards", store.path)
    raise StoreError(f"no board {wanted[:60]!r} is in {store.path}; {listing} lists them")


def as_name(text: str) -> str | None:
    """A name as it is stored, None for an empty one.

    Raises `ValueError`, saying why, for one that is too long, or could act on a terminal.
    """
    name = " ".join(unicodedata.normalize("NFC", text).split())
    if len(name) > MAX_NAME:
        raise ValueError(f"a name has at most {MAX_NAME} characters, not {len(name)}")
    if not name.isprintable():
        raise ValueError("a name has no control characters")
    return name or None
