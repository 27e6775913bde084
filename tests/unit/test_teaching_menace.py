"""A MENACE that is kept in a file learns from the games that people play against it."""

import io
import re
from functools import reduce
from random import Random

import pytest

from noughts.cli import main
from noughts.engines.menace import Menace
from noughts.engines.menace_file import read, write
from noughts.game.positions import EMPTY, Position


def in_order(cells):
    """Type the first of these that is free, each time: what is taken is refused."""
    return "".join(f"{cell}\n" for cell in cells) * 5


IN_TURN = in_order("123456789")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(Menace(), tmp_path / "menace.json")
    return tmp_path


def vs(capsys, monkeypatch, *words, typed=IN_TURN, status=0):
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    assert main(["vs", *words]) == status
    return capsys.readouterr()


def moves_of(told):
    """The cells that were played, read off the boards that were printed."""
    rows = [line for line in told.splitlines() if line.count("|") == 2]
    boards = ["|".join(rows[at : at + 3]).split("|") for at in range(0, len(rows), 3)]
    marked = [[cell for cell, text in enumerate(board) if "[" in text] for board in boards]
    return [cell for cells in marked for cell in cells]


@pytest.mark.parametrize("first", ["me", "it"])
def test_each_of_its_moves_gets_or_loses_beads_and_it_says_which(
    first, folder, capsys, monkeypatch
):
    rewards = {"X wins": 3, "O wins": -1} if first == "it" else {"X wins": -1, "O wins": 3}
    rewards["a draw"] = 1
    does = {3: "gets 3 beads", 1: "gets a bead", -1: "loses a bead"}
    seen = set()
    for number in range(1, 31):
        before = read("menace.json")
        typed = in_order(Random(number).sample("123456789", 9))
        words = "./menace.json", "--first", first, "--seed", str(number)
        told = vs(capsys, monkeypatch, *words, typed=typed).out
        *_, ended, learned = told.splitlines()
        reward = rewards[ended]
        seen.add(reward)
        after = read("menace.json")
        cells = moves_of(told)
        own = range(first == "me", len(cells), 2)
        boxes = [reduce(Position.play, cells[:ply], EMPTY) for ply in own]
        changed = []
        for ply, box in zip(own, boxes, strict=True):
            old, new = (menace.beads(box) for menace in (before, after))
            if old is None:
                continue  # its last move, which it did not choose
            drawn = [cell for cell in old if new[cell] != old[cell]]
            assert [new[cell] - old[cell] for cell in drawn] == [reward] * len(drawn)
            if drawn:
                changed.append(cells[ply] + 1)
        total = sum(map(sum, (box.values() for box in after.boxes.values())))
        total -= sum(map(sum, (box.values() for box in before.boxes.values())))
        assert total == reward * len(changed) and changed
        played = " ".join(map(str, changed))
        assert learned == (
            f"Game {number}: it {does[reward]} for each move, {played}; ./menace.json written"
        )
        assert len(learned) <= 80 and after.games == number
    assert seen == {3, 1, -1}


def test_the_box_that_changes_is_that_of_the_move(folder, capsys, monkeypatch):
    """Its bead for the centre, its only one, in a game that it loses."""
    menace = Menace()
    for box in menace.boxes.values():
        slots = list(box)
        box.update(dict.fromkeys(slots, 0))
        box[slots[0]] = 9
    write(menace, folder / "menace.json")
    told = vs(capsys, monkeypatch, "menace.json", "--first", "it", typed="5\n3\n7\n" + IN_TURN).out
    cells = moves_of(told)
    assert told.endswith("menace.json written\n") and "O wins" in told
    after = read("menace.json")
    for ply in range(0, len(cells), 2):
        position = reduce(Position.play, cells[:ply], EMPTY)
        beads = after.beads(position)
        assert sum(beads.values()) == max(beads.values()) == 8


@pytest.mark.parametrize(
    ("words", "typed"),
    [
        (["./menace.json"], "5\nq\n"),
        (["./menace.json", "--first", "it"], ""),
        (["./menace.json", "--no-learning"], IN_TURN),
        (["./menace.json", "hard"], ""),
        (["hard", "./menace.json"], ""),
        (["hard"], IN_TURN),
    ],
)
def test_what_teaches_it_nothing(words, typed, folder, capsys, monkeypatch):
    before = (folder / "menace.json").read_bytes()
    told = vs(capsys, monkeypatch, *words, typed=typed)
    assert (folder / "menace.json").read_bytes() == before
    assert "Game " not in told.out and "forgets" not in told.out


def test_one_without_a_file_forgets_and_says_what_to_do(folder, capsys, monkeypatch):
    told = vs(capsys, monkeypatch, "menace")
    assert told.out.endswith(
        "\nIt forgets games; `noughts train menace -o FILE` makes one that learns\n"
    )


def test_what_it_learned_elsewhere_during_the_game_stays(folder, capsys, monkeypatch):
    (folder / "menace.json").rename(folder / "A.JSON")

    class Meanwhile(io.StringIO):
        def readline(self, *args):
            other = Menace(games=100)
            other.boxes[EMPTY][4] = 1000
            write(other, folder / "A.JSON")
            return super().readline(*args)

    monkeypatch.setattr("sys.stdin", Meanwhile(IN_TURN))
    assert main(["vs", "A.JSON"]) == 0
    assert "Game 101: it " in capsys.readouterr().out
    after = read("A.JSON")
    assert (after.games, after.boxes[EMPTY][4]) == (101, 1000)


@pytest.mark.parametrize("spoil", ["unlink", "write"])
def test_a_file_that_went_away_or_is_spoilt_meanwhile(spoil, folder, capsys, monkeypatch):
    class Meanwhile(io.StringIO):
        def readline(self, *args):
            (folder / "menace.json").unlink(missing_ok=True)
            if spoil == "write":
                (folder / "menace.json").write_text("homework")
            return super().readline(*args)

    monkeypatch.setattr("sys.stdin", Meanwhile(IN_TURN))
    assert main(["vs", "menace.json"]) == 1
    told = capsys.readouterr()
    assert re.search(r"^(X wins|O wins|a draw)\n\Z", told.out, re.MULTILINE)
    assert told.err.splitlines()[-1].startswith("noughts: ") and "Traceback" not in told.err
    if spoil == "write":
        assert (folder / "menace.json").read_text() == "homework"


def test_one_that_resigns_has_no_bead_to_lose(folder, capsys, monkeypatch):
    menace = Menace(games=1_233)
    menace.boxes[EMPTY].update(dict.fromkeys(menace.boxes[EMPTY], 0))
    write(menace, folder / "menace.json")
    told = vs(capsys, monkeypatch, "menace.json", "--first", "it").out
    assert told.endswith(
        "X, menace.json, resigns\nO wins\nGame 1,234: it has no bead to lose; menace.json written\n"
    )
    assert read("menace.json").boxes == menace.boxes
