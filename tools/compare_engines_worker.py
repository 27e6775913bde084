"""What `compare_engines.py` runs where easyAI and OpenSpiel are installed."""

from __future__ import annotations

import importlib.metadata
import sys
import time
from collections.abc import Callable

sys.path.insert(0, sys.argv[1])

import pyspiel
from easyAI import Negamax, TwoPlayerGame
from open_spiel.python.algorithms import minimax as openspiel_minimax

from noughts.engines.search import AlphaBeta, Minimax, Transposition
from noughts.game.positions import EMPTY, LINES

FIRST_MOVES = {"empty board": (), "after a first corner": (0,)}


class TicTacToe(TwoPlayerGame):
    """The game as easyAI's documentation writes it, with moves that can be taken back."""

    def __init__(self, cells: tuple[int, ...]) -> None:
        self.players = [None, None]
        self.board = [0] * 9
        self.current_player = 1
        self.made = 0
        for cell in cells:
            self.make_move(cell)
            self.switch_player()

    def possible_moves(self) -> list[int]:
        return [cell for cell in range(9) if not self.board[cell]]

    def make_move(self, cell: int) -> None:
        self.board[cell] = self.current_player

    def unmake_move(self, cell: int) -> None:
        self.board[cell] = 0

    def lose(self) -> bool:
        board, other = self.board, self.opponent_index
        return any(board[a] == board[b] == board[c] == other for a, b, c in LINES)

    def is_over(self) -> bool:
        return self.lose() or 0 not in self.board

    def scoring(self) -> int:
        return -100 if self.lose() else 0


class Counting(TicTacToe):
    def make_move(self, cell: int) -> None:
        self.made += 1
        super().make_move(cell)


def easyai(cells: tuple[int, ...]) -> tuple[Callable[[], object], Callable[[], int]]:
    depth = 9 - len(cells)

    def count() -> int:
        game = Counting(cells)
        game.made = 0
        Negamax(depth)(game)
        return game.made + 1

    return lambda: Negamax(depth)(TicTacToe(cells)), count


def openspiel(cells: tuple[int, ...]) -> tuple[Callable[[], object], Callable[[], int]]:
    game = pyspiel.load_game("tic_tac_toe")

    def search() -> object:
        state = game.new_initial_state()
        for cell in cells:
            state.apply_action(cell)
        mover = state.current_player()
        return openspiel_minimax.alpha_beta_search(
            game, state=state, maximum_depth=10, maximizing_player_id=mover
        )

    def count() -> int:
        original = openspiel_minimax._alpha_beta
        calls = [0]

        def counted(*args: object, **named: object) -> object:
            calls[0] += 1
            return original(*args, **named)

        openspiel_minimax._alpha_beta = counted
        try:
            search()
        finally:
            openspiel_minimax._alpha_beta = original
        return calls[0]

    return search, count


def ours(
    engine: Minimax | AlphaBeta, cells: tuple[int, ...]
) -> tuple[Callable[[], object], Callable[[], int]]:
    position = EMPTY
    for cell in cells:
        position = position.play(cell)
    return lambda: engine.reply(position), lambda: engine.reply(position).nodes


def best_s(run: Callable[[], object]) -> float:
    times = []
    for _ in range(5):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> int:
    for package in ("easyAI", "open_spiel"):
        print(package, importlib.metadata.version(package))
    print(f"Python {sys.version.split()[0]}")
    for name, cells in FIRST_MOVES.items():
        rows = {
            "easyAI Negamax (alpha-beta)": easyai(cells),
            "OpenSpiel alpha-beta": openspiel(cells),
            "noughts minimax": ours(Minimax(), cells),
            "noughts alphabeta": ours(AlphaBeta(), cells),
            "noughts transposition": ours(Transposition(), cells),
        }
        measured = {engine: (count(), best_s(run)) for engine, (run, count) in rows.items()}
        reference = measured["noughts alphabeta"][1]
        print(f"\n{name:<28}{'nodes':>9}{'ms':>10}{'µs a node':>11}{'times ours':>12}")
        for engine, (nodes, took_s) in measured.items():
            print(
                f"{engine:<28}{nodes:>9,}{took_s * 1000:>10.2f}"
                f"{took_s / nodes * 1e6:>11.3f}{took_s / reference:>12.1f}"
            )
    print("\n(times ours: the whole reply's time, as a multiple of noughts alphabeta's)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
