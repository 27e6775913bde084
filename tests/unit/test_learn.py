"""`noughts learn`: from stored games to a table, and a whole circle on an emulated board."""

import json
from functools import cache

import pytest

from classes import blocks_only, centre_first, played
from classes_on_boards import circle
from noughts import brain
from noughts.brain import learn
from noughts.brain.learn import Habits
from noughts.store.queries import GameFilter
from noughts.store.statistics import people_games
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


def test_what_was_learned_is_printed_and_its_table_checked(tmp_path, printed, refused, monkeypatch):
    # It takes seconds, and both commands are about the same games.
    estimate = cache(learn.estimate)
    monkeypatch.setattr(learn, "estimate", lambda games, hard: estimate(tuple(games), hard))
    games = played(centre_first, HARD, 120, seed=1)
    table = tmp_path / "table.py"
    db = store(tmp_path, games)
    said = printed("learn", "-o", table, db=db)
    habits = Habits(games)
    for part in (
        f"learned from 120 games, {habits.moves} moves of people", "take the centre", "put --table",
        "points (95 % interval)", "of people then play", "loses no game from either seat",
    ):  # fmt: skip
        assert part in said
    assert "no gain can be shown yet" not in said and "did not fit" not in said
    made = brain.read(table.read_text(), "it")
    assert f"table {made.id}" in said
    head = " ".join(line.removeprefix("# ") for line in table.read_text().splitlines()[:6])
    assert f"wins most often against the people of 120 games ({habits.moves} moves of" in head

    record = json.loads(printed("learn", "--json", db=db))
    assert (record["games"], record["moves"]) == (120, habits.moves)
    assert record["table"] == {"id": made.id, "bytes": len(made.payload)}
    assert record["gain"][0] > 0
    assert record["before"] < record["after"] <= record["most"] + 0.1
    centre = next(each for each in record["habits"] if each["kind"] == "take the centre")
    assert centre["did"] > 0.9 > centre["by_chance"]

    check = "table", "--check", "-o", table
    checked = "never loses, and keeps the value of all 4,520 positions"
    assert checked in printed(*check)
    assert json.loads(printed(*check, "--json"))["never_loses"] is True
    table.write_text(brain.source(brain.Table(made.weights, ()), "noughts learn", "people"))
    assert "which gives away a win; make another with" in refused(*check)


def test_what_does_not_fit_is_printed(tmp_path, printed, monkeypatch):
    monkeypatch.setattr(learn, "MAX_BOOK", len(HARD.book))
    monkeypatch.setattr(learn, "estimate", lambda *_: None)  # it takes a second
    db = store(tmp_path, played(blocks_only, HARD, 20, seed=1))
    missed = json.loads(printed("learn", "--json", db=db))["left_out"]
    assert missed and missed[0]["better"] not in missed[0]["played"]
    said = printed("learn", db=db)
    assert "What did not fit into the table" in said and "no gain can be shown yet" in said
    assert f"would win {100 * missed[0]['gain']:.2f} points" in said


def test_failures_change_nothing(folder, refused, misused):
    db = store(folder, played(centre_first, HARD, 3, seed=1))
    before = db.read_bytes()
    assert "no game in" in refused("learn", "--board", "nobody", db=db)
    assert "cannot write" in refused("learn", "-o", "no/t.py", db=db)
    assert "is the store itself" in misused("learn", "--db", "games.db", "-o", "games.db")
    assert db.read_bytes() == before


@pytest.mark.long
def test_a_class_loses_more_often_to_the_table_learned_from_it(tmp_path):
    found = circle(centre_first, 12, tmp_path)
    assert found.learned["games"] == 12
    assert found.after >= found.before + 3, found
