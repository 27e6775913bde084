"""MENACE, checked against Michie's figures and independent calculations; and its file.

D. Michie, "Experiments on the mechanization of game-learning. Part I", The Computer Journal 6(3),
1963, 232-236.
"""

import json
import sys
from collections import Counter
from fractions import Fraction
from functools import cache
from random import Random

import pytest

from noughts import Board
from noughts.engines.built_in import engines
from noughts.engines.menace import Menace, read_menace, train, write_menace
from noughts.errors import NoughtsError
from noughts.game.odds import odds
from noughts.game.positions import EMPTY, WON, canonical, parse, unfinished
from noughts.game.proof import prove
from sample_games import filled, stages

pytestmark = pytest.mark.usefixtures("folder")


def test_each_position_with_a_choice_has_a_box():
    """Michie's 287 leave out the opener's positions that the next move loses."""
    boxes = Menace().boxes
    assert set(boxes) == {
        canonical(position) for position in unfinished() if len(position.free) > 1
    }
    by_ply = Counter(position.ply for position in boxes)
    assert [by_ply[ply] for ply in (0, 2, 4, 6)] == [1, 12, 108, 183]
    assert sum(by_ply[ply] for ply in (1, 3, 5, 7)) == 289
    openers = [Board.of(position) for position in boxes if position.ply % 2 == 0]
    lost_next = [b for b in openers if not b.completing("X") and len(b.completing("O")) >= 2]
    assert len(openers) - len(lost_next) == 287


def test_menace_learns_from_a_game():
    """The game opens in corner 9; rotated, its boxes are those of corner 1."""
    menace, game = Menace(), [8, 4, 0, 2, 6, 3, 7]
    menace.learn(game, 1, [True])  # X has the bottom row
    assert menace.boxes[EMPTY] == {0: 4 + 3, 1: 4, 4: 4}
    assert menace.beads(parse("X...O...."))[8] == 3 + 3
    assert menace.beads(parse("X.OOO.X.X"))[7] == 1 + 3
    menace.learn(game, 1, [False])
    assert menace.beads(parse("X........"))[4] == 4 - 1
    assert menace.beads(parse("X...O...X"))[2] == 3 - 1
    menace.learn([0, 1, 2, 4, 3, 5, 7, 6, 8], 0, [True])
    assert menace.boxes[EMPTY] == {0: 4 + 3 + 1, 1: 4, 4: 4}


def test_menace_resigns_at_an_empty_box_and_never_empties_its_first():
    menace = Menace()
    for cells in (1, 0, 2, 4, 3, 8), [0], [4], *((1, 0, cell) for cell in range(2, 9)):
        for _ in range(30):
            menace.learn(cells, -1, [True])
    assert menace.boxes[EMPTY] == {0: 0, 1: 0, 4: 1}
    # The moves that lost a bead: not the first, which keeps its last one.
    assert menace.learn([4, 0, 1, 3, 2, 6], -1, [True]) == [1, 2]
    assert menace.reply(parse("OX.......")).cells == ()


def exact_loss_chance(menace, first):
    """Its chance of losing to an opponent that knows all beads, by the rules alone."""

    def chances(position):
        return menace.reply(position).chances()

    @cache
    def lost(position):
        if position.over:
            return Fraction(WON[position.other] and (position.ply % 2 == 0) == first)
        if (position.ply % 2 == 0) != first:
            return max(lost(position.play(cell)) for cell in position.free)
        resigns = not chances(position)
        return resigns + sum(share * lost(position.play(cell)) for cell, share in chances(position))

    return lost(EMPTY)


def test_greatest_loss_chance_is_that_against_its_best_opponent():
    menace = Menace()
    list(train(menace, engines()["medium"].reply, 100, (True,), Random(1)))
    for seat in prove(menace).seats:
        assert seat.greatest_loss_chance == exact_loss_chance(menace, seat.first)


def test_both_sides_learn_in_self_play():
    learned, random = Menace(), engines()["random"]
    list(train(learned, learned.reply, 1000, (True,), Random(1)))
    assert odds(learned.reply, random.reply).lost < odds(Menace().reply, random.reply).lost / 2
    assert odds(random.reply, learned.reply).won < odds(random.reply, Menace().reply).won / 2


def test_train_saves_a_machine_and_resumes_from_it(folder, printed):
    """Its printed output is in a lesson, which tests also run."""
    menace = Menace()
    list(train(menace, engines()["hard"].reply, 40, (True,), Random(1)))
    words = ("train", "menace", "--against", "hard", "--games", 40)
    for name in ("a.json", "b.json"):
        printed(*words, "-o", name)
    assert (folder / "a.json").read_bytes() == (folder / "b.json").read_bytes()
    again = read_menace("a.json")
    assert (again.boxes, again.games) == (menace.boxes, 40)
    assert again.about == "Michie's matchboxes, trained"
    facts = json.loads(printed("train", "a.json", "--against", "./b.json", "--games", 3, "--json"))
    assert [point[0] for point in facts["curve"]] == list(range(40, 44))
    assert facts["won"] + facts["drawn"] + facts["lost"] == 3


def test_train_learns_in_both_seats_and_its_curve_averages_them(printed):
    line = "train menace --games 8 --seed 7 -o m.json --against rules --seat both"
    curve = json.loads(printed(*line.split(), "--json"))["curve"]
    again, rules = Menace(), engines()["rules"].reply
    results = list(train(again, rules, 8, (True, False), Random(7)))
    assert read_menace("m.json").boxes == again.boxes
    for number, menace in (0, Menace()), (-1, again):
        both = zip(odds(menace.reply, rules), odds(rules, menace.reply)[::-1], strict=True)
        assert curve[number][1:] == pytest.approx([sum(pair) / 2 for pair in both], abs=1e-12)
    title = " ".join(printed(*line.split()).partition("\nIts exact")[0].split())
    counts = "won {}, drawn {}, lost {}".format(*map(results.count, (1, 0, -1)))
    assert title == f"menace against rules, moving first and second, 8 games, seed 7: {counts}"


def test_engine_file_that_moves_first_is_asked_in_each_game(folder, printed):
    (folder / "mine.py").write_text(
        "def choose(board):\n    print(str(board.position), file=open('asked.txt', 'a'))\n"
        "    return board.legal_moves[:2]\n"
    )
    printed("train", "menace", "--against", "./mine.py", "--games", 3, "--seat", "second")
    assert (folder / "asked.txt").read_text().count(".........\n") >= 3


def without_beads(ply):
    """A machine whose boxes of this ply are empty."""
    menace = Menace()
    for position, box in menace.boxes.items():
        if position.ply == ply:
            box.update(dict.fromkeys(box, 0))
    return menace


def test_commands_report_that_a_machine_resigns(folder, printed):
    path = "./menace.json"
    write_menace(without_beads(2), folder / path)
    assert "X, menace.json, resigns\nO has won\n" in printed("vs", path, "easy")
    (folder / "other").mkdir()
    write_menace(Menace(), folder / "other" / path)
    out = printed("duel", path, "other/menace.json", "-n", 2)
    assert out.startswith("./menace.json against other/menace.json, 2 games")
    out = " ".join(printed("prove", path).split())
    assert "it loses 100.00% of games against random play, 100.00% against" in out
    head, _, tail = out.partition("as X, loses 33.33% of games against its best opponent like")
    assert head and tail.count("resigns here") == 1 and tail.index("resigns") < tail.index("as O")
    assert "menace.json resigns, as X" in printed("train", path, "--show", "X...O....")
    out = printed("train", path, "--against", "hard", "--games", 5)
    assert "12 of its 593 boxes are empty" in out and "It loses every game" in out
    write_menace(without_beads(0), folder / path)
    out = " ".join(printed("prove", path).split())
    assert "menace.json: loses moving first, at once, as it resigns;" in out
    assert "100.00% against its best opponent, most often at once" in out


def test_train_show_trains_only_if_games_are_requested(printed, refused):
    printed("train", "menace", "--show", ".........", "-o", "new.json")
    assert read_menace("new.json").games == 0 and read_menace("new.json").boxes == Menace().boxes
    assert printed("train", "menace", "--show", "XOXXOOOX.").endswith(
        "There is no box for this position: X has one move, cell 9.\n"
    )
    out = printed("train", "new.json", "--show", ".........", "--games", 2)
    assert out.startswith("new.json against medium, 2 games, seed 1: won ")
    assert "X to move draws one of " in out
    assert "the game is over" in refused("train", "menace", "--show", "XXXOO....")


def test_train_learns_from_stored_games(folder, printed, refused, misused):
    won, draw = [0, 1, 4, 2, 8], [0, 1, 2, 4, 3, 5, 7, 6, 8]
    games = stages(won), stages(draw, number=2, first="B"), stages(won, number=4, first="B")
    db = filled(folder / "games.db", *games, stages([4], "x", number=3))
    words = ("train", "menace", "--stored")
    assert printed(*words, "-o", "m.json", db=db).startswith(
        "menace has learned from 3 stored games, both sides of each\n"
    )
    assert printed(*words, db=db).endswith("not saved; -o FILE saves what it has learned\n")
    assert read_menace("m.json").games == 3
    assert read_menace("m.json").boxes[EMPTY] == {0: 4 + 3 + 1 + 3, 1: 4, 4: 4}
    assert read_menace("m.json").beads(parse("X........"))[1] == 4 - 1 + 1 - 1
    assert "no game in" in refused(*words, "--result", "unfinished", db=db)
    assert "--stored plays no games; leave" in misused(*words, "--games", "1")


def test_train_refuses_an_unusable_output_path(folder, refused):
    out = refused("train", "menace", "--games", "1", "-o", "no/m.json")
    assert "m.json (no such folder); make the folder, or choose another\n" in out
    (folder / "folder.json").mkdir()
    assert "folder.json (it is a folder)" in refused("train", "menace", "-o", "folder.json")


def test_train_plots_its_curve_and_saves_even_if_plotting_fails(
    folder, printed, refused, monkeypatch
):
    words = ("train", "menace", "--against", "hard", "--games", 3, "--plot")
    assert "curve.svg written\n" in printed(*words, "curve.svg")
    text = (folder / "curve.svg").read_text()
    assert all(word in text for word in ("menace against hard", "wins", "draws", "loses"))
    # It saves what it has learned even if the curve cannot be drawn.
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert "drawing needs matplotlib" in refused(*words, "other.svg", "-o", "m.json")
    assert read_menace("m.json").games == 3


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"version": 1', '"version": 2'),
        ('"games": 0', '"games": -1'),
        ('"4": 4', '"8": 4'),
        ("{", "[" * 100_000),
    ],
    ids=lambda text: text[:30],
)
def test_invalid_menace_file_is_refused_and_not_overwritten(old, new, folder, refused):
    write_menace(Menace(), folder / "menace.json")
    other = (folder / "menace.json").read_text().replace(old, new, 1)
    (folder / "menace.json").write_text(other)
    with pytest.raises(NoughtsError, match="is not a MENACE file of this version, or is damaged"):
        read_menace("menace.json")
    assert refused("train", "menace", "--games", "1", "-o", "menace.json") == (
        "noughts: menace.json already exists and is not a MENACE file; choose another name for -o\n"
    )
    assert (folder / "menace.json").read_text() == other
