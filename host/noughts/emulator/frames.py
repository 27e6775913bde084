"""What the CPU stacks when it takes an exception, and takes back when it returns."""

from __future__ import annotations

import struct

from noughts.emulator.unicorn_core import Core
from noughts.emulator.unicorn_core import arm_const as arm

RAM = 0x2000_0000
_FRAME = struct.Struct("<8I")  # R0-R3, R12, LR, PC, XPSR
_FRAME_BYTES, _FP_FRAME_BYTES = 32, 104
_XPSR_ALIGNED = 1 << 9
_FPCA, _SPSEL = 1 << 2, 1 << 1  # in CONTROL
_RETURN_TO_HANDLER, _RETURN_TO_THREAD, _NO_FP_FRAME = 0xFFFF_FFF1, 0xFFFF_FFF9, 1 << 4


class Frames:
    """Exception frames on the main stack, with room for the floating-point registers where the
    interrupted code used them. These are kept here, and put back only if the handler used them."""

    def __init__(self, core: Core, ram: memoryview, has_fpu: bool) -> None:
        self._ram = ram
        control = (arm.UC_ARM_REG_CONTROL,) if has_fpu else ()
        self._frame = core.registers(
            arm.UC_ARM_REG_XPSR,
            arm.UC_ARM_REG_SP,
            *range(arm.UC_ARM_REG_R0, arm.UC_ARM_REG_R0 + 4),
            arm.UC_ARM_REG_R12,
            arm.UC_ARM_REG_LR,
            *control,
        )
        self._entered = core.registers(
            arm.UC_ARM_REG_SP, arm.UC_ARM_REG_IPSR, arm.UC_ARM_REG_LR, *control
        )
        self._sp = core.registers(arm.UC_ARM_REG_SP, *control)
        self._fp = core.registers(*range(arm.UC_ARM_REG_D0, arm.UC_ARM_REG_D0 + 8), wide=True)
        self._fpscr = core.registers(arm.UC_ARM_REG_FPSCR)
        self._fp_saved: list[tuple[list[int], list[int]]] = []

    def clear(self) -> None:
        """There are none: the chip was reset."""
        self._fp_saved.clear()

    def push(self, pc: int, exception: int, in_handler: bool) -> None:
        """Stack the registers of what is interrupted at `pc`, and enter the exception."""
        xpsr, sp, r0, r1, r2, r3, r12, lr, *control = self._frame.get()
        has_fp_frame = bool(control and control[0] & _FPCA)
        sp -= _FP_FRAME_BYTES if has_fp_frame else _FRAME_BYTES
        xpsr &= ~_XPSR_ALIGNED
        if sp & 4:
            sp -= 4
            xpsr |= _XPSR_ALIGNED
        _FRAME.pack_into(self._ram, sp - RAM, r0, r1, r2, r3, r12, lr, pc, xpsr)
        link = _RETURN_TO_HANDLER if in_handler else _RETURN_TO_THREAD
        if has_fp_frame:
            link &= ~_NO_FP_FRAME
            self._fp_saved.append((self._fp.get(), self._fpscr.get()))
        if control:
            self._entered.set(sp, exception, link, control[0] & ~(_FPCA | _SPSEL))
        else:
            self._entered.set(sp, exception, link)

    def pop(self, link: int) -> int:
        """Take the registers back; returns where to go on. `link` is EXC_RETURN."""
        sp, *control = self._sp.get()
        r0, r1, r2, r3, r12, lr, pc, xpsr = _FRAME.unpack_from(self._ram, sp - RAM)
        has_fp_frame = not link & _NO_FP_FRAME
        if has_fp_frame:
            registers, fpscr = self._fp_saved.pop()
            if control[0] & _FPCA:  # the handler used them
                self._fp.set(*registers)
                self._fpscr.set(*fpscr)
        sp += _FP_FRAME_BYTES if has_fp_frame else _FRAME_BYTES
        if xpsr & _XPSR_ALIGNED:
            sp += 4
        values = (xpsr & ~_XPSR_ALIGNED, sp, r0, r1, r2, r3, r12, lr)
        if control:
            fpca = _FPCA if has_fp_frame else 0
            self._frame.set(*values, control[0] & ~(_FPCA | _SPSEL) | fpca)
        else:
            self._frame.set(*values)
        return int(pc) & ~1
