"""Results and flags of shifts, immediates, additions and logic, against their definitions."""

import itertools
from collections.abc import Callable

import pytest

from microbit_emulator import Microbit
from repl import EACH_BOARD
from thumb import execute, program

N, Z, C, V = 8, 4, 2, 1
WORD = 0xFFFF_FFFF
NUMBERS = 0, 1, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0x1234_5678, 0xFEDC_BA98
LSL, LSR, ASR, ROR = range(4)

Shift = Callable[[int], str]
"""The instruction that shifts, by an amount."""


def signed(number: int) -> int:
    return (number ^ 0x8000_0000) - 0x8000_0000


def shifted(kind: int, number: int, amount: int, carry: int) -> tuple[int, int]:
    """A word that is shifted or rotated, and the last bit that has left it."""
    if not amount:
        return number, carry
    if kind == LSL:
        return number << amount & WORD, number << amount >> 32 & 1
    if kind == ROR:
        rotated = (number << 32 | number) >> amount % 32 & WORD
        return rotated, rotated >> 31
    whole = signed(number) if kind == ASR else number
    return whole >> amount & WORD, whole >> amount - 1 & 1


def flags(result: int, carry: int, overflow: int) -> int:
    return N * (result >> 31) | Z * (not result) | C * carry | V * overflow


def loop(board: str) -> Microbit:
    return Microbit(board, program(0xE7FE))


def by_register(kind: int, wide: bool) -> str:
    """r0 by r1, to r0."""
    short = {LSL: "4088", LSR: "40C8", ASR: "4108", ROR: "41C8"}[kind]
    return f"{0xFA10 | kind << 5:04X} F001" if wide else short


def by_constant(kind: int, wide: bool, amount: int) -> str:
    """r0 by an amount from 1 on, to r0; 32 is encoded as 0."""
    bits = amount & 31
    wide_bits = bits >> 2 << 12 | (bits & 3) << 6 | kind << 4
    return f"EA5F {wide_bits:04X}" if wide else f"{kind << 11 | bits << 6:04X}"


@pytest.mark.parametrize("kind", [LSL, LSR, ASR, ROR], ids=["lsl", "lsr", "asr", "ror"])
@pytest.mark.parametrize(("board", "wide"), [("V1", False), ("V2", False), ("V2", True)])
def test_shift_by_a_register_or_a_constant(board: str, wide: bool, kind: int) -> None:
    """Only the lowest byte of the register counts."""
    micro = loop(board)
    for number in NUMBERS:
        for carry in (0, 1):
            cases = [
                (by_register(kind, wide), amount & 0xFF, amount)
                for amount in (0, 1, 2, 30, 31, 32, 33, 64, 255, 0x101)
            ]
            if wide or kind != ROR:
                highest = 31 if kind in (LSL, ROR) else 32
                amounts = (1, 2, 16, 30, highest)
                cases += [(by_constant(kind, wide, amount), amount, 0) for amount in amounts]
            for code, amount, register in cases:
                flags_after = execute(micro, code, {0: number, 1: register}, V | C * carry)
                result, last_bit = shifted(kind, number, amount, carry)
                expected = f"{result:08X}", flags(result, last_bit, 1)
                assert (f"{micro.debugger.core_register(0):08X}", flags_after) == expected, code


def test_rotation_by_one_through_the_carry() -> None:
    """rrx r0, r0"""
    micro = loop("V2")
    for number in NUMBERS:
        for carry in (0, 1):
            flags_after = execute(micro, "EA5F 0030", {0: number}, V | C * carry)
            result = carry << 31 | number >> 1
            assert micro.debugger.core_register(0) == result
            assert flags_after == flags(result, number & 1, 1)


def wide_constants() -> dict[int, tuple[int, int | None]]:
    """By the 12 bits of the instruction: the constant, and the carry if it is a rotation."""
    constants: dict[int, tuple[int, int | None]] = {}
    for byte in (0x00, 0x01, 0x55, 0x80, 0xFF):
        patterns = byte, byte << 16 | byte, byte << 24 | byte << 8, byte * 0x0101_0101
        constants |= {nth << 8 | byte: (word, None) for nth, word in enumerate(patterns)}
        for by in range(8, 32):
            constants[by << 7 | byte & 0x7F] = shifted(ROR, byte | 0x80, by, 0)
    return constants


@pytest.mark.parametrize("carry", [0, 1])
def test_constants_of_12_bits(carry: int) -> None:
    """movs.w r0, #constant: a byte in one of four patterns, or rotated with its upper bit set."""
    micro = loop("V2")
    for bits, (constant, last_bit) in wide_constants().items():
        code = f"{0xF05F | bits >> 11 << 10:04X} {(bits >> 8 & 7) << 12 | bits & 0xFF:04X}"
        flags_after = execute(micro, code, {}, V | C * carry)
        assert micro.debugger.core_register(0) == constant, code
        assert flags_after == flags(constant, carry if last_bit is None else last_bit, 1), code


def added(one: int, other: int, carry: int) -> tuple[int, int, int]:
    """A sum, its carry and its overflow."""
    total = one + other + carry
    result = total & WORD
    return result, total >> 32, signed(one) + signed(other) + carry != signed(result)


Sum = Callable[[int, int, int], tuple[int, int, int]]
SUMS: dict[str, tuple[Sum, bool, str, str]] = {
    "add": (lambda a, b, c: added(a, b, 0), True, "1840", "EB10 0001"),
    "sub": (lambda a, b, c: added(a, ~b & WORD, 1), True, "1A40", "EBB0 0001"),
    "adc": (added, True, "4148", "EB50 0001"),
    "sbc": (lambda a, b, c: added(a, ~b & WORD, c), True, "4188", "EB70 0001"),
    "cmp": (lambda a, b, c: added(a, ~b & WORD, 1), False, "4288", "EBB0 0F01"),
    "cmn": (lambda a, b, c: added(a, b, 0), False, "42C8", "EB10 0F01"),
    "rsb": (lambda a, b, c: added(~a & WORD, b, 1), True, "", "EBD0 0001"),
    "neg": (lambda a, b, c: added(~b & WORD, 0, 1), True, "4248", ""),
    "and": (lambda a, b, c: (a & b, c, 1), True, "4008", "EA10 0001"),
    "tst": (lambda a, b, c: (a & b, c, 1), False, "4208", "EA10 0F01"),
    "eor": (lambda a, b, c: (a ^ b, c, 1), True, "4048", "EA90 0001"),
    "teq": (lambda a, b, c: (a ^ b, c, 1), False, "", "EA90 0F01"),
    "orr": (lambda a, b, c: (a | b, c, 1), True, "4308", "EA50 0001"),
    "orn": (lambda a, b, c: (a | ~b & WORD, c, 1), True, "", "EA70 0001"),
    "bic": (lambda a, b, c: (a & ~b, c, 1), True, "4388", "EA30 0001"),
    "mvn": (lambda a, b, c: (~b & WORD, c, 1), True, "43C8", "EA7F 0001"),
    "mov": (lambda a, b, c: (b, c, 1), True, "", "EA5F 0001"),
    "mul": (lambda a, b, c: (a * b & WORD, c, 1), True, "4348", ""),
}
"""What is computed of r0, r1 and the carry; whether it goes to r0; how it is encoded."""


@pytest.mark.parametrize("name", SUMS)
@EACH_BOARD
def test_sums_and_logic(board: str, name: str) -> None:
    compute, is_stored, short, wide = SUMS[name]
    micro = loop(board)
    for code in filter(None, (short, wide if board == "V2" else "")):
        for one, other, carry in itertools.product(NUMBERS, NUMBERS, (0, 1)):
            flags_after = execute(micro, code, {0: one, 1: other}, V | C * carry)
            result, *carry_and_overflow = compute(one, other, carry)
            expected = result if is_stored else one
            assert f"{micro.debugger.core_register(0):08X}" == f"{expected:08X}", code
            assert flags_after == flags(result, *carry_and_overflow), code
