"""What `noughts doctor` makes of what could be found out about a board."""

from dataclasses import replace

import pytest

from noughts.boards.drive import look
from noughts.boards.ports import Port
from noughts.boards.probe import Check, ProbedBoard, of_board, of_computer
from noughts.boards.radio import Radio
from noughts.boards.start import Start
from noughts.errors import BoardError, GameError
from noughts.protocol.sentences import Boot
from noughts.virtual.program import try_emulator
from stand_in_drive import USB_ID, StandInDrive

GAME = Start(Boot("00000A83", "V2", "1.0.0", "2798"), "V2", "1.0.0")
SENDER = replace(GAME, radio=Radio(sends=7), radio_id="9A1B2C3D")
GATEWAY = Start(None, "V2", "1.0.0", Radio(gateway=7))
STARTED = [("game", True, "1.0.0, table 2798")]
STOPPED = GameError("the game failed; run `noughts put`", ("line 3", "oops"))
NOT_STARTED = "does not start; run `noughts put`"


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ({"start": SENDER}, [*STARTED, ("radio", True, "sends in group 7 as 9A1B2C3D")]),
        ({"start": GATEWAY}, [("radio", True, "gateway of group 7, release 1.0.0")]),
        ({"error": BoardError("silent; press reset")}, [("game", False, NOT_STARTED)]),
        ({"error": STOPPED}, [("game", False, str(STOPPED), STOPPED.details)]),
    ],
)
def test_what_a_board_does(found, expected):
    board = [
        ("drive", False, "not mounted; `noughts flash` needs it, `put` does not"),
        ("port", True, "/dev/ttyACM0, accessible"),
        ("board", True, "micro:bit V2"),
        ("firmware", True, "MicroPython 1.18 (firmware 2.1.2)"),
    ]
    kind = {"board": "V2", "firmware": "2.1.2", "micropython": "1.18"}
    probed = ProbedBoard(port=Port("/dev/ttyACM0", USB_ID), **kind, **found)
    assert of_board(probed) == [Check(*each) for each in board + expected]


def test_a_drive_in_maintenance_mode(tmp_path):
    path = tmp_path / "MAINTENANCE"
    StandInDrive(path, mode="Bootloader")
    (check,) = of_board(ProbedBoard(drive=look(path)))
    todo = "in maintenance mode; unplug it and plug it in without holding reset"
    assert check == Check("drive", False, f"{path}, interface 0249: {todo}")


@pytest.mark.parametrize(
    ("board", "release", "good", "advice"),
    [
        ("V2", "2.0.0-beta.5", False, ": it may stop saving the settings, and freeze when tilted"),
        ("V2", "2.1.2", True, ""),
        ("V2", "2.1.1", True, "; `noughts flash` brings 2.1.2"),
        ("V2", "2.1.10", True, ""),
        ("V1", "1.0.1", True, "; `noughts flash` brings 1.1.1"),
    ],
)
def test_which_firmware_is_to_be_replaced(board, release, good, advice):
    found = of_board(ProbedBoard(board=board, firmware=release, micropython="1.13"))
    (check,) = (each for each in found if each.what == "firmware")
    mend = "" if good else "; run `noughts flash`"
    assert check.good == good
    assert check.found == f"MicroPython 1.13 (firmware {release}){advice}{mend}"


def test_a_computer_without_the_game_or_the_emulator(monkeypatch):
    checks = of_computer(True, try_emulator)
    assert [check.what for check in checks if check.good] == ["Python", "noughts", "emulator"]

    def refuse():
        raise BoardError("Unicorn is missing; install it")

    monkeypatch.setattr("noughts.boards.probe.device_files", dict)
    _, game, emulator, boards = of_computer(False, refuse)
    assert not game.good and "table.py is missing; " in game.found
    assert (emulator.good, emulator.found) == (False, "Unicorn is missing; install it")
    assert not boards.good
