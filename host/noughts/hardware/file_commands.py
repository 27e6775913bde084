"""What a board is told to do with its files, in MicroPython.

A board that is busy loses some bytes of what it is told. So it checks what it is to write before it
writes, and the host checks what it answers.
"""

from __future__ import annotations

from collections.abc import Sequence

from noughts.device_files import MARK

_BLOCK = 64
_FACTOR = 0x1B873593_CC9E2D51
_PRIME = (1 << 61) - 31
_PIECE = 512  # bytes that are written by one command; V1 has no memory for 1,024

# MicroPython's integers are as long as need be, so that the sum over a block is one step.
SURVEY = f"""\
import os
print(repr(os.uname()[4]))
def c(n):
 f = open(n, 'rb')
 b = f.read({_BLOCK})
 a = b[:{len(MARK)}]
 h = 0
 while b and a == {MARK!r}:
  h = (h * {_FACTOR} + int.from_bytes(b, 'little')) % {_PRIME}
  b = f.read({_BLOCK})
 f.close()
 return h, a
for n in os.listdir():
 print((n, os.size(n)) + c(n))
"""
"""Prints the kind of the chip, then each file's name, size, checksum and first bytes.

Of files that are not ours the checksum is 0: a power cut may have left a length that leads beyond
the file system, and a V1 that reads on there ends.
"""

_CHECK = f"""\
b = {{!r}}
if int.from_bytes(bytes(n, 'ascii') + b, 'little') % {_PRIME} != {{}}:
 raise ValueError('lost bytes')
"""
_OPEN = "f = open(n, 'wb')\n"
_WRITE = "print(f.write(b))\n"
_CLOSE = "print(f.close())\n"

_REMOVE = """\
import os
for m in n.split():
 try:
  os.remove(m)
 except OSError:
  pass
print([m for m in os.listdir() if m in n.split()])
"""

_READ = """\
for m in n.split():
 with open(m, 'rb') as f:
  print((m, f.read({})))
"""

FORGET_LOG = """\
try:
 import log
 log.delete()
except ImportError:
 pass
print('forgotten')
"""
"""Empties a V2's data log, where the firmware has one."""


def checksum(content: bytes) -> int:
    """What the board computes: blocks of 64 bytes as digits of a number, modulo a prime."""
    value = 0
    for start in range(0, len(content), _BLOCK):
        value = (value * _FACTOR + _digest(content[start : start + _BLOCK])) % _PRIME
    return value


def writing(name: str, content: bytes) -> tuple[list[str], str]:
    """The commands that write a file, and what the board then prints, blanks made one.

    A command is carried out when all of it has arrived. So a short file, which takes one command,
    is open no longer than the board needs to write it.
    """
    key = name.encode("ascii")
    pieces = [content[start : start + _PIECE] for start in range(0, len(content), _PIECE)] or [b""]
    checks = [_CHECK.format(piece, _digest(key + piece)) for piece in pieces]
    commands = [check + _WRITE for check in checks]
    commands[0] = f"n = {name!r}\n{checks[0]}{_OPEN}{_WRITE}"
    commands[-1] += _CLOSE
    return commands, " ".join([*(str(len(piece)) for piece in pieces), "None"])


def removing(names: Sequence[str]) -> tuple[list[str], str]:
    """The commands that remove files, if they are there, in this order, and what is printed then.

    No name may have a blank in it.
    """
    listed = " ".join(names)
    check = _CHECK.format(b"", _digest(listed.encode("ascii")))
    return [f"n = {listed!r}\n{check}{_REMOVE}"], "[]"


def reading(names: Sequence[str], size: int) -> list[str]:
    """The commands that print the names of files and their first bytes, so many at most.

    No name may have a blank in it.
    """
    listed = " ".join(names)
    check = _CHECK.format(b"", _digest(listed.encode("ascii")))
    return [f"n = {listed!r}\n{check}{_READ.format(size)}"]


def _digest(piece: bytes) -> int:
    return int.from_bytes(piece, "little") % _PRIME
