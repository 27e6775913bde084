"""Terminals that only have ASCII: what they show instead of other characters."""

import codecs
import os
import sys
import unicodedata
from functools import lru_cache

_SIGNS = {
    "·": ".", "░": ":", "▒": "=", "▓": "%", "█": "#",  # LEDs, from dark to bright
    "▪": "=", "•": "o", "●": "o", "…": "~", "–": "-", "—": "-", "−": "-", "’": "'",
    "≤": "<=", "≥": ">=", "∞": "inf", "✂": "x", "✓": "+", "✗": "!",
    "♪": "~", "♯": "#", "←": "<", "→": ">", "↑": "^", "↓": "v",
}  # fmt: skip

ERRORS = "noughts.ascii"
"""The name of an error handler for streams, which writes what `ascii_text` gives."""


def is_plain() -> bool:
    """Whether the terminal takes ASCII only.

    Python itself writes UTF-8 in the locale C, where terminals need not know it.
    """
    locale = os.environ.get("LC_ALL") or os.environ.get("LC_CTYPE") or os.environ.get("LANG", "")
    encoding = getattr(sys.stdout, "encoding", None) or ""  # without an output, there is none
    return locale in ("C", "POSIX") or "utf" not in encoding.lower()


def cell_width(text: str) -> int:
    """How many columns of a terminal a text takes: a Chinese or Korean character takes two."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def ascii_text(text: str) -> str:
    """Similar text in ASCII; whatever a screen draws keeps its width.

    >>> ascii_text("╭── é 蓝 ▓▓")
    '+-- e ?? %%'
    """
    return "".join(map(_ascii_sign, text))


@lru_cache(maxsize=1024)
def _ascii_sign(sign: str) -> str:
    if sign.isascii():
        return sign
    if sign in _SIGNS:
        return _SIGNS[sign]
    name = unicodedata.name(sign, "")
    if name.startswith("BOX DRAWINGS"):
        if "VERTICAL" in name and "HORIZONTAL" not in name:
            return "|"
        is_line = "HORIZONTAL" in name and "VERTICAL" not in name and " AND " not in name
        return ("=" if "DOUBLE" in name else "-") if is_line else "+"
    if name.endswith("BLOCK"):  # a part of one, at an end of a scroll bar
        return " "
    letter = unicodedata.normalize("NFKD", sign)[0]
    return letter if letter.isascii() else "?" * cell_width(sign)


def _replace(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    return ascii_text(error.object[error.start : error.end]), error.end


codecs.register_error(ERRORS, _replace)
