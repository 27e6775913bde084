"""A program for each module: the table in README.md lists those that work."""

import re
from pathlib import Path

import pytest

from microbit_emulator import UnmodelledError
from repl import NEWEST, boot, long, run

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
# Each prints "done" if it has worked.
BOTH = {
    "accelerometer": "print('done' if accelerometer.get_z() < -900 else accelerometer.get_z())",
    "audio": (
        "import audio\nframe = audio.AudioFrame()\ndef frames():\n for i in range(4): yield frame\n"
        "audio.play(frames(), wait=True)\nprint('done')"
    ),
    "button_a, button_b": "print('done' if not button_a.is_pressed() else 'pressed')",
    "compass": (
        "compass.get_z()\nsleep(200)\nz = compass.get_z()\nprint('done' if z == 45000 else z)"
    ),
    "display": "display.scroll('A', delay=20)\nprint('done')",
    # V1's sensors are on the pins of `i2c`; V2's are on a bus of their own.
    "i2c": "found = i2c.scan()\nprint('done' if found == SENSORS else found)",
    "machine": "import machine\nprint('done' if len(machine.unique_id()) == 8 else 'none')",
    "music": "import music\nmusic.play(['c4:1', 'e4:1'])\nmusic.pitch(440, 50)\nprint('done')",
    "neopixel": (
        "import neopixel\nn = neopixel.NeoPixel(pin0, 4)\nn[0] = (9, 9, 9)\nn.show()\nprint('done')"
    ),
    "os": "import os\nopen('a', 'w').write('b')\nprint('done' if 'a' in os.listdir() else 'none')",
    "pin0 to pin16": (
        "pin0.write_analog(500)\nsleep(30)\n"
        "print(pin1.read_analog() or pin2.is_touched() or 'done')"
    ),
    "radio": (
        "import radio\nradio.on()\nradio.config(channel=5, power=7)\nradio.send('hi')\n"
        "print(radio.receive() or 'done')\nradio.off()"
    ),
    "random": (
        "import random\nseen = set(random.randrange(1000) for i in range(20))\n"
        "print('done' if len(seen) > 10 else seen)"
    ),
    "speech": "import speech\nspeech.say('hi')\nprint('done')",
    "spi": "spi.init()\nspi.write(b'1234')\nprint(spi.read(2) == bytes(2) and 'done')",
    "temperature()": "print('done' if temperature() == 21 else temperature())",
    "uart": "uart.write('done\\r\\n')",
    "utime": (
        "import utime\nt = utime.ticks_ms()\nutime.sleep_ms(100)\n"
        "t = utime.ticks_diff(utime.ticks_ms(), t)\nprint('done' if 99 < t < 110 else t)"
    ),
}
V2_ONLY = {
    "log": "import log\nfor i in range(3): log.add(a=i)\nlog.delete()\nprint('done')",
    "microphone": "print('done' if microphone.sound_level() == 0 else 'noise')",
    "pin_logo": "print(pin_logo.is_touched() or 'done')",
    "pin_speaker, speaker": "speaker.on()\nset_volume(90)\nprint('done')",
    "power": "import power\npower.deep_sleep(ms=100)\nprint('done')",
    "Sound, SoundEffect": "audio.play(Sound.HAPPY)\naudio.play(audio.SoundEffect())\nprint('done')",
}
SHORT = "audio", "i2c", "radio", "spi"
CASES = [(name, title) for name in NEWEST for title in BOTH] + [
    ("V2 2.1.2", title) for title in V2_ONLY
]


def code(name: str, title: str) -> str:
    """The program for a module, on a firmware."""
    sensors = [0x0E, 0x1D] if name.startswith("V1") else []
    return f"from microbit import *\nSENSORS = {sensors}\n" + {**BOTH, **V2_ONLY}[title]


@pytest.mark.parametrize(
    ("name", "title"), [case if case[1] in SHORT else long(*case) for case in CASES]
)
def test_module_works(name: str, title: str) -> None:
    printed, error = run(boot(name), code(name, title), timeout_us=10_000_000)
    assert (printed.strip(), error) == ("done", "")


def test_readme_lists_each_module() -> None:
    table = README.partition("## What runs")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(.*?)` \| ([^|]*) \| ([^|]*) \|", table, re.MULTILINE)
    assert [row[0].replace("`", "") for row in rows] == sorted({**BOTH, **V2_ONLY}, key=str.lower)
    for title, v1, v2 in rows:
        assert (v1 != "–") == (title.replace("`", "") in BOTH) and v2 != "–"


def test_logo_senses_touch() -> None:
    board = boot("V2 2.1.2")
    board.touch_logo(True)
    look = "from microbit import *\nsleep(300)\nprint(pin_logo.is_touched())"
    assert run(board, look) == ("True\r\n", "")
    board.touch_logo(False)
    assert run(board, look) == ("False\r\n", "")


@pytest.mark.long
def test_data_log_takes_many_rows() -> None:
    board = boot("V2 2.1.2")
    clock_us_before = board.clock_us
    run(board, "import log\nlog.set_labels('a')\nlog.add(a=1)", timeout_us=20_000_000)
    assert board.clock_us > clock_us_before
    full = "import log\nfor i in range(50): log.add(a=i)\nprint('done')"
    assert run(board, full, timeout_us=20_000_000) == ("done\r\n", "")


@pytest.mark.parametrize(
    ("name", "address"), [("V1 1.1.1", 0x4000_B504), ("V2 2.1.2", 0x4001_0504)]
)
def test_polling_an_unmodelled_register_is_an_error(name: str, address: int) -> None:
    board = boot(name)
    start = board.clock_us
    with pytest.raises(UnmodelledError, match=f"polls the register at {address:#010x}") as caught:
        run(board, f"from machine import mem32\nwhile not mem32[{address}]: pass")
    assert caught.value.address == address
    assert 0 < caught.value.pc < 0x8_0000
    assert board.clock_us - start < 1_000_000
