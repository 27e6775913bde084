"""Data logs of V2s, as `MY_DATA.HTM` on a board's drive holds them."""

from noughts.protocol.sentences import Game, write

HEADING = "boot,game,seats,first,moves,ms,end"
_END, _START, _SIZE = 0x1EFFC, 0x2000, 129_024


def row(game: Game) -> str:
    """A game as the board adds it."""
    return write(game)[4:-3]


def data_log(*rows: str, end: int = _END, start: int = _START) -> bytes:
    """A log with these rows, the heading too, in which the head names this end and start."""
    head = b"<meta charset=utf-8><script>/UBIT_LOG_FS_V_002/.test(i)</script>".ljust(2048)
    fields = "\0".join((f"UBIT_LOG_FS_V_002\n0x{end:08X}", f"0x{start:08X}", "0257", ""))
    data = "".join(f"{each}\n" for each in rows)
    made = (head + fields.encode()).ljust(_START, b"\xff") + data.encode()
    return made.ljust(_SIZE, b"\xff")
