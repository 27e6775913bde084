"""The four official firmwares on the emulator: each does what it does on a micro:bit."""

import pytest

import repl
from microbit_emulator import Microbit
from repl import ask, boot, each_firmware, run, wait_for

pytestmark = pytest.mark.parametrize("name", each_firmware())

RELEASES = {
    "V1 1.1.1": b"micro:bit v1.1.1 with nRF51822",
    "V1 1.0.1": b"micro:bit v1.0.1 with nRF51822",
    "V2 2.1.2": b"micro:bit v2.1.2 with nRF52833",
    "V2 2.0.0-beta.5": b"micro:bit v2.0.0-beta.5 with nRF52833",
}


def test_repl_prints_its_banner_and_a_sum(name: str) -> None:
    board = Microbit(name.split()[0], repl.firmware(name))
    assert RELEASES[name] in wait_for(board, repl.PROMPT)
    assert ask(board, "1 + 1") == "2"


def test_raw_repl_transfers_kilobytes_both_ways(name: str) -> None:
    board = boot(name)
    board.uart.send(repl.CTRL_A)
    wait_for(board, b"exit\r\n>")
    sent = 0
    for block in range(10):
        text = "".join(chr(33 + (block * 7 + at * 11) % 90) for at in range(250))
        code = f"print(sum({text.encode()!r}), end='')"
        board.uart.send(code.encode() + repl.CTRL_D)
        sent += len(code)
        expected = f"OK{sum(text.encode())}".encode() + b"\x04\x04>"
        assert wait_for(board, b"\x04\x04>") == expected
    assert sent > 2_560
    line = "".join(chr(at) for at in range(33, 127))
    board.uart.send(b"for i in range(28): print(str(bytes(range(33, 127)), 'ascii'))" + repl.CTRL_D)
    answer = wait_for(board, b"\x04\x04>")
    assert answer == b"OK" + f"{line}\r\n".encode() * 28 + b"\x04\x04>"
    assert len(answer) > 2_560


def test_leds_show_ten_levels_and_go_dark(name: str) -> None:
    board = boot(name)
    ask(board, "from microbit import *")
    for rows in ("01234:56789:98765:43210:09090", "55555:44444:33333:22222:11111"):
        ask(board, f"display.show(Image('{rows}'))")
        board.run_for(40_000)
        assert board.leds() == bytes(int(level) for level in rows.replace(":", ""))
    ask(board, "display.off()")
    board.run_for(100_000)
    assert board.leds() == bytes(25)


def test_program_reads_the_buttons(name: str) -> None:
    board = boot(name)
    ask(board, "from microbit import *")
    look = "button_a.is_pressed(), button_b.is_pressed()"
    assert ask(board, look) == "(False, False)"
    for change, button, pressed in (
        (board.press, "A", "(True, False)"),
        (board.press, "B", "(True, True)"),
        (board.release, "A", "(False, True)"),
        (board.release, "B", "(False, False)"),
    ):
        change(button)  # type: ignore[arg-type]
        board.run_for(100_000)
        assert ask(board, look) == pressed
    assert ask(board, "button_a.get_presses(), button_b.get_presses()") == "(1, 1)"


def test_program_reads_the_tilt(name: str) -> None:
    board = boot(name)
    ask(board, "from microbit import *")
    for x, y in ((500, 0), (-500, 0), (0, 400), (0, -400), (0, 0)):
        board.tilt(x, y)
        board.run_for(100_000)
        seen = ask(board, "accelerometer.get_values()").strip("()").split(", ")
        for expected, value in zip((x, y, -1000), seen, strict=True):
            assert abs(int(value) - expected) <= abs(expected) * 0.03 + 5


def test_file_survives_resets(name: str) -> None:
    board = boot(name)
    _, error = run(board, "f = open('a.txt', 'w')\nf.write('kept')\nf.close()")
    assert not error
    board.reset()
    wait_for(board, repl.PROMPT)
    assert ask(board, "open('a.txt').read()") == "'kept'"
    another = Microbit(board.board, flash=board.flash, uicr=board.uicr)
    wait_for(another, repl.PROMPT)
    assert ask(another, "open('a.txt').read()") == "'kept'"
