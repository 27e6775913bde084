"""Small programs for the processor: memory with Thumb instructions and words."""

from collections.abc import Mapping

from microbit_emulator import Microbit
from microbit_emulator.debugger import XPSR

RAM, PC, THUMB = 0x2000_0000, 15, 1 << 24


def program(*halfwords: int) -> dict[int, int]:
    """Memory with a stack at 0x20001000 and these instructions at the start, from address 8."""
    code = b"".join(halfword.to_bytes(2, "little") for halfword in halfwords)
    return dict(enumerate(bytes.fromhex("0010002009000000") + code))


def in_words(words: dict[int, int]) -> dict[int, int]:
    """Memory with these words at these addresses."""
    places = (enumerate(word.to_bytes(4, "little"), at) for at, word in words.items())
    return dict(byte for place in places for byte in place)


def in_order(code: str, at: int) -> dict[int, int]:
    """Memory with instructions from an address on; the halves of a long one stand in order."""
    return dict(enumerate(b"".join(bytes.fromhex(half)[::-1] for half in code.split()), at))


def linked(code: str, literals_at: int, *literals: int, handler: int = 0x100) -> dict[int, int]:
    """Memory with instructions at 0x100, words after them, and a handler of interrupt 20."""
    words = {0: 0x2000_1000, 4: 0x101, 0x90: handler | 1}
    words |= {literals_at + 4 * at: word for at, word in enumerate(literals)}
    return dict.fromkeys(range(0x100), 0) | in_words(words) | in_order(code, 0x100)


def execute(board: Microbit, code: str, registers: Mapping[int, int], nzcv: int = 0) -> int:
    """Let a board execute one instruction with these registers and flags. Returns its flags."""
    instruction = bytes(in_order(code, 0).values()).ljust(4, b"\0")
    board.debugger.write_memory(RAM, instruction)
    for number, value in {**registers, XPSR: nzcv << 28 | THUMB, PC: RAM}.items():
        board.debugger.set_core_register(number, value)
    board.run_for(1 / {"V1": 16, "V2": 64}[board.board])
    return board.debugger.core_register(XPSR) >> 28
