"""Keeping the games of `noughts play`, also where they cannot be kept."""

import os

import pytest

from noughts.errors import StoreError
from noughts.protocol.sentences import write
from noughts.recording.play_recording import PlayedGames, PlayRecording
from noughts.store.queries import GameFilter, games
from noughts.store.store import Store
from sample_games import BOOT, DRAW, stages
from waiting import until

WON = [4, 1, 0, 8, 3, 5, 6]


def lines(*told):
    return "".join(f"{write(sentence)}\r\n" for sentence in told).encode()


def test_two_recordings_share_a_store(tmp_path):
    one, other = (PlayRecording(tmp_path / "games.db", "virtual-V2") for _ in range(2))
    one.hear(lines(BOOT, *stages(WON)))
    other.hear(lines(*stages(DRAW[:3], number=2)))
    for recording, kept in ((one, [("00000A83", 1)]), (other, [])):
        recording.close()
        assert (list(recording.kept), recording.error) == (kept, "")
    with Store(tmp_path / "games.db") as store:
        found = [(game.board, game.moves, game.result) for game in games(store, GameFilter())]
    assert sorted(found) == [
        ("virtual-V2", "402", "unfinished"), ("virtual-V2", "4108356", "A"),
    ]  # fmt: skip


def test_a_store_that_cannot_be_made_is_said_and_nothing_fails(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    recording = PlayRecording(tmp_path / "file" / "games.db", "virtual-V2")
    recording.hear(lines(BOOT, *stages(WON)))
    recording.close()
    assert "cannot make the folder" in recording.error and recording.kept == {}


def test_a_store_that_fails_later_is_said_too(tmp_path, monkeypatch):
    def fail(*_):
        raise StoreError("no room to write")

    recording = PlayRecording(tmp_path / "games.db", "virtual-V2")
    monkeypatch.setattr(Store, "add_many", fail)
    recording.hear(lines(BOOT, *stages(WON)))
    recording.close()
    assert recording.error == "no room to write"


@pytest.mark.skipif(os.name != "posix", reason="Windows deletes no file that is open")
def test_replacement_of_a_deleted_store_is_reported(tmp_path):
    recording = PlayRecording(tmp_path / "games.db", "virtual-V2")
    recording.hear(lines(BOOT, *stages([], "x", number=9), *stages(WON)))
    until(lambda: recording.kept, "the game")
    assert [number for _, number in recording.kept] == [1]  # in the other one nobody moved
    for file in tmp_path.glob("games.db*"):
        if file.is_file():
            file.unlink()
    recording.hear(lines(*stages(DRAW, number=2)))
    recording.close()
    assert recording.error == ""
    assert "games are stored in" in recording.moved and "games-2.db" in recording.moved
    with Store(tmp_path / "games-2.db") as store:
        assert [game.result for game in games(store, GameFilter())] == ["draw"]


def test_the_last_game_and_the_score_need_no_store():
    played = PlayedGames("virtual-V1")
    for sentence in (
        BOOT,
        *stages(WON, step_ms=500),
        *stages(DRAW, number=2),
        *stages(DRAW[:2], end="x", number=3),
        *stages(WON, seats="PP", number=4)[:5],
    ):
        played.hear(sentence)
    assert played.score == {"PH": {"A": 1, "B": 0, "=": 1}}
    last = played.last
    assert (last.id, last.board, last.hardware, last.result) == (2, "virtual-V1", "V1", "draw")
    assert last.thought_ms == [1000] * 9


def test_times_are_of_the_game_itself_though_its_first_sentences_were_lost():
    played = PlayedGames("virtual-V1")
    for sentence in (*stages(WON), *stages(DRAW, number=2)[4:]):
        played.hear(sentence)
    assert played.last.thought_ms == [None] * 4 + [1000] * 5
