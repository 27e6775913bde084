# noughts: V2's flash, where files are in chunks of 128 bytes and pages of 32 chunks.
# Where no chunk is unused and no page is freed, the firmware moves all files to make
# room for one more, and a power cut in that would ruin them.
import os
from machine import mem8


def writable():
    # Whether there is room for the choice as it is. Removes what power cuts left of it.
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
