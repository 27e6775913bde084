"""A class that has no cable in while it plays: all its games are with a collector, two rooms away.

Its boards are emulated, in device time; what they say goes through pseudo-terminals to the rooms'
`noughts watch`, from there to a real mosquitto, and to the collector's `noughts watch`.
"""

import pytest

import radio_class
from noughts.protocol.sentences import write
from unplugged import COLUMNS, as_row, lesson
from waiting import until
from watcher import happens, rows


@pytest.mark.long
def test_games_arrive_after_kills(mosquitto, watch, port):
    """By a reset, and by radio; each room, the broker and the collector are killed on the way."""
    broker = mosquitto()
    collector = watch("collector", broker.url)

    def room(name, *boards):
        words = "--publish", broker.url, "--room", name, *(board.path for board in boards)
        started = watch(name, *words)
        for board in boards:
            started.connected(board.path)
        return started

    # One room's boards played on batteries, and were switched off again and again.
    machines, ended = zip(lesson("V1", 0), lesson("V1", 1), strict=True)
    cables = [port("v1"), port("v2")]
    plugged_in = room("3a", *cables)
    # The other's send by radio, with losses.
    air = radio_class.play(2, 8, 0.3, 5, rest_s=12, pauses_us=(150_000, 400_000))
    by_radio = [game for game in air.played if game.end != "-"]
    said = air.printed.splitlines(keepends=True)
    quarter = len(said) // 4
    # A board sends the end of a game again and again: this time will do.
    last = b"".join(said[3 * quarter :])
    assert len(by_radio) > 2
    assert all(write(game)[1:-3].encode() in last for game in by_radio)
    cable = port("gateway")
    gateway = room("3b", cable)

    for cable_in, machine in zip(cables, machines, strict=True):
        machine.rest(4000)
        cable_in.send(machine.heard().splitlines(keepends=True)[0])
    cable.send(b"".join(said[:quarter]))
    for cable_in in cables:
        happens(collector, event="boot", board=f"3a/{cable_in.path}")
    collector.wait(lambda event: event["event"] == "game", "a game by radio")

    # Nobody hears what is said while they are dead.
    for each in (plugged_in, gateway, collector):
        each.kill()
    broker.kill()
    gateway = room("3b", cable)
    cable.send(b"".join(said[2 * quarter : 3 * quarter]))
    plugged_in = room("3a", *cables)
    for cable_in, machine in zip(cables, machines, strict=True):
        machine.cut_power()  # its reset button is pressed
        machine.rest(4000)
        cable_in.send(machine.heard())
    gateway.wait(lambda event: event["event"] == "game" and event["end"] != "-", "an end by radio")
    gateway.kill()
    broker.start()
    gateway = room("3b", cable)
    cable.send(last)
    collector = watch("collector", broker.url)
    wanted = sorted(map(as_row, [*ended[0], *ended[1], *by_radio]))
    all_ended = f"SELECT {COLUMNS} FROM games WHERE end != '-'"
    until(lambda: sorted(rows(collector.db, all_ended)) == wanted, "all games")
    for each in (plugged_in, gateway, collector):
        assert each.end()[0] == 0
