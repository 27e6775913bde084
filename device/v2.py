# noughts: what a V2 needs that a V1 does not, which never imports this.
# ruff: noqa: F403, F405
from machine import mem8, mem32
from microbit import *


def read(read):
    # What reads the pins of A and B: 0 while a button is down. Some read 0 for ever: pin 11
    # on firmware 2.0.0-beta.5, and both in the simulator on python.microbit.org. There the
    # firmware's debounced button, which is slower, has to do.
    def choose(pin, button):
        return pin if button() != pin() else lambda: not button()

    one = choose(read[0], button_a.is_pressed)
    two = choose(read[1], button_b.is_pressed)
    try:
        import air

        two = air.read(one, two)
    except ImportError:  # made without radio
        pass
    return one, two


# The file system has five pages of 32 chunks of 128 bytes; a sixth stands before or behind them.
origin = 0x6E000 if mem8[0x6D000] == 253 else 0x6D000


def title(chunk):
    return "".join(chr(mem8[chunk + 3 + i]) for i in range(mem8[chunk + 2]))


def sound(chunk):
    # Whether a power cut, while the chunk was written or its page erased, has left it alone.
    marker = mem8[chunk]
    if marker == 255:
        return not any(~mem32[i] & 0xFFFFFFFF for i in range(chunk, chunk + 128, 4))
    if marker == 254:  # a file begins; its length is written last, and needed to read the chunk
        return (
            0 < mem8[chunk + 2] < 121
            and min(title(chunk)) >= " "
            and title(chunk)[-1] <= "~"
            and (mem8[chunk + 1] < 126 or mem8[chunk + 127] < 255)
        )
    # Two chunks of a file name each other, by numbers from 1.
    return not marker or mem8[origin + marker * 128 - 1] == (chunk - origin) // 128 + 1


def free_chunk(chunk):
    mem32[0x4001E504] = 1  # the flash may be written
    mem32[chunk] &= ~255  # freed
    mem32[0x4001E504] = 0


for chunk in range(origin, origin + 0x5000, 128):
    if not sound(chunk):
        free_chunk(chunk)

from v2kept import keep, tell  # noqa: E402, F401
