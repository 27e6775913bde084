"""Rooms, broker and collector, killed with SIGKILL at random moments while games are played."""

import kill_rooms


def test_each_game_arrives_once_whoever_is_killed(mosquitto, tmp_path):
    mosquitto().close()  # it is there, or the test is skipped
    outcome = kill_rooms.run(tmp_path, kills=12, seed=4)
    assert outcome.kills.total() == 12
    assert outcome.games > 20
    assert not outcome.wrong, outcome.wrong
