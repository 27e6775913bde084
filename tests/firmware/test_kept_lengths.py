"""A V1 whose power went while the length of a kept game's file was written, the last of it."""

from functools import cache

import pytest

from needed import long
from noughts.virtual.program import firmware_for, program
from soak.machine import Machine
from soak.player import A, Player

CHUNK, ROOM = 128, 126
NAME = b"31"
"""Of the second game's file: the first has number 100,000, and a name modulo 65."""
UNKNOWN = 0xFF
"""The length of a file that was never closed; it reads as empty."""


@cache
def played():
    """A flash that keeps three games, and what they are."""
    machine = Machine("V1", flash=program("V1").flash)
    player = Player(machine)
    player.boots()
    for _ in range(3):
        player.start()
        player.leave()
    return bytes(machine.microbit.flash), [game for game in player.games if game.end == "x"]


def kept_file(flash):
    """Where the file is, of one chunk: a marker, its length, the length of its name, its name."""
    header = bytes([len(NAME)]) + NAME
    (at,) = (
        at
        for at in firmware_for("V1", None).layout[::CHUNK]
        if flash[at] == 0xFE and flash[at + 2 : at + 2 + len(header)] == header
    )
    return at


def told(machine):
    """The games that are told at the next start; anything else that is said is an error."""
    player = Player(machine)
    player.boots()
    machine.rest(1500)
    player.listen()
    return player.kept


@pytest.mark.parametrize("more", [64, UNKNOWN, *map(long, (4, 16, 4 + 16, 128, 64 + 128))])
def test_it_starts_and_tells_the_others(more):
    """Bits only go from 1 to 0 while it is written, so some may still be 1."""
    flash, games = played()
    at = kept_file(flash)
    length = flash[at + 1]
    assert length | more != length
    torn = flash[: at + 1] + bytes([length | more]) + flash[at + 2 :]
    machine = Machine("V1", seed=2, flash=torn)
    for _ in range(2):
        assert told(machine) == [games[0], games[2]]
        machine.cut_power()
    # What reads the whole file does not leave the chunk.
    flash = bytes(machine.microbit.flash)
    assert flash[kept_file(flash) + 1] in (*range(ROOM + 1), UNKNOWN)


def newest(machine):
    """The flash, and where the last file begins that is not ours; there is no other."""
    flash = bytes(machine.microbit.flash)
    chunks = range(firmware_for("V1", None).layout.start, len(flash), CHUNK)
    (at,) = (at for at in chunks if flash[at] == 0xFE and flash[at + 2] < 3)
    return flash, at


def test_a_game_whose_power_goes_leaves_its_choice_and_its_place():
    machine = Machine("V1")
    player = Player(machine)
    player.boots()
    player.tap(A)  # easy
    player.start()
    machine.cut_power()
    _, begun = newest(machine)
    assert player_offers(machine) == "Eb"
    flash, ended = newest(machine)
    assert ended != begun and flash[ended + 1] < ROOM
    # Of its length, the last of it, some bits are as they were before; then it is told no more.
    torn = flash[: ended + 1] + bytes([flash[ended + 1] | 64]) + flash[ended + 2 :]
    machine = Machine("V1", seed=2, flash=torn)
    assert not told(machine)
    flash, at = newest(machine)
    assert flash[at + 1] == UNKNOWN
    machine.cut_power()
    assert player_offers(machine) == "Eb"


def player_offers(machine):
    """The choice at the next start, with which a game is played."""
    player = Player(machine)
    player.boots()
    return player.choice()
