"""What release 1.0.0 left on a board is known by its content, and by nothing else."""

import pytest

from left_by_1_0_0 import games, on_v1, on_v2
from noughts.hardware.release_1_0_0 import Left, candidates, left_in

PLAYED = games(75)


def test_games_of_a_v1_in_their_order():
    files = on_v1(PLAYED[:70], "Pb")
    newest = on_v1(PLAYED[:71], "Ht")["35"]
    left = left_in({**files, "35": newest})
    assert sorted(left.files) == sorted(files)
    assert left.games == tuple(PLAYED[6:71])
    assert left.choice == b"Ht"


def test_games_of_a_v2_in_their_order():
    files = on_v2(PLAYED, "Mt")
    assert len(files) == 12
    left = left_in(dict(reversed(files.items())))
    assert sorted(left.files) == sorted(files)
    assert (left.games, left.choice) == (tuple(PLAYED), b"Mt")


@pytest.mark.parametrize(
    "content",
    [
        b"100009Eb",
        b"100009Eb$",
        b"100009Eb$\xff\xff\xff",
        b"100009Eb$NG,0A1B2C3D,1,PP,A,01",
        b"100009Eb$NG,0A1B2C3D,1,PP,A,0123,99,x*00",
    ],
)
def test_a_file_without_its_game_gives_the_choice(content):
    assert left_in({"9": content}) == Left(("9",), (), b"Eb")


GAME = on_v2(PLAYED[:1], "Pb")["~@"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("9", b"100009 Euros"),
        ("9", b"100009Ebenezer"),
        ("9", b"100009$NG,0A1B2C3D,1,PP,A,,5,x*00"),
        ("~@", b"diary"),
        ("~@", GAME[:2]),
        ("~@", GAME[:-1]),
        ("~@", GAME + bytes(17)),
        ("~@", GAME[:-1] + b"\x3e"),
        ("~@", GAME[:10] + b"\x07" + GAME[11:]),
    ],
)
def test_a_file_of_somebody_else_is_left_alone(name, content):
    assert left_in({name: content}) == Left()


def test_only_names_that_it_used_are_looked_into():
    starts = dict.fromkeys(["0", "64", "65", "007", "~c", "~A", "~X", "~AB", "a"], b"100000Pb$N")
    assert candidates("V1", starts) == ["0", "64"]
    assert candidates("V2", starts) == ["0", "64", "~A", "~c"]
    assert candidates("V1", {"0": b"100000$NG,"}) == []
