"""Radio between micro:bits: the official firmwares' `radio`, through the modelled ether."""

import math
from collections.abc import Callable
from dataclasses import replace

import pytest

from microbit_emulator import Microbit
from microbit_emulator.radio import TICKS_PER_US
from on_air import FIRST, OLD_V1, OLD_V2, ON, SECOND, V1, V2, meet, received, say, send_at, value
from repl import another, long, run

PCNF1, DATAWHITEIV, WHITENING = 0x4000_1518, 0x4000_1554, 1 << 25


@pytest.mark.parametrize(
    ("one", "other"), [(V2, V1), *map(long, (V2, V1, OLD_V1), (V2, OLD_V2, V2))]
)
def test_boards_receive_each_others_packets(one: str, other: str) -> None:
    _, boards = meet(one, other)
    for sender, receiver in (boards, boards[::-1]):
        say(sender, "radio.send_bytes(b'\\x00\\xff$NG*00')")
        assert received(receiver) == [b"\x00\xff$NG*00"]
        say(sender, "radio.send('hello')")
        assert value(receiver, "repr(radio.receive())") == "hello"
        assert received(receiver) == received(sender) == []


def test_groups_channels_addresses_and_rates_are_separate() -> None:
    _, (sender, receiver) = meet(V2, V1)
    usual = "group=7, channel=7, address=0x75626974, data_rate=radio.RATE_1MBIT"
    for other in ("group=8", "channel=8", "address=0x75626975", "data_rate=radio.RATE_2MBIT"):
        say(sender, f"radio.config({other})\nradio.send_bytes(b'not for you')")
        assert received(receiver) == []
        say(receiver, f"radio.config({other})")
        say(sender, "radio.send_bytes(b'for you')")
        assert received(receiver) == [b"for you"]
        for board in (sender, receiver):
            say(board, f"radio.config({usual})")


@pytest.mark.parametrize(("whitened", "heard"), [("ab", []), ("a", []), ("", [b"x"])])
def test_whitening_matters_only_where_it_is_on(whitened: str, heard: list[bytes]) -> None:
    """The boards whiten from different values, if at all."""
    _, (sender, receiver) = meet(V1, V1)
    for name, board in (("a", sender), ("b", receiver)):
        fields = board.debugger.read_word(PCNF1) & ~WHITENING
        board.debugger.write_word(PCNF1, fields | WHITENING * (name in whitened))
        board.debugger.write_word(DATAWHITEIV, ord(name) & 0x3F)
    say(sender, "radio.send_bytes(b'x')")
    assert received(receiver) == heard


def test_frame_length_is_limited_by_both_boards() -> None:
    _, (sender, receiver) = meet(V2, V1)
    say(sender, "radio.send_bytes(bytes(range(100)))")
    assert received(receiver) == [bytes(range(64))]  # it is the firmware that truncates
    say(sender, "radio.config(length=251)\nradio.send_bytes(bytes(range(251)))")
    assert received(receiver) == []  # the CRC is wrong for the first 64 bytes
    say(receiver, "radio.config(length=251)")
    say(sender, "radio.send_bytes(bytes(range(251)))\nradio.send_bytes(b'')")
    assert received(receiver) == [bytes(range(251)), b""]


def test_full_queue_drops_new_packets() -> None:
    _, (sender, receiver) = meet(V2, V1)
    say(receiver, "radio.config(queue=2, length=8)")
    say(sender, "for i in range(5): radio.send_bytes(b'number %d' % i)")
    assert received(receiver) == [b"number 0", b"number 1"]


@pytest.mark.parametrize(("rate", "byte_us"), [("2MBIT", 4), ("1MBIT", 8), ("250KBIT", 32)])
def test_packet_takes_its_air_time(rate: str, byte_us: int) -> None:
    """A packet takes as long as its bits, and ends on both boards at the same moment."""
    _, (sender, receiver) = meet(V1, V1)
    for board in (sender, receiver):
        say(board, f"radio.config(data_rate=radio.RATE_{rate})")
    code = (
        "from utime import ticks_us\nshort, long = bytes(4), bytes(64)\n"
        "begin = ticks_us()\nradio.send_bytes(short)\nmiddle = ticks_us()\n"
        "radio.send_bytes(long)\nend = ticks_us()"
    )
    say(sender, code)
    begin, middle, end = value(sender, "(begin, middle, end)")
    of_code_us = 60
    assert end - middle - (middle - begin) == pytest.approx(60 * byte_us, abs=of_code_us)
    # Preamble, five bytes of address, a length, two of CRC; the radio turns around twice.
    assert 0 < end - middle - (73 * byte_us + 2 * 140) < 4 * of_code_us
    first, second = (value(receiver, "radio.receive_full()")[2] for _ in range(2))
    assert second - first == pytest.approx(end - middle, abs=of_code_us)


def test_power_and_attenuation_decide_reception() -> None:
    ether, (sender, receiver) = meet(V2, V1)
    for power, dbm in ((0, -30), (6, 0), (7, 4)):
        say(sender, f"radio.config(power={power})\nradio.send_bytes(b'x')")
        assert value(receiver, "radio.receive_full()")[:2] == (b"x", dbm - 60)
    losses: list[Callable[[str, str], float]] = [
        lambda sender, receiver: 98 if sender == "a" else 60,
        lambda sender, receiver: math.inf if (sender, receiver) == ("a", "b") else 0,
    ]
    for attenuation in losses:
        ether.attenuation = attenuation
        say(sender, "radio.send_bytes(b'too far')")
        assert received(receiver) == []
        say(receiver, "radio.send_bytes(b'heard')")
        assert received(sender) == [b"heard"]


def test_packet_loss_depends_on_the_seed() -> None:
    def numbers(loss: float, seed: int) -> list[int]:
        ether, (sender, receiver) = meet(V2, V1)
        ether.loss, ether.seed = loss, seed
        say(receiver, "radio.config(length=2, queue=100)")
        say(sender, "for i in range(100): radio.send_bytes(bytes([i]))")
        return [packet[0] for packet in received(receiver)]

    some = numbers(0.3, 1)
    assert 55 < len(some) < 85
    assert some == numbers(0.3, 1) != numbers(0.3, 2)
    assert (numbers(0, 1), numbers(1, 1)) == (list(range(100)), [])


def test_packet_that_begins_when_another_ends_does_not_overlap_it() -> None:
    ether, (sender, _) = meet(V1, V1)
    say(sender, "radio.send_bytes(b'p')")
    (packet,) = ether.history
    assert packet.overlaps(packet.end - 1, packet.end + 1)
    assert not packet.overlaps(packet.end, packet.end + 1)


@pytest.mark.parametrize(
    ("late_us", "collisions", "expected"),
    [
        (0, True, []),  # both spoil each other's address
        (300, True, []),  # the first one's CRC is wrong, the second one's address goes unnoticed
        (300, False, [FIRST]),  # a radio that receives one packet does not notice another
        (1500, True, [FIRST, SECOND]),
    ],
)
def test_overlapping_packets_collide(late_us: int, collisions: bool, expected: list[bytes]) -> None:
    ether, (one, other, receiver) = meet(V1, V1, V2)
    if not collisions:
        ether.collisions = False
    begin = ether.clock_us + 1000
    send_at(ether, one, begin, "p")
    send_at(ether, other, begin + late_us, "q")
    ether.run_for(30_000)
    assert value(receiver, "__import__('machine').mem32[0x40001400]") == bool(expected)
    # A sender receives nothing, even where packets pass through each other.
    both_sent_at_once = late_us < 552
    assert (received(receiver), received(one)) == (expected, [] if both_sent_at_once else [SECOND])


@pytest.mark.parametrize("apart", ["range", "channel"])
def test_packets_that_cannot_be_received_do_not_collide(apart: str) -> None:
    ether, (one, other, receiver) = meet(V1, V1, V2)
    if apart == "range":
        ether.attenuation = lambda sender, receiver: math.inf if sender == "b" else 60
    else:
        say(other, "radio.config(channel=8)")
    begin = ether.clock_us + 1000
    send_at(ether, one, begin, "p")
    send_at(ether, other, begin, "q")
    ether.run_for(30_000)
    assert received(receiver) == [FIRST]


@pytest.mark.parametrize(("who", "expected"), [(0, []), (1, [FIRST])])
def test_reset_interrupts_only_the_boards_own_frame(who: int, expected: list[bytes]) -> None:
    ether, boards = meet(V1, V1, V2)
    send_at(ether, boards[0], ether.clock_us + 1000, "p")
    # The same packet twice: when it is sent is known from the first time.
    off_air = ether.snapshot()
    ether.run_for(10_000)
    packet = ether.history.pop()
    off_air.restore()
    ether.run_for((packet.start + packet.end) // 2 / TICKS_PER_US - ether.clock_us)
    boards[who].reset()
    ether.run_for(10_000)
    assert ether.history[-1].is_cut == (who == 0)
    assert received(boards[2]) == expected


def test_frame_arrives_whole_or_not_at_all() -> None:
    """The sender loses power, or is reset, before, during and after sending."""
    ether, (sender, receiver) = meet(V1, V2)
    begin = ether.clock_us + 1000
    send_at(ether, sender, begin, "p")
    typed = ether.snapshot()
    assert ether.run_until(lambda: sender.uart.received.endswith(b">>> "), step_us=50)
    sent_us = ether.clock_us
    arrivals = []
    for end in (Microbit.power_cut, Microbit.reset):
        for before_us in range(1400, 0, -200):
            typed.restore()
            ether.run_until(sent_us - before_us)
            end(sender)
            ether.run_for(10_000)
            arrivals.append(received(receiver))
    assert all(packets in ([], [FIRST]) for packets in arrivals)
    half = len(arrivals) // 2
    assert arrivals[:half] == arrivals[half:] == sorted(arrivals[:half])
    assert arrivals[0] == [] and arrivals[half - 1] == [FIRST]


def test_board_receives_only_while_its_radio_is_on() -> None:
    _, (sender, receiver) = meet(V2, V1)
    say(receiver, "radio.off()")
    say(sender, "radio.send_bytes(b'unheard')")
    say(receiver, "radio.on()")
    assert received(receiver) == []
    # Without power, its clock stops, and the other board's does not.
    receiver.power_cut()
    clocks_us = sender.clock_us, receiver.clock_us
    say(sender, "radio.send_bytes(b'unheard')")
    assert sender.clock_us > clocks_us[0] and receiver.clock_us == clocks_us[1]
    receiver.power_on()
    assert receiver.run_until(lambda: b">>> " in receiver.uart.received)
    say(receiver, ON)
    say(sender, "radio.send_bytes(b'heard')")
    assert received(receiver) == [b"heard"]


def test_each_board_has_its_own_unique_id() -> None:
    code = "import machine\nprint(machine.unique_id())"
    for firmware in (V1, V2):
        assert len({run(another(firmware, seed), code) for seed in range(2)}) == 2


def test_radio_answers_while_its_cpu_sleeps() -> None:
    """Shorts let a radio answer while its CPU sleeps: END, DISABLE, TXEN, START, and again."""
    ether, (asking, answering) = meet(V2, V1)
    say(answering, "import machine\nmachine.mem32[0x40001200] = 0b000111")
    answering.uart.send(b"from microbit import sleep; sleep(500)\r")
    sleeping = ether.snapshot()
    code = (
        "\x05from utime import ticks_us, sleep_us\nsleep_us({})\nradio.send_bytes(bytes(52))\n"
        "sent = ticks_us()\nanswer = None\nwhile not answer: answer = radio.receive_full()\n\x04"
    )
    for wait_us in range(0, 5000, 1400):
        sleeping.restore()
        asking.uart.send(code.format(wait_us).encode())
        ether.run_for(50_000)  # in one step, so that one runs far ahead of the other
        answer, _, arrived = value(asking, "answer")
        assert answer == bytes(52)
        # The first answer begins before the radio that asked has turned around.
        turn_us, packet_us = 146, 61 * 8
        passed_us = arrived - value(asking, "sent")
        assert passed_us == pytest.approx(turn_us + 2 * packet_us, abs=20)


def test_history_holds_the_packets_that_were_sent() -> None:
    ether, (sender, _) = meet(V2, V1)
    sent_before = len(ether.history)
    say(sender, "radio.send_bytes(b'seen')")
    (packet,) = list(ether.history)[sent_before:]
    assert (packet.sender, packet.payload[-4:]) == ("a", b"seen")
    byte = 8 * TICKS_PER_US  # at 1 Mbit/s
    assert packet.address_end - packet.start == (1 + 5) * byte  # with the preamble
    assert packet.end - packet.address_end == (len(packet.header + packet.payload) + 2) * byte


def test_packets_of_another_ether_arrive_once_the_air_is_free() -> None:
    ether, (sender, receiver) = meet(V2, V1)
    packets = []
    for text in (b"one", b"two"):
        say(sender, f"radio.send_bytes({text!r})")
        packets.append(ether.history.popleft())
    assert received(receiver) == [b"one", b"two"]
    for packet in packets:
        ether.relay(replace(packet, sender="elsewhere"))  # both now, and they do not collide
    ether.run_for(20_000)
    assert received(sender) == received(receiver) == [b"one", b"two"]
    assert [packet.sender for packet in ether.history] == ["elsewhere"] * 2
