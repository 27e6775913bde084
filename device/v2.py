# noughts: what a V2 needs that a V1 does not, which never imports this.
import microbit
from machine import mem8, mem32

erased = 0  # chunks that can be written at once
freed = 0  # pages that can be erased
free = 0  # pages that hold nothing but what moves: the choice, and kept games


def read(read):
    # What reads the pins of A and B: 0 while a button is down. Some read 0 for ever: pin 11
    # on firmware 2.0.0-beta.5, and both in the simulator on python.microbit.org. There the
    # firmware's debounced button, which is slower, has to do.
    def choose(pin, button):
        return pin if button() != pin() else lambda: not button()

    one = choose(read[0], microbit.button_a.is_pressed)
    two = choose(read[1], microbit.button_b.is_pressed)
    try:
        import air

        two = air.read(one, two)
    except ImportError:  # made without radio
        pass
    return one, two


# The file system has five pages of 32 chunks of 128 bytes; a sixth stands before or behind them.
first = 0x6E000 if mem8[0x6D000] == 253 else 0x6D000
pages = range(first, first + 0x5000, 4096)


def title(chunk):
    return bytes(mem8[chunk + 3 + i] for i in range(mem8[chunk + 2]))


def look(moving):
    # Counts, as if this file was removed.
    global erased, freed, free
    erased = freed = free = 0
    for page in pages:
        found = others = 0
        for chunk in range(page, page + 4096, 128):
            marker = mem8[chunk]
            if marker == 255:
                erased += 1
            elif marker == 254 and title(chunk) == moving:  # freed by writing it anew
                found += 1
            elif not marker:
                found += 1
            elif marker != 254 or (title(chunk)[:1] != b"~" and title(chunk) != b"settings"):
                others = 1
        freed += found == 32
        free += not others


def sound(chunk):
    # Whether a power cut, while the chunk was written or its page erased, has left it alone.
    marker = mem8[chunk]
    if marker == 255:
        return not any(~mem32[i] & 0xFFFFFFFF for i in range(chunk, chunk + 128, 4))
    if marker == 254:  # a file begins; its length is written last, and needed to read the chunk
        return (
            0 < mem8[chunk + 2] < 121
            and min(title(chunk)) > 31
            and title(chunk)[-1] < 127
            and (mem8[chunk + 1] < 127 or mem8[chunk + 127] < 255)
        )
    # Two chunks of a file name each other, by numbers from 1.
    return not marker or mem8[first + marker * 128 - 1] == (chunk - first) // 128 + 1


for page in pages:
    for chunk in range(page, page + 4096, 128):
        if not sound(chunk):
            mem32[0x4001E504] = 1  # the flash may be written
            mem32[chunk] &= 0xFFFFFF00  # freed
            mem32[0x4001E504] = 0

from v2kept import keep, room, tell  # noqa: E402, F401
