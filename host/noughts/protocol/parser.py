"""From the bytes of a serial line to sentences and noise, whatever pieces they come in."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import NamedTuple

from noughts.errors import SentenceError, UnknownSentenceError
from noughts.protocol import sentences
from noughts.protocol.sentences import MAX_LENGTH, Sentence

_HARMLESS = [
    chr(byte) if 32 <= byte < 127 and byte != ord("\\") else f"\\x{byte:02x}" for byte in range(256)
]
_PARTS = re.compile(rb"[^$]+|\$[^$]*")
_FRAME = re.compile(rb"\$[^$*]*\*[0-9A-F]{2}(?![0-9A-Fa-f])")
_ENDED_FRAME = re.compile(rb"\$[^$*]*\*[0-9A-F]{2}(?=[^0-9A-Fa-f])")
_ESCAPE = re.compile(rb"\\x([0-9a-f]{2})")


class ParsedSentence(NamedTuple):
    """A sentence, with the line that it stood in."""

    line: str
    sentence: Sentence
    radio_id: str | None = None
    """Of the board that sent it by radio; None if it came by cable."""

    @property
    def body(self) -> str:
        """What stands between `$` and `*`, as it is said by cable."""
        return self.line[1 if self.radio_id is None else len("$NR,,") + len(self.radio_id) : -3]


@dataclass(frozen=True)
class Unknown:
    """A sentence that a later version may understand."""

    line: str
    what: str
    again: bool = False
    """Whether the stream has had one of these before: a person is told of each `what` once."""


@dataclass(frozen=True)
class Noise:
    r"""Anything else, made safe to show.

    It is printable ASCII, with backslashes and all other bytes as \xhh: `unescape` gives the bytes
    back.
    """

    text: str


Item = ParsedSentence | Unknown | Noise


class Stream:
    """Takes bytes as they arrive and gives what they hold. It never raises, and never grows.

    A sentence begins with its `$`, whatever came before it in the line: a reset may have cut
    something short, or a line end may have been lost. It ends after its checksum, with the first
    byte that is no hex digit: line ends arrive damaged, too.
    """

    def __init__(self) -> None:
        self._line = b""
        self._unknown: set[str] = set()
        self.noise = 0
        """Bytes of all `Noise` so far."""

    def feed(self, data: bytes) -> list[Item]:
        """Take bytes of any length; returns the items that they complete, in order."""
        *lines, self._line = (self._line + data).split(b"\n")
        items: list[Item] = []
        for line in lines:
            items += self._ended(line.rstrip(b"\r"))
        if len(self._line) > 2 * MAX_LENGTH:
            items += self._cut()
        if b"*" in self._line:
            items += self._first(self._whole())
        return items

    def _ended(self, line: bytes) -> list[Item]:
        """What a line holds."""
        if line.startswith(b"$") and (item := self._sentence(line)) is not None:
            return [item]  # as most lines do
        rest, self._line = self._line, line
        items = self._cut() + self.end()
        self._line = rest
        return items

    def _cut(self) -> list[Item]:
        """All but the end of a line that is too long."""
        items: list[Item] = []
        while len(self._line) > 2 * MAX_LENGTH:
            # Cut before a `$`, if one is there that may begin a sentence.
            begins = self._line.rfind(b"$", MAX_LENGTH, 2 * MAX_LENGTH)
            items += self._first(begins if begins > 0 else 2 * MAX_LENGTH)
        return items

    def _whole(self) -> int:
        """So many bytes of the line make whole sentences, with what came before them."""
        size = 0
        for found in _ENDED_FRAME.finditer(self._line):
            if _parsed(found[0]) is not None:
                size = found.end()
        return size

    def end(self) -> list[Item]:
        """Parse the unfinished line that is left when nothing more will come."""
        return self._first(len(self._line))

    def _first(self, size: int) -> list[Item]:
        """Sentences and noise in the first bytes of the line."""
        data, self._line = self._line[:size], self._line[size:]
        items: list[Item] = []
        noise = b""
        for part in _PARTS.findall(data):
            frame = _FRAME.match(part)
            item = self._sentence(frame[0]) if frame else None
            if frame is None or item is None:
                noise += part
            else:
                items += [*self._noise(noise), item]
                noise = part[frame.end() :]
        return items + self._noise(noise)

    def _noise(self, data: bytes) -> list[Item]:
        data = data.rstrip(b"\r")  # of a line end, whose other half may be lost
        if not data.strip(b"\0 \r"):
            return []  # such as the NUL that a serial line brings when a board starts
        self.noise += len(data)
        return [Noise(escape(data))]

    def _sentence(self, frame: bytes) -> Item | None:
        item = _parsed(frame)
        if isinstance(item, Unknown):
            if item.what in self._unknown or len(self._unknown) >= 100:
                return replace(item, again=True)
            self._unknown.add(item.what)
        return item


def _parsed(frame: bytes) -> ParsedSentence | Unknown | None:
    """The sentence in a frame, if it is one."""
    try:
        text = frame.decode("ascii")
        return ParsedSentence(text, *sentences.read_with_id(text))
    except UnknownSentenceError as error:
        return Unknown(text, error.what)
    except (SentenceError, UnicodeDecodeError):
        return None


def escape(data: bytes) -> str:
    """The bytes as text that no terminal acts on."""
    return "".join(_HARMLESS[byte] for byte in data)


def unescape(text: str) -> bytes:
    """The bytes that `escape` has made this text of."""
    return _ESCAPE.sub(lambda found: bytes([int(found[1], 16)]), text.encode())
