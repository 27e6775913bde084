"""`noughts train`: the file in which MENACE is kept, its curve, its boxes, and where it plays."""

import json
from functools import cache
from pathlib import Path
from random import Random

import pytest

from noughts.cli import main
from noughts.engines.menace import Menace, train
from noughts.engines.menace_file import read, write
from noughts.engines.registry import engines
from noughts.errors import NoughtsError, UnknownEngineError
from noughts.game.positions import EMPTY, parse
from noughts.game.proof import odds, prove
from noughts.terminal.learning_curve import Learned, drawn
from noughts.web import page_games
from sample_games import filled, stages


@cache
def trained(name, games=500):
    menace = Menace()
    results = list(train(menace, engines()[name], games, (True,), Random(1)))
    return menace, results


def test_a_file_gives_the_same_machine(tmp_path):
    menace, _ = trained("medium")
    write(menace, tmp_path / "menace.json")
    again = read(tmp_path / "menace.json")
    assert (again.boxes, again.games) == (menace.boxes, 500)
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


def run(capsys, *words):
    assert main(list(map(str, words))) == 0
    return capsys.readouterr().out


def test_train_keeps_what_it_learned_and_goes_on_from_it(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = run(capsys, "train", "menace", "--against", "hard", "--games", 150, "-o", "a.json")
    menace, results = trained("hard", 150)
    lost, drawn = results.count(-1), results.count(0)
    assert told.startswith(
        f"menace against hard, 150 games, seed 1: won 0, drawn {drawn}, lost {lost}\n"
    )
    after = odds(menace, engines()["hard"])
    assert f"after   wins   0.00%, draws {after.drawn:>7.2%}, loses {after.lost:>7.2%}" in told
    assert told.endswith("a.json written\n") and max(map(len, told.splitlines())) <= 80
    run(capsys, "train", "menace", "--against", "hard", "--games", 150, "-o", "b.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    assert read("a.json").boxes == menace.boxes
    told = run(capsys, "train", "a.json", "--against", "./b.json", "--games", 10, "--json")
    facts = json.loads(told)
    assert [point[0] for point in facts["curve"]] == list(range(150, 161))
    assert facts["won"] + facts["drawn"] + facts["lost"] == 10


def test_files_are_engines(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(trained("hard", 150)[0], tmp_path / "menace.json")
    (facts,) = json.loads(run(capsys, "duel", "./menace.json", "hard", "-n", 200, "--json"))
    assert facts["engine"] == "./menace.json" and facts["first"]["drawn"]["games"] >= 97
    assert run(capsys, "vs", "menace.json", "hard", "--seed", 1).endswith("a draw\n")
    seat = prove(trained("hard", 150)[0]).seats[0]
    assert (
        f"moving first, it loses {float(seat.loss_chance):.2%} of games against random play, "
        f"{float(seat.greatest_loss_chance):.2%} against its best opponent, most often by"
    ) in " ".join(run(capsys, "prove", "menace.json").split())


def test_a_machine_that_resigns(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    menace = Menace()
    for position, box in menace.boxes.items():
        if position.ply == 2:
            box.update(dict.fromkeys(box, 0))
    path = "./menace.json"
    write(menace, Path(path))
    told = run(capsys, "vs", path, "easy")
    assert f"X, {path}, resigns\nO wins\n" in told
    told = run(capsys, "prove", path)
    assert "menace.json: loses moving first, as below" in told
    shown = told.partition("loses this game")[2].splitlines()
    assert shown[2].split() == ["X", "1", "O", "2"]
    assert shown[-2:] == ["", f"{path}, as X, resigns here"]
    assert "it loses 100.00% of games against random play, 100.00%" in " ".join(told.split())
    assert "menace.json resigns, as X" in run(capsys, "train", path, "--show", "X...O....")
    menace.boxes[EMPTY].update(dict.fromkeys(menace.boxes[EMPTY], 0))
    none = "no-beads-" * 10 + ".json"  # longer than a line, and never broken
    write(menace, Path(none))
    told = run(capsys, "prove", none)
    assert f"{none}: loses moving first, as below;" in told.replace("\n   ", "")
    assert told.endswith(f"{none}, as X, resigns at once\n") and "this game" not in told
    assert "100.00% against its best opponent, most often as below" in " ".join(told.split())
    assert run(capsys, "vs", none, "hard").endswith("resigns\nO wins\n")
    (facts,) = json.loads(run(capsys, "duel", none, "hard", "-n", 2, "--json"))
    assert facts["first"]["lost"]["games"] == 1
    told = run(capsys, "train", path, "--games", 5)
    assert "12 of its 593 boxes are empty" in told and "It loses every game" in told


@pytest.mark.parametrize(
    ("position", "shown"),
    [
        (
            ".........",
            (
                " 4 oooo | 4 oooo |  as 1\n--------+--------+--------\n"
                "  as 2  | 4 oooo |  as 2\n--------+--------+--------\n"
                "  as 1  |  as 2  |  as 1\n\n"
                "X to move draws one of 12 beads: "
                "it plays 1 with 33.3%, 2 with 33.3%, 5 with 33.3%.\n"
            ),
        ),
        ("XOXXOOOX.", "There is no box for this position: X has one move, cell 9.\n"),
    ],
)
def test_a_box_is_shown(position, shown, capsys, monkeypatch):
    monkeypatch.setenv("LC_ALL", "C")
    assert run(capsys, "train", "menace", "--show", position).endswith(shown)


def test_it_learns_from_stored_games(tmp_path, capsys):
    won, draw = [0, 1, 4, 2, 8], [0, 1, 2, 4, 3, 5, 7, 6, 8]
    db = filled(
        tmp_path / "games.db",
        stages(won, number=1),
        stages(draw, number=2, first="B"),
        stages([4], "x", number=3),
    )
    told = run(capsys, "train", "menace", "--stored", "--db", db, "-o", tmp_path / "m.json")
    assert told.startswith("menace has learned from 2 stored games, both sides of each\n")
    boxes = read(tmp_path / "m.json").boxes
    assert boxes[EMPTY] == {0: 4 + 3 + 1, 1: 4, 4: 4}
    assert read(tmp_path / "m.json").beads(parse("X........"))[1] == 4 - 1 + 1
    assert main(["train", "menace", "--stored", "--db", str(db), "--result", "B"]) == 1
    assert "no game in" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ("hard",),
        ("menace", "--games", "0"),
        ("menace", "--against", "hart"),
        ("menace", "--against", "hard", "--stored"),
        ("menace", "-o", "menace.txt"),
        ("menace", "--plot", "menace.gif"),
        ("menace", "--json", "--show", "........."),
        ("menace", "--stored", "--plot", "menace.svg"),
        ("menace", "--seats", "PH"),
    ],
)
def test_wrong_usage(words, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["train", *words])
    assert "noughts train: error: " in capsys.readouterr().err.splitlines()[-1]


def test_what_cannot_be_written_leaves_the_old_file(tmp_path, capsys):
    assert main(["train", "menace", "--games", "1", "-o", str(tmp_path / "no" / "m.json")]) == 1
    assert "cannot write" in capsys.readouterr().err
    with pytest.raises(NoughtsError, match="cannot read"):
        read(tmp_path / "m\0.json")


def test_the_curve_in_text():
    curve = [Learned(0, 0.0, 0.2, 0.8), Learned(30, 0.5, 0.25, 0.25), Learned(60, 1.0, 0.0, 0.0)]
    rows = [line[6:] for line in drawn(curve, plain=True).splitlines()]
    columns = ["".join(row[at] for row in reversed(rows[:10])) for at in (0, 30, 59)]
    assert columns == ["::" + 8 * ".", "#####" + ":::" + "..", 10 * "#"]
    assert rows[11].split() == ["0", "60", "games"] and len(rows[10]) == len(rows[11]) == 60


@pytest.mark.xdist_group("pandas or matplotlib")
def test_the_curve_as_a_picture(tmp_path, capsys):
    words = ("train", "menace", "--games", 20, "--plot", tmp_path / "curve.svg")
    assert "curve.svg written\n" in run(capsys, *words)
    text = (tmp_path / "curve.svg").read_text()
    assert all(word in text for word in ("menace against medium", "wins", "draws", "loses"))
    run(capsys, *words)
    assert (tmp_path / "curve.svg").read_text() == text


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
