"""The names that people give to boards: what is allowed, and which names count as the same."""

import unicodedata

MAX_NAME = 40
"""Characters."""


def as_name(text: str) -> str | None:
    """A name as it is stored; None for an empty one.

    Raises `ValueError`, which says why, if it is too long or has control characters.
    """
    name = " ".join(unicodedata.normalize("NFC", text).split())
    if len(name) > MAX_NAME:
        raise ValueError(f"a name has at most {MAX_NAME} characters, not {len(name)}")
    if not name.isprintable():
        raise ValueError("a name has no control characters")
    return name or None


def caseless(text: str) -> str:
    """A text for comparisons without case, in all alphabets; accents may be written in two ways.

    >>> caseless("ÄPFEL") == caseless("A\u0308pfel")
    True
    """
    folded = unicodedata.normalize("NFC", text).casefold()
    return unicodedata.normalize("NFC", folded)
