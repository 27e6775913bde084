"""Engines, held against the solved game, and against each other.

How many nodes the searches visit is in docs/python-api.md and the lessons, which are run.
"""

import json
from fractions import Fraction
from itertools import combinations
from random import Random

from brute_force import against_random, following
from noughts.engines.registry import engines
from noughts.game import solver
from noughts.game.engine import interval, match
from noughts.game.positions import unfinished
from noughts.game.proof import prove

ENGINES = engines()


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
        assert plain.score == solver.score(position)
        best = solver.variation(position)
        assert plain.cells == (best[0],)
        assert not plain.score or len(best) == 10 - abs(plain.score)


def like_kind(_, chances):
    """To lose as often as can be; and of such ways, to win as rarely."""
    won, lost = chances
    return lost, -won


def test_no_way_to_play_loses_more_often_against_random_play_than_kind():
    for position in unfinished():
        board, me, other = str(position), *("XO" if position.turn == "X" else "OX")
        reply = ENGINES["kind"].reply(position)
        after = dict(following(board))[reply.cells[0]]
        chances = against_random(after, me, like_kind)
        assert chances == against_random(board, me, like_kind)
        helpless = f"Nothing lets {other} win now."
        assert reply.remark == ("" if chances[1] else helpless)
    for seat, me in zip(prove(ENGINES["kind"]).seats, "XO", strict=True):
        assert (seat.win_chance, seat.loss_chance) == against_random("." * 9, me, like_kind)
        assert seat.loss_chance > Fraction(9, 10) and seat.greatest_loss_chance == 1


def test_the_interval_is_wilsons():
    """Against a worked example: 15 of 20 gives 53.1 % to 88.8 %."""
    low, high = interval(15, 20)
    assert (round(low, 3), round(high, 3)) == (0.531, 0.888)
    assert interval(0, 10)[0] == 0 and interval(10, 10)[1] == 1


def test_played_games_agree_with_the_exact_chance_from_either_seat():
    tallies = match(ENGINES["medium"], ENGINES["random"], 4001, Random(5))
    assert [tally.games for tally in tallies] == [2001, 2000]
    for tally, exact in zip(tallies, prove(ENGINES["medium"]).seats, strict=True):
        low, high = interval(tally.won, tally.games)
        assert low < exact.win_chance < high


def test_a_duel(printed):
    words = ("duel", "hard", "random", "-n", 200, "--seed")
    told = printed(*words, 3)
    assert told.startswith("hard against random, 200 games, seed 3\n")
    assert "0 = 0.0%" in told and "(0.0% to " in told and "together" in told
    assert printed(*words, 3) == told != printed(*words, 4)
    (facts,) = json.loads(printed("duel", "rules", "alphabeta", "-n", 20, "--json"))
    for seat in ("first", "second"):
        assert facts[seat]["drawn"]["games"] == 10
        assert facts[seat]["lost"]["interval"][0] == 0


def test_all_against_all(printed, monkeypatch):
    """Each pair once, as a match of the two."""
    chosen = {name: ENGINES[name] for name in ("random", "easy", "medium", "menace")}
    monkeypatch.setattr("noughts.cli.vs.engines", lambda: chosen)
    told = printed("duel", "--all", "-n", 20)
    assert max(map(len, told.splitlines())) <= 80 and " menace (untrained) " in told
    _, _, *rows, _ = told.replace(" (untrained)", "").splitlines()
    assert [tuple(row.split()[:2]) for row in rows] == list(combinations(chosen, 2))
    (facts,) = json.loads(printed("duel", "easy", "medium", "-n", 20, "--json"))
    seats = facts["first"], facts["second"]
    ended = [sum(seat[end]["games"] for seat in seats) for end in ("won", "drawn", "lost")]
    assert [f"{count / 20:.1%}" for count in ended] == rows[3].split()[2:]
