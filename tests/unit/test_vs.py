"""`noughts vs`: games played by typing cells; a MENACE in a file learns from them."""

import io
from itertools import count
from random import Random

import pytest

from noughts.engines.menace import Menace, read_menace, write_menace
from noughts.game.positions import EMPTY


@pytest.fixture
def vs(noughts, monkeypatch):
    """Plays a game in which a person types this; gives the status, output and errors."""

    def run(*words, typed="", stdin=io.StringIO):
        monkeypatch.setattr("sys.stdin", stdin(typed))
        return noughts("vs", *words)

    return run


def boards(out):
    """The printed boards, without blanks and rules: nine cells such as `1|2|[X]`."""
    rows = [line.replace(" ", "") for line in out.splitlines() if line.count("|") == 2]
    return ["|".join(rows[at : at + 3]) for at in range(0, len(rows), 3)]


def test_whole_game_with_invalid_input(vs):
    status, out, err = vs("minimax", typed="5\n5\nmiddle\n3\n2,1\n8\n9\n6\n2\n")
    assert status == 0
    first = out.splitlines()[0]
    assert first.startswith("You are X. ") and "q leaves" in first and len(first) <= 80
    assert "O, minimax, plays 1 (55,505 boards looked at, " in out
    assert "cell 5 is taken; these are free: 2, 3, 4, 6, 7, 8, 9" in err
    assert "'middle' is not a cell; type 1 to 9, row,column such as 2,3, or ? for help" in err
    assert out.splitlines()[-1] in ("a draw", "O has won")


def test_engines_play_each_other_and_a_seed_repeats_the_game(vs):
    game = vs("random", "kind", "--seed", "7")[1]
    assert vs("random", "kind", "--seed", "7")[1] == game and "leave" not in game
    assert "X, random, plays" in game and "O, kind, plays" in game
    assert game.splitlines()[-1] in ("X has won", "O has won", "a draw")
    assert any(vs("random", "kind", "--seed", str(seed))[1] != game for seed in range(3))
    assert "X, menace (untrained), plays" in vs("menace", "kind")[1]


def test_last_move_is_marked_and_undo_also_takes_back_the_reply(vs):
    _, out, err = vs("rules", typed="1\n2\nu\nu\nu\n5\n")
    shown_boards = boards(out)
    start, moved, answered = shown_boards[:3]
    assert (start, moved) == ("1|2|3|4|5|6|7|8|9", "[X]|2|3|4|5|6|7|8|9")
    assert shown_boards[3] == "X|[X]|3|4|O|6|7|8|9" and shown_boards[5:7] == [answered, start]
    assert err == "there is no move of yours to take back\n"
    assert shown_boards[7] == "1|2|3|4|[X]|6|7|8|9"
    out = vs("rules", "--first", "it", typed="u\n1\nu\n")[1]
    assert out.startswith("You are O. ")
    assert boards(out)[-1] == boards(out)[1] == "1|2|3|4|[X]|6|7|8|9"


def test_help_and_hint_do_not_make_a_move(vs):
    out = vs("rules", typed="1\n?\nH\n Q \n")[1]
    assert "Three in a row win" in out and "u       undo" in out
    assert max(len(line) for line in out.splitlines()) <= 80
    assert boards(out)[-1] == "X|2draw|3draw|4draw|[O]|6draw|7draw|8draw|9draw"
    assert "best: 2 or 4\n" in out
    assert out.count("X, your cell: ") == 4 and out.count("plays") == 1


def test_cell_input_formats(vs):
    for text, cell in ("1", 0), (" 9 ", 8), ("1,1", 0), ("2,3", 5), ("3, 1", 6):
        assert boards(vs("hard", typed=f"{text}\n")[1])[1].split("|")[cell] == "[X]"
    wrong = ("", "0", "10", "1,4", "0,1", "1,1,1", "²", "1.5", "-1", "\x1b[2J")
    _, out, err = vs("hard", typed="\n".join([*wrong, ""]))
    assert len(boards(out)) == 1 and err.count("is not a cell; type 1 to 9") == len(wrong)


def test_undecodable_input_is_not_a_cell(noughts, monkeypatch):
    typed = io.TextIOWrapper(io.BytesIO(b"\xff\x1b[2J\0\n"), encoding="utf-8")
    monkeypatch.setattr("sys.stdin", typed)
    status, out, err = noughts("vs", "hard")
    assert status == 0 and out.endswith("stopped before the game was over\n")
    assert "is not a cell; type 1 to 9" in err and "\x1b" not in err and err.count("\n") == 1


def in_order(cells):
    """Input that plays the first free one of these cells each time; taken cells are refused."""
    return "".join(f"{cell}\n" for cell in cells) * 5


IN_TURN = in_order("123456789")


@pytest.fixture
def machine(folder):
    """A file with a new MENACE."""
    write_menace(Menace(), folder / "menace.json")
    return folder / "menace.json"


@pytest.mark.parametrize("first", ["me", "it"])
def test_menace_reports_beads_gained_or_lost_by_each_move(first, vs, machine):
    changes = {1: "gets 3 beads", 0: "gets a bead", -1: "loses a bead"}
    seen = set()
    for number in count(1):
        expected = read_menace(machine)
        typed = in_order(Random(number).sample("123456789", 9))
        _, out, _ = vs("./menace.json", "--first", first, "--seed", str(number), typed=typed)
        *_, ended, learned = out.splitlines()
        result = 0 if ended == "a draw" else 1 if (ended == "X has won") == (first == "it") else -1
        played = [at % 9 for at, cell in enumerate("|".join(boards(out)).split("|")) if "[" in cell]
        changed = expected.learn(played, result if first == "it" else -result, [first == "it"])
        assert (read_menace(machine).boxes, read_menace(machine).games) == (expected.boxes, number)
        moves = f"for each move, {' '.join(str(cell + 1) for cell in changed)}"
        assert learned == f"Game {number}: it {changes[result]} {moves}; ./menace.json written"
        seen.add(result)
        if len(seen) == len(changes):
            break


@pytest.mark.parametrize(
    "words",
    ["./menace.json", "./menace.json --no-learning", "./menace.json hard", "menace"],
)
def test_menace_does_not_learn_from_these_games(words, vs, machine):
    """A game that is left, one without learning, one between engines, one against a new MENACE."""
    content_before = machine.read_bytes()
    status, out, _ = vs(*words.split(), typed="5\nq\n" if words == "./menace.json" else IN_TURN)
    assert status == 0 and machine.read_bytes() == content_before
    forgets = "\nIt does not learn; `noughts train menace -o FILE` makes one that learns\n"
    assert "Game " not in out and out.endswith(forgets) == (words == "menace")


def test_menace_adds_to_what_it_learned_elsewhere_during_the_game(vs, machine):
    other = Menace(games=1_233)
    other.boxes[EMPTY].update({0: 0, 1: 0, 4: 1000})

    class LearnsElsewhere(io.StringIO):
        def readline(self, *args):
            write_menace(other, machine)
            return super().readline(*args)

    status, out, _ = vs("menace.json", typed=IN_TURN, stdin=LearnsElsewhere)
    assert status == 0 and "Game 1,234: it " in out
    assert read_menace(machine).boxes[EMPTY][4] == 1000
    other.boxes[EMPTY][4] = 0
    write_menace(other, machine.with_name("A.JSON"))
    assert vs("A.JSON", "--first", "it")[1].endswith(
        "X, A.JSON, resigns\nO has won\nGame 1,234: it has no bead to lose; A.JSON written\n"
    )
