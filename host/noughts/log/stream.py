"""From the bytes of a serial line to sentences and noise, whatever pieces they come in."""

from __future__ import annotations

from dataclasses import dataclass

from noughts.errors import SentenceError
from noughts.log import sentences
from noughts.log.sentences import MAX_LENGTH, Sentence, UnknownSentenceError


@dataclass(frozen=True)
class Heard:
    """A sentence, with the line that it stood in."""

    line: str
    sentence: Sentence


@dataclass(frozen=True)
class Unknown:
    """A sentence that a later version may understand; reported once for each `what`."""

    line: str
    what: str


@dataclass(frozen=True)
class Noise:
    """Anything else, made safe to show: printable ASCII, other bytes as \\xhh."""

    text: str


Item = Heard | Unknown | Noise


class Stream:
    """Takes bytes as they arrive and gives what they hold. It never raises, and never grows."""

    def __init__(self) -> None:
        self._line = bytearray()
        self._cut = False  # the line was too long: its rest is noise too
        self._unknown: set[str] = set()

    def feed(self, data: bytes) -> list[Item]:
        """What is whole by now, in order."""
        items: list[Item] = []
        for piece in _split(data):
            ends = piece.endswith(b"\n")
            self._line += piece[:-1] if ends else piece
            while len(self._line) > 2 * MAX_LENGTH:
                items.append(Noise(harmless(bytes(self._line[: 2 * MAX_LENGTH]))))
                del self._line[: 2 * MAX_LENGTH]
                self._cut = True
            if ends:
                items += self._end()
        return items

    def _end(self) -> list[Item]:
        line = bytes(self._line).rstrip(b"\r")
        self._line.clear()
        cut, self._cut = self._cut, False
        if cut or b"$" not in line:
            return [Noise(harmless(line))] if line.strip(b"\0 ") else []
        # A sentence may follow what a reset has cut short.
        before, text = line[: line.rindex(b"$")], line[line.rindex(b"$") :]
        items: list[Item] = [Noise(harmless(before))] if before.strip(b"\0 ") else []
        try:
            decoded = text.decode("ascii")
            items.append(Heard(decoded, sentences.read(decoded)))
        except UnknownSentenceError as error:
            if error.what not in self._unknown and len(self._unknown) < 100:
                self._unknown.add(error.what)
                items.append(Unknown(decoded, error.what))
        except (SentenceError, UnicodeDecodeError):
            return [Noise(harmless(line))]
        return items


def _split(data: bytes) -> list[bytes]:
    pieces = data.split(b"\n")
    return [piece + b"\n" for piece in pieces[:-1]] + ([pieces[-1]] if pieces[-1] else [])


def harmless(data: bytes) -> str:
    """The bytes as text that no terminal acts on."""
    return "".join(chr(byte) if 32 <= byte < 127 else f"\\x{byte:02x}" for byte in data)
