"""The emulated chip's flash: read as a whole, and written as its own controller (NVMC) does it.

QEMU loads the image anew at each reset, over what the board has written meanwhile. A real flash
keeps it; so what it held is put back.
"""

from __future__ import annotations

from noughts.boards.qemu import Qemu

SIZE = 0x40000
_PAGE = 1024
_ERASED = b"\xff\xff\xff\xff"

# nRF51 reference manual, "Non-volatile memory controller".
_CONFIG, _ERASE_PAGE = 0x4001E504, 0x4001E508
_READ_ONLY, _WRITE, _ERASE = 0, 1, 2


def read(qemu: Qemu) -> bytes:
    """All of the flash."""
    return qemu.memory(0, SIZE)


def write(qemu: Qemu, content: bytes) -> None:
    """Make the flash hold this; only the pages that differ are erased and written."""
    present = read(qemu)
    for start in range(0, SIZE, _PAGE):
        page = content[start : start + _PAGE]
        if page != present[start : start + _PAGE]:
            qemu.registers(_page_commands(start, page))


def _page_commands(start: int, page: bytes) -> list[str]:
    words = [(start + at, page[at : at + 4]) for at in range(0, _PAGE, 4)]
    return [
        f"writel {_CONFIG} {_ERASE}",
        f"writel {_ERASE_PAGE} {start}",
        f"writel {_CONFIG} {_WRITE}",
        *(
            f"writel {address} {int.from_bytes(word, 'little')}"
            for address, word in words
            if word != _ERASED
        ),
        f"writel {_CONFIG} {_READ_ONLY}",
    ]
