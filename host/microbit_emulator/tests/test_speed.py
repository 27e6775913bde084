"""What keeps the emulator fast, counted: nothing here looks at the computer's clock."""

import pytest

from microbit_emulator.unicorn_core import Tlb
from repl import another


def test_the_tlb_holds_what_a_v2_uses_all_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each entry that is missing is a call to Python: 5,800 in a second of a TLB of 256 entries."""
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
