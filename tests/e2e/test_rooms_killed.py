"""Rooms, broker and collector, killed with SIGKILL at random moments while games are played."""

import pytest

import kill_rooms
from needed import long


@pytest.mark.parametrize(("kills", "games"), [(4, 6), long(12, 20)])
def test_each_game_arrives_once_whoever_is_killed(mosquitto, tmp_path, kills, games):
    mosquitto().close()  # it is there, or the test is skipped
    outcome = kill_rooms.run(tmp_path, kills, seed=4)
    assert outcome.kills.total() == kills
    assert outcome.games > games
    assert not outcome.wrong, outcome.wrong
