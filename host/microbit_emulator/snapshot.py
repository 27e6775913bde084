"""The whole state of a micro:bit at one time, so that it can return there.

The models have their state in plain attributes and containers, and refer to each other everywhere.
So a snapshot visits everything that can be reached from a chip, notes what each object holds, and
later puts that back into the same objects. Functions that others asked to be called stay.
"""

import random
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from types import FunctionType, MethodType
from typing import Any

from microbit_emulator.chip import Chip
from microbit_emulator.unicorn_core import PAGE, Core, Tlb

_PACKAGE = __name__.rpartition(".")[0]
_NOT_OURS = Core, Tlb
"""Their state is Unicorn's, which is noted separately; the TLB may stay as it is."""


class Snapshot:
    """The state of micro:bits, and of everything that they refer to, between two runs."""

    def __init__(self, chips: Sequence[Chip], *others: object) -> None:
        self._seen: dict[int, object] = {}
        """By id, which no other object can get while they are here."""
        self._put_back: list[Callable[[], object]] = []
        for chip in chips:
            self._note_core(chip)
        waiting: list[Any] = [*chips, *others]
        while waiting:
            thing = waiting.pop()
            if id(thing) not in self._seen:
                self._seen[id(thing)] = thing
                waiting.extend(self._look_into(thing))

    def restore(self) -> None:
        """Put everything back into this state, any number of times."""
        for put_back in self._put_back:
            put_back()

    def _note_core(self, chip: Chip) -> None:
        core, tlb = chip.cpu.core, chip.cpu.tlb
        registers, calls = core.uc.context_save(), dict(core.calls)
        memories = [(base, memory, bytes(memory)) for base, memory in core.memories]

        def put_back() -> None:
            for base, memory, content in memories:
                for at in range(0, len(content), PAGE):
                    before = content[at : at + PAGE]
                    if memory[at : at + PAGE] != before:
                        memory[at : at + PAGE] = before
                        core.uc.ctl_remove_cache(base + at, base + at + PAGE)
            core.uc.context_restore(registers)
            if core.calls != calls:
                for base, page_calls in calls.items():
                    core.map_registers(base, page_calls)
                tlb.grow()

        self._put_back.append(put_back)

    def _look_into(self, thing: Any) -> Iterable[object]:
        """Note an object's state. Returns the objects that it refers to."""
        match thing:
            case tuple():
                return thing
            case list() | deque() | bytearray():
                content = thing.copy()

                def put_back() -> None:
                    thing.clear()
                    thing.extend(content)

                self._put_back.append(put_back)
                return () if isinstance(thing, bytearray) else content
            case dict() | set():
                return self._note_keyed(thing)
            case random.Random():
                state = thing.getstate()
                self._put_back.append(lambda: thing.setstate(state))
                return ()
            case partial() if _is_ours(thing.func):
                return (thing.func, thing.args, thing.keywords)
            case MethodType():
                return (thing.__self__,)
            case FunctionType() if _is_ours(thing):
                return [cell.cell_contents for cell in thing.__closure__ or ()]
        if _is_ours(type(thing)) and not isinstance(thing, _NOT_OURS):
            return self._note_keyed(vars(thing))
        return ()

    def _note_keyed(self, keyed: dict[Any, object] | set[object]) -> Iterable[object]:
        content = keyed.copy()

        def put_back() -> None:
            keyed.clear()
            keyed.update(content)  # type: ignore[arg-type]

        self._put_back.append(put_back)
        return [*content, *content.values()] if isinstance(content, dict) else content


def _is_ours(thing: object) -> bool:
    return str(getattr(thing, "__module__", "")).startswith(_PACKAGE)
