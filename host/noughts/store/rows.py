"""Rows of the store as objects, checked: a damaged file may hold anything."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, get_args, get_type_hints

_Row = TypeVar("_Row")


class RowError(ValueError):
    """A row is one that noughts cannot have written. A `Store` reports it as damage."""


def reader(row_type: type[_Row]) -> Callable[[Sequence[Any]], _Row]:
    """A function that makes a `NamedTuple` of a row; each value must have its field's type.

    If the type has a method `check`, that must not raise `ValueError`. The function raises
    `RowError`.
    """
    allowed_types = [get_args(hint) or (hint,) for hint in get_type_hints(row_type).values()]
    valid_rows: set[tuple[type, ...]] = set()  # a store has few different ones
    make: Callable[[Sequence[Any]], _Row] = row_type._make  # type: ignore[attr-defined]
    check: Callable[[_Row], object] | None = getattr(row_type, "check", None)

    def read(row: Sequence[Any]) -> _Row:
        types = tuple(map(type, row))
        if types not in valid_rows:
            for name, allowed in zip(types, allowed_types, strict=True):
                if name not in allowed:
                    raise RowError(f"{row_type.__name__} with {name.__name__}")
            valid_rows.add(types)
        item = make(row)
        if check is not None:
            try:
                check(item)
            except ValueError as error:
                raise RowError(str(error)) from error
        return item

    return read
