"""The V2's data log: what the drive shows of it, and how long its flash takes."""

import pytest

from microbit_emulator import EmulatorError, Microbit
from microbit_emulator.interface_chip import BUSY, ERASE, ERROR, WRITE, LogFlash
from repl import boot, run

ADD = "import log\nlog.set_labels('a', 'b', timestamp=None)\nlog.add(a=1, b=2)\nprint('done')"


def test_drive_shows_my_data() -> None:
    board = boot("V2 2.1.2")
    assert board.my_data() is None
    assert run(board, ADD, timeout_us=20_000_000) == ("done\r\n", "")
    content = board.my_data()
    assert content is not None
    assert len(content) == 126_976
    assert b"UBIT_LOG_FS_V_002\n0x0001EFFC\x000x00002000\x000257\x00a,b\n\xff" in content
    assert content[0x2000:].startswith(b"a,b\n1,2\n\xff")
    board.power_cut()
    board.power_on()
    assert board.my_data() == content


def test_my_data_is_refused_on_a_v1() -> None:
    with pytest.raises(EmulatorError, match="a V1 has no data log"):
        Microbit("V1", {0: 0}, power_on=False).my_data()


class Clock:
    """The clock of a processor at 1 MHz."""

    us = 0

    def now(self) -> int:
        return self.us


@pytest.mark.parametrize(
    ("request_", "busy_us"),
    [
        (bytes((ERASE, 0, 4, 0, 0, 0, 8, 0)), 28_000),
        (bytes((WRITE, 0, 0, 0, 0, 0, 0, 8)) + bytes(8), 130),
    ],
)
def test_log_flash_is_busy_while_it_works(request_: bytes, busy_us: int) -> None:
    clock = Clock()
    flash = LogFlash(clock, 1_000_000)  # type: ignore[arg-type]
    flash.write(request_)
    clock.us = busy_us - 1
    assert not flash.asserts()
    assert flash.read(2) == bytes((ERROR, BUSY))
    assert flash.next_answer() == busy_us
    clock.us = busy_us
    assert flash.asserts()
    assert flash.read(8) == request_[:8]
    assert not flash.asserts()


def test_snapshot_restores_a_busy_log_flash() -> None:
    board = boot("V2 2.1.2")
    board.uart.send(b"import log\r")
    busy = board._chip.log_flash  # type: ignore[union-attr]
    assert board.run_until(lambda: busy.next_answer() < 1 << 62, timeout_us=2_000_000)
    snapshot = board.snapshot()

    def run_on() -> tuple[int, bytes]:
        board.run_for(300_000)
        return board.instructions, board.ram

    first = run_on()
    snapshot.restore()
    assert run_on() == first
