"""The V1 firmware's clock may jump by 65.5 ms, ahead or back: `buttons` and `soak.referee` know it.

`us_ticker_read()` of mbed-classic copies a counter of 16 bits, then keeps the timer's interrupt
away, then looks whether the counter has begun anew. Here another interrupt, of a byte that comes
over serial, begins a little before that, again and again, until once it is between the copy and the
look: ahead where the time is read then, back where the timer starts anew with it. (The
firmware's own interrupts do so as well: here in one of some 300 times.)
"""

import pytest

from button_presser import BYTE_MS, Machine

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
    machine = Machine("V1", 1, {"main.py": CODE})
    machine.rest(1_000)
    machine.received()
    wrap_us = machine.now_us - machine.microbit._chip.pages[TIMER1].present_count()
    jumps = []
    for time in range(1, 800):
        wrap_us += WRAP_US
        before_us = BEFORE_US[time % len(BEFORE_US)]
        machine.run_until(wrap_us - before_us - round(1000 * BYTE_MS))
        machine.microbit.uart.send(b"-")
        jumps += map(int, machine.received().split())
        if {each > 0 for each in jumps} == {True, False}:
            break
    assert {each > 0 for each in jumps} == {True, False}
    assert all(abs(abs(each) - 65.5) <= 1 for each in jumps)
