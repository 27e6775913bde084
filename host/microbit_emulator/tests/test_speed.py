"""What keeps the emulator fast, checked by counting, not by the computer's clock."""

import pytest

from microbit_emulator.unicorn_core import Tlb
from repl import another


def test_tlb_holds_the_working_set_of_a_v2(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each miss is a call to Python: 5,800 a second with a TLB of 256 entries."""
    fills = [0]
    fill = Tlb._fill

    def counted(self: Tlb, *arguments: int) -> bool:
        fills[0] += 1
        return fill(self, *arguments)

    monkeypatch.setattr(Tlb, "_fill", counted)
    board = another("V2 2.1.2")
    board.uart.send(b"from microbit import *\rwhile True: display.show(Image.HEART); sleep(10)\r\r")
    board.run_for(300_000)
    fills[0] = 0
    board.run_for(300_000)
    assert 0 < fills[0] < 300
