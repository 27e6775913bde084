"""QEMU as an independent witness: with the same hex, it sends and shows what our emulator does.

Every sentence is compared, except for what differs from run to run: the random boot id, and the
milliseconds, because QEMU keeps running while this program looks. So a key is held until device
time has passed, and no action has to come at an exact time.
"""

import shutil
from contextlib import closing

import pytest

from boards import Driver
from needed import long, missing
from noughts.boards.firmware import firmware_for_boards
from noughts.boards.packing import files_for_boards
from noughts.protocol.parser import ParsedSentence, Stream
from official import printed, stepped
from programs import INSTALL
from qemu import Qemu

FIRMWARE = "V1 1.1.1"
DISPLAY = b"import microbit\nprint(id(microbit.display))\n"
ROUND_THE_MENU = ["A", "A", "A", "A", "A"]
A_WINS = ["B", "B", "B", "B", "A", "B", "B"]  # a game of two people; the next game then begins
AGAINST_HARD = ["A", "A", "A", "B", "A", "A", "A", "A", "B", "A", "A", "A", "B"]
HELD_US, RESTED_US = 60_000, 200_000
LOOKED_AT_US = 1_200_000
"""Longer than the cycles of levels of B's mark and of the cursor."""
TIMEOUT_US = 60_000_000


def repeatable_fields(items):
    """The fields of sentences that do not vary between runs; every item must be a sentence."""
    assert all(isinstance(item, ParsedSentence) for item in items), items
    fields = [vars(item.sentence) for item in items]
    return [
        {name: sentence_fields[name] for name in sentence_fields if name not in ("boot", "ms")}
        for sentence_fields in fields
    ]


class Ours:
    """Our emulator, where every time is exact."""

    def __init__(self):
        self.driver = Driver(stepped(FIRMWARE)())
        self.driver.start()

    def press(self, key):
        self.driver.press(*key, down_ms=HELD_US / 1000, up_ms=RESTED_US / 1000)
        sentences = self.sentences()
        last = sentences[-1]
        if last.get("end") == "A":
            self.driver.wait(lambda: self.sentences()[-1].get("end") == "-", "the next game")
        elif last.get("seats") == "PH" and len(last["moves"]) % 2 and last["end"] == "-":
            self.driver.wait(lambda: len(self.sentences()) > len(sentences), "the chip's answer")
        self.driver.rest(100)

    def sentences(self):
        return repeatable_fields(self.driver.items)

    def levels(self):
        """The levels that each LED goes through, in reading order."""
        levels = [set() for _ in range(25)]
        for _ in range(LOOKED_AT_US // 20_000):
            self.driver.rest(20)
            for seen, level in zip(levels, self.driver.board.leds(), strict=True):
                seen.add(level)
        return levels


class Witness:
    """QEMU, which needs waiting for."""

    def __init__(self, qemu):
        self.qemu = qemu
        self.stream, self.items = Stream(), []

    def wait(self, condition, *what):
        end_us = self.qemu.clock_us() + TIMEOUT_US
        while not condition():
            late = self.qemu.clock_us() >= end_us
            self.items += self.stream.feed(self.qemu.receive())
            assert not late or condition(), f"waited for {what}"

    def rest(self, us):
        end_us = self.qemu.clock_us() + us
        self.wait(lambda: self.qemu.clock_us() >= end_us, us)

    def press(self, key):
        self.qemu.press(*key)
        self.rest(HELD_US)
        self.qemu.release(*key)
        self.rest(RESTED_US)

    def says(self, sentences):
        self.wait(lambda: repeatable_fields(self.items) == sentences, sentences, self.items)

    def shows(self, expected):
        """Levels in the display's memory, and light at its pins."""
        bright = {led for led, levels in enumerate(expected) if levels != {0}}
        levels, lit = [set() for _ in range(25)], set()

        def same():
            for seen, level in zip(levels, self.qemu.levels(), strict=True):
                seen.add(level)
            lit.update(self.qemu.lit())
            if lit - bright:  # left over from the picture before
                lit.clear()
                for seen in levels:
                    seen.clear()
            return levels == expected and lit == bright

        self.rest(100_000)
        self.wait(same, expected, levels, lit)


@pytest.mark.parametrize(
    ("keys", "ends"),
    [
        (["A", "B", "AB"], "-x"),
        long([*ROUND_THE_MENU, *A_WINS, "AB", *AGAINST_HARD, "AB"], "-----A-x-----x"),
    ],
)
def test_qemu_sends_and_shows_the_same(keys, ends):
    if shutil.which("qemu-system-arm") is None:
        missing(f"QEMU is missing (qemu-system-arm); {INSTALL}")
    ours = Ours()
    steps = [("", ours.sentences(), ours.levels())]
    for key in keys:
        ours.press(key)
        steps.append((key, ours.sentences(), ours.levels()))
    assert "".join(fields.get("end", "") for fields in ours.sentences()) == ends

    memory = firmware_for_boards()["V1"].with_files(files_for_boards()).memory
    display = int(printed(FIRMWARE, {"main.py": DISPLAY}))
    with closing(Qemu(memory, display)) as qemu:
        witness = Witness(qemu)
        for key, sentences, levels in steps:
            if key:
                witness.press(key)
            witness.says(sentences)
            witness.shows(levels)
