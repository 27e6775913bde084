"""Flash wear: counts the erases that games cost, also when the choice changes.

The firmware writes a file anew into chunks that were never used, and erases a page only to get back
chunks that were freed; so what counts is the long run, on a file system that is used up. A V2
stores games in its interface chip's flash, which is not counted here.
"""

from collections import Counter
from random import Random

from boards import FAILURES, A, B, Player, ViolationError
from soak.cuts import used_up
from soak.result import Result

GAMES = 300


def play_changes(board: str, changes: int, seed: int = 1) -> Result:
    """Play games, then this many with changed controls and a power cut after each."""
    program = used_up(board, Random(seed))
    player = Player(program.microbit(seed))
    result = Result(program.firmware)
    count, most = result.counts, result.most
    operations: list[tuple[str, int, int]] = []
    erases: Counter[tuple[str, int]] = Counter()
    try:
        player.start()
        player.board.watch_flash(lambda kind, at, _, us: operations.append((kind, at, us)))
        for what in ["games"] * GAMES + ["games with another choice"] * changes:
            operations.clear()
            if what != "games":
                player.tap(A, B)
            player.begin()
            player.leave()
            if board == "V1" and not operations:
                raise ViolationError("a game is not stored")
            pages = [at for kind, at, _ in operations if kind == "erase"]
            erases.update((what, page) for page in pages)
            count[what] += 1
            count[f"{what}: erases"] += len(pages)
            count[f"{what}: writes"] += len(operations) - len(pages)
            most |= Counter(
                {
                    f"{what}: us": sum(us for _, _, us in operations),
                    f"{what}: erases of a page": max(
                        (erases[what, page] for page in pages), default=0
                    ),
                }
            )
            if what != "games":
                player.cut_power()
                player.start()
    except FAILURES as error:
        result.failure = str(error)
    return result
