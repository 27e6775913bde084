"""From the bytes of a serial line to sentences and noise, in pieces of any size."""

import re
from dataclasses import dataclass

from noughts.errors import SentenceError, UnknownSentenceError
from noughts.protocol.sentences import MAX_LENGTH, parse
from noughts.protocol.sentences import ParsedSentence as ParsedSentence

_HARMLESS = {
    byte: f"\\x{byte:02x}" for byte in range(256) if not 32 <= byte < 127 or byte == ord("\\")
}
_FRAME = re.compile(rb"\$[^$*\n]*\*[0-9A-F]{2}(?=[^0-9A-Fa-f])")
_PIECE = re.compile(rb".{1,%d}" % (2 * MAX_LENGTH), re.DOTALL)
_MAX_UNKNOWN = 100
_ESCAPE = re.compile(rb"\\x([0-9a-f]{2})")


@dataclass(frozen=True)
class Unknown:
    """A sentence that a later version may understand; each `what` is reported once."""

    line: str
    what: str
    again: bool = False


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

    A sentence begins with its `$`, even if other text precedes it in the line: a reset may have cut
    something short, or a line end may have been lost. It ends after its checksum, with the first
    byte that is no hex digit: line ends arrive damaged, too.
    """

    def __init__(self) -> None:
        self._rest = b""
        self._unknown: set[str] = set()
        self.noise = 0
        """Bytes of all `Noise` so far."""

    def feed(self, data: bytes) -> list[Item]:
        """Take bytes of any length; returns the items that they complete, in order."""
        data = self._rest + data
        items: list[Item] = []
        begin = 0
        for found in _FRAME.finditer(data):
            line = found[0].decode("latin-1")
            item: Item
            try:
                item = parse(line)
            except UnknownSentenceError as error:
                again = error.what in self._unknown or len(self._unknown) >= _MAX_UNKNOWN
                if not again:
                    self._unknown.add(error.what)
                item = Unknown(line, error.what, again)
            except SentenceError:
                continue
            if data[begin : found.start()] not in (b"", b"\r\n"):
                self._add_noise(data[begin : found.start()], items)
            items.append(item)
            begin = found.end()
        lines, self._rest = data[begin : (end := max(begin, data.rfind(b"\n") + 1))], data[end:]
        self._add_noise(lines, items)
        while len(self._rest) > 2 * MAX_LENGTH:
            # Cut before a `$`, if one is there that may begin a sentence.
            begins = self._rest.rfind(b"$", MAX_LENGTH, 2 * MAX_LENGTH)
            end = begins if begins > 0 else 2 * MAX_LENGTH
            self._add_noise(self._rest[:end], items)
            self._rest = self._rest[end:]
        return items

    def end(self) -> list[Item]:
        """Parse the unfinished line that is left when nothing more will come."""
        return self.feed(b"\n")

    def _add_noise(self, data: bytes, items: list[Item]) -> None:
        for line in data.split(b"\n"):
            line = line.rstrip(b"\r")  # of a line end, whose other half may be lost
            if line.strip(b"\0 \r"):  # else it is such as the NUL of a board that starts
                self.noise += len(line)
                items += [Noise(escape(piece)) for piece in _PIECE.findall(line)]


def escape(data: bytes) -> str:
    return data.decode("latin-1").translate(_HARMLESS)


def unescape(text: str) -> bytes:
    return _ESCAPE.sub(lambda found: bytes([int(found[1], 16)]), text.encode())
