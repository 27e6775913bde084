"""Sentences in words."""

import pytest

from noughts.engines.registry import engines
from noughts.protocol.describe import SEATS, describe, opponents, seat_of
from noughts.protocol.sentences import Boot, Game


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        (Boot("0A83", "V1", "0.1.0", "2798"),
         "board started: micro:bit V1, game 0.1.0, table 2798"),
        (Game("0", 3, "PH", "A", (), 0, "-"),
         "game 3: A is a person, B is the chip (hard); A begins"),
        (Game("0", 3, "PP", "A", (0, 4, 8, 6, 2), 9, "-"),
         "game 3, move 5: A in the top-right corner"),
        (Game("0", 3, "PP", "B", (0,), 9, "-"), "game 3, move 1: B in the top-left corner"),
        (Game("0", 1, "PP", "A", (0, 4, 1, 3, 2), 9, "A"),
         "game 1, move 5: A in the top-right corner; A wins (top row)"),
        (Game("0", 1, "PP", "A", (4, 0, 2, 6, 3, 5, 1, 7, 8), 9, "="),
         "game 1, move 9: A in the bottom-right corner; a draw"),
        (Game("0", 1, "PP", "A", (4,), 9, "x"), "game 1: abandoned after 1 move"),
    ],
)  # fmt: skip
def test_sentences_in_words(sentence, words):
    assert describe(sentence) == words


def test_every_engine_has_a_seat_of_its_own():
    assert sorted(map(seat_of, engines())) == sorted(set(SEATS) - {"P"})
    assert opponents("P" + seat_of("minimax")) == "person against minimax"
    assert opponents("P" + seat_of("hard")) == "person against hard"
