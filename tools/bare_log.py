"""The least that a store of captured sentences must do: `python tools/bare_log.py LOG STORE`.

It checks each line's XOR, and upserts the game in batches of 64. `tools/bench_log.py` compares
`noughts watch --from` with it, so that the result depends little on the computer.
"""

from __future__ import annotations

import sqlite3
import sys
from functools import reduce
from itertools import islice
from operator import xor
from pathlib import Path

_UPSERT = """
    INSERT INTO games VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
    SET moves = excluded.moves, ms = excluded.ms, end = excluded.end
"""


def main() -> None:
    """Store a log."""
    log, store = sys.argv[1:]
    db = sqlite3.connect(store)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    db.execute(
        "CREATE TABLE games (boot TEXT, number INTEGER, seats TEXT, first TEXT, moves TEXT, "
        "ms INTEGER, end TEXT, PRIMARY KEY (boot, number))"
    )
    with Path(log).open("rb") as file:
        while lines := list(islice(file, 64)):
            bodies = []
            for line in lines:
                body, _, told = line.strip()[1:].partition(b"*")
                if reduce(xor, body) == int(told, 16):
                    bodies.append(body.decode().split(",")[1:])
            with db:
                db.executemany(_UPSERT, bodies)


if __name__ == "__main__":
    main()
