"""The command `microbit-emulator run`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image, ImageSequence

from microbit_emulator.__main__ import main
from repl import long

PROGRAM = """
from microbit import *
while True:
    if button_a.was_pressed(): display.show(Image.HEART); print('pressed')
    if accelerometer.get_x() > 300: print(temperature() + 1 // (temperature() - 21))
    sleep(100)
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "main.py"
    path.write_text(PROGRAM)
    return str(path)


@pytest.mark.parametrize("board", ["v1", long("v2")])
def test_inputs_happen_at_their_times(
    program: str, board: str, capsys: pytest.CaptureFixture[str]
) -> None:
    inputs = ["--press=A@100ms", "--tilt=400,0@600ms", "--tilt=0,0@700ms", "--temperature=30"]
    assert main(["run", program, "--board", board, "--for", "1s", *inputs]) == 0
    printed = capsys.readouterr().out
    assert printed in (
        f"pressed\n{numbers}\n.9.9.\n99999\n99999\n.999.\n..9..\n"
        for numbers in ("30\n", "30\n30\n")
    )


@pytest.mark.parametrize("board", ["v1", long("v2")])
def test_traceback_exits_1(program: str, board: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", program, "--board", board, "--tilt", "400,0", "--for", "500ms"]) == 1
    assert "ZeroDivisionError" in capsys.readouterr().out


def test_run_writes_a_gif_and_a_png(program: str, tmp_path: Path) -> None:
    gif, png = tmp_path / "leds.gif", tmp_path / "leds.png"
    pictures = ["--gif", str(gif), "--png", str(png)]
    assert main(["run", program, "--for", "500ms", "--press", "A@200ms", *pictures]) == 0
    with Image.open(png) as picture, Image.open(gif) as film:
        assert picture.getpixel((48, 16)) != picture.getpixel((16, 16))  # lit, and dark
        times_ms = [frame.info["duration"] for frame in ImageSequence.Iterator(film)]
        assert len(times_ms) >= 2
        assert 480 <= sum(times_ms) <= 500


@pytest.mark.parametrize("option", ["--gif", "--png"])
@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("absent/leds.x", "there is no folder "),
        (".", "it is a folder"),
        ("x" * 300, "File name too long"),
    ],
)
def test_place_of_a_picture_is_looked_at_first(
    program: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    option: str,
    path: str,
    why: str,
) -> None:
    """A run may take minutes, and then has printed something."""
    place = tmp_path / path
    assert main(["run", program, option, str(place)]) == 1
    printed = capsys.readouterr()
    assert printed.err.startswith(f"microbit-emulator: cannot write {place} ({why}")
    assert not printed.out


@pytest.mark.parametrize(
    ("option", "why"),
    [
        ("--tilt=400,0@soon", "'soon' is not a time; use one such as 1.5s"),
        ("--for=1..5s", "'1..5s' is not a time"),
        ("--tilt=400@2s", "'400' is not X,Y"),
        ("--light=bright", "'bright' is not LEVEL"),
    ],
)
def test_wrong_usage_exits_2(option: str, why: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["run", "main.py", option])
    assert end.value.code == 2
    assert why in capsys.readouterr().err


def test_missing_file_is_reported_on_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "absent.py"]) == 1
    err = capsys.readouterr().err
    assert err.startswith("microbit-emulator: cannot read absent.py") and err.count("\n") == 1


@pytest.mark.skipif(os.name != "posix", reason="Windows has another error for this")
def test_closed_output_ends_the_run_quietly(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("print('here')")
    command = [sys.executable, "-m", "microbit_emulator", "run", "main.py", "--board", "v1"]
    here, there = os.pipe()
    os.close(here)
    done = subprocess.run(command, cwd=tmp_path, stdout=there, stderr=subprocess.PIPE)
    os.close(there)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.skipif(os.name != "posix", reason="Windows has no pseudo-terminals")
def test_pty_is_in_step_with_real_time(tmp_path: Path) -> None:
    import serial

    (tmp_path / "main.py").write_text("print('here')")
    command = [sys.executable, "-m", "microbit_emulator", "run", "main.py", "--pty"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        port = process.stdout.readline().removeprefix("The micro:bit is at ").partition(";")[0]
        with serial.Serial(port, timeout=60) as line:
            line.read_until(b">>> ")
            line.write(b"6 * 7\r")
            assert line.read_until(b"\r\n>>> ") == b"6 * 7\r\n42\r\n>>> "
        process.kill()
