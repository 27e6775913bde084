"""A board's answers over serial, and what `noughts doctor` reports about them."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from microbit_emulator import EngineError
from noughts import __version__
from noughts.boards.doctor import Check, ProbedBoard, of_board, of_computer
from noughts.boards.drive import Drive, look, pair
from noughts.boards.files import BoardFile, BoardFiles, checksum
from noughts.boards.packing import NAMES, files_for_boards, rows_on_boards
from noughts.boards.ports import Port, open_port
from noughts.boards.radio import OFF, Radio
from noughts.boards.tracebacks import TracebackReader
from noughts.boards.wait_for_start import Start, confirm_start, wait_for_start
from noughts.brain.device import device_files
from noughts.errors import BoardError, GameError
from noughts.protocol.parser import Noise, Stream
from noughts.protocol.sentences import Boot
from sample_games import write
from stand_in_drive import BOOTLOADER_DETAILS, DETAILS, DETAILS_OF_2015, USB_ID, StandInDrive
from stepped_ports import SteppedBoard, Talker


@pytest.mark.parametrize("at", [0, 63, 64, 200])
@pytest.mark.parametrize("size", [1, 64])
def test_checksum_detects_swapped_blocks(at, size):
    content = bytes(range(256)) * 2
    one, other = content[at : at + size], content[at + size : at + 2 * size]
    assert checksum(content[:at] + other + one + content[at + 2 * size :]) != checksum(content)


@pytest.fixture
def talker(clock):
    """Opens a port whose far end answers with this function of the bytes that it receives."""
    return lambda answer: open_port(SteppedBoard(clock, Talker(answer)).port)


class RawRepl:
    """A raw REPL that gives these answers in turn."""

    def __init__(self, *answers):
        self.answers, self.sessions = list(answers), 0

    def __call__(self, received):
        reply = b""
        for byte in received:
            if byte == 1:
                self.sessions += 1
                reply += b"raw REPL; CTRL-B to exit\r\n>"
                self.answers.insert(0, b"soft reboot\r\nraw REPL; CTRL-B to exit\r\n>")
            elif byte == 4:
                reply += self.answers.pop(0)
        return reply


ANSWER = b"OK5 77 12320 'main.py'\r\n\x04\x04>"
BROKEN = b"OK\x04Traceback (most recent call last):\r\nSyntaxError: invalid syntax\r\n\x04>"
NONSENSE = [
    b"5 77", b"\xff", b"5 77 1232 'main.py'", b"99999999999999 1 178 'big.bin'",
    b"5 77 12320 main.py", b"5 77 12320 'main.py", b"5 77 12320 'a', 'b'",
    b"5 77 12320 'a' + 'b'",
]  # fmt: skip


def test_files_are_listed_in_one_session(talker):
    repl = RawRepl(ANSWER, ANSWER)
    files = BoardFiles(talker(repl))
    for _ in range(2):
        assert files.survey() == {"main.py": BoardFile(5, 77, b"# ")}
    assert repl.sessions == 1


@pytest.mark.parametrize(
    "answer", [b"OK", b"", BROKEN, *(b"OK" + nonsense + b"\x04\x04>" for nonsense in NONSENSE)]
)
def test_invalid_file_listing_raises_with_the_reason(talker, answer):
    why = "SyntaxError: invalid syntax" if answer is BROKEN else "its answer makes no sense"
    with pytest.raises(BoardError, match=rf"could not list its files \({why}\); reset it"):
        BoardFiles(talker(RawRepl(answer))).survey()


OTHER_BOARDS = [
    b"v1.19.1 on 2022-06-18 (GNU 11.2.0 MinSizeRel) Raspberry Pi Pico with RP2040",
    b"v1.19.1 on 2022-06-18 ESP32 module with ESP32",
    b"calliope mini v2.0; MicroPython v1.9.2 Calliope mini with nRF51822",
]
OTHER_FIRMWARE = [
    b"8.2.9 on 2023-12-06 BBC micro:bit v2 with nRF52833",
    b"v1.12-663-g on 2020-08-17 micro:bit with nRF51822",
]


@pytest.mark.parametrize("described", OTHER_BOARDS + OTHER_FIRMWARE)
def test_python_that_is_not_for_micro_bits_is_named(talker, described):
    advice = "install the game with its firmware: `noughts flash`"
    if described in OTHER_BOARDS:
        advice = "choose another port with --port"
    answer = b"OK" + described + b"\r\n\x04\x04>"
    with pytest.raises(BoardError) as raised:
        BoardFiles(talker(RawRepl(answer))).describe()
    expected = f"does not run MicroPython for the micro:bit, but {described.decode()}; {advice}"
    assert str(raised.value) == f"the board on stepped://0 {expected}"


def test_any_file_name_is_listed(talker):
    names = ["a b", "a\nb", "a\x0bb", "\u2028", "\x85", "it's", "'\"", "\\n", "é中", "4 5 '6'"]
    lines = "".join(f"5 77 12320 {name!a}\r\n" for name in names).encode()
    assert [*BoardFiles(talker(RawRepl(b"OK" + lines + b"\x04\x04>"))).survey()] == names


def test_main_is_written_in_one_command(talker):
    """Otherwise an interruption could leave the LEDs dark."""
    repl = RawRepl(b"OK\x04\x04>")
    BoardFiles(talker(repl)).send("main.py", files_for_boards()["main.py"])
    assert not repl.answers and repl.sessions == 1


@pytest.mark.parametrize("answer", [b"", b"\x1b[2J garbage \xff\n"])
def test_board_not_running_micropython_is_refused(talker, answer):
    with pytest.raises(BoardError, match="does not answer like MicroPython; press its reset"):
        BoardFiles(talker(lambda received: answer)).survey()


@pytest.mark.usefixtures("clock")
def test_ctrl_c_restarts_the_board():
    written = []
    with pytest.raises(KeyboardInterrupt), BoardFiles(SimpleNamespace(write=written.append)):
        raise KeyboardInterrupt
    assert b"".join(written) == b"\x03\x02\x04"


HEADER = "Traceback (most recent call last):"
FAULT = (HEADER, '  File "ai.py", line 1', "NameError: x")
STOPPED = (HEADER, '  File "ai.py", line 1, in best', "KeyboardInterrupt: ")
V2_BOOT = Boot("0ABADB07", "V2", "1.0.0", "2798")
RADIO, SENDS = "radio 0123ABCD 7", Radio(sends=7)


@pytest.fixture
def opened(talker):
    """Opens the port of a board that sends these lines."""

    def make(*lines):
        sent = iter([f"{line}\r\n".encode() for line in lines])
        return talker(lambda received: next(sent, b""))

    return make


def test_failed_start_raises_with_the_boards_traceback(opened):
    with pytest.raises(GameError, match="the game on stepped://0 stops with NameErr") as raised:
        wait_for_start(opened(*STOPPED, *FAULT))
    assert raised.value.details[:3] == FAULT


@pytest.mark.parametrize(
    ("lines", "rest"),
    [(STOPPED, "; the last line it sent was: Keyb"), ((), ", and sent nothing; ")],
)
def test_silence_or_our_own_interrupt_is_not_a_game_error(opened, clock, lines, rest):
    with pytest.raises(BoardError, match=f"the game on stepped://0 did not start{rest}") as raised:
        wait_for_start(opened(*lines))
    assert not isinstance(raised.value, GameError)
    assert 9.9 < clock.monotonic() < 10.2


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([write(V2_BOOT)], Start(V2_BOOT, "V2", "1.0.0")),
        ([*STOPPED, RADIO, write(V2_BOOT)], Start(V2_BOOT, "V2", "1.0.0", SENDS, "0123ABCD")),
        (["cut shortgateway 1.0.0 V1 7"], Start(None, "V1", "1.0.0", Radio(gateway=7))),
    ],
)
def test_start_includes_release_and_radio_settings(opened, lines, expected):
    assert wait_for_start(opened(*lines)) == expected


def tracebacks_in(*lines):
    """The tracebacks in these lines, read as they come from a board."""
    reader, stream = TracebackReader(), Stream()
    items = stream.feed("".join(f"{line}\r\n" for line in lines).encode("latin-1"))
    fed = [reader.feed(item.text) for item in items if isinstance(item, Noise)]
    return [traceback for traceback in fed if traceback]


def traceback_at(name, line, error="NameError: name 'x' is not defined"):
    (traceback,) = tracebacks_in("\0" + HEADER, f'  File "{name}", line {line}, in <module>', error)
    return traceback


def row(source, number):
    return source.decode().splitlines()[number - 1].strip()


def packed_line(name, text):
    """The lines of a file that stand in one line on a board, and its number; text: one of them."""
    source = device_files()[name]
    for number, rows in enumerate(rows_on_boards(source), 1):
        if text in [row(source, line) for line in rows]:
            return rows, number
    raise AssertionError(text)


def test_traceback_points_to_the_innermost_call():
    source = device_files()["menu.py"]
    lines, number = packed_line("menu.py", "player = -player")
    calls = [f'  File "{name}", line 9999, in start' for name in ("__main__", "game.py")]
    innermost = f'  File "menu.py", line {number}, in start'
    (traceback,) = tracebacks_in("noise", HEADER, *calls, innermost, "TypeError: can't", "noise")
    either = " or ".join(map(str, lines))
    assert traceback.report() == [
        HEADER, *calls, innermost.replace(str(number), either), "TypeError: can't",
        *(f"device/menu.py, line {line}: {row(source, line)}" for line in lines),
    ]  # fmt: skip
    assert len(lines) == 3 and row(source, lines[1]) == "player = -player"
    advice = f"stops with TypeError: can't; correct device/menu.py, line {either} and run "
    assert str(traceback) == advice + "`noughts put`"
    for name in ("__main__", "main.py"):  # both are main.py
        assert traceback_at(name, 1).where == "device/main.py, line 1"


@pytest.mark.parametrize(
    ("file", "shown"),
    [
        ("ai.py", "NameError: name 'THROUGH' is not defined"),
        ("main.py", "NameError: name 'YES' is not defined"),  # it has no such name: another's file
    ],
)
def test_traceback_has_the_names_before_packing(file, shown):
    assert NAMES["THROUGH"] == "YES"
    calls = [
        f'  File "menu.py", line 9999, in {NAMES["choose"]}',
        f'  File "{file}", line 3, in start',
    ]
    error = "NameError: name 'YES' is not defined"
    (traceback,) = tracebacks_in(HEADER, *calls, error)
    assert traceback.lines[1] == '  File "menu.py", line 9999, in choose'
    assert traceback.error == traceback.lines[-1] == shown


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("../../etc/passwd", 1), ("/etc/passwd", 1), ("other.py", 1), ("no/ai.py", 1), ("x*", 1),
        ("ai.py", 0), ("ai.py", 9999),
    ],
)  # fmt: skip
def test_only_lines_of_our_files_are_shown(name, line):
    assert len(traceback_at(name, line).report()) == 3


def test_last_line_of_a_file_is_shown():
    source = device_files()["ai.py"]
    last = len(source.splitlines())
    _, number = packed_line("ai.py", row(source, last))
    shown = traceback_at("ai.py", number).report()[3:]
    assert shown == [f"device/ai.py, line {last}: {row(source, last)}"]


def test_syntax_error_also_shows_the_line_before():
    source = device_files()["tilt.py"]
    lines, number = packed_line("tilt.py", "last = began = 0  # step; its time, ms")
    traceback = traceback_at("tilt.py", number, "SyntaxError: invalid syntax")
    shown = [f"device/tilt.py, line {line}: {row(source, line)}" for line in (1, *lines)]
    assert number == 2 and traceback.report()[3:] == shown
    either = " or ".join(map(str, (1, *lines)))
    assert f"; correct device/tilt.py, line {either} and run" in str(traceback)


@pytest.mark.parametrize(
    ("error", "name", "incomplete"),
    [
        ("ImportError: no module named 'gateway'", "main.py", True),
        ("ImportError: no module named 'tilt'", "loop.py", True),
        ("ImportError: no module named 'timer'", "loop.py", False),  # not one of our files
        ("AttributeError: 'module' object has no attribute 'ID'", "loop.py", True),
        ("AttributeError: 'module' object has no attribute 'best'", "game.py", False),
        ("SyntaxError: invalid syntax", "table.py", True),
    ],
)
def test_incomplete_files_are_distinguished_from_code_errors(error, name, incomplete):
    lines = device_files()[name].splitlines()
    line = next((number for number, text in enumerate(lines, 1) if b"table.ID" in text), 1)
    text = str(traceback_at(name, line, error))
    assert text.startswith("is incomplete (" if incomplete else "stops with ")
    assert ("correct device/" in text) is not incomplete


GAME = Start(Boot("00000A83", "V2", "1.0.0", "2798"), "V2", "1.0.0")
SENDER = replace(GAME, radio=Radio(sends=7), radio_id="9A1B2C3D")
GATEWAY = Start(None, "V2", "1.0.0", Radio(gateway=7))
STARTED = [("game", True, "1.0.0, table 2798")]
FAILED = GameError("the game failed; run `noughts put`", ("line 3", "oops"))
NOT_STARTED = "does not start; run `noughts put`"


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        ({"start": SENDER}, [*STARTED, ("radio", True, "sends in group 7 as 9A1B2C3D")]),
        ({"start": GATEWAY}, [("radio", True, "gateway of group 7, release 1.0.0")]),
        ({"error": BoardError("silent; press reset")}, [("game", False, NOT_STARTED)]),
        ({"error": FAILED}, [("game", False, str(FAILED), FAILED.details)]),
    ],
)
def test_board_checks_report_its_game_radio_or_error(results, expected):
    board = [
        ("drive", False, "not mounted; mount it if you need `noughts flash`"),
        ("port", True, "/dev/ttyACM0, accessible"),
        ("board", True, "micro:bit V2"),
        ("firmware", True, "MicroPython 1.18 (firmware 2.1.2)"),
    ]
    kind = {"board_model": "V2", "firmware": "2.1.2", "micropython": "1.18"}
    probed = ProbedBoard(port=Port("/dev/ttyACM0", USB_ID), **kind, **results)
    assert [*of_board(probed)] == [Check(*fields) for fields in board + expected]


def test_drive_in_maintenance_mode_fails_its_check(tmp_path):
    path = tmp_path / "MAINTENANCE"
    StandInDrive(path, details=BOOTLOADER_DETAILS)
    (check,) = of_board(ProbedBoard(drive=look(path)))
    assert not check.good
    todo = "in maintenance mode; unplug it and plug it in again without holding reset. If it stays "
    assert check.facts.startswith(f"{path}, interface 0243: {todo}")


ONE, TWO = USB_ID, "9904" + USB_ID[4:]


@pytest.mark.parametrize(
    ("drive_ids", "port_ids", "boards"),
    [
        ([ONE, TWO], [TWO, ONE], {(0, 1), (1, 0)}),
        ([ONE], [None], {(0, 0)}),  # Windows gives `8` for it
        ([None], [ONE], {(0, 0)}),  # a chip of 2015 gives none
        ([ONE, TWO], [None, ONE], {(0, 1), (1, 0)}),
        ([ONE, TWO], [None, None], {(0, None), (1, None), (None, 0), (None, 1)}),
        ([ONE], [TWO], {(0, None), (None, 0)}),
        ([ONE], [None, TWO], {(0, 0), (None, 1)}),
        ([ONE, ONE], [ONE], {(0, 0), (1, None)}),  # both have the same id
        (["maintenance"], [None], {(0, None), (None, 0)}),
    ],
)
def test_drives_and_ports_of_one_board_are_paired(drive_ids, port_ids, boards):
    drives = [
        Drive(Path(str(number)), usb_id, maintenance=usb_id == "maintenance")
        for number, usb_id in enumerate(drive_ids)
    ]
    ports = [Port(f"COM{number}", usb_id) for number, usb_id in enumerate(port_ids)]
    assert {
        (drive and drives.index(drive), port and ports.index(port))
        for drive, port in pair(drives, ports)
    } == boards


@pytest.mark.parametrize("details", [DETAILS_OF_2015, DETAILS])
def test_doctor_counts_a_board_with_an_unknown_id_once(drive, plugged, noughts, folder, details):
    board_drive = drive(details=details)
    plugged.drives += [board_drive.path]
    plugged.ports[ONE if details is DETAILS_OF_2015 else "8"] = "/dev/ttyNONE9"
    _, out, _ = noughts("doctor")
    assert f"{board_drive.path}, " in out and "/dev/ttyNONE9" in out
    assert "board 1" in out and "board 2" not in out


def test_doctor_looks_for_no_port_in_maintenance_mode(drive, plugged, noughts, folder):
    plugged.drives += [drive(details=BOOTLOADER_DETAILS).path]
    _, out, _ = noughts("doctor")
    assert "in maintenance mode" in out and "serial port" not in out


def test_doctor_lists_two_drives_with_the_same_id(drive, plugged, noughts, folder):
    first_drive, second_drive = drive(), drive()
    plugged.drives += [first_drive.path, second_drive.path]
    _, out, _ = noughts("doctor")
    assert f"{first_drive.path}, " in out and f"{second_drive.path}, " in out


@pytest.mark.parametrize(
    ("board", "release", "good", "advice"),
    [
        ("V2", "2.0.0-beta.5", False, ": it may stop saving the settings, and freeze when tilted"),
        ("V2", "2.1.2", True, ""),
        ("V2", "2.1.1", True, "; `noughts flash` updates it to 2.1.2"),
        ("V2", "2.1.10", True, ""),
        ("V1", "1.0.1", True, "; `noughts flash` updates it to 1.1.1"),
    ],
)
def test_firmware_check_says_when_to_flash(board, release, good, advice):
    checks = of_board(ProbedBoard(board_model=board, firmware=release, micropython="1.13"))
    (check,) = (check_made for check_made in checks if check_made.what == "firmware")
    fix = "" if good else "; run `noughts flash`"
    assert check.good == good
    assert check.facts == f"MicroPython 1.13 (firmware {release}){advice}{fix}"


def test_computer_without_game_or_emulator_fails_its_checks(monkeypatch):
    checks = of_computer(True)
    assert [check.what for check in checks if check.good] == ["Python", "noughts", "emulator"]

    def refuse(*_, **named):
        raise EngineError("wasmtime is missing; install it")

    monkeypatch.setattr("microbit_emulator.Microbit", refuse)
    monkeypatch.setattr("noughts.boards.doctor.device_files", dict)
    _, game, emulator, boards = of_computer(False)
    assert not game.good and "table.py is missing; " in game.facts
    assert emulator.record() == {
        "what": "emulator",
        "good": False,
        "found": "wasmtime is missing; install it",
        "details": (),
    }
    assert not boards.good


def test_start_that_differs_from_what_was_sent_is_refused(opened):
    lines = RADIO, write(replace(V2_BOOT, release=__version__))
    assert confirm_start(opened(*lines), "2798", SENDS).radio == SENDS
    other = [write(V2_BOOT)]  # of another release
    for received, *expected in (lines, "0000", SENDS), (lines, "2798", OFF), (other, "2798", OFF):
        with pytest.raises(BoardError, match="which is not what was sent; try again"):
            confirm_start(opened(*received), *expected)
