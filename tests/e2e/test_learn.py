"""`noughts learn`: from kept games to a table, and a whole circle on an emulated board."""

import json
import subprocess
import sys

from boards import A, B, Driver, PortDriver
from classes import blind_to_diagonals, centre_first, played
from noughts import brain
from noughts.cli import main
from noughts.device_files import device_files
from noughts.game.positions import EMPTY
from noughts.learning.habits import Habits
from noughts.protocol.sentences import Game
from noughts.store.people_games import people_games
from noughts.store.queries import GameFilter
from noughts.store.store import Store
from official import stepped
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
    assert "it can lose, so do not use it" in capsys.readouterr().err


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
    assert "no gain can be shown yet" in capsys.readouterr().out


GAMES = 12


class LoggingDriver(Driver):
    log = b""

    def listen(self):
        data = self.board.uart.receive()
        self.log += data
        self.items += self.stream.feed(data)


def play(board, person, games=GAMES):
    """Games against hard, by the buttons: how many the chip has won, and what the board said."""
    driver = LoggingDriver(board)
    driver.start()
    for _ in range(3):
        driver.press(A, up_ms=200)
    driver.press(B, up_ms=200)
    won = 0
    for number in range(1, games + 1):
        driver.wait(lambda number=number: game_under_way(driver) == number, f"game {number}")
        while driver.games[-1].end == "-":
            turn(driver, driver.games[-1], person)
        won += driver.games[-1].end == "B"
        driver.press(A, up_ms=200)  # the next one
    return won, driver.log


def game_under_way(driver):
    return driver.games[-1].number if driver.games else 0


def turn(driver, game: Game, person):
    """One more move: the person's by buttons, the chip's by waiting."""
    position = EMPTY
    for cell in game.moves:
        position = position.play(cell)
    if game.player(len(game.moves)) == "A":
        driver.place(person(position)[0])
    driver.wait(lambda: len(driver.games[-1].moves) > len(game.moves), "a move")


def test_a_whole_circle(tmp_path, capsys, virtual):
    """Played with a habit, logged, learned from, proved, put on a board, and played again."""
    board = stepped("V1 1.1.1")(device_files())
    before, said = play(board, centre_first)
    log, db, table = tmp_path / "log", tmp_path / "games.db", tmp_path / "table.py"
    log.write_bytes(said)
    assert main(["watch", "--from", str(log), "--db", str(db)]) == 0
    assert main(["learn", "--db", str(db), "-o", str(table)]) == 0
    assert main(["table", "--check", "-o", str(table)]) == 0
    live = virtual(board="V1", speed=8)
    PortDriver(live).start()
    assert main(["put", "--port", live.port, "--table", str(table)]) == 0
    learned = brain.read(table.read_text(), "it")
    said = capsys.readouterr().out
    assert "started on micro:bit V1" in said and f"table {learned.id}" in said
    again = stepped("V1 1.1.1")({**device_files(), "table.py": table.read_bytes()})
    after, said = play(again, centre_first)
    assert f",{learned.id}*".encode() in said
    assert after >= before + 3, (before, after)
