"""The file in which a MENACE is kept: any other is refused, and is not overwritten."""

import json
from random import Random

import pytest

from noughts.cli import main
from noughts.engines.menace import Menace, train
from noughts.engines.menace_file import read, write
from noughts.engines.registry import engines
from noughts.errors import UnknownEngineError
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


def _set(*names, to):
    def change(facts):
        for name in names[:-1]:
            facts = facts[name]
        facts[names[-1]] = to

    return change


def _rename(boxes, name):
    boxes[name] = boxes.pop(".........")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (_set("format", to="noughts table"), 'it has no "format"'),
        (_set("version", to=2), "its version is not 1"),
        (_set("games", to=-1), "games must be a number"),
        (_set("games", to=True), "games must be a number"),
        (_set("boxes", to=[]), "its boxes are not the 593"),
        (_set("boxes", "X.O.X.O.X", to={}), "its boxes are not the 593"),
        (_set("boxes", ".........", to={"0": 4, "1": 4}), "must have beads for the cells 0, 1, 4"),
        (_set("boxes", ".........", to={"0": 4, "1": 4, "8": 4}), "must have beads for the cells"),
        (_set("boxes", ".........", to=[4, 4, 4]), "must have beads for the cells 0, 1, 4"),
        (lambda facts: _rename(facts["boxes"], "OX.O....X"), "its boxes are not the 593"),
        (_set("boxes", ".........", "0", to=1e3), "must be a number"),
        (_set("boxes", ".........", "0", to=10**13), "must be a number"),
        ("[]", 'it has no "format"'),
        ("[" * 100_000, "it is not JSON"),
        ('{"format": 1, "format": 2}', "a name stands in it twice"),
        ('{"games": ' + "9" * 5000 + "}", "it is not JSON"),
        ("\x00\x1b[2J", "it is not JSON"),
        (" " * 1_000_001, "it is too long"),
    ],
)
def test_any_other_file_is_refused_in_one_line(change, why, tmp_path, capsys):
    path = tmp_path / "menace.json"
    if callable(change):
        write(Menace(), path)
        facts = json.loads(path.read_text())
        change(facts)
        path.write_text(json.dumps(facts))
    else:
        path.write_text(change)
    assert main(["prove", str(path)]) == 1
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and why in told and "noughts train menace -o FILE`" in told


@pytest.mark.parametrize("name", ["homework.json", "folder.json"])
def test_what_is_not_a_menace_is_not_overwritten(name, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "homework.json").write_text('{"pages": 12}')
    (tmp_path / "folder.json").mkdir()
    assert main(["train", "menace", "--games", "1", "-o", name]) == 1
    told = capsys.readouterr()
    assert told.err == (
        f"noughts: {name} is there and is not a MENACE file; choose another name for -o\n"
    )
    assert told.out == "" and (tmp_path / "homework.json").read_text() == '{"pages": 12}'


def test_the_page_opens_no_file_by_an_engine_s_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(Menace(), tmp_path / "menace.json")
    game = {
        "session": "0A830000", "number": 1, "opponent": "menace.json", "first": True,
        "moves": "01428", "times": [1, 2, 3, 4, 5],
    }  # fmt: skip
    with pytest.raises(UnknownEngineError, match="not an engine"):
        page_games.read(json.dumps(game).encode())
    assert page_games.read(json.dumps(game | {"opponent": "menace"}).encode()).moves
