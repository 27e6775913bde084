"""A micro:bit restored from a snapshot does the same again, to the instruction."""

import ast
from collections.abc import Callable
from functools import partial

import pytest

from microbit_emulator import Microbit, UnmodelledError
from repl import (
    END_US,
    FIRMWARES,
    INPUTS,
    NEWEST,
    PROMPT,
    another,
    ask,
    long,
    run,
    trace,
    wait_for,
)


def exercise(board: Microbit) -> tuple[object, ...]:
    """Press, lean and write files; returns all that can be seen of the board afterwards."""
    start = board.clock_us
    for at, action in INPUTS:
        board.run_until(start + at)
        action(board)
    board.run_until(start + END_US)
    return board.clock_us, board.flash_busy, board.uart.waiting, *trace(board)


def reset(board: Microbit) -> None:
    board.reset()
    board.run_for(20_000)


def lose_power(board: Microbit) -> None:
    board.power_cut()


def come_back(board: Microbit) -> None:
    board.power_cut()
    board.power_on()
    board.run_for(300_000)


def restart_itself(board: Microbit) -> None:
    board.uart.send(b"import microbit; microbit.reset()\r")
    board.run_for(100_000)


def write(board: Microbit) -> None:
    ask(board, "open('c', 'w').write('z' * 500)")


def press(board: Microbit) -> None:
    board.press("A")
    board.press("B")
    board.tilt(400, 0)
    board.run_for(1_000_000)


def stop_by_an_error(board: Microbit) -> None:
    unmodelled = {"V1": 0x4000_B504, "V2": 0x4001_0504}[board.board]
    with pytest.raises(UnmodelledError):
        run(board, f"import machine\nwhile True: machine.mem32[{unmodelled}]")


DETOURS = reset, lose_power, come_back, restart_itself, write, press, stop_by_an_error


@pytest.mark.parametrize(
    ("name", "detours"),
    [
        ("V1 1.1.1", DETOURS),
        ("V2 2.1.2", (come_back,)),
        long("V2 2.1.2", DETOURS),
        *(long(name, ()) for name in FIRMWARES if name not in NEWEST),
    ],
)
def test_restored_board_does_the_same_again(
    name: str, detours: tuple[Callable[[Microbit], object], ...]
) -> None:
    board = another(name)
    snapshot = board.snapshot()
    expected = exercise(board)
    assert expected == exercise(another(name))
    for detour in (lambda _: None, *detours):
        snapshot.restore()
        detour(board)
        snapshot.restore()
        assert exercise(board) == expected, detour


@pytest.mark.parametrize("name", ["V1 1.1.1", long("V2 2.1.2")])
def test_snapshot_taken_during_an_erase_is_exact(name: str) -> None:
    """The erase continues; and restoring an earlier snapshot undoes it."""
    board = another(name)
    at_prompt = board.snapshot()
    board.uart.send(b"for i in range(999): f = open('a', 'w'); f.write('x' * 99); f.close()\r\r")
    assert board.run_until(lambda: board.flash_busy == "erase", timeout_us=60_000_000)
    in_erase = board.snapshot()
    ends = []
    for _ in range(2):
        in_erase.restore()
        assert board.flash_busy == "erase"
        board.run_for(150_000)
        ends.append(trace(board))
    assert ends[0] == ends[1]
    cut = []
    for _ in range(2):
        in_erase.restore()
        board.power_cut()
        cut.append(board.flash)
    assert cut[0] == cut[1]
    at_prompt.restore()
    assert ask(board, "import os; os.listdir()") == "[]"
    in_erase.restore()
    board.power_cut()
    board.power_on()
    board.uart.receive()
    wait_for(board, PROMPT)


NUMBER = "@micropython.asm_thumb\ndef number(): mov(r0, 123)\nimport machine\nprint(number())"
WHERE = (
    "m = machine.mem16\n"  # movs r0, #123, and before the function ends, pop {..., pc}
    "ram = range(0x20000000, 0x20004000, 2)\n"
    "print([i for i in ram if m[i] == 0x207b and m[i + 2] >> 8 == 0xbd])"
)


def test_changed_code_in_ram_is_executed() -> None:
    """Also when a snapshot has changed it back."""
    board = another("V1 1.1.1")
    assert run(board, NUMBER)[0] == "123\r\n"
    (at,) = ast.literal_eval(run(board, WHERE)[0])
    snapshot = board.snapshot()
    for _ in range(2):
        assert run(board, f"machine.mem16[{at}] = 0x2000 + 45; print(number())")[0] == "45\r\n"
        snapshot.restore()
        assert run(board, "print(number())")[0] == "123\r\n"


def note(noted: list[int]) -> None:
    noted.append(-1)


def test_restore_does_not_affect_data_of_the_caller() -> None:
    """Only the micro:bit is restored, not what its caller has noted."""
    board = another("V1 1.1.1")
    noted: list[int] = []
    board.watch_flash(lambda *change: noted.append(board.clock_us))
    board.at(board.clock_us + 500_000, partial(note, noted))
    snapshot = board.snapshot()
    for rounds in (1, 2):
        snapshot.restore()
        ask(board, "f = open('a', 'w'); f.write('b'); f.close()")
        board.run_for(500_000)
        assert noted.count(-1) == rounds
    assert len(noted) > 4 and noted[: len(noted) // 2] == noted[len(noted) // 2 :]
