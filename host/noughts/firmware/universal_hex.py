"""Universal Hex: one file with the flash of several kinds of micro:bit.

The emulator's `firmware` module reads hexes; universal-hex writes them.
"""

from __future__ import annotations

import io
from collections.abc import Mapping

import intelhex
from universal_hex import BoardId, IndividualHex, create_uhex

from microbit_emulator import firmware
from microbit_emulator.errors import HexError
from microbit_emulator.firmware import V1, V2
from noughts.errors import FirmwareError

_WRITTEN_ID = {V1: BoardId.V1, V2: BoardId.V2}


def split(text: str, name: str) -> dict[str, intelhex.IntelHex]:
    """What a hex file holds, by board: `V1` and `V2`, or `""` for a plain hex that does not say.

    `name` is for messages. Raises `FirmwareError` for what is no hex, is damaged or cut short.
    """
    try:
        sections = firmware.split(text, name)
    except HexError as error:
        raise FirmwareError(str(error)) from error
    return {board: firmware.intel_hex(chunks) for board, chunks in sections.items()}


def join(memories: Mapping[str, intelhex.IntelHex]) -> str:
    """One Universal Hex, its lines ended by LF, from the memory of each board."""
    hexes = [IndividualHex(_text(memory), _WRITTEN_ID[board]) for board, memory in memories.items()]
    text: str = create_uhex(hexes)
    return text


def _text(memory: intelhex.IntelHex) -> str:
    text = io.StringIO()
    memory.write_hex_file(text)
    return text.getvalue()
