"""Sound on a V2: what a person hears, and the touch of the logo that switches it off."""

import re

import pytest

from boards import A, B, Driver, in_menu
from needed import long
from noughts.boards.flash import our_hex
from noughts.brain.device import device_files
from noughts.virtual.program import unchanged
from official import stepped
from sample_games import DRAW
from two_boards import TwoBoards


def heard(samples):
    """The tones that last at least 20 ms, each as its first frequency."""
    groups = []
    for hz in samples:
        if groups and abs(hz - groups[-1][0]) <= 0.05 * hz:
            groups[-1].append(hz)
        else:
            groups.append([hz])
    return [group[0] for group in groups if group[0] and len(group) >= 4]


class Listener(Driver):
    """Notes which tones sound while the board runs."""

    def __init__(self, board):
        super().__init__(board)
        self.tones = []

    def rest(self, ms):
        """The board runs in short steps, and each time its tone is noted, in Hz."""
        for _ in range(round(ms / 5)):
            self.board.run_for(5_000)
            tone = self.board.tone()
            self.tones.append(0 if tone is None else tone.frequency_hz)
        self.listen()

    def hear(self, *buttons, ms=500):
        """The tones after a press, in Hz, one after the other."""
        self.rest(100)
        self.tones = []
        self.press(*buttons, up_ms=ms)
        return heard(self.tones)

    def touch(self):
        self.board.touch_logo(True)
        self.rest(100)
        self.board.touch_logo(False)
        self.rest(1500)


def listener(board="V2 2.1.2"):
    return Listener(in_menu(stepped(board)).board)


@pytest.mark.parametrize("firmware", ["V2 2.1.2", long("V2 2.0.0-beta.5")])
def test_each_cell_and_each_players_mark_has_its_tone(firmware):
    ear = listener(firmware)
    ear.press(B)  # two people; the cursor is on the centre
    cells = {cell: ear.hear(A)[-1] for cell in (5, 6, 7, 8, 0, 1, 2, 3, 4)}
    in_order = [cells[cell] for cell in range(9)]
    mark_of_a = ear.hear(B)[0]
    mark_of_b = ear.hear(B)[0]
    # The firmware rounds them by up to 0.7%; two cells are 7% apart or more.
    assert in_order == pytest.approx([262 + 40 * cell for cell in range(9)], rel=0.01)
    assert [mark_of_a, mark_of_b] == pytest.approx([784, 196], rel=0.01)


def test_press_that_places_nothing_has_the_lowest_tone():
    ear = listener()
    ear.press(A, B)  # tilt: the board lies flat
    ear.rest(800)
    ear.press(B)
    nothing = ear.hear(B)  # it is player A's turn
    mark_of_a, *_ = ear.hear(A)
    assert len(nothing) == 1 and nothing[0] < 140 < mark_of_a


@pytest.mark.parametrize(("moves", "end", "notes"), [((0, 3, 1, 4, 2), "A", 4), long(DRAW, "=", 1)])
def test_end_of_a_game_has_a_tune(moves, end, notes):
    ear = listener()
    ear.start_game()
    for cell in moves[:-1]:
        ear.place(cell)
    ear.place(moves[-1])
    assert ear.games[-1].end == end
    ear.tones = []
    ear.rest(1500)
    assert len(heard(ear.tones)) >= notes


def test_logo_switches_sound_off_and_on_and_the_board_remembers_it():
    ear = listener()
    ear.touch()
    assert ear.choices[-1] == "Pbq"
    ear.press(B)
    assert ear.hear(A) == []
    ear.press(A, B)
    ear.board.reset()
    ear.start()
    assert ear.choices[-1] == "Pbq"
    ear.touch()
    assert ear.choices[-1] == "Pbs"
    ear.press(B)
    assert ear.hear(A)
    assert not ear.noise


def test_letters_of_the_menu_have_no_tone():
    ear = listener()
    assert [ear.hear(A) for _ in "EMHR"] == [[]] * 4


@pytest.mark.long
def test_by_radio_search_and_silence_have_no_tone_and_only_the_winner_has_its_tune():
    pair = TwoBoards(["V2 2.1.2"] * 2)

    def hear(ms):
        """What each board plays, in Hz, one tone after the other."""
        tones = {name: [] for name in pair.boards}
        for _ in range(ms // 5):
            pair.rest(5)
            for name, board in pair.boards.items():
                tone = board.driver.board.tone()
                tones[name].append(0 if tone is None else tone.frequency_hz)
        return {name: heard(samples) for name, samples in tones.items()}

    pair.choose_channels()
    pair.tap("a", B, up_ms=0)
    assert hear(2000)["a"] == []
    pair.tap("b", B, up_ms=0)
    pair.wait(lambda: all(board.games for board in pair.all), "a game")
    pair.rest(1500)
    pair.ether.loss = 1
    assert hear(12_000) == {"a": [], "b": []}
    pair.ether.loss = 0
    pair.rest(1500)
    for cell in (4, 1, 3, 6):
        if cell == 6:  # B's cursor begins at 5
            pair.tap(pair.mover(), A)
        pair.move()
        assert pair.boards["a"].games[-1].moves[-1] == cell
    winner = pair.mover()
    pair.move()
    assert pair.boards["a"].games[-1].end == "A"
    rises = {name: tones[0] < tones[-1] for name, tones in hear(1500).items()}
    assert rises == {name: name == winner for name in "ab"}


def test_quiet_hex_starts_silent():
    program = unchanged(our_hex(quiet=True).firmwares["V2"])
    ear = Listener(program.microbit())
    ear.start()
    assert ear.choices == ["Pbq"]


def test_tones_survive_a_collection_of_garbage():
    """The firmware reads the notes later, and keeps nothing from being collected."""
    files = device_files()
    source = files["buttons.py"].replace(b"import microbit\n", b"import gc, microbit\n", 1)
    collecting, count = re.subn(rb"    microbit\.sleep\(5\)\n", rb"\g<0>    gc.collect()\n", source)
    assert count == 1
    ear = Listener(stepped("V2 2.1.2")(files | {"buttons.py": collecting}))
    ear.start()
    ear.press(B)
    for _ in range(12):
        ear.press(A)
        ear.press(B)
    assert len(ear.games) > 5 and not ear.noise
