"""What boards send is understood as in Python: sentences, games, and files with games."""

import csv
import io
from random import Random

import pytest

from data_logs import HEADING, data_log, row
from noughts.protocol.parser import Noise, Stream, Unknown
from noughts.protocol.sentences import Boot, framed
from noughts.protocol.sentences import body as body_of
from noughts.store.capture import raw_line
from noughts.store.fold import Line, fold
from random_games import random_game
from sample_games import A_WINS, AT, BOOT, DRAW, HOSTILE_NAMES, stages

_LINES = 10_000


def python_items(pieces):
    stream = Stream()
    for piece in pieces:
        for item in stream.feed(piece):
            if isinstance(item, Noise):
                yield {"noise": item.text}
            elif isinstance(item, Unknown):
                yield {"unknown": item.what, "again": item.again}
            else:
                kind = "boot" if isinstance(item.sentence, Boot) else "game"
                fields = dict(vars(item.sentence))
                if kind == "game":
                    fields["moves"] = "".join(map(str, fields["moves"]))
                else:
                    fields["tableId"] = fields.pop("table_id")
                yield {"kind": kind, "body": item.body, "radioId": item.radio_id, **fields}


def random_line(dice):
    """The bytes of a line: good, damaged, merged with another, of another kind, or noise."""
    game = dice.choice(random_game(f"{dice.randrange(1 << 32):08X}", dice.randrange(1, 2000), dice))
    bodies = [
        body_of(game),
        body_of(Boot(game.boot, dice.choice(["V1", "V2"]), "1.2.0", "2798")),
        f"NX,{dice.randrange(200)},{'y' * dice.randrange(100)}",
        f"NB,{dice.randrange(2, 5)},later",
        f"NG,{game.boot},1,PE,A,0{dice.randrange(9)}{dice.randrange(9)},5,{dice.choice('-AB=x')}",
    ]
    radio_id = dice.choice([None, None, f"{dice.randrange(1 << 32):08X}"])
    line = (framed(dice.choice(bodies), radio_id)).encode("latin-1")
    match dice.randrange(8):
        case 0:  # a damaged byte
            place = dice.randrange(len(line))
            line = line[:place] + bytes([dice.randrange(256)]) + line[place + 1 :]
        case 1:  # cut short
            line = line[: dice.randrange(len(line))]
        case 2:  # merged with what came before
            return line
        case 3:
            line = dice.randbytes(dice.randrange(300))
        case 4:
            line = b"Traceback (most recent call last):\\" + line
    return line + dice.choice([b"\r\n", b"\r\n", b"\n", b"\r\r\n", b"\0\r\n"])


def test_random_lines_give_the_same_items(modules):
    dice = Random(50)
    data = b"".join(random_line(dice) for _ in range(_LINES))
    pieces, begin = [], 0
    while begin < len(data):
        end = begin + dice.choice([1, 7, 62, 62, 500, 4000])
        pieces.append(data[begin:end])
        begin = end
    result = modules.evaluate(
        """async (pieces) => {
          const { Stream } = await import('page/sentences.js');
          const stream = new Stream();
          return pieces.flatMap((piece) => stream.feed(piece));
        }""",
        [piece.decode("latin-1") for piece in pieces],
    )
    expected = list(python_items(pieces))
    assert result == expected
    kinds = [item.get("kind") or ("noise" if "noise" in item else "unknown") for item in expected]
    assert min(map(kinds.count, ("boot", "game", "noise", "unknown"))) > 500


def random_lines_of_one_number(dice):
    """Lines of one boot and number: parts of a few games, on several boards, by cable or radio."""
    lines = []
    for _ in range(dice.randrange(1, 4)):
        games = random_game("0000000A", 7, dice)
        if dice.random() < 0.2:
            last = dice.choice(games[:-1])
            games = [*games[: games.index(last) + 1], last]
            games[-1].end = "x"
        for game in games:
            if dice.random() < 0.6:
                radio = dice.random() < 0.3
                lines.append(
                    Line(
                        id=len(lines),
                        board="radio-12345678"
                        if radio
                        else dice.choice(["usb-1", "COM3", "3b/usb-1", "file-a b"]),
                        radio=radio,
                        late=dice.random() < 0.3,
                        at=dice.choice([None, dice.randrange(10**12, 10**12 + 60_000)]),
                        text=body_of(game).removeprefix("NG,"),
                    )
                )
    dice.shuffle(lines)
    return lines


def test_random_subsets_of_lines_give_the_same_games(modules):
    dice = Random(51)
    groups = [random_lines_of_one_number(dice) for _ in range(500)]

    def as_object(line):
        _, _, seats, first, moves, ms, end = line.text.split(",")
        return {
            "board": line.board,
            "radio": line.radio,
            "late": line.late,
            "at": line.at,
            "seats": seats,
            "first": first,
            "moves": moves,
            "ms": int(ms),
            "end": end,
        }

    result = modules.evaluate(
        "async (groups) => { const { fold } = await import('page/fold.js'); return groups.map(fold); }",
        [[as_object(line) for line in group] for group in groups],
    )

    def as_result(game):
        times = game.times.split(",") if game.moves else []
        return {
            "board": game.board,
            "seats": game.seats,
            "first": game.first,
            "moves": game.moves,
            "times": [int(time) if time else None for time in times],
            "ms": game.ms,
            "end": game.end,
            "started": game.started,
            "heard": game.heard,
            "playedBefore": game.played_before,
            "byRadio": bool(game.by_radio),
        }

    assert result == [[as_result(game) for game, _ in fold(group)] for group in groups]
    assert sum(len(games) > 1 for games in result) > 100


def raw(board, at, text):
    return raw_line(board, text, at, is_sentence=bool(text)).decode("latin-1")


def captured_log():
    """Two boards and one by radio, a resent game, a board that was opened again, a hostile name."""
    text = raw("usb-9900", AT, body_of(BOOT)) + raw("usb-9900", AT + 1, "")
    for number, cells in enumerate([A_WINS, DRAW], 1):
        for game in stages(cells, number=number, first="AB"[number % 2]):
            text += raw("usb-9900", AT + number * 60_000 + game.ms, body_of(game))
    for game in stages([4, 1], "x", boot="00000B00", number=3):
        text += raw("COM 7", AT + game.ms, body_of(game))
    for game in stages(DRAW, boot="00000C00", seats="PE")[3:]:
        text += raw("radio-12345678", AT + game.ms, body_of(game))
    resent = stages(DRAW, boot="00000D00")[-1]
    text += raw("usb-9900", AT + 500_000, body_of(resent))
    return text + raw(HOSTILE_NAMES[0].strip("<"), AT + 3, body_of(stages([4], boot="0000000A")[1]))


READ_AND_WRITE = """async ([text, name]) => {
  const { readLog, writeLog } = await import('page/log_files.js');
  const { GameStore } = await import('page/game_store.js');
  const { gamesAsCsv } = await import('page/csv.js');
  const store = new GameStore(null);
  await store.add(readLog(text, name));
  return [writeLog(store.lines), gamesAsCsv(store.games), store.games.length];
}"""


def as_rows(text):
    return sorted(tuple(list(row.values())[1:]) for row in csv.DictReader(io.StringIO(text)))


def test_saved_log_is_read_by_watch_and_has_the_same_games(modules, folder, printed):
    (folder / "first.log").write_text(captured_log(), encoding="latin-1")
    printed("watch", "--from", "first.log", "--plain", db=folder / "first.db")
    saved, table, _ = modules.evaluate(READ_AND_WRITE, [captured_log(), "first.log"])
    (folder / "saved.log").write_text(saved, encoding="latin-1")
    printed("watch", "--from", "saved.log", "--plain", db=folder / "saved.db")
    exports = []
    for name in ("first", "saved"):
        printed("export", "-o", f"{name}.csv", db=folder / f"{name}.db")
        exports.append((folder / f"{name}.csv").read_text())
    assert as_rows(exports[0]) == as_rows(exports[1]) == as_rows(table)
    assert len(as_rows(table)) == 6
    assert table.splitlines()[0] == exports[0].splitlines()[0]


def test_damaged_lines_of_a_log_are_read_as_the_board_sent_them(modules):
    dice = Random(52)
    data = b"".join(random_line(dice) for _ in range(600)).decode("latin-1")
    saved, _, count = modules.evaluate(READ_AND_WRITE, [data, "x.log"])
    again, _, count_again = modules.evaluate(READ_AND_WRITE, [saved, "y.log"])
    assert count == count_again > 50
    assert again == saved


LOG = [stages(A_WINS, boot="3E5A5FD2")[-1], stages([4], "x", number=2, boot="3E5A5FD2")[-1]]


@pytest.mark.parametrize(
    ("content", "games"),
    [
        (data_log(HEADING, *map(row, LOG)), 2),
        (data_log(HEADING, row(LOG[0])[:-3], row(LOG[1])), 1),
        ("\n".join([HEADING, *map(row, LOG), ""]).encode(), 2),  # microbit.csv
        ("\r\n".join([HEADING, *map(row, LOG), ""]).encode(), 2),
        (f"Time (seconds),{HEADING}\n,{row(LOG[0])}\n".encode(), 1),
    ],
)
def test_data_log_gives_its_games(modules, content, games):
    _, table, count = modules.evaluate(READ_AND_WRITE, [content.decode("latin-1"), "blue.HTM"])
    assert count == games
    assert "file-blue.HTM" in table


@pytest.mark.parametrize(
    ("content", "key"),
    [
        (data_log(HEADING, row(LOG[0]))[:2060], "file.notDataLog"),
        (data_log(HEADING, row(LOG[0]))[:9000], "file.damaged"),
        (data_log(HEADING, row(LOG[0]) + "\0\0"), "file.damaged"),
        (data_log("Time (seconds),temp", "1.03,21"), "file.otherProgram"),
        (b"no games\nat all\n", "file.nothing"),
        (b"", "file.nothing"),
    ],
)
def test_file_without_games_is_refused_with_the_reason(modules, content, key):
    found = modules.evaluate(
        """async (text) => {
          const { readLog } = await import('page/log_files.js');
          try { return readLog(text, 'x').length; } catch (error) { return error.key; }
        }""",
        content.decode("latin-1"),
    )
    assert found == key
