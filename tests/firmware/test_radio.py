"""Games by radio, in device time: what a V2 sends and what a gateway prints."""

import re
from collections import Counter
from itertools import pairwise

import pytest

from boards import A, B, Driver
from microbit_emulator import Ether
from needed import long
from noughts.boards.packing import files_for_boards
from noughts.boards.radio import Radio, files_with
from noughts.protocol.parser import Noise, ParsedSentence
from noughts.protocol.sentences import checksum
from official import firmwares, stepped
from radio_class import play

GROUP = 7
V1, V2, OLD_V2 = "V1 1.1.1", "V2 2.1.2", "V2 2.0.0-beta.5"
REPEATS, QUICKER = 10, 40
LONGEST_S = 1.5 * 62 / QUICKER


def sender_files():
    return dict(files_with(Radio(sends=GROUP), "V2", files_for_boards()))


def sender(firmware=V2, files=None):
    return stepped(firmware)(files or sender_files(), 1)


def gateway(firmware):
    return stepped(firmware)(files_with(Radio(gateway=GROUP), firmware[:2], {}), 99)


class Sender(Driver):
    """A board that sends by radio, alone in an ether or with others."""

    def __init__(self, board, *others):
        self.ether = Ether({"sender": board, **{f"{n}": o for n, o in enumerate(others)}})
        super().__init__(board)

    def sent(self):
        return [packet.payload.decode() for packet in self.ether.history]

    def sent_by_cable(self):
        """The bodies of all sentences that it has sent over its cable."""
        self.listen()
        return [item.line[1:-3] for item in self.items if isinstance(item, ParsedSentence)]

    @property
    def id(self):
        """Its radio id."""
        lines = "\n".join(map(line_of, self.noise))
        match = re.search(rf"radio ([0-9A-F]{{8}}) {GROUP}$", lines, re.MULTILINE)
        assert match
        return match[1]

    def frame(self, body):
        inner = f"NR,{self.id},{body}"
        return f"${inner}*{checksum(inner)}"


def lines(gateway):
    """The lines that a gateway has printed, except its first."""
    gateway.listen()
    printed = [line_of(item) for item in gateway.items]
    return [line for line in printed if not re.match(r"(\\x00)*gateway ", line)]


def line_of(item):
    return item.text if isinstance(item, Noise) else item.line


@pytest.mark.parametrize(
    ("sending", "listening"),
    [(V2, V1), *(long(V2, other) for other in firmwares() if other != V1), long(OLD_V2, V2)],
)
def test_gateway_prints_a_game_exactly_as_sent(sending, listening):
    receiver = Driver(gateway(listening))
    board = Sender(sender(sending), receiver.board)
    board.start()
    board.start_game()
    board.play_out("4", "-")
    board.press(A, B)
    board.says("4", "x")
    board.rest(500)
    frames = list(dict.fromkeys(board.frame(body) for body in board.sent_by_cable()))
    assert len(frames) == 5 and frames[0].startswith(f"$NR,{board.id},NB,1,")
    assert list(dict.fromkeys(lines(receiver))) == list(dict.fromkeys(board.sent())) == frames


def test_important_sentences_are_repeated_at_random_intervals():
    files = sender_files()
    assert files["air.py"].count(b"random.randrange(500,1500)<<i[1]//2") == 1
    files["air.py"] = files["air.py"].replace(b"500,1500", b"13,37")  # a fortieth of the pauses
    board = Sender(sender(files=files))
    board.start()
    for _ in range(2):  # quick games: the first is still being repeated
        board.press(B)
        board.rest(300)
        board.press(A, B)
    board.rest(LONGEST_S * 1000 + 500)
    bodies = board.sent_by_cable()
    repeated = [body for body in bodies if not body.endswith("-") and not body.startswith("NM")]
    assert len(bodies) == 8 and len(repeated) == 3
    sent = board.sent()
    assert Counter(sent) == Counter(map(board.frame, bodies + repeated * REPEATS))
    sent_s = {board.frame(body): [] for body in repeated}
    for packet, text in zip(board.ether.history, sent, strict=True):
        if text in sent_s:
            sent_s[text].append(packet.start / 64e6)
    for times in sent_s.values():
        pauses = [later - sooner for sooner, later in pairwise(times)]
        for number, pause_s in enumerate(pauses):
            longest_s = 1.5 * (1 << number // 2) / QUICKER
            # The board counts milliseconds, and its loop may take a few more.
            assert longest_s / 3 - 0.001 < pause_s < longest_s + 0.03
        assert LONGEST_S / 3 < sum(pauses) < LONGEST_S
    starts = {round(times[-1] - times[0], 2) for times in sent_s.values()}
    assert len(starts) == len(sent_s)


def test_press_skips_the_scrolling_group_and_still_counts():
    board = Sender(sender())
    off = board.ether.snapshot()
    board.scrolls(f"radio {GROUP}")
    board.shows("2")
    off.restore()
    board.start()
    started = board.ether.snapshot()
    board.rest(900)
    board.press(A)
    board.shows("E", 0.1)
    started.restore()
    board.rest(900)
    board.press(B)
    board.says("", "-", 0.1)
    board.press(A, B)
    board.shows("2", 1)  # its group is not shown again


@pytest.mark.parametrize("when_ms", [0, long(4000)])
def test_ctrl_c_reaches_the_repl(when_ms):
    for board in Driver(sender()), Driver(gateway(V1)):
        board.rest(2500)  # the first start of a V2 formats its log, for 0.7 s
        board.cut_power()
        board.items.clear()
        board.rest(1200 + when_ms)
        board.board.uart.send(b"\x03")
        board.rest(200)
        lines = [line_of(item).rstrip() for item in board.items]
        assert "KeyboardInterrupt:" in lines
        assert lines[-2].startswith("MicroPython v"), lines  # then how to get help


def test_radio_fault_does_not_end_the_game():
    files = sender_files()
    files["air.py"] = files["air.py"].replace(b"radio.send_bytes(i[2])", b"raise OSError", 1)
    board = Sender(sender(files=files))
    board.start()
    board.start_game()
    board.play_out("4", "-")
    assert not board.ether.history and len(board.noise) == 1


def test_game_without_radio_does_not_import_radio():
    """Only two files do, of boards that play with a second one, after a reset."""
    files = files_for_boards()
    importing = {name for name, text in files.items() if re.search(rb"import.*\bradio\b", text)}
    assert importing == {"join.py", "repeat.py"}
    board = Driver(stepped(V2)(files))  # a V1 does not list its modules
    board.start()
    board.start_game()
    board.board.uart.send(b"\x03")
    board.rest(500)
    board.board.uart.send(b"import sys; print('join' in sys.modules, 'repeat' in sys.modules)\r")
    board.rest(500)
    lines = [line_of(item).rstrip() for item in board.items]
    assert "False False" in lines, lines


GOOD = ["$NR,9A1B2C3D,NG,3E5A5FD2,119,PH,A,402,5120,-*hh", "$NR,x*00"]
RUBBISH = [
    *(b"", b"$", b"$NR,*0", b"$NR,half", b"NR,9A1B2C3D,x*00"),
    *(b"$NR,\x1b[2J*00", b"$NR,\xff\xfe*00", b"$NR,\x03*00"),
    b"$NG,3E5A5FD2,119,PH,A,402,5120,-*00",
    b"$NR,\r\n$NB,1,3E5A5FD2,V2,1.0.0,2798*00",
    b"$NR,*00$NB,1,3E5A5FD2,V2,1.0.0,2798*00",
    *(bytes(251), b"$NR," + b"A" * 247, bytes(range(65))),
]
SENDS = """
import radio
from microbit import sleep
radio.config(length=251, channel=77, group=%d)
radio.on()
for i in range(300):
    radio.send_bytes(b'$NR,%%d*00' %% i)
for i in %r:
    sleep(20)
    radio.send_bytes(i)
sleep(2000)
for i in %r:
    radio.send_bytes(i)
    sleep(20)
"""


@pytest.mark.parametrize("firmware", [V1, *map(long, firmwares()[1:])])
def test_gateway_prints_valid_frames_and_survives_the_rest(firmware):
    receiver = Driver(gateway(firmware))
    receiver.scrolls(f"gateway {GROUP}")
    receiver.shows("9.... ..... ..... ..... .....")
    program = SENDS % (GROUP, RUBBISH, GOOD)
    board = Sender(stepped(V2)({"main.py": program.encode()}), receiver.board)
    board.wait(lambda: len(board.ether.history) == 300 + len(RUBBISH) + len(GOOD), "all frames")
    board.rest(100)
    printed = lines(receiver)
    assert printed[-2:] == GOOD
    # Of many at once, it prints those it has room for: whole, once and in order.
    many = [f"$NR,{number}*00" for number in range(300)]
    assert printed[:-2] == [line for line in many if line in printed]
    assert len(printed) > {"V1": 90, "V2": 250}[receiver.board.board]
    at = len(printed)
    lit = ["9" if led == at % 25 else "." for led in range(25)]
    assert receiver.leds().replace(" ", "") == "".join(lit)


@pytest.mark.long
def test_class_plays_by_radio():
    """`tools/radio_class.py` does the same with 30 boards."""
    result = play(3, 10, 0.3, 5, rest_s=8, pauses_us=(150_000, 400_000))
    assert not result.wrong
    assert result.games >= 3 and result.ends["complete"] == result.games
    lost = result.frames - result.arrived
    assert 0.2 < lost / result.frames < 0.4
    # Without repeats, a third of the ends would be lost.
    assert result.frames > 1.5 * result.sentences
