"""Our searches next to easyAI's Negamax and OpenSpiel's alpha-beta, on the empty board.

    python tools/compare_engines.py

It installs the others into a temporary environment, and runs itself there with the folder of our
package. Nodes are counted in a run of their own, so that counting costs no time in the run that is
timed; times are the best of five.
"""

import subprocess
import sys
import tempfile
import time
import venv
from functools import partial
from pathlib import Path

OTHERS = ("easyAI>=2.0", "open_spiel>=1.5")
HOST = Path(__file__).resolve().parents[1] / "host"


def install_and_run() -> None:
    with tempfile.TemporaryDirectory(prefix="noughts-") as folder:
        venv.create(folder, with_pip=True)
        python = str(Path(folder) / ("Scripts" if sys.platform == "win32" else "bin") / "python")
        subprocess.run([python, "-m", "pip", "install", "--quiet", *OTHERS], check=True)
        subprocess.run([python, __file__, str(HOST)], check=True)


def compare() -> None:
    sys.path.insert(0, str(HOST))
    import easyAI
    import pyspiel
    from open_spiel.python.algorithms import minimax

    from noughts.engines.search import AlphaBeta, Transposition
    from noughts.game.positions import EMPTY, LINES

    class TicTacToe(easyAI.TwoPlayerGame):
        """The game as easyAI's documentation writes it, with moves that can be taken back."""

        made = 1

        def __init__(self):
            self.players = [None, None]
            self.board = [0] * 9
            self.current_player = 1

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
            self.made += 1
            super().make_move(cell)

    def count_easyai():
        game = Counting()
        easyAI.Negamax(9)(game)
        return game.made

    def openspiel():
        game = pyspiel.load_game("tic_tac_toe")
        return minimax.alpha_beta_search(game, maximum_depth=10, maximizing_player_id=0)

    def count_openspiel():
        search, calls = minimax._alpha_beta, []
        minimax._alpha_beta = lambda *given, **named: calls.append(0) or search(*given, **named)
        openspiel()
        minimax._alpha_beta = search
        return len(calls)

    ours, ours_again = partial(AlphaBeta().reply, EMPTY), partial(Transposition().reply, EMPTY)
    print("| engine | nodes | time |\n| --- | ---: | ---: |")
    for name, run, count in (
        ("easyAI's Negamax", lambda: easyAI.Negamax(9)(TicTacToe()), count_easyai),
        ("OpenSpiel's alpha-beta", openspiel, count_openspiel),
        ("our `alphabeta`", ours, lambda: ours().nodes),
        ("our `transposition`", ours_again, lambda: ours_again().nodes),
    ):
        times_s = []
        for _ in range(5):
            start_s = time.perf_counter()
            run()
            times_s.append(time.perf_counter() - start_s)
        print(f"| {name} | {count():,} | {min(times_s) * 1000:.1f} ms |")


if __name__ == "__main__":
    compare() if sys.argv[1:] else install_and_run()
