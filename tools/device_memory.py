"""What things cost on a board's heap, in bytes: the table in device/README.md.

    python tools/device_memory.py

Each is put into a module of its own, on the official firmware in the emulator: the heap that its
import takes, after collection, beyond that of an empty module. (A block is 16 bytes.)
"""

from __future__ import annotations

import string

from official import NEWEST, stepped

_MEASURE = b"""
import gc
gc.collect()
before = gc.mem_free()
import module
gc.collect()
print("USED", before - gc.mem_free())
"""
_NAMES = 40


def _names(letters: int) -> list[str]:
    """Names that neither the firmware nor the game has."""
    pairs = (a + b for a in "qxz" for b in string.ascii_lowercase)
    return [(pair + "qzjx" * 5)[:letters] for pair in pairs][:_NAMES]


def _function(*lines: str) -> bytes:
    return "".join(["def read(value):\n", *(f" {line}\n" for line in lines)]).encode()


CASES: dict[str, tuple[bytes, int]] = {
    "a module, empty": (b"# noughts\n", 0),
    "a function without arguments": (b"def read():\n pass\n", 1),
    "a function with an argument": (_function("return value"), 1),
    "a known name, used once more": (_function(*["value.read"] * _NAMES), _NAMES),
    "a new name of 5 letters": (_function(*[f"value.{name}" for name in _names(5)]), _NAMES),
    "a new name of 12 letters": (_function(*[f"value.{name}" for name in _names(12)]), _NAMES),
    "a small integer as a global": (b"read = 1\n", 1),
    "an integer above 2 ** 30": (b"read = 1234567890123\n", 1),
    "a string of 36 letters": (b"read = '%s'\n" % (b"a b" * 12), 1),
    "bytes, 36 of them": (b"read = b'%s'\n" % (b"abc" * 12), 1),
    "a tuple of 8 small integers": (b"read = (1, 2, 3, 4, 5, 6, 7, 8)\n", 1),
    "a list of 8 small integers": (b"read = [1, 2, 3, 4, 5, 6, 7, 8]\n", 1),
    "a class, empty": (b"class read:\n pass\n", 1),
}


def used(firmware: str, module: bytes) -> int:
    """Bytes of heap that importing a module takes."""
    board = stepped(firmware)({"main.py": _MEASURE, "module.py": module})
    received = board.uart.received
    if not board.run_until(lambda: received.endswith(b">>> "), timeout_us=10e6):
        raise RuntimeError(f"{firmware} does not end: {received!r}")
    return int(received.partition(b"USED ")[2].split()[0])


def costs(firmware: str) -> dict[str, float]:
    """Bytes for each of `CASES`."""
    found: dict[str, float] = {}
    for name, (module, count) in CASES.items():
        total = used(firmware, module)
        found[name] = (total - found["a module, empty"]) / count if count else total
    known = found["a known name, used once more"]
    for name in found:
        if name.startswith("a new name"):
            found[name] -= known
    return found


def table() -> str:
    """In Markdown."""
    columns = [costs(firmware) for firmware in NEWEST]
    lines = [f"| bytes of heap | {' | '.join(NEWEST)} |", "| --- | ---: | ---: |"]
    for name in CASES:
        lines.append(f"| {name} | {' | '.join(f'{column[name]:.0f}' for column in columns)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
