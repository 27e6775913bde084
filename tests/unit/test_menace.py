"""MENACE, held against what Michie published, and against calculations of another kind.

D. Michie, "Experiments on the mechanization of game-learning. Part I", The Computer Journal 6(3),
1963, 232-236.
"""

import json
from collections import Counter
from fractions import Fraction
from functools import cache
from random import Random

import pytest

from noughts.cli import main
from noughts.engines.menace import Menace, train
from noughts.engines.menace_file import read, write
from noughts.engines.registry import engines
from noughts.errors import NoughtsError, UnknownEngineError
from noughts.game.engine import Reply
from noughts.game.positions import EMPTY, parse, unfinished
from noughts.game.proof import odds, prove
from noughts.web import page_games
from sample_games import filled, stages

LINES = ("012", "345", "678", "036", "147", "258", "048", "246")


def turned(board):
    """The eight ways to look at a board, a text of nine characters."""
    for _ in range(4):
        board = "".join(board[cell] for cell in (6, 3, 0, 7, 4, 1, 8, 5, 2))
        yield board
        yield "".join(board[cell] for cell in (2, 1, 0, 5, 4, 3, 8, 7, 6))


def has_line(board, mark):
    return any(all(board[int(cell)] == mark for cell in line) for line in LINES)


def after_each_move(board, mark):
    return [board[:cell] + mark + board[cell + 1 :] for cell in range(9) if board[cell] == "."]


def classes_by_ply():
    """By brute force: of each ply, the unfinished boards that differ up to symmetry."""
    boards, found = {"........."}, []
    while boards:
        found.append({min(turned(board)) for board in boards})
        mark = "XO"[len(found) % 2 == 0]
        following = {after for board in boards for after in after_each_move(board, mark)}
        boards = {after for after in following if "." in after and not has_line(after, mark)}
    return found


def test_there_is_a_box_for_each_position_with_a_choice():
    plies = classes_by_ply()
    boxes = Counter(position.ply for position in Menace().boxes)
    assert [boxes[ply] for ply in range(8)] == list(map(len, plies[:8]))
    assert {min(turned(str(box))) for box in Menace().boxes} == set().union(*plies[:8])
    assert [len(plies[ply]) for ply in (0, 2, 4, 6)] == [1, 12, 108, 183]
    assert sum(boxes[ply] for ply in (0, 2, 4, 6)) == 304
    assert sum(boxes[ply] for ply in (1, 3, 5, 7)) == 289


def test_michie_s_287_are_those_in_which_something_can_still_be_done():
    def lost_next(board):
        won = any(has_line(after, "X") for after in after_each_move(board, "X"))
        threats = sum(has_line(after, "O") for after in after_each_move(board, "O"))
        return not won and threats >= 2

    plies = classes_by_ply()
    openers = set().union(*(plies[ply] for ply in (0, 2, 4, 6)))
    assert len(openers) - sum(map(lost_next, openers)) == 287


def test_the_beads_before_the_first_game():
    menace = Menace()
    # "White, lilac and gold": a corner, an edge and the centre, four of each.
    assert menace.boxes[EMPTY] == {0: 4, 1: 4, 4: 4}
    # His figure 3: seven cells are free, and symmetry reduces them to four.
    for text in (".X..O....", ".O..X...."):
        assert menace.beads(parse(text)) == {0: 3, 2: 0, 3: 3, 5: 0, 6: 3, 7: 3, 8: 0}
    for position, box in menace.boxes.items():
        assert set(box.values()) == {{0: 4, 2: 3, 4: 2, 6: 1}[position.ply // 2 * 2]}
        ways = [way for way in range(8) if list(turned(str(position)))[way] == str(position)]
        marked = [f"{'.' * cell}!{'.' * (8 - cell)}" for cell in position.free]
        assert len(box) == len({min(list(turned(each))[way] for way in ways) for each in marked})


def test_what_it_learns_from_a_game():
    """Opening in the corner 9, in a game that is turned: the boxes are those of the corner 1."""
    menace = Menace()
    menace.learn([8, 4, 0, 2, 6, 3, 7], True, 1)  # X has the bottom row
    assert menace.boxes[EMPTY] == {0: 4 + 3, 1: 4, 4: 4}
    assert menace.beads(parse("....O...X"))[0] == 3 + 3
    assert menace.beads(parse("X...O...."))[8] == 3 + 3
    assert menace.beads(parse("X.O.O...X"))[6] == 2 + 3
    assert menace.beads(parse("X.OOO.X.X"))[7] == 1 + 3
    before = Menace()
    before.learn([8, 4, 0, 2, 6, 3, 7], False, -1)
    assert before.beads(parse("X........"))[4] == 4 - 1
    assert before.beads(parse("X...O...X"))[2] == 3 - 1 and before.boxes[EMPTY][0] == 4
    before.learn([0, 1, 2, 4, 3, 5, 7, 6, 8], True, 0)  # not a draw by the rules, but told as one
    assert before.boxes[EMPTY] == {0: 4 + 1, 1: 4, 4: 4}


def test_it_resigns_where_a_box_is_empty_but_not_its_first():
    menace = Menace()
    lost = [1, 0, 2, 4, 3, 8]
    for _ in range(30):
        menace.learn(lost, True, -1)
    assert menace.boxes[EMPTY] == {0: 4, 1: 0, 4: 4}
    for cell in (0, 4):
        for _ in range(30):
            menace.learn([cell], True, -1)
    assert menace.boxes[EMPTY] == {0: 0, 1: 0, 4: 1}
    position = parse("OX.......")
    menace.boxes[next(box for box in menace.boxes if str(box) in turned(str(position)))].update(
        dict.fromkeys((cell for cell in range(9)), 0)
    )
    assert menace.reply(position).cells == ()


@cache
def trained(name, games=500, seed=1, seats=(True,)):
    menace = Menace()
    opponent = menace if name == "menace" else engines()[name]
    results = list(train(menace, opponent, games, seats, Random(seed)))
    return menace, results


def paths(first, second, position=EMPTY, chance=Fraction(1)):
    """Every game of two engines, one after the other: how it ends, and its probability."""
    board, mark = str(position), "XO"[position.ply % 2]
    if has_line(board, "XO"[mark == "X"]):
        yield "XO"[mark == "X"], chance
    elif "." not in board:
        yield "=", chance
    else:
        reply = (first, second)[position.ply % 2].reply(position)
        if not reply.cells:
            yield "XO"[mark == "X"], chance
        weights = reply.weights or [1] * len(reply.cells)
        for cell, weight in zip(reply.cells, weights, strict=True):
            share = Fraction(weight, sum(weights))
            yield from paths(first, second, position.play(cell), chance * share)


def added(found):
    total = Counter()
    for end, chance in found:
        total[end] += chance
    return total


@pytest.mark.parametrize("opponent", ["medium", "random"])
def test_chances_are_those_of_all_games_added(opponent):
    menace, _ = trained("medium")
    other = engines()[opponent]
    exact = added(paths(menace, other))
    assert sum(exact.values()) == 1
    found = odds(menace, other)
    assert found == pytest.approx([float(exact[end]) for end in "X=O"], abs=1e-12)
    if opponent == "random":
        seat = prove(menace).seats[0]
        assert (seat.win_chance, seat.loss_chance) == (exact["X"], exact["O"])


class Spoiler:
    """Knows all beads, and plays to win, by a table that is filled from the last ply backwards."""

    name, about, perfect = "spoiler", "", False

    def __init__(self, menace):
        self.chance = {}
        for position in sorted(unfinished(), key=lambda position: -position.ply):
            if position.ply % 2 == 0:
                reply = menace.reply(position)
                worths = [p * self.worth(position.play(cell)) for cell, p in reply.chances()]
                self.chance[position] = sum(worths) if worths else Fraction(1)
            else:
                self.chance[position] = max(self.worth(position.play(c)) for c in position.free)

    def worth(self, position):
        if position.over:
            return Fraction(has_line(str(position), "O"))
        return self.chance[position]

    def reply(self, position):
        return Reply((max(position.free, key=lambda cell: self.worth(position.play(cell))),))


@pytest.mark.parametrize("teacher", ["medium", "hard"])
def test_the_greatest_loss_is_what_its_best_opponent_gets(teacher):
    menace, _ = trained(teacher)
    spoiler = Spoiler(menace)
    seat = prove(menace).seats[0]
    greatest = seat.greatest_loss_chance
    assert greatest == spoiler.chance[EMPTY] == added(paths(menace, spoiler))["O"]
    for each in engines().values():
        if each.name not in ("minimax", "alphabeta"):  # they answer as transposition
            assert odds(menace, each).lost <= greatest + Fraction(1, 10**9)
    position = EMPTY
    for cell in seat.likeliest_loss:
        if position.ply % 2 == 0:
            assert cell in menace.reply(position).cells
        else:
            assert spoiler.worth(position.play(cell)) == spoiler.chance[position]
        position = position.play(cell)
    assert has_line(str(position), "O") or not menace.reply(position).cells


def test_a_game_at_random_favours_the_opening_player_two_to_one():
    """Published: "to the extent of about 2:1"."""
    found = odds(engines()["random"], engines()["random"])
    assert 1.9 < found.won / found.lost < 2.1


def test_it_settles_on_draws_against_the_best_and_learns_slower_against_random():
    """Michie: "settling into a stereotyped line which ensured a draw", and coping after 150 games.

    And, in the paper: to learn against random play is enormously more time-consuming.
    """
    menace, results = trained("hard", 150)
    assert odds(Menace(), engines()["hard"]).lost > 0.85
    assert odds(menace, engines()["hard"]).drawn > 0.99
    assert results[-100:].count(0) >= 99
    slow, _ = trained("random", 150)
    assert 0.15 < odds(slow, engines()["random"]).lost < odds(Menace(), engines()["random"]).lost


def test_in_self_play_both_sides_learn():
    menace, _ = trained("menace", 3000)
    after, before = prove(menace).seats, prove(Menace()).seats
    for learned, new in zip(after, before, strict=True):
        assert learned.loss_chance < new.loss_chance / 2


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
    ) in run(capsys, "prove", "menace.json")


def test_a_machine_that_resigns(tmp_path, capsys):
    menace = Menace()
    for position, box in menace.boxes.items():
        if position.ply == 2:
            box.update(dict.fromkeys(box, 0))
    path = tmp_path / "menace.json"
    write(menace, path)
    told = run(capsys, "vs", path, "easy")
    assert f"X, {path}, resigns\nO wins\n" in told
    told = run(capsys, "prove", path)
    assert "loses moving first, when cells 1 2 are played and it resigns (XO.......)" in told
    assert "it loses 100.00% of games against random play, 100.00% against" in told
    assert "menace.json resigns, as X" in run(capsys, "train", path, "--show", "X...O....")
    menace.boxes[EMPTY].update(dict.fromkeys(menace.boxes[EMPTY], 0))
    write(menace, tmp_path / "none.json")
    told = run(capsys, "prove", tmp_path / "none.json")
    assert "loses moving first, when it resigns (.........)" in told
    assert "100.00% against its best opponent, most often at once\n" in told
    assert run(capsys, "vs", tmp_path / "none.json", "hard").endswith("resigns\nO wins\n")
    (facts,) = json.loads(run(capsys, "duel", tmp_path / "none.json", "hard", "-n", 2, "--json"))
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
    assert capsys.readouterr().err.splitlines()[-1].startswith("usage: ") is False


def test_what_cannot_be_written_leaves_the_old_file(tmp_path, capsys):
    assert main(["train", "menace", "--games", "1", "-o", str(tmp_path / "no" / "m.json")]) == 1
    assert "cannot write" in capsys.readouterr().err
    with pytest.raises(NoughtsError, match="cannot read"):
        read(tmp_path / "m\0.json")


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
