"""The emulator's core in a browser gives the same traces as in Python, also in real time."""

import base64
from pathlib import Path

import pytest

import microbit_emulator
from microbit_emulator import Ether, Microbit
from needed import long
from official import NEWEST, stepped

CORE = Path(microbit_emulator.__file__).with_name("core")
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
const sum = (memory) => memory.reduce((all, byte) => (Math.imul(all, 31) + byte) | 0, 0);
const registers = (board) => Array.from({ length: 16 }, (_, n) => board.debug.coreRegister(n));
window.make = ({ kind, flash, uicr, seed }) =>
  new Microbit(core, kind, { flash: bytes(flash), uicr: bytes(uicr), seed });
window.look = (board) => ({
  clock: board.clockUs, instructions: board.instructions, leds: [...board.leds()],
  ram: sum(board.ram), flash: sum(board.flash), registers: registers(board),
  text: [...board.receive()],
});
window.emulator = { core, Ether, FirmwareStopped, Microbit, play };
"""
ACTIONS = [
    ["runFor", 1_500_000],
    ["press", "A"], ["runFor", 60_000], ["release", "A"], ["runFor", 140_000.5],
    ["press", "B"], ["runFor", 70_001], ["release", "B"], ["runFor", 400_000],
    ["tilt", 300, -200, -900], ["runFor", 300_000],
    ["send", "?\r"], ["press", "B"], ["runFor", 100_000], ["release", "B"], ["runFor", 900_000],
    ["powerCut"], ["powerOn"], ["runFor", 800_000], ["reset"], ["runFor", 900_000],
]  # fmt: skip
NAMES = {"runFor": "run_for", "powerCut": "power_cut", "powerOn": "power_on"}


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


def checksum(memory: bytes) -> int:
    total = 0
    for byte in memory:
        total = (total * 31 + byte) & 0xFFFF_FFFF
    return (total ^ 0x8000_0000) - 0x8000_0000


def looked_at(board: Microbit) -> dict[str, object]:
    return {
        "clock": board.clock_us,
        "instructions": board.instructions,
        "leds": list(board.leds()),
        "ram": checksum(board.ram),
        "flash": checksum(board.flash),
        "registers": [board.debugger.core_register(number) for number in range(16)],
        "text": list(board.uart.receive()),
    }


def act(board: Microbit, action: list) -> None:
    name, *values = action
    if name == "send":
        board.uart.send(values[0].encode())
    else:
        getattr(board, NAMES.get(name, name))(*values)


@pytest.mark.parametrize("name", [NEWEST[0], long(NEWEST[1])])
def test_browser_gives_the_same_trace_as_python(tab_with_core, name):
    image = stepped(name)()
    here = Microbit(image.board, flash=image.flash, uicr=image.uicr, seed=5)
    tab_with_core.evaluate("(made) => { window.board = make(made); }", made(image, 5))
    for action in ACTIONS:
        act(here, action)
        there = tab_with_core.evaluate(
            "([name, ...values]) => { board[name](...values); return look(board); }", action
        )
        assert there == looked_at(here), action
    assert here.instructions > 1_000_000


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
    air = Ether(boards)
    received = bytearray()
    for _ in range(5):
        air.run_for(300_000)
        there = tab_with_core.evaluate(
            "() => { air.runFor(300000); return Object.values(boards).map(look); }"
        )
        here = [looked_at(board) for board in boards.values()]
        received += bytes(here[0]["text"])
        assert there == here
    assert received.count(b"', -60)") > 10
    assert tab_with_core.evaluate("air.history.length") == len(air.history)


def test_firmware_that_cannot_go_on_says_where(tab_with_core):
    """An erased chip: its vectors point to nothing. Or it locks up, as a debugger expects."""
    message = tab_with_core.evaluate(
        "() => { const board = new emulator.Microbit(emulator.core, 'V1');"
        " try { board.runFor(10); } catch (error) {"
        " return [error instanceof emulator.FirmwareStopped, error.address]; } }"
    )
    assert message == [True, 0xFFFF_FFFE]
    locked = tab_with_core.evaluate(
        "() => { const board = new emulator.Microbit(emulator.core, 'V1');"
        " board.debug.lockUpAtFaults(true); board.runFor(10);"
        " return [board.debug.lockedUp, board.debug.readWord(0xE000EDF0) >> 19 & 1]; }"
    )
    assert locked == [True, 1]


def test_snapshot_in_a_browser_returns(tab_with_core):
    image = stepped(NEWEST[0])()
    tab_with_core.evaluate(
        "(made) => { window.board = make(made); board.runFor(1e6); }", made(image, 1)
    )
    first, again = tab_with_core.evaluate(
        "() => { const state = board.snapshot(); const looks = [];"
        " for (let n = 0; n < 2; n++) { board.press('B'); board.runFor(5e5);"
        " looks.push(look(board)); board.restore(state); } return looks; }"
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
