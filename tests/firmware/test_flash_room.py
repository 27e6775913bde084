"""On V2 the choice and games are kept where there is room, and files are never moved for it."""

import struct
from functools import cache

import pytest

from needed import long
from noughts.virtual.program import firmware_for, program
from soak.flash_watch import watch_flash
from soak.machine import Machine
from soak.player import A, Player

CHUNK, PAGE = 128, 4096
FREED, UNUSED = bytes(CHUNK), b"\xff" * CHUNK


def chunk(content):
    return content + UNUSED[len(content) :]


def v2(each_page, free=FREED):
    """A V2 whose flash has no room but `free`; each page without files has a chunk of this."""
    flash = bytearray(program("V2").flash)
    layout = firmware_for("V2", None).layout
    for page in layout[::PAGE]:
        empty = flash[page : page + PAGE] == b"\xff" * PAGE
        for at in range(page, page + PAGE, CHUNK):
            if flash[at] == 0xFF:
                flash[at : at + CHUNK] = each_page if empty and at % PAGE == 5 * CHUNK else free
    return Machine("V2", flash=bytes(flash))


def offers_after_choosing(machine):
    """Choose Easy and start; what is offered after the power was cut."""
    player = Player(machine)
    player.boots()
    player.tap(A)
    player.start()
    player.leave()
    machine.cut_power()
    player.boots()
    return player.choice()


def chunks(machine):
    """The chunks of the file system that are in use, by their place."""
    files = machine.files()
    found = {at: files[at : at + CHUNK] for at in range(0, len(files), CHUNK)}
    return {at: content for at, content in found.items() if content[0] not in (0x00, 0xFF)}


def told_after_a_reset(machine):
    """The games that are told then."""
    player = Player(machine)
    machine.cut_power()
    player.boots()
    machine.rest(1000)
    player.listen()
    return player.kept


@cache
def put():
    """The chunks of our files, as they are put there."""
    return frozenset(chunks(Machine("V2")).values())


def ours(machine):
    """Those that are still there, by their place."""
    return {at: content for at, content in chunks(machine).items() if content in put()}


CUT_SHORT = {
    "no length": (chunk(b"\xfe"), FREED),
    "no name": (chunk(b"\xfe\xff\x01"), FREED),
    "half a length": (chunk(b"\xfe\xff\x4a"), FREED),
    "half a name": (chunk(b"\xfe\xff\x02~"), FREED),
    "half a letter": (chunk(b"\xfe\xff\x02~\xef"), FREED),
    "half a letter first": (chunk(b"\xfe\xff\x02\xfeA"), FREED),
    "no end": (chunk(b"\xfe\xff\x010100000Ht"), FREED),
    "a chunk of no kind": (chunk(b"\x42"), FREED),
    "a file that would be misread": (FREED, chunk(b"\xff\xff\xff" + b"\xff" * 60 + b"\x4d")),
    "a link to a file of ours": (FREED, UNUSED[:-1] + b"\x05"),
    "half a name, that links to one": (chunk(b"\xfe\xff\x02~")[:-1] + b"\x05", FREED),
}


@pytest.mark.parametrize(
    "cut_short", ["half a letter", *map(long, sorted(set(CUT_SHORT) - {"half a letter"}))]
)
def test_what_a_cut_left_is_freed(cut_short):
    """In each page without files a chunk of this, and in all others what comes second."""
    machine = v2(*CUT_SHORT[cut_short])
    before = ours(machine)
    assert offers_after_choosing(machine) == "Eb"
    assert [game.end for game in told_after_a_reset(machine)] == ["x", "x"]
    assert ours(machine) == before


def kept(games, length, file=0):
    """A file of games; the last byte that was written is its length."""
    told = (struct.pack("<IIIIB", 0x0BADB007, number, 1402, 5120, 51) for number in games)
    return chunk(bytes([0xFE, length, 2, 0x7E, 64 + 2 * file, 0, file]) + b"".join(told))


@pytest.mark.parametrize("length", [59, *map(long, (57, 123, 125))])
def test_a_length_that_is_half_written_is_not_believed(length):
    """The bits of 57, which is right, are among its bits."""
    told = told_after_a_reset(v2(kept([1, 2, 3], length)))
    assert [(game.boot, game.number, game.end) for game in told] == [
        ("0BADB007", number, "x") for number in (1, 2, 3)
    ]


@pytest.mark.parametrize("name", ["~A", long("~c")])
def test_of_a_length_that_leads_out_of_the_file_nothing_is_read(name):
    content = chunk(bytes([0xFE, 126, 2]) + name.encode() + b"Mt")
    assert not told_after_a_reset(v2(content))


def test_files_are_not_moved_where_each_page_has_some_room():
    """As after many starts: at each, the firmware looks for room from a random place on."""
    machine = v2(FREED)
    flash = bytearray(machine.microbit.flash)
    empty = [page for page in machine.layout[::PAGE] if not any(flash[page : page + PAGE : CHUNK])]
    for index in range(10):  # five files in each of two pages, and six chunks that are erased
        at = empty[index % 2] + index * CHUNK
        flash[at : at + CHUNK] = kept(range(7 * index + 1, 7 * index + 8), 125, index)
    for index in range(20, 32):
        at = empty[index % 2] + index * CHUNK
        flash[at : at + CHUNK] = UNUSED
    machine = Machine("V2", flash=bytes(flash))
    player = Player(machine)
    operations = []
    player.boots()
    watch_flash(machine, operations.append)
    for _ in range(3):
        player.start()
        player.leave()
    assert {each.address for each in operations if each.kind == "erase"} <= set(empty)
    told = [game.number for game in told_after_a_reset(machine)]
    assert told == [*range(8, 71), 1, 2, 3]


def test_a_file_of_someone_elses_stays():
    """One in each page: there is no page to erase, so no room for the choice, nor for a game."""
    machine = v2(chunk(b"\xfe\x0d\x08marks.de"))
    before = machine.files()
    assert offers_after_choosing(machine) == "Pb"
    assert not told_after_a_reset(machine)
    assert machine.files() == before
