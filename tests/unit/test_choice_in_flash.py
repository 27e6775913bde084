"""The menu looks for the newest game's choice in the flash of a V1, as it is."""

from types import SimpleNamespace

import pytest

from noughts.device_files import device_files, load_device

CHUNK, FIRST, END = 128, 0x38800, 0x3FC00
OPEN = 255
"""The length of a file that was never closed."""
GAME = b"$NG,0BADB007,1,PH,A,,5120,x*00"


def chunk(name, content, length=None, marker=0xFE, link=0xFF):
    """A file of one chunk; its length is where it ends in it."""
    start = bytes([marker, 2 + len(name + content) if length is None else length, len(name)])
    return (start + name + content).ljust(CHUNK - 1, b"\xff") + bytes([link])


def menu(*chunks):
    """It in such a flash, the rest of which is erased."""
    flash = b"".join(chunks).ljust(END - FIRST, b"\xff")
    others = {
        "machine": SimpleNamespace(mem8=dict(enumerate(flash, FIRST))),
        "microbit": SimpleNamespace(display=SimpleNamespace(show=lambda seat: None)),
    }
    found = load_device("menu", device_files(), others)
    return found.chosen, found.number


ENDED = chunk(b"9", b"100009Eb" + GAME)
BEGUN = chunk(b"10", b"100010Ht$", OPEN)
OTHER = chunk(b"main.py", b"# noughts: ")
LINKED = chunk(b"main.py", b"# noughts: ".ljust(117), length=2, link=5)


@pytest.mark.parametrize(
    ("chunks", "found"),
    [
        ((), ("Pb", 100000)),
        ((ENDED,), ("Eb", 100010)),
        # Of one that is begun, the number is not used up.
        ((ENDED, BEGUN), ("Ht", 100010)),
        ((BEGUN, ENDED), ("Ht", 100010)),
        # Its length leads out of its chunk: what is there does not close it.
        ((BEGUN, LINKED), ("Ht", 100010)),
        ((BEGUN, ENDED, OTHER), ("Ht", 100010)),
        # An older one, too.
        ((chunk(b"8", b"100008Ht$", OPEN), ENDED), ("Eb", 100010)),
        # The power went before the choice was whole, or while its chunk was freed.
        ((ENDED, chunk(b"10", b"100010Ht", OPEN)), ("Eb", 100010)),
        ((ENDED, chunk(b"10", b"100010H", OPEN)), ("Eb", 100010)),
        ((ENDED, chunk(b"10", b"100010Ht$", OPEN, marker=0)), ("Eb", 100010)),
        # Of its length some bits are as they were.
        ((ENDED, chunk(b"10", b"100010Ht" + GAME, 40 | 64)), ("Ht", 100010)),
        ((ENDED, chunk(b"10", b"100010Ht" + GAME, 40 | 128)), ("Ht", 100010)),
        # Other files.
        ((ENDED, chunk(b"100", b"100011Ht" + GAME)), ("Eb", 100010)),
        ((ENDED, chunk(b"11", b"1000-1Ht" + GAME)), ("Eb", 100010)),
        ((ENDED, chunk(b"11", b"100011Hq" + GAME)), ("Eb", 100010)),
    ],
)
def test_the_newest_choice(chunks, found):
    assert menu(*chunks) == found


def test_the_last_chunk_counts():
    erased = b"\xff" * CHUNK
    assert menu(*[erased] * 231, ENDED) == ("Eb", 100010)
