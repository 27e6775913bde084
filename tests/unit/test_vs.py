"""`noughts vs`: a game by typing cells."""

import io

import pytest

from noughts.cli.vs import hint, read_cell
from noughts.game import solver
from noughts.game.positions import EMPTY, unfinished


@pytest.fixture
def vs(noughts, monkeypatch):
    """Plays a game, in which a person types this; gives its status, and what it prints."""

    def run(*words, typed=""):
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        return noughts("vs", *words)

    return run


def boards(told):
    """The boards that were printed, without blanks and rules: `1|2|[X]` and so on, nine cells."""
    rows = [line.replace(" ", "") for line in told.splitlines() if line.count("|") == 2]
    return ["|".join(rows[at : at + 3]) for at in range(0, len(rows), 3)]


def test_a_whole_game_with_wrong_input_on_the_way(vs):
    status, out, err = vs("minimax", typed="5\n5\nmiddle\n\n0\n3\n2,1\n8\n9\n6\n2\n")
    assert status == 0
    assert "O, minimax, plays 1 (55,505 nodes visited, " in out
    assert "cell 5 is taken; these are free: 2, 3, 4, 6, 7, 8, 9" in err
    for wrong in ("middle", "", "0"):
        assert f"{wrong!r} is not a cell; type 1 to 9, row,column such as 2,3, or ? for help" in err
    assert out.splitlines()[-1] in ("a draw", "O wins")
    assert "Traceback" not in err


def test_two_engines_play_each_other_and_a_seed_repeats_it(vs):
    games = {vs("random", "kind", "--seed", "7")[1] for _ in range(2)}
    (game,) = games
    assert "X, random, plays" in game and "O, kind, plays" in game
    assert game.splitlines()[-1] in ("X wins", "O wins", "a draw")
    assert any(vs("random", "easy", "--seed", str(seed))[1] != game for seed in range(3))
    told = vs("kind", "kind")[1].splitlines()  # neither lets the other win
    helpless = [line for line in told if line.startswith("It cannot be helped: nothing lets ")]
    assert helpless and ", kind, plays " in told[told.index(helpless[0]) - 1]


def test_how_to_leave_is_said_at_the_start(vs):
    for words, mark in ((["hard"], "X"), (["hard", "--first", "it"], "O")):
        first = vs(*words)[1].splitlines()[0]
        assert first.startswith(f"You are {mark}. ") and "q leaves" in first and len(first) <= 80
    assert "leave" not in vs("hard", "easy")[1]


def test_the_last_move_is_marked_and_a_move_and_its_reply_are_taken_back(vs):
    _, out, err = vs("rules", typed="1\n2\nu\nu\nu\n5\n")
    told = boards(out)
    start, moved, answered = told[:3]
    assert (start, moved) == ("1|2|3|4|5|6|7|8|9", "[X]|2|3|4|5|6|7|8|9")
    assert told[3] == "X|[X]|3|4|O|6|7|8|9" and told[5:7] == [answered, start]
    assert err == "there is no move of yours to take back\n"
    assert told[7] == "1|2|3|4|[X]|6|7|8|9"
    told = boards(vs("rules", "--first", "it", typed="u\n1\nu\n")[1])
    assert told[-1] == told[1] == "1|2|3|4|[X]|6|7|8|9"


def test_help_and_a_hint_do_not_move(vs):
    told = vs("rules", typed="1\n?\nH\n Q \n")[1]
    assert "Three in a row win" in told and "u       undo" in told
    assert max(len(line) for line in told.splitlines()) <= 80
    assert boards(told)[-1] == "X|2draw|3draw|4draw|[O]|6draw|7draw|8draw|9draw"
    assert "best: 2 or 4\n" in told
    assert told.count("X, your cell: ") == 4 and told.count("plays") == 1


def test_hints_agree_with_the_solver():
    words = {"win": 1, "draw": 0, "loss": -1}
    for position in list(unfinished())[::7]:
        (told,) = boards(hint(position))
        worths = {cell: words[text[1:]] for cell, text in enumerate(told.split("|")) if text[1:]}
        assert tuple(worths) == position.free
        assert max(worths.values()) == solver.value(position)
        best = hint(position).rpartition("best: ")[2].replace(" or ", ", ").split(", ")
        assert [int(cell) - 1 for cell in best] == solver.hard_moves(position)


@pytest.mark.parametrize(
    ("text", "cell"), [("1", 0), (" 9 ", 8), ("1,1", 0), ("2,3", 5), ("3, 1", 6)]
)
def test_cells(text, cell):
    assert read_cell(text, EMPTY) == (cell, "")


@pytest.mark.parametrize(
    "text", ["", "0", "10", "a", "1,4", "0,1", "1,1,1", ",", "²", "1.5", "-1", "\x1b[2J"]
)
def test_what_is_no_cell(text):
    cell, wrong = read_cell(text, EMPTY)
    assert cell is None and "is not a cell; type 1 to 9" in wrong and "\x1b" not in wrong
