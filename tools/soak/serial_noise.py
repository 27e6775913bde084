"""Noise on the serial line: floods, half escape sequences, Ctrl-C and Ctrl-D at random.

Noise without a Ctrl-C must not change a game. After a Ctrl-C, which always reaches the REPL, and
anything typed there, Ctrl-D must start the game again.
"""

from random import Random

from boards import FAILURES, B, Player, ViolationError
from noughts.virtual.program import program
from soak.result import Result

CTRL_A, CTRL_B, CTRL_C, CTRL_D, CTRL_E = b"\x01", b"\x02", b"\x03", b"\x04", b"\x05"
_HALVES = (b"\x1b", b"\x1b[", b"\x1b[1", b"\x1bO", b"\x1b[200~")
_TYPED = (CTRL_C, CTRL_C, CTRL_C, CTRL_D, CTRL_D, CTRL_A, CTRL_B, CTRL_E, b"\r", b"(", b"x = 1\r")
_MOST_SKIPPED = 10
_FREE_FROM_CENTRE = (4, 1, 3, 5, 7)


class SerialNoise:
    """A host that sends noise to a board; its seed determines every byte."""

    def __init__(self, board: str, seed: int) -> None:
        self._random = Random(seed)
        game = program(board)
        self._player = Player(game.microbit(seed))
        self._result = Result(game.firmware)

    def run(self, times: int) -> Result:
        """Flood a game and interrupt a game, this many times or until something is wrong."""
        result = self._result
        try:
            self._player.start()
            for _ in range(times):
                self._flooded_game()
                self._interrupted()
                result.counts["interruptions"] += 1
        except FAILURES as error:
            result.failure = f"noise {result.counts['interruptions'] + 1}: {error}"
        return result

    def _flooded_game(self) -> None:
        """Play a game of two people with button B, while bytes arrive."""
        player = self._player
        player.begin()
        for count in range(1, 5):
            games_before = len(player.games)
            for change in (player.board.press, player.board.release):
                change(B)
                self._flood(60)
            player.rest(120)
            moves = [game.moves for game in player.games[games_before:]]
            if moves != [_FREE_FROM_CENTRE[:count]]:
                raise ViolationError(
                    f"a press of B in a flood sends {moves}, after {player.games[games_before - 1]}"
                )
        player.leave()

    def _flood(self, ms: float) -> None:
        board = self._player.board
        end_us = board.clock_us + ms * 1000
        while board.clock_us < end_us:
            data = self._random.randbytes(6).replace(CTRL_C, b"\xff")
            if self._random.random() < 0.2:
                data = self._random.choice(_HALVES)
            self._player.type(data)
            self._result.counts["flooded"] += len(data)

    def _interrupted(self) -> None:
        """Interrupt the menu or a game at any moment, and return from the REPL to playing."""
        player = self._player
        if self._random.random() < 0.5:
            player.board.press(B)
        player.board.run_for(self._random.uniform(0, 300_000))
        player.board.release(B)
        for _ in range(self._random.randint(1, 8)):
            player.type(self._random.choice(_TYPED + _HALVES))
            player.board.run_for(1000 * self._random.choice((0, 1, 5, 50, 300, 1500)))
        self._to_prompt()
        player.type(CTRL_D)
        self._player.start()
        self._player.choice()

    def _to_prompt(self) -> None:
        """Leave any unfinished input, and the raw REPL, like a person: try until it answers.

        A V2 skips one Ctrl-C for each that has stopped something, because these are still in its
        buffer. If a flood had filled the buffer, it skips a later one instead.
        """
        board = self._player.board
        for _ in range(_MOST_SKIPPED):
            for typed in (CTRL_C, CTRL_B, CTRL_C):
                board.uart.receive()
                self._player.type(typed)
                board.run_for(200_000)
            if board.uart.receive().endswith(b">>> "):
                return
        raise ViolationError("Ctrl-C does not lead to the REPL's prompt")
