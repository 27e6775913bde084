"""Programs that use every part of the board: each ends, and none hangs."""

from __future__ import annotations

import pytest

from microbit_emulator import UnmodelledError
from repl import NEWEST, boot, run

BOTH = {
    "music": "import music\nmusic.play(['c4:1', 'e4:1'])\nprint('done')",
    "pitch": "import music\nmusic.pitch(440, 50)\nprint('done')",
    "speech": "import speech\nspeech.say('hi')\nprint('done')",
    "radio": "import radio\nradio.on()\nradio.send('hi')\nprint(radio.receive() or 'done')",
    "radio settings": (
        "import radio\nradio.on()\nradio.config(channel=5, power=7)\nradio.off()\nprint('done')"
    ),
    "spi": "spi.init()\nspi.write(b'1234')\nprint(spi.read(2) == bytes(2) and 'done')",
    # V1's only bus has its sensors; V2 has another one for them.
    "i2c": "found = i2c.scan()\nprint('done' if found in ([0x0e, 0x1d], []) else found)",
    "compass": "compass.get_x()\nprint('done')",
    "analog": "print(pin0.read_analog() or 'done')",
    "pwm": "pin0.write_analog(500)\nsleep(30)\nprint('done')",
    "neopixel": (
        "import neopixel\nn = neopixel.NeoPixel(pin0, 4)\nn[0] = (9, 9, 9)\nn.show()\nprint('done')"
    ),
    "temperature": "print('done' if temperature() == 21 else temperature())",
    "light": "print('done' if 0 <= display.read_light_level() < 256 else 'none')",
    "random": (
        "import random\nseen = set(random.randrange(1000) for i in range(20))\n"
        "print('done' if len(seen) > 10 else seen)"
    ),
    "touch": "print(pin0.is_touched() or 'done')",
    "sleep": (
        "t = running_time()\nsleep(100)\nt = running_time() - t\n"
        "print('done' if 99 < t < 110 else t)"
    ),
    "scroll": "display.scroll('A', delay=20)\nprint('done')",
    "gestures": "print(accelerometer.current_gesture() or 'done')",
}
V2_ONLY = {
    "microphone": "print('done' if microphone.sound_level() >= 0 else 'none')",
    "logo": "print(pin_logo.is_touched() or 'done')",
    "sound": "audio.play(Sound.HAPPY)\nprint('done')",
    "speaker": "speaker.on()\nset_volume(90)\nprint('done')",
    "logging": "import log\nfor i in range(3): log.add(a=i)\nlog.delete()\nprint('done')",
}
CASES = [(name, title) for name in NEWEST for title in BOTH] + [
    ("V2 2.1.2", title) for title in V2_ONLY
]


@pytest.mark.parametrize(("name", "title"), CASES)
def test_program_ends(name: str, title: str) -> None:
    code = "from microbit import *\n" + {**BOTH, **V2_ONLY}[title]
    printed, error = run(boot(name), code, timeout_us=10_000_000)
    assert (printed, error) == ("done\r\n", "")


def test_logo_feels_touch() -> None:
    board = boot("V2 2.1.2")
    board.touch_logo(True)
    look = "from microbit import *\nsleep(300)\nprint(pin_logo.is_touched())"
    assert run(board, look) == ("True\r\n", "")
    board.touch_logo(False)
    assert run(board, look) == ("False\r\n", "")


def test_logged_data_is_kept() -> None:
    board = boot("V2 2.1.2")
    before = board.clock_us
    run(board, "import log\nlog.set_labels('a')\nlog.add(a=1)", timeout_us=20_000_000)
    assert board.clock_us > before
    full = "import log\nfor i in range(50): log.add(a=i)\nprint('done')"
    assert run(board, full, timeout_us=20_000_000) == ("done\r\n", "")


@pytest.mark.parametrize(
    ("name", "address"), [("V1 1.1.1", 0x4000_B504), ("V2 2.1.2", 0x4001_0504)]
)
def test_polling_what_is_not_modelled_is_an_error(name: str, address: int) -> None:
    board = boot(name)
    start = board.clock_us
    with pytest.raises(UnmodelledError, match=f"polls the register at {address:#010x}") as caught:
        run(board, f"from machine import mem32\nwhile not mem32[{address}]: pass")
    assert caught.value.address == address
    assert 0 < caught.value.pc < 0x8_0000
    assert board.clock_us - start < 1_000_000
