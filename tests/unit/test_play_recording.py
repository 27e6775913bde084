"""Recording the games of `noughts play`, also where they cannot be stored."""

import pytest

from needed import POSIX
from noughts.errors import StoreError
from noughts.recording.play_recording import PlayRecording
from noughts.store.store import Store
from sample_games import A_WINS, BOOT, DRAW, stages, wire
from waiting import until


@pytest.fixture
def recorded(tmp_path):
    """Records sentences in a store of this name, until its end."""

    def record(*sentences, store="games.db"):
        recording = PlayRecording(tmp_path / store, "virtual-V2")
        recording.receive(wire(*sentences))
        recording.close()
        return recording

    return record


def test_a_session_has_a_score_and_a_last_game(recorded):
    recording = recorded(
        BOOT,
        stages(A_WINS, boot="AAAAAAAA")[-1],  # resent: not of this session
        *stages(A_WINS, step_ms=500),
        *stages(DRAW, number=2)[4:],
        *stages(DRAW[:2], end="x", number=3),
        *stages([], end="x", number=4),  # nobody moved
        *stages(A_WINS, seats="PP", number=5)[:5],
    )
    assert recording.stored == {1, 2, 3, 4} and recording.error == ""
    assert recording.score == {"PH": {"A": 1, "=": 1}}
    last = recording.last
    assert (last.id, last.board, last.hardware, last.result) == (3, "virtual-V2", "V1", "draw")
    assert last.thought_ms == [None] * 4 + [1000] * 5


@pytest.mark.parametrize("when", ["at once", "later"])
def test_a_failing_store_is_reported_and_the_session_goes_on(recorded, tmp_path, monkeypatch, when):
    add_many = Store.add_many

    def fail(store, received):
        if store.path.parent == tmp_path:
            raise StoreError("no room to write")
        return add_many(store, received)

    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setattr(Store, "add_many", fail)
    store = "games.db" if when == "later" else "file/games.db"
    recording = recorded(BOOT, *stages(A_WINS), store=store)
    assert ("no room to write" if when == "later" else "cannot make the folder") in recording.error
    assert not recording.stored and (when == "later" or recording.last.result == "A")


@POSIX
def test_replacement_of_a_deleted_store_is_reported(tmp_path):
    recording = PlayRecording(tmp_path / "games.db", "virtual-V2")
    recording.receive(wire(BOOT, *stages(A_WINS)))
    until(lambda: recording.stored, "the game")
    for file in tmp_path.glob("games.db?*"):
        file.unlink()
    recording.receive(wire(*stages(DRAW, number=2)))
    recording.close()
    assert recording.error == ""
    assert "games are stored in" in recording.moved and "games-2.db" in recording.moved
