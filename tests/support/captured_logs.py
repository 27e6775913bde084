"""A captured log with games of several boards, one character for each byte."""

from noughts.protocol.sentences import body as body_of
from noughts.store.capture import raw_line
from sample_games import A_WINS, AT, BOOT, DRAW, HOSTILE_NAMES, stages


def _raw(board: str, at: int, text: str) -> str:
    return raw_line(board, text, at, is_sentence=bool(text)).decode("latin-1")


def captured_log() -> str:
    """Two boards and one by radio, a resent game, a board that was opened again, a hostile name."""
    text = _raw("usb-9900", AT, body_of(BOOT)) + _raw("usb-9900", AT + 1, "")
    for number, cells in enumerate([A_WINS, DRAW], 1):
        for game in stages(cells, number=number, first="AB"[number % 2]):
            text += _raw("usb-9900", AT + number * 60_000 + game.ms, body_of(game))
    for game in stages([4, 1], "x", boot="00000B00", number=3):
        text += _raw("COM 7", AT + game.ms, body_of(game))
    for game in stages(DRAW, boot="00000C00", seats="PE")[3:]:
        text += _raw("radio-12345678", AT + game.ms, body_of(game))
    resent = stages(DRAW, boot="00000D00")[-1]
    text += _raw("usb-9900", AT + 500_000, body_of(resent))
    return text + _raw(
        HOSTILE_NAMES[0].strip("<"), AT + 3, body_of(stages([4], boot="0000000A")[1])
    )
