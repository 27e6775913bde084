"""What things cost on a board's heap, in bytes: the table in device/README.md.

    PYTHONPATH=tools/harness python tools/device_memory.py

Each is put into a module of its own, on the official firmware in the emulator: the heap that its
import takes, after collection, beyond that of an empty module. (A block is 16 bytes.)
"""

import string

from official import NEWEST, printed

_MEASURE = b"""
import gc
gc.collect()
before = gc.mem_free()
import module
gc.collect()
print("USED", before - gc.mem_free())
"""
_NAMES = 40


def _new_names(letters: int) -> bytes:
    """Lines with new names, which neither the firmware nor the game has."""
    pairs = [a + b for a in "qxz" for b in string.ascii_lowercase][:_NAMES]
    return "".join(f" value.{(pair + 'qzjx' * 5)[:letters]}\n" for pair in pairs).encode()


_READ = b"def read(value):\n"
CASES: dict[str, tuple[bytes, int]] = {
    "a module, empty": (b"# noughts\n", 0),
    "a function without arguments": (b"def read():\n pass\n", 1),
    "a function with an argument": (_READ + b" return value\n", 1),
    "a known name, used once more": (_READ + b" value.read\n" * _NAMES, _NAMES),
    "a new name of 5 letters": (_READ + _new_names(5), _NAMES),
    "a new name of 12 letters": (_READ + _new_names(12), _NAMES),
    "a small integer as a global": (b"read = 1\n", 1),
    "an integer above 2 ** 30": (b"read = 1234567890123\n", 1),
    "a string of 36 letters": (b"read = '%s'\n" % (b"a b" * 12), 1),
    "bytes, 36 of them": (b"read = b'%s'\n" % (b"abc" * 12), 1),
    "a tuple of 8 small integers": (b"read = (1, 2, 3, 4, 5, 6, 7, 8)\n", 1),
    "a list of 8 small integers": (b"read = [1, 2, 3, 4, 5, 6, 7, 8]\n", 1),
    "a class, empty": (b"class read:\n pass\n", 1),
}


def table() -> str:
    """The table in Markdown."""
    columns: list[dict[str, float]] = []
    for firmware in NEWEST:
        used = {}
        for name, (module, _) in CASES.items():
            output = printed(firmware, {"main.py": _MEASURE, "module.py": module})
            used[name] = int(output.partition("USED ")[2].split()[0])
        empty = used["a module, empty"]
        column = {name: (used[name] - empty) / (count or 1) for name, (_, count) in CASES.items()}
        column["a module, empty"] = empty
        for name in column:
            if name.startswith("a new name"):
                column[name] -= column["a known name, used once more"]
        columns.append(column)
    lines = [f"| bytes of heap | {' | '.join(NEWEST)} |", "| --- | ---: | ---: |"]
    for name in CASES:
        lines.append(f"| {name} | {' | '.join(f'{column[name]:.0f}' for column in columns)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())
