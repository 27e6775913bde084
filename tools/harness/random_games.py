"""Sentences of random games, as a board would send them."""

from random import Random

from noughts.game.positions import EMPTY
from noughts.protocol.sentences import Game, outcome


def random_game(boot: str, number: int, dice: Random) -> list[Game]:
    """A whole game's sentences, between a person and the chip on hard."""
    first = "AB"[number % 2]
    games = [Game(boot, number, "PH", first, (), 0, "-")]
    position = EMPTY
    while not position.over:
        cell = dice.choice(position.free)
        position = position.play(cell)
        moves = (*games[-1].moves, cell)
        ms = games[-1].ms + dice.randrange(300, 5000)
        games.append(Game(boot, number, "PH", first, moves, ms, outcome(moves, first)))
    return games
