"""The players' colours, and what a terminal can show.

A is blue and B is orange, of the set that Okabe and Ito chose for all kinds of colour vision:
https://jfly.uni-koeln.de/color/. Wherever they stand, a letter or a sign says the same.
"""

from __future__ import annotations

import os
import sys

PLAYERS = {"A": "bold #56b4e9", "B": "bold #e69f00"}

_ASCII = str.maketrans("·…—│─", "..-|-")


def is_plain() -> bool:
    """Whether the terminal takes ASCII only.

    Python itself writes UTF-8 in the locale C, where terminals need not know it.
    """
    locale = os.environ.get("LC_ALL") or os.environ.get("LC_CTYPE") or os.environ.get("LANG", "")
    return locale in ("C", "POSIX") or "utf" not in (sys.stdout.encoding or "").lower()


def is_without_colour() -> bool:
    """Whether the user wants no colour: https://no-color.org."""
    return bool(os.environ.get("NO_COLOR"))


def as_ascii(text: str) -> str:
    """The text for a terminal that is plain."""
    return text.translate(_ASCII)
