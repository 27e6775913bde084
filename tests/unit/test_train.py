"""`noughts train`: what MENACE learns, its curve, its boxes, and where it plays."""

import json
from functools import cache
from pathlib import Path
from random import Random

import pytest

from noughts.cli import main
from noughts.engines.menace import Menace, train
from noughts.engines.menace_file import read, write
from noughts.engines.registry import engines
from noughts.errors import NoughtsError
from noughts.game.encounter import encounter
from noughts.game.positions import EMPTY, parse
from noughts.game.proof import odds, prove
from noughts.terminal.learning_curve import Learned, drawn
from sample_games import filled, stages


@cache
def trained(name, games=500):
    menace = Menace()
    results = list(train(menace, engines()[name], games, (True,), Random(1)))
    return menace, results


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


def changed_plies(menace):
    """Whether boxes of the side that moves first (0) and second (1) are other than new ones."""
    new = Menace().boxes
    return {position.ply % 2 for position, box in menace.boxes.items() if box != new[position]}


@pytest.mark.parametrize("seat", ["first", "second", "both"])
def test_it_learns_from_its_seats_and_its_curve_is_their_average(
    seat, tmp_path, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    words = ("train", "menace", "--games", 8, "--seat", seat, "--seed", 7, "-o", "m.json")
    curve = json.loads(run(capsys, *words, "--json"))["curve"]
    assert changed_plies(read("m.json")) == {"first": {0}, "second": {1}, "both": {0, 1}}[seat]
    for number, menace in ((0, Menace()), (-1, read("m.json"))):
        chances = encounter(menace, engines()["medium"])
        chosen = {"first": chances[:1], "second": chances[1:], "both": chances}[seat]
        average = [
            float(sum(getattr(each, kind) for each in chosen) / len(chosen))
            for kind in ("won", "drawn", "lost")
        ]
        assert curve[number][1:] == pytest.approx(average, abs=1e-12)
    again = Menace()
    seats = {"first": (True,), "second": (False,), "both": (True, False)}[seat]
    results = list(train(again, engines()["medium"], 8, seats, Random(7)))
    assert read("m.json").boxes == again.boxes
    told = run(capsys, *words)
    assert max(map(len, told.splitlines())) <= 80
    title = " ".join(told.partition("\nHow likely")[0].split())
    moving = {"first": "", "second": " moving second,", "both": " moving first and second,"}[seat]
    counts = "won {}, drawn {}, lost {}".format(*(results.count(each) for each in (1, 0, -1)))
    assert title == f"menace against medium,{moving} 8 games, seed 7: {counts}"


def test_in_self_play_it_learns_from_both_sides(tmp_path, capsys):
    path = tmp_path / "m.json"
    run(capsys, "train", "menace", "--against", "menace", "--games", 6, "-o", path)
    assert changed_plies(read(path)) == {0, 1} and read(path).games == 6


def test_an_engine_of_one_s_own_is_asked_in_each_game(tmp_path, capsys):
    """It may play differently from game to game."""
    asked, mine = tmp_path / "asked.txt", tmp_path / "mine.py"
    mine.write_text(
        f"def choose(board):\n    print(str(board.position), file=open({str(asked)!r}, 'a'))\n"
        "    return board.legal_moves\n"
    )
    run(capsys, "train", "menace", "--against", mine, "--games", 3, "--seat", "second")
    assert asked.read_text().count(".........\n") >= 3


def test_files_are_engines(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(trained("hard", 150)[0], tmp_path / "menace.json")
    (facts,) = json.loads(run(capsys, "duel", "./menace.json", "hard", "-n", 200, "--json"))
    assert facts["engine"] == "./menace.json" and facts["first"]["drawn"]["games"] >= 97
    assert run(capsys, "vs", "menace.json", "hard", "--seed", 1).endswith("a draw\n")
    seat = prove(trained("hard", 150)[0]).seats[0]
    assert (
        f"moving first, it loses {float(seat.loss_chance):.2%} of games against random play, "
        f"{float(seat.greatest_loss_chance):.2%} against its best opponent, most often as below"
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
    told = " ".join(run(capsys, "prove", path).split())
    assert "loses moving first, as below; loses value" in told
    assert "it loses 100.00% of games against random play, 100.00% against" in told
    head, _, tail = told.partition("as X, loses 33.33% of games against its best opponent like")
    assert head and tail.count("resigns here") == 1 and tail.index("resigns") < tail.index("as O")
    assert "menace.json resigns, as X" in run(capsys, "train", path, "--show", "X...O....")
    menace.boxes[EMPTY].update(dict.fromkeys(menace.boxes[EMPTY], 0))
    none = "no-beads-" * 10 + ".json"  # longer than a line, and never broken
    write(menace, Path(none))
    told = run(capsys, "prove", none)
    assert f"{none}: loses moving first, when it resigns at once;" in told.replace("\n   ", "")
    assert "100.00% against its best opponent, most often at once" in " ".join(told.split())
    assert f"{none}, as O, loses" in told and f"{none}, as X, loses" not in told
    assert run(capsys, "vs", none, "hard").endswith("resigns\nO wins\n")
    (facts,) = json.loads(run(capsys, "duel", none, "hard", "-n", 2, "--json"))
    assert facts["first"]["lost"]["games"] == 1
    told = run(capsys, "train", path, "--games", 5)
    assert "12 of its 593 boxes are empty" in told and "It loses every game" in told
    told = run(capsys, "train", "menace", "--against", "hard", "--seat", "second", "--games", 1)
    assert "loses  9" in told and "It loses every game" not in told


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
                "it plays 1 with 33.3%, 2 with 33.3%,\n5 with 33.3%.\n"
            ),
        ),
        ("XOXXOOOX.", "There is no box for this position: X has one move, cell 9.\n"),
    ],
)
def test_a_box_is_shown(position, shown, capsys, monkeypatch):
    monkeypatch.setenv("LC_ALL", "C")
    assert run(capsys, "train", "menace", "--show", position).endswith(shown)


def test_of_many_beads_a_few_are_drawn_and_a_single_one_is_enough(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("LC_ALL", "C")
    menace = Menace()
    menace.boxes[EMPTY] = {0: 5, 1: 6, 4: 0}
    menace.boxes[parse("X...O....")].update({1: 1, 2: 0, 5: 0, 8: 0})
    write(menace, tmp_path / "m.json")
    told = run(capsys, "train", tmp_path / "m.json", "--show", ".........")
    assert [cell.strip() for cell in told.splitlines()[0].split("|")] == [
        "5 ooooo", "6 ooooo+", "as 1",
    ]  # fmt: skip
    assert told.endswith("11 beads: it plays 1 with 45.5%, 2 with 54.5%.\n")
    told = run(capsys, "train", tmp_path / "m.json", "--show", "X...O....")
    assert told.endswith("X to move draws one of 1 bead: it plays 2 with 100.0%.\n")


def test_it_learns_from_stored_games(tmp_path, capsys):
    won, draw = [0, 1, 4, 2, 8], [0, 1, 2, 4, 3, 5, 7, 6, 8]
    db = filled(
        tmp_path / "games.db",
        stages(won, number=1),
        stages(draw, number=2, first="B"),
        stages([4], "x", number=3),
        stages(won, number=4, first="B"),
    )
    told = run(capsys, "train", "menace", "--stored", "--db", db, "-o", tmp_path / "m.json")
    assert told.startswith("menace has learned from 3 stored games, both sides of each\n")
    assert run(capsys, "train", "menace", "--stored", "--db", db).endswith(
        "not kept; -o FILE keeps what it has learned\n"
    )
    assert read(tmp_path / "m.json").games == 3
    boxes = read(tmp_path / "m.json").boxes
    assert boxes[EMPTY] == {0: 4 + 3 + 1 + 3, 1: 4, 4: 4}
    assert read(tmp_path / "m.json").beads(parse("X........"))[1] == 4 - 1 + 1 - 1
    assert main(["train", "menace", "--stored", "--db", str(db), "--result", "unfinished"]) == 1
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
        ("menace", "--stored", "--json"),
        ("menace", "--stored", "--games", "500"),
        ("menace", "--json", "--show", ""),
        ("menace", "--games", "1000001"),
        ("menace", "--against", ""),
        ("menace", "--seats", "PH"),
        ("menace", "-o", "games.json", "--db", "games.json"),
        ("menace", "--plot", "games.svg", "--db", "games.svg"),
    ],
)
def test_wrong_usage(words, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["train", *words])
    assert "noughts train: error: " in capsys.readouterr().err.splitlines()[-1]


def test_what_cannot_be_kept_is_said_before_it_learns(tmp_path, capsys):
    assert main(["train", "menace", "--games", "1", "-o", str(tmp_path / "no" / "m.json")]) == 1
    told = capsys.readouterr()
    assert "m.json (no such folder); make the folder, or choose another\n" in told.err
    assert told.out == "" and told.err.count("\n") == 1
    with pytest.raises(NoughtsError, match="cannot read"):
        read(tmp_path / "m\0.json")


@pytest.mark.xdist_group("pandas or matplotlib")
def test_it_is_kept_even_where_its_curve_cannot_be_drawn(tmp_path, capsys):
    words = ["train", "menace", "--games", "3", "-o", str(tmp_path / "m.json")]
    assert main([*words, "--plot", str(tmp_path / "no" / "curve.svg")]) == 1
    assert "cannot write" in capsys.readouterr().err
    assert read(tmp_path / "m.json").games == 3


def test_showing_a_box_does_not_train_unless_games_are_asked_for(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = run(capsys, "train", "menace", "--show", ".........", "-o", "new.json")
    assert told.endswith("\nnew.json written\n") and read("new.json").games == 0
    assert read("new.json").boxes == Menace().boxes
    told = run(capsys, "train", "new.json", "--show", ".........", "--games", 20, "-o", "new.json")
    assert told.startswith("new.json against medium, 20 games, seed 1: won ")
    assert "X to move draws one of " in told and read("new.json").games == 20
    told = run(capsys, "train", "new.json", "--show", ".........")
    assert "not kept" not in told and "against" not in told
    assert run(capsys, "train", "new.json", "--games", 1).endswith(
        "not kept; -o FILE keeps what it has learned\n"
    )
    assert main(["train", "menace", "--show", ""]) == 1
    assert "'' is not a position; write nine characters" in capsys.readouterr().err
    assert main(["train", "menace", "--show", "XXXOO...."]) == 1
    assert "X has won; give one that is not finished" in capsys.readouterr().err


def test_the_curve_in_text():
    curve = [Learned(0, 0.0, 0.2, 0.8), Learned(30, 0.46, 0.29, 0.25), Learned(60, 1.0, 0.0, 0.0)]
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
