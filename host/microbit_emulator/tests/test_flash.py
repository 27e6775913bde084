"""Flash on the emulator: each write and erase is seen as it begins, and can be cut short."""

import pytest

from microbit_emulator import Microbit
from repl import EACH_BOARD, NEWEST, PROMPT, another, ask, boot, long, run, wait_for
from thumb import program

FILL = "for i in range({}):\n with open('a', 'w') as f: f.write('x' * 200)\nprint('done')"
PAGE = {"V1": 1024, "V2": 4096}
ERASE_US = {"V1": 22_300, "V2": 85_000}


class CutError(Exception):
    """Raised to stop a run."""


@pytest.mark.parametrize("name", NEWEST)
def test_watched_writes_cover_every_change(name: str) -> None:
    board = boot(name)
    flash_before = board.flash
    seen: list[tuple[str, int, int, int]] = []
    board.watch_flash(lambda *change: seen.append(change))
    assert run(board, FILL.format(2))[0] == "done\r\n"
    flash_after = board.flash
    changed = {at for at in range(len(flash_before)) if flash_before[at] != flash_after[at]}
    assert len(changed) > 400
    assert changed <= {at + k for kind, at, size, _ in seen if kind == "write" for k in range(size)}
    assert b"x" * 100 in flash_after and b"x" * 100 not in flash_before


@pytest.mark.parametrize("name", NEWEST)
def test_run_can_continue_after_a_watch_raises(name: str) -> None:
    board, other = boot(name), another(name)
    changes = []

    def raises(*change: object) -> None:
        changes.append(change)
        if len(changes) % 50 == 1:
            raise CutError

    board.watch_flash(raises)
    stops = 0
    for microbit in (board, other):
        microbit.uart.send(
            b"for i in range(2): f = open('a', 'w'); f.write('x' * 200); f.close()\r\r"
        )
        end_us = microbit.clock_us + 600_000
        while microbit.clock_us < end_us:
            try:
                microbit.run_until(end_us)
            except CutError:
                stops += 1
                assert microbit.flash_busy == changes[-1][0]
    assert stops > 2
    assert (board.ram, board.flash, board.uart.received, board.instructions) == (
        other.ram,
        other.flash,
        other.uart.received,
        other.instructions,
    )


@pytest.mark.parametrize("name", ["V1 1.1.1", long("V2 2.1.2")])
def test_erase_cut_short_is_partly_done(name: str) -> None:
    board = boot(name)
    erases: list[tuple[int, int, int]] = []

    def cut() -> None:
        raise CutError

    def begins(kind: str, address: int, size: int, us: int) -> None:
        if kind == "erase":
            erases.append((address, size, us))
            board.at(board.clock_us + us // 2, cut)

    board.watch_flash(begins)
    with pytest.raises(CutError):
        run(board, FILL.format(999), timeout_us=120_000_000)
    ((address, size, us),) = erases
    assert (size, us) == (PAGE[board.board], ERASE_US[board.board])
    assert board.flash_busy == "erase"
    flash_before = board.flash
    board.power_cut()
    flash_after = board.flash
    erased = slice(address, address + size)
    assert flash_before[: erased.start] == flash_after[: erased.start]
    assert flash_before[erased.stop :] == flash_after[erased.stop :]
    zeros, left = (
        sum(8 - byte.bit_count() for byte in page[erased]) for page in (flash_before, flash_after)
    )
    assert 0.4 < left / zeros < 0.6
    assert all(
        new & old == old for old, new in zip(flash_before[erased], flash_after[erased], strict=True)
    )
    board.power_on()
    wait_for(board, PROMPT)
    assert ask(board, "1 + 1") == "2"


NVMC, ERASE_ENABLED, CONFIG, ERASEPAGE = 0x4001_E000, 2, 0x504, 0x508


@EACH_BOARD
def test_reset_cuts_an_erase_short(board: str) -> None:
    micro, page = Microbit(board, program(0xE7FE)), slice(0x8000, 0x8000 + PAGE[board])
    micro.debugger.program(page.start, bytes(PAGE[board]))
    for register, value in ((CONFIG, ERASE_ENABLED), (ERASEPAGE, page.start)):
        micro.debugger.write_word(NVMC + register, value)
    micro.run_for(ERASE_US[board] / 2)
    micro.reset()
    ones = sum(byte.bit_count() for byte in micro.flash[page])
    assert 0.4 < ones / (8 * PAGE[board]) < 0.6
