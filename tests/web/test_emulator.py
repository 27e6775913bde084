"""The emulator's core in a browser gives the same traces as in Python, also in real time."""

import base64
import re
import struct
import zlib
from pathlib import Path

import pytest

import microbit_emulator
from microbit_emulator import Ether, Microbit
from needed import long
from official import NEWEST, stepped

CORE = Path(microbit_emulator.__file__).with_name("core")
RAM, GPIO, NVMC, UICR = 0x2000_0000, 0x5000_0000, 0x4001_E000, 0x1000_1000
RADIO_STATE, SENDING = 0x4000_1550, 11
PORT_1, PIN_OUT, PIN_IN, PIN_DIR = 0x300, 0x504, 0x510, 0x514
CONFIG, ERASEPAGE = 0x504, 0x508
GPIOTE, EVENTS_IN, GPIOTE_CONFIG, RISES, LOGO_PIN = 0x4000_6000, 0x100, 0x510, 1 << 16 | 1, 0x24
SAADC = 0x4000_7000
SAADC_START, SAADC_SAMPLE, SAADC_STOP, SAADC_ENABLE, PSELP = 0x000, 0x004, 0x008, 0x500, 0x510
RESULT_PTR, RESULT_MAXCNT, MICROPHONE = 0x62C, 0x630, 4
IDLE = struct.pack("<IIH2x", RAM + 64, 8 | 1, 0xE7FE)
"""A program: its stack, its start, and `b .`, which does nothing for ever."""
SITE = "http://emulator.test/"
RADIO = (
    b"import radio\nfrom microbit import *\nradio.on()\n"
    b"while True:\n radio.send(str(running_time()))\n got = radio.receive_full()\n"
    b" if got: print(got[:2])\n sleep(%d)\n"
)
SCRIPT = """
import { Ether, FirmwareStopped, Microbit, loadCore, play } from "./microbit.js";
const core = await loadCore(fetch("./core.wasm").then((response) => response.arrayBuffer()));
const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
const adler32 = (memory) => {
  let [low, high] = [1, 0];
  for (let start = 0; start < memory.length; start += 4096) {
    for (const byte of memory.subarray(start, start + 4096)) {
      low += byte;
      high += low;
    }
    [low, high] = [low % 65521, high % 65521];
  }
  return high * 65536 + low;
};
window.make = ({ kind, flash, uicr, seed }) =>
  new Microbit(core, kind, { flash: bytes(flash), uicr: bytes(uicr), seed });
window.look = (board) => ({
  clock: board.clockUs, instructions: board.instructions, leds: [...board.leds()],
  ram: adler32(board.ram), flash: adler32(board.flash), uicr: adler32(board.uicr),
  registers: Array.from({ length: 16 }, (_, number) => board.debug.coreRegister(number)),
  text: [...board.receive()], waiting: board.waiting, tone: board.tone(),
  pins: Array.from({ length: 17 }, (_, number) => board.pin(number)),
  flashBusy: board.flashBusy, hasPanicked: board.hasPanicked,
  halted: board.debug.halted, lockedUp: board.debug.lockedUp,
});
window.act = (board, [name, ...values]) => {
  const part = name.startsWith("debug.") ? board.debug : board;
  const memories = values.map((value) => (Array.isArray(value) ? new Uint8Array(value) : value));
  const result = part[name.replace("debug.", "")](...memories);
  return result instanceof Uint8Array ? [...result] : (result ?? null);
};
window.emulator = { core, Ether, FirmwareStopped, Microbit, play };
"""
LINES = (
    "\x03",
    "from microbit import *\r",
    "print(temperature(), accelerometer.get_values())\r",
    "print(pin0.read_analog(), display.read_light_level())\r",
    "import music; music.pitch(440, wait=False)\r",
    "pin1.write_analog(300); pin2.write_digital(1)\r",
    "compass.get_x()\r",
    "print(compass.get_x(), compass.get_y(), compass.get_z())\r",
)
ACTIONS = [
    ["runFor", 1_500_000],
    ["press", "A"], ["runFor", 60_000], ["release", "A"], ["runFor", 140_000.5],
    ["press", "B"], ["runFor", 70_001], ["release", "B"], ["runFor", 400_000],
    ["tilt", 300, -200, -900], ["runFor", 300_000],
    ["send", "?\r"], ["press", "B"], ["runFor", 100_000], ["release", "B"], ["runFor", 900_000],
    ["powerCut"], ["powerOn"], ["runFor", 800_000], ["reset"], ["runFor", 900_000],
    ["send", "\x03" + "#" * 9000 + "\r"], ["runFor", 400_000], ["powerCut"], ["powerOn"],
    ["runFor", 1_800_000], ["setTemperature", 31], ["setLight", 200], ["setVoltage", 0, 2],
    ["setMagneticField", 30_000, -20_000, 10_000],
    *(action for line in LINES for action in (["send", line], ["runFor", 100_000])),
]  # fmt: skip
LOG = [["send", "import log; log.add(a=1)\r"], ["runFor", 500_000], ["myData"]]
PANIC = [["send", "panic(7)\r"], ["runFor", 1_000_000]]


@pytest.fixture
def tab_with_core(page):
    def answer(route):
        name = route.request.url.removeprefix(SITE)
        if name in ("microbit.js", "ether.js", "core.wasm"):
            kind = "application/wasm" if name.endswith("wasm") else "text/javascript"
            route.fulfill(body=(CORE / name).read_bytes(), content_type=kind)
        elif name == "test.js":
            route.fulfill(body=SCRIPT, content_type="text/javascript")
        else:
            script = "<script type=module src=test.js></script>"
            html = f"<!doctype html><link rel=icon href=data:,>{script}"
            route.fulfill(body=html, content_type="text/html")

    page.route(SITE + "**", answer)
    page.goto(SITE)
    page.wait_for_function("window.emulator")
    return page


def made(board: Microbit, seed: int) -> dict[str, object]:
    flash, uicr = (base64.b64encode(memory).decode() for memory in (board.flash, board.uicr))
    return {"kind": board.board, "flash": flash, "uicr": uicr, "seed": seed}


def looked_at(board: Microbit) -> dict[str, object]:
    debugger, tone = board.debugger, board.tone()
    return {
        "clock": board.clock_us,
        "instructions": board.instructions,
        "leds": list(board.leds()),
        "ram": zlib.adler32(board.ram),
        "flash": zlib.adler32(board.flash),
        "uicr": zlib.adler32(board.uicr),
        "registers": [debugger.core_register(number) for number in range(16)],
        "text": list(board.uart.receive()),
        "waiting": board.uart.waiting,
        "tone": tone and {"frequencyHz": tone.frequency_hz, "sinceUs": tone.since_us},
        "pins": [
            {
                "isOutput": pin.is_output,
                "isHigh": pin.is_high,
                "frequencyHz": pin.frequency_hz,
                "duty": pin.duty,
            }
            for pin in map(board.pin, range(17))
        ],
        "flashBusy": board.flash_busy,
        "hasPanicked": board.has_panicked,
        "halted": debugger.halted,
        "lockedUp": debugger.locked_up,
    }


def act(board: Microbit, action: list) -> object:
    """Do what the browser does, by the name that it has there."""
    name, *values = action
    part = board.debugger if name.startswith("debug.") else board
    method = re.sub("[A-Z]", lambda letter: "_" + letter[0].lower(), name.removeprefix("debug."))
    if name == "send":
        return board.uart.send(values[0].encode())
    values = [bytes(value) if isinstance(value, list) else value for value in values]
    result = getattr(part, method)(*values)
    return list(result) if isinstance(result, bytes) else result


def do_same(page, here: Microbit, actions: list[list]) -> None:
    """Do the same here and with `board` in the browser, and compare."""
    there = page.evaluate(
        "(actions) => actions.map((action) => [act(board, action), look(board)])", actions
    )
    for action, result_and_look in zip(actions, there, strict=True):
        assert result_and_look == [act(here, action), looked_at(here)], action


@pytest.mark.parametrize("name", [NEWEST[0], long(NEWEST[1])])
def test_browser_gives_the_same_trace_as_python(tab_with_core, name):
    image = stepped(name)()
    here = Microbit(image.board, flash=image.flash, uicr=image.uicr, seed=5)
    tab_with_core.evaluate("(made) => { window.board = make(made); }", made(image, 5))
    do_same(tab_with_core, here, [*ACTIONS, *(LOG if here.board == "V2" else []), *PANIC])
    assert here.instructions > 1_000_000 and here.has_panicked


def set_outputs(word: int) -> list[list]:
    """Make all pins of both ports outputs, and set them to the bits of this word."""
    return [
        ["debug.writeWord", GPIO + port + register, value]
        for port in (0, PORT_1)
        for register, value in ((PIN_DIR, 0xFFFF_FFFF), (PIN_OUT, word))
    ]


BUTTONS = [
    action
    for what, button in (
        ("press", "A"), ("press", "B"), ("release", "A"), ("press", "A"), ("release", "B")
    )
    for action in ([what, button], ["debug.readWord", GPIO + PIN_IN])
]  # fmt: skip
# Which of the edge's pins is which of the chip's.
PINS = [
    action
    for bit in range(5)
    for action in set_outputs(sum(1 << pin for pin in range(32) if pin >> bit & 1))
]
DEBUG = [
    ["debug.halt"], ["debug.setCoreRegister", 3, 0xFFFF_FFFE], ["debug.coreRegister", 3],
    ["debug.writeMemory", RAM + 64, [0, 1, 2, 3, 0xFC, 0xFD, 0xFE, 0xFF]],
    ["debug.readMemory", RAM + 64, 7], ["debug.readWord", RAM + 68],
    ["debug.step"], ["runFor", 10], ["debug.resume"], ["runFor", 10], ["debug.catchReset", True],
    ["reset"], ["runFor", 10], ["debug.resume"], ["runFor", 10], ["debug.detach"], ["reset"],
    ["runFor", 10],
]  # fmt: skip
FLASH = [
    ["debug.program", 0x100, [1, 2]], ["debug.program", UICR + 4, [3, 4]], ["debug.halt"],
    ["debug.writeWord", NVMC + CONFIG, 1], ["debug.writeWord", 0x3_0000, 0x1234_5678],
    ["runFor", 1000], ["debug.writeWord", NVMC + CONFIG, 2],
    ["debug.writeWord", NVMC + ERASEPAGE, 0x3_0000], ["runFor", 100],
]  # fmt: skip
# How soon the logo's pin is charged, which takes longer while a finger touches it.
LOGO = [
    action
    for touched in (True, False)
    for action in (
        ["touchLogo", touched], ["debug.writeWord", GPIOTE + EVENTS_IN, 0],
        ["debug.writeWord", GPIOTE + GPIOTE_CONFIG, RISES | LOGO_PIN << 8],
        ["runFor", 100], ["debug.readWord", GPIOTE + EVENTS_IN],
    )
]  # fmt: skip
# The microphone's voltage, once it is silent and once it is loud.
SOUND = [
    action
    for level in (0, 200)
    for action in (
        ["setSound", level],
        *(
            ["debug.writeWord", SAADC + register, value]
            for register, value in (
                (SAADC_ENABLE, 1), (PSELP, MICROPHONE), (RESULT_PTR, RAM), (RESULT_MAXCNT, 1),
                (SAADC_START, 1), (SAADC_SAMPLE, 1),
            )
        ),
        ["runFor", 100], ["debug.readMemory", RAM, 2], ["debug.writeWord", SAADC + SAADC_STOP, 1],
    )
]  # fmt: skip


@pytest.mark.parametrize("kind", ["V1", "V2"])
def test_browser_can_do_with_a_board_what_python_can(tab_with_core, kind):
    here = Microbit(kind, flash=IDLE, seed=5)
    tab_with_core.evaluate("(made) => { window.board = make(made); }", made(here, 5))
    v2_only = [*LOGO, *SOUND, ["myData"]] if kind == "V2" else []
    do_same(tab_with_core, here, [["runFor", 100], *BUTTONS, *v2_only, *PINS, *DEBUG, *FLASH])


@pytest.mark.parametrize("name", [NEWEST[0], long(NEWEST[1])])
def test_boards_in_a_browser_hear_each_other(tab_with_core, name):
    """The first two send at the same times, so that many of their packets collide."""
    images = [stepped(name)({"main.py": RADIO % pause}) for pause in (41, 41, 67)]
    boards = {
        letter: Microbit(image.board, flash=image.flash, uicr=image.uicr, seed=at)
        for at, (letter, image) in enumerate(zip("abc", images, strict=True))
    }
    tab_with_core.evaluate(
        "(made) => { const [a, b, c] = made.map(make); window.boards = { a, b, c };"
        " window.air = new emulator.Ether(boards); }",
        [made(image, at) for at, image in enumerate(images)],
    )
    air, received = Ether(boards), bytearray()

    def run(here, there, us=300_000):
        here.run_for(us)
        looks, packets, clock = tab_with_core.evaluate(
            f"() => {{ {there}.runFor({us}); return [Object.values(boards).map(look),"
            " air.history.map((one) => [one.sender, one.start, one.addressEnd, one.end,"
            " one.frequency, one.dbm, [...one.payload], one.isCut]), air.clockUs]; }"
        )
        looks_here = [looked_at(board) for board in boards.values()]
        received.extend(looks_here[0]["text"])
        assert looks == looks_here
        assert packets == [
            [
                packet.sender,
                packet.start,
                packet.address_end,
                packet.end,
                packet.frequency,
                packet.dbm,
                list(packet.payload),
                packet.is_cut,
            ]
            for packet in air.history
        ]
        assert clock == air.clock_us

    for _ in range(3):
        run(air, "air")
    assert received.count(b"', -60)") > 3
    air.attenuation = lambda sender, receiver: 93 if sender == "b" else 94 if receiver == "b" else 9
    tab_with_core.evaluate(
        "() => { air.attenuation = (sender, receiver) =>"
        " sender === 'b' ? 93 : receiver === 'b' ? 94 : 9; }"
    )
    run(air, "air")
    air.collisions = False
    tab_with_core.evaluate("() => { air.collisions = false; }")
    run(boards["b"], "boards.b")
    us = 0
    while boards["b"].debugger.read_word(RADIO_STATE) != SENDING:
        air.run_for(100)
        us += 100
    tab_with_core.evaluate(f"() => air.runFor({us})")
    boards["b"].power_cut()
    tab_with_core.evaluate("() => boards.b.powerCut()")
    run(boards["a"], "boards.a", 100_000)
    assert any(packet.is_cut for packet in air.history)
    boards["b"].power_on()
    tab_with_core.evaluate("() => boards.b.powerOn()")
    run(boards["b"], "boards.b", 700_000)
    assert received.count(b"', -9)") > 5


def test_firmware_that_cannot_go_on_says_where(tab_with_core):
    """An erased chip: its vectors point to nothing. Or it locks up, as a debugger expects."""
    message = tab_with_core.evaluate(
        "() => { const board = new emulator.Microbit(emulator.core, 'V1');"
        " board.debug.lockUpAtFaults(true); board.debug.lockUpAtFaults(false);"
        " try { board.runFor(10); } catch (error) {"
        " return [error instanceof emulator.FirmwareStopped, error.address, String(error)]; } }"
    )
    text = "the firmware accesses an address where there is nothing (0xfffffffe, pc 0xfffffffe)"
    assert message == [True, 0xFFFF_FFFE, f"FirmwareStopped: {text}"]
    locked = tab_with_core.evaluate(
        "() => { const board = new emulator.Microbit(emulator.core, 'V1');"
        " board.debug.lockUpAtFaults(true); board.runFor(10);"
        " return [board.debug.lockedUp, board.debug.readWord(0xE000EDF0) >> 19 & 1]; }"
    )
    assert locked == [True, 1]


def test_snapshot_in_a_browser_returns(tab_with_core):
    image = stepped(NEWEST[0])()
    tab_with_core.evaluate(
        "(made) => { window.board = make(made); board.runFor(1e6);"
        " board.send('#'.repeat(9000)); board.press('A'); }",
        made(image, 1),
    )
    first, again = tab_with_core.evaluate(
        "() => { const state = board.snapshot(); const looks = [];"
        " for (let n = 0; n < 2; n++) { board.press('B'); board.runFor(5e5);"
        " board.release('A'); looks.push(look(board)); board.restore(state); } return looks; }"
    )
    assert first == again


def test_board_runs_by_animation_frames(tab_with_core):
    """Its device time follows the frames; it ends when it is told to."""
    image = stepped(NEWEST[0])()
    tab_with_core.evaluate(
        "(made) => { window.board = make(made); window.frames_ = 0; window.times = [];"
        " const { requestAnimationFrame: ask } = window; window.pending = [];"
        " window.requestAnimationFrame = (step) => pending.push(step);"
        " window.cancelAnimationFrame = () => { pending.length = 0; };"
        " window.began = performance.now();"
        " window.stop = emulator.play(board, () => times.push(board.clockUs)); }",
        made(image, 1),
    )
    times = tab_with_core.evaluate(
        "() => { for (const ms of [10, 26, 42, 400000, 400016])"
        " pending.shift()(began + 1 + ms); stop(); return [times, pending.length]; }"
    )
    (first, second, third, hidden, last), left = times
    assert (second - first, third - second, last - hidden) == (16_000, 16_000, 16_000)
    assert hidden - third == 100_000 and left == 0  # what a late frame runs at most
    messages, left = tab_with_core.evaluate(
        "() => { const messages = [], note = (error) => messages.push(error.message);"
        " for (const onError of [note, undefined]) {"
        "  emulator.play(new emulator.Microbit(emulator.core, 'V1'), () => {}, onError);"
        "  try { pending.shift()(performance.now() + 16); } catch (error) { note(error); } }"
        " return [messages, pending.length]; }"
    )
    assert len(messages) == 2 and left == 0  # an error ends it
