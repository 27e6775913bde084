"""Rows of the store as objects, checked: a damaged file may hold anything."""

from collections.abc import Callable, Mapping, Sequence
from itertools import repeat
from typing import Any, TypeVar, get_args, get_type_hints

_Row = TypeVar("_Row")

AT_ONCE = 1_000
"""Rows that are read and checked together."""

Columns = Mapping[str, Sequence[Any]]
"""The values of several rows, by the name of their field."""


class RowError(ValueError):
    """A row is one that noughts cannot have written. A `Store` reports it as damage."""


def reader(row_type: type[_Row]) -> Callable[[Sequence[Sequence[Any]]], list[_Row]]:
    """A function that makes objects of a `NamedTuple` of rows, with the types of its fields.

    If the type has a class method `check`, it gets the `Columns`, and raises `ValueError` if they
    are wrong. The function raises `RowError`.
    """
    # By column, because one call of a built-in function for 1,000 values costs less than 1,000
    # calls of our own: an export of 100,000 games would take a third longer.
    allowed_types = {
        name: set(get_args(hint) or (hint,)) for name, hint in get_type_hints(row_type).items()
    }
    check: Callable[[Columns], object] | None = getattr(row_type, "check", None)

    def read(rows: Sequence[Sequence[Any]]) -> list[_Row]:
        if not rows:
            return []
        columns = dict(zip(allowed_types, zip(*rows, strict=True), strict=True))
        for name, column in columns.items():
            for other_type in set(map(type, column)) - allowed_types[name]:
                raise RowError(f"{row_type.__name__} with {other_type.__name__} as its {name}")
        if check is not None:
            try:
                check(columns)
            except ValueError as error:
                raise RowError(str(error)) from error
        return list(map(tuple.__new__, repeat(row_type), rows))  # type: ignore[arg-type]

    return read
