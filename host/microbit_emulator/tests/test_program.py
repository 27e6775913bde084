"""A user's own programs: where they come from, and the fixture that starts them."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from microbit_emulator import EmulatorError, ExpectationError, HexError, Microbit, ProgramError
from microbit_emulator.firmware import micropython
from repl import EACH_BOARD, firmware, long

Start = Callable[..., Microbit]

BUTTON = """
from microbit import *
while not button_a.was_pressed(): pass
display.show(Image.HEART)
print('done')
"""


@EACH_BOARD
def test_program_has_only_just_started(microbit: Start, board: str) -> None:
    micro = microbit(board, program={"main.py": BUTTON})
    assert micro.uart.received == b""
    micro.press("A")
    assert micro.expect("done", timeout_ms=500) == "done"


@pytest.mark.parametrize("board", ["V1", long("V2")])
def test_program_is_a_file_folder_or_hex(microbit: Start, board: str, tmp_path: Path) -> None:
    (tmp_path / "said.py").write_text("text = 'from a module'\n")
    (tmp_path / "main.py").write_text("import said\nprint(said.text)\n")
    (tmp_path / "test_main.py").write_text("x" * 100_000)  # too big for any board
    microbit(board, program=tmp_path).expect("from a module")
    (tmp_path / "other.py").write_text("print('a file')")
    microbit(board, program=tmp_path / "other.py").expect("a file")
    hex_file = tmp_path / "FIRMWARE.HEX"
    hex_file.write_text(firmware({"V1": "V1 1.1.1", "V2": "V2 2.1.2"}[board]))
    microbit(board, program=hex_file).expect(">>> ")
    microbit(board, program={"main.py": "print('again')"}, hex=hex_file).expect("again")


def test_invalid_programs_are_refused(microbit: Start, tmp_path: Path) -> None:
    with pytest.raises(ProgramError, match=r"cannot read .*absent\.py"):
        microbit("V2", program="absent.py")
    absent = re.escape(str(Path(__file__).with_name("absent.hex")))
    with pytest.raises(HexError, match=f"cannot read {absent}"):
        microbit("V2", program={}, hex="absent.hex")
    with pytest.raises(ProgramError, match=r"has no main\.py; name another folder"):
        microbit("V2", program=tmp_path)
    with pytest.raises(ProgramError, match="does not fit"):
        microbit("V2", program={"main.py": "x" * 100_000})
    with pytest.raises(
        ProgramError, match=r"put on the board \(File 'empty\.py' must have content"
    ):
        microbit("V2", program={"main.py": "import empty", "empty.py": ""})
    with pytest.raises(HexError, match="holds no MicroPython for the micro:bit V1"):
        micropython("V1", {0: 0})
    with pytest.raises(EmulatorError, match="there is no micro:bit 'v2'; use 'V1' or 'V2'"):
        microbit("v2", program={})
    with pytest.raises(EmulatorError, match="a clock cannot be 7 slow"):
        microbit("V2", program={}, clock_error=7)
    with pytest.raises(TypeError):
        microbit("V2", program={}).uart.send("a text")  # type: ignore[arg-type]


def test_expect_takes_output_and_reports_missing_text(microbit: Start) -> None:
    micro = microbit("V1", program={"main.py": "print('one two')\nprint('three')"})
    assert micro.expect("one") == "one"
    assert micro.expect("ree") == " two\r\nthree"
    with pytest.raises(ExpectationError, match=r"not printed 'one' within 100 ms; it printed '\\r"):
        micro.expect("one", timeout_ms=100)


def test_board_shows_the_last_lines_that_it_printed(microbit: Start) -> None:
    micro = microbit("V1", program={"main.py": "for i in range(40): print('line', i)"})
    micro.expect("line 39\r\n")
    shown = str(micro)
    assert "line 39" in shown and "line 0\n" not in shown


def report_of(test: str, folder: Path) -> str:
    """What pytest prints about this test, which fails."""
    (folder / "test_it.py").write_text(test)
    alone = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "microbit_emulator.pytest_plugin",
        "-rN",  # no summary, which is longer in CI
        str(folder),
    ]
    ran = subprocess.run(
        command, cwd=folder.parent, env=alone, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 1
    return ran.stdout


def test_failed_test_shows_its_board(tmp_path: Path) -> None:
    """Its program is found next to it, wherever pytest is started."""
    (tmp_path / "main.py").write_text(BUTTON)
    test = (
        "def test_it(microbit):\n"
        "    board = microbit('V1')\n"
        "    board.tap('A')\n"
        "    board.run_for(20_000)\n"
        "    assert board.leds() == bytes(25)\n"
    )
    heart = ".9.9.\n99999\n99999\n.999.\n..9..\n"
    last_lines = f"\n{heart}The last lines that it printed:\ndone\nMicroPython v1.9.2"
    assert last_lines in report_of(test, tmp_path)


def test_missing_program_is_reported_without_the_emulators_code(tmp_path: Path) -> None:
    printed = report_of("def test_it(microbit):\n    microbit('V1', 'absent.py')\n", tmp_path)
    error = f"ProgramError: cannot read {tmp_path / 'absent.py'} (No such file or directory); "
    assert ">       microbit('V1', 'absent.py')" in printed.splitlines()
    assert printed.count(error) == 1
    assert "def start" not in printed and "raise " not in printed
