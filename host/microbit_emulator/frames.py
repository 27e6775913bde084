"""What the CPU stacks when it takes an exception, and takes back when it returns."""

from __future__ import annotations

import struct

from microbit_emulator.unicorn_core import THUMB, Core
from microbit_emulator.unicorn_core import arm_const as arm

RAM = 0x2000_0000
_FRAME = struct.Struct("<8I")  # R0-R3, R12, LR, PC, XPSR
_FRAME_BYTES, _FP_FRAME_BYTES = 32, 104
_XPSR_ALIGNED = 1 << 9
_FPCA, _SPSEL = 1 << 2, 1 << 1  # in CONTROL
_RETURN_TO_HANDLER, _RETURN_TO_THREAD, _NO_FP_FRAME = 0xFFFF_FFF1, 0xFFFF_FFF9, 1 << 4


class Frames:
    """Exception frames on the main stack.

    A frame has room for the floating-point registers where the interrupted code used them. Their
    values are kept here, and put back only if the handler used them.
    """

    def __init__(self, core: Core, ram: memoryview, has_fpu: bool) -> None:
        self._ram = ram
        self._thread_bits = _FPCA | _SPSEL if has_fpu else 0
        """The bits of CONTROL that an exception clears."""
        sp, lr, control = arm.UC_ARM_REG_SP, arm.UC_ARM_REG_LR, arm.UC_ARM_REG_CONTROL
        low = range(arm.UC_ARM_REG_R0, arm.UC_ARM_REG_R0 + 4)
        frame = arm.UC_ARM_REG_XPSR, sp, *low, arm.UC_ARM_REG_R12, lr
        masks = arm.UC_ARM_REG_PRIMASK, arm.UC_ARM_REG_BASEPRI
        entered = sp, arm.UC_ARM_REG_IPSR, lr
        self._interrupted = core.registers(*frame, *masks, control)
        self._entered = core.registers(*entered)
        self._entered_control = core.registers(*entered, control)
        self._returning = core.registers(sp, arm.UC_ARM_REG_PC, control)
        self._returned = core.registers(*frame, arm.UC_ARM_REG_PC)
        self._returned_control = core.registers(*frame, control, arm.UC_ARM_REG_PC)
        double = range(arm.UC_ARM_REG_D0, arm.UC_ARM_REG_D0 + 8)
        self._fp = core.registers(*double, arm.UC_ARM_REG_FPSCR)
        self._fp_saved: list[tuple[int, ...]] = []

    def clear(self) -> None:
        self._fp_saved.clear()

    def look(self) -> tuple[int, ...]:
        """The registers of what is to be interrupted, for `masks` and `push`."""
        return self._interrupted.get()

    @staticmethod
    def masks(registers: tuple[int, ...]) -> tuple[int, int]:
        """PRIMASK and BASEPRI, from the registers that `look` gave."""
        return registers[8], registers[9]

    def push(self, registers: tuple[int, ...], pc: int, exception: int, in_handler: bool) -> None:
        """Stack the registers of what is interrupted at `pc`, and enter the exception."""
        xpsr, sp, r0, r1, r2, r3, r12, lr, _, _, control = registers
        in_thread = control & self._thread_bits
        has_fp_frame = in_thread & _FPCA
        sp -= _FP_FRAME_BYTES if has_fp_frame else _FRAME_BYTES
        xpsr &= ~_XPSR_ALIGNED
        if sp & 4:
            sp -= 4
            xpsr |= _XPSR_ALIGNED
        _FRAME.pack_into(self._ram, sp - RAM, r0, r1, r2, r3, r12, lr, pc, xpsr)
        link = _RETURN_TO_HANDLER if in_handler else _RETURN_TO_THREAD
        if has_fp_frame:
            link &= ~_NO_FP_FRAME
            self._fp_saved.append(self._fp.get())
        if in_thread:
            self._entered_control.set(sp, exception, link, control ^ in_thread)
        else:
            self._entered.set(sp, exception, link)

    def pop(self) -> None:
        """Take the registers back, at an exception return: PC holds what was jumped to."""
        sp, link, control = self._returning.get()
        r0, r1, r2, r3, r12, lr, pc, xpsr = _FRAME.unpack_from(self._ram, sp - RAM)
        has_fp_frame = not link & _NO_FP_FRAME
        if has_fp_frame:
            saved = self._fp_saved.pop()
            if control & _FPCA:  # the handler used them
                self._fp.set(*saved)
        sp += _FP_FRAME_BYTES if has_fp_frame else _FRAME_BYTES
        if xpsr & _XPSR_ALIGNED:
            sp += 4
        xpsr &= ~_XPSR_ALIGNED
        pc |= THUMB
        in_thread = control & self._thread_bits
        if in_thread != (_FPCA if has_fp_frame else 0):
            control ^= in_thread ^ (_FPCA if has_fp_frame else 0)
            self._returned_control.set(xpsr, sp, r0, r1, r2, r3, r12, lr, control, pc)
        else:
            self._returned.set(xpsr, sp, r0, r1, r2, r3, r12, lr, pc)
