"""The device's modules, run on CPython: buttons, rules, tilt and the menu's first choice."""

import io
import sys
from contextlib import contextmanager
from functools import partial
from itertools import cycle, pairwise
from types import ModuleType, SimpleNamespace
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from needed import long
from noughts.brain.device import device_files, load_device
from noughts.game.positions import LINES
from sample_games import DRAW


class Bench:
    """The device's `buttons` on a clock that only moves when it waits.

    turns_ms: how long each turn of the loop takes, repeated; 6 ms on V1.
    """

    def __init__(self, turns_ms=(6,), stuck="", board="V1"):
        """stuck: the buttons whose pins read 0 permanently."""
        self.now_ms = 1000
        self.turns_ms = cycle(turns_ms)
        self.levels = {"a": 1, "b": 1}
        self.plan = []  # (ms on the clock, button, level)
        self.loses_at_ms = None  # when the firmware's clock loses 66 ms
        self.microbit = ModuleType("microbit")
        names = self.microbit.__dict__
        names.update(sleep=self.sleep, running_time=self.clock)
        for button, pin in (("a", "pin5"), ("b", "pin11")):
            level = partial(self.levels.get, button)
            names[f"button_{button}"] = SimpleNamespace(is_pressed=lambda level=level: not level())
            read = (lambda: 0) if button in stuck else level
            names[pin] = SimpleNamespace(read_digital=read)
        if board == "V2":
            names["pin_logo"] = None
        self.start()

    def start(self):
        files = {name: text for name, text in device_files().items() if name != "sound.py"}
        with patch.dict(sys.modules, microbit=self.microbit, sound=ModuleType("sound")):
            self.buttons = load_device("buttons", files)
        for _ in range(10):  # it has to see both buttons up
            self.buttons.wait()

    def clock(self):
        lost = self.loses_at_ms is not None and self.now_ms >= self.loses_at_ms
        return self.now_ms - 66 * lost

    def sleep(self, ms):
        self.now_ms += next(self.turns_ms)
        while self.plan and self.plan[0][0] <= self.now_ms:
            _, button, level = self.plan.pop(0)
            self.levels[button] = level

    def run(self, ms, *plan):
        """The presses in this many ms, while contacts change at these (ms, button, level)."""
        start = self.now_ms
        self.plan = sorted((start + at_ms, *contact) for at_ms, *contact in plan)
        events = []
        while self.now_ms < start + ms:
            events.append(self.buttons.wait())
        return [event for event in events if event]


@pytest.fixture
def bench():
    return Bench()


@pytest.mark.parametrize(("button", "event"), [("a", 1), ("b", 2)])
def test_press_is_pending_at_once_and_decided_after_100_ms(bench, button, event):
    assert bench.run(30, (10, button, 0)) == []
    assert bench.buttons.pending == event
    assert bench.run(79, (40, button, 1)) == []
    assert bench.run(24) == [event]
    assert bench.buttons.pending == 0
    assert bench.run(300) == []


@pytest.mark.parametrize("at_ms", range(0, 320, 6))
@pytest.mark.parametrize(("gap_ms", "decided"), [(150, [1, 2]), (90, [3])])
def test_presses_are_distinguished_when_the_clock_loses_66_ms(bench, at_ms, gap_ms, decided):
    bench.loses_at_ms = bench.now_ms + at_ms
    plan = (10, "a", 0), (70, "a", 1), (10 + gap_ms, "b", 0), (70 + gap_ms, "b", 1)
    assert bench.run(500, *plan) == decided


def test_press_is_pending_at_once_after_the_clock_has_lost_66_ms(bench):
    """The last change of its contact lies in the future then."""
    bench.loses_at_ms = bench.now_ms + 140
    assert bench.run(136, (10, "b", 0), (130, "b", 1)) == [2]
    bench.run(30, (14, "b", 0))
    assert bench.buttons.pending == 2


@pytest.mark.parametrize(("settles_ms", "every_ms"), [(24, 6), (20, 1.7), (5, 0.25)])
def test_bouncing_contact_counts_as_one_press(bench, settles_ms, every_ms):
    """At 6 ms, every turn of the loop sees a different level."""
    changes = 2 * round(settles_ms / every_ms / 2) + 1  # the last one stays
    plan = [
        (at_ms + every_ms * number, "a", level ^ (number % 2))
        for at_ms, level in ((20, 0), (200, 1))
        for number in range(changes)
    ]
    assert bench.run(600, *plan) == [1]


@pytest.mark.parametrize(("buttons", "event"), [("a", 1), ("b", 2), ("ab", 3)])
def test_buttons_held_for_minutes_count_as_one_press(bench, buttons, event):
    assert bench.run(300_000, *((20, button, 0) for button in buttons)) == [event]


HELD_MS = st.integers(40, 46) | st.integers(40, 300)
APART_MS = st.integers(0, 6) | st.integers(95, 100) | st.integers(0, 100)


def gestures(least_gap_ms):
    """Gestures: the buttons, in the order pressed; how long each is held; how long they were up
    before; and how long after the first button the second is pressed."""
    up_ms = st.integers(least_gap_ms, least_gap_ms + 6) | st.integers(least_gap_ms, 300)
    single = st.tuples(st.sampled_from(["a", "b"]), HELD_MS, HELD_MS, up_ms, st.just(0))
    both = st.tuples(st.sampled_from(["ab", "ba"]), HELD_MS, HELD_MS, up_ms, APART_MS)
    return st.lists(single | both, min_size=1, max_size=12)


def perform(made):
    """The contact changes that these gestures make, and the presses expected of them."""
    plan, expected = [], []
    up_ms = {"a": 0, "b": 0}  # when each was released
    pressed_ms, single = 0, ""  # the last press, and its button if it was a single one
    for buttons, *held_ms, gap_ms, apart_ms in made:
        first, second = buttons[0], buttons[1:]
        at_ms = max(pressed_ms + 20, up_ms[first] + gap_ms)
        if single and single != first:
            at_ms = max(at_ms, pressed_ms + 150)  # so that it does not count as both
        if second:
            at_ms = max(at_ms, up_ms[second] + gap_ms - apart_ms)
        pressed_ms, single = at_ms + apart_ms if second else at_ms, "" if second else first
        for button, press_ms, ms in zip(buttons, (at_ms, pressed_ms), held_ms, strict=False):
            up_ms[button] = press_ms + ms
            plan += [(press_ms, button, 0), (up_ms[button], button, 1)]
        expected.append(3 if second else 1 + "ab".index(first))
    return plan, expected


# A turn with a sentence or the chip's choice takes two ticks of V1's clock. Where several such
# turns follow each other, bounce can hide the order of presses after a gap of less than 26 ms.
@pytest.mark.parametrize(
    ("board", "turns_ms", "least_gap_ms"),
    [
        long("V1", st.just(6), 20),
        ("V1", st.sampled_from([6, 12]), 26),
        ("V2", st.integers(5, 8), 20),
    ],
)
@settings(deadline=None)
@given(data=st.data())
def test_every_tap_of_40_ms_after_a_gap_counts(board, turns_ms, least_gap_ms, data):
    plan, expected = perform(data.draw(gestures(least_gap_ms)))
    bench = Bench(data.draw(st.lists(turns_ms, min_size=1)), board=board)
    length_ms = max((at_ms for at_ms, *_ in plan), default=0)
    assert bench.run(length_ms + 300, *plan) == expected


@pytest.mark.parametrize("stuck", ["a", "b", "ab"])
def test_pins_stuck_at_0_are_ignored_on_v2(stuck):
    bench = Bench(stuck=stuck, board="V2")
    plan = [(100, "a", 0), (200, "a", 1), (400, "b", 0), (500, "b", 1)]
    assert bench.run(800, *plan) == [1, 2]


@pytest.mark.parametrize(("board", "stuck"), [("V1", ""), ("V2", ""), ("V2", "ab")])
def test_button_held_since_boot_does_not_count_as_a_press(board, stuck):
    bench = Bench(board=board, stuck=stuck)
    bench.levels["a"] = 0
    bench.start()
    assert bench.run(300) == []
    assert bench.run(600, (10, "a", 1), (200, "a", 0), (400, "a", 1)) == [1]


rules = load_device("rules")


@pytest.fixture
def tilt():
    return load_device("tilt")


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("player", [1, -1])
def test_each_line_wins_and_cells_score_only_on_their_lines(line, player):
    marks, score = [0] * 9, [0] * 8
    for count, cell in enumerate(line, 1):
        assert rules.result(marks, score) == 2
        rules.place(marks, score, cell, player)
        assert score == [player * len({*line[:count]} & {*row}) for row in LINES]
    assert rules.result(marks, score) == player


def test_full_board_without_a_line_is_a_draw():
    marks, score = [0] * 9, [0] * 8
    for ply, cell in enumerate(DRAW):
        rules.place(marks, score, cell, (1, -1)[ply % 2])
    assert rules.result(marks, score) == 0


@pytest.mark.parametrize(
    ("right", "down", "cell"),
    [
        (301, 0, 5), (-301, 0, 3), (0, 301, 7), (0, -301, 1), (500, 400, 5), (-400, 500, 7),
        (300, -300, 4), (-300, 0, 4), (0, 300, 4), (0, -300, 4),
    ],
)  # fmt: skip
def test_tilt_beyond_300_mg_moves_the_cursor_one_cell(tilt, right, down, cell):
    assert tilt.move(4, right, down, 1000) == cell


def test_cursor_repeats_its_move_every_800_ms(tilt):
    moves = [now for now in range(1000, 4000, 6) if tilt.move(3, 400, 0, now) != 3]
    assert [later - now for now, later in pairwise(moves)] == [804] * 3


def test_tilt_in_a_new_direction_moves_the_cursor_at_once(tilt):
    assert tilt.move(4, 400, 0, 1000) == 5
    assert tilt.move(5, 0, 0, 1006) == 5
    assert tilt.move(5, 400, 0, 1012) == 5  # the edge
    assert tilt.move(5, -400, 0, 1018) == 4


@pytest.mark.parametrize("cell", range(9))
def test_cursor_stays_on_the_board_and_in_its_row_or_column(tilt, cell):
    for now, (right, down) in enumerate([(400, 0), (-400, 0), (0, 400), (0, -400)]):
        there = tilt.move(cell, right, down, 1000 + now)
        assert 0 <= there < 9
        assert there // 3 == cell // 3 or there % 3 == cell % 3


def offered(content):
    """The menu's first choice with this content in the file `settings`; None: no such file."""
    shown = []
    pin = SimpleNamespace(read_digital=None)
    display = SimpleNamespace(show=shown.append)
    microbit = SimpleNamespace(display=display, pin5=pin, pin11=pin)

    def open_file(name):
        assert name == "settings"
        if content is None:
            raise OSError
        return io.StringIO(content)

    with patch.dict(sys.modules, microbit=microbit), patch("builtins.open", open_file):
        loop = load_device("loop")
    assert shown == [loop.chosen[0].replace("P", "2")]
    return loop.chosen


CHOICES = ["Pbs", "Ptq", "Ebs", "Etq", "Mbq", "Mts", "Hbs", "Htq"]
DAMAGED = [
    "",
    "H",
    "Zb",
    "Hq",
    "Hb",
    "Hbx",
    "Hb\xff",
    "H\xff",
    " P",
    "b ",
    "\0\0",
    "hb" * 99,
    '{"volume": 11}',
    None,
]


def test_menu_offers_the_last_choice_or_the_default():
    for choice in CHOICES:
        assert offered(choice) == offered(choice + "\xff" * 9_000) == choice
    assert [offered(content) for content in DAMAGED] == ["Pbs"] * len(DAMAGED)


def test_cursor_is_lit_when_a_turn_begins():
    """Whatever the clock says then, it blinks every 100 ms from there on."""
    stubs = {
        "buttons.py": b"now = 1100\npending = 0\n"
        b"def wait():\n global now\n now += 20\n return 3 * (now > 1400)\n",
        "leds.py": b"drawn = []\ndef draw(marks, *drawing): drawn.append(drawing)\n",
    }
    microbit = SimpleNamespace(Image=None, accelerometer=None)
    with patch.dict(sys.modules, microbit=microbit):
        human = load_device("human", {**device_files(), **stubs})
    assert human.choose([0] * 9, 1, "b") == -1
    lit, dark = ((4,), 9), ((4,), 0)
    assert human.leds.drawn == [(1120, *lit), (1200, *dark), (1300, *lit), (1400, *dark)]


def test_next_games_cursor_has_its_tone_where_the_last_one_was():
    """Between them, the winning line flashes, which has no tones of its own."""
    tones = []
    music = SimpleNamespace(pitch=lambda hertz, *_, **__: tones.append(hertz))
    microbit = SimpleNamespace(pin_logo=None)
    stubs = {
        "loop.py": b"chosen = 'Pbs'\n",
        "leds.py": b"def show(picture): pass\ndef draw(*drawn): pass\n",
        "ending.py": b"show = None\n",
        "menu.py": b"choose = None\n",
    }
    with patch.dict(sys.modules, microbit=microbit, music=music):
        leds = load_device("sound", {**device_files(), **stubs}).leds
    for cells in ((4,), (4,), (3, 4, 5), (), (3, 4, 5), (4,)):
        leds.draw([0] * 9, 0, cells, 9)
    assert len(tones) == 2 and len(set(tones)) == 1


def test_v1_resends_all_games_before_it_stores_the_next_one(capsys):
    """So neither the game that the next one replaces is missing, nor is that one resent."""
    numbers = range(100_799, 100_823)  # the next one belongs into file 23, the last that is resent
    ring = {str(number % 24): f"{number}$game {number}".encode() for number in numbers}

    @contextmanager
    def open_file(name, mode):
        file = io.BytesIO(ring[name]) if mode == "b" else io.StringIO()
        yield file
        if mode == "w":
            ring[name] = file.getvalue().encode()

    buttons = {"buttons.py": b"def wait(): return 0\n"}
    with patch("builtins.open", open_file):
        games = load_device("games_v1", {**device_files(), **buttons})
    games.buttons.wait()
    games.save("$next game")
    for _ in range(30):
        games.buttons.wait()
    in_files = [*numbers[1:], numbers[0]]
    assert capsys.readouterr().out.splitlines() == [f"$game {number}" for number in in_files]
    assert ring["23"] == b"100823$next game"


@pytest.mark.parametrize(("drawn", "boot"), [(min, "00000000"), (max, "FFFFFFFF")])
def test_boot_id_always_has_eight_digits(monkeypatch, drawn, boot):
    monkeypatch.setattr("random.randrange", lambda stop: drawn(range(stop)))
    assert load_device("sentences").boot == boot


OURS, PARTNERS = "3E5A5FD2", "9A1B2C3D"
RADIO_STUBS = {
    "loop.py": b"chosen = 'Rbs4'\n",
    "leds.py": b"def show(picture): pass\ndef draw(*drawn): pass\n",
    "buttons.py": b"now = 1000\npending = 0\ndef wait(): return 0\n",
    "sentences.py": f"boot = '{OURS}'\n".encode(),
}
GOOD_FRAME = f"{OURS},{PARTNERS},{PARTNERS},2,PP,B,402,5120,"


@pytest.fixture
def radio():
    """A radio that sends nothing, and receives nothing yet."""
    radio = ModuleType("radio")
    radio.__dict__.update(config=lambda **_: None, on=lambda: None, send_bytes=lambda _: None)
    return radio


@pytest.fixture
def receives(radio):
    """What `repeat` knows of the partner once it has received a frame: its fields, and when."""
    with patch.dict(sys.modules, radio=radio):
        repeat = load_device("repeat", {**device_files(), **RADIO_STUBS})

    def receives(frame, pending=0, sends=False):
        repeat.buttons.pending = pending
        repeat.again = repeat.buttons.now + (not sends)
        repeat.ours[0] = f"{PARTNERS},{OURS}"
        radio.receive_bytes = lambda: frame
        repeat.wait()
        return repeat.theirs[1:], repeat.heard

    return receives


@pytest.mark.parametrize("end", ["", "x"])
def test_partners_frame_is_received(receives, end):
    fields = [f"{PARTNERS},2,PP,B", "402", "5120", end]
    assert receives((GOOD_FRAME + end).encode()) == (fields, 1000)


@pytest.mark.parametrize("turn", [{"pending": 1}, {"sends": True}])
def test_turn_that_answers_a_press_or_sends_receives_nothing(receives, turn):
    """So no turn is long."""
    assert receives(GOOD_FRAME.encode(), **turn) == ([""] * 4, 0)


@pytest.mark.parametrize(
    ("part", "other"),
    [
        (",402,", ",404,"),  # a cell twice
        (",402,", ",409,"),  # no cell
        (",402,", ",4x2,"),
        (",2,PP", ",z,PP"),
        (",5120,", ",5_,"),
        (",5120,", ",5120"),  # a field less, and one more
        (",5120,", ",5120,,"),
        (",5120,", ",5120,y"),
        (",5120,", ",5120,xx"),
        (OURS, "00000000"),
        (f",{PARTNERS},", ",00000000,"),
        (GOOD_FRAME, ""),
        (GOOD_FRAME, "\xff"),
    ],
)
def test_frame_that_is_not_the_partners_or_is_damaged_is_ignored(receives, part, other):
    assert part in GOOD_FRAME
    frame = GOOD_FRAME.replace(part, other, 1).encode("latin1")
    assert receives(frame) == ([""] * 4, 0)


@pytest.fixture
def hears(radio, monkeypatch):
    """What a searching board knows of its partner after a frame.

    Its id, how many more frames to this board it has sent, and when it was heard.
    """
    files = {**device_files(), **RADIO_STUBS}
    monkeypatch.setitem(sys.modules, "microbit", ModuleType("microbit"))
    monkeypatch.setitem(sys.modules, "radio", radio)
    for name in ("buttons", "repeat"):
        monkeypatch.setitem(sys.modules, name, load_device(name, files))
    join = load_device("join", {name: files[name] for name in ("join.py", "loop.py")})

    def hears(frame, partner=""):
        join.ids[:] = partner, OURS, 0
        radio.receive_bytes = lambda: frame
        join.receive()
        return join.ids[0], join.ids[2], sys.modules["repeat"].heard

    return hears


@pytest.mark.parametrize(
    ("to", "sender", "partner", "heard"),
    [
        ("", PARTNERS, PARTNERS, 1000),
        (OURS, PARTNERS, PARTNERS, 1000),
        ("00000000", PARTNERS, "", 0),
        ("", PARTNERS[1:], "", 0),
        ("", PARTNERS + "0", "", 0),
    ],
)
def test_board_that_searches_takes_a_partner_that_searches_too(hears, to, sender, partner, heard):
    frame = f"{to},{sender},,0,PP,A,,0,".encode()
    assert hears(frame) == (partner, 0, heard)  # it may have been the last one to us


@pytest.mark.parametrize(
    ("to", "sender", "count", "heard"),
    [(OURS, PARTNERS, 1, 1000), (OURS, "00000000", 0, 0), ("", PARTNERS, 0, 0)],
)
def test_only_frames_of_its_partner_to_it_count(hears, to, sender, count, heard):
    frame = f"{to},{sender},,0,PP,A,,0,".encode()
    assert hears(frame, partner=PARTNERS) == (PARTNERS, count, heard)
