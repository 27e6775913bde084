"""The CPU in device time: slices of instructions between events, exceptions, sleep.

Device time counts CPU cycles, one for each instruction. The CPU runs in slices: up to the next
event on the timeline, or until a register access asks it to stop. Where a run ends in mid-slice
makes no difference to what happens afterwards, so a run can be cut into steps of any size.

Unicorn executes the instructions. What is done here instead: taking an exception and returning from
one (frames on the main stack, with room for the floating-point registers), WFI and WFE. Not
modelled: the process stack, tail-chaining, faults (they end the run), and the time that an
exception, a taken branch or a multiplication takes beyond one cycle.
"""

from __future__ import annotations

import heapq
import struct
from collections.abc import Callable

from microbit_emulator.errors import CpuFaultError, UnmodelledError
from microbit_emulator.nvic import RAM, SVCALL, Frames, Nvic
from microbit_emulator.unicorn_core import INTERRUPT, Core, Registers, Tlb, unicorn
from microbit_emulator.unicorn_core import arm_const as arm

NEVER = 1 << 62
"""A time, in cycles since power-on."""

_MASK_LOOK = 48
"""While interrupts are masked and one is pending, the mask is looked at at multiples of this many
cycles: Unicorn cannot call back when it changes."""

_WFE, _WFI = 0xBF20, 0xBF30
_INTR_SVC, _INTR_EXCEPTION_RETURN = 2, 8


class Device:
    """Something that acts at times: `fire` is called when `due` has come, which is NEVER then."""

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
        """The flash memory, once there is one."""
        self.instructions = 0
        self.after_slice: Callable[[], object] | None = None
        """Called once when the slice that runs now has ended."""
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
        """The CPU waits for flash; whoever sets this clears it in an event."""
        self._asleep = self._polling = False
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
        """What RAM or flash holds there."""
        memory, at = (self.ram, at - RAM) if at >= RAM else (self.code, at)
        return bytes(memory[at : at + size])

    # Time, and what is to happen when.

    def now(self) -> int:
        return self.base + int(self.counter[0])

    def schedule(self, device: Device, due: int) -> None:
        """Let a device act at a time, in place of the time it was scheduled for."""
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
        """Do something from outside at a time: before all that devices do at that time."""
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
        """End the slice before its next instruction, and look at the interrupt mask again."""
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

    def skip_polling(self) -> None:
        """The firmware does nothing but wait for a register to change: skip to the next event."""
        self._polling = True
        self.halt()

    # Running.

    def run_until(self, end: int) -> None:
        """Run up to this time: what is due at it has not happened yet. A sleeping CPU is quick."""
        while self.base < end:
            due = self.next_due()
            if due <= self.base:
                self._fire_events()
                continue
            waiting = self.nvic.pending & self.nvic.enabled
            if self.stalled or self._polling or (self._asleep and not waiting):
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
        """The time before which no instruction is executed, and nothing is due."""
        waiting = self.nvic.pending & self.nvic.enabled
        if self.stalled or self._polling or (self._asleep and not waiting):
            return max(self.base, self.next_due())
        return self.base

    def _fire_events(self) -> None:
        while self.next_due() <= self.base:
            _, order, device = heapq.heappop(self._queue)
            device.due = NEVER
            if order > 0:
                self._polling = False
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
        """Unicorn stopped before the limit: at WFI or WFE, or at what it cannot execute."""
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
        """Return from an exception. The slice goes on behind it, unless another one is pending."""
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
