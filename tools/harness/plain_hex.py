"""Memory as a plain Intel Hex, written by intelhex."""

import io
from collections.abc import Mapping

import intelhex


def intel_hex(chunks: Mapping[int, bytes]) -> intelhex.IntelHex:
    """These bytes at their addresses."""
    memory = intelhex.IntelHex()
    for at, data in chunks.items():
        memory.frombytes(data, at)
    return memory


def plain_hex(memory: intelhex.IntelHex, record_size: int = 16) -> str:
    """Its text, with up to so many bytes of data in a record."""
    text = io.StringIO()
    memory.write_hex_file(text, byte_count=record_size)
    return text.getvalue()
