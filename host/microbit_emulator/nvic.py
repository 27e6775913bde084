"""Interrupts and other exceptions: which comes first, and what the CPU stacks for it."""

from __future__ import annotations

import struct
from collections.abc import Callable

from microbit_emulator.unicorn_core import THUMB, Core, Registers
from microbit_emulator.unicorn_core import arm_const as arm

SVCALL = 11
FIRST_IRQ = 16
"""Exception numbers from here on are interrupts."""
IDLE_PRIORITY = 256

RAM = 0x2000_0000
_FRAME = struct.Struct("<8I")  # R0-R3, R12, LR, PC, XPSR
_FRAME_BYTES, _FP_FRAME_BYTES = 32, 104
_XPSR_ALIGNED = 1 << 9
_FPCA, _SPSEL = 1 << 2, 1 << 1  # in CONTROL
_RETURN_TO_HANDLER, _RETURN_TO_THREAD, _NO_FP_FRAME = 0xFFFF_FFF1, 0xFFFF_FFF9, 1 << 4


class Nvic:
    """Which interrupts are enabled, pending and active. Sets of interrupts are bits of an int."""

    def __init__(self, halt: Callable[[], object]) -> None:
        self._halt = halt
        self.enabled = self.pending = self.lines = 0
        self.priorities = bytearray(256)
        """By exception number."""
        self.active: list[int] = []
        self.priority = IDLE_PRIORITY
        """Of what runs now; lower is more urgent."""
        self._outer: list[int] = []
        self.muted = 0
        """Disabled interrupts whose peripherals have been told that nobody listens."""
        self.unmute: dict[int, Callable[[], object]] = {}

    def raise_line(self, irq: int) -> None:
        """Raise a peripheral's interrupt line, which makes it pending."""
        if not self.lines >> irq & 1:
            self.lines |= 1 << irq
            self.set_pending(1 << irq)

    def lower_line(self, irq: int) -> None:
        self.lines &= ~(1 << irq)

    def set_pending(self, irqs: int) -> None:
        self.pending |= irqs
        if irqs & self.enabled:
            self._halt()

    def enable(self, irqs: int) -> None:
        """Enable interrupts; peripherals that were muted catch up first."""
        self.enabled |= irqs
        muted = irqs & self.muted
        if muted:
            self.muted &= ~muted
            for irq, unmute in self.unmute.items():
                if muted >> irq & 1:
                    unmute()
        if self.pending & irqs:
            self._halt()

    def disable(self, irqs: int) -> None:
        self.enabled &= ~irqs

    def clear_pending(self, irqs: int) -> None:
        """Clear pending interrupts, except those whose line is still high."""
        self.pending = self.pending & ~irqs | self.lines & irqs

    def most_urgent(self) -> tuple[int, int]:
        """The priority and the exception number of the pending interrupt that comes first."""
        best = IDLE_PRIORITY, 0
        waiting = self.pending & self.enabled
        while waiting:
            exception = FIRST_IRQ + (waiting & -waiting).bit_length() - 1
            best = min(best, (self.priorities[exception], exception))
            waiting &= waiting - 1
        return best

    def enter(self, exception: int) -> None:
        """Make an exception active, and no longer pending; its priority masks less urgent ones."""
        self.active.append(exception)
        self._outer.append(self.priority)
        self.priority = min(self.priority, self.priorities[exception])
        if exception >= FIRST_IRQ:
            self.pending &= ~(1 << exception - FIRST_IRQ)

    def leave(self) -> None:
        """End the innermost exception; it is pending again if its line is still high."""
        exception = self.active.pop()
        self.priority = self._outer.pop()
        if exception >= FIRST_IRQ:
            self.pending |= self.lines & 1 << exception - FIRST_IRQ


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
        self._interrupted = Registers(core, *frame, *masks, control)
        self._entered = Registers(core, *entered)
        self._entered_control = Registers(core, *entered, control)
        self._returning = Registers(core, sp, arm.UC_ARM_REG_PC, control)
        self._returned = Registers(core, *frame, arm.UC_ARM_REG_PC)
        self._returned_control = Registers(core, *frame, control, arm.UC_ARM_REG_PC)
        double = range(arm.UC_ARM_REG_D0, arm.UC_ARM_REG_D0 + 8)
        self._fp = Registers(core, *double, arm.UC_ARM_REG_FPSCR)
        self.fp_saved: list[tuple[int, ...]] = []

    def look(self) -> tuple[int, ...]:
        """The registers of what is to be interrupted: from the 8th on PRIMASK, BASEPRI, CONTROL."""
        return self._interrupted.get()

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
            self.fp_saved.append(self._fp.get())
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
            saved = self.fp_saved.pop()
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
