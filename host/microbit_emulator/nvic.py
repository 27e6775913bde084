"""The interrupt controller."""

from __future__ import annotations

from collections.abc import Callable

from microbit_emulator.timeline import Timeline

SVCALL, PENDSV = 11, 14
FIRST_IRQ = 16
"""Exception numbers from here on are interrupts."""
IDLE_PRIORITY = 256


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
        if irq is not None:
            self.lines &= ~(1 << irq)

    def set_pending(self, irqs: int) -> None:
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
        self.enabled &= ~irqs

    def clear_pending(self, irqs: int) -> None:
        """Clear pending interrupts, a bit each, except those whose line is still high."""
        self.pending = self.pending & ~irqs | self.lines & irqs

    def set_system_pending(self, exception: int) -> None:
        self.pending_system.add(exception)
        self._time.halt()

    def priority_of(self, exception: int) -> int:
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
