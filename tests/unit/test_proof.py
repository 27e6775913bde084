"""Proofs, held against published counts of games."""

import json
from fractions import Fraction
from functools import cache

import pytest

import noughts.commands.prove  # noqa: F401  (before a test has other engines in the registry)
from needed import long
from noughts.engines.registry import engines
from noughts.game import solver
from noughts.game.engine import Reply
from noughts.game.positions import EMPTY, WON, unfinished
from noughts.game.proof import DRAWN, LOST, WON_BY_ENGINE, prove


@cache
def proven(name):
    return prove(engines()[name])


def counts(seat):
    return tuple(seat.count(kind) for kind in (WON_BY_ENGINE, DRAWN, LOST))


def test_random_against_everything_is_every_game():
    first, second = proven("random").seats
    assert first.total == second.total == 255_168
    assert counts(first) == (131_184, 46_080, 77_904)
    assert counts(second) == (77_904, 46_080, 131_184)
    draws = Fraction(46_080, 1)  # all of nine plies, each with the chance of one in 9!
    assert first.win_chance + second.win_chance + draws / 362_880 == 1


def test_the_rules_moving_second():
    """Published for this strategy: 489 games, of the wins 228 at ply 6 and 136 at ply 8."""
    seat = proven("rules").seats[1]
    assert counts(seat) == (364, 125, 0)
    wins = {ply: count for (kind, ply), count in seat.games.items() if kind == WON_BY_ENGINE}
    assert wins == {6: 228, 8: 136}


@pytest.mark.parametrize("name", ["hard", "transposition", long("minimax"), long("alphabeta")])
def test_perfect_engines_never_lose(name):
    proof = proven(name)
    assert proof.never_loses and not proof.value_losing_positions
    if name == "hard":
        assert [seat.win_chance for seat in proof.seats] == [Fraction(191, 192), Fraction(866, 945)]


@pytest.mark.parametrize("name", ["random", "kind", "medium", long("easy")])
def test_a_losing_line_is_a_game_that_the_engine_loses(name):
    engine = engines()[name]
    for seat in proven(name).seats:
        position = EMPTY
        for ply, cell in enumerate(seat.losing_line):
            assert not position.over
            if (ply % 2 == 0) == seat.first:
                assert cell in engine.reply(position).cells
            position = position.play(cell)
        assert WON[position.other] and (len(seat.losing_line) % 2 == 0) == seat.first


def test_the_command_prints_the_figures(printed):
    told = printed("prove", "rules", "hard").splitlines()
    assert [line.split()[:6] for line in told[1:5]] == [
        ["rules", "first", "76", "72", "4", "0"],
        ["rules", "second", "489", "364", "125", "0"],
        ["hard", "first", "544", "528", "16", "0"],
        ["hard", "second", "1,072", "840", "232", "0"],
    ]
    assert "191/192 = 99.48%" in told[3] and "866/945 = 91.64%" in told[4]
    assert told[5:] == [
        "rules: never loses; loses value in 155 of 4,520 positions",
        "hard: never loses; preserves the value of every reachable position",
    ]
    facts = json.loads(printed("prove", "rules", "--json"))["rules"]
    assert facts["second"]["by_plies"]["won"] == {"6": 228, "8": 136}
    assert (facts["never_loses"], facts["second"]["win_chance"]) == (True, "164/189")


@pytest.mark.parametrize("names", [["kind", "medium"], long([])], ids=["two", "all"])
def test_a_lost_game_is_shown_once_as_cells_or_as_pictures(names, printed, monkeypatch):
    monkeypatch.setattr("noughts.commands.prove.prove", lambda engine: proven(engine.name))
    if names:
        chosen = {name: engines()[name] for name in names}
        monkeypatch.setattr("noughts.commands.prove.engines", lambda: chosen)
    told = " ".join(printed("prove").split())
    cells = "when cells 1 2 3 4 5 7 9 are played (XOXOX.O.X);"
    assert f"medium: loses moving second, {cells} loses value in" in told
    assert "this game" not in told and "as below" not in told
    told = printed("prove", "medium")
    assert "medium: loses moving second, as below; loses value in 467 of" in told
    assert "are played" not in told and "medium, as O, loses this game" in told
    assert max(map(len, told.splitlines())) <= 80
    told = " ".join(printed("prove", "kind").split())
    assert "by cells 2 1 3 4 8 5 6 7 moving" in told and "by cells 1 2 3 4 5 6 7 kind, as O" in told


def test_one_move_that_gives_value_away_is_enough():
    """Random play might play any cell, so it is wrong wherever one of them is."""
    wrong = sum(set(p.free) != set(solver.value_preserving_moves(p)) for p in unfinished())
    assert proven("random").value_losing_positions == wrong == 3_191


class CalledPerfect:
    about, perfect = "", True

    def __init__(self, name, reply):
        self.name, self.reply = name, reply


@pytest.mark.parametrize(
    ("engine", "verdict"),
    [
        (CalledPerfect("random", lambda position: Reply(position.free[:1])), "loses moving"),
        (CalledPerfect("rules", engines()["rules"].reply), "never loses; loses value"),
    ],
)
def test_an_engine_that_is_called_perfect_has_to_be(engine, verdict, noughts, monkeypatch):
    monkeypatch.setattr("noughts.engines.registry.engines", lambda: {engine.name: engine})
    status, out, err = noughts("prove", engine.name)
    assert status == 1 and f"{engine.name}: {verdict}" in out
    assert f"{engine.name} should play perfectly and does not (see above)" in err
