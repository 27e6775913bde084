"""A row of `make bench`: what was measured, and whether it reaches its target."""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """What, how much, the target if there is one, and whether it is met."""

    what: str
    measured: str
    target: str = ""
    met: bool = True


def at_most(what: str, value: float, limit: float, form: str) -> Row:
    """A row whose value must not exceed a limit; `form` writes both, such as `{:.2f} s`."""
    return Row(what, form.format(value), f"<= {form.format(limit)}", value <= limit)


def at_least(what: str, value: float, limit: float, form: str) -> Row:
    """A row whose value must reach a limit."""
    return Row(what, form.format(value), f">= {form.format(limit)}", value >= limit)
