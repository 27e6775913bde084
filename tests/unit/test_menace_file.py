"""A MENACE in a file: what such a file holds, and how it learns from games of `noughts vs`."""

import io
import re
from itertools import count
from random import Random

import pytest

from noughts.engines.menace import Menace, train
from noughts.engines.menace_file import read, write
from noughts.engines.registry import engines
from noughts.errors import NoughtsError
from noughts.game.positions import EMPTY


def test_a_file_gives_the_same_machine(tmp_path):
    menace = Menace(games=500)
    list(train(menace, engines()["medium"], 100, (True, False), Random(1)))
    write(menace, tmp_path / "menace.json")
    again = read(tmp_path / "menace.json")
    assert (again.boxes, again.games) == (menace.boxes, 600)
    assert again.about == "Michie's matchboxes, trained"
    assert Menace().about == "Michie's matchboxes, before the first game"


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('"format": "', '"format": "another ', 'it has no "format"'),
        ('"version": 1', '"version": 2', "its version is not 1"),
        ('"games": 0', '"games": -1', "games must be a number"),
        ('"games": 0', '"games": true', "games must be a number"),
        ('"boxes": {', '"boxes": [], "others": {', "its boxes are not the 593"),
        ('"boxes": {', '"boxes": {"X.O.X.O.X": {},', "its boxes are not the 593"),
        ('".........": ', '"OX.O....X": ', "its boxes are not the 593"),
        ('{"0": 4, "1": 4, "4": 4}', '{"0": 4, "1": 4}', "must have beads for the cells 0, 1, 4"),
        ('{"0": 4, "1": 4, "4": 4}', '{"0": 4, "1": 4, "8": 4}', "must have beads for the cells"),
        ('{"0": 4, "1": 4, "4": 4}', "[4, 4, 4]", "must have beads for the cells 0, 1, 4"),
        ('{"0": 4, "1": 4, "4"', '{"0": 1e3, "1": 4, "4"', "must be a number"),
        ('{"0": 4, "1": 4, "4"', '{"0": 10000000000000, "1": 4, "4"', "must be a number"),
        ("", "[]", 'it has no "format"'),
        ("{", "[" * 100_000, "it is not JSON"),
        ("{", '{"format": 1,', "a name stands in it twice"),
        ('"games": 0', '"games": ' + "9" * 5000, "it is not JSON"),
        ("{", "\x00\x1b[2J", "it is not JSON"),
        ("{", " " * 1_000_001, "it is too long"),
    ],
    ids=lambda text: text[:30],
)
def test_any_other_file_is_refused(old, new, why, tmp_path):
    path = tmp_path / "menace.json"
    write(Menace(), path)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1) if old else new)
    with pytest.raises(NoughtsError) as caught:
        read(path)
    told = str(caught.value)
    assert why in told and "noughts train menace -o FILE`" in told and "\n" not in told


@pytest.mark.parametrize("name", ["homework.json", "folder.json"])
def test_only_a_menace_file_is_overwritten(name, folder, refused):
    (folder / "homework.json").write_text('{"pages": 12}')
    (folder / "folder.json").mkdir()
    assert refused("train", "menace", "--games", "1", "-o", name) == (
        f"noughts: {name} is there and is not a MENACE file; choose another name for -o\n"
    )
    assert (folder / "homework.json").read_text() == '{"pages": 12}'


def in_order(cells):
    """Type the first of these that is free, each time: what is taken is refused."""
    return "".join(f"{cell}\n" for cell in cells) * 5


IN_TURN = in_order("123456789")


@pytest.fixture
def vs(folder, monkeypatch, noughts):
    """Plays a game of `noughts vs`, next to a new `menace.json`; the person types these lines."""
    write(Menace(), folder / "menace.json")

    def run(*words, typed=IN_TURN, before_typing=lambda: None):
        class Typed(io.StringIO):
            def readline(self, *args):
                before_typing()
                return super().readline(*args)

        monkeypatch.setattr("sys.stdin", Typed(typed))
        return noughts("vs", *words)

    return run


def moves_of(told):
    """The cells that were played, read off the boards that were printed."""
    rows = [line for line in told.splitlines() if line.count("|") == 2]
    boards = ["|".join(rows[at : at + 3]).split("|") for at in range(0, len(rows), 3)]
    marked = [[cell for cell, text in enumerate(board) if "[" in text] for board in boards]
    return [cell for cells in marked for cell in cells]


@pytest.mark.parametrize("first", ["me", "it"])
def test_each_of_its_moves_gets_or_loses_beads_and_it_says_which(first, vs):
    does = {1: "gets 3 beads", 0: "gets a bead", -1: "loses a bead"}
    seen = set()
    for number in count(1):
        expected = read("menace.json")
        typed = in_order(Random(number).sample("123456789", 9))
        _, told, _ = vs("./menace.json", "--first", first, "--seed", str(number), typed=typed)
        *_, ended, learned = told.splitlines()
        result = 0 if ended == "a draw" else 1 if (ended == "X wins") == (first == "it") else -1
        changed = expected.learn(moves_of(told), first == "it", result)
        after = read("menace.json")
        assert (after.boxes, after.games) == (expected.boxes, number) and changed
        played = " ".join(str(cell + 1) for cell in changed)
        assert learned == (
            f"Game {number}: it {does[result]} for each move, {played}; ./menace.json written"
        )
        assert len(learned) <= 80
        seen.add(result)
        if len(seen) == len(does):
            break


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
def test_these_games_teach_it_nothing(words, typed, vs, folder):
    before = (folder / "menace.json").read_bytes()
    status, out, _ = vs(*words, typed=typed)
    assert status == 0 and (folder / "menace.json").read_bytes() == before
    assert "Game " not in out and "forgets" not in out


def test_one_without_a_file_forgets_and_says_what_to_do(vs):
    assert vs("menace")[1].endswith(
        "\nIt forgets games; `noughts train menace -o FILE` makes one that learns\n"
    )


def test_it_adds_to_what_it_learned_elsewhere_during_the_game(vs, folder):
    (folder / "menace.json").rename(folder / "A.JSON")
    other = Menace(games=100)
    other.boxes[EMPTY][4] = 1000
    status, out, _ = vs("A.JSON", before_typing=lambda: write(other, folder / "A.JSON"))
    assert status == 0 and "Game 101: it " in out
    after = read("A.JSON")
    assert (after.games, after.boxes[EMPTY][4]) == (101, 1000)


@pytest.mark.parametrize("homework", [None, "homework"])
def test_a_file_that_is_deleted_or_overwritten_during_the_game_is_left_alone(homework, vs, folder):
    def spoil():
        (folder / "menace.json").unlink(missing_ok=True)
        if homework:
            (folder / "menace.json").write_text(homework)

    status, out, err = vs("menace.json", before_typing=spoil)
    assert status == 1 and re.search(r"^(X wins|O wins|a draw)\n\Z", out, re.MULTILINE)
    assert err.splitlines()[-1].startswith("noughts: ") and "Traceback" not in err
    if homework:
        assert (folder / "menace.json").read_text() == homework


def test_one_that_resigns_has_no_bead_to_lose(vs, folder):
    menace = Menace(games=1_233)
    menace.boxes[EMPTY].update(dict.fromkeys(menace.boxes[EMPTY], 0))
    write(menace, folder / "menace.json")
    assert vs("menace.json", "--first", "it")[1].endswith(
        "X, menace.json, resigns\nO wins\nGame 1,234: it has no bead to lose; menace.json written\n"
    )
    assert read("menace.json").boxes == menace.boxes
