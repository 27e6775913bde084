"""The interrupt controller, and the page of registers it shares with the system control block."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from microbit_emulator.peripheral import Peripheral
from microbit_emulator.unicorn_core import Read, Write

if TYPE_CHECKING:
    from microbit_emulator.chip import Chip
    from microbit_emulator.timeline import Timeline

SVCALL, PENDSV = 11, 14
FIRST_IRQ = 16
"""Exception numbers from here on are interrupts."""
IDLE_PRIORITY = 256

NVIC_ISER, NVIC_ICER, NVIC_ISPR, NVIC_ICPR, NVIC_IABR = 0x100, 0x180, 0x200, 0x280, 0x300
NVIC_IPR, NVIC_IPR_END = 0x400, 0x500
CPUID, ICSR, VTOR, AIRCR = 0xD00, 0xD04, 0xD08, 0xD0C
SCR, CCR, SHPR, SHPR_END, SHCSR, CPACR, DEMCR = 0xD10, 0xD14, 0xD18, 0xD24, 0xD24, 0xD88, 0xDFC
FPCCR, FPCAR, FPDSCR = 0xF34, 0xF38, 0xF3C
MPU_TYPE, MPU_CTRL, MPU_RNR, MPU_RBAR, MPU_RASR = 0xD90, 0xD94, 0xD98, 0xD9C, 0xDA0
_PENDSVSET, _PENDSVCLR, _ISRPENDING = 1 << 28, 1 << 27, 1 << 22
_VECTKEY, _SYSRESETREQ = 0x05FA, 1 << 2
_WORD = 0xFFFF_FFFF


class Nvic:
    """Which interrupts are enabled, pending and active. Sets of interrupts are bits of an int."""

    def __init__(self, time: Timeline) -> None:
        self._time = time
        self.enabled = self.pending = self.lines = 0
        self.pending_system: set[int] = set()
        """SVCall and PendSV are kept apart, as exception numbers."""
        self.priorities = bytearray(256)
        self.system_priorities = bytearray(FIRST_IRQ)
        self.active: list[int] = []
        self.priority = IDLE_PRIORITY
        """Of what runs now; lower is more urgent."""
        self._outer: list[int] = []
        self.muted = 0
        """Disabled interrupts whose peripherals have been told that nobody listens."""
        self.unmute: dict[int, Callable[[], object]] = {}

    def raise_line(self, irq: int | None) -> None:
        """Raise a peripheral's interrupt line, which makes it pending; None stands for no line."""
        if irq is not None and not self.lines >> irq & 1:
            self.lines |= 1 << irq
            self.set_pending(1 << irq)

    def lower_line(self, irq: int | None) -> None:
        """Lower a peripheral's interrupt line; an interrupt that is pending stays so."""
        if irq is not None:
            self.lines &= ~(1 << irq)

    def set_pending(self, irqs: int) -> None:
        """Make interrupts pending, a bit each; enabled ones end the slice."""
        self.pending |= irqs
        if irqs & self.enabled:
            self._time.halt()

    def enable(self, irqs: int) -> None:
        """Enable interrupts, a bit each; peripherals that were muted catch up first."""
        self.enabled |= irqs
        muted = irqs & self.muted
        if muted:
            self.muted &= ~muted
            for irq, unmute in self.unmute.items():
                if muted >> irq & 1:
                    unmute()
        if self.pending & irqs:
            self._time.halt()

    def disable(self, irqs: int) -> None:
        """Disable interrupts, a bit each."""
        self.enabled &= ~irqs

    def clear_pending(self, irqs: int) -> None:
        """Clear pending interrupts, a bit each, except those whose line is still high."""
        self.pending = self.pending & ~irqs | self.lines & irqs

    def set_system_pending(self, exception: int) -> None:
        """Make a system exception pending, by its number, and end the slice."""
        self.pending_system.add(exception)
        self._time.halt()

    def priority_of(self, exception: int) -> int:
        """The priority of an exception, by its number: a lower value is more urgent."""
        if exception >= FIRST_IRQ:
            return self.priorities[exception - FIRST_IRQ]
        return self.system_priorities[exception]

    def most_urgent(self) -> tuple[int, int]:
        """The priority and the number of the pending exception that comes first."""
        best = IDLE_PRIORITY, 0
        waiting = self.pending & self.enabled
        while waiting:
            lowest = waiting & -waiting
            waiting ^= lowest
            irq = lowest.bit_length() - 1
            if self.priorities[irq] < best[0]:
                best = self.priorities[irq], FIRST_IRQ + irq
        for exception in self.pending_system:
            best = min(best, (self.system_priorities[exception], exception))
        return best

    def enter(self, exception: int) -> None:
        """Make an exception active, and no longer pending; its priority masks less urgent ones."""
        self.active.append(exception)
        self._outer.append(self.priority)
        self.priority = min(self.priority, self.priority_of(exception))
        if exception >= FIRST_IRQ:
            self.pending &= ~(1 << exception - FIRST_IRQ)
        else:
            self.pending_system.discard(exception)

    def leave(self) -> None:
        """End the innermost exception; it is pending again if its line is still high."""
        exception = self.active.pop()
        self.priority = self._outer.pop()
        if exception >= FIRST_IRQ:
            self.pending |= self.lines & 1 << exception - FIRST_IRQ


class SystemControl(Peripheral):
    """NVIC, reset, vector table, PendSV. Not modelled: SysTick, faults, sleep on exit, the MPU."""

    def __init__(self, chip: Chip, cpuid: int, irqs: int) -> None:
        settings = SCR, CCR, SHCSR, CPACR, DEMCR, FPCCR, FPCAR, FPDSCR
        mpu = MPU_TYPE, MPU_CTRL, MPU_RNR, MPU_RBAR, MPU_RASR
        super().__init__(chip, 0xE000_E000, settings=(*settings, *mpu))
        self.values |= {CPUID: cpuid, AIRCR: 0xFA05_0000}
        nvic = self.nvic
        for word in range(irqs // 32):
            at, shift = 4 * word, 32 * word
            for register in (NVIC_ISER, NVIC_ICER):
                self.reads[register + at] = partial(self._enabled, shift)
            for register in (NVIC_ISPR, NVIC_ICPR):
                self.reads[register + at] = partial(self._pending, shift)
            self.reads[NVIC_IABR + at] = partial(self._active, shift)
            for register, action in (
                (NVIC_ISER, nvic.enable),
                (NVIC_ICER, nvic.disable),
                (NVIC_ISPR, nvic.set_pending),
                (NVIC_ICPR, nvic.clear_pending),
            ):
                self.writes[register + at] = partial(_shifted, action, shift)
        self.reads |= {ICSR: self._icsr, VTOR: lambda: self.cpu.vector_table}
        self.writes |= {ICSR: self._set_icsr, VTOR: self._set_vtor, AIRCR: self._set_aircr}

    def callbacks(self) -> tuple[Read, Write]:
        """Priorities are bytes; enabling and disabling is what firmware does most."""
        read_other, write_other = super().callbacks()
        nvic = self.nvic

        def read(_: int, offset: int) -> int:
            if offset == NVIC_ISER:
                return nvic.enabled & _WORD
            priorities = self._priorities(offset)
            if priorities is not None:
                at = offset & 0xFF if offset < CPUID else offset - SHPR + 4
                return int.from_bytes(priorities[at : at + 4], "little")
            return read_other(_, offset)

        def write(_: int, offset: int, size: int, value: int) -> None:
            if offset == NVIC_ICER:
                nvic.enabled &= ~value
                return
            if offset == NVIC_ISER and not value & (nvic.muted | nvic.pending):
                nvic.enabled |= value
                return
            priorities = self._priorities(offset)
            if priorities is not None:
                at = offset & 0xFF if offset < CPUID else offset - SHPR + 4
                priorities[at : at + size] = value.to_bytes(size, "little")
                return
            write_other(_, offset, size, value)

        return read, write

    def _priorities(self, offset: int) -> bytearray | None:
        if NVIC_IPR <= offset < NVIC_IPR_END:
            return self.nvic.priorities
        if SHPR <= offset < SHPR_END:
            return self.nvic.system_priorities
        return None

    def _enabled(self, shift: int) -> int:
        return self.nvic.enabled >> shift & _WORD

    def _pending(self, shift: int) -> int:
        return self.nvic.pending >> shift & _WORD

    def _active(self, shift: int) -> int:
        active = (exception - FIRST_IRQ for exception in self.nvic.active)
        return sum(1 << irq for irq in set(active) if irq >= 0) >> shift & _WORD

    def _icsr(self) -> int:
        nvic = self.nvic
        value = nvic.active[-1] if nvic.active else 0
        if PENDSV in nvic.pending_system:
            value |= _PENDSVSET
        if nvic.pending & nvic.enabled:
            value |= _ISRPENDING
        return value

    def _set_icsr(self, value: int) -> None:
        if value & _PENDSVSET:
            self.nvic.set_system_pending(PENDSV)
        if value & _PENDSVCLR:
            self.nvic.pending_system.discard(PENDSV)

    def _set_vtor(self, value: int) -> None:
        self.cpu.vector_table = value & ~0x7F

    def _set_aircr(self, value: int) -> None:
        if value >> 16 == _VECTKEY and value & _SYSRESETREQ:
            self.chip.request_reset()


def _shifted(action: Callable[[int], object], shift: int, value: int) -> None:
    action(value << shift)
