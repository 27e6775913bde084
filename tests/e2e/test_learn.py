"""`noughts learn`: from kept games to a table, and a whole circle on an emulated board."""

import json
import subprocess
import sys

from classes import blind_to_diagonals, blocks_only, centre_first, played
from classes_on_boards import circle
from noughts import brain
from noughts.cli import main
from noughts.learning import fit as fitting
from noughts.learning.habits import Habits
from noughts.store.people_games import people_games
from noughts.store.queries import GameFilter
from noughts.store.store import Store
from sample_games import filled, stages

HARD = brain.make()


def store(path, games, seats="PH"):
    return filled(
        path / "games.db",
        *(
            stages(game.moves, seats=seats, number=number, first="A" if game.people[0] else "B")
            for number, game in enumerate(games, 1)
        ),
    )


def test_which_moves_are_peoples(tmp_path):
    stored = filled(
        tmp_path / "games.db",
        stages([4, 0], "x", seats="PH", number=1),
        stages([4, 0, 1], seats="HP", number=2),
        stages([4], seats="PE", number=3, first="B"),
        stages([8, 0, 1], seats="PP", number=4),
        stages([4, 0, 1], seats="EH", number=5),
    )
    with Store(stored) as opened:
        games = people_games(opened, GameFilter())
    found = sorted((game.moves, game.people) for game in games)
    assert found == [
        ((4, 0), (True, False)),
        ((4, 0, 1), (False, True)),
        ((8, 0, 1), (True, True)),
    ]


def test_what_it_says(tmp_path, capsys):
    games = played(centre_first, HARD, 120, seed=1)
    table = tmp_path / "table.py"
    db = str(store(tmp_path, games))
    assert main(["learn", "--db", db, "-o", str(table)]) == 0
    said = capsys.readouterr().out
    habits = Habits(games)
    assert f"learned from 120 games, {habits.moves} moves of people" in said
    assert "take the centre" in said
    assert "points (95 % interval)" in said
    assert "no gain can be shown yet" not in said
    assert "of people then play" in said
    assert "loses no game from either seat" in said
    assert "put --table" in said
    made = brain.read(table.read_text(), "it")
    assert f"table {made.id}" in said
    head = " ".join(line.removeprefix("# ") for line in table.read_text().splitlines()[:6])
    assert f"wins most often against the people of 120 games ({habits.moves} moves of" in head

    assert main(["learn", "--db", db, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["games"], record["moves"]) == (120, habits.moves)
    assert record["table"] == {"id": made.id, "bytes": len(made.payload)}
    assert record["gain"][0] > 0
    assert record["before"] < record["after"] <= record["most"] + 0.1
    centre = next(each for each in record["habits"] if each["kind"] == "take the centre")
    assert centre["did"] > 0.9 > centre["by_chance"]


def test_what_does_not_fit_is_said(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(fitting, "MAX_BOOK", len(HARD.book))
    db = str(store(tmp_path, played(blocks_only, HARD, 60, seed=1)))
    assert main(["learn", "--db", db, "--json"]) == 0
    missed = json.loads(capsys.readouterr().out)["left_out"]
    assert missed and missed[0]["better"] not in missed[0]["played"]
    assert main(["learn", "--db", db]) == 0
    said = capsys.readouterr().out
    assert "What did not fit into the table" in said
    assert f"would win {100 * missed[0]['gain']:.2f} points" in said
    monkeypatch.undo()
    assert main(["learn", "--db", db]) == 0
    assert "did not fit" not in capsys.readouterr().out


def test_a_learned_table_is_checked(tmp_path, capsys):
    table = tmp_path / "table.py"
    db = str(store(tmp_path, played(blind_to_diagonals, HARD, 40, seed=1)))
    assert main(["learn", "--db", db, "-o", str(table)]) == 0
    capsys.readouterr()
    assert main(["table", "--check", "-o", str(table)]) == 0
    assert "never loses, and keeps the value of all 4,520 positions" in capsys.readouterr().out
    assert main(["table", "--check", "-o", str(table), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["never_loses"] is True
    whole = brain.read(table.read_text(), "it")
    table.write_text(brain.source(brain.Table(whole.weights, ()), "noughts learn", "people"))
    assert main(["table", "--check", "-o", str(table)]) == 1
    assert "which gives away a win; make another with" in capsys.readouterr().err


def test_what_goes_wrong(tmp_path, capsys):
    db = store(tmp_path, played(centre_first, HARD, 3, seed=1))
    before = db.read_bytes()
    for words, status, said in [
        (["--db", str(tmp_path / "none.db")], 1, "no games are kept in"),
        (["--db", str(db), "--board", "nobody"], 1, "no game in"),
        (["--db", str(db), "-o", str(db)], 2, "is the store itself"),
        (["--db", str(db), "-o", str(tmp_path / "no" / "t.py")], 1, "cannot write"),
    ]:
        done = subprocess.run(
            [sys.executable, "-m", "noughts", "learn", *words],
            capture_output=True, text=True, timeout=600, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stdout) == (status, ""), done
        assert said in done.stderr and "Traceback" not in done.stderr
    assert db.read_bytes() == before
    assert main(["learn", "--db", str(db)]) == 0
    said = capsys.readouterr().out
    assert "no gain can be shown yet" in said
    assert ("It plays as before." in said) == ("What it plays now" not in said)


def test_a_whole_circle(tmp_path):
    """Played with a habit, logged, learned from, proved, put on a board, and played again."""
    found = circle(centre_first, 12, tmp_path)
    assert found.learned["games"] == 12
    assert found.after >= found.before + 3, found
