"""What boards have played that had no cable in."""

from boards import B, Player
from noughts.protocol.sentences import Game
from noughts.virtual.program import program

COLUMNS = "boot, number, seats, first, moves, ms, end"
"""Of a store's games: what a board says of one."""


def as_row(game: Game) -> tuple[object, ...]:
    """A game as these columns of the store hold it."""
    moves = "".join(map(str, game.moves))
    return game.boot, game.number, game.seats, game.first, moves, game.ms, game.end


def lesson(kind: str, seed: int) -> tuple[Player, list[Game]]:
    """A board that was switched off in the middle of games, and the games that ended on it."""
    player = Player(program(kind).microbit(seed))
    ended = []
    for switched_on in range(2):
        player.start()
        for number in range(2 + seed % 3):
            player.begin()
            for _ in range(number):
                player.tap(B)
            player.leave()
        ended += [game for game in player.games if game.end != "-"]
        player.begin()
        player.rest(10 * switched_on)
        player.cut_power()
    return player, ended
