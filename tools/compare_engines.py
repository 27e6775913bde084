"""Our searches next to easyAI's Negamax and OpenSpiel's alpha-beta, on the empty board.

    pip install easyAI open_spiel
    python tools/compare_engines.py

Times are the best of five. Nodes are counted in a run of their own, which is not timed.
"""

import time

import easyAI
import pyspiel
from open_spiel.python.algorithms import minimax

from noughts.engines.search import AlphaBeta, Transposition
from noughts.game.positions import EMPTY, LINES


class TicTacToe(easyAI.TwoPlayerGame):
    """The game as in easyAI's documentation, with moves that can be undone."""

    def __init__(self):
        self.players = [None, None]
        self.board = [0] * 9
        self.current_player = 1
        self.nodes = 1

    def possible_moves(self):
        return [cell for cell in range(9) if not self.board[cell]]

    def make_move(self, cell):
        self.board[cell] = self.current_player

    def unmake_move(self, cell):
        self.board[cell] = 0

    def lose(self):
        board, other = self.board, self.opponent_index
        return any(board[a] == board[b] == board[c] == other for a, b, c in LINES)

    def is_over(self):
        return self.lose() or 0 not in self.board

    def scoring(self):
        return -100 if self.lose() else 0


class Counting(TicTacToe):
    def make_move(self, cell):
        self.nodes += 1
        super().make_move(cell)


def easyai(game):
    easyAI.Negamax(9)(game)
    return game


def openspiel():
    game = pyspiel.load_game("tic_tac_toe")
    return minimax.alpha_beta_search(game, maximum_depth=10, maximizing_player_id=0)


def openspiel_nodes():
    search, calls = minimax._alpha_beta, []
    minimax._alpha_beta = lambda *given, **named: calls.append(0) or search(*given, **named)
    openspiel()
    minimax._alpha_beta = search
    return len(calls)


def best_ms(run):
    times_s = []
    for _ in range(5):
        start_s = time.perf_counter()
        run()
        times_s.append(time.perf_counter() - start_s)
    return min(times_s) * 1000


print("| engine | boards looked at | time |\n| --- | ---: | ---: |")
ours, remembering = AlphaBeta(), Transposition()
for name, run, nodes in (
    ("easyAI's Negamax", lambda: easyai(TicTacToe()), easyai(Counting()).nodes),
    ("OpenSpiel's alpha-beta", openspiel, openspiel_nodes()),
    ("our `alphabeta`", lambda: ours.reply(EMPTY), ours.reply(EMPTY).nodes),
    ("our `transposition`", lambda: remembering.reply(EMPTY), remembering.reply(EMPTY).nodes),
):
    print(f"| {name} | {nodes:,} | {best_ms(run):.1f} ms |")
