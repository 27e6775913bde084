"""The firmware's clock, where `soak.referee` forgives it: jumps of 65.5 ms are not the game's.

`us_ticker_read()` of mbed-classic copies a counter of 16 bits, then keeps the timer's interrupt
away, then looks whether the counter has begun anew. Here another interrupt, the firmware's own,
comes a little before that, again and again, until once it is between the copy and the look.
"""

import pytest

from soak.machine import Machine

CODE = b"""from microbit import running_time
last = running_time()
while True:
    now = running_time()
    if now - last > 20:
        print(now - last)
    last = now
"""
TIMER1 = 0x40009000  # counts microseconds, in 16 bits
WRAP_US = 1 << 16
BEFORE_US = 12
SLOW_TICKER = 23  # SWI3, by which the firmware sees to its buttons; some tens of microseconds


@pytest.mark.parametrize(("interrupted", "times"), [(True, 3000), (False, 300)])
def test_an_interrupt_at_the_wrong_moment_has_the_clock_jump(qemu, interrupted, times):
    with Machine(1, {"main.py": CODE}) as machine:
        machine.rest(1_000)
        machine.heard()
        heard = b""
        moment_us = machine.now_us - machine.capture(TIMER1, 1) - BEFORE_US
        for _ in range(times):
            moment_us += WRAP_US
            machine.run_until(moment_us)
            if interrupted:
                machine.interrupt(SLOW_TICKER)
            heard += machine.heard()
            if heard:
                break
        assert heard.strip() in ((b"65", b"66") if interrupted else (b"",))
