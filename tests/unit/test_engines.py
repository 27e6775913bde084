"""Engines, held against published numbers and the solved game; and against each other."""

import itertools
import json
import math
import re
from fractions import Fraction
from functools import cache
from random import Random

import pytest

from brute_force import against_random, following
from needed import long
from noughts.cli.duel import _print_pairs
from noughts.engines.levels import block, complete, influence, stop_fork
from noughts.engines.registry import engines
from noughts.game import solver
from noughts.game.engine import Player, Tally, interval, match
from noughts.game.positions import EMPTY, WON, parse, unfinished
from noughts.game.proof import WON_BY_ENGINE, prove

ENGINES = engines()


@pytest.mark.parametrize(
    ("name", "position", "nodes", "cut"),
    [
        ("minimax", EMPTY, 549_946, 0),
        ("minimax", EMPTY.play(0), 59_705, 0),
        ("alphabeta", EMPTY, 20_866, 7_788),
        ("transposition", EMPTY, 1_294, None),
    ],
)
def test_searches_visit_the_published_number_of_nodes(name, position, nodes, cut):
    reply = ENGINES[name].reply(position)
    assert (reply.nodes, reply.score) == (nodes, 0) and cut in (None, reply.cut)


def test_all_searches_agree_with_each_other_and_with_the_solver():
    for position in unfinished():
        if position.ply < 2:
            continue  # minimax takes a while there
        plain, pruned, remembered = (
            ENGINES[name].reply(position) for name in ("minimax", "alphabeta", "transposition")
        )
        assert plain.cells == pruned.cells == remembered.cells
        assert plain.score == pruned.score == remembered.score
        assert remembered.nodes <= pruned.nodes <= plain.nodes
        value = (plain.score > 0) - (plain.score < 0)
        assert value == solver.value(position)
        assert set(plain.cells) <= set(solver.value_preserving_moves(position))


@pytest.mark.parametrize(
    ("text", "score", "cell"),
    [
        ("XX.OO....", 9, 2),  # a win at once, before a block
        ("X.X.O.X.O", -8, 1),  # lost: O has two lines to stop
    ],
)
def test_the_quicker_win_and_the_slower_loss(text, score, cell):
    reply = ENGINES["alphabeta"].reply(parse(text))
    assert (reply.score, reply.cells) == (score, (cell,))


@pytest.mark.parametrize(
    ("rule", "text", "cell"),
    [
        (complete, "XX.OO.X..", 5),
        (complete, "X...O....", None),
        (block, "X.O.X....", 8),
        (block, "X........", None),
        # X at the ends of a diagonal: the row and the column that meet in a free corner.
        (stop_fork, "X...O...X", 1),
        # X beside two edges: their corner is 0, and the first line's middle cell is X's own.
        (stop_fork, ".X.XO....", 0),
        (stop_fork, "X...O....", None),
        (influence, ".........", 4),
        (influence, "....X....", 0),
    ],
)
def test_each_rule(rule, text, cell):
    assert rule(parse(text)) == cell


def like_kind(_, chances):
    """To lose as often as can be; and of such ways, to win as rarely."""
    won, lost = chances
    return lost, -won


def test_no_way_to_play_loses_more_often_against_random_play_than_kind():
    for position in unfinished():
        board, me = str(position), "XO"[position.ply % 2]
        (cell,) = ENGINES["kind"].reply(position).cells
        after = dict(following(board))[cell]
        assert against_random(after, me, like_kind) == against_random(board, me, like_kind)
    for seat, me in zip(prove(ENGINES["kind"]).seats, "XO", strict=True):
        assert (seat.win_chance, seat.loss_chance) == against_random("." * 9, me, like_kind)
        assert seat.loss_chance > Fraction(9, 10) and seat.greatest_loss_chance == 1


def test_kind_says_when_it_can_no_longer_lose():
    @cache
    def can_be_won(position, by_mover):
        if position.over:
            return WON[position.other] and not by_mover
        return any(can_be_won(position.play(cell), not by_mover) for cell in position.free)

    hopeless = 0
    for position in unfinished():
        reply = ENGINES["kind"].reply(position)
        lost = can_be_won(position, by_mover=False)
        hopeless += not lost
        mark = "XO"[1 - position.ply % 2]
        told = "" if lost else f"It cannot be helped: nothing lets {mark} win now."
        assert reply.remark == told
    assert hopeless > 100


def test_the_interval_is_wilsons():
    """Against a worked example: 15 of 20 gives 53.1 % to 88.8 %."""
    low, high = interval(15, 20)
    assert (round(low, 3), round(high, 3)) == (0.531, 0.888)
    assert interval(0, 10)[0] == 0 and interval(10, 10)[1] == 1
    assert interval(0, 0) == (0, 1)


def test_seats_alternate_and_played_games_agree_with_the_exact_chance():
    one, other = (Player(ENGINES[name], Random(5)) for name in ("medium", "random"))
    results = list(match(one, other, 4000))
    assert [first for first, _ in results[:5]] == [True, False, True, False, True]
    for first, exact in zip((True, False), prove(ENGINES["medium"]).seats, strict=True):
        wins = [result == 1 for seat, result in results if seat == first]
        low, high = interval(sum(wins), len(wins))
        assert exact.count(WON_BY_ENGINE) and low < exact.win_chance < high


def test_a_duel(printed):
    words = ("duel", "hard", "random", "-n", 200, "--seed")
    told = printed(*words, 3)
    assert told.startswith("hard against random, 200 games, seed 3\n")
    assert "0 = 0.0%" in told and "(0.0% to " in told and "together" in told
    assert max(map(len, told.splitlines())) <= 80
    assert printed(*words, 3) == told != printed(*words, 4)
    (facts,) = json.loads(printed("duel", "rules", "alphabeta", "-n", 20, "--json"))
    for seat in ("first", "second"):
        assert facts[seat]["drawn"]["games"] == 10
        assert facts[seat]["lost"]["interval"][0] == 0


@pytest.mark.parametrize(
    ("names", "games"), [(["random", "easy", "medium", "hard"], 20), long([*ENGINES], 300)]
)
def test_all_against_all(names, games, printed, monkeypatch):
    """Each pair once, as a match of the two ends."""
    chosen = {name: ENGINES[name] for name in names}
    monkeypatch.setattr("noughts.cli.duel.engines", lambda: chosen)
    told = printed("duel", "--all", "-n", games)
    _, head, *rows, _ = told.splitlines()
    assert head.split() == ["engine", "against", "won", "drawn", "lost"]
    pairs = {tuple(row.split()[:2]): re.findall(r"([\d.]+)%", row) for row in rows}
    assert list(pairs) == list(itertools.combinations(names, 2))
    shares = {pair: [float(share) / 100 for share in row] for pair, row in pairs.items()}
    (facts,) = json.loads(printed("duel", "easy", "medium", "-n", games, "--json"))
    exact = [
        sum(facts[seat][kind]["games"] for seat in ("first", "second")) / games
        for kind in ("won", "drawn", "lost")
    ]
    assert shares["easy", "medium"] == pytest.approx(exact, abs=0.00051)


def test_all_against_all_fits_80_columns_and_counts_draws(capsys):
    """With the widest shares, and as many games as there may be."""
    pairs = itertools.combinations(ENGINES, 2)
    _print_pairs({pair: {True: Tally(10**7), False: Tally()} for pair in pairs}, 10**7, 2**31)
    told = capsys.readouterr().out
    assert "100.0%" in told and max(map(len, told.splitlines())) <= 80
    assert " menace (untrained) " in told
    _print_pairs({("hard", "rules"): {True: Tally(drawn=4), False: Tally()}}, 4, 0)
    low, _ = interval(4, 4)
    assert f"{math.ceil((1 - low) * 1000) / 1000:.1%} below" in capsys.readouterr().out
