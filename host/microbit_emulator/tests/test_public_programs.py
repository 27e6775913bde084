"""Programs by other authors: the official examples and tests, under their MIT licences.

`public_programs.zip` holds them as they are in bbcmicrobit/micropython (359fd6b: `examples`,
`tests`; for V1) and in microbit-foundation/micropython-microbit-v2-simulator (07b1ed7,
`src/examples`; for V2).
"""

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from microbit_emulator import Microbit
from repl import long

ARCHIVE = zipfile.ZipFile(Path(__file__).with_name("public_programs.zip"))
PROGRAMS = [name for name in ARCHIVE.namelist() if name.endswith(".py")]
SHORT = "bbcmicrobit/examples/conway.py", "simulator/examples/sensors.py"
DIFFERENCES = {
    # It asserts that a sentence takes 800 to 815 ms, in which the CPU also computes samples; here
    # each instruction takes one cycle, so it takes 797 to 799.
    "bbcmicrobit/tests/test_speech.py": "AssertionError",
    # Not a difference: boards, too, refuse its channel 100. There are 84.
    "bbcmicrobit/tests/radio_audio.py": "ValueError: value out of range for argument 'channel'",
}


@pytest.mark.parametrize("name", [name if name in SHORT else long(name) for name in PROGRAMS])
def test_public_program_runs(name: str, microbit: Callable[..., Microbit]) -> None:
    """Press, tilt and shake for some seconds: an error in the emulator would be raised."""
    board = microbit(
        "V1" if name.startswith("bbcmicrobit") else "V2", program={"main.py": ARCHIVE.read(name)}
    )
    seconds = 1 if name in SHORT else 6
    for half in range(2 * seconds):
        board.press("AB"[half % 2])  # type: ignore[arg-type]
        board.tilt((-300, 300, 0)[half % 3], (200, -500)[half % 2])
        board.run_for(150_000)
        board.release("AB"[half % 2])  # type: ignore[arg-type]
        board.run_for(350_000)
    printed = board.uart.receive().decode(errors="replace")
    assert ("Traceback" in printed) == (name in DIFFERENCES)
    assert DIFFERENCES.get(name, "") in printed


def test_archive_has_sixty_programs_and_their_licences() -> None:
    assert len(PROGRAMS) >= 60
    assert {"bbcmicrobit/LICENSE", "simulator/LICENSE"} < set(ARCHIVE.namelist())
