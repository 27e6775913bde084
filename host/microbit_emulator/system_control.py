"""The page of registers that the interrupt controller shares with the system control block."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from microbit_emulator.nvic import FIRST_IRQ, PENDSV
from microbit_emulator.peripheral import Host, Peripheral
from microbit_emulator.unicorn_core import Read, Write

NVIC_ISER, NVIC_ICER, NVIC_ISPR, NVIC_ICPR, NVIC_IABR = 0x100, 0x180, 0x200, 0x280, 0x300
NVIC_IPR, NVIC_IPR_END = 0x400, 0x500
CPUID, ICSR, VTOR, AIRCR = 0xD00, 0xD04, 0xD08, 0xD0C
SCR, CCR, SHPR, SHPR_END, SHCSR, CPACR, DEMCR = 0xD10, 0xD14, 0xD18, 0xD24, 0xD24, 0xD88, 0xDFC
FPCCR, FPCAR, FPDSCR = 0xF34, 0xF38, 0xF3C
MPU_TYPE, MPU_CTRL, MPU_RNR, MPU_RBAR, MPU_RASR = 0xD90, 0xD94, 0xD98, 0xD9C, 0xDA0
_PENDSVSET, _PENDSVCLR, _ISRPENDING = 1 << 28, 1 << 27, 1 << 22
_VECTKEY, _SYSRESETREQ = 0x05FA, 1 << 2
_WORD = 0xFFFF_FFFF


class SystemControl(Peripheral):
    """NVIC, reset, vector table, PendSV. Not modelled: SysTick, faults, sleep on exit, the MPU."""

    def __init__(self, chip: Host, cpuid: int, irqs: int, reset: Callable[[], object]) -> None:
        settings = SCR, CCR, SHCSR, CPACR, DEMCR, FPCCR, FPCAR, FPDSCR
        mpu = MPU_TYPE, MPU_CTRL, MPU_RNR, MPU_RBAR, MPU_RASR
        self._reset = reset
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
            self._reset()


def _shifted(action: Callable[[int], object], shift: int, value: int) -> None:
    action(value << shift)
