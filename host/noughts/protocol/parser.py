"""Parsing the bytes of a serial line, in pieces of any size, into sentences and noise."""

import re
from dataclasses import dataclass

from noughts.errors import SentenceError, UnknownSentenceError
from noughts.protocol.sentences import MAX_LENGTH, parse
from noughts.protocol.sentences import ParsedSentence as ParsedSentence

_HARMLESS = {
    byte: f"\\x{byte:02x}" for byte in range(256) if not 32 <= byte < 127 or byte == ord("\\")
}
_FRAME = re.compile(rf"\$([^$*\n]{{0,{MAX_LENGTH - 4}}})\*([0-9A-F]{{2}})(?=[^0-9A-Fa-f])")
_CHECKSUM_SIZE = len("*hh")
_PIECE = re.compile(rb".{1,%d}" % (2 * MAX_LENGTH), re.DOTALL)
_MAX_UNKNOWN = 100
_ESCAPE = re.compile(rb"\\x([0-9a-f]{2})")


@dataclass(frozen=True)
class Unknown:
    """A sentence that a later version may understand."""

    line: str
    """Escaped as in `Noise`."""
    unknown_part: str
    """`sentence type $NX`, or `protocol version 2`."""
    is_repeated: bool = False
    """Whether that part was reported before."""


@dataclass(frozen=True)
class Noise:
    r"""Anything else, as printable ASCII; backslashes and other bytes are \xhh, see `unescape`."""

    text: str


Item = ParsedSentence | Unknown | Noise


class Stream:
    """Parses bytes as they arrive. It never raises, and its memory is bounded.

    A sentence begins with its `$`, even after other text in the line: a reset may have cut a line
    short, or a line end may have been lost. It ends after its checksum, at the first byte that is
    not a hex digit, because line ends can be damaged too.
    """

    def __init__(self) -> None:
        self._rest = b""
        self._unknown: set[str] = set()
        self.noise = 0
        """Bytes of all `Noise` so far."""

    def feed(self, data: bytes) -> list[Item]:
        """Add any number of bytes. Returns the items that they complete, in order."""
        data = self._rest + data
        items: list[Item] = []
        begin, xors = 0, _xors(data)
        for match in _FRAME.finditer(data.decode("latin-1")):
            body, checksum = match.groups()
            dollar, end = match.span()
            star = end - _CHECKSUM_SIZE
            body_xor = xors[star - 1] ^ xors[dollar]
            if body_xor != int(checksum, 16):
                continue
            item: Item
            try:
                item = parse(body)
            except UnknownSentenceError as error:
                is_repeated = error.what in self._unknown or len(self._unknown) >= _MAX_UNKNOWN
                if not is_repeated:
                    self._unknown.add(error.what)
                item = Unknown(escape(match[0].encode()), error.what, is_repeated)
            except SentenceError:
                continue
            if data[begin:dollar] not in (b"", b"\r\n"):
                self._add_noise(data[begin:dollar], items)
            items.append(item)
            begin = end
        end = max(begin, data.rfind(b"\n") + 1)
        self._add_noise(data[begin:end], items)
        self._rest = data[end:]
        while len(self._rest) > 2 * MAX_LENGTH:
            # Cut before a `$`, which may begin a sentence.
            dollar = self._rest.rfind(b"$", MAX_LENGTH, 2 * MAX_LENGTH)
            cut = dollar if dollar > 0 else 2 * MAX_LENGTH
            self._add_noise(self._rest[:cut], items)
            self._rest = self._rest[cut:]
        return items

    def _add_noise(self, data: bytes, items: list[Item]) -> None:
        for line in data.split(b"\n"):
            line = line.rstrip(b"\r")  # half of a line end
            if line.strip(b"\0 \r"):  # else it may be the NUL of a board that starts
                self.noise += len(line)
                items += [Noise(escape(piece)) for piece in _PIECE.findall(line)]


def _xors(data: bytes) -> bytes:
    """At each byte, the XOR of all up to it. Two of these give the checksum of what is between."""
    number = int.from_bytes(data, "big")
    for power in range(len(data).bit_length()):
        number ^= number >> (8 << power)
    return number.to_bytes(len(data), "big")


def escape(data: bytes) -> str:
    """Bytes as printable ASCII, see `Noise`."""
    return data.decode("latin-1").translate(_HARMLESS)


def unescape(text: str) -> bytes:
    """The bytes that `escape` has written."""
    return _ESCAPE.sub(lambda match: bytes([int(match[1], 16)]), text.encode())
