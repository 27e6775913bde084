"""`noughts put` and `doctor` with boards that send by radio, and with gateways, in device time."""

import json

import pytest

from noughts import __version__, brain
from noughts.cli import main

OTHER = brain.Table(brain.WEIGHTS, (*brain.make().book, 65535))
"""It plays as ours does."""


def told(capsys, command, board, *words):
    status = main([command, "--port", board.port, *words])
    out, err = capsys.readouterr()
    return status, [line for line in out.splitlines() if not line.startswith("sent ")], err


@pytest.mark.long
def test_a_v2_sends_until_it_is_said_not_to(plugged_in, tmp_path, capsys):
    board = plugged_in(None, "V2")
    other = tmp_path / "other.py"
    other.write_text(brain.source(OTHER))
    status, lines, _ = told(capsys, "put", board, "--radio", "7")
    assert status == 0 and lines[0].endswith(": 3 of 19 files to send")
    begin = f"started on micro:bit V2: game {__version__}, table 2798, sends in group 7 as "
    assert lines[-1].startswith(begin)
    radio_id = lines[-1].removeprefix(begin)

    # A new table leaves it on, and says so.
    status, lines, _ = told(capsys, "put", board, "--table", str(other))
    assert status == 0 and lines[0].endswith(": 1 of 19 files to send")
    assert lines[1].startswith("radio: still sends in group 7; ")
    assert lines[1].endswith("put --radio off` ends that")
    assert lines[-1].endswith(f"table {OTHER.id}, sends in group 7 as {radio_id}")

    status, lines, _ = told(capsys, "doctor", board)
    assert f"✓ radio      sends in group 7 as {radio_id}" in lines
    status, lines, _ = told(capsys, "put", board, "--radio", "off")
    assert {"removed air.py", "removed group.py"} <= set(lines)
    assert lines[-1] == f"started on micro:bit V2: game {__version__}, table 2798"
    status, lines, _ = told(capsys, "put", board)
    assert status == 0 and len(lines) == 2  # of what is off, nothing is said


def test_a_board_becomes_a_gateway_and_stays_one(plugged_in, tmp_path, capsys):
    board = plugged_in(None, "V1")
    status, lines, err = told(capsys, "put", board, "--radio", "7")
    assert status == 1 and not lines
    assert "a micro:bit V1 has no memory for radio: there the game plays without it; use" in err

    status, lines, _ = told(capsys, "put", board, "--gateway", "7")
    assert status == 0 and lines[0].endswith(": 2 of 2 files to send")
    start_line = f"started on micro:bit V1: gateway of group 7, release {__version__}"
    assert lines[-1] == start_line
    status, lines, _ = told(capsys, "put", board)
    assert status == 0 and lines[0].endswith(": 0 of 2 files to send")
    assert lines[1].startswith("radio: still gateway of group 7; ") and lines[2] == start_line
    other = tmp_path / "other.py"
    other.write_text(brain.source(OTHER))
    status, _, err = told(capsys, "put", board, "--table", str(other))
    assert status == 1 and "the board is a gateway, which has no table; choose another" in err

    status, lines, _ = told(capsys, "doctor", board)
    assert f"✓ radio      gateway of group 7, release {__version__}" in lines
    status, lines, _ = told(capsys, "doctor", board, "--json")
    (found,) = json.loads(lines[0])["boards"]
    assert (found["gateway_group"], found["radio_group"], found["board"]) == (7, None, "V1")
    status, lines, _ = told(capsys, "put", board, "--radio", "off")
    assert lines[-1] == f"started on micro:bit V1: game {__version__}, table 2798"
