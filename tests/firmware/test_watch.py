"""`noughts watch` on the official firmware: the boards' buttons are pressed, and all that is known
of them comes through the command."""

import json
from dataclasses import replace

from noughts.device_files import load_device
from noughts.protocol.parser import ParsedSentence
from watcher import HeardBy

WON = "41365"


def test_a_game_survives_the_cable_and_kill_9(virtual, watch, tmp_path, printed):
    """A whole game by the buttons; in its middle the cable is pulled and plugged in elsewhere."""
    board = virtual(speed=4)
    link = tmp_path / "port"
    link.symlink_to(board.port)
    watcher = watch("games", str(link))
    heard = HeardBy(board, watcher, str(link))
    heard.begin()
    heard.begin_game()
    heard.place(int(WON[0]))
    heard.says(WON[0], "-")
    link.unlink()  # as the system does: another board may get the number of this port
    board.unplug()
    gone = watcher.wait(lambda event: event["event"] == "gone", "the cable")
    assert gone["board"] == str(link)
    heard.place(int(WON[1]))  # nobody hears of it, but the driver remembers
    moves = tuple(map(int, WON[:2]))
    heard.items.append(ParsedSentence("", replace(heard.games[-1], moves=moves)))
    board.plug()
    link.symlink_to(board.port)
    watcher.connected(str(link), 2)
    for plies in range(3, 6):
        heard.place(int(WON[plies - 1]))
        heard.says(WON[:plies], "A" if plies == 5 else "-")
    (told,) = [event for event in watcher.events if event.get("end") == "A"]
    watcher.kill()
    (game,) = json.loads(printed("games", "--json", db=watcher.db))
    assert game["moves"] == list(map(int, WON))
    assert (game["result"], game["ms"], game["game"]) == ("A", told["ms"], told["game"])
    assert (game["seats"], game["board"], game["number"]) == ("PP", str(link), 1)
    assert game["table_id"] == load_device("table").ID
    assert [ms is None for ms in game["thought_ms"]] == [False, True, True, False, False]
    assert printed("replay", told["game"], db=watcher.db).count("\nMove ") == 5
