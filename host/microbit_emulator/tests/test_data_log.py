"""The V2's data log: what the drive shows of it, and how long its flash takes."""

import pytest

from microbit_emulator import EmulatorError, Microbit
from on_bus import BYTE_US, i2c
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


LOG_FLASH, WRITE, ERASE, ERROR, BUSY = 0x72, 0x0B, 0x0C, 0x20, 0x39
LOOP = {0: 0x00, 1: 0x10, 2: 0x00, 3: 0x20, 4: 0x09, 5: 0, 6: 0, 7: 0, 8: 0xFE, 9: 0xE7}  # b .
INPUTS, INTERRUPT = 0x5000_0510, 1 << 25


@pytest.mark.parametrize(
    ("request_", "busy_us"),
    [
        (bytes((ERASE, 0, 4, 0, 0, 0, 8, 0)), 28_000),
        (bytes((WRITE, 0, 0, 0, 0, 0, 0, 128)) + bytes(128), 2080),
    ],
)
def test_log_flash_is_busy_while_it_works(request_: bytes, busy_us: int) -> None:
    board = Microbit("V2", LOOP)

    def requests_a_transfer() -> bool:
        return not board.debugger.read_word(INPUTS) & INTERRUPT

    i2c(board, LOG_FLASH, request_, 0)
    came_us = board.clock_us - (1 + len(request_)) * (BYTE_US - 90)  # at 100 kHz
    assert not requests_a_transfer()
    board.run_until(came_us + busy_us - 400)
    assert i2c(board, LOG_FLASH, b"", 2) == bytes((ERROR, BUSY))
    board.run_until(came_us + busy_us - 1)
    assert not requests_a_transfer()
    board.run_until(came_us + busy_us + 1)
    assert requests_a_transfer()
    assert i2c(board, LOG_FLASH, b"", 8) == request_[:8]
    assert not requests_a_transfer()


def test_snapshot_restores_a_busy_log_flash() -> None:
    board = boot("V2 2.1.2")
    board.uart.send(b"import log\r")
    for _ in range(5):  # in some of these moments it is busy
        board.run_for(20_000)
        snapshot = board.snapshot()
        ends = []
        for _ in range(2):
            board.run_for(100_000)
            ends.append((board.instructions, board.ram))
            snapshot.restore()
        assert ends[0] == ends[1]
