"""Files as release 1.0.0 left them on a board: see `noughts.boards.release_1_0_0`."""

from __future__ import annotations

import struct

from noughts.protocol.sentences import Game, write

ENDS = (((0, 1, 3, 4, 6), "A"), ((0, 1, 2), "x"), ((0, 3, 1, 4, 8, 5), "B"), ((), "x"))


def games(count: int) -> list[Game]:
    """These games were played one after the other."""
    boots = "0A1B2C3D", "FFFFFFFF"
    return [
        Game(boots[n % 2], n + 1, f"P{'PEMH'[n % 4]}", "A", moves, 1000 * n, end)
        for n, (moves, end) in ((n, ENDS[n % len(ENDS)]) for n in range(count))
    ]


def on_v1(played: list[Game], choice: str) -> dict[str, bytes]:
    """A file for each, in a ring of 65."""
    numbers = range(100_000, 100_000 + len(played))
    return {
        str(number % 65): f"{number}{choice}{write(game)}".encode()
        for number, game in zip(numbers, played, strict=True)
    }


def on_v2(played: list[Game], choice: str) -> dict[str, bytes]:
    """A file for seven of them, and one for the choice."""
    files = {"0": f"100000{choice}".encode()}
    for rank, start in enumerate(range(0, len(played), 7)):
        packed = b"".join(map(_record, played[start : start + 7]))
        files[f"~{chr(64 + rank % 12 * 2)}"] = struct.pack(">H", rank) + packed
    return files


def _record(game: Game) -> bytes:
    rest = "PEMH".index(game.seats[1]) * 16 + "AB".index(game.first) * 4 + "AB=x".index(game.end)
    cells = int("1" + "".join(map(str, game.moves)))
    return struct.pack("<IIIIB", int(game.boot, 16), game.number, cells, game.ms, rest)
