"""A row of `make bench`: what was measured, and whether it reaches its target."""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """What, how much, the target if there is one, and whether it is met."""

    what: str
    measured: str
    target: str = ""
    met: bool = True

    def __str__(self) -> str:
        """A line of a table in Markdown."""
        missed = "" if self.met else " **missed**"
        return f"| {self.what} | {self.measured} | {self.target}{missed} |"


def at_most(what: str, value: float, limit: float | None, form: str, note: str = "") -> Row:
    """A row whose value must not exceed a limit, if there is one.

    `form` writes both, such as `{:.2f} s`; the note stands behind the value.
    """
    measured = form.format(value) + (f" ({note})" if note else "")
    if limit is None:
        return Row(what, measured)
    return Row(what, measured, f"≤ {form.format(limit)}", value <= limit)


def at_least(what: str, value: float, limit: float | None, form: str, note: str = "") -> Row:
    """A row whose value must reach a limit, if there is one."""
    row = at_most(what, value, limit, form, note)
    return (
        row if limit is None else row._replace(target=f"≥ {form.format(limit)}", met=value >= limit)
    )
