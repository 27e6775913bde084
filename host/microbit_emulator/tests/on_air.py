"""Micro:bits with the official firmwares, in radio contact."""

import ast
from functools import cache
from typing import Any

from microbit_emulator import Ether, Microbit, Snapshot
from repl import another, run

V2, V1, OLD_V1, OLD_V2 = "V2 2.1.2", "V1 1.1.1", "V1 1.0.1", "V2 2.0.0-beta.5"
ON = "import radio\nradio.config(group=7, length=64, queue=3)\nradio.on()"


@cache
def _started(firmwares: tuple[str, ...]) -> tuple[Ether, dict[str, Microbit], Snapshot]:
    named = dict(zip("abc", firmwares, strict=False))
    boards = {name: another(of, ord(name)) for name, of in named.items()}
    ether = Ether(boards)
    for board in boards.values():
        assert run(board, ON) == ("", "")
    return ether, boards, ether.snapshot()


def meet(*firmwares: str) -> tuple[Ether, list[Microbit]]:
    """Boards named a, b, c with these firmwares in an ether, their radios on, in group 7."""
    ether, boards, snapshot = _started(firmwares)
    snapshot.restore()
    return ether, list(boards.values())


def say(board: Microbit, code: str) -> None:
    assert run(board, code) == ("", "")


def value(board: Microbit, expression: str) -> Any:
    printed, error = run(board, f"print({expression})")
    assert not error, error
    return ast.literal_eval(printed)


def received(board: Microbit) -> list[bytes]:
    """All packets that wait in a board's queue."""
    code = "while 1:\n p = radio.receive_bytes()\n if p is None: break\n print(p)"
    printed, error = run(board, code)
    assert not error, error
    return [ast.literal_eval(line) for line in printed.splitlines()]


FIRST, SECOND = b"p" * 60, b"q" * 60


def send_at(ether: Ether, board: Microbit, us: int, letter: str) -> None:
    """Let a board send 60 bytes, 552 us long, from a time of the ether plus what typing takes."""
    ether.run_until(us)
    board.uart.send(f"radio.send_bytes(b'{letter}' * 60)\r".encode())
