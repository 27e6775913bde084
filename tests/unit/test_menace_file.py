"""The file in which a MENACE is kept: any other is refused, and is not overwritten."""

import json
from random import Random

import pytest

from noughts.engines.menace import Menace, train
from noughts.engines.menace_file import read, write
from noughts.engines.registry import engines
from noughts.errors import NoughtsError, UnknownEngineError
from noughts.game.positions import EMPTY
from noughts.web import page_games


def test_a_file_gives_the_same_machine(tmp_path):
    menace = Menace(games=500)
    list(train(menace, engines()["medium"], 100, (True, False), Random(1)))
    write(menace, tmp_path / "menace.json")
    again = read(tmp_path / "menace.json")
    assert (again.boxes, again.games) == (menace.boxes, 600)
    assert again.about == "Michie's matchboxes, trained"
    assert Menace().about == "Michie's matchboxes, before the first game"
    facts = json.loads((tmp_path / "menace.json").read_text())
    assert facts["boxes"]["........."] == {
        str(cell): count for cell, count in menace.boxes[EMPTY].items()
    }


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


def test_the_page_opens_no_file_by_an_engine_s_name(folder):
    write(Menace(), folder / "menace.json")
    game = {
        "session": "0A830000", "number": 1, "opponent": "menace.json", "first": True,
        "moves": "01428", "times": [1, 2, 3, 4, 5],
    }  # fmt: skip
    with pytest.raises(UnknownEngineError, match="not an engine"):
        page_games.read(json.dumps(game).encode())
    assert page_games.read(json.dumps(game | {"opponent": "menace"}).encode()).moves
