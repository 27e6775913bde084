"""Engines' names on the command line."""

from __future__ import annotations

import argparse
import difflib

from noughts.engines.registry import engines
from noughts.game.engine import Engine


def chosen(name: str, args: argparse.Namespace) -> Engine:
    """The engine of that name; a usage error, with the nearest name, if there is none."""
    known = engines()
    if name not in known:
        near = difflib.get_close_matches(name, known, 1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
        args.error(f"{name!r} is no engine; {hint}")
    return known[name]
