"""Device time on the emulator: the same inputs at the same times give the same trace."""

import os
import subprocess
import sys
from functools import cache, partial

import pytest

import repl
from repl import END_US, INPUTS, NEWEST, another, boot, long, trace


def play(name: str, step_us: float, seed: int = 0) -> tuple[object, ...]:
    """Run the inputs in steps; each comes between two of them."""
    board = another(name, seed)
    start = board.clock_us
    done = 0.0
    for at, action in [*INPUTS, (END_US, lambda board: None)]:
        while done < at:
            done = min(at, done + step_us)
            board.run_until(round(start + done))
        action(board)
    return trace(board)


@cache
def reference(name: str) -> tuple[object, ...]:
    return play(name, 100_000)


@pytest.mark.parametrize("name", NEWEST)
def test_reference_run_covers_the_inputs(name: str) -> None:
    output, *_ = reference(name)
    assert isinstance(output, bytes)
    for part in (b"0 0\r\n", b"0 1\r\n", b" 0\r\nTraceback", b"KeyboardInterrupt"):
        assert part in output
    assert b"200\r\n>>> " in output


@pytest.mark.parametrize("step_us", [7_000, *map(long, (100_000, 1_000, 50))])
@pytest.mark.parametrize("name", NEWEST)
def test_step_size_does_not_change_the_trace(name: str, step_us: float) -> None:
    assert play(name, step_us) == reference(name)


@pytest.mark.parametrize("name", ["V1 1.1.1", long("V2 2.1.2")])
def test_new_process_gives_the_same_trace(name: str) -> None:
    """Nothing depends on addresses in memory or on earlier translations."""
    code = f"import sys; sys.path[:] = {sys.path!r}; from test_determinism import play; "
    code += f"print(play({name!r}, 100_000))"
    environment = os.environ | {"PYTHONHASHSEED": "1"}
    ran = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert ran.stdout == f"{reference(name)}\n"


@pytest.mark.parametrize("name", NEWEST)
def test_scheduled_inputs_act_like_inputs_between_steps(name: str) -> None:
    board = boot(name)
    start = board.clock_us
    for at, action in INPUTS:
        board.at(start + at, partial(action, board))
    board.run_until(start + END_US)
    assert trace(board) == reference(name)


@pytest.mark.parametrize("name", ["V1 1.1.1", long("V2 2.1.2")])
def test_different_seeds_give_different_traces(name: str) -> None:
    assert play(name, 100_000, seed=1)[2] != reference(name)[2]


@pytest.mark.parametrize("name", NEWEST)
def test_clock_continues_through_resets(name: str) -> None:
    board = boot(name)
    clock_us_before = board.clock_us
    board.reset()
    assert board.clock_us == clock_us_before
    board.run_for(1_000)
    assert board.clock_us == clock_us_before + 1_000
    board.power_cut()
    board.power_on()
    assert board.clock_us == clock_us_before + 1_000
    repl.wait_for(board, repl.PROMPT)


@pytest.mark.parametrize("name", NEWEST)
def test_serial_line_survives_a_reset(name: str) -> None:
    board = boot(name)
    board.uart.send(b"#" * 400)
    board.run_for(10_000)
    board.reset()
    board.run_until(lambda: not board.uart.waiting)
    repl.wait_for(board, repl.PROMPT)
    board.uart.send(repl.CTRL_C)
    repl.wait_for(board, repl.PROMPT)
    assert repl.ask(board, "1 + 1") == "2"


@pytest.mark.parametrize(("name", "erase_us"), [("V1 1.1.1", 22_300), ("V2 2.1.2", 85_000)])
def test_erase_halts_the_cpu_for_its_full_time(name: str, erase_us: int) -> None:
    board = boot(name)
    board.uart.send(b"for i in range(999): f = open('a', 'w'); f.write('x' * 99); f.close()\r\r")
    assert board.run_until(lambda: board.flash_busy == "erase", timeout_us=60_000_000)
    assert board.run_until(lambda: board.flash_busy != "erase", step_us=10)
    assert board.run_until(lambda: board.flash_busy == "erase", timeout_us=60_000_000, step_us=10)
    start, count = board.clock_us, board.instructions
    assert board.run_until(lambda: board.flash_busy != "erase", step_us=10)
    assert abs(board.clock_us - start - erase_us) <= 20
    assert board.instructions - count < 1000


@pytest.mark.parametrize("name", NEWEST)
def test_bytes_take_time_on_the_serial_line(name: str) -> None:
    board = boot(name)
    board.uart.send(b"print('" + b"-" * 99 + b"')\r")
    board.run_for(100 * 1e6 / 11_520)
    assert board.uart.waiting == 9
    repl.wait_for(board, b"-" * 99 + b"\r\n>>> ")


@pytest.mark.long
@pytest.mark.parametrize("name", NEWEST)
def test_leds_are_right_after_a_timer_overflows(name: str) -> None:
    """V1 counts the display's time in 24 bits of microseconds: 16.8 seconds."""
    board = boot(name)
    board.uart.send(b"from microbit import *\r")
    for picture, until_us in (
        ("90909:05050:70707:03030:10101", 17_500_000),
        ("01234:56789:98765:43210:09090", 18_000_000),
    ):
        board.uart.send(f"display.show(Image('{picture}'))\r".encode())
        board.run_for(1_000_000)
        expected = bytes(int(level) for level in picture.replace(":", ""))
        while board.clock_us < until_us:
            assert board.leds() == expected
            board.run_for(1_499_000)
        assert board.leds() == expected
