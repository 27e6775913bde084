"""Boards in an ether, in device time: everything repeats, for any steps in any order."""

import pytest

from microbit_emulator import EmulatorError, Ether
from on_air import FIRST, OLD_V1, ON, V1, V2, meet, received, send_at
from repl import another, long, trace

PROGRAM = (
    "from microbit import sleep\nimport random\nradio.on()\n"
    "for i in range(20):\n"
    " if random.randrange(2): radio.off(); sleep(random.randrange(9)); radio.on()\n"
    " radio.send_bytes(bytes([i]) * random.randrange(60))\n"
    " sleep(random.randrange(9))\n"
    " print(radio.receive_full())\n"
)


def talk(firmwares: dict[str, str], step_us: float, leader: str) -> dict[str, tuple[object, ...]]:
    """Boards that all send, sleep and switch their radios at random, led by one of them."""
    boards = {name: another(of, ord(name)) for name, of in firmwares.items()}
    ether = Ether(boards, seed=1, loss=0.1)
    for board in boards.values():
        board.uart.send(b"\x05" + ON.encode() + b"\n" + PROGRAM.encode() + b"\x04")
    run_for = (boards[leader] if leader else ether).run_for
    for _ in range(round(500_000 / step_us)):
        run_for(step_us)
    return {name: trace(board) for name, board in sorted(boards.items())}


@pytest.mark.parametrize(
    "firmwares", [{"a": V2, "b": V1}, long({"a": V2, "b": V1, "c": V2, "d": OLD_V1})]
)
def test_everything_repeats_for_any_steps_and_any_order(firmwares: dict[str, str]) -> None:
    expected = talk(firmwares, 500_000, "")
    outputs = [bytes(output) for output, *_ in expected.values()]  # type: ignore[call-overload]
    assert all(output.count(b", -60, ") >= 3 and b"None" in output for output in outputs)
    backwards = dict(reversed(firmwares.items()))
    assert talk(backwards, 5_000, "b") == expected
    if len(firmwares) > 2:
        assert talk(firmwares, 500_000, "a") == expected
        assert talk(backwards, 100_000, "d") == expected
        assert talk(firmwares, 100, "") == expected


def test_only_the_ether_takes_and_restores_snapshots() -> None:
    ether, (one, other) = meet(V2, V1)
    with pytest.raises(EmulatorError, match="use the ether's snapshot"):
        one.snapshot()
    send_at(ether, one, ether.clock_us + 1000, "p")
    ether.loss = 1
    snapshot = ether.snapshot()
    ends = []
    for _ in range(2):
        ether.loss = 0
        ether.run_for(20_000)
        ends.append((ether.clock_us, trace(one), trace(other)))
        assert received(other) == [FIRST]
        snapshot.restore()
        assert ether.loss == 1
    assert ends[0] == ends[1]


def test_board_is_in_only_one_ether() -> None:
    one, other = another(V1), another(V1)
    first = Ether({"one": one, "other": other})
    Ether({"one": one})
    with pytest.raises(EmulatorError, match="the micro:bit one has left this ether"):
        first.run_for(1000)
