"""Room for the settings in V2's flash, by a model of how the firmware finds a free chunk.

A model, not the firmware: it knows only which chunks are used, freed or erased. A file is written
anew: its chunk is freed, and the new one is the next erased chunk from a random one on, else the
first of a page that is freed as a whole and is erased for it. Where there is none, the firmwares
differ: 2.1 moves all files together (`filesystem_sweep` in `microbitfs.c`) if any chunk is freed,
2.0 only if 32 are, and fails for good otherwise.
"""

from random import Random

import pytest

from noughts.device_files import files_for_boards
from noughts.firmware import image

CHUNKS, PAGE = 160, 32
ERASED, FREED, USED = range(3)


class FullError(Exception):
    """ENOSPC."""


class Flash:
    """The file system of a V2 with so many chunks taken up by files that stay."""

    def __init__(self, taken, release, random):
        self.chunks = [USED] * taken + [ERASED] * (CHUNKS - taken)
        self.taken = taken
        self.fewest_freed = 32 if release == "2.0" else 1
        self.start = random.randrange(CHUNKS)
        self.settings = None
        self.sweeps = 0

    def change_settings(self):
        if self.settings is not None:
            self.chunks[self.settings] = FREED
        self.settings = self.find()
        self.chunks[self.settings] = USED

    def find(self):
        for index in range(self.start, self.start + CHUNKS):
            if self.chunks[index % CHUNKS] == ERASED:
                return index % CHUNKS
        for page in range(0, CHUNKS, PAGE):
            if self.chunks[page : page + PAGE] == [FREED] * PAGE:
                self.chunks[page : page + PAGE] = [ERASED] * PAGE
                return page
        if self.chunks.count(FREED) < self.fewest_freed:
            raise FullError
        self.sweeps += 1
        self.chunks = [ERASED if chunk == FREED else chunk for chunk in self.chunks]
        return self.find()


def changes(taken, release, most=500):
    """How many changes of the settings succeed, at least over ten random starts; the sweeps."""
    done, sweeps = [], 0
    for seed in range(10):
        flash = Flash(taken, release, Random(seed))
        count = 0
        try:
            while count < most:
                flash.change_settings()
                count += 1
        except FullError:
            pass
        done.append(count)
        sweeps += flash.sweeps
    return min(done), sweeps


def chunks(files):
    return image.bundled()["V2"].usage(files).used // 128


@pytest.mark.parametrize("release", ["2.0", "2.1"])
def test_our_files_leave_room_for_ever_and_are_never_moved(release):
    assert changes(chunks(files_for_boards()), release) == (500, 0)
    for taken in range(90, 101):
        assert changes(taken, release, 100) == (100, 0)


def test_what_files_of_133_chunks_come_to():
    """As many as they had unpacked; as measured on both firmwares."""
    assert changes(133, "2.0")[0] == 27
    assert changes(128, "2.0") == (500, 0)
    done, sweeps = changes(133, "2.1")
    assert done == 500 and sweeps > 0
