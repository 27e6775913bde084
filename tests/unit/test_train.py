"""`noughts train`, and a MENACE in a file: what it learns, also in `noughts vs`, and is shown."""

import io
import json
from itertools import count
from random import Random

import pytest

from noughts.engines.menace import Menace, read, train, write
from noughts.engines.registry import engines
from noughts.errors import NoughtsError
from noughts.game.engine import odds
from noughts.game.positions import EMPTY, parse
from sample_games import filled, stages

pytestmark = pytest.mark.usefixtures("folder")


def test_train_saves_what_it_learned_and_goes_on_from_it(folder, printed):
    """What it prints is in a lesson, which is run."""
    menace = Menace()
    list(train(menace, engines()["hard"], 40, (True,), Random(1)))
    words = ("train", "menace", "--against", "hard", "--games", 40)
    for name in ("a.json", "b.json"):
        printed(*words, "-o", name)
    assert (folder / "a.json").read_bytes() == (folder / "b.json").read_bytes()
    again = read("a.json")
    assert (again.boxes, again.games) == (menace.boxes, 40)
    assert again.about == "Michie's matchboxes, trained"
    facts = json.loads(printed("train", "a.json", "--against", "./b.json", "--games", 3, "--json"))
    assert [point[0] for point in facts["curve"]] == list(range(40, 44))
    assert facts["won"] + facts["drawn"] + facts["lost"] == 3


def test_it_learns_from_its_seats_and_its_curve_is_their_average(printed):
    line = "train menace --games 8 --seed 7 -o m.json --against rules --seat both"
    curve = json.loads(printed(*line.split(), "--json"))["curve"]
    again, rules = Menace(), engines()["rules"]
    results = list(train(again, rules, 8, (True, False), Random(7)))
    assert read("m.json").boxes == again.boxes
    for number, menace in ((0, Menace()), (-1, again)):
        both = zip(odds(menace, rules), odds(rules, menace)[::-1], strict=True)
        assert curve[number][1:] == pytest.approx([sum(each) / 2 for each in both], abs=1e-12)
    title = " ".join(printed(*line.split()).partition("\nHow likely")[0].split())
    counts = "won {}, drawn {}, lost {}".format(*map(results.count, (1, 0, -1)))
    assert title == f"menace against rules, moving first and second, 8 games, seed 7: {counts}"


def test_an_engine_in_a_file_that_moves_first_is_asked_in_each_game(folder, printed):
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


def test_a_machine_resigns_where_its_box_is_empty(folder, printed):
    path = "./menace.json"
    write(without_beads(2), folder / path)
    assert "X, menace.json, resigns\nO has won\n" in printed("vs", path, "easy")
    (folder / "other").mkdir()
    write(Menace(), folder / "other" / path)
    told = printed("duel", path, "other/menace.json", "-n", 2)
    assert told.startswith("./menace.json against other/menace.json, 2 games")
    told = " ".join(printed("prove", path).split())
    assert "it loses 100.00% of games against random play, 100.00% against" in told
    head, _, tail = told.partition("as X, loses 33.33% of games against its best opponent like")
    assert head and tail.count("resigns here") == 1 and tail.index("resigns") < tail.index("as O")
    assert "menace.json resigns, as X" in printed("train", path, "--show", "X...O....")
    told = printed("train", path, "--against", "hard", "--games", 5)
    assert "12 of its 593 boxes are empty" in told and "It loses every game" in told
    write(without_beads(0), folder / path)
    told = " ".join(printed("prove", path).split())
    assert "menace.json: loses moving first, when it resigns at once;" in told
    assert "100.00% against its best opponent, most often at once" in told


def test_a_box_is_shown_without_training_unless_games_are_asked_for(printed, refused):
    printed("train", "menace", "--show", ".........", "-o", "new.json")
    assert read("new.json").games == 0 and read("new.json").boxes == Menace().boxes
    assert printed("train", "menace", "--show", "XOXXOOOX.").endswith(
        "There is no box for this position: X has one move, cell 9.\n"
    )
    told = printed("train", "new.json", "--show", ".........", "--games", 2)
    assert told.startswith("new.json against medium, 2 games, seed 1: won ")
    assert "X to move draws one of " in told
    assert "X has already won; " in refused("train", "menace", "--show", "XXXOO....")


def test_it_learns_from_stored_games(folder, printed, refused):
    won, draw = [0, 1, 4, 2, 8], [0, 1, 2, 4, 3, 5, 7, 6, 8]
    games = stages(won), stages(draw, number=2, first="B"), stages(won, number=4, first="B")
    db = filled(folder / "games.db", *games, stages([4], "x", number=3))
    words = ("train", "menace", "--stored")
    assert printed(*words, "-o", "m.json", db=db).startswith(
        "menace has learned from 3 stored games, both sides of each\n"
    )
    assert printed(*words, db=db).endswith("not saved; -o FILE saves what it has learned\n")
    assert read("m.json").games == 3
    assert read("m.json").boxes[EMPTY] == {0: 4 + 3 + 1 + 3, 1: 4, 4: 4}
    assert read("m.json").beads(parse("X........"))[1] == 4 - 1 + 1 - 1
    assert "no game in" in refused(*words, "--result", "unfinished", db=db)


def test_train_checks_the_folder_before_it_learns(folder, refused):
    told = refused("train", "menace", "--games", "1", "-o", "no/m.json")
    assert "m.json (no such folder); make the folder, or choose another\n" in told
    (folder / "folder.json").mkdir()
    assert "folder.json is there and is not a" in refused("train", "menace", "-o", "folder.json")


@pytest.mark.xdist_group("pandas or matplotlib")
def test_the_curve_as_a_picture(folder, printed, noughts):
    words = ("train", "menace", "--against", "hard", "--games", 3, "--plot")
    assert "curve.svg written\n" in printed(*words, "curve.svg")
    text = (folder / "curve.svg").read_text()
    assert all(word in text for word in ("menace against hard", "wins", "draws", "loses"))
    # What it learned is saved even where the curve cannot be drawn.
    assert "cannot write" in noughts(*words, "no/curve.svg", "-o", "m.json")[2]
    assert read("m.json").games == 3


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"version": 1', '"version": 2'),
        ('"games": 0', '"games": -1'),
        ('{"0": 4, "1": 4, "4": 4}', '{"0": 4, "1": 4, "8": 4}'),
        ("{", "[" * 100_000),
        ("{", " " * 1_000_001),
    ],
    ids=lambda text: text[:30],
)
def test_any_other_file_is_refused_and_not_overwritten(old, new, folder, refused):
    write(Menace(), folder / "menace.json")
    other = (folder / "menace.json").read_text().replace(old, new, 1)
    (folder / "menace.json").write_text(other)
    with pytest.raises(NoughtsError, match="is not a MENACE file of this version, or is damaged"):
        read("menace.json")
    assert refused("train", "menace", "--games", "1", "-o", "menace.json") == (
        "noughts: menace.json is there and is not a MENACE file; choose another name for -o\n"
    )
    assert (folder / "menace.json").read_text() == other


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
    cells = "".join(line + "|" for line in told.splitlines() if line.count("|") == 2).split("|")
    return [number % 9 for number, cell in enumerate(cells) if "[" in cell]


@pytest.mark.parametrize("first", ["me", "it"])
def test_each_of_its_moves_gets_or_loses_beads_and_it_says_which(first, vs):
    does = {1: "gets 3 beads", 0: "gets a bead", -1: "loses a bead"}
    seen = set()
    for number in count(1):
        expected = read("menace.json")
        typed = in_order(Random(number).sample("123456789", 9))
        _, told, _ = vs("./menace.json", "--first", first, "--seed", str(number), typed=typed)
        *_, ended, learned = told.splitlines()
        result = 0 if ended == "a draw" else 1 if (ended == "X has won") == (first == "it") else -1
        changed = expected.learn(moves_of(told), first == "it", result)
        assert (read("menace.json").boxes, read("menace.json").games) == (expected.boxes, number)
        moves = f"for each move, {' '.join(str(cell + 1) for cell in changed)}"
        assert learned == f"Game {number}: it {does[result]} {moves}; ./menace.json written"
        seen.add(result)
        if len(seen) == len(does):
            break


@pytest.mark.parametrize(
    "words",
    ["./menace.json", "./menace.json --no-learning", "./menace.json hard", "menace"],
)
def test_these_games_teach_it_nothing(words, vs, folder):
    """The first is left, the second taught nothing, nobody types in the third, the last is new."""
    before = (folder / "menace.json").read_bytes()
    status, out, _ = vs(*words.split(), typed="5\nq\n" if words == "./menace.json" else IN_TURN)
    assert status == 0 and (folder / "menace.json").read_bytes() == before
    forgets = "\nIt does not learn; `noughts train menace -o FILE` makes one that learns\n"
    assert "Game " not in out and out.endswith(forgets) == (words == "menace")


def test_it_adds_to_what_it_learned_elsewhere_during_the_game(vs, folder):
    other = Menace(games=1_233)
    other.boxes[EMPTY].update({0: 0, 1: 0, 4: 1000})
    status, out, _ = vs("menace.json", before_typing=lambda: write(other, folder / "menace.json"))
    assert status == 0 and "Game 1,234: it " in out
    assert read("menace.json").boxes[EMPTY][4] == 1000
    other.boxes[EMPTY][4] = 0
    write(other, folder / "A.JSON")
    assert vs("A.JSON", "--first", "it")[1].endswith(
        "X, A.JSON, resigns\nO has won\nGame 1,234: it has no bead to lose; A.JSON written\n"
    )
