"""The V1 firmware's clock may jump by 65.5 ms, ahead or back: `buttons` and `soak.referee` know it.

`us_ticker_read()` of mbed-classic copies a counter of 16 bits, then keeps the timer's interrupt
away, then looks whether the counter has begun anew. Here another interrupt, of a byte that comes
over serial, begins a little before that, again and again, until once it is between the copy and the
look: ahead where the time is read then, back where the timer starts anew with it. (The
firmware's own interrupts do so as well: here in one of some 300 times.)
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
WRAP_US = 1 << 16
BEFORE_US = range(3, 8)


@pytest.mark.long
def test_an_interrupt_at_the_wrong_moment_has_the_clock_jump():
    board = stepped("V1 1.1.1")({"main.py": CODE}, 1)
    board.run_for(1e6)
    board.uart.receive()
    wrap_us = board.clock_us - board._chip.pages[TIMER1].present_count()
    jumps = []
    for time in range(1, 800):
        wrap_us += WRAP_US
        before_us = BEFORE_US[time % len(BEFORE_US)]
        board.run_until(wrap_us - before_us - round(1000 * BYTE_MS))
        board.uart.send(b"-")
        jumps += map(int, board.uart.receive().split())
        if {each > 0 for each in jumps} == {True, False}:
            break
    assert {each > 0 for each in jumps} == {True, False}
    assert all(abs(abs(each) - 65.5) <= 1 for each in jumps)
