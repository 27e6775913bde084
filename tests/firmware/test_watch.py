"""`noughts watch` on the official firmware: the boards' buttons are pressed, and all that is known
of them comes through the command."""

from __future__ import annotations

import csv
import json
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from boards import A, B
from noughts import cli
from noughts.device_files import load_device
from noughts.protocol.parser import ParsedSentence
from noughts.virtual.board import VirtualBoard
from noughts.virtual.program import BOARDS
from watcher import HeardBy, Watcher

Start = Callable[..., VirtualBoard]
Printed = pytest.CaptureFixture[str]

DRAW = "421357086"


def printed(capsys: Printed, *words: str) -> str:
    """What a command says that must succeed."""
    capsys.readouterr()
    assert cli.main(words) == 0
    return capsys.readouterr().out


def test_a_game_survives_the_cable_and_kill_9(
    virtual: Start, tmp_path: Path, capsys: Printed
) -> None:
    """A whole game by the buttons; in its middle the cable is pulled and plugged in elsewhere."""
    board = virtual(speed=4)
    link = tmp_path / "port"
    link.symlink_to(board.port)
    db = str(tmp_path / "games.db")
    watcher = Watcher(Path(db), str(link))
    try:
        heard = HeardBy(board, watcher, str(link))
        heard.begin()
        heard.begin_game()
        heard.place(int(DRAW[0]))
        heard.says(DRAW[0], "-")
        link.unlink()  # as the system does: another board may get the number of this port
        board.unplug()
        gone = watcher.wait(lambda event: event["event"] == "gone", "the cable")
        assert gone["board"] == str(link)
        heard.place(int(DRAW[1]))  # nobody hears of it, but the driver remembers
        heard.items.append(
            ParsedSentence("", replace(heard.games[-1], moves=tuple(map(int, DRAW[:2]))))
        )
        board.plug()
        link.symlink_to(board.port)
        watcher.connected(str(link), 2)
        for plies in range(3, 10):
            heard.place(int(DRAW[plies - 1]))
            heard.says(DRAW[:plies], "=" if plies == 9 else "-")
        (told,) = [event for event in watcher.events if event.get("end") == "="]
    finally:
        watcher.kill()
    (game,) = json.loads(printed(capsys, "games", "--json", "--db", db))
    assert game["moves"] == list(map(int, DRAW))
    assert (game["result"], game["ms"], game["game"]) == ("draw", told["ms"], told["game"])
    assert (game["seats"], game["board"], game["number"]) == ("PP", str(link), 1)
    assert game["table_id"] == load_device("table").ID
    heard_ms = [ms is None for ms in game["thought_ms"]]
    assert heard_ms == [False, True, True, False, False, False, False, False, False]
    replay = printed(capsys, "replay", str(told["game"]), "--db", db)
    assert replay.count("\nMove ") == 9
    assert replay.endswith("A draw.\n")
    stats = json.loads(printed(capsys, "stats", "--json", "--db", db))
    assert stats["results"][0]["draw"] == 1
    assert stats["first_moves"][4] == 1
    (row,) = csv.DictReader(printed(capsys, "export", "--db", db).splitlines())
    assert "".join(row[f"move_{ply}"] for ply in range(1, 10)) == DRAW


@pytest.mark.long
def test_two_boards_one_of_them_reset(virtual: Start, tmp_path: Path, capsys: Printed) -> None:
    """Both are played at once; the game that a reset cuts short stays, unfinished."""
    boards = [virtual(board=kind, speed=4) for kind in BOARDS]
    db = str(tmp_path / "games.db")
    watcher = Watcher(Path(db), *(board.port for board in boards))
    try:
        one, two = (HeardBy(board, watcher, board.port) for board in boards)
        for heard in (one, two):
            heard.begin()
            heard.begin_game()
        # Where the cursor starts follows from the moves that were heard: they are waited for.
        for plies in (1, 2):
            for heard in (one, two):
                heard.place(int("41"[plies - 1]))
                heard.says("41"[:plies], "-")
        one.board.reset()
        one.start()
        one.begin_game()
        for plies in (3, 4):
            two.place(int("4135"[plies - 1]))
            two.says("4135"[:plies], "-")
        two.press(A, B)
        two.says("4135", "x")
        status, told = watcher.end(signal.SIGTERM)
    finally:
        watcher.kill()
    assert status == 0
    assert "from 2 boards" in told
    games = json.loads(printed(capsys, "games", "--json", "--db", db))
    found = {(game["board"], game["boot"], game["result"], len(game["moves"])) for game in games}
    before, after = (boot.boot for boot in one.boots[-2:])
    assert found == {
        (one.name, before, "unfinished", 2),
        (one.name, after, "unfinished", 0),
        (two.name, two.boots[-1].boot, "abandoned", 4),
    }
