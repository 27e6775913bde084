"""Games as a V2's data log (`MY_DATA.HTM`) holds them, and as rows of a store."""

from noughts.protocol.sentences import Game, body

HEADING = "boot,game,seats,first,moves,ms,end"
COLUMNS = "boot, number, seats, first, moves, ms, end"
"""The columns of a store's games that a board sends."""
_END, _START, _SIZE = 0x1EFFC, 0x2000, 129_024


def row(game: Game) -> str:
    return body(game)[3:]


def as_row(game: Game) -> tuple[object, ...]:
    moves = "".join(map(str, game.moves))
    return game.boot, game.number, game.seats, game.first, moves, game.ms, game.end


def data_log(*rows: str, end: int = _END, start: int = _START) -> bytes:
    """A log with these rows, heading included, whose head names this end and start."""
    head = b"<meta charset=utf-8><script>/UBIT_LOG_FS_V_002/.test(i)</script>".ljust(2048)
    fields = "\0".join((f"UBIT_LOG_FS_V_002\n0x{end:08X}", f"0x{start:08X}", "0257", ""))
    data = "".join(f"{row}\n" for row in rows)
    made = (head + fields.encode()).ljust(_START, b"\xff") + data.encode()
    return made.ljust(_SIZE, b"\xff")
