"""Which games a page shows, and which part of them, as its address says."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from starlette.datastructures import QueryParams

from noughts.errors import NoughtsError
from noughts.protocol.describe import opponents
from noughts.store.boards import searched_for
from noughts.store.queries import seats_played
from noughts.store.store import Store
from noughts.views import game_filter
from noughts.views.game_filter import ChosenGames

_MAX_VALUES = 20
"""Of one name: SQLite limits how long a condition may be."""
_MAX_DIGITS = 18
"""SQLite's numbers have 63 bits."""

_Value = TypeVar("_Value")


def chosen_games(query: QueryParams) -> ChosenGames:
    """Which games the address chooses, in the words of `noughts games`; what is empty is left out.

    Raises `NoughtsError`.
    """
    return ChosenGames(
        boards=tuple(_all(query, "board", str)),
        seats=_last(query, "seats", game_filter.seats),
        results=tuple(dict.fromkeys(_all(query, "result", game_filter.result))),
        since=_last(query, "since", game_filter.day),
        until=_last(query, "until", game_filter.day),
    )


def choices(store: Store) -> dict[str, object]:
    """What the form offers: boards, and who has played against whom."""
    return {
        "names": searched_for(store),
        "seats": [(seats, opponents(seats)) for seats in seats_played(store)],
    }


def page_number(query: QueryParams) -> int:
    """Which page of a table, from 1. Raises `NoughtsError`."""
    return _last(query, "page", _page) or 1


def game_number(text: str) -> int:
    """Which game of the store. Raises `NoughtsError`."""
    if not _is_number(text):
        raise NoughtsError(f"{text[:20]!r} is not a game; choose one from the list of games")
    return int(text)


def _page(text: str) -> int:
    if not _is_number(text) or int(text) == 0:
        raise ValueError(f"{text[:20]!r} is not a page; the first is 1")
    return int(text)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= _MAX_DIGITS


def _all(query: QueryParams, name: str, parse: Callable[[str], _Value]) -> list[_Value]:
    given = [text for text in query.getlist(name) if text.strip()]
    if len(given) > _MAX_VALUES:
        raise NoughtsError(f"{name}: {len(given)} are too many; give at most {_MAX_VALUES}")
    try:
        return [parse(text) for text in given]
    except ValueError as error:
        raise NoughtsError(f"{name}: {error}") from error


def _last(query: QueryParams, name: str, parse: Callable[[str], _Value]) -> _Value | None:
    """Of several the last counts, as on the command line."""
    given = _all(query, name, parse)
    return given[-1] if given else None
