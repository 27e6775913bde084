"""Engines against each other."""

import itertools
import json
import math
import re
from random import Random

import pytest

from needed import long
from noughts.commands.duel import _print_pairs
from noughts.engines.registry import engines
from noughts.game.match import Player, Tally, interval, match, play, winner
from noughts.game.positions import EMPTY, parse
from noughts.game.proof import WON_BY_ENGINE, prove


def test_a_game_is_legal_and_ends():
    random = Random(1)
    for _ in range(50):
        position = EMPTY
        for cell, after in play(*(Player(engines()["random"], random) for _ in "XO")):
            assert not position.over and cell in position.free
            position = position.play(cell)
            assert after == position
        assert position.over


@pytest.mark.parametrize(("text", "who"), [("XXXOO....", 1), ("XX.OOO.X.", -1), ("XOXXOOOXX", 0)])
def test_the_winner(text, who):
    assert winner(parse(text)) == who


def test_the_interval_is_wilsons():
    """Against a worked example: 15 of 20 gives 53.1 % to 88.8 %."""
    low, high = interval(15, 20)
    assert (round(low, 3), round(high, 3)) == (0.531, 0.888)
    assert interval(0, 10)[0] == 0 and interval(10, 10)[1] == 1
    assert interval(0, 0) == (0, 1)
    # Its ends are where a normal test at 5 % would just reject.
    for share in (low, high):
        assert abs(15 / 20 - share) / math.sqrt(share * (1 - share) / 20) == pytest.approx(
            1.96, 1e-3
        )


def test_seats_alternate_and_played_games_agree_with_the_exact_chance():
    one, other = (Player(engines()[name], Random(5)) for name in ("medium", "random"))
    results = list(match(one, other, 4000))
    assert [first for first, _ in results[:5]] == [True, False, True, False, True]
    for first, exact in zip((True, False), prove(engines()["medium"]).seats, strict=True):
        wins = [result == 1 for seat, result in results if seat == first]
        low, high = interval(sum(wins), len(wins))
        assert exact.count(WON_BY_ENGINE) and low < exact.win_chance < high


def test_the_command(printed):
    words = ("duel", "hard", "random", "-n", 200, "--seed")
    told = printed(*words, 3)
    assert told.startswith("hard against random, 200 games, seed 3\n")
    assert "0 = 0.0%" in told and "(0.0% to " in told and "together" in told
    assert max(map(len, told.splitlines())) <= 80
    assert printed(*words, 3) == told != printed(*words, 4)


def test_as_json(printed):
    (facts,) = json.loads(printed("duel", "rules", "alphabeta", "-n", 20, "--json"))
    for seat in ("first", "second"):
        assert facts[seat]["drawn"]["games"] == 10
        assert facts[seat]["lost"]["interval"][0] == 0


@pytest.mark.parametrize(
    ("names", "games"), [(["random", "easy", "medium", "hard"], 20), long([*engines()], 300)]
)
def test_all_against_all(names, games, printed, monkeypatch):
    """Each pair once, as a match of the two ends; and how far the intervals reach."""
    chosen = {name: engines()[name] for name in names}
    monkeypatch.setattr("noughts.commands.duel.engines", lambda: chosen)
    told = printed("duel", "--all", "-n", games)
    _, head, *rows, last = told.splitlines()
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
    above, below = (float(share) / 100 for share in re.findall(r"([\d.]+)%", last)[1:])
    counts = [round(share * games) for row in shares.values() for share in row]
    ends = [(count / games, *interval(count, games)) for count in counts]
    assert above - 0.0011 < max(high - share for share, _, high in ends) <= above
    assert below - 0.0011 < max(share - low for share, low, _ in ends) <= below


def test_all_against_all_fits_80_columns(capsys):
    """With the widest shares, and as many games as there may be."""
    pairs = itertools.combinations(engines(), 2)
    _print_pairs({pair: {True: Tally(10**7), False: Tally()} for pair in pairs}, 10**7, 2**31)
    told = capsys.readouterr().out
    assert "100.0%" in told and max(map(len, told.splitlines())) <= 80


def test_draws_count_for_how_far_the_intervals_reach(capsys):
    _print_pairs({("hard", "rules"): {True: Tally(drawn=4), False: Tally()}}, 4, 0)
    low, _ = interval(4, 4)
    assert f"{math.ceil((1 - low) * 1000) / 1000:.1%} below" in capsys.readouterr().out
