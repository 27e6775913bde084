"""Hostile serial lines against the log: `PYTHONPATH=tools/harness python tools/fuzz_log.py 600 1`.

In each round, a board sends what no board should (random bytes, sentences with bytes changed, left
out or cut off, valid checksums over illegal moves, endless lines, NUL and escape characters), in
pieces of any size, and then a good sentence. `check` asserts what must hold. The tests run a few
rounds; this program runs them for some seconds, starting at a seed, and prints the seed that fails.
"""

import argparse
import io
import json
import re
import tempfile
import time
from pathlib import Path
from random import Random

from noughts.protocol.sentences import MAX_LENGTH, Game, body, checksum, outcome, parse
from noughts.recording.events import Event, SentenceStored
from noughts.recording.recorder import Recorder
from noughts.rooms.publisher import Message, messages_after
from noughts.store import capture
from noughts.store.game_filter import GameFilter
from noughts.store.queries import games
from noughts.store.store import Store
from noughts.views.export_columns import columns_of
from sample_games import receive, write

_BOARDS = ("usb-1", "radio-9A1B2C3D", "radio-00000001")
GOOD_GAME = Game("0000600D", 1, "PH", "A", (4,), 1500, "-")
GOOD = write(GOOD_GAME).encode()


def sentence(dice: Random) -> bytes:
    """A real sentence of a game at any stage, from the board or from others that it receives."""
    moves: tuple[int, ...] = ()
    for cell in dice.sample(range(9), dice.randrange(10)):
        if outcome(moves, "A") == "-":
            moves = (*moves, cell)
    seats, ms = dice.choice(("PP", "PE", "PH")), dice.randrange(100_000)
    boot, number = f"{dice.randrange(8):08X}", dice.randrange(1, 5)
    game = Game(boot, number, seats, "A", moves, ms, outcome(moves, "A"))
    return write(game, dice.choice((None, None, "9A1B2C3D", "00000001"))).encode()


def mutated(dice: Random) -> bytes:
    """A real sentence with some bytes changed, left out, doubled, or cut off."""
    line = bytearray(sentence(dice))
    for _ in range(dice.randrange(1, 5)):
        at = dice.randrange(len(line) + 1)
        changed, cut_off = (at + 1, dice.randbytes(1)), (len(line), b"")
        left_out, doubled = (at + dice.randrange(1, 4), b""), (at, line[: dice.randrange(8)])
        end, new = dice.choice((changed, left_out, doubled, cut_off))
        line[at:end] = new
    return bytes(line)


_ODD = ("", "-1", "9", "1e3", "99999999999", "0123456780", "HH", "XX", "x", "?", "NB", "NX", "ng")


def illegal(dice: Random) -> bytes:
    """A valid checksum, but arbitrary moves and end, and sometimes another odd field."""
    fields = [
        "NG",
        f"{dice.randrange(16):08X}",
        str(dice.randrange(1, 5)),
        dice.choice(("PP", "PE", "PH", "HH")),
        dice.choice("AB"),
        "".join(str(dice.randrange(9)) for _ in range(dice.randrange(10))),
        str(dice.randrange(100_000)),
        dice.choice("-AB=x"),
    ]
    if dice.random() < 0.5:
        fields[dice.randrange(len(fields))] = dice.choice(_ODD)
    body = ",".join(fields)
    return f"${body}*{checksum(body)}".encode()


def noise(dice: Random) -> bytes:
    """Random bytes, or escapes, or one byte many times."""
    escapes = b"\x1b[2J\x1b]0;owned\x07", b"\0" * 40, b"\xff\xfe", b"\x9b31m", b"\\x1b", b"$*,$"
    much = dice.randbytes(1) * dice.randrange(5 * MAX_LENGTH)
    return dice.choice((dice.randbytes(dice.randrange(200)), dice.choice(escapes), much))


def hostile(dice: Random) -> bytes:
    parts = []
    for _ in range(dice.randrange(1, 12)):
        parts.append(dice.choice((sentence, mutated, illegal, noise))(dice))
        parts.append(dice.choice((b"\r\n", b"\n", b"", b"\r", b"\0", b"\0\0")))
    return b"".join(parts)


def sent_messages(store: Store) -> list[Message]:
    """All that a room would send; `noughts watch --from` can read their raw lines."""
    all_messages: list[Message] = []
    line = 0
    while True:
        messages, line = messages_after(store, line, "3b")
        if not messages:
            return all_messages
        all_messages += messages


def check(data: bytes, dice: Random, folder: Path) -> None:
    """Record this and then a good sentence, and assert all that must hold."""
    with Store(folder / "games.db", create=True) as store:
        recorder = Recorder(store)
        events: list[Event] = []
        rest = data + b"\r\n"
        while rest:  # in pieces of any size
            size = dice.choice((1, 3, 17, 64, 4096))
            events += receive(recorder, "usb-1", rest[:size], 1_000_000)
            rest = rest[size:]
        last = receive(recorder, "usb-1", GOOD + b"\r\n", 1_000_000)
        assert len(last) == 1, "more than the good sentence"
        assert isinstance(last[0], SentenceStored), "the good sentence was not stored"
        assert last[0].sentence == GOOD_GAME
        for event in events + last:
            assert event.text().isprintable(), "control characters reach the terminal"
            assert event.text().isascii()
            assert json.dumps(event.record()).isprintable()
            if isinstance(event, SentenceStored):
                assert parse(body(event.sentence)).sentence == event.sentence
        stored = "SELECT count(*), total(length(text)) FROM lines WHERE text != ''"
        lines_before = store.read(stored)
        again = Recorder(store)
        lines = b"".join(message.lines for message in sent_messages(store))
        for captured in capture.read(io.BytesIO(lines)):
            assert captured.board in _BOARDS, "a raw line that cannot be read again"
            repeated = receive(again, captured.board, captured.data, captured.at)
            repeated += receive(again, captured.board, b"\n", captured.at)
            assert not any(isinstance(event, SentenceStored) and event.new for event in repeated)
        assert lines_before == store.read(stored), "noise does not come back from raw lines"
        assert not store.correct_games()
        check_store(store)


def check_store(store: Store) -> None:
    """Assert that every stored game is legal and can be shown."""
    for seats, first, moves, times, end in store.read(
        "SELECT seats, first, moves, times, end FROM games"
    ):
        expected_end = outcome(tuple(map(int, moves)), first)
        assert end == expected_end or (end == "x" and expected_end == "-"), (
            "an illegal game is stored"
        )
        assert re.fullmatch("[A-Z]{2}", seats)
        assert not moves or len(times.split(",")) == len(moves)
    for game in games(store, GameFilter()):
        for (value,) in columns_of([game], int):
            if isinstance(value, str):
                assert value.isprintable(), "control characters reach the terminal"
        thought = [int(ms) for ms in game.times.split(",") if ms]
        assert thought == sorted(thought), "times that run backwards are stored"
        assert not thought or thought[-1] <= game.ms


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("seconds", type=int)
    parser.add_argument("seed", type=int, help="the first seed")
    options = parser.parse_args()
    seed, end = options.seed, time.monotonic() + options.seconds
    with tempfile.TemporaryDirectory() as name:
        while time.monotonic() < end:
            dice = Random(seed)
            print(f"\rseed {seed}", end="", flush=True)
            check(hostile(dice), dice, Path(name) / str(seed))
            seed += 1
    print(": all held")
