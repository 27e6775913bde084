"""The V1 firmware's clock may jump 65.5 ms either way: `buttons` and `soak.referee` allow for it.

In mbed-classic, `us_ticker_read()` copies a 16-bit counter, then disables the timer's interrupt,
then checks whether the counter has wrapped. Here another interrupt, for a byte over serial, starts
just before the counter wraps, again and again, until one falls between the copy and the check. The
clock jumps ahead if the time is read then, and back if the timer restarts with it. (The firmware's
own interrupts do the same: here about once in 300 times.)
"""

import pytest

from boards import BYTE_MS
from official import stepped

CODE = b"""from microbit import running_time
last = running_time()
while True:
    now = running_time()
    if not 0 <= now - last <= 20:
        print(now - last)
    last = now
"""
TIMER1 = 0x4000_9000  # counts microseconds, in 16 bits
CAPTURE3, CC3 = TIMER1 + 0x04C, TIMER1 + 0x54C
WRAP_US = 1 << 16
BEFORE_US = range(3, 8)


def count_of_timer(board):
    """The count of TIMER1; the board does not notice that somebody looked."""
    snapshot = board.snapshot()
    board.debugger.write_word(CAPTURE3, 1)
    count = board.debugger.read_word(CC3)
    snapshot.restore()
    return count


@pytest.mark.long
def test_interrupt_at_the_wrong_moment_makes_the_clock_jump():
    board = stepped("V1 1.1.1")({"main.py": CODE}, 1)
    board.run_for(1e6)
    board.uart.receive()
    wrap_us = board.clock_us - count_of_timer(board)
    jumps = []
    for time in range(1, 800):
        wrap_us += WRAP_US
        before_us = BEFORE_US[time % len(BEFORE_US)]
        board.run_until(wrap_us - before_us - round(1000 * BYTE_MS))
        board.uart.send(b"-")
        jumps += map(int, board.uart.receive().split())
        if {jump > 0 for jump in jumps} == {True, False}:
            break
    assert {jump > 0 for jump in jumps} == {True, False}
    assert all(abs(abs(jump) - 65.5) <= 1 for jump in jumps)
