"""How a V2 keeps games, in a model of its flash: whatever is cut, files are never moved for it."""

import struct
from random import Random

import pytest

from needed import long
from v2_flash import CHUNKS, Flash, PowerCutError

KEPT = 64
CHOICES = [seat + controls for seat in "PEMH" for controls in "bt"]


class Board:
    """A V2 that is played on for years, and what it should know."""

    def __init__(self, taken, seed):
        self.random = Random(seed)
        self.flash = Flash(taken, self.random)
        self.games = []  # that were kept, the oldest first
        self.keeping = None  # the one that was being written
        self.choices = {"Pb"}  # one of them should be there
        self.cuts = 0
        self.full = 0  # how often there was no room

    def start(self):
        told = []
        offered = "" if "~c" in self.flash.listdir() else self.flash.offers()
        self.v2 = self.flash.power(told)
        if self.keeping in told:
            self.games.append(self.keeping)
        self.keeping = None
        assert set(told) <= set(self.games) and len(told) == len(set(told))
        assert told == self.games[-len(told) :] if told else not self.games
        assert len(told) >= min(KEPT, len(self.games))
        choice = self.flash.offers()
        assert choice in self.choices
        assert choice == (offered or choice)  # what the menu has read before `v2.py` looked at it
        self.choices = {choice}

    def choose(self):
        choice = self.random.choice(CHOICES)
        before = bytes(self.flash.content)
        possible, self.choices = self.choices, {*self.choices, choice, "Pb"}
        self.v2.keep(choice)
        if self.flash.content == before:
            self.full += 1
            self.choices = possible
        else:
            self.choices = {choice}

    def play(self):
        number, ms = self.random.randrange(1, 2**16), self.random.randrange(2**31)
        cells = "".join(map(str, self.random.sample(range(9), self.random.randrange(10))))
        self.keeping = (
            f"NG,{self.random.randrange(2**32):08X},{number},P{self.random.choice('PEMH')},"
            f"{self.random.choice('AB')},{cells},{ms},{self.random.choice('AB=x')}"
        )
        before = bytes(self.flash.content)
        self.v2.keep(f"${self.keeping}*00")
        if self.flash.content == before:
            self.full += 1
        else:
            self.games.append(self.keeping)
        self.keeping = None

    def session(self, share_of_cuts):
        """Some games, after which the power goes, or in the middle of which it is cut."""
        self.flash.writes_left = -1
        if self.random.random() < share_of_cuts:
            self.flash.writes_left = int(10 ** self.random.uniform(0, 3.2))
        try:
            self.start()
            for _ in range(self.random.choice([1, 2, 3, 5, 20])):
                if self.random.random() < 0.3:
                    self.choose()
                self.play()
        except PowerCutError:
            self.cuts += 1


@pytest.mark.parametrize("seed", [0, *map(long, (1, 2, 3))])
@pytest.mark.parametrize("taken", [long(95, id="game"), pytest.param(96, id="with radio")])
@pytest.mark.parametrize("share_of_cuts", [0, 0.5, 1])
def test_games_and_the_choice_are_kept_whatever_is_cut(taken, share_of_cuts, seed):
    board = Board(taken, seed)
    for _ in range(60 + round(200 * share_of_cuts)):
        board.session(share_of_cuts)
    assert len(board.games) > 2 * KEPT or board.full
    # Where hardly a write succeeds for long, room may end: but no file is ever moved.
    assert board.full == 0 or share_of_cuts == 1
    assert board.cuts > 90 * share_of_cuts or not share_of_cuts


def held(name, content, length):
    """A chunk with a file whose length has not all of its bits as they should be."""
    return bytes([0xFE, length, len(name)]) + name.encode() + content


@pytest.mark.parametrize("games", [1, 7, *map(long, range(2, 7))])
def test_a_length_that_is_half_written_costs_no_game_but_the_one_being_written(games):
    board = Board(96, 1)
    board.start()
    for _ in range(games):
        board.play()
    (name,) = (name for name in board.flash.listdir() if name != "ours")
    at = board.flash.where(name)
    true = board.flash.content[at + 1]
    for length in range(true, 256):
        if length | true == length:  # bits are written by making them 0
            board.flash.content[at + 1] = length
            again = board.flash.content[:]
            told = []
            board.flash.power(told)
            assert told == (board.games if length < 126 else [])
            board.flash.content[:] = again


@pytest.mark.parametrize("lengths", [range(12, 256, 27), long(range(12, 256))])
def test_a_choice_that_was_being_moved_is_the_one_of_before(lengths):
    for length in lengths:
        flash = Flash(96, Random(1))
        flash.put(100, held("0", b"100000Mt", 11))
        flash.put(CHUNKS - 1, held("~c", b"100000Mt", length))
        flash.power([])
        assert sorted(flash.listdir()) == ["0", "ours"]
        assert flash.offers() == "Mt"


def test_a_page_that_was_half_erased_is_erased_anew():
    """Few of its chunks are erased: not enough to empty the other page into."""
    flash = Flash(96, Random(1))
    for index in range(96, CHUNKS):
        flash.put(index, b"" if index > CHUNKS - 4 else b"\0")
    for file in range(9):
        game = struct.pack("<IIIIB", 0x0BADB007, file + 1, 1402, 5120, 51)
        name = f"~{chr(64 + 2 * file)}"
        flash.put(100 + file, held(name, bytes([0, file]) + 7 * game, 125))
    v2 = flash.power([])
    for number in range(1, 30):
        v2.keep(f"$NG,0000000A,{number},PH,A,402,5120,x*00")
    told = []
    flash.power(told)
    assert [game.split(",")[2] for game in told if "0000000A" in game] == [*map(str, range(1, 30))]


def test_what_is_not_ours_stays_and_takes_the_room():
    for places, keeps in (([], True), ([100, 130], False), ([130], False)):
        flash = Flash(96, Random(1))
        for place in places:
            flash.put(place, held("marks.de", b"mine", 14))
        v2 = flash.power([])
        v2.keep("$NG,0BADB007,1,PH,A,402,5120,x*00")
        assert (len(flash.listdir()) > 1 + len(places)) == keeps
        assert flash.listdir().count("marks.de") == len(places)
        v2.keep("Ht")
        assert flash.offers() == "Ht"
