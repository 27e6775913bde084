"""The CPU in device time: slices of instructions between events, interrupts, exceptions, sleep.

Device time counts CPU cycles, one for each instruction. The CPU runs in slices: up to the next
event on the timeline, or until a register access asks it to stop. It does not matter where in a
slice a run ends, so a run can be cut into steps of any size.

Unicorn executes the instructions, except for these, which are done here: exceptions and returns
from them (frames on the main stack, with room for the floating-point registers), WFI and WFE. Not
modelled: the process stack, tail-chaining, faults (they end the run), and the time that an
exception, a taken branch or a multiplication takes beyond one cycle.
"""

import heapq
import struct
from collections.abc import Callable

from microbit_emulator.errors import CpuFaultError, UnmodelledError
from microbit_emulator.unicorn_core import INTERRUPT, THUMB, Core, Registers, Tlb, unicorn
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

NEVER = 1 << 62
"""A time, in cycles since power-on."""

_MASK_LOOK = 48
"""While interrupts are masked and one is pending, the mask is checked at multiples of this many
cycles, because Unicorn cannot call back when it changes."""

_WFE, _WFI = 0xBF20, 0xBF30
_INTR_SVC, _INTR_EXCEPTION_RETURN = 2, 8


class Nvic:
    """Which interrupts are enabled, pending and active. Sets of interrupts are bits of an int."""

    def __init__(self, halt: Callable[[], object]) -> None:
        self._halt = halt
        self.enabled = self.pending = self.lines = 0
        self.priorities = bytearray(256)
        """By exception number."""
        self.active: list[int] = []
        self.priority = IDLE_PRIORITY
        """Of the running code; lower is more urgent."""
        self._outer: list[int] = []
        self.muted = 0
        """Disabled interrupts whose peripherals know that nobody listens."""
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
        """The priority and the exception number of the most urgent pending interrupt."""
        best = IDLE_PRIORITY, 0
        waiting = self.pending & self.enabled
        while waiting:
            exception = FIRST_IRQ + (waiting & -waiting).bit_length() - 1
            best = min(best, (self.priorities[exception], exception))
            waiting &= waiting - 1
        return best

    def enter(self, exception: int) -> None:
        """Make a pending exception active; its priority masks less urgent ones."""
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

    A frame has room for the floating-point registers if the interrupted code used them. Their
    values are stored here, and restored only if the handler used them.
    """

    def __init__(self, core: Core, ram: memoryview, has_fpu: bool) -> None:
        self._ram = ram
        self._thread_bits = _FPCA | _SPSEL if has_fpu else 0
        """The bits of CONTROL that an exception clears."""
        sp, lr, control = arm.UC_ARM_REG_SP, arm.UC_ARM_REG_LR, arm.UC_ARM_REG_CONTROL
        low = range(arm.UC_ARM_REG_R0, arm.UC_ARM_REG_R0 + 4)
        frame = arm.UC_ARM_REG_XPSR, sp, *low, arm.UC_ARM_REG_R12, lr
        masks = arm.UC_ARM_REG_PRIMASK, arm.UC_ARM_REG_BASEPRI
        self._interrupted = Registers(core, *frame, *masks, control)
        self._entered = Registers(core, sp, arm.UC_ARM_REG_IPSR, lr, control)
        self._returning = Registers(core, sp, arm.UC_ARM_REG_PC, control)
        self._returned = Registers(core, *frame, control, arm.UC_ARM_REG_PC)
        double = range(arm.UC_ARM_REG_D0, arm.UC_ARM_REG_D0 + 8)
        self._fp = Registers(core, *double, arm.UC_ARM_REG_FPSCR)
        self.fp_saved: list[tuple[int, ...]] = []

    def look(self) -> tuple[int, ...]:
        """The registers of the code to interrupt; from the 8th on PRIMASK, BASEPRI, CONTROL."""
        return self._interrupted.get()

    def push(self, registers: tuple[int, ...], pc: int, exception: int, in_handler: bool) -> None:
        """Stack the registers of the code that is interrupted at `pc`, and enter the exception."""
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
        self._entered.set(sp, exception, link, control ^ in_thread)

    def pop(self) -> None:
        """Restore the registers at an exception return; PC holds the jump's target."""
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
        xpsr, pc = xpsr & ~_XPSR_ALIGNED, pc | THUMB
        control = control & ~self._thread_bits | (_FPCA if has_fp_frame else 0)
        self._returned.set(xpsr, sp, r0, r1, r2, r3, r12, lr, control, pc)


class Device:
    """Something that acts at times: `fire` is called at `due`, which is NEVER by then."""

    def __init__(self, fire: Callable[[], object]) -> None:
        self.due = NEVER
        self.fire = fire


class Cpu:
    """An ARM core, its interrupt controller, its time, and a queue of devices by when they act.

    `now()` is exact in the middle of a run too: `base` is the time at which the run began,
    `counter[0]` the instructions since (0 between runs), `limit[0]` those until it stops.
    """

    def __init__(self, core: Core, ram: memoryview, has_fpu: bool) -> None:
        self.core, self.ram = core, ram
        self.base, self.counter, self.limit = 0, core.counter, core.limit
        self._queue: list[tuple[int, int, Device]] = []
        self._order, self._input_order = 0, -NEVER
        self.code = memoryview(b"")
        """The flash memory, once it exists."""
        self.instructions = 0
        self.after_slice: Callable[[], object] | None = None
        """Called once at the end of the current slice."""
        self._frames = Frames(core, ram, has_fpu)
        self._pc = Registers(core, arm.UC_ARM_REG_PC)
        core.hook(unicorn.UC_HOOK_INTR, INTERRUPT(self._on_interrupt))
        unmapped = unicorn.UC_HOOK_MEM_UNMAPPED | unicorn.UC_HOOK_MEM_FETCH_PROT
        for begin, end in (0, RAM - 1), (RAM + len(ram), 0xFFFF_FFFF):
            core.uc.hook_add(unmapped, self._on_unmapped, begin=begin, end=end)
        self.tlb = Tlb(core, range(RAM, RAM + len(ram)), self.fail)

    def reset(self) -> None:
        self.nvic = Nvic(self.halt)
        self.pc = 0
        self.vector_table = 0
        self.stalled = False
        """The CPU waits for flash; the code that sets this clears it in an event."""
        self.polling = False
        """The firmware only waits for a register to change, so skip to the next event."""
        self._asleep = False
        self._event_register = True
        self._look_at_mask = 0
        self._error: BaseException | None = None
        self._svc = False
        self._frames.fp_saved.clear()
        self.limit[0] = self.counter[0] = 0
        self._queue = [entry for entry in self._queue if entry[1] < 0]  # inputs from outside
        heapq.heapify(self._queue)
        uc, general = self.core.uc, range(arm.UC_ARM_REG_R0, arm.UC_ARM_REG_R0 + 13)
        masks = arm.UC_ARM_REG_PRIMASK, arm.UC_ARM_REG_BASEPRI, arm.UC_ARM_REG_FAULTMASK
        for register in (*general, *masks, arm.UC_ARM_REG_CONTROL, arm.UC_ARM_REG_IPSR):
            uc.reg_write(register, 0)
        sp, pc = struct.unpack("<II", self.read(0, 8))
        uc.reg_write(arm.UC_ARM_REG_MSP, sp)
        uc.reg_write(arm.UC_ARM_REG_SP, sp)
        uc.reg_write(arm.UC_ARM_REG_LR, 0xFFFF_FFFF)
        self.pc = pc & ~1

    def read(self, at: int, size: int) -> bytes:
        memory, at = (self.ram, at - RAM) if at >= RAM else (self.code, at)
        return bytes(memory[at : at + size])

    def write(self, at: int, data: bytes) -> None:
        self.ram[at - RAM : at - RAM + len(data)] = data

    # Time, and what is to happen when.

    def now(self) -> int:
        return self.base + int(self.counter[0])

    def schedule(self, device: Device, due: int) -> None:
        """Let a device act at a time, which replaces its earlier one."""
        if due == device.due:
            return
        device.due = due
        if due < NEVER:
            self._order += 1
            heapq.heappush(self._queue, (due, self._order, device))
            if due - self.base < self.limit[0]:
                self.limit[0] = max(due - self.base, self.counter[0])

    def after(self, cycles: int, action: Callable[[], object]) -> Device:
        """Do something once, this many cycles from now, unless its time is set to `NEVER`."""
        device = Device(action)
        self.schedule(device, self.now() + cycles)
        return device

    def at(self, due: int, action: Callable[[], object]) -> None:
        """Do something from outside at a time, before all devices that act at that time."""
        device = Device(action)
        device.due = max(due, self.base)
        self._input_order += 1
        heapq.heappush(self._queue, (device.due, self._input_order, device))

    def next_due(self) -> int:
        queue = self._queue
        while queue:
            due, _, device = queue[0]
            if device.due == due:
                return due
            heapq.heappop(queue)
        return NEVER

    # What peripherals call in the middle of a slice.

    def halt(self) -> None:
        """End the slice before its next instruction, and check the interrupt mask again."""
        self.limit[0] = self.counter[0]
        self._look_at_mask = 0

    def fail(self, error: BaseException) -> None:
        """End the run with an error; a callback cannot raise through Unicorn."""
        self._error = self._error or error
        self.halt()

    def stop_unmodelled(self, address: int, what: str) -> None:
        """End the run with an `UnmodelledError` that names the address and the program counter.

        what: a verb phrase for the message, such as `polls the register`.
        """
        pc = self._present_pc()
        message = (
            f"the firmware {what} at {address:#010x} (pc {pc:#x}), which is not modelled; "
            "run a program that does without it"
        )
        self.fail(UnmodelledError(message, address, pc))

    def _present_pc(self) -> int:
        return self._pc.get()[0] & ~1

    # Running.

    def run_until(self, end: int) -> None:
        """Run up to this time, without what is due then. Running a sleeping CPU is quick."""
        while self.base < end:
            due = self.next_due()
            if due <= self.base:
                self._fire_next()
                continue
            waiting = self.nvic.pending & self.nvic.enabled
            if self.stalled or self.polling or (self._asleep and not waiting):
                self.base = min(due, end)
                continue
            if self._asleep:
                self._asleep = False
                self._event_register = False
            target = min(due, end)
            if waiting:
                if self.base >= self._look_at_mask:
                    self._take_exception()
                if self._look_at_mask > self.base:
                    target = min(target, self._look_at_mask)
            self._run_slice(target - self.base)

    def idle_until(self) -> int:
        """Before this time, no instruction is executed and nothing is due."""
        waiting = self.nvic.pending & self.nvic.enabled
        if self.stalled or self.polling or (self._asleep and not waiting):
            return max(self.base, self.next_due())
        return self.base

    def _fire_next(self) -> None:
        _, order, device = heapq.heappop(self._queue)
        device.due = NEVER
        if order > 0:
            self.polling = False
            self._look_at_mask = 0
        device.fire()
        self._raise()

    def _raise(self) -> None:
        error, self._error = self._error, None
        if error:
            raise error

    def _run_slice(self, cycles: int) -> None:
        code = self.core.run(self.pc, cycles)
        done = self.counter[0]
        met_limit = done > self.limit[0] and not self._svc
        if met_limit:
            done -= 1  # the instruction that met the limit has been counted, and has not run
        self.counter[0] = 0
        self.base += done
        self.instructions += done
        pc = self.pc = self._present_pc()
        if self.after_slice:
            action, self.after_slice = self.after_slice, None
            action()
        self._raise()
        if self._svc:
            self._svc = False
            self._enter(SVCALL, self._frames.look())
        elif not met_limit:
            self._after_stop(pc, code)

    def _after_stop(self, pc: int, code: int) -> None:
        """Unicorn stopped before the limit: at WFI, at WFE, or at something that it cannot do."""
        opcode = int.from_bytes(self.read(pc - 2, 2), "little")
        if opcode == _WFI or (opcode == _WFE and not self._event_register):
            self._asleep = True
        elif opcode == _WFE:
            self._event_register = False
        elif code:
            raise _fault(f"cannot go on: {unicorn.UcError(code)}", pc, pc)

    # Exceptions.

    def _take_exception(self) -> None:
        nvic = self.nvic
        priority, exception = nvic.most_urgent()
        if priority >= nvic.priority:
            return
        registers = self._frames.look()
        primask, basepri = registers[8:10]
        if primask & 1 or (basepri and priority >= basepri):
            self._look_at_mask = self.base - self.base % _MASK_LOOK + _MASK_LOOK
        else:
            self._enter(exception, registers)

    def _enter(self, exception: int, registers: tuple[int, ...]) -> None:
        self._frames.push(registers, self.pc, exception, in_handler=bool(self.nvic.active))
        self.nvic.enter(exception)
        self._look_at_mask = 0
        self._event_register = True
        vector = self.read(self.vector_table + 4 * exception, 4)
        self.pc = int.from_bytes(vector, "little") & ~1

    def _leave(self) -> None:
        """Return from an exception. The slice goes on, unless another exception is pending."""
        nvic = self.nvic
        nvic.leave()
        self._frames.pop()
        self._look_at_mask = 0
        self._event_register = True
        if nvic.pending & nvic.enabled:
            self.halt()

    # What Unicorn calls.

    def _on_interrupt(self, _: int, number: int) -> None:
        try:
            if number == _INTR_EXCEPTION_RETURN:
                self._leave()
                return
            if number == _INTR_SVC:
                self._svc = True
            else:
                pc = self._present_pc()
                self.fail(_fault(f"faults with exception {number}", pc, pc))
        except BaseException as error:
            self.fail(error)
        self.core.stop()

    def _on_unmapped(
        self, uc: unicorn.Uc, kind: int, address: int, size: int, value: int, _: object
    ) -> bool:
        pc = self._present_pc()
        self.fail(_fault(f"accesses {address:#010x}, where there is nothing", address, pc))
        return False


def _fault(what: str, address: int, pc: int) -> CpuFaultError:
    message = f"the firmware {what} (pc {pc:#x}); reset the micro:bit"
    return CpuFaultError(message, address, pc)
