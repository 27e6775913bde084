# noughts: what a V2 needs that a V1 does not, which never imports this.
import os
import microbit
from machine import mem8


def read(read):
    # What reads the pins of A and B: 0 while a button is down. Some read 0 for ever: pin 11
    # on firmware 2.0.0-beta.5, and both in the simulator on python.microbit.org. There the
    # firmware's debounced button, which is slower, has to do.
    def choose(pin, button):
        return pin if button() != pin() else lambda: not button()

    a = choose(read[0], microbit.button_a.is_pressed)
    b = choose(read[1], microbit.button_b.is_pressed)
    try:
        import air

        b = air.read(a, b)
    except ImportError:  # made without radio
        pass
    return a, b


def writable():
    # Whether there is room for the choice. Where no chunk of 128 bytes is unused and no page
    # of 32 chunks is freed, the firmware moves all files to make room, and a power cut in
    # that would ruin them. Removes what power cuts left of the choice.
    found = False
    for page in range(0x6D000, 0x73000, 4096):
        if mem8[page] == 253:  # at the moment none of the file system's
            continue
        freed = 0
        for chunk in range(page, page + 4096, 128):
            marker = mem8[chunk]
            if marker == 255:
                # The letters and the next chunk's number, in a page that was half erased.
                if mem8[chunk + 11] & mem8[chunk + 12] & mem8[chunk + 127] != 255:
                    return False
                found = True
            elif marker == 254 and mem8[chunk + 127] == 255:
                size = mem8[chunk + 2]
                name = bytes(mem8[chunk + 3 + i] for i in range(size))
                if size > 120 or name[-1:] > b"~":  # a name that is cut short
                    os.remove(name)
                    marker = 0
                elif name == b"settings":  # freed by writing it anew
                    marker = 0
            freed += not marker
        found |= freed == 32
    return found
